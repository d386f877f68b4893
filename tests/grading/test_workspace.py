"""What a grading screen may know and write."""

import json

from concord.grading import assignments, grading_sets, item_view, sheet_progress, workspace
from concord.grading.workspace import AHEAD, BACK, Key
from concord.model import Cell
from concord.store import additions, graders, grades, items
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.text.marked_passages import Passage
from tests.support.made_items import made_item


def window(store, big, ana, rubric, at=None):
    return workspace.window(store, big, ana, rubric[1], at)


def settle(store, big, ana, rubric, count):
    versions = list(rubric[1].versions().values())
    for _ in range(count):
        queue = assignments.queue(store, big, ana, versions, 1)
        place = next(p for p in queue if not p.done)
        presses = [Press(place.item_id, v, ana, score=1, repeat=place.repeat) for v in versions]
        grades.record(store, presses)


def test_a_window_holds_what_comes_next_and_a_little_before(store, big_set, ana, rubric):
    first = window(store, big_set, ana, rubric)
    assert (len(first.places), first.whole, first.done, first.total) == (AHEAD, False, 0, 99)
    settle(store, big_set, ana, rubric, 20)
    later = window(store, big_set, ana, rubric)
    assert (len(later.places), later.done) == (AHEAD + BACK, 20)
    assert [bool(place.given) for place in later.places] == [True] * BACK + [False] * AHEAD


def test_two_tabs_that_open_at_once_hold_the_same_answers(store, big_set, ana, rubric, monkeypatch):
    few = grading_sets.create(store, big_set.sheet_id, rubric[0], "Few", 4, 1)
    write, seen = store.write, []

    def write_after_the_other_tab():
        if not seen:
            with open_store(store.path) as other:
                seen.append(window(other, few, ana, rubric))
        return write()

    monkeypatch.setattr(store, "write", write_after_the_other_tab)
    assert [window(store, few, ana, rubric)] == seen
    assert seen[0].places


def test_keys_are_saved_in_order_and_once(store, big_set, ana, rubric, version):
    place = window(store, big_set, ana, rubric).places[0]
    keys = [
        Key("a", place.id, version, "scored", 1, "", 2.5),
        Key("b", place.id, version, "withdrawn"),
        Key("c", place.id, version, "scored", 3, "because"),
    ]
    for _ in range(2):
        assert workspace.save(store, big_set, ana, rubric[1], keys) == (["a", "b", "c"], {})
    [row] = grades.of_grader(store, ana, [place.item_id], [version])
    assert (row["score"], row["reason"]) == (3, "because")
    assert store.value("select count(*) from grades") == 3
    assert window(store, big_set, ana, rubric).places[0].given[version][1:4] == (
        "scored",
        3,
        "because",
    )


def test_a_key_that_cannot_be_saved_is_named_and_the_others_are(
    store, big_set, ana, rubric, version
):
    ben = graders.ensure(store, "person", "Ben")
    bens = window(store, big_set, ben, rubric).places[0]
    place = window(store, big_set, ana, rubric).places[0]
    saved = workspace.save(
        store,
        big_set,
        ana,
        rubric[1],
        [
            Key("gone", 10**9, version, "scored", 1),
            Key("another's", bens.id, version, "scored", 1),
            Key("criterion", place.id, "0" * 16, "scored", 1),
            Key("scale", place.id, version, "scored", 4),
            Key("good", place.id, version, "scored", 2),
        ],
    )
    assert saved.on_disk == ["good"]


def test_a_grade_that_was_not_seen_is_not_replaced(store, big_set, ana, rubric, version):
    def save(*keys):
        return workspace.save(store, big_set, ana, rubric[1], [*keys])

    before = window(store, big_set, ana, rubric)
    place = before.places[0].id
    stale = Key("a", place, version, "scored", 1, since=before.newest)
    own = [stale, stale._replace(press_id="b", score=2, after="a")]
    assert save(*own).refused == {}
    assert save(*own).refused == {}  # sent twice
    again = stale._replace(press_id="again", score=2)
    other = stale._replace(press_id="other", score=0)
    undo = stale._replace(press_id="undo", status="withdrawn", score=None, after="other", undo=True)
    elsewhere = again._replace(press_id="elsewhere", passages=(Passage("answer", 1, 1, "Rome"),))
    why = "you graded it meanwhile in another window, and that grade is kept"
    refused = dict.fromkeys(["elsewhere", "other", "undo"], why)
    assert save(again, elsewhere, other, undo) == (["again"], refused)
    seen = window(store, big_set, ana, rubric)
    assert seen.places[0].given[version].score == 2
    assert save(other._replace(since=seen.newest)).refused == {}
    assert save(undo._replace(since=seen.newest)).refused == {}
    assert save(stale._replace(press_id="c")).refused == {}  # where none stands none is lost


def test_later_moves_the_place_and_writes_no_grade(store, big_set, ana, rubric):
    first, second = window(store, big_set, ana, rubric).places[:2]
    workspace.save(store, big_set, ana, rubric[1], [Key("a", first.id, "", "later")])
    assert window(store, big_set, ana, rubric).places[0].id == second.id
    assert store.value("select count(*) from grades") == 0


