"""Guard: what the connection of a signed-in person can reach, held by SQLite itself.

A lead's connection reaches everything, and each change it makes is noted with who and when. A
viewer's reads what a lead's does and writes nothing but the notes that someone looked. A grader's
sees, under the names of the tables, views of the grader's own queue: no answering model, no other
grader, no judge. Whatever else a statement names is refused before it runs, by whichever module,
and a row for another grader cannot be written.
"""

import sqlite3
from collections.abc import Collection
from functools import partial
from typing import NamedTuple

from data.clock import now

LEAD, VIEWER, GRADER = "lead", "viewer", "grader"
ROLES = (GRADER, LEAD, VIEWER)


class Who(NamedTuple):
    """A signed-in person; `grader_id` is under which id the person grades, None for others."""

    name: str
    role: str
    grader_id: int | None = None


SECRET = {"invitations", "sessions", "sign_ins", "pack_keys"}
FOR_LEADS = {("gold_answers", "score"), ("gold_answers", "why")}
LOOKED = {"openings", "looks"}
# Of these every change is one of a few, and worth a line; grades and replies name their own who.
NOTED = (
    *("sheets", "imports", "removed_sheets", "question_roles", "rubrics", "carried_versions"),
    *("graders", "grading_sets", "set_graders", "campaigns", "block_moves", "runs", "packs"),
    *("adjudications", "decisions", "certificates", "members", "member_roles"),
)

_MINE = (
    "select s.set_id from main.set_graders s where s.grader_id = {me} and s.joins and not exists"
    " (select 1 from main.set_graders later where later.set_id = s.set_id"
    " and later.grader_id = s.grader_id and later.id > s.id)"
)
_TO_GRADE = ("grading_set_items", "practice_answers", "gold_answers")
_ITEM = " or ".join(
    f"exists (select 1 from main.{table} m where m.item_id = {{column}} and m.set_id in ({_MINE}))"
    for table in _TO_GRADE
).join("()")
_LIST = (
    f"exists (select 1 from main.decompositions of where of.id = {{column}}"
    f" and {_ITEM.replace('{column}', 'of.item_id')})"
)
# What was agreed on an answer is shown once all its criteria are on disk.
_PRACTISED = (
    "exists (select 1 from main.practice_answers p where p.item_id = t.item_id and p.is_in"
    f" and p.set_id in ({_MINE}) and {{condition}} and not exists"
    " (select 1 from json_each(p.versions) v where not exists (select 1 from main.grades g"
    " where g.item_id = p.item_id and g.version = v.value and g.grader_id = {me})))"
)
# What a grader's connection sees of each table, by a condition on its rows `t`.
_ROWS = {
    "grading_sets": f"t.id in ({_MINE})",
    "grading_set_items": f"t.set_id in ({_MINE})",
    "sheets": f"t.id in (select g.sheet_id from main.grading_sets g where g.id in ({_MINE}))",
    "items": _ITEM.replace("{column}", "t.id"),
    "questions": "exists (select 1 from main.items i where i.question_id = t.id"
    f" and {_ITEM.replace('{column}', 'i.id')})",
    "graders": "t.id = {me} or t.kind <> 'person'",  # a list made by a model is checked too
    "set_graders": "t.grader_id = {me}",
    "campaigns": f"t.set_id in ({_MINE})",
    "block_moves": f"t.set_id in ({_MINE})",
    "practice_answers": f"t.set_id in ({_MINE})",
    # Once it is in the queue it can no longer be told from another.
    "gold_answers": f"t.set_id in ({_MINE}) and not exists (select 1 from main.assignments a"
    " where a.set_id = t.set_id and a.item_id = t.item_id and a.grader_id = {me})",
    "adjudications": "t.triggered_by = 'practice' and "
    + _PRACTISED.replace("{condition}", "t.version in (select value from json_each(p.versions))"),
    "comments": _PRACTISED.replace("{condition}", "p.set_id = t.set_id"),
    "assignments": f"t.grader_id = {{me}} and t.set_id in ({_MINE})",
    "grades": "t.grader_id = {me}",
    "openings": "t.grader_id = {me}",
    "regrade_requests": "t.grader_id = {me}",
    "units": _ITEM.replace("{column}", "t.item_id"),
    "decompositions": _ITEM.replace("{column}", "t.item_id"),
    "decomposition_units": _LIST.replace("{column}", "t.decomposition_id"),
    "decomposition_approvals": "t.grader_id = {me}",
    "list_checks": "exists (select 1 from main.grades g where g.id = t.grade_id"
    " and g.grader_id = {me})",
}
# What would tell who answered, in columns that are otherwise shown.
_HIDDEN = {
    ("items", "own_id"): "null",
    ("items", "identity"): "cast(t.id as text)",
    ("items", "answer_model"): "null",
    ("items", "metadata"): "json_object('judge_date', json_extract(t.metadata, '$.judge_date'))",
    ("gold_answers", "score"): "null",
    ("gold_answers", "why"): "null",
    ("adjudications", "grader_id"): "null",
    **{
        ("graders", column): f"case when t.id = {{me}} then t.{column} end"
        for column in ("name", "fingerprint", "definition", "login")
    },
}
_WHOLE = {
    *("rubrics", "criteria", "carried_versions", "settings"),
    *("json_each", "sqlite_master"),
}
_GRADER_WRITES = {
    sqlite3.SQLITE_INSERT: {
        *("grades", "assignments", "openings", "list_checks", "criteria", "comments"),
    },
    sqlite3.SQLITE_UPDATE: {("assignments", "position")},
}
_PRAGMAS = {"busy_timeout", "data_version", "user_version"}
_REFUSED = "this belongs to another grader"
_CHANGES = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)
_SHAPES = {
    value
    for name, value in vars(sqlite3).items()
    if name.startswith(("SQLITE_CREATE", "SQLITE_DROP", "SQLITE_ALTER", "SQLITE_ATTACH"))
    or name in ("SQLITE_DETACH", "SQLITE_REINDEX")
}


