"""What is folded below the agreement; a fold computes what is in it when it is opened."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st

from concord.messages import Said, joined, said
from concord.reports.agreement.agreement_numbers import numbers
from concord.reports.agreement.figure_table import figure_table
from concord.reports.agreement.skipped_analyses import sentence as check_sentence
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.unit_words import said as of_units
from concord.reports.panel.unit_words import singular
from concord.reports.reliability.annotator_warnings import REMEDY
from concord.rubrics.model import Rubric
from concord.ui.cached_reports import Report
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.markdown import plain
from concord.ui.screens.agreement import agreement_table as tables
from concord.ui.screens.agreement import agreement_units, bias_tests, cached_agreement
from concord.ui.screens.agreement.agreement_pick import Choice

_STATISTICS = (*tables.ALL_TERMS, said("worst case"), said("other answering models"))
_STATISTICS += (said("composite"),)


def more(report: Report, choice: Choice, by_model: Sequence[dict], name: str) -> None:
    """The folded parts."""
    found = cached_agreement.agreement_report(report, choice.kind)
    rows = found["rows"]
    if by_model:
        _fold(said("The figures by answering model"), lambda: _models(by_model, name))
    if report.rubric.units:
        unit = singular(report.rubric.plural)
        _fold(
            said("By {unit} and by answer, and errors of the lists", unit=unit),
            lambda: agreement_units.show(report, choice, name),
        )
    _fold(said("Every statistic"), lambda: _statistics(report, choice, name))
    _fold(
        said("Does a judge lean? Leniency, length, halo, its own family"),
        lambda: bias_tests.show(report, choice, name),
    )
    _fold(
        said("May a judge stand in for a person? The alternative annotator test"),
        lambda: _alt_tests(tables.of_criteria(rows), report.rubric, name),
    )
    _fold(
        of_units(
            report.rubric, said("How reliable people are: together, and on answers that came back")
        ),
        lambda: _people(report, found["reliability"], name),
    )
    _fold(
        said("What was left out, and the worst case"), lambda: _left_out(rows, report.rubric, name)
    )
    _fold(
        said("What could not be checked, and what would make it possible"),
        lambda: _not_run(report, choice.kind),
    )
    _fold(said("How it was made"), lambda: _made(rows))


def warned(found: Sequence[dict]) -> None:
    """The warnings about annotators."""
    for one in found:
        told = joined(" ", [one["sentence"], REMEDY])
        st.warning(plain(told), icon=":material/person_alert:")


def uncounted(found: Mapping[str, str]) -> None:
    """Show which annotators do not count, and why."""
    for person, why in found.items():
        st.caption(plain(said("{person} does not count: {why}.", person=person, why=why)))


def reasons(rows: Sequence[dict]) -> None:
    """Why figures or intervals of the table above are missing, each reason once."""
    for missing in tables.undefined(rows):
        st.caption(plain(said("— {why}.", why=missing)))


def _fold(title: Said, inside: Callable[[], None]) -> None:
    """A fold that stays closed without computing anything."""
    with st.expander(say(title), key=f"fold.{title}", on_change="rerun") as fold:
        if fold.open:
            inside()


def _models(by_model: Sequence[dict], name: str) -> None:
    table_of(tables.shown(by_model), f"{name}-by-model", whole=numbers(by_model))
    reasons(by_model)


def _statistics(report: Report, choice: Choice, name: str) -> None:
    """Every statistic of the chosen criterion and of the composite."""
    terms(*_STATISTICS)
    rows = cached_agreement.whole_rows(report, choice.kind)
    for criterion in dict.fromkeys([choice.criterion, COMPOSITE]):
        mine = tables.of_criterion(rows, criterion)
        if mine:
            found = figure_table(mine)
            st.markdown(f"**{plain(tables.titled(report.rubric, criterion))}**")
            table_of(found.lines, f"{name}-{criterion}-statistics", numbers(rows), height="content")
            for why in found.undefined:
                st.caption(plain(said("— {why}.", why=why)))


def _alt_tests(rows: list[dict], rubric: Rubric, name: str) -> None:
    """The tests with their limits; one sentence where none of them could be made."""
    terms("alt-test")
    whys = {test["why_none"] for row in rows for test in row["alt_test"]}
    if len(whys) == 1 and None not in whys:
        st.write(plain(said("Not given: {why}.", why=whys.pop())))
        return
    st.write(
        say(
            "A judge passes where it may replace at least half of the people (omega). Epsilon is "
            "the head start it is given: .2 where people are experts, .15 or .1 where they are "
            "not, 0 for none. The test is generous: with 100 answers a clearly worse judge still "
            "passes at .2 one time in three, so read 0 and .1 too. Ties help the judge on a scale "
            "with few scores. It takes answers as independent; “by question” does not."
        )
    )
    table_of(tables.alt_tests(rows, rubric), f"{name}-alt-test")


def _people(report: Report, repeats: list[dict], name: str) -> None:
    """All people at once, then each of them against their own repeats."""
    terms("alpha", "ac2", "icc", said("among people"), said("repeats"))
    together = cached_agreement.among_people(report)
    whole = pd.json_normalize(together)
    table_of(tables.among_people(together, report.rubric), f"{name}-among-people", whole)
    for why in tables.reasons_of(together):
        st.caption(plain(said("— {why}.", why=why)))
    if repeats:
        table_of(tables.repeats(repeats, report.rubric), f"{name}-repeats")
    else:
        none = said("No answer has come back to a person yet.")
        st.write(say(of_units(report.rubric, none)))


def _left_out(rows: list[dict], rubric: Rubric, name: str) -> None:
    terms(said("left out"), said("worst case"), said("blind"))
    table_of(tables.worst_case(tables.of_criteria(rows), rubric), f"{name}-worst-case")
    lines = tables.left_out(rows, rubric)
    if lines:
        table_of(lines, f"{name}-left-out")
    else:
        nothing = said("Nothing was left out: every answer of the sheet is in every figure.")
        st.write(say(of_units(rubric, nothing)))


def _not_run(report: Report, kind: str) -> None:
    """One line per check, with what would enable it."""
    found = cached_agreement.not_run(report, kind)
    if not found:
        st.write(say("Nothing: every check could be run."))
    for row in found:
        st.markdown(f"- {plain(check_sentence(row, report.rubric))}")


def _made(rows: Sequence[dict]) -> None:
    for row in rows:
        st.code(row["signature"], language=None, wrap_lines=True)
