"""TREC files that accompany answers or questions: relevance judgements (qrels) and a run."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.importing import trec
from concord.importing.columns import column_map
from concord.importing.readers.table import Table
from concord.messages import said
from concord.ui import import_findings
from concord.ui.language import plain, say
from concord.ui.upload import LIMIT_MB
from concord.ui.widgets import number_field

_READING = said("Reading the TREC file…")


def with_uploads(table: Table, key: str) -> tuple[Table, tuple]:
    """Return the table joined with uploaded TREC files, and a cache key of the choice.

    Raises:
        Problem: An invalid line, or no question in common; the choice stays on screen.
    """
    with st.expander(say("TREC files: qrels or a run"), key=f"{key}.trec"):
        st.caption(
            say(
                "Joined by question id. Qrels list the relevant documents, a run the retrieved "
                "ones. With a run, the file may contain questions only."
            )
        )
        left, right = st.columns(2)
        qrels = _file(left, "qrels", f"{key}.qrels")
        run = _file(right, say("Run file"), f"{key}.run")
        least = number_field(
            say("Minimum relevance that counts"),
            value=trec.RELEVANT_FROM,
            step=1,
            key=f"{key}.least",
            place=left,
        )
        column = _question_ids(right, table, key)
    if qrels is None and run is None:
        return table, ()
    named = (f"question_id={column}",) if column else ()
    wanted = (_id(qrels), _id(run), least, named)
    read = (lambda: trec.read_qrels(qrels.getvalue(), least, qrels.name)) if qrels else None
    relevant = _once(f"{key}.trec.qrels", (_id(qrels), least), read)
    read = (lambda: trec.read_run(run.getvalue(), run.name)) if run else None
    joined = trec.joined(table, named, relevant, _once(f"{key}.trec.run", (_id(run),), read))
    for note in joined.joins:
        st.caption(f":material/join: {plain(note)}")
    return joined, wanted


def _file(place, label: str, key: str) -> UploadedFile | None:
    return place.file_uploader(label, key=key, max_upload_size=LIMIT_MB)


def _question_ids(place, table: Table, key: str) -> str | None:
    """The column of question ids where the user names one; None leaves it to its name."""
    known = column_map(table.columns).column("question_id")
    return place.selectbox(
        say("Column of the question ids"),
        table.columns,
        None,
        key=f"{key}.trec.ids",
        placeholder=say("As recognised: {known}", known=known)
        if known
        else say("Choose, unless there is no header"),
    )


def _once(key: str, wanted: tuple, read):
    return import_findings.read_once(key, wanted, read, _READING) if read else None


def _id(file: UploadedFile | None) -> str | None:
    return file.file_id if file else None
