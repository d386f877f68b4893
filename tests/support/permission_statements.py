"""Statements that a role may try, and two databases that differ in what it must not see."""

import itertools
import json
import random
import shutil

from concord.grading import adjudications, grading_sets, workspace
from concord.grading.adjudications import Part
from concord.store import additions, graders, grades, items, permissions
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.permissions import ADJUDICATOR, GRADER, LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item

COUNT = 1000
OF_QUEUES = (GRADER, ADJUDICATOR)
BLIND = "blind"  # a lead on the screen Adjudicate
HIDDEN = 900_000
READS = (
    "select {c} from {t}",
    "select {c} from main.{t}",
    'select x."{c}" from "MAIN".[{t}] as x',
    "with {v} as (select {c} from main.{t}) select * from {v}",
    "with recursive {v}(a, n) as (select {c}, 1 from main.{t} union all"
    " select a, n + 1 from {v} where n < 2) select a from {v}",
    "select (select group_concat({c}) from main.{t}) from sheets as {v}",
    "select {c} from (select null as {c} where 0) full join main.{t} using ({c})",
    "select {c} from (select null as {c} where 0) natural full join {t}",
    "select count(*) from main.{t}",
    "select max({c}) over (order by rowid) from main.{t}",
    "select value from json_tree((select json_group_array({c}) from main.{t}))",
    "select 1 from sheets union all select {c} from main.{t}",
    "select name from sheets order by (select {c} from main.{t})",
    "select 1 from sheets left join main.{t} as {v} on {v}.{c} > 's'",
    "insert into main.criteria (version, name, body, created_at) select {c}, '', '', ''"
    " from main.{t} where true returning version",
    "with {v} as (select {c} from main.{t}) insert into main.openings"
    " (item_id, grader_id, opened_at) select 1, {me}, {c} from {v} returning opened_at",
    "insert into main.openings (item_id, grader_id, opened_at)"
    " values (1, {me}, (select {c} from {t})) returning *",
    "insert into main.adjudications (item_id, version, triggered_by, blind, created_at, note)"
    " select 1, version, 'people', 1, '', (select {c} from main.{t}) from criteria returning note",
    "update main.assignments as {v} set position = 77 from main.{t} x where x.{c} > 's'",
    "create temp view seen as select {c} from main.{t}",
)
WRITES = (
    "update main.{t} set {c} = null returning {c}",
    "update or replace main.{t} set {c} = (select min({c}) from main.{t})",
    "delete from main.{t}",
    "with {v} as (select 1) delete from main.{t} where exists (select 1 from {v})",
    "replace into main.{t} ({columns}) values ({row}) returning {c}",
    "insert or replace into main.{t} ({columns}) values ({row})",
    "insert into main.{t} ({columns}) values ({row}) on conflict do update set {c} = 'mine'",
    "insert into main.{t} ({columns}) values ({row}) on conflict do nothing returning {c}",
    "drop table main.{t}",
    "alter table main.{t} add column mine text",
)
GRADE = "insert into main.grades (item_id, version, grader_id, status, created_at, supersedes)"
OF_A_GRADER = (
    f"{GRADE} select 1, version, {{other}}, 'withdrawn', '', null from criteria limit 1",
    f"{GRADE} select 1, version, {{me}}, 'withdrawn', '', {{hidden}} from criteria limit 1",
    f"{GRADE} select {{hidden}}, version, {{me}}, 'withdrawn', '', null from criteria limit 1",
    f"{GRADE} values (1, 'no such', {{me}}, 'withdrawn', '', null)",
    "insert into main.openings (item_id, grader_id, opened_at) values (1, {other}, '')",
    "insert into main.openings (item_id, grader_id, opened_at) values ({hidden} + 9, {me}, '')",
    "insert into main.list_checks values ({hidden}, {hidden})",
    "insert into main.assignments (set_id, item_id, grader_id, block, position, repeat,"
    " inclusion_probability, created_at) values ({hidden}, 1, {me}, 1, 1, 1, 1, '')",
    "update main.assignments set position = -1",
    "update main.assignments set position = -1 where id = {hidden}",
    "update or replace main.assignments set position = 0 where id = {hidden}",
)
BEYOND = (
    *("pragma foreign_keys = off", "pragma writable_schema = 1", "pragma user_version = 9"),
    *("pragma recursive_triggers = off", "pragma ignore_check_constraints = 1"),
    *("pragma table_info(grades)", "pragma wal_checkpoint", "pragma journal_mode = delete"),
    *("select * from pragma_table_list", "select * from pragma_table_xinfo('grades')"),
    *("select load_extension('x')", "select readfile('x')", "select writefile('x', 'y')"),
    *("attach '{file}' as other", "attach '' as other", "vacuum", "vacuum into '{file}'"),
    *("analyze", "reindex", "create virtual table temp.x using fts5(a, content='grades')"),
    "drop trigger temp.grades_insert_refused",
    *("drop view temp.grades", "update sqlite_master set sql = ''", "delete from sqlite_master"),
)
NAMES = ("openings_noted", "grades_insert_refused", "sheets", "main")


