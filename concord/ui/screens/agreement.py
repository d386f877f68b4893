"""Agreement: the choice of a judge, its rows, and analyses in tabs, listed in `DETAILS`."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import NamedTuple

import streamlit as st

from concord.definitions import digest
from concord.messages import Problem, capital, counted, said, spoken
from concord.model import BASELINE, Grader
from concord.reports import segments
from concord.reports.agreement import (
    agreement,
    bias_tests,
    confusion,
    rows,
    unit_agreement,
)
from concord.reports.agreement import document as tables
from concord.reports.agreement.agreement import with_best
from concord.reports.agreement.bias_tests import BiasTest, lengths
from concord.reports.agreement.charts import best_first, chart, charted, is_mean, looks
from concord.reports.agreement.columns import FAILING, FIGURES, FURTHER, ORDERED, head
from concord.reports.agreement.confusion import AnswerGrades, Confusion, GraderScore, answer_grades
from concord.reports.agreement.page import page, worst
from concord.reports.agreement.rows import AgreementRow, Ceiling
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.cells import scores
from concord.reports.charts import graders
from concord.reports.document import Document
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH, MEAN
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.unit_words import (
    how_many,
    of_rubric,
    score,
)
from concord.reports.probabilities import judge_probabilities as probabilities
from concord.reports.reliability import panel_reliability, test_retest
from concord.reports.reliability.test_retest import AnnotatorRetest
from concord.stats.core.estimate import Estimate, Statistics
from concord.stats.reliability.alt_test import AltTest
from concord.stats.statistics import BY_KEY
from concord.store import graders as graders_of
from concord.store import grades, items
from concord.store.database import Store
from concord.ui import render
from concord.ui.cached_reports import Report, open_alerts
from concord.ui.caching import kept
from concord.ui.chart import show_chart, show_charts
from concord.ui.frame import filters, offer_download, recall, remember
from concord.ui.language import plain, say, word
from concord.ui.looker import agreed, looker, opened
from concord.ui.markup import LOOK, answer_text, comparison, grade_cell, listed, table
from concord.ui.sign_in import own_store
from concord.ui.widgets import TO_JUDGES, empty, select, switch, terms

REFERENCES = {EACH: said("Each annotator"), CONSENSUS: said("Consensus")}


class AgreementChoice(NamedTuple):
    """Selection on the screen: a judge's label, a criterion, a kind of reference."""

    judge: str
    criterion: str
    kind: str


def pick(found: Report) -> AgreementChoice:
    """The pickers; the best judge and its heaviest criterion to begin with."""
    judges = {label: found.people.judges[i] for i, label in found.people.labels.items()}
    criteria = found.rubric.headings()
    with filters():
        judge = select(
            say("Judge"),
            "judge",
            {label: named(label, judge.simulated) for label, judge in judges.items()},
            found.best() or min(judges, key=lambda label: judges[label].kind == "metric"),
        )
        criterion = select(say("Criterion"), "criterion", criteria, _heaviest(found, judge))
        kind = switch(say("Compared with"), "reference", REFERENCES)
    return AgreementChoice(judge, criterion, kind)


def _heaviest(found: Report, judge: str) -> str:
    """The criterion with the largest weight of those that a judge graded, else of all."""
    judge_id = found.judge_id(judge)
    names = [one.name for one in found.rubric.by_weight()]
    graded = (name for name in names if (name, judge_id) in found.on(name).marks)
    return next(graded, names[0])


_SHAPES = (AgreementRow, Ceiling, Estimate, Statistics, AltTest)


@kept(said("Comparing judges with annotators…"))
def of_criterion(report: Report, kind: str, criterion: str) -> list[AgreementRow]:
    """The rows of a criterion, or of the composite, under a kind of reference."""

    def computed() -> list[AgreementRow]:
        panel = report.on(criterion)
        return with_best(panel, kind, rows.rows(panel, kind, [criterion]))

    return report.lasting(("agreement_rows", kind, criterion), _SHAPES, computed)


def every_row(report: Report, kind: str) -> list[AgreementRow]:
    """The rows of all criteria and of the composite, judge after judge, in the report's order."""
    criteria = report.people.criteria
    found = [row for name in criteria for row in of_criterion(report, kind, name)]
    order = {label: place for place, label in enumerate(report.people.labels.values())}
    # A judge of the same name that came in meanwhile changes labels: the old one is last then.
    last = len(order)
    return sorted(found, key=lambda row: (order.get(row.judge, last), row.reference == MEAN))


