"""The lists of an export come in with its verdicts, and only where an answer has none."""

import csv
import json

import pytest

from concord.importing.import_errors import faults
from concord.importing.readers.table import BadRow
from concord.model import Cell
from concord.store import import_undo, items, sheets
from concord.store.units import units
from tests.support.commandline import invoke
from tests.support.unit_verdicts import HELD

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
    assert said["lists"]["makers"] == {"rag-metrics": 3, "a rule": 3, "Ana": 1}
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
    twice = take(same_answers, exported)
    assert twice.stdout == "numbers: nothing changed; everything in it is already stored.\n"


def test_lists_that_stay_after_their_grades_are_undone_are_named_before(exported, same_answers):
    take(same_answers, exported)
    sheet = sheets.chosen(same_answers, "numbers")
    number = same_answers.value("select max(id) from imports where kind = 'grades'")
    going = import_undo.preview(same_answers, sheet, number)
    assert (
        f"although the grades on them are removed: {going.lists_kept} lists of units."
        in going.warning()
    )
    before = list(map(tuple, same_answers.rows(LISTS)))
    import_undo.undo(same_answers, sheet, number)
    assert going.lists_kept and list(map(tuple, same_answers.rows(LISTS))) == before
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
    assert taken.exit_code == 2 and "nothing was imported" in taken.stderr
    assert same_answers.value("select count(*) from decompositions") == 0


def test_a_damaged_list_is_named_and_a_file_elsewhere_brings_none(exported, same_answers, tmp_path):
    (exported / "units.parquet").write_bytes(b"no table")
    taken = take(same_answers, exported)
    assert taken.exit_code == 2 and "units.parquet cannot be read" in taken.stderr
    (tmp_path / "unit_grades.csv").write_bytes((exported / "unit_grades.csv").read_bytes())
    alone = take(same_answers, tmp_path)
    assert alone.exit_code == 2 and "has not been split" in alone.stderr


@pytest.mark.parametrize(("ranges", "lines"), [(4, " (lines 2, 4, 6, 8)"), (9, "")])
def test_refused_rows_in_many_ranges_are_named_once(ranges, lines):
    rows = [2 * n + 1 for n in range(ranges)]
    bad = [BadRow(row, row + 1, "unit", "There is none.") for row in rows]
    named = ", ".join(map(str, rows))
    if ranges > 5:
        named = f"1, 3, 5, 7, 9 and {ranges - 5} more ({ranges} rows)"
    assert list(faults(bad)) == [f"Rows {named}{lines}, column “unit”: There is none."]
