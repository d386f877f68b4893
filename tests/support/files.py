"""Files made for a test."""

import csv
import io
from pathlib import Path


def csv_bytes(*rows) -> bytes:
    """Rows as the bytes of a CSV file."""
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def written(folder: Path, name: str, text: str) -> Path:
    """A new text file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