def criterion_rows(report: Report, kind: str) -> list[AgreementRow]:
    """The same rows without those of the composite."""
    return [row for row in every_row(report, kind) if row.criterion != COMPOSITE]


@kept()
def without_alerted(report: Report, row: AgreementRow) -> AgreementRow | None:
    """A row without the annotators who have an open alert; None where nobody has."""
    return agreement.without_alerted(report.on(row.criterion), open_alerts(report), row)


@kept(most=48)
def confusion_table(report: Report, judge: int, criterion: str, kind: str) -> confusion.Confusion:
    """The confusion table of one judge."""
    return confusion.confusion(report.on(criterion), judge, criterion, kind)


_FIGURE_TERMS = (
    *(BY_KEY[key].heading for key in (*FIGURES[ORDERED], *FURTHER, *FAILING)),
    *("ceiling", "majority-class baseline", "baseline", "each", "consensus", "left out"),
)


def rows_of(report: Report, choice: AgreementChoice) -> tuple[list[AgreementRow], AgreementRow]:
    """The rows of the chosen criterion, and that of the chosen judge; None if it has none."""
    rows = of_criterion(report, choice.kind, choice.criterion)
    mine = [row for row in rows if row.judge == choice.judge]
    # A mean's row comes after that of the annotators, and stands alone where none of them graded.
    return rows, next((row for row in mine if row.n), mine[0] if mine else None)


def _page(panel: Panel, judge_id: int, person: Grader | None, *parts) -> str:
    """The page to hand round; who downloads it has seen its answers."""
    with own_store() as store:
        opened(store, worst(panel, judge_id, parts[1]), person)
        return page(store, panel, *parts)


def figures(report: Report, choice: AgreementChoice, name: str) -> None:
    """A chart of a figure of every judge on the criterion, and the tables."""
    rows, chosen = rows_of(report, choice)
    drawn = {key: capital(head(key, report.rubric)) for key in charted(chosen, report.rubric)}
    hidden = {"key": f"pick.figure.{digest([*drawn])}", "label_visibility": "collapsed"}
    with st.container(horizontal=True):
        key = switch("Chart shows", "figure", drawn, **hidden)
        terms(*_FIGURE_TERMS)
    if not all(map(is_mean, rows)):
        show_chart(chart(rows, report.rubric, key, looks(report.people)), name)
    known = recall("grader") in [one.name for one in report.people.annotators.values()]
    person = graders_of.find(report.store, "person", recall("grader")) if known else None
    parts = rows, chosen, open_alerts(report), without_alerted(report, chosen)
    whole = partial(_page, report.on(choice.criterion), report.judge_id(choice.judge), person)
    offer_download(partial(whole, *parts), f"{name}.html", "text/html")
    render.body(tables.figures(best_first(rows, key), report.rubric), name, in_full=True)


PAGE = 5


def answers(store: Store, panel: Panel, judge_id: int, criterion: str, item_ids: list[int]) -> None:
    """The answers, a page at a time; that they were opened is noted, and by whom where known."""
    person = looker(store)
    if not agreed(store, person):
        return
    st.html(LOOK)
    pages = items.pages(len(item_ids), PAGE)
    key = f"cell_answers.{judge_id}.{criterion}.{item_ids[0]}.{len(item_ids)}"
    number = st.pagination(pages, key=key) if pages > 1 else 1
    shown = item_ids[PAGE * (number - 1) : PAGE * number]
    for one in answer_grades(store, panel, judge_id, shown):
        grades.open_item(store, one.stored.id, person.id if person else None)
        answer(one, criterion)


def answer(one: AnswerGrades, criterion: str) -> None:
    """One answer with the scores and reasons of its judges and annotators, a criterion first."""
    item = one.stored.item
    by = say("Answer by {model}", model=item.answer_model) if item.answer_model else say("Answer")
    with st.container(border=True):
        st.html(comparison(answer_text(item.question, by, item.answer), _grades(one, criterion)))
        if item.contexts or item.reference or item.turns:
            title = say("Contexts ({n})", n=len(item.contexts))
            with st.expander(title, key=f"contexts.{one.stored.id}"):
                parts = [(say("Earlier turns"), item.conversation)] if item.turns else []
                parts += [(say("Context {n}", n=of.rank), of.text) for of in item.contexts]
                parts += [(say("Reference answer"), text) for text in item.reference]
                st.html(listed(parts))


