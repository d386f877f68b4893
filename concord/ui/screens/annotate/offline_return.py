"""Files of annotators without access that came back: what they hold, and taking them in."""

from functools import partial

import streamlit as st

from concord.grading.offline import take_back
from concord.grading.offline.take_back import Coming
from concord.importing import sheet_import
from concord.messages import Problem, counted, said
from concord.store.database import Store
from concord.ui import import_findings
from concord.ui.actions import changing, refusals
from concord.ui.language import plain, say
from concord.ui.upload import LIMIT_MB, of_worksheet

_CHOICES = {
    None: said("Import nothing and report the difference"),
    sheet_import.KEEP: said("Keep the stored grades"),
    sheet_import.REPLACE: said("Replace the stored grades"),
}


def take_back_file(store: Store, key: str) -> None:
    """Ask for a file that came back, show what it holds, and take it in."""
    taken = st.session_state.pop(f"{key}.said", None)
    if taken:
        st.success(plain(taken), icon=":material/check:")
    file = st.file_uploader(
        say("Returned file"),
        key=f"{key}.file",
        max_upload_size=LIMIT_MB,
    )
    if file is None:
        return
    with refusals():
        coming = import_findings.read_once(
            key, (file.file_id,), lambda: _read(store, file), said("Checking every row…")
        )
        _report(coming, key)


def _read(store: Store, file) -> Coming:
    table = take_back.table_of(of_worksheet(file), partial(of_worksheet, file))
    if table is None:
        raise Problem(
            "{file} has no row codes, so it is not one of these files. Import grades of other "
            "files on Sheets.",
            file=file.name,
        )
    return take_back.read(store, table, {})


def _report(coming: Coming, key: str) -> None:
    read, bad = coming.read, coming.read.refused()
    annotators = ", ".join(pack.grader for pack in read.packs)
    good = counted(len(read.grades), "valid grade")
    st.write(plain(said("{annotators}: {grades}.", annotators=annotators, grades=good)))
    for sentence in read.skipped():
        st.caption(plain(sentence))
    if bad:
        st.write(say("Incomplete or invalid: {rows}.", rows=counted(bad, "row")))
        import_findings.bad_rows(read.bad_rows, read.table.source.stem)
    if not read.grades:
        return
    agreed = not bad or import_findings.without(
        len(read.grades),
        said("grades"),
        counted(len(read.bad_rows), "fault"),
        read.warnings(),
        f"{key}.without.{read.sha256}",
        read.left_out(),
    )
    chosen = f"{key}.choice.{read.sha256}"
    st.radio(
        say("Where a stored grade differs"),
        list(_CHOICES),
        format_func=lambda one: say(_CHOICES[one]),
        key=chosen,
    )
    st.button(
        say("Import grades"),
        type="primary",
        disabled=not agreed,
        key=f"{key}.take",
        on_click=_take,
        args=(coming, bool(bad), chosen, key),
    )


def _take(coming: Coming, partial: bool, chosen: str, key: str) -> None:
    with changing(f"{key}.refused") as store:
        taken = take_back.take(store, coming, partial, st.session_state[chosen])
        import_findings.forget(key)
        st.session_state[f"{key}.said"] = taken.sentence(coming.sheet.name)
