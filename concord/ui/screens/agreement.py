"""Agreement: the choice of a judge, its rows, and analyses in tabs, listed in `DETAILS`."""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import NamedTuple

import streamlit as st

from concord.definitions import digest
from concord.messages import Problem, capital, counted, spoken
from concord.model import Grader
from concord.reports import segments
from concord.reports.agreement import agreement, bias_tests
from concord.reports.agreement import document as tables
from concord.reports.agreement import judge_probabilities as probabilities
from concord.reports.agreement.agreement import AgreementRow
from concord.reports.agreement.document import (
    ORDERED,
    TABLES,
    AnswerGrades,
    GraderScore,
    best_first,
    chart,
    charted,
    head,
    is_mean,
    looks,
    page,
    worst,
)
from concord.reports.cells import scores
from concord.reports.charts import Matrix
from concord.reports.document import Document
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.wording import how_many, named, score, words
from concord.reports.reliability.reliability import inter_rater, test_retest
from concord.stats.statistics import BY_KEY
from concord.store import graders as graders_of
from concord.store import grades, items
from concord.store.database import Store
from concord.ui import render
from concord.ui.caching import kept
from concord.ui.chart import show_chart, show_charts
from concord.ui.frame import filters, offer_download, recall, remember
from concord.ui.language import plain, say, word
from concord.ui.looker import agreed, looker, opened
from concord.ui.markup import LOOK, answer_text, comparison, grade_cell, listed, table
from concord.ui.reports import Report, open_alerts
from concord.ui.sign_in import own_store
from concord.ui.widgets import TO_JUDGES, empty, select, switch, terms

REFERENCES = {EACH: "Each annotator", CONSENSUS: "Consensus"}
PAGE = 5


class AgreementChoice(NamedTuple):
    """Selection on the screen: a judge's label, a criterion, a kind of reference."""

    judge: str
    criterion: str
    kind: str


def pick(found: Report) -> AgreementChoice:
    """The pickers; the best judge and the heaviest criterion that it graded to begin with."""
    judges = {label: found.panel.judges[i] for i, label in found.panel.labels.items()}
    with filters():
        judge = select(
            "Judge",
            "judge",
            {label: named(label, judge.simulated) for label, judge in judges.items()},
            found.best() or min(judges, key=lambda label: judges[label].kind == "metric"),
        )
        names, judge_id = [one.name for one in found.rubric.by_weight()], judges[judge].id
        graded = (name for name in names if (name, judge_id) in found.panel.marks)
        first = next(graded, names[0])
        criterion = select("Criterion", "criterion", found.rubric.headings(), first)
        kind = switch("Compared with", "reference", REFERENCES)
    return AgreementChoice(judge, criterion, kind)


@kept("Comparing judges with annotators…")
def of_criterion(report: Report, kind: str, criterion: str) -> list[AgreementRow]:
    """The rows of a criterion, or of the composite, under a kind of reference."""
    panel = report.panel
    return agreement.with_best(panel, kind, agreement.rows(panel, kind, [criterion]))


def every_row(report: Report, kind: str) -> list[AgreementRow]:
    """The rows of all criteria but the composite."""
    criteria = (name for name in report.panel.criteria if name != COMPOSITE)
    return [row for name in criteria for row in of_criterion(report, kind, name)]


@kept()
def without_alerted(report: Report, row: AgreementRow) -> AgreementRow | None:
    """A row without the annotators who have an open alert; None where nobody has."""
    return agreement.without_alerted(report.panel, open_alerts(report), row)


def rows_of(report: Report, choice: AgreementChoice) -> tuple[list[AgreementRow], AgreementRow]:
    """The rows of the chosen criterion, and that of the chosen judge; None if it has none."""
    rows = of_criterion(report, choice.kind, choice.criterion)
    mine = [row for row in rows if row.judge == choice.judge]
    # A mean's row comes after that of the annotators, and stands alone where none of them graded.
    return rows, next((row for row in mine if row.n), mine[0] if mine else None)


