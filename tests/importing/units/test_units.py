"""The lists of an export come in with its verdicts, and only where an answer has none."""

import csv
import io
import json

import pytest

from concord.exporting import exported_tables
from concord.importing import grade_file, unit_rows
from concord.importing.unit_rows import NamedUnit
from concord.model import Cell
from concord.rubrics.model import of_units
from concord.store import additions, graders, grades, import_undo, items, sheets
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.units import list_checks, units
from tests.support.commandline import invoke
from tests.support.evidence_room import CLAIMS, HELD, PAIRS
from tests.support.files import csv_bytes
from tests.support.made_items import made_item

LISTS = (
    "select i.own_id, d.kind, u.text, u.position, p.text as parent, g.name, g.fingerprint"
    " from decompositions d join decomposition_units n on n.decomposition_id = d.id"
    " join units u on u.id = n.unit_id left join units p on p.id = u.parent_id"
    " join items i on i.id = d.item_id left join graders g on g.id = d.decomposer_id"
    " where d.kind = 'claim' order by i.own_id, d.id, n.place"
)


def take(again, out, *more):
    return invoke(again.path, "grades", out / "unit_grades.csv", *more)


def test_lists_come_in_whole_with_their_edits_approvals_and_makers(store, exported, same_answers):
    taken = take(same_answers, exported, "--json")
    assert taken.exit_code == 0
    said = json.loads(taken.stdout)
    assert (said["grades"], said["lists"]["lists"], said["lists"]["items"]) == (18, 7, 3)
    for held in (LISTS, HELD):
        assert list(map(tuple, same_answers.rows(held))) == list(map(tuple, store.rows(held)))
    assert len(same_answers.rows("select 1 from decomposition_approvals")) == 1
    assert (
        len(
            same_answers.rows(
                "select 1 from decompositions where supersedes is not null and kind = 'claim'"
            )
        )
        == 1
    )
    take(same_answers, exported)


def test_lists_stay_after_their_grades_are_undone(exported, same_answers):
    take(same_answers, exported)
    sheet = sheets.chosen(same_answers, "numbers")
    number = same_answers.value("select max(id) from imports where kind = 'grades'")
    before = list(map(tuple, same_answers.rows(LISTS)))
    import_undo.undo(same_answers, sheet, number)
    assert list(map(tuple, same_answers.rows(LISTS))) == before
    assert take(same_answers, exported).exit_code == 0


def test_an_answer_that_has_a_list_keeps_it_and_so_does_one_of_other_content(
    exported, same_answers
):
    first = items.item_ids(same_answers, 1)[0]
    units.keep(same_answers, first, "claim", [Cell("B.", 0), Cell("A.", 1)], None)
    same_answers.execute("update items set content_hash = 'other' where own_id = '000-birch'")
    taken = take(same_answers, exported, "--partial", "--json")
    assert json.loads(taken.stdout)["lists"]["items"] == 1
    assert [unit.text for unit in units.current(same_answers, [first], "claim")[first].units] == [
        "B.",
        "A.",
    ]
    texts = {row["own_id"] for row in same_answers.rows(LISTS)}
    assert len(texts) == 2


def test_verdicts_that_are_refused_leave_no_lists_behind(exported, same_answers):
    with (exported / "unit_grades.csv").open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow(["odd"])
    taken = take(same_answers, exported)
    assert taken.exit_code == 2
    assert same_answers.value("select count(*) from decompositions") == 0


def test_a_damaged_list_is_named_and_a_file_elsewhere_brings_none(exported, same_answers, tmp_path):
    (exported / "units.parquet").write_bytes(b"no table")
    taken = take(same_answers, exported)
    assert taken.exit_code == 2
    (tmp_path / "unit_grades.csv").write_bytes((exported / "unit_grades.csv").read_bytes())
    alone = take(same_answers, tmp_path)
    assert alone.exit_code == 2


