"""Permissions of a signed-in member's connection, enforced by SQLite itself.

A lead's connection may do everything but change the audit log, to which it only adds; each of its
changes is recorded with user and time. A viewer's reads what a lead's does and may only add records
of opened grades. A grader's sees, under the names of the tables, views of the grader's own queue:
no answering model, no other grader, no judge. Any other table or column is denied before a
statement runs, whichever module sends it, and a row for another grader cannot be written. An
adjudicator's, of a grader whom a lead assigned to adjudicate, sees the assigned answers and other
annotators' grades of the assigned criteria, without names, and adds adjudications of these alone.

SQLite tells the authorizer a table, a column and what reads it: the innermost view, trigger or
common table expression, by a name that any statement can give to an expression of its own. So the
one source that may read the tables under the views has a name made up for each connection, and a
statement that says it, however it was learned, is refused before SQLite reads it (`Connection`).
`main.grades` is the table itself, for statements that write; what they read of it is refused, but
for the number of a place in `main.assignments`. No foreign key is checked on a grader's connection,
since SQLite would read them in the statement's own name: triggers refuse a row that refers to
nothing. It holds against statements, not against code that owns the connection.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from secrets import token_hex
from typing import NamedTuple

LEAD, VIEWER, GRADER = "lead", "viewer", "grader"
ROLES = (GRADER, LEAD, VIEWER)
ADJUDICATOR = "adjudicator"  # no member's role: a grader's, on the screen Adjudicate
_MAIN = "mAIN"  # as the guard alone spells the name of the file's schema
_PATIENCE = "busy_timeout"  # of one connection alone
_MAPPING = "mmap_size"  # of one connection alone
_PAGES = "cache_size"  # of one connection alone


class Who(NamedTuple):
    """A signed-in person; `grader_id` is under which id the person grades, None for others.

    `role` is one of `ROLES`, or `ADJUDICATOR`.
    """

    name: str
    role: str
    grader_id: int | None = None


class Reach(NamedTuple):
    """Permitted actions of SQL statements. A pair is (table, column) of the file.

    Attributes:
        whole: Tables readable as they are.
        but: Columns of these that are not readable.
        views: Tables that a view of the same name replaces.
        also: Readable columns of other tables.
        hidden: All other names: not even their row counts are readable.
        inserts: Tables that accept new rows.
        updates: Tables, or columns, that can be changed.
        deletes: Tables whose rows can be deleted, or replaced.
        settings: Pragmas that can be given a value.
    """

    whole: frozenset[str]
    but: frozenset[tuple[str, str]] = frozenset()
    views: frozenset[str] = frozenset()
    also: frozenset[tuple[str, str]] = frozenset()
    hidden: frozenset[str] = frozenset()
    inserts: frozenset[str] = frozenset()
    updates: frozenset[str | tuple[str, str]] = frozenset()
    deletes: frozenset[str] = frozenset()
    settings: frozenset[str] = frozenset({_PATIENCE})


class Cursor(sqlite3.Cursor):
    """Runs no statement that says a name of its connection's own."""

    def execute(self, sql, *values):
        """Do what `sqlite3.Cursor.execute` does."""
        return super().execute(self._checked(sql), *values)

    def executemany(self, sql, values):
        """Do what `sqlite3.Cursor.executemany` does."""
        return super().executemany(self._checked(sql), values)

    def executescript(self, sql):
        """Do what `sqlite3.Cursor.executescript` does."""
        return super().executescript(self._checked(sql))

    def _checked(self, sql: str) -> str:
        # Only limited connections: an unlimited one creates the views and triggers under these
        # names.
        held = self.connection.reach is not None
        if held and (self.connection.own in sql.lower() or _MAIN in sql):
            raise sqlite3.DatabaseError("not authorized")
        return sql