def test_only_what_the_rubric_shows_is_read(store, big_set):
    [item_id, *_] = items.item_ids(store, big_set.sheet_id)
    for name, parts in {
        "doc-qa-0-3": {"question", "contexts", "answer"},
        "holistic-1-10-reference": {"question", "answer", "reference"},
    }.items():
        _, rubric = rubric_versions.named(store, name)
        shown = item_view.shown(store, [item_id], rubric)[item_id]
        assert {part for part, text in shown._asdict().items() if text} == parts


def test_what_is_read_names_no_model_judge_or_other_grader(store, rubric, ana):
    secret = {"answer_model": "SECRET-model", "metadata": {"defect": "SECRET-defect"}}
    item = made_item(1, own_id="SECRET-id", cluster="SECRET-cluster", **secret)
    sheet = additions.add(store, "SECRET-sheet", [item], "SECRET.csv", "3" * 64, {})
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    [item_id] = items.item_ids(store, sheet.id)
    for kind, name in (("judge", "SECRET-judge"), ("person", "SECRET-annotator")):
        who = graders.ensure(store, kind, name)
        presses = [
            Press(item_id, v, who, score=0, reason="SECRET") for v in rubric[1].versions().values()
        ]
        grades.record(store, presses)
    read = (
        workspace.window(store, made, ana, rubric[1], None),
        item_view.shown(store, [item_id], rubric[1]),
    )
    assert "SECRET" not in json.dumps(read)
    assert read[0].places[0].given == {}


def take_apart(store, item_ids, maker, count=2, kind="claim"):
    cells = [Cell(f"Claim {place}.", place) for place in range(count)]
    return [units.keep(store, item_id, kind, cells, maker) for item_id in item_ids]


def item_ids(store, some=None):
    return [row[0] for row in store.rows("select id from items order by id")][:some]


def window_of_workspace_units(store, labelling, ana, claims):
    return workspace.window(store, labelling, ana, claims[1], None)


def save(store, labelling, ana, claims, *keys):
    return workspace.save(store, labelling, ana, claims[1], list(keys))


def test_only_answers_that_were_taken_apart_are_handed_out(
    store, labelling, ana, claims_rubric, claims_judge
):
    nothing = window_of_workspace_units(store, labelling, ana, claims_rubric)
    assert (nothing.places, nothing.whole, nothing.done, nothing.total) == ([], True, 0, 0)
    ready = item_ids(store, 5)
    take_apart(store, ready, claims_judge)
    found = window_of_workspace_units(store, labelling, ana, claims_rubric)
    assert sorted(place.item_id for place in found.places) == ready
    assert (found.whole, found.done, found.total) == (True, 0, 5)
    assert [step.text for step in found.places[0].steps] == ["Claim 0.", "Claim 1.", ""]


def test_an_answer_is_done_when_every_unit_and_the_list_has_a_grade(
    store, labelling, ana, claims_rubric, claims_judge
):
    take_apart(store, item_ids(store, 2), claims_judge)
    place = window_of_workspace_units(store, labelling, ana, claims_rubric).places[0]
    for number, step in enumerate(place.steps):
        assert window_of_workspace_units(store, labelling, ana, claims_rubric).done == 0
        save(
            store, labelling, ana, claims_rubric, Key(str(number), place.id, step.slot, "scored", 1)
        )
    assert window_of_workspace_units(store, labelling, ana, claims_rubric).done == 1
    save(
        store,
        labelling,
        ana,
        claims_rubric,
        Key("undo", place.id, place.steps[0].slot, "withdrawn"),
    )
    assert window_of_workspace_units(store, labelling, ana, claims_rubric).done == 0


def test_a_label_the_evidence_and_the_note_are_kept_with_the_verdict(
    store, labelling, ana, claims_rubric, claims_judge
):
    take_apart(store, item_ids(store, 1), claims_judge)
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    slot = place.steps[0].slot
    key = Key("a", place.id, slot, "scored", 0, "no", 2.5, "0 is a number.")
    for _ in range(2):
        assert save(store, labelling, ana, claims_rubric, key) == (["a"], {})
    [row] = store.rows("select * from grades")
    assert (row["unit_id"], row["blind"], row["reason"]) == (int(slot.split("/")[1]), 1, "no")
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    assert place.given[slot][1:4] == ("scored", 0, "no")


def test_what_is_said_of_a_list_has_a_label_no_score_and_its_list(
    store, labelling, ana, claims_rubric, claims_judge
):
    [made] = take_apart(store, item_ids(store, 1), claims_judge)
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    slot = place.steps[-1].slot
    save(store, labelling, ana, claims_rubric, Key("a", place.id, slot, "scored", 5))
    [row] = store.rows(
        "select g.*, c.decomposition_id from grades g join list_checks c on c.grade_id = g.id"
    )
    assert (row["label"], row["score"], row["unit_id"]) == ("missing, not atomic", None, None)
    assert row["decomposition_id"] == made.id
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    assert place.given[slot][1:3] == ("scored", 5)


