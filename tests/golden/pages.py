"""What a page says, element by element, as text."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Radio, Selectbox, UnknownElement

from tests.golden.commands import GOLDEN, steadied

FRAME = ("screens", "tabs")  # links to other pages, the same on every page of a screen
ROWS = 25  # of a table, at most
TABLES = ("arrow_data_frame", "arrow_table", "dataframe", "table")
WITHOUT_VALUE = ("button", "download_button", "file_uploader", "link_button", "page_link")


def recorded(database: str, page: str, app: AppTest, folder: Path) -> dict[Path, str]:
    """What a page says of a database: file of the record -> its content."""
    said = [line for root in (app.sidebar, app.main) for line in _lines(root, 0)]
    path = GOLDEN / database / "pages" / f"{Path(page).stem}.txt"
    return {path: steadied("\n".join(said) + "\n", folder)}


def _lines(node, depth: int) -> Iterator[str]:
    """What a block or an element says, indented by where it stands."""
    pad = "  " * depth
    if hasattr(node, "children"):
        if str(getattr(node.proto, "id", "")).endswith(FRAME):
            return
        label = getattr(node, "label", "")
        if label:
            yield f"{pad}{node.type}: {label}"
        for child in node.children.values():
            yield from _lines(child, depth + bool(label))
        return
    if _is_frame(node):
        return
    for number, line in enumerate(_said(node).rstrip().split("\n")):
        yield f"{pad}{'' if number else f'{node.type}: '}{line}".rstrip()


def _is_frame(element) -> bool:
    """Whether it is the same on every page: the picker of languages, and the page's own one."""
    return element.key == "pick.lang" or _body(element).startswith("<script>document.document")


def _body(element) -> str:
    return str(getattr(element.proto, "body", ""))


def _said(element) -> str:
    if element.type in TABLES:
        return f"\n{_table(element.value)}"
    if isinstance(element, UnknownElement):  # charts, and panes that run in the browser
        return _body(element)
    told = [str(getattr(element, "label", "") or "")]
    if hasattr(element, "options"):
        told += [f"of {list(element.options)!r}", f"chosen {_chosen(element)!r}"]
    elif element.type not in WITHOUT_VALUE:
        value = element.value
        told.append("" if value is None else str(value))
    told.append(str(getattr(element, "delta", "")))
    return " | ".join(filter(None, told))


def _chosen(element) -> list[str]:
    """What is chosen, in the words in which it is offered."""
    for name in ("formatted_values", "values"):
        if hasattr(element, name):
            return list(getattr(element, name))
    if not isinstance(element, Selectbox | Radio):
        return [str(element.value)]
    return [] if element.index is None else [element.options[element.index]]


def _table(value) -> str:
    frame = value if isinstance(value, pd.DataFrame) else value.data
    text = frame.head(ROWS).to_csv(float_format="%.12g")
    more = len(frame) - ROWS
    return f"{text}and {more} more rows" if more > 0 else text
