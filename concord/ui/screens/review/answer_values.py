"""The values of metrics for one answer: how each came about, its flags, and other readings."""

from html import escape

import streamlit as st

from concord.language.grade_statuses import status_words
from concord.messages import Numeral, Said, joined, said
from concord.model import Sheet
from concord.reports.metrics import similarity_baseline
from concord.reports.metrics.metric_records import short
from concord.reports.metrics.metric_words import reason as as_kept
from concord.reports.metrics.metric_words import word as spoken
from concord.reports.metrics.metrics import reading as read_as
from concord.reports.units.answer_values import AnswerValue
from concord.store.database import Store
from concord.ui.cached_metrics import unrelated
from concord.ui.language import plain, say, word
from concord.ui.markup import comparison, table


def _above(store: Store, sheet: Sheet, one: AnswerValue) -> float | None:
    """The share of unrelated texts that are less alike than a likeness; None for other metrics."""
    record = one.record
    null = unrelated(store, sheet, record.metric, record.grader_id)
    value = similarity_baseline.bare_similarity(record) if null else None
    return None if value is None else null.percentile(value)


def values(store: Store, sheet: Sheet, found: list[AnswerValue]) -> None:
    """Show each value with its derivation, its flags, and the values under other choices."""
    if found:
        judges = short(one.record.judge for one in found)
        above = [_above(store, sheet, one) for one in found]
        rows = (
            _row(one, judges[one.record.judge], share)
            for one, share in zip(found, above, strict=True)
        )
        heads = say("metric"), say("value"), say("how"), say("by annotators, other variants")
        st.html(comparison(table(heads, rows, numbers=True)))
        for judge in dict.fromkeys(one.record.judge for one in found if one.is_stale):
            st.page_link(
                "pages/judges.py",
                label=plain(said("Run {judge} again", judge=judges[judge])),
                icon=":material/play_arrow:",
                query_params={"judge": judge.partition("@")[0], "sheet": sheet.name},
            )


def _row(one: AnswerValue, judge: str, above: float | None) -> str:
    record = one.record
    value = "–" if record.value is None else word(Numeral(f"{record.value:.3f}"))
    reading = say(read_as(record.switches))
    chosen = f"<p>{escape(reading)}</p>" if reading else ""
    annotators = [
        said("by {name}: {value:.3f}", name=name, value=value)
        for name, value in one.by_annotators.items()
    ]
    others = "<br>".join(escape(say(other)) for other in annotators + _others(one))
    return (
        f"<tr><th>{escape(word(one.title))}<p>{escape(judge)}</p></th><td><b>{value}</b>{chosen}"
        f"</td><td><p>{escape(say(_about(one, above)))}</p></td><td>{others}</td></tr>"
    )


def _about(one: AnswerValue, above: float | None) -> Said:
    """Return how a value came about or why it is undefined, with its caveats."""
    record = one.record
    parts = [as_kept(record.reason)]
    if record.value is None:
        parts.insert(0, said("{status}.", status=status_words(record.status)))
    if record.flags:
        parts.append(said("Flags: {flags}.", flags=joined(", ", map(spoken, record.flags))))
    if one.is_stale:
        parts.append(said("A list it is based on was edited since: run the judge again."))
    if above is not None:
        parts.append(
            said(
                "More similar than {percent:.0f}% of unrelated question pairs in this sheet."
                if similarity_baseline.HELD[record.metric][0] == "question"
                else "More similar than {percent:.0f}% of unrelated reference pairs in this sheet.",
                percent=100 * above,
            )
        )
    return joined(" ", parts)


def _others(one: AnswerValue) -> list[Said]:
    """Return the value under each other choice, or that it changes nothing."""
    told, same = [], []
    for (switch, choice), (value, asked) in one.others.items():
        if asked and value == one.record.value:
            same.append(spoken(choice))
            continue
        found = said("no number" if asked else "not requested yet")
        if value is not None:
            found = Numeral(f"{value:.3f}")
        names = {"switch": spoken(switch), "choice": spoken(choice)}
        told.append(said("{switch} {choice}: {found}", **names, found=found))
    return told + ([said("the same: {choices}", choices=joined(", ", same))] if same else [])
