"""The measures screen: all of them, and one with its definition and readings."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from concord import metrics
from concord.grading.adjudication import disagreement_causes
from concord.language.plurals import counted
from concord.messages import capital, joined, said
from concord.reports.metrics import (
    metric_notes,
    metric_parts,
    metric_repeats,
    metric_variants,
    model_leaders,
    similarity_baseline,
)
from concord.reports.metrics import metrics as metrics_metrics
from concord.reports.metrics.metric_records import Readings, Record, edited, edited_sentence, short
from concord.reports.metrics.metric_words import word
from concord.stats.comparison.similarity_baseline import Unrelated
from concord.store import items
from concord.store.database import Store
from concord.store.sheets import Sheet
from concord.store.version_key import state
from concord.ui.cached_metrics import title
from concord.ui.charts import metrics_chart
from concord.ui.frame import recall
from concord.ui.glossary import terms
from concord.ui.language import say
from concord.ui.localized_table import table_of
from concord.ui.localized_table import word as shown
from concord.ui.markdown import plain
from concord.ui.screens.agreement.cell_answers import agreed, looker
from concord.ui.spinner import spinning
from concord.ui.widgets import figure, select

LINKS = 8  # failing answers that are linked one by one
_LETTERS = 90  # of a question in a link
WIDTHS = {
    said("measure"): st.column_config.TextColumn(width=250),
    said("what to do"): st.column_config.TextColumn(width="large"),
}


def whole(found: Readings, name: str) -> None:
    """Every measure that has a number, as a table; those without are named with the reason."""
    rows = metrics_metrics.rows(found)
    judges = short(row["judge"] for row in rows)
    known = [row for row in rows if row["n"]]
    if known:
        lines = [_shown(row, judges[row["judge"]]) for row in known]
        table_of(lines, f"{name}-measures", _numbers(rows), WIDTHS, height="content")
        _all_by_model(known, judges, f"{name}-models")
    none = [row for row in rows if not row["n"]]
    if none:
        with st.expander(say("Without any number ({n})", n=len(none))):
            for row in none:
                why = joined("; ", metric_notes.left_out(of_row(found, row), row["items"])[:2])
                st.markdown(f"- **{plain(title(row['measure']))}**: {plain(why)}")


def one(store: Store, sheet: Sheet, found: Readings, name: str) -> None:
    """One measure under any reading: its number, its definition, by answering model, its worst."""
    row = _pick(found)
    given = of_row(found, row)
    records, others = _reading(store, found, row, given)
    readings = found._replace(records=records)
    row = metrics_metrics.rows(readings)[0]
    called = title(row["measure"])
    st.subheader(
        say(
            "{measure}: {mean} on {n:,} of {items:,} answers",
            measure=plain(called),
            mean=metrics_metrics.valued(row),
            n=row["n"],
            items=row["items"],
        ),
        anchor=False,
    )
    if others:
        st.caption(say(":material/savings: From stored verdicts, at no cost."))
    if row["why_none"] and row["n"]:
        st.caption(plain(said("No interval: {why}.", why=row["why_none"])))
    _definition(row["measure"], row["switches"])
    null = unrelated(store, sheet, row["measure"], given[0].grader_id)
    if null:
        figures = similarity_baseline.figures(null, readings, row)
        st.info(plain(similarity_baseline.sentence(figures, row["measure"])))
        terms(said("unrelated texts"))
    again = None if others else metric_repeats.of(found.records, row)
    parts = metric_parts.means(records, row)
    beside = [metric_parts.sentence(parts, row["n"])] if parts else []
    beside += [metric_repeats.sentence(again)] if again else []
    for note in metric_notes.notes(records) + beside:
        st.markdown(f"- {plain(note)}")
    for why in metric_notes.left_out(records, row["items"]):
        st.caption(plain(said("Left out: {why}", why=why)))
    if row["n"]:
        _by_model(row, called, f"{name}-{row['measure']}")
        if may_list(store):
            _worst(store, row, records)


def may_list(store: Store) -> bool:
    """Whether answers may be named that stand low: whoever has a name was told what that means."""
    person = looker(store)
    return person is None or agreed(person)


def closed(found: Readings) -> None:
    """How many answers are in no figure."""
    if found.closed:
        st.caption(
            say(
                "{answers} in no figure: sealed questions and examples.",
                answers=counted(found.closed, "answer"),
            )
        )
    if gone := edited_sentence(edited(found)):
        st.caption(plain(gone))


def of_row(found: Readings, row: Mapping) -> list[Record]:
    """The records behind a row: the first numbers of one judge and reading."""
    place = row["judge"], row["version"]
    return [one for one in found.records if (one.judge, one.version) == place and one.repeat == 1]


def unrelated(store: Store, sheet: Sheet, measure: str, grader_id: int) -> Unrelated | None:
    """The null distribution of a measure of likeness, kept while nothing changes."""
    if measure not in similarity_baseline.HELD:
        return None
    return _unrelated((state(store, sheet), measure, grader_id), store, sheet)


def _shown(row: Mapping, judge: str) -> dict:
    return {
        said("measure"): title(row["measure"]),
        said("mean"): metrics_metrics.valued(row),
        said("better"): word(model_leaders.better(row["measure"])),
        said("n"): row["n"],
        said("of"): row["items"],
        said("left out"): metrics_metrics.status_counts(row["left_out"], row["not_asked"]),
        said("found by"): judge,
        said("reading"): metrics_metrics.reading(row["switches"]),
    }


def _all_by_model(rows: Sequence[Mapping], judges: Mapping[str, str], name: str) -> None:
    """Each measure's mean by answering model, where there are several."""
    found = model_leaders.of_models(rows)
    if len(found[0]) < 2:
        return
    st.subheader(say("By answering model"), anchor=False)
    st.markdown(plain(model_leaders.leaders(rows)))
    lines = [
        {
            said("measure"): title(row["measure"]),
            said("better"): word(model_leaders.better(row["measure"])),
            **means,
            said("found by"): judges[row["judge"]],
        }
        for row, means in zip(rows, found, strict=True)
    ]
    table_of(lines, name, None, WIDTHS, height="content")


