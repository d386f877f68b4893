"""DataFrames as tables, through the same reader as files."""

import io
from typing import TYPE_CHECKING

from concord.importing.readers.formats import open_table
from concord.importing.readers.table import Table
from concord.library import arguments
from concord.messages import Problem

if TYPE_CHECKING:
    import pandas as pd


def table(frame: "pd.DataFrame") -> Table:
    """The table of a DataFrame; its index is not read.

    Raises:
        Problem: It is no DataFrame, two columns have one name, or values of one column differ in
            type.
    """
    if not hasattr(frame, "to_parquet"):
        raise Problem(
            "Answers and grades are imported from a file or a DataFrame, not from {kind}. Name a "
            "file, or make a DataFrame with pandas.DataFrame(...).",
            kind=type(frame).__name__,
        )
    return open_table(_parquet(frame), arguments.FRAME)


def _parquet(frame: "pd.DataFrame") -> bytes:
    """Return a DataFrame as a file, so that one reader checks both."""
    import pyarrow

    held = io.BytesIO()
    try:
        frame.to_parquet(held, index=False, engine="pyarrow")
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, ValueError) as error:
        raise Problem(
            "The DataFrame cannot be read: {reason}. Give every column a name of its own, and "
            "values of one type.",
            reason=str(error).partition("\n")[0].rstrip("."),
        ) from error
    return held.getvalue()
