"""What a grading screen may know and write."""

import csv
import json

from concord.exporting import exported_tables
from concord.grading import assignments, grading_sets, item_view, sheet_progress, workspace
from concord.grading.workspace import AHEAD, BACK, Key
from concord.model import Cell, Context
from concord.reports.units import decomposition
from concord.rubrics import list_check
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


def test_a_window_holds_the_place_one_stands_on(store, big_set, ana, rubric):
    first = window(store, big_set, ana, rubric).places[0]
    settle(store, big_set, ana, rubric, 40)
    assert first.id not in [p.id for p in window(store, big_set, ana, rubric).places]
    assert window(store, big_set, ana, rubric, first.id).places[0] == first._replace(
        given=window(store, big_set, ana, rubric, first.id).places[0].given
    )


def test_a_window_says_when_nothing_lies_beyond_it(store, big_set, ana, rubric):
    settle(store, big_set, ana, rubric, 99 - AHEAD - 1)
    assert not window(store, big_set, ana, rubric).whole
    settle(store, big_set, ana, rubric, 1)
    assert window(store, big_set, ana, rubric).whole
    settle(store, big_set, ana, rubric, AHEAD)
    last = window(store, big_set, ana, rubric)
    assert (last.whole, last.done, last.total) == (True, 99, 99)


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
    assert saved.refused == {
        "gone": "its answer was deleted or assigned to another annotator",
        "another's": "its answer was deleted or assigned to another annotator",
        "criterion": "its criterion is not in the rubric of this set",
        "scale": "4 is not on the scale",
    }


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