def _grades(one: AnswerGrades, criterion: str) -> str:
    """Scores and reasons: a column per grader, the chosen criterion first."""
    everything = (*one.judge, *one.annotators)
    who = list(dict.fromkeys((given.grader, given.simulated) for given in everything))
    criteria = list(dict.fromkeys(given.criterion for given in everything))
    criteria.sort(key=lambda name: name != criterion)
    by = {(given.grader, given.criterion): given for given in everything}
    rows = (
        f'<tr class="{"chosen" if name == criterion else ""}">'
        f"<th>{escape(word(spoken(name)))}</th>"
        + "".join(_cell(by.get((grader, name))) for grader, _ in who)
        + "</tr>"
        for name in criteria
    )
    heads = (word(named(name, simulated)) for name, simulated in who)
    return table(say("Grades"), (say("criterion"), *heads), rows)


def _cell(given: GraderScore | None) -> str:
    again = given.again if given else ()
    return grade_cell(given, say("repeats: {scores}", scores=scores(again)) if again else "")


def shown(part: Document, name: str, words: Sequence[str] = ()) -> None:
    """Show a part of the report under the explanations of its terms."""
    if words:
        terms(*words)
    render.body(part, name, in_full=True)
    if not any(table.rows for table in part.tables) and not part.notes:
        st.write(say("Nothing."))


_CLOSED = "none"


def confusion_pick(found: Report, judge: str, criterion: str, kind: str) -> tuple[int, int] | None:
    """The heat map and a list of its cells; the chosen cell as (annotator's, judge's score)."""
    if found.on(criterion).is_continuous(criterion, found.judge_id(judge)):
        return None  # numbers have no cells
    table = confusion_table(found, found.judge_id(judge), criterion, kind)
    cells = _cells(table)
    if not cells:
        st.write("No answer has scores of the scale from both an annotator and this judge.")
        return None
    key = f"cell.{found.sheet.id}.{criterion}.{judge}"
    options = [_CLOSED, *cells]
    wanted = recall("cell")
    if key not in st.session_state:
        st.session_state[key] = wanted if wanted in options else _CLOSED
    elif st.session_state[key] not in options:
        st.session_state[key] = _CLOSED
    times = st.session_state.setdefault(f"{key}.times", 0)
    chart, name = confusion.matrix(table, judge), f"confusion-{judge}-{criterion}-{times}"
    show_chart(
        chart,
        name,
        {"dark": st.context.theme.type == "dark"},
        on_select=lambda: _clicked(key, f"figure.{name}-{chart.name}", options),
        selection_mode="points",
    )
    chosen = st.selectbox(
        say("Read the answers of a cell"),
        options,
        format_func=lambda cell: cells.get(cell, say("Click a cell, or choose one here")),
        key=key,
        # A new key clears the chart's selection, which Streamlit offers no other way to reset.
        on_change=lambda: st.session_state.update({f"{key}.times": times + 1}),
    )
    remember(cell=None if chosen == _CLOSED else chosen)
    return None if chosen == _CLOSED else _scores(chosen)


def cell_answers(store, found: Report, judge: str, criterion: str, kind: str, cell) -> None:
    """The answers of a cell, with both reasons side by side."""
    judge_id = found.judge_id(judge)
    item_ids = confusion.cell(found.on(criterion), judge_id, criterion, *cell, kind)
    if not item_ids:
        st.caption(say("This cell no longer contains any answers."))
        return
    units = of_rubric(found.rubric)
    given = zip(("annotator", judge), (score(units, one) for one in cell), strict=True)
    title = f"{counted(len(item_ids), 'answer')}: {', '.join(map(' '.join, given))}"
    st.subheader(plain(title), anchor=False)
    if units or cell[0] != cell[1]:
        link = _link(found, judge, criterion, cell)
        if units:
            link |= {"list": "claims", "criterion": found.rubric.name}
        label = "Review them one by one"
        st.page_link("pages/review.py", label=label, icon=":material/checklist:", query_params=link)
    if units:
        return
    answers(store, found.on(criterion), judge_id, criterion, item_ids)


def _link(found: Report, judge: str, criterion: str, cell: tuple[int, int]) -> dict[str, str]:
    """Return the URL parameters of the matching disagreements list."""
    looking = {"grader": one} if (one := recall("grader")) else {}
    return looking | {
        "sheet": found.sheet.name,
        "rubric": found.rubric.name,
        "judge": judge,
        "criterion": criterion,
        "cell": f"{cell[0]}:{cell[1]}",
    }


def _cells(table: Confusion) -> dict[str, str]:
    """Return the list entry of each non-empty cell, the worst disagreement first."""
    held = table.counts()
    ordered = sorted(held, key=lambda cell: (-abs(cell[0] - cell[1]), cell))
    return {
        f"{person}:{judge}": say(
            "annotator {person}, judge {judge}: {count}",
            person=score(table.units, person),
            judge=score(table.units, judge),
            count=how_many(table.units, count),
        )
        for (person, judge), count in ((cell, held[cell]) for cell in ordered)
    }


