"""Changed scores: answers that two variants score differently, and the diff of their prompts."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.messages import said
from concord.reports.comparison.changed_scores import Flips, both_answer_grades, document, table
from concord.store import grades
from concord.store.database import Store
from concord.ui import render
from concord.ui.frame import recall, remember
from concord.ui.language import say
from concord.ui.looker import agreed, looker
from concord.ui.markup import LOOK
from concord.ui.screens.agreement import cell_answers
from concord.ui.screens.agreement.cached_comparison import ComparedSheet, flips
from concord.ui.screens.agreement.compare_pick import pick_target
from concord.ui.screens.agreement.prompt_difference import difference
from concord.ui.widgets import TO_JUDGES, empty, finding, select

LIST = 330  # pixels, so that the difference of the chosen row is in sight below it


def what_flips(store: Store, found: ComparedSheet, kind: str, title: DeltaGenerator) -> None:
    """Show the whole view, its finding at `title`."""
    names = {variant.label: variant.label for variant in found.variants.every}
    if len(names) < 2:
        empty(
            said("There is only one variant"),
            said("Run a second prompt, model or scale on this sheet to see which answers flip."),
            *TO_JUDGES,
        )
        return
    with st.container(horizontal=True):
        first = select(said("From"), "first", names, next(iter(names)))
        rest = {label: label for label in names if label != first}
        second = select(said("To"), "second", rest, next(iter(rest)))
        target = pick_target(found, [first, second])
    flipped = flips(found, first, second, target, kind)
    if flipped is None:
        with title:
            finding(
                said(
                    "{first} and {second} do not both grade {target}",
                    first=first,
                    second=second,
                    target=target,
                )
            )
        return
    shown = document(flipped)
    with title:
        render.head(shown)
    render.body(shown, f"flips-{first}-{second}", in_full=True)
    if not flipped.flips:
        for item_id in found.annotators.items.loc[found.annotators.open, "id"].head(1):
            difference(store, flipped, int(item_id))
        return
    item_id = _list(flipped)
    difference(store, flipped, item_id)
    _answer(store, found, flipped, item_id)


def _list(flipped: Flips) -> int:
    """The flips, worst first; the one that is marked, the first to begin with."""
    st.subheader(say("Answers that flip, worst first"), anchor=False)
    row = render.picked_row(
        render.translated_rows(render.rows_of(table(flipped))),
        f"flips.{flipped.first.label}.{flipped.second.label}.{flipped.target}",
        said("Table: answers that flip, worst first"),
        height=LIST,
    )
    ids = [flip.item_id for flip in flipped.flips]
    named = recall("item")
    item_id = next((i for i in ids if str(i) == named), ids[0]) if row is None else ids[row]
    remember(item=item_id)
    st.caption(say("Select a row to see its answer, all graders' reasons and the prompts."))
    return item_id


def _answer(store: Store, found: ComparedSheet, flipped: Flips, item_id: int) -> None:
    """Show an answer with both variants' and the annotators' grades; record that it was opened."""
    person = looker(store)
    if not agreed(store, person):
        return
    grades.open_item(store, item_id, person.id if person else None)
    st.html(LOOK)
    st.subheader(say("The answer"), anchor=False)
    for one in both_answer_grades(store, flipped, found.annotators, [item_id]):
        cell_answers.answer(one, flipped.target)