def test_an_edited_list_keeps_the_grades_of_what_stays(
    store, labelling, ana, claims_rubric, claims_judge
):
    [made] = take_apart(store, item_ids(store, 1), claims_judge)
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    keys = [Key(s.slot, place.id, s.slot, "scored", 0) for s in place.steps]
    save(store, labelling, ana, claims_rubric, *keys)
    stays, goes = made.units
    units.edit(store, made, [(stays.id, stays.text), (goes.id, "Put right.")], ana)
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    assert [step.slot in place.given for step in place.steps] == [True, False]
    late = Key("late", place.id, keys[1].slot, "scored", 3)
    assert save(store, labelling, ana, claims_rubric, late).on_disk == ["late"]


def test_a_hidden_repeat_asks_for_every_unit_again(store, sheet, claims_rubric, ana, claims_judge):
    again = grading_sets.create(
        store, sheet.id, claims_rubric[0], "Again", None, 1, repeat_share=0.1
    )
    take_apart(store, item_ids(store), claims_judge)
    versions = list(claims_rubric[1].versions().values())
    for _ in range(40):
        found = workspace.window(store, again, ana, claims_rubric[1], None)
        place = next(p for p in found.places if not all(step.slot in p.given for step in p.steps))
        keys = [Key(f"{place.id} {s.slot}", place.id, s.slot, "scored", 1) for s in place.steps]
        assert workspace.save(store, again, ana, claims_rubric[1], keys).refused == {}
    assert assignments.done(store, again, ana, versions) == (40, 40)
    repeats = store.value("select count(*) from grades where repeat = 2 and unit_id is not null")
    assert repeats == 8


def test_a_key_for_another_answer_s_unit_is_named(
    store, labelling, ana, claims_rubric, claims_judge
):
    take_apart(store, item_ids(store, 2), claims_judge)
    one, other = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    version = claims_rubric[1].version(claims_rubric[1].criteria[0])
    saved = save(
        store,
        labelling,
        ana,
        claims_rubric,
        Key("other", one.id, other.steps[0].slot, "scored", 1),
        Key("list", one.id, other.steps[-1].slot, "scored", 1),
        Key("whole", one.id, version, "scored", 1),
        Key("version", one.id, f"{'0' * 16}/{one.steps[0].slot.split('/')[1]}", "scored", 1),
        Key("scale", one.id, one.steps[0].slot, "scored", 7),
        Key("errors", one.id, one.steps[-1].slot, "scored", 8),
        Key("good", one.id, one.steps[0].slot, "cannot_grade"),
    )
    assert saved.on_disk == ["good"]


def test_what_is_read_names_no_judge_no_evidence_and_no_answer(
    store, claims_rubric, ana, claims_judge
):
    secret = {"answer_model": "SECRET-model", "metadata": {"defect": "SECRET"}}
    item = made_item(1, own_id="SECRET-id", answer="SECRET", reference=("SECRET",), **secret)
    sheet = additions.add(store, "SECRET-sheet", [item], "SECRET.csv", "3" * 64, {})
    made = grading_sets.create(store, sheet.id, claims_rubric[0], "Set 1", None, seed=1)
    [item_id] = item_ids(store)
    [of_it] = take_apart(store, [item_id], claims_judge)
    version = claims_rubric[1].version(claims_rubric[1].criteria[0])
    for who in (claims_judge, graders.ensure(store, "person", "SECRET-annotator")):
        press = Press(item_id, version, who, score=0, reason="SECRET", quote="SECRET")
        grades.record(store, [press._replace(unit_id=of_it.units[0].id)])
    read = (
        workspace.window(store, made, ana, claims_rubric[1], None),
        item_view.shown(store, [item_id], claims_rubric[1]),
    )
    assert "SECRET" not in json.dumps(read)
    assert read[0].places[0].given == {}


def test_a_person_sees_of_an_answer_what_its_judge_sees(store):
    item = made_item(1, reference_contexts=("The page.",), metadata={"judge_date": "2024-02-09"})
    additions.add(store, "one", [item], "one.csv", "3" * 64, {})
    [item_id] = item_ids(store)
    for name, parts in {
        "facts-in-document": {"question", "reference_contexts", "date"},
        "claims-in-chunk": {"contexts", "date"},
        "chunks-for-answer": {"question", "answer", "date"},
        "claims-in-reference": {"question", "reference", "date"},
    }.items():
        _, rubric = rubric_versions.named(store, name)
        seen = item_view.shown(store, [item_id], rubric)[item_id]
        assert {part for part, text in seen._asdict().items() if text} == parts


def test_what_is_said_of_units_and_lists_is_no_grade_of_an_answer(
    store, sheet, labelling, ana, claims_rubric, claims_judge
):
    take_apart(store, item_ids(store, 1), claims_judge)
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    keys = [Key(step.slot, place.id, step.slot, "scored", 1) for step in place.steps]
    assert save(store, labelling, ana, claims_rubric, *keys).refused == {}
    assert sheet_progress.graded(store, sheet.id).annotators == []
    assert sheet_progress.grades_since(store, sheet.id, "") == []
