"""Choosing a file in the browser: the upload, what was recognised, and what is joined to it."""

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.importing.joining import Joined
from concord.importing.joining import joined as joined_tables
from concord.importing.readers.formats import BROWSER_MAX_BYTES, TITLES, open_table
from concord.importing.readers.table import Table
from concord.messages import Problem, joined, said
from concord.resources import COMMAND
from concord.text.encoding import LABELS
from concord.ui.caching import once
from concord.ui.language import plain, say
from concord.ui.render import table_of

LIMIT_MB = BROWSER_MAX_BYTES // 1024**2
_GUESSED, _READING = "Detected automatically", "Reading the file…"


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
    encoding = choices.selectbox(
        say("Encoding"),
        ["", *LABELS],
        format_func=lambda codec: say(LABELS.get(codec, _GUESSED)),
        key=f"{key}.encoding.{file.file_id}",
    )
    chosen = f"{key}.worksheet.{file.file_id}"
    how = {"encoding": encoding or None, "worksheet": st.session_state.get(chosen)}
    how["max_bytes"] = BROWSER_MAX_BYTES
    wanted = (file.file_id, *how.values(), *beside)
    try:
        table = once(
            f"{key}.table", wanted, lambda: read(file.getvalue(), file.name, **how), _READING
        )
    except Problem as problem:
        if problem.code == "several_lists":
            st.session_state[f"{chosen}.lists"] = problem.args[0].values["names"]
        raise
    finally:  # to choose another one, and the one where none is chosen yet
        if lists := st.session_state.get(f"{chosen}.lists"):
            none = say("Choose")
            choices.selectbox(say("List"), lists, index=None, key=chosen, placeholder=none)
    if len(table.worksheets) > 1:
        if table.worksheet:  # not always the first
            st.session_state.setdefault(chosen, table.worksheet)
        choices.selectbox(say("Worksheet"), table.worksheets, key=chosen)
    if not table.origin:
        described.markdown(say(_described(table)))
    judges = [one for one in (table.origin.judges if table.origin else ()) if any(one[1:])]
    if table.origin:
        st.markdown("\n".join(f"- {plain(sentence)}" for sentence in table.origin.sentences()))
    if judges:
        table_of([one._asdict() for one in judges], "judges")
    return table


def _described(table: Table) -> str:
    """Return sentences on how the file was read."""
    form, columns = table.format.upper(), len(table.columns)
    sentences = [said("**{form}**, columns: {n}.", form=form, n=columns)]
    sentences += [said("Read as {label}.", label=LABELS[table.encoding])] if table.encoding else []
    return joined(" ", [*sentences, *map(plain, table.skipped)])


def opened_and_joined(
    file: UploadedFile, key: str, read: Callable[..., Table], beside: tuple = ()
) -> Table:
    """The table with the columns of other files or lists that the user joins, and the counts."""
    table = opened(file, key, read, beside)
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
        joins = []
        for other in (*others, *names):
            name = getattr(other, "name", other)
            on = st.text_input(
                say("Key of {name}", name=plain(name)),
                key=f"{key}.join.{name}",
                help=say("A column of both, or COLUMN=COLUMN where it has another name there."),
            ).strip()
            joins += [(other, on)] if on else []
    wanted = tuple((getattr(other, "file_id", other), on) for other, on in joins)
    st.session_state[f"{key}.joins"] = wanted
    if not joins:
        return table

    def read_joined() -> tuple[Table, list[Joined]]:
        pairs = [(one if isinstance(one, str) else of_worksheet(one), on) for one, on in joins]
        return joined_tables(table, pairs)

    made, counts = once(f"{key}.joined", (*choice(key), table.columns), read_joined, _READING)
    for one in counts:
        st.caption(plain(one.sentence()))
    return made


def of_worksheet(file: UploadedFile, worksheet: str | None = None) -> Table:
    """Return one worksheet of the uploaded file as a table."""
    data = file.getvalue()
    return open_table(data, file.name, worksheet=worksheet, max_bytes=BROWSER_MAX_BYTES)


def choice(key: str) -> tuple:
    """Return a cache key of the table that `opened` gave last: the upload, choices and joins."""
    return (*st.session_state[f"{key}.table"][0], *st.session_state.get(f"{key}.joins", ()))