def _clicked(key: str, chart: str, options: list[str]) -> None:
    """Turn a click on the heat map into a choice in the list."""
    for point in st.session_state[chart].selection.points[:1]:
        cell = f"{point['y']}:{point['x']}"
        if cell in options:
            st.session_state[key] = cell


def _scores(cell: str) -> tuple[int, int]:
    person, judge = cell.split(":")
    return int(person), int(judge)


def confusion_matrix(report: Report, choice: AgreementChoice, name: str) -> None:
    """The confusion matrix, and the answers of the chosen cell."""
    judge, criterion, kind = choice
    cell = confusion_pick(report, judge, criterion, kind)
    if cell:
        cell_answers(report.store, report, judge, criterion, kind, cell)


_PURPOSE = said(
    "Add a decision model, or set logprobs = true in the file of a chat judge, or repeat a judge."
)


@kept(said("Comparing confidence with agreement…"))
def _rows(report: Report, criterion: str, kind: str) -> tuple[dict, ...]:
    """The confidence of every judge with probabilities on a criterion."""
    given = probabilities.read(report.store, report.panel, criterion)
    return probabilities.report(report.panel, given, criterion, kind)


def confidence(report: Report, choice: AgreementChoice, name: str) -> None:
    """The chosen judge's confidence against agreement, and the figures of all judges."""
    rows = _rows(report, choice.criterion, choice.kind)
    if not rows:
        empty("No judge gave probabilities here", _PURPOSE, *TO_JUDGES)
        return
    judges = [row["judge"] for row in rows]
    judge = choice.judge if choice.judge in judges else judges[0]
    if judge != choice.judge:
        st.caption(plain(f"{choice.judge} gave none; shown: {judge}"))
    panel = report.panel
    look = graders((panel.labels[i], one.name == BASELINE) for i, one in panel.judges.items())
    found = probabilities.document(rows, judge, report.rubric, look)
    name = f"{name}-{choice.criterion}-{judge}"
    render.head(found, folded=True)
    terms(*probabilities.TERMS)
    show_charts(found, name)
    render.body(found, name, in_full=True)


_SEGMENT_KEYS = segments.STATISTICS
_SEGMENT_TERMS = (said("by segment"), *(BY_KEY[key].heading for key in _SEGMENT_KEYS))


@kept()
def _columns(report: Report) -> list[str]:
    """The columns by which the sheet may be segmented."""
    return segments.columns(report.store, report.sheet)


@kept(said("Comparing segments…"))
def _by_column(found: Report, column: str, kind: str, criterion: str, judge: int):
    """The agreement by a column of one judge on one criterion."""
    by = segments.compared(found.store, found.sheet, column)
    return segments.agreement(found.on(criterion), by, kind, criterion, judge)


def by_column(report: Report, choice: AgreementChoice, name: str) -> None:
    """Agreement by any column of the sheet, of the chosen judge and criterion."""
    columns = {one: segments.FIELDS.get(one, one) for one in _columns(report)}
    figures = {key: capital(BY_KEY[key].head) for key in _SEGMENT_KEYS}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = select(said("Column"), "by", columns, next(iter(columns)))
        key = select(said("Statistic"), "by_figure", figures, *_SEGMENT_KEYS[:1] * 2)
        terms(*_SEGMENT_TERMS)
    try:
        judge = report.judge_id(choice.judge)
        found = _by_column(report, column, choice.kind, choice.criterion, judge)
    except Problem as problem:
        st.warning(plain(str(problem)))
        return
    part = segments.agreement_document(found, report.rubric, [key])
    render.show(part, f"{name}-{choice.judge}", folded=True, in_full=True)


_UNIT_TERMS = (said("by annotators"), said("list errors"), said("extraction"))


@kept(said("Computing metrics from annotators' labels…"))
def _agreement(report: Report, kind: str) -> UnitAgreement:
    """Unit agreement beyond the rows; only of a rubric of units."""
    return unit_agreement.report(report.store, report.panel)


def units(report: Report, choice: AgreementChoice, name: str) -> None:
    """Unit agreement: failing verdicts, metrics per answer, and the errors of the lists."""
    shown(
        tables.units_document(_agreement(report, choice.kind), report.rubric),
        name,
        _UNIT_TERMS,
    )


_TESTS = tuple(title for title, _ in bias_tests.TESTS.values())