def _numbers(rows: Sequence[Mapping]) -> pd.DataFrame:
    """Every figure as a number, for the CSV; a line for all answers and for each model."""
    kept = ("n", "questions", "mean", "low", "high", "method", "why_none")
    lines = []
    for row in rows:
        about = {key: row[key] for key in ("measure", "judge", "version", "items", "not_asked")}
        about["reading"] = metrics_metrics.reading(row["switches"])
        for model, one_ in {"": row, **row["by_model"]}.items():
            lines.append({**about, "answer_model": model, **{key: one_[key] for key in kept}})
    return pd.DataFrame(lines)


def _pick(found: Readings) -> dict:
    """The row of the measure, judge and reading that the URL names; the first with a number."""
    rows = metrics_metrics.rows(found)
    judges = short(row["judge"] for row in rows)
    options = {f"{row['measure']} {row['judge']} {row['version']}": row for row in rows}
    names = {
        key: said("{measure} ({judge})", measure=title(row["measure"]), judge=judges[row["judge"]])
        for key, row in options.items()
    }
    first = next((key for key, row in options.items() if row["n"]), next(iter(options)))
    return options[select(said("Measure"), "measure", names, first)]


def _reading(
    store: Store, found: Readings, row: Mapping, given: list[Record]
) -> tuple[list[Record], dict[str, str]]:
    """The records under the readings that are chosen, and which choices differ from the stored."""
    measure = metrics.found().get(row["measure"])
    others = {}
    if measure and measure.switches:
        with st.container(horizontal=True):
            for switch in measure.switches:
                stored = row["switches"].get(switch.name, switch.choices[0])
                chosen = select(
                    capital(word(switch.name)),
                    f"{measure.name}.{switch.name}",
                    {choice: word(choice) for choice in switch.choices},
                    stored,
                    stored,
                )
                if chosen != stored:
                    others[switch.name] = chosen
        for switch in measure.switches:
            called = capital(word(switch.name))
            st.caption(plain(said("{switch}: {about}", switch=called, about=switch.sentence)))
    if not others:
        return given, others
    kept = found._replace(records=given)
    return metric_variants.under(store, kept, {row["measure"]: others}).records, others


def _definition(name: str, switches: Mapping) -> None:
    measure = metrics.found().get(name)
    if measure is None:
        st.caption(say("The file of this measure is gone."))
        return
    better = say(
        "Higher is better. Range {limits}."
        if measure.better == "higher"
        else "Lower is better. Range {limits}.",
        limits=metrics_metrics.limits(measure, switches),
    )
    st.markdown(f"{plain(measure.sentence)}  \n`{shown(measure.formula)}`  \n{better}")
    asked = metrics_metrics.asked(measure)
    st.caption(plain(said("Source: {source}. Asked: {who}.", source=measure.source, who=asked)))


def _by_model(row: Mapping, called: str, name: str) -> None:
    measure = metrics.found().get(row["measure"])
    means = {key: metrics_chart.as_estimate(o) for key, o in row["by_model"].items() if o["n"]}
    best = metrics_chart.model_title(row, called, measure.better if measure else "higher")
    figure(metrics_chart.by_model(row, say(best)), name, metrics_chart.alt(means))
    st.caption(say("Dashed: the mean of all answers."))


def _worst(store: Store, row: Mapping, records: list[Record]) -> None:
    measure = metrics.found().get(row["measure"])
    sign = -1 if measure and measure.better == "lower" else 1
    known = [one for one in records if one.value is not None]
    known.sort(key=lambda one: (sign * one.value, one.item_id))
    few = min(LINKS, len(known))
    with st.expander(say("The answers that stand worst, {few} of {n:,}", few=few, n=len(known))):
        links(store, row["measure"], row["judge"], [one.item_id for one in known])


def links(store: Store, measure: str, judge: str, item_ids: list[int]) -> None:
    """Links to the evidence of some answers, the first few of them."""
    found = metrics.found().get(measure)
    units = found.rubrics[0] if found and found.rubrics else ""
    sorted_by = {f"sorted.{units or '-'}": f"{measure} {judge}"}
    who = looker(store)
    disagreement_causes.opened(store, item_ids[:LINKS], who.id if who else None)
    for stored in items.items(store, item_ids[:LINKS]):
        item, item_id = stored.item, stored.id
        st.page_link(
            "pages/evidence.py",
            label=plain(f"{item.question[:_LETTERS]} ({item.answer_model or item_id})"),
            icon=":material/find_in_page:",
            query_params={"answer": str(item_id), "sheet": recall("sheet") or "", **sorted_by}
            | ({"units": units} if units else {}),
        )
    if len(item_ids) > LINKS:
        more = len(item_ids) - LINKS
        st.caption(say("And {n:,} more; the evidence screen lists all of them.", n=more))


@spinning(said("Comparing texts that have nothing in common…"))
@st.cache_resource(max_entries=8, show_spinner=False)
def _unrelated(key: tuple, _store: Store, _sheet: Sheet) -> Unrelated | None:
    return similarity_baseline.of_sheet(_store, _sheet, key[1], key[2])
