"""What a grading screen may know and write."""

import json

from concord.grading import assignments, grading_sets, item_view, workspace
from concord.grading.workspace import AHEAD, BACK, Key
from concord.model import Context
from concord.store import additions, graders, grades, items
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
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