@kept(said("Testing the judges for bias…"))
def bias_rows(report: Report) -> list[BiasTest]:
    """Return every bias test of every judge."""
    return bias_tests.run(report.panel, lengths(report.store, report.panel))


def bias(report: Report, choice: AgreementChoice, name: str) -> None:
    """Bias tests of the chosen judge, and which scores it gave on the chosen criterion."""
    every = bias_rows(report)
    mine = [one for one in every if one.judge == choice.judge]
    if not mine:
        terms(*_TESTS)
        st.write("The text model is not tested for bias.")
        return
    among = sum(one.p is not None for one in every)
    part = tables.bias(mine, report.rubric, among)
    shown(part, f"{name}-{choice.judge}", _TESTS)
    (lean,) = (one for one in mine if (one.probe, one.criterion) == ("leniency", choice.criterion))
    given = tables.scores_given(lean, report.rubric)
    if given.rows:
        with st.expander("Scores given"):
            st.caption(tables.DISTANCE)
            render.show_table(given, name, in_full=True)


def alternative_annotator(report: Report, choice: AgreementChoice, name: str) -> None:
    """The alternative annotator test of every judge."""
    every = criterion_rows(report, choice.kind)
    shown(tables.alternative_annotator(every, report.rubric), name, ("alt-test",))


def exclusions(report: Report, choice: AgreementChoice, name: str) -> None:
    """Exclusions from the figures, and the worst case for them."""
    words = said("left out"), said("worst case"), said("blind")
    shown(
        tables.exclusions(criterion_rows(report, choice.kind), report.rubric),
        name,
        words,
    )


def provenance(report: Report, choice: AgreementChoice, name: str) -> None:
    """Provenance of the chosen judge's rows, one line each."""
    mine = [row for row in every_row(report, choice.kind) if row.judge == choice.judge]
    for row in mine:
        st.code(say(row.signature), language=None, wrap_lines=True)


_RELIABILITY_TERMS = ("alpha", "ac2", said("among annotators"), said("repeats"))


@kept(said("Comparing annotators…"))
def _among_annotators(report: Report) -> list[panel_reliability.PanelReliability]:
    """The inter-rater reliability of all annotators, one row per criterion."""
    return panel_reliability.rows(report.panel)


@kept()
def _repeats(report: Report) -> list[AnnotatorRetest]:
    """Each annotator's test-retest reliability."""
    return test_retest.of_annotators(report.panel)


def reliability(report: Report, choice: AgreementChoice, name: str) -> None:
    """Reliability of the annotators: together, and on answers that they graded twice."""
    found = tables.reliability(_among_annotators(report), _repeats(report), report.rubric)
    shown(found, name, _RELIABILITY_TERMS)


class Detail(NamedTuple):
    """One tab of the screen.

    Attributes:
        title: What the tab is called.
        show: Shows its parts in turn; the text begins the names of its downloads.
        applies: Tells if it is offered for a report and a choice.
        key: A choice in it that the URL keeps; a link with it opens the tab.
    """

    title: str
    show: tuple[Callable[[Report, AgreementChoice, str], None], ...]
    applies: Callable[[Report, AgreementChoice], bool] = lambda report, choice: True
    key: str = ""


def _grades_answers(report: Report, choice: AgreementChoice) -> bool:
    return not report.rubric.units


def _grades_units(report: Report, choice: AgreementChoice) -> bool:
    return bool(report.rubric.units)


DETAILS = {
    "figures": Detail("Figures", (figures, confusion_matrix), key="cell"),
    "confidence": Detail("Confidence", (confidence,), _grades_answers),
    "columns": Detail("By column", (by_column,), key="by"),
    "units": Detail("Units", (units,), _grades_units),
    "bias": Detail("Bias", (bias,)),
    "reliability": Detail("Reliability", (reliability, alternative_annotator)),
    "exclusions": Detail("Exclusions", (exclusions, provenance)),
}


def details(report: Report, choice: AgreementChoice, name: str) -> None:
    """Show the tabs that apply; only the open one is computed."""
    every = {key: one for key, one in DETAILS.items() if one.applies(report, choice)}
    linked = [key for key, one in every.items() if one.key and recall(one.key) is not None]
    if linked and recall("detail") is None:
        remember(detail=linked[0])
    tabs = {key: one.title for key, one in every.items()}
    hidden = {"key": f"pick.detail.{digest([*tabs])}", "label_visibility": "collapsed"}
    for show in every[switch("Details", "detail", tabs, "figures", **hidden)].show:
        show(report, choice, name)
