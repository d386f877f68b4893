"""Choosing a file in the browser: the upload, what was recognised, and the user's word on it."""

from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.importing.joining import Joined
from concord.importing.joining import joined as joined_tables
from concord.importing.readers.encoding import LABELS
from concord.importing.readers.formats import BROWSER_MAX_BYTES, TITLES, is_encoded, open_table
from concord.importing.readers.table import Table
from concord.messages import Problem, joined, said
from concord.resources import COMMAND
from concord.ui.caching import once
from concord.ui.language import plain, say

LIMIT_MB = BROWSER_MAX_BYTES // 1024**2
_GUESSED = said("Detected automatically")


def uploaded(key: str, verb: str) -> UploadedFile | None:
    """The file uploader, with its limit and the way beyond it; `verb` is that of the CLI."""
    file = st.file_uploader(say("File"), key=f"{key}.file", max_upload_size=LIMIT_MB)
    if file is None:
        st.caption(
            say(
                "{formats}, up to {limit} MB. Import larger files on the command line: "
                "`{concord} {verb} FILE`. Nothing leaves this machine.",
                formats=TITLES,
                concord=COMMAND,
                limit=LIMIT_MB,
                verb=verb,
            )
        )
    return file


def opened(
    file: UploadedFile, key: str, read: Callable[..., Table] = open_table, beside: tuple = ()
) -> Table:
    """The uploaded file as a table, with how it was read and a way to read it otherwise.

    `read` reads it; `recognise.open_file` also recognises exports of other tools. `beside` is what
    else the table depends on.

    Raises:
        Problem: it is no sheet, or not in the encoding chosen; the choice stays on screen.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        described, choices = st.container(), st.container(width=250)
    with choices:
        encoding = _encoding(file, key)
    chosen = f"{key}.worksheet.{file.file_id}"
    try:
        table = _open(file, encoding, st.session_state.get(chosen), key, read, beside)
    except Problem as problem:
        if problem.code == "several_lists":
            st.session_state[f"{chosen}.lists"] = problem.args[0].values["names"]
        raise
    finally:  # to choose another one, and the one where none is chosen yet
        _pick_list(chosen, choices)
    with choices:
        if len(table.worksheets) > 1:
            if table.worksheet:  # not always the first
                st.session_state.setdefault(chosen, table.worksheet)
            st.selectbox(say("Worksheet"), table.worksheets, key=chosen)
    described.markdown(say(_described(table)))
    return table


def joined_with(file: UploadedFile, table: Table, key: str) -> Table:
    """The table with the columns of other files or lists that the user joins, and the counts."""
    lists = st.session_state.get(f"{key}.worksheet.{file.file_id}.lists") or table.worksheets
    with st.popover(say("Join a file or list"), icon=":material/join:"):
        others = st.file_uploader(
            say("Files"), key=f"{key}.join", accept_multiple_files=True, max_upload_size=LIMIT_MB
        )
        names = st.multiselect(
            say("Lists or worksheets of this file"),
            lists,
            key=f"{key}.join.lists",
            accept_new_options=True,
            placeholder=say("None"),
        )
        keys = {}
        for number, name in enumerate((*(other.name for other in others), *names)):
            keys[number, name] = st.text_input(
                say("Key of {name}", name=plain(name)),
                key=f"{key}.join.{name}",
                help=say("A column of both, or COLUMN=COLUMN where it has another name there."),
            ).strip()
    wanted = tuple((*one, on) for one, on in keys.items() if on)
    st.session_state[f"{key}.joins"] = wanted
    if not wanted:
        return table

    def read() -> tuple[Table, list[Joined]]:
        tables = [of_worksheet(other) for other in others]
        pairs = [(tables[n] if n < len(tables) else name, on) for n, name, on in wanted]
        return joined_tables(table, pairs)

    doing = said("Reading the file…")
    made, counts = once(f"{key}.joined", (*choice(key), table.columns), read, doing)
    for one in counts:
        st.caption(plain(one.sentence()))
    return made


def _pick_list(key: str, place: DeltaGenerator) -> None:
    """The list to read of a file of nested JSON that holds several."""
    if names := st.session_state.get(f"{key}.lists"):
        place.selectbox(say("List"), names, index=None, key=key, placeholder=say("Choose"))


def of_worksheet(file: UploadedFile, worksheet: str | None = None) -> Table:
    """Return one worksheet of the uploaded file as a table."""
    data = file.getvalue()
    return open_table(data, file.name, worksheet=worksheet, max_bytes=BROWSER_MAX_BYTES)


def choice(key: str) -> tuple:
    """Return a cache key of the table that `opened` gave last: the upload, choices and joins."""
    return (*st.session_state[f"{key}.table"][0], *st.session_state.get(f"{key}.joins", ()))


def _encoding(file: UploadedFile, key: str) -> str | None:
    """The user's word on the encoding; None leaves it to the guess."""
    if not is_encoded(file.name):
        return None
    chosen = st.selectbox(
        say("Encoding"),
        ["", *LABELS],
        format_func=lambda codec: say(LABELS.get(codec, _GUESSED)),
        key=f"{key}.encoding.{file.file_id}",
    )
    return chosen or None


def _open(
    file: UploadedFile,
    encoding: str | None,
    worksheet: str | None,
    key: str,
    read: Callable[..., Table],
    beside: tuple,
) -> Table:
    """Open the file once per choice, not once per rerun."""
    read = partial(read, encoding=encoding, worksheet=worksheet, max_bytes=BROWSER_MAX_BYTES)
    wanted = file.file_id, encoding, worksheet, *beside
    doing = said("Reading the file…")
    return once(f"{key}.table", wanted, lambda: read(file.getvalue(), file.name), doing)


def _described(table: Table) -> str:
    """Return sentences on how the file was read."""
    form, columns = table.format.upper(), len(table.columns)
    if table.origin:
        return say("Recognised: **{tool}**.", tool=plain(table.origin.tool))
    sentences = [
        said("**{form}** with {n} columns.", form=form, n=columns)
        if columns > 1
        else said("**{form}** with one column.", form=form)
    ]
    if table.encoding:
        sentences.append(table.encoding.sentence())
    return joined(" ", [*sentences, *map(plain, table.skipped)])