def figures(report: Report, choice: AgreementChoice, name: str) -> None:
    """A chart of a figure of every judge on the criterion, and the tables."""
    rows, chosen = rows_of(report, choice)
    drawn = {key: capital(head(key, report.rubric)) for key in charted(chosen, report.rubric)}
    with filters():
        key = select("Figure", "figure", drawn, next(iter(drawn)), next(iter(drawn)))
    if not all(map(is_mean, rows)):
        show_chart(chart(rows, report.rubric, key, looks(report.panel)), name)
    known = recall("grader") in [one.name for one in report.panel.annotators.values()]
    person = graders_of.find(report.store, "person", recall("grader")) if known else None
    parts = rows, chosen, open_alerts(report), without_alerted(report, chosen)
    panel, judge = report.panel, report.judge_id(choice.judge)
    offer_download(partial(_page, panel, judge, person, *parts), f"{name}.html", "text/html")
    render.body(tables.figures(best_first(rows, key), report.rubric), name)


def _page(panel: Panel, judge_id: int, person: Grader | None, *parts) -> str:
    """The page to hand round; who downloads it has seen its answers."""
    with own_store() as store:
        opened(store, worst(panel, judge_id, parts[1]), person)
        return page(store, panel, *parts)


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
    for one in tables.answer_grades(store, panel, judge_id, shown):
        grades.open_item(store, one.stored.id, person.id if person else None)
        answer(one, criterion)


def answer(one: AnswerGrades, criterion: str) -> None:
    """One answer with the scores and reasons of its judges and annotators, a criterion first."""
    item = one.stored.item
    by = say("Answer by {model}", model=item.answer_model) if item.answer_model else say("Answer")
    with st.container(border=True):
        st.html(comparison(answer_text(item.question, by, item.answer), _grades(one, criterion)))
        if item.contexts or item.reference or item.turns:
            title = f"Contexts ({len(item.contexts)})"
            with st.expander(title, key=f"contexts.{one.stored.id}"):
                parts = [("Earlier turns", item.conversation)] if item.turns else []
                parts += [(f"Context {of.rank}", of.text) for of in item.contexts]
                parts += [("Reference answer", text) for text in item.reference]
                st.html(listed(parts))


def _grades(one: AnswerGrades, criterion: str) -> str:
    """Scores and reasons: a column per grader, the chosen criterion first."""
    everything = (*one.judge, *one.annotators)
    who = dict.fromkeys((given.grader, given.simulated) for given in everything)
    criteria = dict.fromkeys(given.criterion for given in everything)
    by = {(given.grader, given.criterion): given for given in everything}

    def cell(given: GraderScore | None) -> str:
        again = given.again if given else ()
        return grade_cell(given, f"repeats: {scores(again)}" if again else "")

    lines = (
        f'<tr class="{"chosen" if name == criterion else ""}">'
        f"<th>{escape(word(spoken(name)))}</th>"
        + "".join(cell(by.get((grader, name))) for grader, _ in who)
        + "</tr>"
        for name in sorted(criteria, key=lambda name: name != criterion)
    )
    heads = (word(named(name, simulated)) for name, simulated in who)
    return table("Grades", ("criterion", *heads), lines)


def shown(part: Document, name: str) -> None:
    """Show a part of the report."""
    render.body(part, name)
    if not any(table.rows for table in part.tables) and not part.notes:
        st.write("Nothing.")


_NO_CELLS = "No answer has scores of the scale from both an annotator and this judge."


@kept(most=48)
def _matrix(report: Report, judge: int, criterion: str, kind: str) -> Matrix:
    """The confusion matrix of one judge."""
    return tables.confusion(report.panel, judge, criterion, kind)


