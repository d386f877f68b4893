"""Rows of a table in the language of who reads it; what is downloaded stays English."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ui.language import say
from ui.widgets import table
from words.said import Said


def table_of(
    rows: Sequence[Mapping[str, Any]],
    name: str,
    whole: pd.DataFrame | None = None,
    columns: Mapping[str, Any] | None = None,
    **options,
) -> None:
    """Rows as a table that downloads as CSV.

    Args:
        rows: Each by its heads; heads and values that are said are shown in the reader's language.
        name: What the file is called.
        whole: What is downloaded, in English; the rows themselves where it is None.
        columns: How a column is shown, by its head.
        options: As those of `st.dataframe`.
    """
    held = pd.DataFrame(rows) if whole is None else whole
    config = {_word(head): one for head, one in (columns or {}).items()}
    table(spoken(rows), name, whole=held, column_config=config, **options)


def spoken(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as they are shown: heads and values that are said in the language, data as it is."""
    return pd.DataFrame([{_word(head): _word(one) for head, one in row.items()} for row in rows])


def _word(text: Any) -> Any:
    return say(text) if isinstance(text, Said) else text
