"""Packs: an annotator's whole queue leaves as rows that tell nothing but their texts."""

import json
from itertools import pairwise

import pytest

from concord.grading import assignments, campaigns, gold_items, grading_sets, workspace
from concord.grading.offline import make, packages
from concord.grading.offline.package_columns import clean, score_headings, text_digest
from concord.messages import Problem
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import open_store
from concord.store.permissions import Who
from concord.store.rubrics import rubric_versions
from tests.support.known import known, prepared


def packed(store, grading_set, grader_id, repeats, by):
    """Everything that is left to an annotator, as a pack."""
    laid = packages.remaining(store, grading_set, grader_id, repeats)
    return packages.make(store, grading_set, grader_id, laid, by)


def test_a_pack_is_the_whole_queue_with_hidden_repeats_and_codes_that_tell_nothing(
    store, set_for_ana
):
    pack, rows = packed(store, *set_for_ana, 0.34, "Lea")
    held = packages.rows_by_code(store, pack)
    assert [row.code for row in rows] == [*held]
    assert len({row.code for row in rows}) == len(rows) == 36 + 12
    repeated = [place.item_id for place in held.values() if place.repeat == assignments.REPEAT]
    assert len(repeated) == len(set(repeated)) == 12
    assert all(row.code.startswith(f"{pack.token}-") for row in rows)
    assert {*rows[0].texts} == {"question", "contexts", "answer"}
    again, _ = packed(store, *set_for_ana, 0.34, "Lea")
    assert not {*packages.rows_by_code(store, again)} & {*held}
    assert [p.item_id for p in packages.rows_by_code(store, again).values()] == [
        p.item_id for p in held.values()
    ]


def test_each_grader_has_an_own_order_with_answers_to_one_question_apart(store, set_for_ana):
    orders = []
    for name in ("Ana", "Bo"):
        pack, rows = packed(
            store, set_for_ana[0], graders.ensure(store, "person", name), 0.0, "Lea"
        )
        orders.append([place.item_id for place in packages.rows_by_code(store, pack).values()])
        questions = [row.texts["question"] for row in rows]
        assert all(one != other for one, other in pairwise(questions))
    assert sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1]


def test_a_campaign_decides_who_gets_which_blocks(store, set_for_ana):
    bo = graders.ensure(store, "person", "Bo")
    campaigns.begin(store, set_for_ana[0], [set_for_ana[1], bo], 1, 0.0, None, "Lea")
    assert packages.annotators(store, set_for_ana[0], (), None) == sorted([set_for_ana[1], bo])
    held = [packed(store, set_for_ana[0], one, 0.0, "Lea")[0] for one in (set_for_ana[1], bo)]
    items = [{p.item_id for p in packages.rows_by_code(store, pack).values()} for pack in held]
    assert not items[0] & items[1] and len(items[0] | items[1]) == 36
    with pytest.raises(Problem, match="Cleo has no block of “Team”"):
        packages.annotators(store, set_for_ana[0], ["Cleo"], None)
    with pytest.raises(Problem, match="Leave --graders out"):
        packages.annotators(store, set_for_ana[0], (), 3)


def test_new_graders_get_names_that_nobody_has_had(store, set_for_ana):
    graders.ensure(store, "person", "Grader 2")
    ids = packages.annotators(store, set_for_ana[0], (), 3)
    assert [graders.get(store, one).name for one in ids] == ["Grader 1", "Grader 3", "Grader 4"]
    with pytest.raises(Problem, match="Say who grades"):
        packages.annotators(store, set_for_ana[0], (), None)


def test_what_is_graded_already_is_left_out_and_a_finished_queue_makes_no_pack(
    store, set_for_ana, rubric
):
    versions = rubric[1].versions()
    for turn in range(2):
        queue = assignments.queue(store, *set_for_ana, [*versions.values()], 1000)
        places = [place for place in queue if not place.done][: 1 if turn == 0 else None]
        keys = [
            workspace.Key(f"{turn}-{place.id}-{name}", place.id, version, "scored", 2)
            for place in places
            for name, version in versions.items()
        ]
        assert workspace.save(store, *set_for_ana, rubric[1], keys).refused == {}
        if turn == 0:
            assert len(packed(store, *set_for_ana, 0.0, "Lea")[1]) == 35
    with pytest.raises(Problem, match="Nothing is left to grade in “Team” for Ana"):
        make.make(store, set_for_ana[0], ["Ana"], None, 0.0, "Lea")


