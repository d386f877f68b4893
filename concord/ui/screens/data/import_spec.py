"""The mapping of an import as a spec: saved from the screen, and uploaded to be used again."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from concord.importing import spec as specs
from concord.importing.answer_file import AnswerSheet
from concord.importing.columns import column_map
from concord.importing.readers.encoding import LABELS
from concord.importing.spec import NewRubric, Spec
from concord.messages import Problem
from concord.rubrics import fit
from concord.ui.language import plain
from concord.ui.screens.data.import_scale import Scaled


def spec_of(found: AnswerSheet, scaled: Scaled) -> Spec:
    """The spec of what is on screen."""
    table, rubric = found.table, scaled.rubric
    by_name = column_map(table.columns)
    unused = {*by_name.fields, *by_name.ambiguous} - {*found.columns.fields}
    made = NewRubric.model_validate(fit.as_table(rubric)) if rubric and scaled.is_new else None
    return specs.of(
        found.columns,
        [f"{field}=" for field in sorted(unused)],
        rubric=rubric.name if rubric else None,
        scores={word: "" if score is None else score for word, score in scaled.spelt.items()},
        new_rubric=made,
        worksheet=table.worksheet if len(table.worksheets) > 1 else None,
    )


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
