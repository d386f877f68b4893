"""Metrics: their numbers, one metric, its validity against annotators, and the diagnosis."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from concord import metrics
from concord.messages import capital, counted, joined, said
from concord.metrics import title
from concord.model import Sheet
from concord.reports.cells import undefined, written
from concord.reports.metrics import metric_details, metric_validity, metric_words, vera_composite
from concord.reports.metrics import metrics as metrics_metrics
from concord.reports.metrics import metrics as model_leaders
from concord.reports.metrics.metric_records import Readings, Record, edited, edited_sentence, short
from concord.reports.metrics.metric_validity import (
    AgainstAnnotators,
    FailingAnswers,
    FittedThreshold,
    SeriesPair,
)
from concord.reports.metrics.metric_words import word
from concord.reports.metrics.metrics import MetricValues, of_row
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.segments import metrics_by_segment, segment_column
from concord.store import items
from concord.store.database import Store
from concord.text.display import end_cut
from concord.ui import render
from concord.ui.cached_reports import failing, unrelated, usual_thresholds
from concord.ui.caching import kept
from concord.ui.chart import show_chart
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.language import word as shown
from concord.ui.looker import agreed, looker, opened
from concord.ui.render import offer, show_table
from concord.ui.report_picker import show_left_out
from concord.ui.widgets import TO_JUDGES, empty, finding, select, terms


def lead_on() -> None:
    """Show what to do where no metric was computed yet."""
    empty(
        said("No metric has been computed on this sheet yet"),
        said(
            "This screen shows metric values with the evidence for each. Run a metric judge: "
            "“computed” is free; “rag-metrics” calls a model and stores a verdict with its "
            "reason for every claim and context."
        ),
        *TO_JUDGES,
        judge="computed",
    )


LINKS = 8  # failing answers that are linked one by one
_LETTERS = 90  # of a question in a link


def may_list(store: Store) -> bool:
    """True where low answers may be named: the viewer has a name and confirmed the warning."""
    return agreed(store, looker(store))


def worst(store: Store, row: MetricValues, records: list[Record]) -> None:
    """The answers that a metric rates worst, each a link."""
    metric = metrics.available().get(row.metric)
    sign = -1 if metric and metric.better == "lower" else 1
    known = [one for one in records if one.value is not None]
    known.sort(key=lambda one: (sign * one.value, one.item_id))
    few = min(LINKS, len(known))
    with st.expander(say("The lowest answers, {few} of {n:,}", few=few, n=len(known))):
        links(store, row.metric, row.judge, [one.item_id for one in known])


def links(store: Store, metric: str, judge: str, item_ids: list[int]) -> None:
    """Links to the evidence of some answers, the first few of them."""
    found = metrics.available().get(metric)
    units = found.rubrics[0] if found and found.rubrics else ""
    query = {"list": "claims", "sheet": recall("sheet") or ""}
    query |= {f"sorted.{units or '-'}": f"{metric} {judge}"}
    query |= {"criterion": units} if units else {}
    who = looker(store)
    opened(store, item_ids[:LINKS], who)
    for stored in items.items(store, item_ids[:LINKS]):
        item_id, begun = stored.id, end_cut(stored.item.question, _LETTERS)
        model = stored.item.answer_model or item_id
        st.page_link(
            "pages/review.py",
            label=plain(said("{question} ({model})", question=begun, model=model)),
            icon=":material/find_in_page:",
            query_params=query | {"entry": f"claims.{item_id}"},
        )
    if len(item_ids) > LINKS:
        more = len(item_ids) - LINKS
        st.caption(say("And {n:,} more; Review lists all of them.", n=more))


def whole(found: Readings, name: str) -> None:
    """Show every metric with values as a table; those without are listed with the reason."""
    rows = metrics_metrics.rows(found)
    known = [row for row in rows if row.n]
    if known:
        shown = metrics_metrics.table(known, title)
        render.show_table(shown, name, in_full=True)
        for why in undefined(shown):
            st.caption(plain(why))
        _all_by_model(known, name)
    none = [row for row in rows if not row.n]
    if none:
        with st.expander(say("Without a value ({n})", n=len(none))):
            for row in none:
                mine = of_row(found.records, row)
                why = joined("; ", metric_words.left_out(mine, row.items)[:2])
                of = f"**{plain(title(row.metric))}**"
                st.markdown(f"- {say('{title}: {text}', title=of, text=plain(why))}")


def by_column(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show every metric by the segments of a column, with the contrast of one of them."""
    columns = _offered(store, sheet)
    if not columns:
        st.info(say("No column puts these answers in two to twelve segments."))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        known = {one: segment_column.FIELDS.get(one, one) for one in columns}
        by = select(said("Column"), "by", known, columns[0])
        segments = {one: one for one in segment_column.read(store, sheet, by).values}
        topic = select(said("Compare"), "topic", segments, next(iter(segments)))
        terms(said("contrast of segments"), said("bootstrap of a mean"))
    shown = metrics_by_segment.document(_by_column(store, sheet, by, topic, found))
    render.show(shown, f"{name}-{by}", folded=True, in_full=True)


