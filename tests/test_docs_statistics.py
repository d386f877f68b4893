"""docs/statistics.md against the figures the app gives and the terms it explains.

Write the sections of the declared statistics into docs/statistics.md.

python -m tests.test_docs_statistics
"""

import re
from pathlib import Path
from textwrap import wrap

import pytest

from concord.reports.agreement.agreement import rows
from concord.reports.document import as_json
from concord.reports.panel import panel
from concord.reports.panel.choice import CONDITIONS
from concord.samples.load import NAME, RUBRIC
from concord.stats.core import minimums
from concord.stats.statistics import BY_KEY, Statistic
from concord.store import sheets
from concord.store.rubrics import rubric_versions
from tests.support.source import ROOT

PAGE = ROOT / "docs" / "statistics.md"
FROM, TO = "<!-- from concord/stats/statistics.py -->\n", "<!-- end -->"


def written(text: str) -> str:
    """Return the page with the sections as the registry has them."""
    before, rest = text.split(FROM)
    sections = "\n".join(map(_section, BY_KEY.values()))
    return f"{before}{FROM}\n{sections}\n{TO}{rest.split(TO, 1)[1]}"


def _section(statistic: Statistic) -> str:
    bold = re.sub(r"^(\w+):", r"**\1:**", statistic.doc.strip(), flags=re.MULTILINE)
    text = wrap(bold, 120, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"### {statistic.heading}", "", *text, ""])


DOCS = Path(__file__).parent.parent / "docs"
TEXT = (DOCS / "statistics.md").read_text(encoding="utf-8")
# What a row of `agreement --json` calls a figure, where its section has another name.
CALLED = {
    "alt_test": "alt-test",
    "majority_baseline": "majority-class baseline",
}
NO_FIGURES = {"left_out", "simulated_annotators"}
# Terms of docs/figures.md that name no figure but what figures are made of.
WORDS = {
    *("failing", "composite", "continuous", "each", "consensus", "left out", "blind", "cause"),
    *("grading set", "few-shot pool", "evaluation", "held-out test", "variant", "same answers"),
    *("margin", "pilot", "corrected", "cascade", "canary"),
    *("adjudicated", "stated price"),
}


def sections_of(name: str) -> dict[str, str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    found = re.findall(r"^### (.+)\n((?:(?!^##).*\n?)*)", text, flags=re.MULTILINE)
    return dict(found)


SECTIONS, GLOSSARY = sections_of("statistics.md"), sections_of("figures.md")


@pytest.mark.parametrize("name", [name for name in SECTIONS if not name.startswith("how well")])
def test_a_section_has_a_formula_and_a_question_where_the_glossary_has_none(name):
    question, *parts = re.split(r"\*\*(Formula|Valid|Source):\*\* ", SECTIONS[name].strip())
    heads, texts = parts[::2], parts[1::2]
    assert heads[:1] == ["Formula"] and all(texts)
    assert heads == [head for head in ("Formula", "Valid", "Source") if head in heads]
    assert bool(question) is (name not in GLOSSARY)


def test_the_sections_of_statistics_are_what_the_registry_declares():
    assert written(TEXT) == TEXT, "python -m tests.test_docs_statistics"
    assert {one.heading for one in BY_KEY.values()} <= SECTIONS.keys()


def test_every_figure_of_the_agreement_report_has_a_section(sample_store):
    _, rubric = rubric_versions.named(sample_store, RUBRIC)
    sheet = sheets.find(sample_store, NAME)
    row = as_json(rows(panel.read(sample_store, sheet, rubric))[0])
    named = {name for name, value in row.items() if isinstance(value, dict | list)} - NO_FIGURES
    assert {"exact", "ceiling", "alt_test", "worst_case", "ac2"} <= named
    headings = {name: one.heading for name, one in BY_KEY.items()} | CALLED
    missing = {headings.get(name, name.replace("_", " ")) for name in named} - set(SECTIONS)
    assert missing == set()


def test_every_term_that_names_a_figure_has_a_section():
    terms = set(GLOSSARY) - {"When answers were sampled with unequal probability"}
    missing = terms - WORDS - set(SECTIONS)
    assert not missing, f"a section in docs/statistics.md, or a word here: {missing}"
    assert terms >= WORDS


def test_every_emphasised_section_and_every_file_named_is_there():
    named = set(re.findall(r"\*((?:[Ww]ilson|the question|simultaneous)[^*]*)\*", TEXT))
    assert {" ".join(name.lower().split()) for name in named} <= {name.lower() for name in SECTIONS}
    files = re.findall(r"`((?:stats|tests|judges|benchmarks)/[\w./]+)`", TEXT)
    assert files and all((DOCS.parent / name).exists() for name in files)


def test_terms_linked_in_figures_are_there():
    anchors = set(re.findall(r"figures\.md#([\w-]+)", TEXT))
    terms = {name.lower().replace(" ", "-") for name in GLOSSARY}
    assert anchors and anchors <= terms


def test_every_minimum_size_is_in_the_table():
    sizes = {name: value for name, value in vars(minimums).items() if name.isupper()}
    for name, size in sizes.items():
        row = next((line for line in TEXT.splitlines() if f"`{name}`" in line), "")
        assert re.search(rf"\b{size}\b", row), name


def test_no_other_module_states_a_minimum_size():
    folder = DOCS.parent / "concord"
    stated = re.compile(r"^\w*(?:FLOOR|AT_LEAST)\w* = \d+\b(?!\.)", re.MULTILINE)
    found = {
        path.name: stated.findall(path.read_text(encoding="utf-8"))
        for part in ("stats", "reports")
        for path in (folder / part).rglob("*.py")
        if path.stem != "minimums"
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_every_condition_of_a_decision_is_among_the_keys_of_choose():
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    keys = re.search(r"^- `conditions`: (.+?) each with", text, re.MULTILINE | re.DOTALL).group(1)
    assert {*re.findall(r"`(\w+)`", keys)} == {one.key for one in CONDITIONS}


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
