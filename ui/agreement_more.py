"""What is folded below the agreement; a fold computes what is in it when it is opened."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from reports.checks import sentence as check_sentence
from reports.figure_table import figure_table
from reports.panel import COMPOSITE
from reports.unit_words import said, singular
from rubrics.model import Rubric
from ui import agreement_probes, agreement_units
from ui import agreement_table as tables
from ui.agreement_pick import Choice
from ui.markdown import plain
from ui.report import Report
from ui.terms import sentence
from ui.widgets import table

_STATISTICS = (
    *("kappa", "linear kappa", "qwk", "ac1", "ac2", "alpha", "icc", "ccc", "spearman", "tau-b"),
    *("pearson", "mae", "rmse", "worst case", "other answering models", "composite"),
)


def terms(*names: str) -> None:
    """The explanations of some terms, one click away."""
    with st.popover("What the words mean", icon=":material/help:"):
        for name in names:
            st.markdown(f"**{name}** · {sentence(name)}")


def more(report: Report, choice: Choice, by_model: Sequence[dict], name: str) -> None:
    """The folded parts."""
    found = report.agreement(choice.kind)
    rows = found["rows"]
    if by_model:
        _fold("The figures by answering model", lambda: _models(by_model, name))
    if report.rubric.units:
        _fold(
            f"By {singular(report.rubric.plural)} and by answer, and errors of the lists",
            lambda: agreement_units.show(report, choice, name),
        )
    _fold("Every statistic", lambda: _statistics(report, choice, name))
    _fold(
        "Does a judge lean? Leniency, length, halo, its own family",
        lambda: agreement_probes.show(report, choice, name),
    )
    _fold(
        "May a judge stand in for a person? The alternative annotator test",
        lambda: _alt_tests(tables.of_criteria(rows), report.rubric, name),
    )
    _fold(
        said(report.rubric, "How reliable people are: together, and on answers that came back"),
        lambda: _people(report, found["reliability"], name),
    )
    _fold("What was left out, and the worst case", lambda: _left_out(rows, report.rubric, name))
    _fold(
        "What could not be checked, and what would make it possible",
        lambda: _not_run(report, choice.kind),
    )
    _fold("How it was made", lambda: _made(rows))


def uncounted(found: dict) -> None:
    """Who has graded and does not count, and why."""
    for person, why in found["uncounted"].items():
        st.caption(plain(f"{person} does not count: {why}."))


def reasons(rows: Sequence[dict]) -> None:
    """Why figures or intervals of the table above are missing, each reason once."""
    for missing in tables.undefined(rows):
        st.caption(plain(f"— {missing}."))


def _fold(title: str, inside: Callable[[], None]) -> None:
    """A fold that stays closed without computing anything."""
    with st.expander(title, key=f"fold.{title}", on_change="rerun") as fold:
        if fold.open:
            inside()


def _models(by_model: Sequence[dict], name: str) -> None:
    table(tables.shown(by_model), f"{name}-by-model", whole=tables.numbers(by_model))
    reasons(by_model)


def _statistics(report: Report, choice: Choice, name: str) -> None:
    """Every statistic of the chosen criterion and of the composite."""
    terms(*_STATISTICS)
    rows = report.whole_rows(choice.kind)
    for criterion in dict.fromkeys([choice.criterion, COMPOSITE]):
        mine = tables.of_criterion(rows, criterion)
        if mine:
            found = figure_table(mine)
            st.markdown(f"**{plain(tables.titled(report.rubric, criterion))}**")
            lines = tables.frame(found.lines)
            whole = tables.numbers(rows)
            table(lines, f"{name}-{criterion}-statistics", whole, height="content")
            for why in found.undefined:
                st.caption(plain(f"— {why}."))


def _alt_tests(rows: list[dict], rubric: Rubric, name: str) -> None:
    """The tests with their limits; one sentence where none of them could be made."""
    terms("alt-test")
    whys = {test["why_none"] for row in rows for test in row["alt_test"]}
    if len(whys) == 1 and None not in whys:
        st.write(plain(f"Not given: {whys.pop()}."))
        return
    st.write(
        "A judge passes where it may replace at least half of the people (omega). Epsilon is the "
        "head start it is given: .2 where people are experts, .15 or .1 where they are not, 0 for "
        "none. The test is generous: with 100 answers a clearly worse judge still passes at .2 one "
        "time in three, so read 0 and .1 too. Ties help the judge on a scale with few scores. It "
        "takes answers as independent; “by question” does not."
    )
    table(tables.alt_tests(rows, rubric), f"{name}-alt-test")


def _people(report: Report, repeats: list[dict], name: str) -> None:
    """All people at once, then each of them against their own repeats."""
    terms("alpha", "ac2", "icc", "among people", "repeats")
    together = report.among_people()
    whole = pd.json_normalize(together)
    table(tables.among_people(together, report.rubric), f"{name}-among-people", whole)
    for why in tables.reasons_of(together):
        st.caption(plain(f"— {why}."))
    if repeats:
        table(tables.repeats(repeats, report.rubric), f"{name}-repeats")
    else:
        st.write(said(report.rubric, "No answer has come back to a person yet."))


def _left_out(rows: list[dict], rubric: Rubric, name: str) -> None:
    terms("left out", "worst case", "blind")
    table(tables.worst_case(tables.of_criteria(rows), rubric), f"{name}-worst-case")
    frame = tables.left_out(rows, rubric)
    if len(frame):
        table(frame, f"{name}-left-out")
    else:
        nothing = "Nothing was left out: every answer of the sheet is in every figure."
        st.write(said(rubric, nothing))


def _not_run(report: Report, kind: str) -> None:
    """One line per check, with what would enable it."""
    found = report.not_run(kind)
    if not found:
        st.write("Nothing: every check could be run.")
    for row in found:
        st.markdown(f"- {plain(check_sentence(row, report.rubric))}")


def _made(rows: Sequence[dict]) -> None:
    for row in rows:
        st.code(row["signature"], language=None, wrap_lines=True)