class Connection(sqlite3.Connection):
    """A connection that can be limited; `own` is what its views and triggers read tables as."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        # Random for each connection: a fixed name could be given to an expression of any statement.
        self.own = f"own_{token_hex(16)}"
        self.reach: Reach | None = None

    def cursor(self, factory=Cursor):
        """A cursor that checks its statements, whatever is asked for."""
        return super().cursor(Cursor)

    def execute(self, sql, *values):
        """Do what `sqlite3.Connection.execute` does, which would bypass this cursor class."""
        return self.cursor().execute(sql, *values)

    def executemany(self, sql, values):
        """Do what `sqlite3.Connection.executemany` does."""
        return self.cursor().executemany(sql, values)

    def executescript(self, sql):
        """Do what `sqlite3.Connection.executescript` does."""
        return self.cursor().executescript(sql)


SECRET = {"invitations", "sessions", "sign_ins", "pack_keys"}
FOR_LEADS = {("gold_answers", "score"), ("gold_answers", "why")}
LOOKED = {"openings", "looks"}
# Of these every change is one of a few, and worth a line; grades and replies name their own who.
NOTED = (
    *("sheets", "imports", "removed_sheets", "question_roles", "rubrics", "carried_versions"),
    *("graders", "grading_sets", "set_graders", "campaigns", "block_moves", "runs", "packs"),
    *("pauses", "comments", "adjudication_assignments"),
    *("adjudications", "decisions", "certificates", "members", "member_roles"),
)

# Answers that the few-shot pool closes: nobody is to grade them, and no figure has them. It is what
# `sampling.splits.leaked` says of questions, as SQL: an annotator's connection may not read other
# sheets or splits, so that its views have to leave these answers out.
_POOL = (
    "main.question_roles r join main.questions o on o.id = r.question_id and r.role = 'examples'"
    " and r.id = (select max(l.id) from main.question_roles l where l.question_id = r.question_id)"
)
# By way of the sheets, since the index of clusters is by sheet.
_CLOSED_QUESTIONS = (
    f"select q.id from {_POOL} join main.questions q on q.text_hash = o.text_hash"
    " and (q.cluster is null or o.cluster is null)"
    f" union all select q.id from {_POOL} cross join main.sheets h"
    " join main.questions q on q.sheet_id = h.id and q.cluster = o.cluster"
)
# For a view; a statement names no schema.
CLOSED_IN_VIEW = f"(select i.id from main.items i where i.question_id in ({_CLOSED_QUESTIONS}))"
CLOSED = CLOSED_IN_VIEW.replace("main.", "")
# What an annotator's connection sees as the block of a place in a queue that was closed since.
NO_BLOCK = -3
_IN_SET = (
    "select 1 from main.grading_set_items m where m.set_id = {t}.set_id and m.item_id = {t}.item_id"
)
# Gold and training items are of the pool, too, but in no set.
_CLOSED_PLACE = f"{{t}}.item_id in {CLOSED_IN_VIEW} and exists ({_IN_SET})"
BLOCK_IN_VIEW = f"case when {_CLOSED_PLACE.format(t='t')} then {NO_BLOCK} else t.block end"
IS_OPEN = f"a.block <> {NO_BLOCK} and not ({_CLOSED_PLACE.format(t='a')})".replace("main.", "")

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
# Rows of each table that a grader's connection sees, by a condition on its rows `t`.
_ROWS = {
    "grading_sets": f"t.id in ({_MINE})",
    "grading_set_items": f"t.set_id in ({_MINE}) and t.item_id not in {CLOSED_IN_VIEW}",
    "question_roles": "true",  # how many, so that a change is noticed, and nothing of them
    "sheets": f"t.id in (select g.sheet_id from main.grading_sets g where g.id in ({_MINE}))",
    "items": _ITEM.replace("{column}", "t.id"),
    "questions": "exists (select 1 from main.items i where i.question_id = t.id"
    f" and {_ITEM.replace('{column}', 'i.id')})",
    "graders": "t.id = {me} or t.kind <> 'person'",  # a list made by a model is checked too
    "set_graders": "t.grader_id = {me}",
    "pauses": "t.grader_id = {me}",
    "adjudication_assignments": "t.grader_id = {me}",
    "campaigns": f"t.set_id in ({_MINE})",
    "block_moves": f"t.set_id in ({_MINE})",
    "practice_answers": f"t.set_id in ({_MINE})",
    # Once it is in the queue, nothing distinguishes it from other answers.
    "gold_answers": f"t.set_id in ({_MINE}) and not exists (select 1 from main.assignments a"
    " where a.set_id = t.set_id and a.item_id = t.item_id and a.grader_id = {me})",
    "adjudications": "t.triggered_by = 'practice' and "
    + _PRACTISED.replace("{condition}", "t.version in (select value from json_each(p.versions))"),
    # A flag, its replies and a corrected answer tell a grade: they are the annotator's alone.
    "comments": "t.kind = 'training' and "
    + _PRACTISED.replace("{condition}", "p.set_id = t.set_id")
    + f" or t.kind <> 'training' and t.grader_id = {{me}} and t.set_id in ({_MINE})",
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
# Columns that would reveal the answering model, in tables that are otherwise shown.
_HIDDEN = {
    ("items", "own_id"): "null",
    ("items", "identity"): "cast(t.id as text)",
    ("items", "answer_model"): "null",
    ("items", "metadata"): "json_object('judge_date', json_extract(t.metadata, '$.judge_date'))",
    ("assignments", "block"): BLOCK_IN_VIEW,
    **{("question_roles", one): "''" for one in ("question_id", "role", "why", "created_at")},
    ("gold_answers", "score"): "null",
    ("gold_answers", "why"): "null",
    ("adjudications", "grader_id"): "null",
    **{
        ("graders", column): f"case when t.id = {{me}} then t.{column} end"
        for column in ("name", "fingerprint", "definition", "login")
    },
}
# Readable without a view: these hold no answer and no grade.
_WHOLE = {"rubrics", "criteria", "carried_versions", "settings"}
_BUILT_IN = {"json_each", "sqlite_master"}
_GRADER_INSERTS = {"grades", "assignments", "openings", "list_checks", "criteria", "comments"}
_PRAGMAS = {"busy_timeout", "data_version", "user_version"}
_KEYS_LATER = "defer_foreign_keys"  # of one transaction alone
_UNSAFE = {"load_extension", "fts3_tokenizer"}
# When a row that a grader's statement writes is refused.
_OTHERS = "new.grader_id is not {me}"
_NOT_GIVEN = f"{_OTHERS} or not {_ITEM.replace('{column}', 'new.item_id')}"
_REFUSED = {
    ("grades", "insert"): f"{_NOT_GIVEN} or new.supersedes is not null and not exists (select 1"
    " from main.grades g where g.id = new.supersedes and g.grader_id = {me}"
    " and g.item_id = new.item_id and g.version = new.version)",
    ("assignments", "insert"): f"{_NOT_GIVEN} or new.set_id not in ({_MINE})",
    ("assignments", "update"): f"{_OTHERS} or old.grader_id is not {{me}}",
    ("openings", "insert"): _OTHERS,
    ("comments", "insert"): f"{_OTHERS} or new.kind = 'reply' or new.set_id not in ({_MINE})"
    " or new.kind = 'training' and not exists (select 1 from main.practice_answers p"
    " where p.item_id = new.item_id and p.set_id = new.set_id)"
    " or new.kind <> 'training' and not exists (select 1 from main.assignments a"
    " where a.item_id = new.item_id and a.set_id = new.set_id and a.grader_id = {me}"
    " and a.repeat = new.repeat)",
    ("list_checks", "insert"): "not exists (select 1 from main.grades g"
    " where g.id = new.grade_id and g.grader_id = {me})",
}

# What a lead assigned to an annotator to adjudicate, and did not withdraw. Who graded an answer, or
# has it in a queue, sees no other grades of it; nor does who is paused.
_ASSIGNED = (
    "main.adjudication_assignments d where d.grader_id = {me} and d.assigned and not exists"
    " (select 1 from main.adjudication_assignments later where later.grader_id = d.grader_id"
    " and later.item_id = d.item_id and later.version = d.version and later.id > d.id)"
    " and not exists (select 1 from main.grades g where g.item_id = d.item_id"
    " and g.grader_id = d.grader_id and g.status <> 'withdrawn')"
    " and not exists (select 1 from main.assignments a where a.grader_id = d.grader_id"
    " and a.item_id = d.item_id)"
    " and not coalesce((select p.paused from main.pauses p where p.grader_id = d.grader_id"
    " order by p.id desc limit 1), 0)"
)
_CASES = f"(select d.item_id from {_ASSIGNED})"
_CASE_QUESTIONS = f"(select i.question_id from main.items i where i.id in {_CASES})"
# Grades also count under the later wordings that carry them on.
_OF_CASE = (
    f"t.item_id in {_CASES} and t.unit_id is null and exists (select 1 from {_ASSIGNED}"
    " and d.item_id = t.item_id and d.version in (with recursive {own}_later (version) as"
    " (select t.version union select c.new_version from main.carried_versions c"
    " join {own}_later l on c.old_version = l.version) select version from {own}_later))"
)
_CASE_ROWS = {
    "sheets": f"t.id in (select i.sheet_id from main.items i where i.id in {_CASES})",
    "items": f"t.id in {_CASES}",
    "questions": f"t.id in {_CASE_QUESTIONS}",
    "question_roles": f"t.question_id in {_CASE_QUESTIONS}",
    "graders": "t.id = {me} or t.kind = 'person' and exists (select 1 from main.graders m"
    " join main.grades g on g.grader_id = m.id where t.id in (m.id, m.merged_into)"
    f" and g.item_id in {_CASES})",
    "grades": f"{_OF_CASE} and t.grader_id in"
    " (select p.id from main.graders p where p.kind = 'person')",
    "adjudications": f"{_OF_CASE} and t.triggered_by in ('people', 'draw')",
    "adjudication_assignments": "t.grader_id = {me}",
    "openings": "t.grader_id = {me}",
    "pauses": "t.grader_id = {me}",
    # What the screen and the panel look for, and what is nothing to adjudicate by.
    **dict.fromkeys(
        (
            *("grading_sets", "grading_set_items", "regrade_requests", "runs", "decisions"),
            *("decomposition_approvals", "documents", "open_questions"),
        ),
        "false",
    ),
}
_CASE_HIDDEN = {
    **{key: shown for key, shown in _HIDDEN.items() if key[0] == "items"},
    ("graders", "name"): "case when t.id = {me} or t.name = 'author' then t.name"
    " else '#' || t.id end",  # to tell them apart; the sample's author counts otherwise
    ("graders", "definition"): "case when t.id = {me} then t.definition else"
    " json_object('mean', json_extract(t.definition, '$.mean')) end",
    ("graders", "login"): "case when t.id = {me} then t.login end",
    ("graders", "created_at"): "case when t.id = {me} then t.created_at else '' end",
    # Whether somebody's grades count is decided by all of them, most of which are not in sight.
    ("graders", "accepted"): "t.accepted or (select count(distinct g.item_id) from main.grades g"
    " join main.graders m on m.id = g.grader_id where t.id in (m.id, m.merged_into)) >= 10",
    ("adjudications", "grader_id"): "case when t.grader_id = {me} then t.grader_id end",
}
_CASE_REFUSED = {
    ("adjudications", "insert"): f"{_OTHERS} or new.triggered_by <> 'people' or new.unit_id is not"
    f" null or not exists (select 1 from {_ASSIGNED}"
    " and d.item_id = new.item_id and d.version = new.version)",
}


class Views(NamedTuple):
    """What a connection sees in place of the tables, and what it may add.

    Attributes:
        rows: A condition on the rows `t` of each table that a view replaces.
        hidden: What is shown in place of a column.
        refused: When a row that a statement writes is refused, by table and event.
        inserts: Tables that accept new rows.
        also: As in `Reach`.
        updates: As in `Reach`.
    """

    rows: dict[str, str]
    hidden: dict[tuple[str, str], str]
    refused: dict[tuple[str, str], str]
    inserts: set[str]
    also: frozenset[tuple[str, str]] = frozenset()
    updates: frozenset[tuple[str, str]] = frozenset()


_VIEWS = {
    GRADER: Views(
        _ROWS,
        _HIDDEN,
        _REFUSED,
        _GRADER_INSERTS,
        frozenset({("assignments", "id")}),
        frozenset({("assignments", "position")}),
    ),
    ADJUDICATOR: Views(_CASE_ROWS, _CASE_HIDDEN, _CASE_REFUSED, {"adjudications"}),
}
# Of an annotator only the adjudications: their grades name their own who.
_NOTED = {LEAD: NOTED, ADJUDICATOR: ("adjudications",)}


def limit(connection: Connection, who: Who, now: Callable[[], str]) -> None:
    """Hold a connection to what a person may reach, for as long as it is open.

    `now` gives the time for the log of changes.
    """
    tables = _tables(connection)
    if who.role in _VIEWS:
        # SQLite would read the keys in the name of whatever statement writes.
        connection.execute("pragma foreign_keys = off")
        # Views and triggers take no parameters, so the values become part of their SQL: hence `int`
        # here and the doubled quotes for the name below.
        own = _VIEWS[who.role]
        _run(connection, _views_of_own(connection, own), me=int(who.grader_id))
        _run(connection, _refuse_others(connection, own), me=int(who.grader_id))
    if who.role in _NOTED:
        # The trigger of the log needs the time from our clock, which tests set.
        connection.create_function("concord_now", 0, now)
        name = who.name.replace("'", "''")
        _run(connection, _note_changes(_NOTED[who.role]), name=name)
    _hold(connection, _of_role(who.role, tables))


def narrow(
    connection: Connection, rows: dict[str, str], shut: Collection[str], adds: Collection[str]
) -> None:
    """Restrict some tables to some rows, hide others, and leave the rest as it was.

    The connection is without authentication, or of a lead or viewer: a grader's is narrower
    already. `rows` are SQL conditions on the rows `t` by table, `shut` hidden tables, `adds` tables
    that accept new rows, if they did before. Nothing else can be changed.
    """
    before = connection.reach or _of_role(LEAD, _tables(connection))
    if before.views:
        raise ValueError("a grader's connection sees views of the own queue alone")
    # The new views read what the narrower connection may not, so the old authorizer cannot stay on.
    connection.set_authorizer(None)
    connection.reach = None
    _run(connection, [_view(table, "t.*", condition) for table, condition in rows.items()])
    reach = Reach(
        views=frozenset(rows),
        whole=before.whole - rows.keys() - {*shut},
        but=before.but,
        inserts=before.inserts & {*adds},
    )
    _hold(connection, reach)


def _of_role(role: str, tables: frozenset[str]) -> Reach:
    if role in _VIEWS:
        own = _VIEWS[role]
        return Reach(
            views=frozenset(own.rows),
            whole=frozenset(_WHOLE | _BUILT_IN),
            also=own.also,
            inserts=frozenset(own.inserts),
            updates=frozenset(own.updates),
        )
    if role == VIEWER:
        whole = (tables | _BUILT_IN) - SECRET
        return Reach(
            whole=whole,
            but=frozenset(FOR_LEADS),
            inserts=frozenset(LOOKED),
            settings=frozenset({_PATIENCE, _MAPPING}),
        )
    changed = tables - {"changes"}
    return Reach(
        whole=tables | _BUILT_IN,
        inserts=tables,
        updates=changed,
        deletes=changed,
        settings=frozenset({_PATIENCE, _MAPPING, _KEYS_LATER, _PAGES}),
    )


def _tables(connection: Connection) -> frozenset[str]:
    rows = connection.execute(
        "select name from main.sqlite_master where type = 'table' and name not like 'sqlite%'"
    )
    return frozenset(row[0] for row in rows)


def _hold(connection: Connection, reach: Reach) -> None:
    """Deny from now on whatever is beyond a reach, also where `replace` would delete a row."""
    _run(connection, [_keep(table) for table in sorted(reach.inserts - reach.deletes)])
    connection.execute("pragma recursive_triggers = on")  # else `replace` runs none
    # Table-valued functions and virtual tables can be read like tables, and are in no `_tables`.
    named = {row[0] for row in connection.execute("select name from pragma_module_list")}
    named |= _tables(connection)
    connection.reach = reach._replace(hidden=frozenset(named - reach.whole - reach.views))
    # Set last: the triggers and views above could not be created under it.
    connection.set_authorizer(partial(_answer, connection.own, connection.reach))


def _run(connection: Connection, statements: Iterable[str], **values) -> None:
    for one in statements:
        one = one.replace("main.", f"{_MAIN}.")
        for name, value in {"own": connection.own, **values}.items():
            one = one.replace(f"{{{name}}}", str(value))
        connection.execute(one)


def _view(table: str, shown: str, condition: str) -> str:
    return (
        # The authorizer is told the name of the expression, which no other statement can use. `not
        # materialized` lets SQLite push conditions into it, so that indexes still serve.
        f"create temp view {table} as with {{own}} as not materialized"
        f" (select {shown} from main.{table} t where {condition}) select * from {{own}}"
    )


def _keep(table: str) -> str:
    return (
        f"create temp trigger {{own}}_{table}_kept before delete on main.{table}"
        " begin select raise(abort, 'what is stored stays'); end"
    )


def _views_of_own(connection: Connection, own: Views) -> Iterator[str]:
    for table, condition in own.rows.items():
        # Column by column, because some are replaced: they would reveal the answering model.
        columns = [row[1] for row in connection.execute(f"pragma main.table_info({table})")]
        shown = ", ".join(f"{own.hidden.get((table, one), f't.{one}')} as {one}" for one in columns)
        yield _view(table, shown, condition)


def _refuse_others(connection: Connection, own: Views) -> Iterator[str]:
    refused = [*own.refused.items()]
    for table in sorted(own.inserts):
        nowhere = " or ".join(_refers_to_nothing(connection, table))
        refused += [((table, "insert"), nowhere)] if nowhere else []
    for number, ((table, event), condition) in enumerate(refused):
        yield (
            f"create temp trigger {{own}}_{number} before {event} on main.{table} when {condition}"
            " begin select raise(abort, 'this belongs to another grader'); end"
        )


def _refers_to_nothing(connection: Connection, table: str) -> Iterator[str]:
    """That a row's foreign key is of no row, key by key."""
    rows = connection.execute(
        'select k."from", k."table", coalesce(k."to", p.name) from'
        " pragma_foreign_key_list(?, 'main') k"
        " left join pragma_table_info(k.\"table\", 'main') p on p.pk = 1",
        (table,),
    )
    for column, parent, key in rows:
        found = f"select 1 from main.{parent} p where p.{key} = new.{column}"
        yield f"(new.{column} is not null and not exists ({found}))"