@kept()
def _offered(store: Store, sheet: Sheet) -> list[str]:
    return metrics_by_segment.offered(store, sheet)


@kept(said("Resampling questions…"))
def _by_column(store: Store, sheet: Sheet, by: str, topic: str, _found: Readings):
    column = segment_column.read(store, sheet, by)
    return metrics_by_segment.report(_found, column, topic)


def vera(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show the score of a cross-encoder that reads VERA's metrics with each answer."""
    render.show(vera_composite.document(_vera(store, sheet, found)), f"{name}-vera", folded=True)
    terms(said("cross-encoder"), said("bootstrap of a mean"))


@kept(said("Resampling questions…"))
def _vera(store: Store, sheet: Sheet, _found: Readings) -> vera_composite.VeraComposite:
    return vera_composite.report(_found)


def closed(found: Readings) -> None:
    """Show how many answers enter no statistic."""
    if found.closed:
        st.caption(
            say(
                "{answers} excluded: held-out questions and the few-shot pool.",
                answers=counted(found.closed, "answer"),
            )
        )
    if gone := edited_sentence(edited(found)):
        st.caption(plain(gone))


def _all_by_model(rows: Sequence[MetricValues], name: str) -> None:
    """Show each metric's mean by answering model, where there are several."""
    shown = metrics_metrics.model_table(rows, title)
    if not shown.rows:
        return
    st.subheader(say("By answering model"), anchor=False)
    render.show_table(shown, name, in_full=True)


def one(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """One metric under any reading: its number, its definition, by answering model, its worst."""
    picked = _pick(found)
    switches = _pick_switches(picked)
    reading = metric_details.read(store, found, picked, switches, partial(unrelated, store, sheet))
    row = reading.row
    called = title(row.metric)
    heading = said(
        "{metric}: {mean} on {n:,} of {items:,} answers",
        metric=called,
        mean=row.written(),
        n=row.n,
        items=row.items,
    )
    st.subheader(plain(heading), anchor=False)
    if not reading.is_stored:
        st.caption(say(":material/savings: From stored verdicts, at no cost."))
    if row.why_none and row.n:
        st.caption(plain(said("No interval: {why}.", why=row.why_none)))
    _definition(row.metric, row.switches)
    for table in reading.tables:
        show_table(table, f"{name}-{row.metric}")
        if table.rows and table.name == "unrelated":
            terms(said("unrelated texts"))
    for note in reading.notes:
        st.markdown(f"- {plain(note)}")
    for why in reading.left_out:
        st.caption(plain(said("Left out: {why}", why=why)))
    if row.n:
        show_chart(model_leaders.chart(row, called), f"{name}-{row.metric}")
        st.caption(say("Dashed: the mean of all answers."))
        if may_list(store):
            worst(store, row, reading.records)


def _pick(found: Readings) -> MetricValues:
    """The row of the metric, judge and reading that the URL names; the first with a number."""
    rows = model_leaders.rows(found)
    judges = short(row.judge for row in rows)
    options = {f"{row.metric} {row.judge} {row.version}": row for row in rows}
    names = {
        key: said("{metric} ({judge})", metric=title(row.metric), judge=judges[row.judge])
        for key, row in options.items()
    }
    first = next((key for key, row in options.items() if row.n), next(iter(options)))
    return options[select(said("Metric"), "metric", names, first)]


def _pick_switches(row: MetricValues) -> dict[str, str]:
    """Return the choices that differ from those of the run, by switch."""
    metric = metrics.available().get(row.metric)
    others = {}
    if metric and metric.switches:
        with st.container(horizontal=True):
            for switch in metric.switches:
                stored = row.switches.get(switch.name, switch.choices[0])
                chosen = select(
                    capital(word(switch.name)),
                    f"{metric.name}.{switch.name}",
                    {choice: word(choice) for choice in switch.choices},
                    stored,
                    stored,
                )
                if chosen != stored:
                    others[switch.name] = chosen
        for switch in metric.switches:
            called = capital(word(switch.name))
            st.caption(plain(said("{switch}: {about}", switch=called, about=switch.sentence)))
    return others


def _definition(name: str, switches: Mapping) -> None:
    metric = metrics.available().get(name)
    if metric is None:
        st.caption(say("The file of this metric no longer exists."))
        return
    better = say(
        "Higher is better. Range {limits}."
        if metric.better == "higher"
        else "Lower is better. Range {limits}.",
        limits=model_leaders.limits(metric, switches),
    )
    st.markdown(f"{plain(metric.sentence)}  \n`{shown(metric.formula)}`  \n{better}")
    asked = model_leaders.asked(metric)
    st.caption(plain(said("Source: {source}. Calls {who}.", source=metric.source, who=asked)))


def headline(store: Store, sheet: Sheet, found: Readings) -> None:
    """Show the metric that correlates best with annotators, or why none can be named."""
    held = against(store, sheet, found)
    finding(held.sentence, held.fact)


def annotators(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show the correlation of each metric with annotators' grades of a criterion."""
    panel = _panel(store, sheet)
    if panel is None:
        st.page_link("pages/annotate.py", label=say("Go to Grading sets"), icon=":material/group:")
    else:
        show_left_out(panel.not_included)
        headings = panel.rubric.headings()
        names = {one: headings.get(one, one.capitalize()) for one in panel.criteria}
        names |= {COMPOSITE: said("Composite")} if COMPOSITE in names else {}
        heaviest = panel.rubric.heaviest().name
        criterion = select(said("Criterion"), "criterion", names, heaviest)
        held = against(store, sheet, found, criterion)
        if criterion != heaviest:  # else the headline says it
            st.markdown(f"**{plain(held.sentence)}**")
            st.markdown(plain(held.fact))
        terms(said("metric validity"), "spearman", "AUC", "failing")
        chart = metric_validity.chart(held.rows, held.called, held.sentence)
        if chart:
            show_chart(chart, name)
            known = [row for row in held.rows if row.correlation.value is not None]
            if len(known) > 1:
                st.caption(
                    say(
                        "The best of {n:,} metrics looks better than it is, because it was "
                        "selected on these answers. Confirm it on further answers before you rely "
                        "on it.",
                        n=len(known),
                    )
                )
        show_table(metric_validity.validity_table(held.rows), name, in_full=True)
        # Show the fitted threshold of every metric, compared with the default one.
        st.subheader(say("Fitted thresholds"), anchor=False)
        st.caption(
            say(
                "The threshold that best separates what annotators pass from what they fail is "
                "fitted on half of the questions; its accuracy is measured on the other half. All "
                "other figures use the default threshold."
            )
        )
        terms(said("fitted threshold"), said("balanced accuracy"), said("failing"))
        usual = tuple(sorted(usual_thresholds(store, sheet, found).items()))
        rows = _fitted(store, sheet, criterion, usual, panel, found)
        show_table(metric_validity.table(rows), name, in_full=True)
        if len(rows) > 1:
            st.caption(
                say(
                    "By chance alone, 1 of 40 metrics is conclusively better. This table has "
                    "{n:,}.",
                    n=len(rows),
                )
            )
    pairs = _among(store, sheet, found)
    if not pairs:
        return  # of a single metric there is nothing to show below a heading
    st.subheader(say("Correlation between metrics"), anchor=False)
    show_table(metric_validity.pair_table(pairs), name)


def against(store: Store, sheet: Sheet, found: Readings, criterion: str = "") -> AgainstAnnotators:
    """Return metrics compared with annotators' grades of a criterion; '' for the heaviest."""
    return _predicts(store, sheet, criterion, _panel(store, sheet), found)


@kept(said("Reading the grades…"), 4, shared=True)
def _panel(store: Store, sheet: Sheet) -> Panel | None:
    return metric_validity.panel(store, sheet)


@kept(said("Comparing metrics with annotators…"), 12)
def _predicts(
    store: Store, sheet: Sheet, criterion: str, _panel: Panel | None, _found: Readings
) -> AgainstAnnotators:
    return metric_validity.against(metric_validity.series(_found), _panel, criterion)


@kept(said("Comparing metrics with one another…"), 4)
def _among(store: Store, sheet: Sheet, _found: Readings) -> list[SeriesPair]:
    return metric_validity.among(metric_validity.series(_found))


@kept(said("Fitting thresholds…"), 12)
def _fitted(
    store: Store, sheet: Sheet, criterion: str, usual: tuple, _panel: Panel, _found: Readings
) -> list[FittedThreshold]:
    series = metric_validity.series(_found)
    return metric_validity.fitted(series, _panel, criterion, dict(usual))


def to_do(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """Show what to examine where metrics are low, with the failing answers behind each."""
    threshold = st.slider(
        say("An answer fails below this share of a metric's range"),
        0.05,
        0.95,
        _threshold(),
        0.05,
        key="metrics.threshold",
        help=say(
            "For a similarity, an answer fails below the 95th percentile of unrelated texts, where "
            "it is known."
        ),
    )
    remember(threshold=None if threshold == metric_validity.THRESHOLD else threshold)
    rows = metric_validity.by_validity(
        failing(store, sheet, found, threshold), against(store, sheet, found).rows
    )
    if not rows:
        good = say("No answer fails a metric for which there is advice.")
        st.success(good, icon=":material/check:")
        return
    if not may_list(store):
        return
    judges = short(row.judge for row in rows)
    readings: Counter[tuple[str, str]] = Counter()
    for row in rows:
        of = row.metric, row.judge
        readings[of] += 1
        _advice(store, row, judges[row.judge], f"{'.'.join(of)}.{readings[of]}")
    offer(
        metric_validity.diagnosis_table(
            metric_validity.named(store, sheet, rows), title, most=None
        ),
        name,
    )


def _advice(store: Store, row: FailingAnswers, judge: str, key: str) -> None:
    """Show what to examine; opening the expander records its failing answers as seen."""
    head = said(
        "{metric}: {failing:,} of {answers} fail ({judge})",
        metric=row.title,
        failing=row.failing,
        answers=counted(row.n, "answer"),
        judge=judge,
    )
    icon = ":material/healing:"
    with st.expander(plain(head), icon=icon, key=f"metrics.fold.{key}", on_change="rerun") as fold:
        st.markdown(f"**{plain(row.advice)}**")
        st.caption(
            say(
                "{share} fail; an answer passes with {passes}.",
                share=written(row.estimate, "share"),
                passes=metric_validity.passes(row),
            )
        )
        if fold.open:
            links(store, row.metric, row.judge, row.item_ids)


def _threshold() -> float:
    """Return the threshold of a failing answer, from the URL."""
    try:
        wanted = round(float(recall("threshold") or metric_validity.THRESHOLD), 2)
    except ValueError:
        return metric_validity.THRESHOLD
    return wanted if 0.05 <= wanted <= 0.95 else metric_validity.THRESHOLD
