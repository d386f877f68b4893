"""What the README and the pages in docs/ promise is there: verbs, options, files, commands.

The options in docs/command-line.md: `python -m tests.test_readme` writes them.
"""

import json
import re
import shlex
import textwrap
import tomllib
from collections import Counter
from pathlib import Path

import click
import pytest
import yaml

from concord.cli import cli
from concord.judges.definition.endpoint import Embedding, Endpoint
from concord.judges.definition.model import Examples, Larger, kinds
from concord.judges.definition.prices import Price, PriceList
from concord.resources import SKILLS
from tests.support.commandline import invoke
from tests.support.source import ROOT

PAGE = ROOT / "docs" / "command-line.md"
BLOCK = re.compile(r"<!--:([\w-]+)-->\n(?:\n| {4}.*\n)*")
RANGE = re.compile(r"  \[[\d.]*[<=>]*x[<=>]+[\d.]+\]|; [\d.]*[<=>]*x[<=>]+[\d.]+(?=\])")
SHARED_BY = 2  # An option that so many commands have, in the same words, is explained once.


def blocks() -> dict[str, str]:
    """Return the text of each block by name: that of each command, and `shared`."""
    helps = {verb: _option_helps(verb) for verb in cli.commands}
    verbs = Counter(line for lines in helps.values() for line in lines)
    shared = sorted(line for line in verbs if verbs[line] >= SHARED_BY)
    texts = {"shared": "".join(_wrapped("  ".join(line)) for line in shared)}
    for verb, lines in helps.items():
        arguments = [one.make_metavar(_context(verb)) for one in _parameters(verb, click.Argument)]
        texts[verb] = _wrapped(" ".join([verb, *arguments])) if arguments else ""
        texts[verb] += "".join(_wrapped("  ".join(line)) for line in lines if line not in shared)
    return texts


def _context(verb: str) -> click.Context:
    return click.Context(cli.commands[verb], info_name=verb)


def _parameters(verb: str, kind: type) -> list[click.Parameter]:
    return [one for one in cli.commands[verb].params if isinstance(one, kind)]


def _option_helps(verb: str) -> list[tuple[str, str]]:
    """Return each option with its value, and its help, as `--help` shows them but for ranges."""
    records = [one.get_help_record(_context(verb)) for one in _parameters(verb, click.Option)]
    return [
        (option.replace(" RANGE", ""), RANGE.sub("", text))
        for option, text in filter(None, records)
    ]


def _wrapped(text: str) -> str:
    return (
        textwrap.fill(
            text,
            100,
            initial_indent=" " * 4,
            subsequent_indent=" " * 8,
            break_on_hyphens=False,
            break_long_words=False,
        )
        + "\n"
    )


def page_with_options(page: str) -> str:
    """Return the page with each block between its markers written anew."""
    texts = blocks()
    return BLOCK.sub(lambda block: f"<!--:{block[1]}-->\n\n{texts[block[1]]}\n", page)


SKILL = sorted(SKILLS.rglob("*.md"))
DOCS = [
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
    *sorted((ROOT / "docs").glob("*.md")),
    *SKILL,
]
COMMAND = re.compile(r"(?:(?:python|\.venv/bin/python) cli\.py|uvx concord-judges) ([^`\n#]+)")


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
    page = text(PAGE)
    assert sorted(BLOCK.findall(page)) == sorted(["shared", *cli.commands])
    assert page_with_options(page) == page, "run python -m tests.test_readme"
    sections = re.findall(r"^### ([\w-]+)$.*?^<!--:([\w-]+)-->$", page, re.MULTILINE | re.DOTALL)
    assert sections == [(verb, verb) for verb, _ in sections]


@pytest.mark.parametrize("line", commands())
def test_every_command_shown_could_be_typed(line, tmp_path, monkeypatch):
    """Its verb and options exist and take these values; what they do is shown elsewhere."""
    monkeypatch.chdir(tmp_path)
    Path("prompt.txt").touch()
    words = shlex.split(line.partition("|")[0])
    while words and words[0].startswith("-"):
        words = words[2:]  # --db FILE stands before the verb
    assert words, "a command without a verb"
    cli.commands[words[0]].make_context(words[0], words[1:])


def test_the_skill_is_in_the_open_format_and_names_options_that_exist():
    (page,) = (path for path in SKILL if path.name == "SKILL.md")
    head = yaml.safe_load(text(page).split("---\n")[1])
    assert head["name"] == page.parent.name and re.fullmatch(r"[a-z]+(-[a-z]+)*", head["name"])
    assert head["description"] and len(head["description"]) <= 1024
    assert sum(len(text(path).split()) for path in SKILL) <= 900
    known = {
        word
        for verb in cli.commands
        for one in _parameters(verb, click.Option)
        for word in one.opts
    }
    named = {word for path in SKILL for word in re.findall(r"--[a-z][a-z-]+", text(path))}
    assert named and named <= known


def test_the_skill_is_written_as_it_is_shipped_and_replaces_no_other_file(tmp_path):
    for _ in range(2):
        done = invoke(tmp_path / "none.db", "skill", tmp_path, "--json")
        written = [Path(one) for one in json.loads(done.stdout)["files"]]
        assert [one.read_bytes() for one in written] == [one.read_bytes() for one in SKILL]
    assert [one.relative_to(tmp_path) for one in written] == [
        one.relative_to(SKILLS) for one in SKILL
    ]
    written[1].write_text("mine", encoding="utf-8")
    assert invoke(tmp_path / "none.db", "skill", tmp_path).exit_code == 2
    assert written[1].read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("model", [*kinds().values(), Endpoint, Embedding, Larger, Examples, Price])
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


if __name__ == "__main__":
    PAGE.write_text(page_with_options(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
