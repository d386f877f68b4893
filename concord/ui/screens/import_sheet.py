"""Import answers in three steps: see the file, map its columns, set the scale."""

from collections.abc import Sequence
from contextlib import nullcontext

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.importing import numbering
from concord.importing import spec as specs
from concord.importing.answer_file import AnswerSheet, read
from concord.importing.columns import ColumnMap, has_columns
from concord.importing.fields import ITEM_FIELDS
from concord.importing.proposals import propose
from concord.importing.readers.table import Table
from concord.importing.spec import Spec
from concord.messages import Problem, counted, said
from concord.reports.workflow.import_preview import preview
from concord.store import imports
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.actions import refusals
from concord.ui.column_mapping import item_columns
from concord.ui.import_findings import read_once
from concord.ui.language import plain, say
from concord.ui.screens.import_scale import Scaled, scale
from concord.ui.screens.import_source import KEY, see, show_taken, take
from concord.ui.upload import choice, uploaded

_PROPOSED = "Proposed from the values"
_MOST = 10


def import_sheet(store: Store) -> None:
    """The whole way from a file to a stored sheet."""
    file = uploaded(KEY, "import")
    if file is None:
        return
    above = st.container()
    with refusals():
        with st.container(border=True):
            st.markdown(say("**1. See:** the contents of the file"))
            table, rows = see(file)
        with st.container(border=True):
            columns, spec, key = _mapping(store, table)
            taken = st.container()
        scaled = scale(store, table, columns, spec, key)
        with taken:
            found, number = _read(store, table, scaled, spec, key)
            titles = {name: t for one in scaled.rubrics for name, t in one.headings().items()}
            seen = read_once(f"{KEY}.preview", import_findings.last(KEY), lambda: preview(found))
            show_taken(seen, titles)
        total = counted(found.rows, "row")
        rows.caption(say("First rows of the file ({rows} in total).", rows=total))
        # What needs no attention is imported without scrolling past the steps.
        with nullcontext() if found.refused() or scaled.is_new else above:
            good = said(
                "{answers} to {questions}, all valid",
                answers=counted(seen["answers"], "answer"),
                questions=counted(seen["questions"], "question"),
            )
            import_findings.report(found, good)
            spec = specs.of(
                *(table, found.columns, scaled.rubrics, scaled.is_new, scaled.words),
                number_answers=number,
            )
            take(store, found, scaled.rubrics, spec)


def _read(
    store: Store, table: Table, scaled: Scaled, spec: Spec | None, key: str
) -> tuple[AnswerSheet, bool]:
    """The file as it is mapped, and whether its answers are numbered.

    They are where they collide and differ or the spec says so, unless unticked.
    """
    columns, rubrics, words, _, spread = scaled
    bodies = tuple(one.body() for one in rubrics)
    how = (*choice(KEY), columns.spoken(), bodies, tuple(words.items()), tuple(spread))

    def reading(numbers: numbering.Numbers | None = None) -> AnswerSheet:
        return read(table, columns, rubrics, words, numbers, spread)

    plain_read = read_once(f"{KEY}.plain", how, reading)
    collides = any(bad.problem.code == "two_contents" for bad in plain_read.bad_rows)
    number = st.checkbox(
        say("Number several answers of a question (QUESTION/a1, QUESTION/a2, …)"),
        collides or bool(spec and spec.number_answers),
        key=f"{key}.number.{collides}",
    )
    into = st.session_state.get(f"{KEY}.into.{plain_read.sha256}") or table.source.stem
    found = read_once(
        KEY,
        (*how, number and into),
        lambda: reading(numbering.of_sheet(store, into)) if number else plain_read,
    )
    return found, number


def _mapping(store: Store, table: Table) -> tuple[ColumnMap, Spec | None, str]:
    """Show the mapping, prefilled: the map, the spec it began with, and a key of its widgets.

    Raises:
        Problem: something that is needed is not chosen yet, or a saved mapping does not fit.
    """
    title, saved = st.columns([3, 1], vertical_alignment="center")
    title.markdown(say("**2. Map:** assign columns to fields"))
    earlier = read_once(
        f"{KEY}.earlier",
        (table.columns,),
        lambda: [o for o in imports.mappings(store) if has_columns(table, o.words)][:_MOST],
    )
    by_name = {
        say("As in the import of {file} into {sheet}", file=one.file, sheet=one.sheet): one.words
        for one in earlier
    }
    chosen, spec = "", None
    with saved.popover(say("Saved mapping"), icon=":material/bookmark:", width="stretch"):
        if by_name:
            chosen = st.selectbox(
                say("Mapping"),
                ["", *by_name],
                format_func=lambda one: one or say(_PROPOSED),
                key=f"{KEY}.mapping",
            )
        file = st.file_uploader(say("A saved mapping (.toml)"), type="toml", key=f"{KEY}.spec")
        if file is not None:
            spec, chosen = _uploaded_spec(file), file.file_id
    words = by_name.get(chosen, ())
    begun = (*choice(KEY), chosen)
    start = read_once(f"{KEY}.start", begun, lambda: _start(table, spec, words))
    key = f"{KEY}.{'.'.join(map(str, begun))}"
    return item_columns(table, start, key), spec, key


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


def _uploaded_spec(file: UploadedFile) -> Spec:
    """The uploaded spec; a Problem says what is wrong with it."""
    try:
        return specs.parse(file.getvalue().decode("utf-8-sig"), file.name)
    except UnicodeDecodeError:
        raise Problem(
            "{file} is not UTF-8 text. Choose a mapping saved here.", file=plain(file.name)
        ) from None
