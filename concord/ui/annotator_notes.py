"""Notes on annotators beside figures: warnings about some, and those who do not count."""

from collections.abc import Iterable, Mapping

import streamlit as st

from concord.messages import joined, said
from concord.reports.reliability.annotator_warnings import REMEDY, AnnotatorWarning
from concord.ui.language import plain


def warned(found: Iterable[AnnotatorWarning]) -> None:
    """Show the warnings about annotators."""
    for one in found:
        told = joined(" ", [one.sentence, REMEDY])
        st.warning(plain(told), icon=":material/person_alert:")


def uncounted(found: Mapping[str, str]) -> None:
    """Show which annotators do not count, and why."""
    for person, why in found.items():
        st.caption(plain(said("{person} does not count: {why}.", person=person, why=why)))