class Two:
    """A pair of databases, and in each a connection of a role and one that reaches everything."""

    def __init__(self, folder, role):
        self.role, self.folder = role, folder
        self.whole, self.held = [], []
        ana = fill(folder / "same.db")
        of_ana = {one: Who("Ana", one, ana) for one in OF_QUEUES}
        who = {BLIND: None, **of_ana}.get(role, Who("Lea's", role))
        for variant in "ab":
            path = shutil.copy(folder / "same.db", folder / f"{variant}.db")
            self.whole.append(open_store(path))
            self.hidden = _hidden(self.whole[-1], role)
            _hide(self.whole[-1], self.hidden, role, variant)
            self.held.append(open_store(path, who))
            if role == BLIND:
                permissions.blind(self.held[-1])
        self.me, self.case = ana, 4  # the answer that Ana was assigned

    def close(self):
        for store in (*self.whole, *self.held):
            store.close()

    def statements(self, count=COUNT):
        """The statements of a role: what is beyond all, then a seeded sample of all the rest."""
        store, reach = self.whole[0], self.held[0].connection.reach
        given = {
            "me": self.me,
            "other": self.me + 1,
            "hidden": HIDDEN + 1,
            "file": self.folder / "x",
        }
        fixed = [*BEYOND, *(OF_A_GRADER if self.role in OF_QUEUES else ())]
        made = []
        for (t, c), shape in itertools.product(self.hidden, (*READS, *WRITES)):
            columns = [row["name"] for row in store.rows(f"pragma table_info({t})")]
            row = f"select {', '.join(columns)} from main.{t} limit 1"
            values = ", ".join(repr(one) if one is not None else "null" for one in store.row(row))
            v = NAMES[len(made) % len(NAMES)]
            fields = {"t": t, "c": c, "v": v, "columns": ", ".join(columns), "row": values}
            made.append(shape.format(**fields, **given))
        bare = [f"select count(*) from {t.upper()}" for t, _ in self.hidden if t not in reach.rows]
        fixed = [one.format(**given) for one in fixed] + sorted({*bare})
        random.Random(1).shuffle(made)
        return (fixed + made)[:count]


def fill(path):
    """A database with a grade of Ana's, whose id is returned, and a judge.

    Ana is assigned another answer to adjudicate, which Bo graded.
    """
    with open_store(path) as store:
        rubric_id, rubric = rubric_versions.named(store, "doc-qa-0-3")
        answers = [made_item(n, "atlas") for n in range(3)]
        sheet = additions.add(store, "numbers", answers, "numbers.csv", "0" * 64, {})
        one = grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, 1)
        ana = graders.ensure(store, "person", "Ana")
        graders.ensure(store, "judge", "gpt", "f1", {"model": "gpt-4"})
        with store.write():
            of = {"given_by": "Lea", "created_at": "2026-01-01T00:00:00.000Z"}
            store.insert("set_graders", set_id=one.id, grader_id=ana, joins=1, **of)
        place = workspace.window(store, one, ana, rubric, None).places[0]
        key = workspace.Key("k", place.id, next(iter(rubric.versions().values())), "scored", 2)
        assert workspace.save(store, one, ana, rubric, [key]).on_disk == ["k"]
        _assign_a_case(store, ana, key.slot)
    return ana


def _assign_a_case(store, ana, version):
    sheet = additions.add(store, "others", [made_item(9, "birch")], "others.csv", "1" * 64, {})
    [item_id] = items.item_ids(store, sheet.id)
    assert item_id == 4
    grades.record(store, [Press(item_id, version, graders.ensure(store, "person", "Bo"), score=1)])
    assert adjudications.assign(store, [Part(item_id, version)], ana, "Lea")


def _hidden(store, role):
    """The columns that a role does not read, as they are in the tables."""
    shut = {*permissions.BLIND.shut, *permissions.BLIND.rows}
    hidden = []
    for table in sorted(permissions._tables(store.connection)):
        for column in [row["name"] for row in store.rows(f"pragma table_info({table})")]:
            if (
                (role in OF_QUEUES and table not in permissions._WHOLE)
                or (role == VIEWER and table in permissions.SECRET)
                or (role == VIEWER and (table, column) in permissions.FOR_LEADS)
                or (role == BLIND and table in shut)
                or (role == LEAD and table in {*permissions.NOTED, "changes"})
            ):
                hidden.append((table, column))
    return hidden


# Tables with as many hidden rows in both: how many question roles there are is shown.
_EQUAL = ("assignments", "gold_answers", "question_roles")


def _hide(store, hidden, role, variant):
    """Put rows into tables that the role does not see, whose content differs by variant."""
    store.connection.execute("pragma foreign_keys = off")
    store.connection.execute("pragma ignore_check_constraints = on")
    with store.write():
        for table in sorted({table for table, _ in hidden}):
            several = variant == "b" and table not in _EQUAL
            for number in (0, 1) if several else (1,):  # the number of the next row is the same
                row = {
                    one["name"]: _secret(hidden, role, variant, number, table, one)
                    for one in store.rows(f"pragma table_info({table})")
                }
                store.insert(table, **row)
        if role in OF_QUEUES:
            telling = json.dumps({"judge": f"secret-{variant}"})
            told = ("answer_model = ?", "own_id = answer_model || id", "metadata = ?")
            store.execute(f"update items set {', '.join(told)}", (f"secret-{variant}", telling))
    store.connection.execute("pragma foreign_keys = on")
    store.connection.execute("pragma ignore_check_constraints = off")


def _secret(hidden, role, variant, number, table, column):
    name = column["name"]
    differs = variant if (table, name) in hidden else ""
    fixed = {
        ("graders", "kind"): "person",
        ("grades", "grader_id"): 2 if role == BLIND else HIDDEN + number,
    }
    if (table, name) in fixed:
        return fixed[table, name]
    if column["type"].lower() in ("integer", "real"):
        elsewhere = 5000 * (variant == "b") if not column["pk"] and differs else 0
        return HIDDEN + elsewhere + number
    return json.dumps([f"secret-{differs}-{number}-{table}-{name}"])