def _note_changes(tables: Iterable[str]) -> Iterator[str]:
    for table in tables:
        for event, row in (("insert", "new"), ("update", "new"), ("delete", "old")):
            yield (
                f"create temp trigger {{own}}_{table}_{event} after {event} on main.{table} begin"
                " insert into changes (who, what, table_name, row_id, at) values"
                f" ('{{name}}', '{event}', '{table}', {row}.id, concord_now()); end"
            )


def _answer(own: str, reach: Reach, action, first, second, database, within) -> int:
    """SQLite authorizer callback; see `sqlite3.Connection.set_authorizer`."""
    own_words = str(within).startswith(own)
    allowed = own_words or _RULES.get(action, _never)(reach, first, second, database)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _may_read(reach: Reach, table, column, database) -> bool:
    if database == "main":
        seen = table in reach.whole and (table, column) not in reach.but
        return seen or (table, column) in reach.also
    if database == "temp":
        return table in reach.views
    # Of what no column is read, the schema is told as it was spelled, and as none where it was not:
    # it is the guard's own, an expression of the statement, or what a bare name is the name of.
    return database == _MAIN or (database is None and table not in reach.hidden)


def _may_set(reach: Reach, pragma, value, database) -> bool:
    return pragma in _PRAGMAS if value is None else pragma in reach.settings


def _may_update(reach: Reach, table, column, database) -> bool:
    # SQLite itself so makes its own table `json_each` known, which writes nothing.
    known = table == "sqlite_master"
    return known or table in reach.updates or (table, column) in reach.updates


def _always(reach: Reach, *_) -> bool:
    return True


def _never(reach: Reach, *_) -> bool:
    return False


_RULES = {
    sqlite3.SQLITE_READ: _may_read,
    sqlite3.SQLITE_INSERT: lambda reach, table, *_: table in reach.inserts,
    sqlite3.SQLITE_UPDATE: _may_update,
    sqlite3.SQLITE_DELETE: lambda reach, table, *_: table in reach.deletes,
    sqlite3.SQLITE_PRAGMA: _may_set,
    sqlite3.SQLITE_FUNCTION: lambda reach, _, function, *__: function not in _UNSAFE,
    sqlite3.SQLITE_SELECT: _always,
    sqlite3.SQLITE_RECURSIVE: _always,
    sqlite3.SQLITE_TRANSACTION: _always,
    sqlite3.SQLITE_SAVEPOINT: _always,
}
