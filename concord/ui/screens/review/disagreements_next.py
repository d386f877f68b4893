"""Next steps after disagreements: rewording, few-shot examples, and the list as a file."""

from functools import partial

import pandas as pd
import streamlit as st

from concord.grading.adjudication.adjudications import RUBRIC
from concord.importing.readers import formula_escaping
from concord.messages import counted, said
from concord.reports.disagreements import disagreement, disagreements, similar_examples
from concord.reports.disagreements.disagreement import Disagreement
from concord.reports.disagreements.disagreements import Filtered, Key, NewestTag
from concord.store.database import Store
from concord.ui.cached_reports import Report
from concord.ui.frame import offer_download, offer_download_choice, recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.annotate.regrade import after_change
from concord.ui.sign_in import own_store
from concord.ui.widgets import next_screen_link

REWORD, EXAMPLES = "reword", "examples"
_STEPS = {REWORD: said("Reword the criterion"), EXAMPLES: said("Similar examples")}


def next_steps(
    store: Store,
    found: Report,
    listed: Filtered,
    here: Disagreement | None,
    tags: dict[Key, list[NewestTag]],
) -> None:
    """One of the steps, as the URL says; none to begin with."""
    wanted = recall("next")
    chosen = st.segmented_control(
        say("Next steps"),
        list(_STEPS),
        default=wanted if wanted in _STEPS else None,
        format_func=lambda step: say(_STEPS[step]),
        key="disagreements.next",
    )
    remember(next=chosen)
    if chosen == REWORD:
        _reword(store, found, listed, here, tags)
    elif chosen == EXAMPLES:
        _examples(store, listed, here)


def _reword(
    store: Store,
    found: Report,
    listed: Filtered,
    here: Disagreement | None,
    tags: dict[Key, list[NewestTag]],
) -> None:
    """Show what was tagged unclear, the link to the editor, and the number of grades affected."""
    name = listed.wanted.criterion or (here.key.criterion if here else None)
    if name is None:
        st.write(say("Choose a criterion first."))
        return
    heading = found.rubric.criterion(name).heading()
    notes = disagreements.noted(tags, name, RUBRIC)
    if notes:
        st.markdown(
            say(
                "**{criterion}** was marked unclear in {held}.",
                criterion=plain(heading),
                held=counted(len(notes), "disagreement"),
            )
        )
    st.markdown(
        say(
            "A new wording makes a new version of the criterion; the old grades stay with the old "
            "version."
        )
    )
    for one in notes:
        if one.note:
            st.markdown(f"- {plain(one.note)} ({plain(one.who)})")
    st.page_link(
        "pages/rubrics.py",
        label=say("Reword {criterion}", criterion=plain(heading)),
        icon=":material/edit:",
        query_params={
            "sheet": found.sheet.name,
            "rubric": found.rubric.name,
            "edit": "1",
            "criterion": name,
        },
    )
    after_change(store, found.rubric, name)


def _examples(store: Store, listed: Filtered, here: Disagreement | None) -> None:
    """Graded answers that may be shown to a judge, and why others may not."""
    if here is None:
        st.write(say("There is no disagreement to find examples for."))
        return
    st.caption(say(similar_examples.WHY_NOT))
    offered = similar_examples.offered(store, listed.panel, here)
    if not offered:
        st.info(say(similar_examples.why_none(store, listed.panel)), icon=":material/info:")
        next_screen_link("pages/splits.py", said("Open splits"))
        return
    st.markdown(
        say(
            'Judges with `source = "graded"` under `[examples]` include such answers '
            "automatically. To choose one yourself, paste it below its score in the rubric."
        )
    )
    for one in offered:
        _offered(one, here.key.person)


def _offered(one: similar_examples.Offered, missed: int) -> None:
    item = one.stored.item
    gave = say(
        "{who} gave {score}, the score the judge missed; text similarity {likeness:.0%}."
        if one.score == missed
        else "{who} gave {score}, another score; text similarity {likeness:.0%}.",
        who=plain(one.who),
        score=one.score,
        likeness=one.likeness,
    )
    with st.container(border=True):
        st.markdown(f"**{plain(item.question)}**  \n{gave}")
        st.text(item.answer or say("(empty)"))
        if one.reason:
            st.caption(plain(one.reason))
        with st.expander(say("As TOML"), key=f"disagreements.toml.{one.stored.id}"):
            st.code(similar_examples.as_toml(one), language="toml", wrap_lines=True)


def offer_list(found: Report, listed: Filtered) -> None:
    """Add the list to the download menu, with what reading it does."""
    name = f"{found.sheet.name}-{found.rubric.name}-disagreements"
    offer_download(partial(_csv, listed), f"{name}.csv", "text/csv")
    offer_download_choice(_what_it_is)


def _what_it_is() -> None:
    st.caption(
        say(
            "Every disagreement of the list with question, answer, both scores and reasons, cause "
            "and note. It contains judges' grades, so anyone who reads it is no longer blind to "
            "these answers."
        )
    )


def _csv(listed: Filtered) -> bytes:
    """Return the list with the causes as they are now."""
    with own_store() as store:
        tags = disagreement.tags_of(store, listed.panel)
        rows = disagreements.with_cause(
            listed.panel, listed.rows, tags, listed.wanted.cause, listed.until
        )
        made = list(disagreement.in_full(store, listed.panel, rows, tags))
    return formula_escaping.frame_csv(pd.DataFrame(made))
