"""Import of the documents or questions that a sheet is built from."""

from pathlib import Path

import streamlit as st

from concord.building import drafts, open_questions
from concord.importing.readers import documents
from concord.importing.readers.documents import Reading
from concord.importing.readers.encoding import LABELS
from concord.messages import said, short
from concord.reports.workflow import building
from concord.store.database import Store
from concord.ui import render, upload
from concord.ui.actions import refusals
from concord.ui.frame import remember
from concord.ui.language import plain, say
from concord.ui.widgets import action_button, number_field

KINDS = {
    "files": said("Documents"),
    "folder": said("A folder on this machine"),
    "questions": said("A sheet of questions"),
}
SUFFIXES = sorted(suffix[1:] for suffix in documents.PLAIN | documents.HTML | documents.PDF)


def begin(store: Store, name: str | None) -> None:
    """Take in documents or questions, for a new sheet or for the one that is being built."""
    place = name or ""
    kind = st.segmented_control(
        say(short("From", said("What to build from"))),
        list(KINDS),
        default="files",
        format_func=lambda kind: say(KINDS[kind]),
        required=True,
        key=f"build.kind.{place}",
    )
    with refusals():
        if kind == "questions":
            _of_questions(store, name, place)
        else:
            _of_documents(store, name, kind, place)


def taken() -> None:
    """Show the last import, and every file that gave nothing, with the reason."""
    done = st.session_state.pop("build.taken", None)
    if done:
        st.info(plain(done.headline), icon=":material/description:")
        st.toast(plain(done.headline), duration="long")
        render.body(done, "import")


def _of_documents(store: Store, name: str | None, kind: str, place: str) -> None:
    if kind == "files":
        files = st.file_uploader(
            say("Markdown, text, HTML or PDF files"),
            type=SUFFIXES,
            accept_multiple_files=True,
            max_upload_size=documents.MAX_BYTES // 1_000_000,
            key=f"build.files.{place}",
        )
        given, suggested = bool(files), Path(files[0].name).stem if files else ""
    else:
        files = st.text_input(
            say("Folder"), placeholder="manuals", key=f"build.folder.{place}"
        ).strip()
        given, suggested = bool(files), Path(files).name
        st.caption(say("Includes subfolders. Hidden files are skipped."))
    sheet = _sheet_name(name, suggested, place)
    minimum, encoding = _how_to_read(place)
    if action_button(
        say("Import documents"),
        store.why_no_lead() or _why_not(given, sheet),
        icon=":material/note_add:",
        type="primary",
        key=f"build.take.{place}",
    ):
        if kind == "files":
            named = [(file.name, file.getvalue()) for file in files]
            read = documents.of_files(named, minimum, encoding)
        else:
            read = documents.read(files, minimum, encoding)
        _take(store, sheet, read)


def _why_not(given: bool, sheet: str) -> str | None:
    """Return why the import is disabled."""
    if not given:
        return say("Choose the documents first.")
    return None if sheet else say("Name the sheet first.")


def _take(store: Store, sheet: str, read: Reading) -> None:
    new = drafts.add_documents(store, sheet, read.documents)
    st.session_state["build.taken"] = building.intake_summary(read, new)
    if read.documents:
        remember(sheet=sheet, draft=None, start=None)
    st.rerun()


def _of_questions(store: Store, name: str | None, place: str) -> None:
    """Questions with their contexts, which models answer; no draft, no approval."""
    key = f"build.questions.{place}"
    file = upload.uploaded(key, "build --judge JUDGE --questions")
    if file is None:
        return
    table = upload.opened(file, key)
    mapped = st.text_input(
        say("Columns, if their names are ambiguous"),
        placeholder=say("question=Frage, context=Text"),
        key=f"{key}.map",
    )
    found = open_questions.of_table(
        table, file.name, [s.strip() for s in mapped.split(",") if s.strip()]
    )
    render.show(building.file_questions(found), file.name, folded=True)
    sheet = _sheet_name(name, Path(file.name).stem, place)
    if action_button(
        say("Import questions"),
        store.why_no_lead() or _why_not(True, sheet),
        icon=":material/playlist_add:",
        type="primary",
        key=f"build.take.{place}",
    ):
        new = open_questions.add(store, sheet, found, file.name)
        st.session_state["build.taken"] = building.imported_questions(found, new)
        remember(sheet=sheet, draft=None, start=None)
        st.rerun()


def _sheet_name(name: str | None, suggested: str, place: str) -> str:
    """The sheet that is being built; a new one is named after its file or folder."""
    if name:
        return name
    chosen = st.text_input(
        say("Name of the sheet"), placeholder=suggested or "manuals", key=f"build.name.{place}"
    )
    return " ".join((chosen or suggested).split())


def _how_to_read(place: str) -> tuple[int, str | None]:
    """The least length of a document, and the encoding where the guess is wrong."""
    with st.expander(say("Length and encoding")):
        minimum = number_field(
            say("Minimum length of a document, in letters and digits"),
            min_value=1,
            value=documents.MINIMUM,
            key=f"build.minimum.{place}",
            help=say("A Chinese, Japanese or Korean character counts as three."),
        )
        encoding = st.selectbox(
            say("Encoding of text files"),
            ["", *LABELS],
            format_func=lambda codec: LABELS.get(codec, say("Detected automatically")),
            key=f"build.encoding.{place}",
        )
    return minimum, encoding or None
