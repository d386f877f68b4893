"""Looking through a sheet page by page, without reading all of it."""

from concord.store import items
from concord.store.database import Store
from concord.store.items import Stored
from concord.text.normal_form import normalised


def page(store: Store, sheet_id: int, number: int, size: int) -> list[Stored]:
    """The answers of page `number` (from 1) of a sheet, in the order of the file."""
    rows = store.rows(
        "select id from items where sheet_id = ? order by id limit ? offset ?",
        (sheet_id, size, size * (number - 1)),
    )
    return items.items(store, [row["id"] for row in rows])


def pages(answers: int, size: int) -> int:
    """How many pages of `size` so many answers fill; at least one."""
    return max(1, -(-answers // size))


def matching(store: Store, sheet_id: int, words: str) -> set[int]:
    """The ids of the answers whose question, answer or id holds some words.

    Width, case and white space do not count, in any script.
    """
    wanted = normalised(words)
    rows = store.each(
        "select i.id, q.text, i.answer, coalesce(i.own_id, i.id), coalesce(q.own_id, '')"
        " from items i join questions q on q.id = i.question_id where i.sheet_id = ?",
        (sheet_id,),
    )
    return {row[0] for row in rows if any(wanted in normalised(str(text)) for text in row[1:])}
