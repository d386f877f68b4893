"""Permissions of a signed-in member's connection, enforced at the database.

A lead's connection may do everything but change the audit log, to which it only adds; each of its
changes is recorded with user and time. A viewer's reads what a lead's does and may only add records
of opened grades. A grader's sees, under the names of the tables, views of the grader's own queue:
no answering model, no other grader, no judge; a row for another grader cannot be written. An
adjudicator's, of a grader whom a lead assigned to adjudicate, sees the assigned answers and other
annotators' grades of the assigned criteria, without names, and adds adjudications of these alone.

A limited connection reaches a table only by its name, and that name is the view's: SQLite looks in
`temp` first. What gets past it are the schema's own name and the tables without a view, and SQL can
neither escape nor put together a name. So a statement that says one of these words, in whatever
case, quotes or comment, is refused unread, as is every write of another form than the code's own
(`_WRITE`). What kinds of statement there are at all, and which tables they write, SQLite's
authorizer decides; it is not asked what is read, since it is not told of every column. All this
holds against statements, not against code that owns the connection.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

LEAD, VIEWER, GRADER = "lead", "viewer", "grader"
ROLES = (GRADER, LEAD, VIEWER)
ADJUDICATOR = "adjudicator"  # no member's role: a grader's, on the screen Adjudicate


class Who(NamedTuple):
    """A signed-in person; `grader_id` is under which id the person grades, None for others.

    `role` is one of `ROLES`, or `ADJUDICATOR`.
    """

    name: str
    role: str
    grader_id: int | None = None


class Reach(NamedTuple):
    """What the statements of a limited connection reach.

    Attributes:
        rows: By table that a view of its name replaces, a condition on its rows `t`.
        shown: What a view shows in place of a column; '' leaves the column out.
        refused: When a row that a statement writes is refused, by table and event.
        whole: Tables readable as they are; None for all that are not in `shut`.
        shut: Tables that are not readable.
        inserts: Tables that accept new rows.
        changes: Tables whose rows can be changed, and deleted where a statement may say so.
        noted: Tables of which each change is recorded.
    """

    rows: Mapping[str, str] = MappingProxyType({})
    shown: Mapping[tuple[str, str], str] = MappingProxyType({})
    refused: Mapping[tuple[str, str], str] = MappingProxyType({})
    whole: frozenset[str] | None = None
    shut: frozenset[str] = frozenset()
    inserts: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    noted: tuple[str, ...] = ()


_WORD = re.compile(r"[^\W\d]\w*")
# How a write of a limited connection begins. What follows is read like any other statement: from
# the views.
_WRITE = re.compile(
    r"insert into (main\.)?\w+ \([\w, ]+\)"
    r"|update main\.assignments set position = \? where id = \?$"
)
_NEVER_SAID = {"main", "insert", "replace", "update", "delete"}


class Cursor(sqlite3.Cursor):
    """Runs no statement with a word that its connection is not to say."""

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
        unsaid = self.connection.unsaid
        if unsaid:
            begun = _WRITE.match(sql)
            rest = sql[begun.end() :] if begun else sql
            if not unsaid.isdisjoint(_WORD.findall(rest.casefold())):
                raise sqlite3.DatabaseError("not authorized")
        return sql


class Connection(sqlite3.Connection):
    """A connection that can be limited; no statement on it may say a word of `unsaid`."""

    reach: Reach | None = None
    unsaid: frozenset[str] = frozenset()

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


SECRET = frozenset({"invitations", "sessions", "sign_ins", "pack_keys"})
FOR_LEADS = (("gold_answers", "score"), ("gold_answers", "why"))
LOOKED = frozenset({"openings", "looks"})
# Of these every change is one of a few, and worth a line; grades and replies name their own who.
NOTED = (
    *("sheets", "imports", "removed_sheets", "question_roles", "rubrics", "carried_versions"),
    *("graders", "grading_sets", "set_graders", "campaigns", "block_moves", "runs", "packs"),
    "set_closings",
    *("annotator_states", "pauses", "comments", "adjudication_assignments"),
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
_CLOSED_QUESTIONS = f"""select q.id from {_POOL} join main.questions q on q.text_hash = o.text_hash
    and (q.cluster is null or o.cluster is null)
    union all select q.id from {_POOL} cross join main.sheets h
    join main.questions q on q.sheet_id = h.id and q.cluster = o.cluster"""
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

_MINE = """select s.set_id from main.set_graders s where s.grader_id = {me} and s.joins
    and not exists (select 1 from main.set_graders later where later.set_id = s.set_id
    and later.grader_id = s.grader_id and later.id > s.id)"""
_TO_GRADE = ("grading_set_items", "practice_answers", "gold_answers")
_ITEM = " or ".join(
    f"exists (select 1 from main.{table} m where m.item_id = {{column}} and m.set_id in ({_MINE}))"
    for table in _TO_GRADE
).join("()")
_LIST = f"""exists (select 1 from main.decompositions of where of.id = {{column}}
    and {_ITEM.replace("{column}", "of.item_id")})"""
# What was agreed on an answer is shown once all its criteria are on disk.
_PRACTISED = f"""exists (select 1 from main.practice_answers p where p.item_id = t.item_id
    and p.is_in and p.set_id in ({_MINE}) and {{condition}} and not exists
    (select 1 from json_each(p.versions) v where not exists (select 1 from main.grades g
    where g.item_id = p.item_id and g.version = v.value and g.grader_id = {{me}})))"""
# Rows of each table that a grader's connection sees, by a condition on its rows `t`.
_ROWS = {
    "grading_sets": f"where t.id in ({_MINE})",
    "grading_set_items": f"where t.set_id in ({_MINE}) and t.item_id not in {CLOSED_IN_VIEW}",
    "question_roles": "where 1",  # how many, so that a change is noticed, and nothing of them
    "sheets": f"where t.id in (select g.sheet_id from main.grading_sets g where g.id in ({_MINE}))",
    "items": "where " + _ITEM.replace("{column}", "t.id"),
    "questions": f"""where exists (select 1 from main.items i where i.question_id = t.id
    and {_ITEM.replace("{column}", "i.id")})""",
    "graders": "where t.id = {me} or t.kind <> 'person'",  # a list made by a model is checked too
    "set_graders": "where t.grader_id = {me}",
    "pauses": "where t.grader_id = {me}",
    "adjudication_assignments": "where t.grader_id = {me}",
    "campaigns": f"where t.set_id in ({_MINE})",
    "set_closings": f"where t.set_id in ({_MINE})",
    "block_moves": f"where t.set_id in ({_MINE})",
    "practice_answers": f"where t.set_id in ({_MINE})",
    # Once it is in the queue, nothing distinguishes it from other answers.
    "gold_answers": f"""where t.set_id in ({_MINE}) and not exists (select 1 from main.assignments a
    where a.set_id = t.set_id and a.item_id = t.item_id and a.grader_id = {{me}})""",
    "adjudications": "where t.triggered_by = 'practice' and "
    + _PRACTISED.replace("{condition}", "t.version in (select value from json_each(p.versions))"),
    # A flag, its replies and a corrected answer tell a grade: they are the annotator's alone.
    "comments": "where t.kind = 'training' and "
    + _PRACTISED.replace("{condition}", "p.set_id = t.set_id")
    + f" or t.kind <> 'training' and t.grader_id = {{me}} and t.set_id in ({_MINE})",
    "assignments": f"where t.grader_id = {{me}} and t.set_id in ({_MINE})",
    "grades": "where t.grader_id = {me}",
    "openings": "where t.grader_id = {me}",
    "regrade_requests": "where t.grader_id = {me}",
    "units": "where " + _ITEM.replace("{column}", "t.item_id"),
    "decompositions": "where " + _ITEM.replace("{column}", "t.item_id"),
    "decomposition_units": "where " + _LIST.replace("{column}", "t.decomposition_id"),
    "decomposition_approvals": "where t.grader_id = {me}",
    "list_checks": """where exists (select 1 from main.grades g where g.id = t.grade_id
    and g.grader_id = {me})""",
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
_WHOLE = frozenset({"rubrics", "criteria", "carried_versions", "settings"})
_GRADER_INSERTS = frozenset(
    {"grades", "assignments", "openings", "list_checks", "criteria", "comments"}
)
_READ_PRAGMAS = {"busy_timeout", "data_version", "user_version"}
# Of one connection or transaction alone.
_SET_PRAGMAS = {"busy_timeout", "mmap_size", "cache_size", "defer_foreign_keys"}
_READABLE_MODULES = {"json_each", "json_tree"}
_UNSAFE = {"load_extension", "fts3_tokenizer"}
# When a row that a grader's statement writes is refused.
_OTHERS = "new.grader_id is not {me}"
_NOT_GIVEN = f"{_OTHERS} or not {_ITEM.replace('{column}', 'new.item_id')}"
_REFUSED = {
    ("grades", "insert"): f"""where {_NOT_GIVEN} or new.supersedes is not null and not exists
    (select 1 from main.grades g where g.id = new.supersedes and g.grader_id = {{me}}
    and g.item_id = new.item_id and g.version = new.version)""",
    ("assignments", "insert"): f"where {_NOT_GIVEN} or new.set_id not in ({_MINE})",
    ("assignments", "update"): f"where {_OTHERS} or old.grader_id is not {{me}}",
    ("openings", "insert"): f"where {_OTHERS}",
    ("comments", "insert"): f"""where {_OTHERS} or new.kind = 'reply' or new.set_id not in ({_MINE})
    or new.kind = 'training' and not exists (select 1 from main.practice_answers p
    where p.item_id = new.item_id and p.set_id = new.set_id)
    or new.kind <> 'training' and not exists (select 1 from main.assignments a
    where a.item_id = new.item_id and a.set_id = new.set_id and a.grader_id = {{me}}
    and a.repeat = new.repeat)""",
    ("list_checks", "insert"): """where not exists (select 1 from main.grades g
    where g.id = new.grade_id and g.grader_id = {me})""",
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
    " and d.item_id = t.item_id and d.version in (with recursive later_wordings (version) as"
    " (select t.version union select c.new_version from main.carried_versions c"
    " join later_wordings l on c.old_version = l.version) select version from later_wordings))"
)
_CASE_ROWS = {
    "sheets": f"where t.id in (select i.sheet_id from main.items i where i.id in {_CASES})",
    "items": f"where t.id in {_CASES}",
    "questions": f"where t.id in {_CASE_QUESTIONS}",
    "question_roles": f"where t.question_id in {_CASE_QUESTIONS}",
    "graders": f"""where t.id = {{me}} or t.kind = 'person' and exists (select 1 from main.graders m
    join main.grades g on g.grader_id = m.id where t.id in (m.id, m.merged_into)
    and g.item_id in {_CASES})""",
    "grades": f"""where {_OF_CASE} and t.grader_id in
    (select p.id from main.graders p where p.kind = 'person')""",
    "adjudications": f"where {_OF_CASE} and t.triggered_by in ('people', 'draw')",
    "adjudication_assignments": "where t.grader_id = {me}",
    "openings": "where t.grader_id = {me}",
    "pauses": "where t.grader_id = {me}",
    "annotator_states": f"""where t.sheet_id in
    (select i.sheet_id from main.items i where i.id in {_CASES})""",
    # What the screen and the panel look for, and what is nothing to adjudicate by.
    **dict.fromkeys(
        (
            *("grading_sets", "grading_set_items", "regrade_requests", "runs", "decisions"),
            *("decomposition_approvals", "documents", "open_questions"),
        ),
        "where 0",
    ),
}
_CASE_HIDDEN = {
    **{key: shown for key, shown in _HIDDEN.items() if key[0] == "items"},
    ("graders", "name"): """case when t.id = {me} or t.name = 'author' then t.name
    else '#' || t.id end""",  # to tell them apart; the sample's author counts otherwise
    ("graders", "definition"): """case when t.id = {me} then t.definition else
    json_object('mean', json_extract(t.definition, '$.mean')) end""",
    ("graders", "login"): "case when t.id = {me} then t.login end",
    ("graders", "created_at"): "case when t.id = {me} then t.created_at else '' end",
    # Whether somebody's grades count is decided by all of them, most of which are not in sight.
    ("graders", "accepted"): "t.accepted or (select count(distinct g.item_id) from main.grades g"
    " join main.graders m on m.id = g.grader_id where t.id in (m.id, m.merged_into)) >= 10",
    ("adjudications", "grader_id"): "case when t.grader_id = {me} then t.grader_id end",
    ("annotator_states", "why"): "''",
    ("annotator_states", "given_by"): "''",
}
_CASE_REFUSED = {
    ("adjudications", "insert"): f"""where {_OTHERS} or new.triggered_by <> 'people'
    or new.unit_id is not null or not exists (select 1 from {_ASSIGNED}
    and d.item_id = new.item_id and d.version = new.version)""",
}


_OF_ROLE = {
    GRADER: Reach(
        _ROWS,
        _HIDDEN,
        _REFUSED,
        whole=_WHOLE,
        inserts=_GRADER_INSERTS,
        changes=frozenset({"assignments"}),
    ),
    # Of an annotator only the adjudications are noted: their grades name their own who.
    ADJUDICATOR: Reach(
        _CASE_ROWS,
        _CASE_HIDDEN,
        _CASE_REFUSED,
        whole=_WHOLE,
        inserts=frozenset({"adjudications"}),
        noted=("adjudications",),
    ),
    VIEWER: Reach(
        {"gold_answers": "where 1"}, dict.fromkeys(FOR_LEADS, ""), shut=SECRET, inserts=LOOKED
    ),
}
# For blind adjudication, whoever adjudicates: annotators' grades only, and what only annotators
# adjudicated. A judge's grade can neither be read nor passed off as an annotator's.
BLIND = Reach(
    {
        "grades": "where t.grader_id in (select p.id from main.graders p where p.kind = 'person')",
        "adjudications": "where t.triggered_by in ('people', 'draw')",
    },
    shut=frozenset(
        {
            # Also what only derives from judges' grades: a decision or a certificate would show
            # which way a judge lies.
            *("replies", "asked", "measured", "distributions", "batches", "batch_questions"),
            *("looks", "certificates", "decisions"),
        }
    ),
    # A preset is stored when it is first named, and an adjudicator when theirs is first typed.
    inserts=frozenset({"adjudications", "rubrics", "criteria", "graders"}),
)


def limit(connection: Connection, who: Who, now: Callable[[], str]) -> None:
    """Hold a connection to what a person may reach, for as long as it is open.

    `now` gives the time for the log of changes.
    """
    if who.role == LEAD:
        tables = _tables(connection)
        reach = Reach(inserts=tables, changes=tables - {"changes"}, noted=NOTED)
        # `replace` deletes without asking, and runs triggers on deleting only with this.
        connection.execute("pragma recursive_triggers = on")
        connection.execute(
            "create temp trigger log_kept before delete on main.changes"
            " begin select raise(abort, 'what is stored stays'); end"
        )
    else:
        reach = _OF_ROLE[who.role]
    # The trigger of the log needs the time from our clock, which tests set.
    connection.create_function("concord_now", 0, now)
    connection.create_function("concord_who", 0, lambda: who.name)
    _hold(connection, reach, who.grader_id)


def blind(store) -> None:
    """Narrow the connection of a `Store` to what an adjudicator may read, nothing of judges.

    It is without authentication, or of a lead or viewer; that of an annotator whom a lead assigned
    to adjudicate is narrower already.
    """
    if store.who and store.who.role == ADJUDICATOR:
        return
    connection = store.connection
    before, unsaid = connection.reach, connection.unsaid
    if before and "grades" in before.rows:
        raise ValueError("a grader's connection sees views of the own queue alone")
    # The new views are created by statements that the narrower connection may not send.
    connection.set_authorizer(None)
    connection.unsaid = frozenset()
    inserts = BLIND.inserts & before.inserts if before else BLIND.inserts
    _hold(connection, BLIND._replace(shut=BLIND.shut | unsaid, inserts=inserts), None)


def _hold(connection: Connection, reach: Reach, me: int | None) -> None:
    """Create the views and triggers of a reach, and refuse from now on whatever is beyond it."""
    made = (*_views(connection, reach), *_refusals(reach), *_notes(reach))
    # Views and triggers take no parameters, so the id becomes part of their SQL.
    connection.executescript(";".join(("begin", *made, "commit")).replace("{me}", str(me)))
    connection.reach = reach
    if reach.rows:
        shut = reach.shut if reach.whole is None else _tables(connection) - reach.whole
        # Virtual tables can be read like tables, and tell how large these are.
        modules = {row[0] for row in connection.execute("select name from pragma_module_list")}
        hidden = (shut | modules) - reach.rows.keys() - _READABLE_MODULES
        connection.unsaid = frozenset(hidden | _NEVER_SAID)
    # Set last: the triggers and views above could not be created under it.
    connection.set_authorizer(partial(_answer, reach))


def _tables(connection: Connection) -> frozenset[str]:
    rows = connection.execute("select name from main.sqlite_master where type in ('table', 'view')")
    return frozenset(row[0] for row in rows)


def _views(connection: Connection, reach: Reach) -> Iterator[str]:
    replaced = {table for table, _ in reach.shown}
    for table, condition in reach.rows.items():
        shown = "t.*"
        if table in replaced:
            columns = [row[1] for row in connection.execute(f"pragma main.table_info({table})")]
            made = ((one, reach.shown.get((table, one), f"t.{one}")) for one in columns)
            shown = ", ".join(f"{given} as {one}" for one, given in made if given)
        yield f"create temp view {table} as select {shown} from main.{table} t {condition}"


def _refusals(reach: Reach) -> Iterator[str]:
    for (table, event), condition in reach.refused.items():
        yield (
            f"create temp trigger {table}_{event}_refused before {event} on main.{table}"
            f" begin select raise(abort, 'this belongs to another grader') {condition}; end"
        )


def _notes(reach: Reach) -> Iterator[str]:
    for table in reach.noted:
        new, old = "select new.id as id", "select old.id as id"
        # An update may give a row another id.
        for event, rows in (("insert", new), ("update", f"{new} union {old}"), ("delete", old)):
            yield (
                f"create temp trigger {table}_{event}_noted after {event} on main.{table} begin"
                " insert into changes (who, what, table_name, row_id, at) select"
                f" concord_who(), '{event}', '{table}', id, concord_now() from ({rows}); end"
            )


def _answer(reach: Reach, action, first, second, _database, within) -> int:
    """SQLite authorizer callback; see `sqlite3.Connection.set_authorizer`."""
    allowed = action in _HARMLESS
    if action == sqlite3.SQLITE_INSERT:
        # No statement but the triggers above writes within something of that name.
        allowed = first in reach.inserts or str(within).endswith("_noted")
    elif action in (sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE):
        # SQLite itself so makes its own table `json_each` known, which writes nothing.
        allowed = first in reach.changes or first == "sqlite_master"
    elif action == sqlite3.SQLITE_PRAGMA:
        allowed = first in (_READ_PRAGMAS if second is None else _SET_PRAGMAS)
    elif action == sqlite3.SQLITE_FUNCTION:
        allowed = second not in _UNSAFE
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


_HARMLESS = {
    *(sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE),
    *(sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT),
}
