"""What the README and the pages in docs/ promise is there: verbs, options, files, commands."""

import re
import shlex
import tomllib

import pytest

from concord.cli import cli
from concord.judges.definition.endpoint import Embedding, Endpoint
from concord.judges.definition.model import Examples, Judge, Larger
from concord.judges.definition.prices import Price, PriceList
from tests.support import docs_options
from tests.support.source import ROOT

DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"(?:python|\.venv/bin/python) cli\.py ([^`\n#]+)")


def text(path) -> str:
    return path.read_text(encoding="utf-8")


def commands() -> list[str]:
    """Every command line of Concord that the documentation shows, from its verb on."""
    shown = {match.strip() for path in DOCS for match in COMMAND.findall(text(path))}
    return sorted(line for line in shown if "VERB" not in line)


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_link_leads_to_a_file(path):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text(path))
    inner = [link for link in links if "://" not in link]
    assert [link for link in inner if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_link_inside_a_page_leads_to_a_heading(path):
    links = set(re.findall(r"\]\(#([^)]+)\)", text(path)))
    assert links <= {*anchors(path, "#+")}


@pytest.mark.parametrize("page", ["figures", "guide", "metrics", "statistics"])
def test_a_long_page_begins_with_its_contents(page):
    path = ROOT / "docs" / f"{page}.md"
    contents = text(path).partition("\n## ")[0]
    assert re.findall(r"\]\(#([^)]+)\)", contents) == anchors(path, "##")


def anchors(path, level: str) -> list[str]:
    """How links name the headings of a page; a heading that stands there again is numbered."""
    found = []
    for heading in re.findall(rf"^{level} (.+)$", text(path), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        again = sum(one == plain for one in found)
        found.append(f"{plain}-{again}" if again else plain)
    return found


def test_the_command_line_page_has_the_options_of_every_command_as_help_states_them():
    page = text(docs_options.PAGE)
    blocks = sorted(verb for _, verb, _ in docs_options.BLOCK.findall(page))
    assert blocks == sorted(["shared", *cli.commands])
    assert docs_options.page_with_options(page) == page, "run python -m tests.support.docs_options"
    sections = re.findall(r"^### ([\w-]+)$.*?^<!--:([\w-]+)-->$", page, re.MULTILINE | re.DOTALL)
    assert sections == [(verb, verb) for verb, _ in sections]


@pytest.mark.parametrize("line", commands())
def test_every_command_shown_could_be_typed(line):
    """Its verb and options exist; what they do is shown elsewhere."""
    words = shlex.split(line)
    while words and words[0].startswith("-"):
        words = words[2:]  # --db FILE stands before the verb
    assert words, "a command without a verb"
    verb = cli.commands[words[0]]
    known = {option for parameter in verb.params for option in parameter.opts}
    assert {word for word in words[1:] if word.startswith("--")} - {"--help"} <= known


@pytest.mark.parametrize("model", [Judge, Endpoint, Embedding, Larger, Examples, Price])
def test_every_key_of_a_judge_file_and_of_a_price_is_explained(model):
    explained = text(ROOT / "docs" / "judge-files.md")
    prices = explained.partition("```toml")[2]
    told = prices if model is Price else explained
    assert [key for key in model.model_fields if not re.search(rf"\b{key}\b", told)] == []


def test_the_price_that_is_shown_is_read():
    shown = text(ROOT / "docs" / "judge-files.md").partition("```toml")[2].partition("```")[0]
    (price,) = PriceList.model_validate(tomllib.loads(shown)).price
    assert (price.host, price.source) == ("llm.example.org", "the contract of this year")


def test_every_make_target_shown_exists():
    targets = set(re.findall(r"^(\w+):", text(ROOT / "Makefile"), re.MULTILINE))
    shown = {
        target for path in DOCS for target in re.findall(r"(?:^ {4}|`)make (\w+)", text(path), re.M)
    }
    assert {"run", "test"} <= shown <= targets