def test_turns_and_contexts_are_read_as_the_judge_is_shown_them(store, rubric):
    turns = ({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"})
    contexts = (Context("c1", "", "", 1), Context("c2", "", "Text.", 2))
    item = made_item(1, turns=turns, contexts=contexts)
    sheet = additions.add(store, "talk", [item], "talk.csv", "4" * 64, {})
    talk = rubric[1].model_copy(update={"shown": ("turns", "question", "contexts")})
    [item_id] = items.item_ids(store, sheet.id)
    shown = item_view.shown(store, [item_id], talk)[item_id]
    assert (shown.turns, shown.contexts) == ("user: Hi\n\nassistant: Hello", ["Text."])
    assert item_view.shown(store, [item_id], rubric[1])[item_id].turns == ""


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
    assert (row["label"], row["score"], row["quote"]) == ("contradicted", 0, "0 is a number.")
    assert (row["unit_id"], row["blind"], row["reason"]) == (int(slot.split("/")[1]), 1, "no")
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    assert place.given[slot][1:4] == ("scored", 0, "no")
    assert [one.words for one in place.given[slot].marked] == ["0 is a number."]


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


def test_an_empty_list_is_handed_out_to_be_checked_where_a_model_made_it(
    store, labelling, ana, claims_rubric, claims_judge
):
    by_model, by_rule = item_ids(store, 2)
    take_apart(store, [by_model], claims_judge, 0)
    take_apart(store, [by_rule], None, 0)
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    assert (place.item_id, [step.text for step in place.steps]) == (by_model, [""])


def test_a_list_that_a_rule_or_a_person_made_is_not_checked(store, labelling, ana, claims_rubric):
    by_rule, by_person = item_ids(store, 2)
    take_apart(store, [by_rule], None)
    take_apart(store, [by_person], ana)
    for place in window_of_workspace_units(store, labelling, ana, claims_rubric).places:
        assert [step.text for step in place.steps] == ["Claim 0.", "Claim 1."]


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
    foreign = "it is not of this answer's claims"
    assert saved.refused == {
        "other": foreign,
        "list": foreign,
        "whole": foreign,
        "version": "its criterion is not in the rubric of this set",
        "scale": "7 is not on the scale",
        "errors": "8 is not on the scale",
    }


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


def test_every_combination_of_list_errors_has_a_number_and_a_label():
    levels = list_check.rubric("claim").criteria[0].levels
    labels = [list_check.label(level.score) for level in levels]
    assert labels[:4] == ["right", "missing", "invented", "missing, invented"]
    assert [list_check.score(label) for label in labels] == list(range(8))
    assert all(
        level.meaning.startswith(f"{label}: ") for level, label in zip(levels, labels, strict=True)
    )


def test_an_export_holds_what_is_said_of_units_and_lists(
    store, labelling, ana, claims_rubric, claims_judge, tmp_path
):
    take_apart(store, item_ids(store, 1), claims_judge)
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    first, second, whole = (step.slot for step in place.steps)
    save(
        store,
        labelling,
        ana,
        claims_rubric,
        Key("a", place.id, first, "scored", 0, "no", 2.5, "0 is a number."),
        Key("b", place.id, second, "cannot_grade"),
        Key("c", place.id, whole, "scored", 1),
    )
    exported_tables.export(store, tmp_path / "out")
    with (tmp_path / "out" / "unit_grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ("unit_kind", "unit", "criterion", "label", "score", "grader", "status", "quote")
    assert [tuple(row[column] for column in columns) for row in rows] == [
        (
            *("claim", "Claim 0.", "claim_in_contexts", "contradicted"),
            *("0.0", "Ana", "scored", "0 is a number."),
        ),
        ("claim", "Claim 1.", "claim_in_contexts", "", "", "Ana", "cannot_grade", ""),
        ("claim", "Claim 0.\nClaim 1.", "claim_list", "missing", "", "Ana", "scored", ""),
    ]
    assert (tmp_path / "out" / "grades.csv").read_text(encoding="utf-8-sig").count("\n") == 1


def test_units_that_need_no_model_are_made_at_once_and_pairs_follow_their_claims(
    store, sheet, claims_rubric, ana, claims_judge
):
    def made(name):
        rubric_id, _ = rubric_versions.named(store, name)
        return grading_sets.create(store, sheet.id, rubric_id, name, None, 1, repeat_share=0)

    assert decomposition.by_rule(store, made("chunks-for-answer")) == (36, 0, 0)
    assert decomposition.by_rule(store, made("reference-sentences-in-contexts")) == (36, 0, 0)
    pairs = made("claims-in-chunk")
    assert decomposition.by_rule(store, pairs) == (0, 0, 36)
    [made_list] = take_apart(store, item_ids(store, 1), claims_judge)
    assert decomposition.by_rule(store, pairs) == (1, 0, 35)
    _, rubric = rubric_versions.named(store, "claims-in-chunk")
    [place] = workspace.window(store, pairs, ana, rubric, None).places
    assert [(step.text, step.position) for step in place.steps] == [
        ("Claim 0.", 0),
        ("Claim 1.", 0),
    ]
    units.edit(store, made_list, [(None, "Put right.")], ana)
    decomposition.by_rule(store, pairs)
    [place] = workspace.window(store, pairs, ana, rubric, None).places
    assert [step.text for step in place.steps] == ["Put right."]


def test_a_set_says_how_many_answers_wait_and_what_takes_them_apart(store, labelling, claims_judge):
    take_apart(store, item_ids(store, 35), claims_judge)
    taken = decomposition.by_rule(store, labelling)
    assert taken == (35, 0, 1)
    said = decomposition.sentence("claim", taken)
    assert said.startswith("1 answer has not been split into claims yet and is not assigned")
    assert "metric judge" in said
    take_apart(store, item_ids(store), claims_judge)
    assert decomposition.sentence("claim", decomposition.by_rule(store, labelling)) == ""


def test_a_set_of_whole_answers_is_not_taken_apart(store, sheet, rubric):
    whole = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    assert decomposition.by_rule(store, whole) is None
    assert store.value("select count(*) from decompositions") == 0


def test_what_is_said_of_units_and_lists_is_no_grade_of_an_answer(
    store, sheet, labelling, ana, claims_rubric, claims_judge
):
    take_apart(store, item_ids(store, 1), claims_judge)
    [place] = window_of_workspace_units(store, labelling, ana, claims_rubric).places
    keys = [Key(step.slot, place.id, step.slot, "scored", 1) for step in place.steps]
    assert save(store, labelling, ana, claims_rubric, *keys).refused == {}
    assert sheet_progress.graded(store, sheet.id).annotators == []
    assert sheet_progress.grades_since(store, sheet.id, "") == []