def confusion_matrix(report: Report, choice: AgreementChoice, name: str) -> None:
    """The confusion matrix and a list of its cells, and the answers of the chosen one."""
    judge, criterion, kind = choice
    panel, judge_id = report.panel, report.judge_id(judge)
    if panel.is_continuous(criterion, judge_id):
        st.write(_NO_CELLS)
        return
    chart, units = _matrix(report, judge_id, criterion, kind), words(report.rubric)
    counts = {
        (person, given): n
        for person, line in zip(chart.scale, chart.counts, strict=True)
        for given, n in zip(chart.scale, line, strict=True)
        if n
    }
    ordered = sorted(counts, key=lambda cell: (-abs(cell[0] - cell[1]), cell))  # the worst first
    cells = {
        f"{cell[0]}:{cell[1]}": (
            f"annotator {score(units, cell[0])}, judge {score(units, cell[1])}: "
            f"{how_many(units, counts[cell])}"
        )
        for cell in ordered
    }
    if not cells:
        st.write(_NO_CELLS)
        return
    key, options = f"cell.{report.sheet.id}.{criterion}.{judge}", [None, *cells]
    if st.session_state.setdefault(key, recall("cell")) not in options:
        st.session_state[key] = None
    chart_name = f"confusion-{judge}-{criterion}"

    def clicked() -> None:
        """Turn a click on the heat map into a choice in the list."""
        for point in st.session_state[f"figure.{chart_name}-{chart.name}"].selection.points[:1]:
            if (cell := f"{point['y']}:{point['x']}") in cells:
                st.session_state[key] = cell

    picked = {"on_select": clicked, "selection_mode": "points", "width": "content"}
    show_chart(chart, chart_name, **picked)
    chosen = st.selectbox(
        "Answers of a cell", options, format_func=lambda cell: cells.get(cell, "—"), key=key
    )
    remember(cell=chosen)
    if chosen is None:
        return
    cell = [int(one) for one in chosen.split(":")]
    item_ids = tables.answers_of_cell(panel, judge_id, criterion, *cell, kind)
    given = f"annotator {score(units, cell[0])}, {judge} {score(units, cell[1])}"
    st.subheader(plain(f"{counted(len(item_ids), 'answer')}: {given}"), anchor=False)
    if units.labels or cell[0] != cell[1]:
        link = {"grader": one} if (one := recall("grader")) else {}
        link |= {"sheet": report.sheet.name, "rubric": report.rubric.name, "judge": judge}
        link |= {"criterion": report.rubric.name if units.labels else criterion, "cell": chosen}
        link |= {"list": "claims"} if units.labels else {}
        label = "Review them one by one"
        st.page_link("pages/review.py", label=label, icon=":material/checklist:", query_params=link)
    if not units.labels:
        answers(report.store, panel, judge_id, criterion, item_ids)


@kept("Comparing confidence with agreement…")
def _probabilities(report: Report, criterion: str, kind: str) -> tuple[dict, ...]:
    """The confidence of every judge with probabilities on a criterion."""
    given = probabilities.read(report.store, report.panel, criterion)
    return probabilities.report(report.panel, given, criterion, kind)


def confidence(report: Report, choice: AgreementChoice, name: str) -> None:
    """The chosen judge's confidence against agreement, and the figures of all judges."""
    rows = _probabilities(report, choice.criterion, choice.kind)
    if not rows:
        empty(
            "No judge gave probabilities here",
            "Add a decision model, or set logprobs = true in the file of a chat judge, or repeat a "
            "judge.",
            *TO_JUDGES,
        )
        return
    judges = [row["judge"] for row in rows]
    judge = choice.judge if choice.judge in judges else judges[0]
    found = probabilities.document(rows, judge, report.rubric, looks(report.panel))
    name = f"{name}-{choice.criterion}-{judge}"
    render.head(found, folded=True)
    show_charts(found, name)
    render.body(found, name)


@kept()
def _columns(report: Report) -> list[str]:
    """The columns by which the sheet may be segmented."""
    return segments.columns(report.store, report.sheet)


@kept("Comparing segments…")
def _by_column(found: Report, column: str, kind: str, criterion: str, judge: int) -> dict:
    """The agreement by a column of one judge on one criterion."""
    by = segments.compared(found.store, found.sheet, column)
    return segments.agreement(found.panel, by, kind, criterion, judge)


def by_column(report: Report, choice: AgreementChoice, name: str) -> None:
    """Agreement by any column of the sheet, of the chosen judge and criterion."""
    columns = {one: segments.FIELDS.get(one, one) for one in _columns(report)}
    keys = segments.STATISTICS
    names = {key: capital(BY_KEY[key].head) for key in keys}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = select("Column", "by", columns, next(iter(columns)))
        key = select("Statistic", "by_figure", names, keys[0], keys[0])
    try:
        judge = report.judge_id(choice.judge)
        found = _by_column(report, column, choice.kind, choice.criterion, judge)
    except Problem as problem:
        st.warning(plain(str(problem)))
        return
    part = segments.agreement_document(found, report.rubric, [key])
    render.show(part, f"{name}-{choice.judge}", folded=True)


@kept("Computing metrics from annotators' labels…")
def _units(report: Report) -> dict:
    """Unit agreement beyond the rows; only of a rubric of units."""
    return agreement.units_report(report.store, report.panel)


