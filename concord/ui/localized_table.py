"""Tables in the language of the reader, downloaded as CSV in English."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from concord.importing.readers import formula_escaping
from concord.ui.language import say, word


def table_of(
    rows: Sequence[Mapping[str, Any]],
    name: str,
    whole: pd.DataFrame | None = None,
    column_config: Mapping[str, Any] | None = None,
    **options,
) -> None:
    """Rows as a table that downloads as CSV.

    Args:
        rows: Each by its heads; heads and values that are said are shown in the reader's language.
        name: What the file is called.
        whole: What is downloaded, in English; the rows themselves where it is None.
        column_config: How a column is shown, by its head as the rows have it.
        options: As those of `st.dataframe`.
    """
    held = pd.DataFrame(rows) if whole is None else whole
    config = {word(head): one for head, one in (column_config or {}).items()}
    table(spoken(rows), name, whole=held, column_config=config, **options)


def spoken(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as they are shown: heads and values that are said in the language, data as it is."""
    return pd.DataFrame([{word(head): word(one) for head, one in row.items()} for row in rows])


def table(frame: pd.DataFrame, name: str, whole: pd.DataFrame | None = None, **options) -> None:
    """A table that downloads as CSV.

    `whole` is what is downloaded where it is more than what is shown, or in English.
    """
    st.dataframe(frame, hide_index=True, alt=say("Table: {name}", name=name), **options)
    held = frame if whole is None else whole
    st.download_button(
        say("Download as CSV"),
        lambda: formula_escaping.frame_csv(held),
        f"{name}.csv",
        "text/csv",
        key=f"csv.{name}",
        icon=":material/download:",
    )