KNOWN = {'["7"]': 70, '["8"]': 80, '["9"]': 90}
UNITS = {
    "claim": {
        70: [
            NamedUnit(1, "Cats purr.", 1, True),
            NamedUnit(2, "2019", 2, True),
            NamedUnit(3, "猫は鳴く。", 3, True),
            NamedUnit(4, "An old one.", 1, False),
        ],
        80: [NamedUnit(5, "Twice.", 1, True), NamedUnit(6, "Twice.", 2, True)],
    }
}
GOOD = {"item_id": "7", "grader": "Ana", "grader_kind": "person"}


def load(*rows, rubric=CLAIMS, mapped=()):
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = csv_bytes(names, *([row.get(name, "") for name in names] for row in rows))
    return grade_file.load(file, "u.csv", rubric=rubric, known=KNOWN, units=UNITS, mapped=mapped)


@pytest.mark.parametrize(
    "said, unit",
    [
        ({"unit": "Cats purr."}, 1),
        ({"claim": "  cats  PURR. "}, 1),
        ({"unit": "2019"}, 2),
        ({"unit": "2"}, 2),
        ({"unit": "猫は鳴く。"}, 3),
        ({"unit": "An old one."}, 4),
        ({"unit_id": "3"}, 3),
        ({"unit_number": "3"}, 3),
        ({"unit": "Twice.", "unit_number": "2", "item_id": "8"}, 6),
        ({"unit": "Twice.", "unit_id": "5", "item_id": "8"}, 5),
        ({"unit": "Cats purr.", "unit_row": "2"}, 1),
    ],
)
def test_a_unit_is_found_by_its_text_in_the_answer_else_by_its_number_or_id(said, unit):
    read = load({**GOOD, **said, "label": "Supported", "quote": "They purr."})
    assert read.bad_rows == []
    [grade] = read.grades
    assert (grade.unit, grade.score, grade.label) == (unit, 3, "supported")
    assert (grade.quote, grade.criterion) == ("They purr.", "claim_in_contexts")


def test_two_verdicts_on_one_unit_are_a_conflict_and_on_two_units_are_not():
    first = {**GOOD, "unit": "Cats purr.", "score": "3"}
    read = load(first, {**first, "unit": "2019"}, {**first, "unit": "1", "score": "0"})
    assert [bad.row for bad in read.bad_rows] == [1, 3]
    assert [grade.unit for grade in read.grades] == [2]


def test_rows_of_another_rubric_of_units_are_left_and_told():
    row = {**GOOD, "unit": "2019", "criterion": "claim_in_contexts", "score": "3"}
    other = {**row, "criterion": "chunk_for_reference", "score": "useful"}
    check = {**row, "criterion": "claim_list", "score": "right", "unit": ""}
    read = load(row, other, check)
    assert (len(read.grades), read.bad_rows) == (1, [])
    assert len(read.remarks()) == 2


def test_verdicts_that_go_out_come_in_again_where_they_came_from_and_elsewhere(
    store, labelled, tmp_path
):
    exported_tables.export(store, tmp_path / "out", every=True)
    file, db = tmp_path / "out" / "unit_grades.csv", tmp_path / "again.db"
    here = invoke(store.path, "grades", file, "--sheet", labelled.name, "--json")
    assert (here.exit_code, json.loads(here.stdout)["grades_unchanged"]) == (0, 18)
    assert json.loads(here.stdout)["grades"] == 0
    with open_store(db) as again:
        additions.add(again, "numbers", _items(), "n.csv", "0" * 64, {})
        _cut(store, again)
        there = invoke(db, "grades", file, "--json")
        assert (there.exit_code, json.loads(there.stdout)["grades"]) == (0, 18)
        assert list(map(tuple, again.rows(HELD))) == list(map(tuple, store.rows(HELD)))


def _items():
    return [made_item(n, m) for n in range(2) for m in ("atlas", "birch", "cobalt")]