def units(report: Report, choice: AgreementChoice, name: str) -> None:
    """Unit agreement: failing verdicts, metrics per answer, and the errors of the lists."""
    shown(tables.units_document(_units(report)), name)


@kept("Testing the judges for bias…")
def bias_rows(report: Report) -> list[bias_tests.BiasTest]:
    """Return every bias test of every judge."""
    return bias_tests.run(report.panel, bias_tests.lengths(report.store, report.panel))


def bias(report: Report, choice: AgreementChoice, name: str) -> None:
    """Bias tests of the chosen judge."""
    every = bias_rows(report)
    mine = [one for one in every if one.judge == choice.judge]
    among = sum(one.p is not None for one in every)
    shown(tables.bias(mine, report.rubric, among), f"{name}-{choice.judge}")


def alternative_annotator(report: Report, choice: AgreementChoice, name: str) -> None:
    """The alternative annotator test of every judge."""
    every = every_row(report, choice.kind)
    shown(tables.alternative_annotator(every, report.rubric), name)


def exclusions(report: Report, choice: AgreementChoice, name: str) -> None:
    """Exclusions from the figures, and how the judge's row was made."""
    shown(tables.exclusions(every_row(report, choice.kind), report.rubric), name)
    _, chosen = rows_of(report, choice)
    st.code(say(chosen.signature), language=None, wrap_lines=True)


@kept("Comparing annotators…")
def _reliability(report: Report) -> Document:
    """The reliability of the annotators."""
    panel = report.panel
    together, repeats = inter_rater(panel), test_retest(panel)
    return tables.reliability(together, repeats, report.rubric)


def reliability(report: Report, choice: AgreementChoice, name: str) -> None:
    """Reliability of the annotators: together, and on answers that they graded twice."""
    shown(_reliability(report), name)


class Detail(NamedTuple):
    """One tab of the screen.

    Attributes:
        title: What the tab is called.
        show: Shows its parts in turn; the text begins the names of its downloads.
        terms: What its glossary explains.
        of_units: Whether it is only of rubrics of units, or of answers; None for both.
        key: A choice in it that the URL keeps; a link with it opens the tab.
    """

    title: str
    show: tuple[Callable[[Report, AgreementChoice, str], None], ...]
    terms: tuple[str, ...]
    of_units: bool | None = None
    key: str = ""


_OF_FIGURES = (
    *(BY_KEY[key].heading for _, keys in TABLES[ORDERED].values() for key in keys),
    *("ceiling", "majority-class baseline", "baseline", "each", "consensus", "left out"),
)
_OF_SEGMENTS = ("by segment", *(BY_KEY[key].heading for key in segments.STATISTICS))
_OF_BIAS = tuple(title for title, _ in bias_tests.TESTS.values())
_OF_ANNOTATORS = ("alpha", "ac2", "among annotators", "repeats", "alt-test")
DETAILS = {
    "figures": Detail("Figures", (figures,), _OF_FIGURES),
    "scores": Detail("Scores", (confusion_matrix,), ("each", "consensus"), key="cell"),
    "confidence": Detail("Confidence", (confidence,), probabilities.TERMS, of_units=False),
    "columns": Detail("By column", (by_column,), _OF_SEGMENTS, key="by"),
    "units": Detail("Units", (units,), ("by annotators", "list errors"), of_units=True),
    "bias": Detail("Bias", (bias,), _OF_BIAS),
    "reliability": Detail("Reliability", (reliability, alternative_annotator), _OF_ANNOTATORS),
    "exclusions": Detail("Exclusions", (exclusions,), ("left out", "worst case", "blind")),
}


def details(report: Report, choice: AgreementChoice, name: str) -> None:
    """Show the tabs that apply; only the open one is computed."""
    of_units = bool(report.rubric.units)
    every = {key: one for key, one in DETAILS.items() if one.of_units in (None, of_units)}
    linked = [key for key, one in every.items() if one.key and recall(one.key) is not None]
    if linked and recall("detail") is None:
        remember(detail=linked[0])
    tabs = {key: one.title for key, one in every.items()}
    hidden = {"key": f"pick.detail.{digest([*tabs])}", "label_visibility": "collapsed"}
    with st.container(horizontal=True):
        tab = every[switch("Details", "detail", tabs, "figures", **hidden)]
        terms(*tab.terms)
    for show in tab.show:
        show(report, choice, name)
