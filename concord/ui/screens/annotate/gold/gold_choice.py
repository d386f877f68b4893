"""Choice of gold and training items: which answers, each with its texts and the scores' meanings.

From the list of the few-shot pool, or from a file (`gold_upload`).
"""

from functools import partial
from html import escape

import streamlit as st

from concord.definitions import digest
from concord.grading import gold_items
from concord.grading.gold_items import AgreedScore, PoolAnswer, Purpose
from concord.grading.grading_sets import GradingSet
from concord.messages import Numeral, Said, said
from concord.reports.reliability import gold_results
from concord.rubrics.model import Criterion, Rubric
from concord.store import items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.ui import render
from concord.ui.actions import changing, show_done, show_refused
from concord.ui.language import language, plain, say
from concord.ui.screens.annotate.gold.gold_upload import from_file
from concord.ui.screens.data.answer_texts import TEXTS_LOOK, texts

_HEIGHT = 320  # px
_LOOK = """<style>
@media (min-width: 641px) {
  [class*="st-key-gold-scores-"], .concord-gold { max-height: 640px; overflow-y: auto; }
}
</style>"""
_LIST, _FILE = said("From the list"), said("From a CSV file")


def choice(store: Store, grading_set: GradingSet, kind: str, label: Said, purpose: Purpose) -> None:
    """Show which answers are chosen, and let a lead choose others, score them or remove them.

    `kind` is the command for the same, `label` the button that adds an answer.
    """
    key = f"known.{kind}.{grading_set.id}"
    show_refused(f"{key}.notice")
    show_done(f"{key}.done")
    offered = gold_items.offered(store, grading_set, purpose)
    if not offered:
        st.caption(say(gold_items.why_none(store, grading_set)))
        st.page_link("pages/splits.py", label=say("Go to Splits"), icon=":material/arrow_forward:")
        return
    scores: dict[int, dict[str, AgreedScore]] = {}
    for one in purpose.chosen(store, grading_set):
        scores.setdefault(one.item_id, {})[one.criterion] = one
    left = Numeral(f"{sum(row.id not in scores for row in offered):,}")
    if not st.toggle(say("Choose answers ({n} available)", n=left), key=f"{key}.open"):
        return
    st.caption(
        say(
            "Offered are answers of the few-shot pool that this set does not have, since these are "
            "excluded from all figures."
        )
    )
    way = st.segmented_control(
        say("Choose answers"),
        [_LIST, _FILE],
        default=_LIST,
        format_func=say,
        required=True,
        label_visibility="collapsed",
        # After an import it is the list again, where what is chosen now comes first.
        key=f"{key}.way.{st.session_state.get(f'{key}.files', 0)}",
    )
    if way == _FILE:
        from_file(store, grading_set, key, kind, purpose)
        return
    row = _listed(grading_set, key, offered, scores)
    if row is None:
        st.caption(say("Select a row to read the answer and score it."))
    else:
        _scored(store, grading_set, key, row, scores.get(row.id, {}), label, purpose)


def _listed(
    grading_set: GradingSet, key: str, offered: list[PoolAnswer], scores: dict[int, dict]
) -> PoolAnswer | None:
    """The answers that match the search, chosen ones first; the rest as they would be sampled."""
    words = st.text_input(
        say("Search"),
        max_chars=200,
        placeholder=say("question, answer or id"),
        icon=":material/search:",
        key=f"{key}.words",
    )
    wanted = words.strip().casefold()
    order = gold_items.choose(offered, len(offered), grading_set.seed)
    found = [
        row
        for row in sorted(order, key=lambda row: row.id not in scores)
        if wanted in f"{row.name}\n{row.question}\n{row.answer}".casefold()
    ]
    if not found:
        st.info(say("No answer matches"))
        return None
    # A row added or removed leaves the order, so the table begins again without a selection.
    place = render.pick_row(
        gold_results.offered(found, scores),
        grading_set.name,
        f"{key}.rows.{digest([row.id for row in found])}.{digest(sorted(scores))}",
        height=_HEIGHT,
    )
    return None if place is None else found[place]


def _scored(
    store: Store,
    grading_set: GradingSet,
    key: str,
    row: PoolAnswer,
    scores: dict[str, AgreedScore],
    label: Said,
    purpose: Purpose,
) -> None:
    """Show an answer next to the form for its scores; the answering model is not shown."""
    stored = items.item(store, row.id)
    blind = stored.item._replace(answer_model=None, metadata={})
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    told = gold_items.example_scores(rubric, row.question, row.answer)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.html(TEXTS_LOOK)
        shown = "".join(texts(stored._replace(item=blind)))
        # Keys scroll it only where it takes the focus.
        focus = f'class="concord-gold" tabindex="0" role="region" aria-label="{escape(row.name)}"'
        st.html(f'<div {focus}><dl class="concord-item">{shown}</dl></div>')
    st.html(_LOOK)
    scroll = right.container(key=f"gold-scores-{grading_set.id}-{row.id}-{key.split('.')[1]}")
    with scroll, st.form(f"{key}.form.{row.id}"):
        for criterion in rubric.in_language(language()).criteria:
            known = scores.get(criterion.name)
            first = (known.score, known.reason) if known else told.get(criterion.name, (None, ""))
            _asked(rubric, criterion, f"{key}.{row.id}.{criterion.name}", *first)
        keep = partial(_keep, grading_set, key, row, rubric, purpose)
        with st.container(horizontal=True):
            text = say("Save scores") if scores else say(label)
            st.form_submit_button(text, type="primary", on_click=keep)
            if scores:
                out = partial(_remove, grading_set, key, row, purpose)
                st.form_submit_button(say("Remove this answer"), on_click=out)


def _asked(rubric: Rubric, criterion: Criterion, key: str, score: int | None, reason: str) -> None:
    """Score and reason of one criterion, with the meaning of each score in view."""
    meanings = {level.score: level.meaning.strip() for level in criterion.levels}
    question = plain(criterion.question.strip())
    st.radio(
        say("{title}: {text}", title=f"**{plain(criterion.heading())}**", text=question),
        rubric.scale,
        None if score is None else rubric.scale.index(score),
        captions=[plain(meanings.get(one, "")) for one in rubric.scale],
        key=f"{key}.score",
    )
    st.text_input(say("Why"), reason, key=f"{key}.why", max_chars=500)


def _keep(
    grading_set: GradingSet, key: str, row: PoolAnswer, rubric: Rubric, purpose: Purpose
) -> None:
    state = st.session_state
    names = [(c.name, f"{key}.{row.id}.{c.name}") for c in rubric.criteria]
    given = [
        AgreedScore(row.id, name, state[f"{own}.score"], state[f"{own}.why"])
        for name, own in names
        if state[f"{own}.score"] is not None
    ]
    with changing(f"{key}.notice") as store:
        purpose.add(store, grading_set, given, store.by())
        state[f"{key}.done"] = said("Scores of answer {answer} saved.", answer=row.name)


def _remove(grading_set: GradingSet, key: str, row: PoolAnswer, purpose: Purpose) -> None:
    with changing(f"{key}.notice") as store:
        purpose.take_out(store, grading_set, row.id, store.by())
        done = said("Answer {answer} removed. Grades given to it stay.", answer=row.name)
        st.session_state[f"{key}.done"] = done
