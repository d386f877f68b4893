"""Old links to an entry, from when there were three lists with filters of their own."""

import streamlit as st

from concord.rubrics.model import of_units

# What a parameter was called -> what it is called, and what its value begins with.
_RENAMED = {
    "at": ("entry", "contradicted."),
    "answer": ("entry", "claims."),
    "answered": ("answer_model", ""),
    "units": ("criterion", ""),
}


def renew() -> None:
    """Rename the parameters of an old link in the URL."""
    query = st.query_params
    for old in _RENAMED.keys() & query.keys():
        name, prefix = _RENAMED[old]
        query[name] = prefix + query.pop(old)
    if query.get("list") == "contradicted" and query.get("rubric") in of_units():
        query["criterion"] = query.pop("rubric")
