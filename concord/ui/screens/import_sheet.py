"""Import answers in three steps: see the file, map its columns, set the scale."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.importing import numbering
from concord.importing import spec as specs
from concord.importing.answer_file import AnswerSheet, read
from concord.importing.columns import ColumnMap, column_map
from concord.importing.fields import ITEM_FIELDS
from concord.importing.proposals import propose
from concord.importing.readers.encoding import LABELS
from concord.importing.readers.table import Table
from concord.importing.sheet_import import preview
from concord.importing.spec import Spec
from concord.messages import Problem, counted, said
from concord.store import imports
from concord.store.database import Store
from concord.store.imports import ImportMapping
from concord.ui import import_findings
from concord.ui.actions import refusals
from concord.ui.column_mapping import item_columns
from concord.ui.language import plain, say
from concord.ui.screens.import_scale import Scaled, scale
from concord.ui.screens.import_source import KEY, see, show_taken, take
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
        with taken:
            found = _read(store, table, scaled, wanted, mapped.key)
        rows.caption(
            say("First rows of the file ({rows} in total).", rows=counted(found.rows, "row"))
        )
        with taken:
            titles = {name: t for one in scaled.rubrics for name, t in one.headings().items()}
            show_taken(_once("preview", lambda: preview(found)), titles)
        # What needs no attention is imported without scrolling past the steps.
        with nullcontext() if found.refused() or scaled.is_new else above:
            # Show the contents of the file, then errors, then remarks.
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
            st.subheader(
                say(import_findings.refused(bad, found.rows) if bad else title), anchor=False
            )
            if bad:
                import_findings.bad_rows(found.bad_rows, found.table.source.stem)
            for flag in found.flags:
                st.caption(import_findings.flagged(flag))
            take(
                store,
                found,
                scaled.rubrics,
                specs.of(table, found.columns, scaled.rubrics, scaled.is_new, scaled.spelt),
            )


def _read(store: Store, table: Table, scaled: Scaled, wanted: tuple, key: str) -> AnswerSheet:
    """The file as it is mapped; answers that collide and differ are numbered, unless unticked."""
    rubrics, columns, words = scaled.rubrics, scaled.columns, scaled.words
    checking = said("Checking every row…")
    bodies = tuple(one.body() for one in rubrics)
    how = (*wanted, columns.spoken(), bodies, tuple(words.items()))
    plain_read = import_findings.read_once(
        f"{KEY}.plain", how, lambda: read(table, columns, rubrics, words), checking
    )
    collides = any(bad.problem.code == "two_contents" for bad in plain_read.bad_rows)
    number = st.checkbox(
        say("Number several answers of a question (QUESTION/a1, QUESTION/a2, …)"),
        collides,
        key=f"{key}.number.{collides}",
    )
    into = st.session_state.get(f"{KEY}.into.{plain_read.sha256}") or table.source.stem

    def numbered() -> AnswerSheet:
        return read(table, columns, rubrics, words, numbering.of_sheet(store, into))

    once = numbered if number else lambda: plain_read
    return import_findings.read_once(KEY, (*how, number and into), once, checking)


def _once(what: str, make):
    """Something of the file as it was read last, made once."""
    wanted = import_findings.last(KEY)
    return import_findings.read_once(f"{KEY}.{what}", wanted, make, said("Checking every row…"))


_PROPOSED = said("Proposed from the values")
_MOST = 10


class Mapped(NamedTuple):
    """The column map, and the spec it began with, which may also name a rubric."""

    columns: ColumnMap
    spec: Spec | None
    key: str


def mapping(store: Store, table: Table, key: str, wanted: tuple) -> Mapped:
    """Show the mapping, prefilled; `wanted` is the cache key of the table.

    Raises:
        Problem: something that is needed is not chosen yet, or a saved mapping does not fit.
    """
    title, saved = st.columns([3, 1], vertical_alignment="center")
    title.markdown(say("**2. Map:** assign columns to fields"))
    with saved.popover(say("Saved mapping"), icon=":material/bookmark:", width="stretch"):
        spec, source, words = _source(store, table, key)
    start = import_findings.read_once(
        f"{key}.start",
        (*wanted, source, words),
        lambda: _start(table, spec, words),
        said("Reading the file…"),
    )
    widgets = f"{key}.{'.'.join(map(str, (*wanted, source)))}"
    return Mapped(item_columns(table, start, widgets), spec, widgets)


def _source(store: Store, table: Table, key: str) -> tuple[Spec | None, str, Sequence[str]]:
    """Return the source of the mapping: a spec, or the words of an earlier import; else neither."""
    earlier = import_findings.read_once(
        f"{key}.earlier",
        (table.columns,),
        lambda: _fitting(table, imports.mappings(store)),
        said("Reading the file…"),
    )
    by_name = {
        say("As in the import of {file} into {sheet}", file=one.file, sheet=one.sheet): one
        for one in earlier
    }
    chosen = None
    if by_name:
        chosen = st.selectbox(
            say("Mapping"),
            [_PROPOSED, *by_name],
            format_func=lambda one: say(_PROPOSED) if one == _PROPOSED else one,
            key=f"{key}.mapping",
        )
    file = st.file_uploader(
        say("A saved mapping (.toml)"),
        type="toml",
        key=f"{key}.spec",
        on_change=read_as_saved,
        args=(key,),
    )
    if file is not None:
        return uploaded_spec(file), file.file_id, ()
    if chosen in by_name:
        return None, chosen, by_name[chosen].words
    return None, "", ()


def _start(table: Table, spec: Spec | None, words: Sequence[str]) -> tuple[str, ...]:
    """The words that a mapping begins with: saved, of an earlier import or a tool, or proposed."""
    if spec is not None:
        return spec.map
    words = words or (table.origin.words if table.origin else ())
    if words:
        mentioned = {word.partition("=")[0].rstrip(":") for word in words}
        return (*words, *(f"{field}=" for field in ITEM_FIELDS if field not in mentioned))
    proposal = propose(table)
    return (*proposal.words, *proposal.grades)


def _fitting(table: Table, earlier: list[ImportMapping]) -> list[ImportMapping]:
    """The mappings whose columns the file has."""
    found = []
    for one in earlier:
        try:
            column_map(table.columns, one.words)
        except Problem:
            continue
        found.append(one)
    return found[:_MOST]


def uploaded_spec(file: UploadedFile) -> Spec:
    """The uploaded spec; a Problem says what is wrong with it."""
    try:
        return specs.parse(file.getvalue().decode("utf-8-sig"), file.name)
    except UnicodeDecodeError:
        raise Problem(
            "{file} is not UTF-8 text. Choose a mapping saved here.", file=plain(file.name)
        ) from None


def read_as_saved(key: str) -> None:
    """Read the file in the worksheet and encoding of the spec, where it has them."""
    file, kept = st.session_state.get(f"{key}.spec"), st.session_state.get(f"{key}.table")
    if file is None or kept is None:
        return
    try:
        spec = uploaded_spec(file)
    except Problem:
        return  # which is shown where the mapping is
    (file_id, *_), table = kept
    if spec.worksheet in table.worksheets:
        st.session_state[f"{key}.worksheet.{file_id}"] = spec.worksheet
    if spec.encoding in LABELS and table.encoding:
        st.session_state[f"{key}.encoding.{file_id}"] = spec.encoding