def _cut(store, again):
    """Cut the same answers in the other database into the same units, with other ids."""
    units.keep(again, items.item_ids(again, 1)[5], "claim", [Cell("Other.", 0)], None)
    for kind in ("claim", "claim_chunk"):
        rows = store.rows("select distinct item_id from units where kind = ?", (kind,))
        for [item_id] in rows:
            own = store.rows(
                "select text, position from units where item_id = ? and kind = ? order by id",
                (item_id, kind),
            )
            own_id = store.value("select own_id from items where id = ?", (item_id,))
            there = again.value("select id from items where own_id = ?", (own_id,))
            units.keep(again, there, kind, [Cell(*one) for one in own], None)


def test_contexts_are_cut_by_their_rule_when_verdicts_on_them_come_in(store, sheet, tmp_path):
    file = tmp_path / "c.csv"
    rows = [
        "001-atlas,1,,Ana,annotator,useful",
        "002-atlas,,2 is a number.,Ana,annotator,not useful",
    ]
    head = "item_id,chunk_number,chunk,grader,grader_kind,label"
    file.write_text("\n".join([head, *rows]), encoding="utf-8")
    taken = invoke(store.path, "grades", file, "--rubric", "chunks-for-answer")
    assert (taken.exit_code, taken.stdout) == (0, "numbers: 2 grades added.\n")


def test_the_units_of_a_sheet_are_known_by_item_and_the_older_ones_are_marked(store, labelled):
    known = unit_rows.named_units(store, labelled.id, "claim")
    last = known[max(known)]
    assert [(one.text, one.number, one.newest) for one in last] == [
        ("A.", 1, False),
        ("B.", 2, False),
        ("New.", 1, True),
    ]
    assert unit_rows.has(store, labelled.id, PAIRS)
    assert not unit_rows.has(store, labelled.id, of_units()["chunks-for-answer"])


def test_a_stored_verdict_that_differs_is_refused(store, labelled, tmp_path):
    own_id = store.value("select own_id from items where id = (select min(item_id) from units)")
    file = tmp_path / "u.csv"
    rows = io.StringIO()
    csv.writer(rows).writerows(
        [
            ["item_id", "claim", "grader", "grader_kind", "verdict"],
            [own_id, "A.", "Ana", "human", "contradicted"],
        ]
    )
    file.write_text(rows.getvalue(), encoding="utf-8")
    words = ("grades", file, "--rubric", "claims-in-contexts")
    refused = invoke(store.path, *words)
    assert refused.exit_code == 2
    assert "Row 1, column “verdict”" in refused.stderr
    taken = invoke(store.path, *words, "--on-conflict", "replace")
    assert (taken.exit_code, "1 grade replaced" in taken.stdout) == (0, True)
    unsaid = invoke(store.path, "grades", file)
    assert unsaid.exit_code == 2


def test_checks_of_a_list_go_out_and_are_counted_on_the_way_in(store, labelled, tmp_path):
    ana = graders.ensure(store, "person", "Ana")
    item_id = items.item_ids(store, labelled.id)[0]
    made = units.current(store, [item_id], "claim")[item_id]
    with store.write():
        list_checks.begin(store, "claim")
        said = Press(item_id, list_checks.version("claim"), ana, label="missing", press_id="p1")
        grades.record(store, [said])
        list_checks.keep(store, "p1", made.id)
    exported_tables.export(store, tmp_path / "out", every=True)
    file = tmp_path / "out" / "unit_grades.csv"
    rows = [*csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig")))]
    [row] = [row for row in rows if row["criterion"] == "claim_list"]
    assert (row["unit"], row["label"], row["status"]) == ("A.\nB.", "missing", "scored")
    taken = invoke(store.path, "grades", file, "--rubric", "claims-in-contexts", "--json")
    assert json.loads(taken.stdout)["grades"] == 0
    assert "1 row of claim_list" in taken.stderr
