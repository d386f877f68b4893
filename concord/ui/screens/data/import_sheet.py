"""Importing answers in the browser in three steps: see the file, map its columns, set the scale."""

from contextlib import nullcontext

import streamlit as st

from concord.importing.answer_file import AnswerSheet, read
from concord.importing.preview import preview
from concord.importing.readers.table import Table
from concord.messages import counted, said
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.actions import refusals
from concord.ui.language import say
from concord.ui.screens.data.import_mapping import mapping
from concord.ui.screens.data.import_preview import show_taken
from concord.ui.screens.data.import_scale import Scaled, scale
from concord.ui.screens.data.import_source import see
from concord.ui.screens.data.import_spec import spec_of
from concord.ui.screens.data.sheet_intake import KEY, take
from concord.ui.upload import choice, uploaded


def import_sheet(store: Store) -> None:
    """The whole way from a file to a stored sheet."""
    file = uploaded(KEY, "import")
    if file is None:
        return
    above = st.container()
    with refusals():
        with st.container(border=True):
            st.markdown(say("**1. See:** the contents of the file"))
            table, rows = see(file, KEY)
        wanted = choice(KEY)
        with st.container(border=True):
            mapped = mapping(store, table, KEY, wanted)
            taken = st.container()
        scaled = scale(store, table, mapped.columns, mapped.spec, mapped.key)
        found = _read(table, scaled, wanted)
        rows.caption(
            say("First rows of the file ({rows} in total).", rows=counted(found.rows, "row"))
        )
        with taken:
            titles = scaled.rubric.headings() if scaled.rubric else {}
            show_taken(_once("preview", lambda: preview(found)), titles)
        # What needs no attention is imported without scrolling past the steps.
        with nullcontext() if found.refused() or scaled.is_new else above:
            _report(found)
            take(store, found, scaled.rubric, spec_of(found, scaled))


def _read(table: Table, scaled: Scaled, wanted: tuple) -> AnswerSheet:
    rubric, columns, words = scaled.rubric, scaled.columns, scaled.words
    return import_findings.read_once(
        KEY,
        (*wanted, columns.spoken(), rubric.body() if rubric else "", tuple(words.items())),
        lambda: read(table, columns, rubric, words),
        said("Checking every row…"),
    )


def _once(what: str, make):
    """Something of the file as it was read last, made once."""
    wanted = import_findings.last(KEY)
    return import_findings.read_once(f"{KEY}.{what}", wanted, make, said("Checking every row…"))


def _report(found: AnswerSheet) -> None:
    """Show the contents of the file, then errors, then remarks."""
    bad = found.refused()
    models = {item.answer_model for item in found.items} - {None}
    questions = {item.question_key for item in found.items}
    title = said(
        "{answers} to {questions} by {models} models, all valid"
        if len(models) > 1
        else "{answers} to {questions}, all valid",
        answers=counted(len(found.items), "answer"),
        questions=counted(len(questions), "question"),
        models=len(models),
    )
    st.subheader(say(import_findings.refused(bad, found.rows) if bad else title), anchor=False)
    if bad:
        import_findings.bad_rows(found.bad_rows, found.table.source.stem)
    for flag in found.flags:
        st.caption(import_findings.flagged(flag))
