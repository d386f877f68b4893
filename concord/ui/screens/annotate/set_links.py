"""The ways into a grading set: grade it oneself, links to send, and packages for offline use."""

from urllib.parse import urlsplit

import streamlit as st

from concord.grading.grading_sets import GradingSet
from concord.messages import said
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.ui.frame import base_address, grader_link
from concord.ui.language import plain, say
from concord.ui.screens.annotate.offline_packages import fold
from concord.ui.screens.annotate.set_annotators import Person


def ways_in(store: Store, grading_set: GradingSet, rubric: Rubric, graders: list[Person]) -> None:
    """Show leads how annotators get to the set."""
    st.page_link(
        "pages/grade.py",
        label=say("Grade this set myself"),
        icon=":material/edit_note:",
        query_params={"set": str(grading_set.id)},
    )
    with st.expander(say("Links to send"), icon=":material/link:"):
        if store.who:
            _address_for_all(grading_set)
        else:
            _links(grading_set, graders)
    if not rubric.units:
        fold(store, grading_set)


def _links(grading_set: GradingSet, graders: list[Person]) -> None:
    """A link for anyone, and one for each annotator by name."""
    st.write(
        say(
            "A link opens only the grading screen, without judges or results. The first link asks "
            "for the annotator's name."
        )
    )
    if urlsplit(st.context.url or "").hostname in ("127.0.0.1", "localhost"):
        st.caption(
            say(
                "These links work on this machine only. To give colleagues access, start the app "
                "at an address they can reach. The README explains how, and the precautions to "
                "take."
            )
        )
    for name in ["", *(person.name for person in graders)]:
        st.caption(plain(name or said("For anyone")))
        st.code(
            f"{base_address()}{grader_link(grading_set.id, name)}", language=None, wrap_lines=True
        )


def _address_for_all(grading_set: GradingSet) -> None:
    """Show one address for all annotators; with sign-in, links by name are not needed."""
    st.write(
        say(
            "Everyone with access to this set grades it at this address, each with their own "
            "queue. Add annotators and give them access to sets on the screen Settings."
        )
    )
    st.code(f"{base_address()}{grader_link(grading_set.id, '')}", language=None, wrap_lines=True)
