"""Anchors: the scores that a judge gave certain contents, reply by reply."""

from collections.abc import Collection

from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT


def replied(
    store: Store,
    sheet_id: int,
    grader_id: int,
    versions: Collection[str],
    contents: Collection[str],
) -> list[Row]:
    """Return the grades that came of a judge's replies to some contents, by hash, of a sheet.

    Returns:
        Rows of content_hash, version, repeat, status and score; a content that several items of
        the sheet hold has the same rows for each.
    """
    return store.rows(
        "select distinct i.content_hash, g.version, g.repeat, g.status, g.score"
        " from grades g join items i on i.id = g.item_id where g.grader_id = ?"
        f" and i.sheet_id = ? and g.unit_id is null and {CURRENT}"
        f" and g.version in ({marks(versions)}) and i.content_hash in ({marks(contents)})",
        (grader_id, sheet_id, *versions, *contents),
    )


def last_repeat(store: Store, grader_id: int, contents: Collection[str]) -> int:
    """The highest number of a repeat that a judge was asked of any of these contents; 0: none."""
    named = (grader_id, *contents)
    asked = store.value(
        "select coalesce(max(repeat), 0) from replies where grader_id = ?"
        f" and content_hash in ({marks(contents)})",
        named,
    )
    graded = store.value(
        "select coalesce(max(g.repeat), 0) from grades g join items i on i.id = g.item_id"
        f" where g.grader_id = ? and i.content_hash in ({marks(contents)})",
        named,
    )
    return max(asked, graded)