def limit(connection: sqlite3.Connection, who: Who) -> None:
    """Hold a connection to what a person may reach, for as long as it is open."""
    rule = _RULES[who.role]
    if who.role == GRADER:
        rule = partial(rule, _keys(connection))
        _show_own(connection, who.grader_id)
        _refuse_others(connection, who.grader_id)
    elif who.role == LEAD:
        _note_changes(connection, who.name)
    connection.set_authorizer(rule)


def narrow(
    connection: sqlite3.Connection, who: Who | None, rows: dict[str, str], shut: Collection[str]
) -> None:
    """See of some tables only some rows, of others none, and else what one could see before.

    `rows` gives a condition on the rows `t` of each table. Not for a grader, who sees less already.
    """
    if who and who.role == GRADER:
        raise ValueError("a grader's connection sees views of the own queue alone")
    connection.set_authorizer(None)
    for table, condition in rows.items():
        connection.execute(
            f"create temp view {table} as select t.* from main.{table} t where {condition}"
        )
    before = _RULES[who.role if who else LEAD]
    connection.set_authorizer(partial(_of_narrow, before, {*rows}, {*shut}))


def _keys(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """The columns that SQLite itself reads to hold the foreign keys of what a grader writes."""
    writes = _GRADER_WRITES[sqlite3.SQLITE_INSERT]
    rows = connection.execute(
        'select t.name, k."from", k."table", coalesce(k."to", p.name) from sqlite_master t'
        ' join pragma_foreign_key_list(t.name) k left join pragma_table_info(k."table") p'
        " on p.pk = 1 where t.type = 'table'"
    )
    keys = {("assignments", "id")}  # and the place that is moved to the end
    for child, column, parent, referred in rows:
        keys |= {(parent, referred)} if child in writes else set()
        keys |= {(child, column)} if parent in writes else set()
    return keys


def _show_own(connection: sqlite3.Connection, me: int) -> None:
    for table, condition in _ROWS.items():
        columns = [row[1] for row in connection.execute(f"pragma main.table_info({table})")]
        shown = ", ".join(f"{_HIDDEN.get((table, one), f't.{one}')} as {one}" for one in columns)
        view = f"create temp view {table} as select {shown} from main.{table} t where {condition}"
        connection.execute(view.replace("{me}", str(int(me))))


def _refuse_others(connection: sqlite3.Connection, me: int) -> None:
    item = _ITEM.replace("{column}", "new.item_id").replace("{me}", str(int(me)))
    theirs = f"new.grader_id is not {int(me)}"
    practised = "exists (select 1 from main.practice_answers p where p.item_id = new.item_id"
    practised += f" and p.set_id = new.set_id and p.set_id in ({_MINE}))"
    practised = practised.replace("{me}", str(int(me)))
    for table, event, refused in (
        ("grades", "insert", f"{theirs} or not {item}"),
        ("assignments", "insert", f"{theirs} or not {item}"),
        ("openings", "insert", theirs),
        ("comments", "insert", f"{theirs} or not {practised}"),
        ("assignments", "update", f"{theirs} or old.grader_id is not {int(me)}"),
    ):
        connection.execute(
            f"create temp trigger {table}_{event}_own before {event} on main.{table}"
            f" when {refused} begin select raise(abort, '{_REFUSED}'); end"
        )


def _note_changes(connection: sqlite3.Connection, name: str) -> None:
    quoted = name.replace("'", "''")
    connection.create_function("concord_now", 0, now)
    for table in NOTED:
        for event, row in (("insert", "new"), ("update", "new"), ("delete", "old")):
            connection.execute(
                f"create temp trigger {table}_{event}_noted after {event} on main.{table} begin"
                " insert into changes (who, what, table_name, row_id, at) values"
                f" ('{quoted}', '{event}', '{table}', {row}.id, concord_now()); end"
            )


def _of_lead(action, table, column, database, within) -> int:
    return sqlite3.SQLITE_OK


def _of_viewer(action, table, column, database, within) -> int:
    if action in _CHANGES:
        return _allowed(table in LOOKED or _makes_json_each(action, table))
    if action == sqlite3.SQLITE_READ:
        return _allowed(table not in SECRET and (table, column) not in FOR_LEADS)
    return _of_neither(action, table)


def _of_grader(keys, action, table, column, database, within) -> int:
    if action in _CHANGES:
        writes = _GRADER_WRITES.get(action, ())
        own = table in writes or (table, column) in writes
        return _allowed(own or _makes_json_each(action, table))
    if action != sqlite3.SQLITE_READ:
        return _of_neither(action, table)
    shown = database != "main" or within in _ROWS or str(within).endswith("_own")
    # Of a view of which no column is read SQLite tells only the name: a bare count is no secret.
    counted = table in _ROWS and column == ""
    return _allowed(shown or counted or table in _WHOLE or (table, column) in keys)


def _of_narrow(before, rows, shut, action, table, column, database, within) -> int:
    if action == sqlite3.SQLITE_READ:
        noting = str(within).endswith("_noted")  # the number of a row that a lead changed
        whole = table in rows and database == "main" and within not in rows and not noting
        if whole or table in shut:
            return sqlite3.SQLITE_DENY
    return before(action, table, column, database, within)


def _of_neither(action, name) -> int:
    """Whether what neither reads nor writes rows may run: no pragma that loosens, no new shape."""
    if action == sqlite3.SQLITE_PRAGMA:
        return _allowed(name in _PRAGMAS)
    return _allowed(action not in _SHAPES)


def _makes_json_each(action, table) -> bool:
    """Whether SQLite makes its own table `json_each` known, which writes nothing."""
    return action == sqlite3.SQLITE_UPDATE and table == "sqlite_master"


def _allowed(is_allowed: bool) -> int:
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


_RULES = {LEAD: _of_lead, VIEWER: _of_viewer, GRADER: _of_grader}
