"""Gold and training items from a file, and the file to fill in."""

import shlex
from functools import partial

import streamlit as st

from concord.grading import gold_file, gold_items
from concord.grading.gold_file import GoldFile
from concord.grading.gold_items import Purpose
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, counted, said
from concord.store.database import Store
from concord.ui.actions import changing, refusals
from concord.ui.import_findings import bad_rows
from concord.ui.language import say
from concord.ui.sign_in import own_store
from concord.ui.upload import opened, uploaded
from concord.ui.widgets import action_button, number_field

_MOST = 200  # answers in a file to fill in


def from_file(store: Store, grading_set: GradingSet, key: str, kind: str, purpose: Purpose) -> None:
    """A file to fill in, and its way back; each kind of bad row is shown once."""
    st.write(
        say(
            "One row per answer and criterion: item_id, criterion, score, reason. Rows without a "
            "score are skipped; scores of an answer that is already chosen are replaced."
        )
    )
    left = gold_items.candidates(store, grading_set, purpose)
    if left:
        most = min(_MOST, len(left))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            count = number_field(
                say("Answers"), 1, most, min(10, most), key=f"{key}.count.{most}", width=140
            )
            st.download_button(
                say("Download CSV to fill in"),
                partial(_blank, grading_set, purpose, count),
                f"{kind}.csv",
                "text/csv",
                icon=":material/download:",
                key=f"{key}.blank",
            )
    of = " --training" if kind == "training" else ""
    verb = f"gold {shlex.quote(grading_set.name)}{of} --add"
    file = uploaded(f"{key}.{st.session_state.get(f'{key}.files', 0)}", verb)
    if file is None:
        return
    with refusals():
        read = gold_file.read(store, grading_set, opened(file, key), purpose)
        if read.bad_rows:
            bad_rows(list(read.bad_rows), kind)
            st.info(say("Nothing was imported. Correct the file and choose it again."))
            return
        answers = counted(len({one.item_id for one in read.scores}), "answer")
        action_button(
            say("Import scores of {answers}", answers=answers),
            None if read.scores else say("The file has no score. Fill in the column score."),
            type="primary",
            key=f"{key}.import",
            on_click=_import,
            args=(grading_set, key, read, answers, purpose),
        )


def _blank(grading_set: GradingSet, purpose: Purpose, count: int) -> str:
    """Return the file to fill in; it is made when it is wanted, after the page has closed."""
    with own_store() as store:
        return gold_file.template(store, grading_set, purpose, count)


def _import(
    grading_set: GradingSet, key: str, read: GoldFile, answers: Said, purpose: Purpose
) -> None:
    state = st.session_state
    with changing(f"{key}.notice") as store:
        purpose.add(store, grading_set, read.taken(), store.by())
        state[f"{key}.done"] = said("Scores of {answers} imported.", answers=answers)
        state[f"{key}.files"] = state.get(f"{key}.files", 0) + 1  # an uploader without the file