def test_a_pack_has_the_known_answers_mixed_in_and_nothing_of_training(store, sheet, rubric):
    made = prepared(store, sheet, rubric, "Known")
    gold_items.mix_in(store, made, known(store, made, rubric, ["001-birch"]), "Lea")
    ana = graders.ensure(store, "person", "Ana")
    pack, rows = packed(store, made, ana, 0.0, "Lea")
    items = [place.item_id for place in packages.rows_by_code(store, pack).values()]
    practised, mixed_in = (
        known(store, made, rubric, [name])[0].item_id for name in ("000-atlas", "001-birch")
    )
    assert len(rows) == 31 and items.count(mixed_in) == 1 and practised not in items


def test_a_set_that_goes_unit_by_unit_is_no_file(store, sheet):
    rubric_id, _ = rubric_versions.named(store, "claims-in-contexts")
    one = grading_sets.create(store, sheet.id, rubric_id, "Claims", None, 1)
    with pytest.raises(Problem, match="is graded by claims, which files"):
        packed(store, one, graders.ensure(store, "person", "Ana"), None, "Lea")


def test_a_grader_who_is_deleted_takes_the_packs_along_and_a_merged_one_hands_them_over(
    store, set_for_ana
):
    pack, _ = packed(store, *set_for_ana, 0.0, "Lea")
    bo = graders.ensure(store, "person", "Bo")
    graders.merge(store, set_for_ana[1], bo)
    assert packages.of_codes(store, [f"{pack.token}-x"])[pack.token].grader == "Bo"
    graders.delete(store, bo)
    assert packages.of_set(store, set_for_ana[0].id) == []
    assert store.value("select count(*) from pack_keys") == 0


def test_a_text_is_the_same_however_its_lines_break_and_another_with_any_other_word():
    assert text_digest("漢字 \r\n と a") == text_digest("漢字\n と  a ")
    assert text_digest("a\x01b") == text_digest("a␁b") and clean("a\x01\ud800") == "a␁�"
    assert text_digest("3 pumps") != text_digest("4 pumps")


def test_two_criteria_of_one_title_are_told_apart_by_their_names(rubric):
    body = json.loads(rubric[1].body())
    for criterion in body["criteria"]:
        criterion["title"] = "Same"
    headings = score_headings(Rubric.model_validate_json(json.dumps(body)))
    assert [*headings.values()] == [f"Score: {name}" for name in headings]


def test_neither_a_grader_nor_a_viewer_can_tell_what_a_row_is_of(store, set_for_ana):
    packed(store, *set_for_ana, 0.0, "Lea")
    with open_store(store.path, Who("Ana", "grader", set_for_ana[1])) as hers:
        for table in ("packs", "pack_keys", "pack_rows", "pack_grades"):
            with pytest.raises(Problem):
                hers.rows(f"select * from {table}")
        with pytest.raises(Problem):
            packages.remaining(hers, *set_for_ana, 0.0)
    with open_store(store.path, Who("Vi", "viewer")) as watching:
        assert len(packages.of_set(watching, set_for_ana[0].id)) == 1
        with pytest.raises(Problem):
            watching.rows("select secret from pack_keys")


def test_new_annotators_without_anything_to_grade_leave_no_names_behind(store, set_for_ana):
    grading_set, _ = set_for_ana
    store.execute("delete from grading_set_items where set_id = ?", (grading_set.id,))
    before = store.value("select count(*) from graders")
    with pytest.raises(Problem, match="Nothing is left to grade in “Team” for Grader 1, Grader 2"):
        make.make(store, grading_set, [], 2, 0.0, "Lea")
    assert store.value("select count(*) from graders") == before
