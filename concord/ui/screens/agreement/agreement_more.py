"""What is folded below the agreement; a fold computes what is in it when it is opened."""

from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from concord.messages import Said, said
from concord.reports.agreement import document
from concord.reports.agreement.results import AgreementRow
from concord.reports.document import Document
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.unit_words import said as of_units
from concord.reports.panel.unit_words import singular
from concord.stats.statistics import STATISTICS
from concord.ui import render
from concord.ui.cached_reports import Report
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.markdown import plain
from concord.ui.screens.agreement import cached_agreement
from concord.ui.screens.agreement.agreement_pick import Choice

_STATISTICS = tuple(dict.fromkeys(one.heading for one in STATISTICS))
_STATISTICS += (said("worst case"), said("other answering models"), said("composite"))
_UNITS = (
    *(said("unit precision"), said("failure recall"), said("by annotators"), said("list errors")),
    said("extraction"),
)


def more(report: Report, choice: Choice, by_model: Sequence[AgreementRow], name: str) -> None:
    """Show the folded parts."""
    found = cached_agreement.agreement_report(report, choice.kind)
    rubric = report.rubric

    def fold(title: Said, make: Callable[[], Document], *words: str) -> None:
        _fold(title, lambda: _shown(make(), name, words))

    if by_model:
        fold(said("The figures by answering model"), lambda: document.figures(by_model, rubric))
    if rubric.units:
        unit = singular(rubric.plural)
        fold(
            said("By {unit} and by answer, and errors of the lists", unit=unit),
            lambda: document.units(cached_agreement.units(report, choice.kind), rubric),
            *_UNITS,
        )
    fold(
        said("Every statistic"),
        lambda: document.statistics(_whole(report, choice), rubric),
        *_STATISTICS,
    )
    _fold(
        said("Does a judge lean? Leniency, length, halo, its own family"),
        lambda: _bias(report, choice, name),
    )
    fold(
        said("May a judge stand in for an annotator? The alternative annotator test"),
        lambda: document.alternative_annotator(_of_criteria(found.rows), rubric),
        "alt-test",
    )
    fold(
        of_units(
            rubric, said("How reliable annotators are: together, and on answers that came back")
        ),
        lambda: document.reliability(
            cached_agreement.among_annotators(report), found.reliability, rubric
        ),
        *("alpha", "ac2", "icc", said("among annotators"), said("repeats")),
    )
    fold(
        said("What was left out, and the worst case"),
        lambda: document.exclusions(_of_criteria(found.rows), rubric),
        *(said("left out"), said("worst case"), said("blind")),
    )
    fold(
        said("What could not be checked, and what would make it possible"),
        lambda: document.skipped(cached_agreement.not_run(report, choice.kind), rubric),
    )
    _fold(said("How it was made"), lambda: _made(found.rows))


def _fold(title: Said, inside: Callable[[], None]) -> None:
    """A fold that stays closed without computing anything."""
    with st.expander(say(title), key=f"fold.{title}", on_change="rerun") as fold:
        if fold.open:
            inside()


def _shown(part: Document, name: str, words: Sequence[str] = ()) -> None:
    """Show a part of the report under the explanations of its terms."""
    if words:
        terms(*words)
    for fact in part.facts:
        st.markdown(f"- {plain(fact)}")
    render.body(part, name)
    if not any(table.rows for table in part.tables) and not part.notes:
        st.write(say("Nothing."))


def _whole(report: Report, choice: Choice) -> list[AgreementRow]:
    """The rows of the chosen criterion and of the composite with every statistic."""
    rows = cached_agreement.whole_rows(report, choice.kind)
    return [row for row in rows if row.criterion in (choice.criterion, COMPOSITE)]


def _of_criteria(rows: Iterable[AgreementRow]) -> list[AgreementRow]:
    return [row for row in rows if row.criterion != COMPOSITE]


def _bias(report: Report, choice: Choice, name: str) -> None:
    """The bias tests of the chosen judge, and which scores it gave on the chosen criterion."""
    every = cached_agreement.bias_rows(report)
    mine = [one for one in every if one.judge == choice.judge]
    if not mine:
        terms(*document.TESTS)
        st.write(say("The baseline is a floor and is not probed. Choose a judge above."))
        return
    among = sum(one.p is not None for one in every)
    part = document.bias(mine, report.rubric, among)
    if not part.facts:
        st.write(say("Nothing stands out."))
    _shown(part, f"{name}-{choice.judge}", document.TESTS)
    (lean,) = (one for one in mine if (one.probe, one.criterion) == ("leniency", choice.criterion))
    given = document.scores_given(lean, report.rubric)
    if given.rows:
        st.caption(say(document.DISTANCE))
    render.show_table(given, name)


def _made(rows: Iterable[AgreementRow]) -> None:
    for row in rows:
        st.code(row.signature, language=None, wrap_lines=True)
