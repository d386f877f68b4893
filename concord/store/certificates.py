"""Certificates of judges, stored unchanged."""

import json
from collections.abc import Collection, Mapping

from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT

# Tables that a certificate's figures are based on; each is append-only.
_FACTS = (
    *("grades", "adjudications", "question_roles", "carried_versions", "annotator_states"),
    *("decisions", "looks"),
)


def last_rows(store: Store) -> dict[str, int]:
    """The last row of every table that figures rest on: what the database held at a moment."""
    return {table: store.value(f"select coalesce(max(id), 0) from {table}") for table in _FACTS}


def keep(store: Store, body: dict, sheet_id: int, grader_id: int, decision_id: int | None) -> int:
    """Keep a certificate as JSON with `made_at` and `expires_at`; its id."""
    with store.write():
        return store.insert(
            "certificates",
            decision_id=decision_id,
            sheet_id=sheet_id,
            grader_id=grader_id,
            body=json.dumps(body, ensure_ascii=False),
            created_at=body["made_at"],
            expires_at=body["expires_at"],
        )


def of_sheet(store: Store, sheet_id: int) -> list[tuple[int, dict]]:
    """Return every certificate of a sheet, newest first: (id, contents)."""
    rows = store.rows(
        "select id, body from certificates where sheet_id = ? order by id desc", (sheet_id,)
    )
    return [(row["id"], json.loads(row["body"])) for row in rows]


def newest(store: Store, grader_id: int) -> dict | None:
    """Return the contents of a judge's newest certificate; None without one."""
    body = store.value(
        "select body from certificates where grader_id = ? order by id desc limit 1", (grader_id,)
    )
    return json.loads(body) if body else None


def blindness(store: Store, item_ids: Collection[int], versions: Mapping[str, str]) -> list[Row]:
    """Count each annotator's current scores of some answers by blindness.

    Returns:
        Rows of name, grades, blind, seeing (given after seeing judges' grades) and unknown.
    """
    return store.rows(
        "select r.name, count(*) as grades, sum(g.blind is 1) as blind,"
        " sum(g.blind is 0) as seeing, sum(g.blind is null) as unknown"
        " from grades g join graders o on o.id = g.grader_id"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        " where g.item_id in (select value from json_each(?)) and r.kind = 'person'"
        " and g.unit_id is null and g.repeat = 1"
        f" and g.status = 'scored' and g.version in ({marks(versions)}) and {CURRENT}"
        " group by r.name order by r.name",
        (json.dumps([*item_ids]), *versions),
    )


def not_known_blind(
    store: Store, sheet_id: int, versions: Collection[str], units: bool = False
) -> list[Row]:
    """The annotators' current scores of which it is unknown whether they were given blind.

    Returns:
        Rows of graded (the id of the answer, or of its unit) and grader.
    """
    graded = "g.unit_id" if units else "g.item_id"
    return store.rows(
        f"select {graded} as graded, r.id as grader"
        " from grades g join graders o on o.id = g.grader_id"
        " join graders r on r.id = coalesce(o.merged_into, o.id)"
        " join items i on i.id = g.item_id"
        f" where i.sheet_id = ? and r.kind = 'person' and {graded} is not null"
        " and g.blind is null and g.repeat = 1"
        f" and g.version in ({marks(versions)}) and {CURRENT}",
        (sheet_id, *versions),
    )


def held_out_at(store: Store, question_ids: Collection[int]) -> str:
    """The moment since when all of these questions have been held out."""
    return store.value(
        "select max(created_at) from question_roles r where role = 'sealed' and id = (select"
        " max(id) from question_roles l where l.question_id = r.question_id)"
        f" and question_id in ({marks(question_ids)})",
        list(question_ids),
    )


def replied(
    store: Store,
    sheet_id: int,
    grader_id: int,
    versions: Collection[str],
    last: int | None = None,
    contents: Collection[str] | None = None,
) -> list[Row]:
    """Return the current grades that came of a judge's replies on a sheet.

    `last` is the newest grade to return, and `contents` are hashes; all without them.

    Returns:
        Rows of content_hash, cluster, version, repeat, status and score; a content that several
        items hold has the same rows for each.
    """
    within = "" if contents is None else " and i.content_hash in (select value from json_each(?))"
    return store.rows(
        "select distinct i.content_hash, coalesce('c' || q.cluster, 'q' || q.id) as cluster,"
        " g.version, g.repeat, g.status, g.score from grades g join items i on i.id = g.item_id"
        " join questions q on q.id = i.question_id where g.grader_id = ?"
        f" and i.sheet_id = ? and g.unit_id is null and {CURRENT}"
        f" and g.version in ({marks(versions)}) and (? is null or g.id <= ?){within}",
        (
            *(grader_id, sheet_id, *versions, last, last),
            *(() if contents is None else (json.dumps([*contents]),)),
        ),
    )


def clusters(store: Store, sheet_id: int, contents: Collection[str]) -> dict[str, str]:
    """The cluster, else the question, of each content of a sheet; of several the first."""
    rows = store.rows(
        "select i.content_hash, coalesce('c' || q.cluster, 'q' || q.id) as cluster from items i"
        " join questions q on q.id = i.question_id where i.sheet_id = ?"
        " and i.content_hash in (select value from json_each(?)) order by i.id desc",
        (sheet_id, json.dumps([*contents])),
    )
    return dict(rows)


def last_repeat(store: Store, grader_id: int, contents: Collection[str]) -> int:
    """The highest number of a repeat that a judge was asked of any of these contents; 0: none."""
    named = (grader_id, json.dumps([*contents]))
    within = "content_hash in (select value from json_each(?))"
    asked = store.value(
        f"select coalesce(max(repeat), 0) from replies where grader_id = ? and {within}", named
    )
    graded = store.value(
        "select coalesce(max(g.repeat), 0) from grades g join items i on i.id = g.item_id"
        f" where g.grader_id = ? and i.{within}",
        named,
    )
    return max(asked, graded)
