"""Links from a metric to its lowest answers, for viewers who may list them."""

import streamlit as st

from concord import metrics
from concord.messages import said
from concord.reports.metrics.metric_records import Record
from concord.reports.metrics.metrics import MetricValues
from concord.store import items
from concord.store.database import Store
from concord.text.display import end_cut
from concord.ui.frame import recall
from concord.ui.language import plain, say
from concord.ui.looker import agreed, looker
from concord.ui.work_list import opened

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
