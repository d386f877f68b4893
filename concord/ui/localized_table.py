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
    """Show rows as a table with a CSV download.

    Args:
        rows: Cells by column head; heads and values that are messages are translated.
        name: File name of the download.
        whole: The download, in English; the rows themselves where None.
        column_config: Column configuration by untranslated head.
        options: Passed to `st.dataframe`.
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
