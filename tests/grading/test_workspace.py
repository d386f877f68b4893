"""What a grading screen may know and write."""

import csv
import json
import math
import sqlite3

import pytest

from concord.exporting import exported_tables
from concord.grading import (
    assignments,
    comments,
    grade_history,
    grading_sets,
    item_view,
    keypress,
    sheet_progress,
    workspace,
)
from concord.grading.comments import At, Own, Remark
from concord.grading.workspace import AHEAD, BACK, Key
from concord.messages import Problem
from concord.model import Cell
from concord.store import additions, answer_record, graders, grades, items
from concord.store.database import Refused, open_store
from concord.store.grades import Press
from concord.store.permissions import GRADER, LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.text import marked_passages
from concord.text.marked_passages import Passage
from concord.ui.screens import flags
from tests.support.made_items import made_item


def window(store, made, ana, rubric):
    return workspace.window(store, made, ana, rubric[1], None)


def places(store, made, ana, rubric):
    return window(store, made, ana, rubric).places


def save(store, made, ana, rubric, *keys):
    return workspace.save(store, made, ana, rubric[1], [*keys])


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
    place = places(store, big_set, ana, rubric)[0]
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
    assert places(store, big_set, ana, rubric)[0].given[version][1:4] == (
        "scored",
        3,
        "because",
    )


def test_a_key_that_cannot_be_saved_is_named_and_the_others_are(
    store, big_set, ana, rubric, version
):
    ben = graders.ensure(store, "person", "Ben")
    bens = places(store, big_set, ben, rubric)[0]
    place = places(store, big_set, ana, rubric)[0]
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


def test_only_answers_that_were_taken_apart_are_handed_out(
    store, labelling, ana, claims_rubric, claims_judge
):
    nothing = window(store, labelling, ana, claims_rubric)
    assert (nothing.places, nothing.whole, nothing.done, nothing.total) == ([], True, 0, 0)
    ready = item_ids(store, 5)
    take_apart(store, ready, claims_judge)
    found = window(store, labelling, ana, claims_rubric)
    assert sorted(place.item_id for place in found.places) == ready
    assert (found.whole, found.done, found.total) == (True, 0, 5)
    assert [step.text for step in found.places[0].steps] == ["Claim 0.", "Claim 1.", ""]


def test_an_answer_is_done_when_every_unit_and_the_list_has_a_grade(
    store, labelling, ana, claims_rubric, claims_judge
):
    take_apart(store, item_ids(store, 2), claims_judge)
    place = places(store, labelling, ana, claims_rubric)[0]
    for number, step in enumerate(place.steps):
        assert window(store, labelling, ana, claims_rubric).done == 0
        save(
            store, labelling, ana, claims_rubric, Key(str(number), place.id, step.slot, "scored", 1)
        )
    assert window(store, labelling, ana, claims_rubric).done == 1
    save(
        store,
        labelling,
        ana,
        claims_rubric,
        Key("undo", place.id, place.steps[0].slot, "withdrawn"),
    )
    assert window(store, labelling, ana, claims_rubric).done == 0


def test_what_is_said_of_a_list_has_a_label_no_score_and_its_list(
    store, labelling, ana, claims_rubric, claims_judge
):
    [made] = take_apart(store, item_ids(store, 1), claims_judge)
    [place] = places(store, labelling, ana, claims_rubric)
    slot = place.steps[-1].slot
    save(store, labelling, ana, claims_rubric, Key("a", place.id, slot, "scored", 5))
    [row] = store.rows(
        "select g.*, c.decomposition_id from grades g join list_checks c on c.grade_id = g.id"
    )
    assert (row["label"], row["score"], row["unit_id"]) == ("missing, not atomic", None, None)
    assert row["decomposition_id"] == made.id
    [place] = places(store, labelling, ana, claims_rubric)
    assert place.given[slot][1:3] == ("scored", 5)


def test_an_edited_list_keeps_the_grades_of_what_stays(
    store, labelling, ana, claims_rubric, claims_judge
):
    [made] = take_apart(store, item_ids(store, 1), claims_judge)
    [place] = places(store, labelling, ana, claims_rubric)
    keys = [Key(s.slot, place.id, s.slot, "scored", 0) for s in place.steps]
    save(store, labelling, ana, claims_rubric, *keys)
    stays, goes = made.units
    units.edit(store, made, [(stays.id, stays.text), (goes.id, "Put right.")], ana)
    [place] = places(store, labelling, ana, claims_rubric)
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
    one, other = places(store, labelling, ana, claims_rubric)
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
    [place] = places(store, labelling, ana, claims_rubric)
    keys = [Key(step.slot, place.id, step.slot, "scored", 1) for step in place.steps]
    assert save(store, labelling, ana, claims_rubric, *keys).refused == {}
    assert sheet_progress.graded(store, sheet.id).annotators == []
    assert sheet_progress.grades_since(store, sheet.id, "") == []


GOOD = {"press_id": "p", "place": 1, "version": "v", "status": "scored", "score": 1}
GOOD |= {"note": "", "seconds": 1.5, "quote": ""}
PASSAGE = {"part": "context", "number": 2, "occurrence": 1, "words": "Rome"}
# A field, what a handcrafted message had in it, and the column that would hold it.
BAD = [
    *[("seconds", value) for value in ("x", math.inf, -math.inf, -1, 1e308, True, [1], {})],
    *[("press_id", value) for value in ("", None, 1_000_000, "p" * 65, "p" * 1_000_000, ["p"])],
    *[("note", value) for value in ("n" * 5_000_000, 5, ["n"], "half \ud83d")],
    *[("quote", value) for value in ("q" * 100_001, 5, ["q"], [PASSAGE] * 21)],
    *[("quote", [PASSAGE | {"words": value}]) for value in ("q" * 100_001, "half \ud83d", 5)],
    *[("quote", [PASSAGE | {name: "x"}]) for name in ("part", "number", "occurrence", "more")],
    *[("language", value) for value in ("k" * 65, 5)],
    *[("place", value) for value in (None, "1", 1.5, True, 2**63, {})],
    *[("version", value) for value in (7, "v" * 65, ["v"])],
    *[("status", value) for value in ("failed", "", None, 3, ["scored"])],
    *[("score", value) for value in ("3", 1.5, True, 10**400, [3])],
]


@pytest.mark.parametrize(("field", "value"), BAD, ids=lambda value: str(value)[:12])
def test_each_field_of_a_press_is_checked(field, value):
    assert keypress.fault(keypress.read(GOOD)) == ""
    assert keypress.fault(keypress.read(GOOD | {field: value})) == f"{field} is not valid"


def test_marked_passages_are_stored_with_their_places_and_their_words_as_one_text(
    store, whole_set, rubric, ana, version
):
    place = places(store, whole_set, ana, rubric)[0]
    sent = [PASSAGE, PASSAGE | {"part": "answer", "number": 1, "words": "日本"}]
    pressed = GOOD | {"place": place.id, "version": version, "quote": sent}
    assert workspace.save(store, whole_set, ana, rubric[1], [keypress.read(pressed)]).refused == {}
    row = store.row("select quote, marked_passages from grades")
    assert (row["quote"], json.loads(row["marked_passages"])) == ("Rome […] 日本", sent)


@pytest.mark.parametrize("sent", [None, 3, "key", [], {}])
def test_what_is_no_press_at_all_is_none(sent):
    assert keypress.fault(keypress.read(sent)) == "press_id is not valid"


def test_a_handcrafted_press_stores_nothing_and_holds_up_none_behind_it(
    store, whole_set, rubric, ana, version
):
    place = places(store, whole_set, ana, rubric)[0]
    sound = GOOD | {"place": place.id, "version": version}
    sent = [sound | {"press_id": f"bad {n}"} | {one[0]: one[1]} for n, one in enumerate(BAD)]
    sent.append(sound | {"version": f"{sound['version']}/{'9' * 30}", "press_id": "no unit"})
    keys = [keypress.read(one) for one in [*sent, sound]]
    saved = workspace.save(store, whole_set, ana, rubric[1], keys)
    assert saved.on_disk == ["p"]
    assert store.value("select count(*) from grades") == 1


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *[("seconds", value) for value in ("x", math.inf, -1, 1e308, b"x")],
        *[("press_id", value) for value in ("", "p" * 65, b"p")],
        *[("reason", b"x"), ("quote", b"x"), ("label", b"x"), ("why", b"x")],
        *[("repeat", 0), ("repeat", "x"), ("score", math.inf), ("score", "x")],
    ],
    ids=str,
)
def test_the_database_takes_no_row_that_holds_nonsense(store, one, ana, column, value, version):
    good = Press(1, version, ana, score=1, seconds=1.5, press_id="p", label="fine")
    with pytest.raises(sqlite3.IntegrityError, match="is_sound"):
        grades.record(store, [good._replace(**{column: value})])
    assert grades.record(store, [good]) == ["p"]


CURRENT = (
    "select status, score, label, reason, quote from grades g where not exists"
    " (select 1 from grades later where later.supersedes = g.id) order by id"
)


def test_every_key_on_whole_answers_is_saved(store, pane, practised_set, rubric, ana):
    opened = pane(practised_set)
    practised, _, first, second, *_ = laid = places(opened, practised_set, ana, rubric)
    one, *others = rubric[1].versions().values()
    saved = save(
        *(opened, practised_set, ana, rubric),
        Key("score", first.id, one, "scored", 2, "", 1.5),
        Key("change", first.id, one, "scored", 3, "a note", 0.5, "what it says"),
        Key("later", first.id, "", "later"),
        Key("cannot", second.id, one, "cannot_grade", language="ko"),
        Key("undo", second.id, one, "withdrawn"),
        *(Key(f"try {v}", practised.id, v, "scored", 1) for v in (one, *others)),
        Key("comment", practised.id, "", "comment", note="I read it otherwise."),
    )
    assert saved.refused == {} and len(saved.on_disk) == 6 + len(rubric[1].criteria)
    last = places(opened, practised_set, ana, rubric)
    assert [place.id for place in last] == [p.id for p in laid if p.id != first.id] + [first.id]
    assert {tuple(row)[:3] for row in store.rows(CURRENT)} == {
        ("scored", 3, None),
        ("withdrawn", None, None),
        ("scored", 1, None),
    }
    assert store.column("select quote from grades where score = 3") == ["what it says"]
    # The language of the translation that was read is stored with the grade.
    languages = store.column("select rubric_language from grades order by id")
    assert languages[:4] == ["", "", "ko", ""] and set(languages[4:]) == {""}
    assert store.value("select text from comments") == "I read it otherwise."


def test_every_key_on_units_and_their_list_is_saved(store, pane, claims_set, ana):
    made, _ = rubric = claims_set
    opened = pane(made)
    first, second, *_ = places(opened, made, ana, rubric)
    saved = save(
        *(opened, made, ana, rubric),
        Key("verdict", first.id, first.steps[0].slot, "scored", 0, "no", 1.0, "0 is a number."),
        Key("check", first.id, first.steps[1].slot, "scored", 5),
        Key("cannot", second.id, second.steps[0].slot, "cannot_grade"),
        Key("neither", second.id, second.steps[1].slot, "cannot_grade"),
        Key("undo", second.id, second.steps[1].slot, "withdrawn"),
        Key("later", second.id, "", "later"),
    )
    assert saved.refused == {} and len(saved.on_disk) == 6
    assert [tuple(row) for row in store.rows(CURRENT)] == [
        ("scored", 0, "contradicted", "no", "0 is a number."),
        ("scored", None, "missing, not atomic", "", ""),
        ("cannot_grade", None, None, "", ""),
        ("withdrawn", None, None, "", ""),
    ]
    assert places(opened, made, ana, rubric)[-1].id == second.id


def test_later_moves_no_place_of_another_grader(store, pane, practised_set, rubric, ana):
    ben = graders.ensure(store, "person", "Ben")
    theirs = [place.id for place in places(store, practised_set, ben, rubric)]
    mine = places(pane(practised_set), practised_set, ana, rubric)
    saved = save(
        *(pane(practised_set), practised_set, ana, rubric),
        Key("theirs", theirs[0], "", "later"),
        Key("mine", mine[0].id, "", "later"),
    )
    assert saved.on_disk == ["mine"] and list(saved.refused) == ["theirs"]
    assert [place.id for place in places(store, practised_set, ben, rubric)] == theirs


def test_a_key_that_the_database_refuses_holds_up_none_behind_it(
    store, pane, practised_set, rubric, ana, version
):
    opened = pane(practised_set)
    *_, first, second = places(opened, practised_set, ana, rubric)
    store.execute(
        "create trigger no_later before update on assignments begin"
        " select raise(abort, 'never'); end"
    )
    saved = save(
        *(opened, practised_set, ana, rubric),
        Key("before", first.id, version, "scored", 1),
        Key("refused", first.id, "", "later"),
        Key("behind", second.id, version, "scored", 2),
    )
    assert (saved.on_disk, [*saved.refused]) == (["before", "behind"], ["refused"])
    assert [row["score"] for row in store.rows(CURRENT)] == [1, 2]


def test_what_a_role_refuses_holds_up_none_behind_it(
    store, practised_set, rubric, ana, monkeypatch, version
):
    """As an older server refused `later`: by the role, before the statement ran."""
    grading_sets.join(store, practised_set, ana, "Lea")
    with open_store(store.path, Who("Ana", GRADER, ana)) as opened:
        first, *_ = places(opened, practised_set, ana, rubric)
        monkeypatch.setattr(
            "concord.grading.assignments.postpone",
            lambda *_: opened.execute("delete from main.assignments"),
        )
        saved = save(
            *(opened, practised_set, ana, rubric),
            Key("refused", first.id, "", "later"),
            Key("behind", first.id, version, "scored", 2),
        )
    assert saved.on_disk == ["behind"] and list(saved.refused) == ["refused"]


def stands(store, ana, version, *presses):
    """What stands after some presses: (score, note), and what stood before it, oldest first."""
    for score, why, note in presses:
        status = "withdrawn" if score is None else "scored"
        grades.record(store, [Press(1, version, ana, status, score, note, why=why)])
    last = grade_history.read(store, ana, [1]).get((1, 1), {}).get(version)
    return last and (last.score, last.note, [one and one.score for one in last.before])


@pytest.mark.parametrize(
    ("presses", "found"),
    [
        ([(2, "", "")], (2, "", [])),
        ([(2, "", ""), (3, "", "")], (3, "", [2])),
        ([(2, "", "why"), (3, "", ""), (2, "undo", "why")], (2, "why", [])),
        ([(2, "", ""), (3, "", ""), (2, "undo", ""), (None, "undo", "")], None),
        ([(2, "", ""), (3, "", ""), (1, "", ""), (3, "undo", "")], (3, "", [2])),
        ([(2, "", ""), (2, "", "a note")], (2, "a note", [])),
        # As older panes took a grade back: what comes next begins anew.
        ([(2, "", ""), (None, "", "")], None),
        ([(2, "", ""), (None, "", ""), (1, "", "")], (1, "", [2, None])),
        ([(2, "", ""), (None, "", ""), (1, "", ""), (None, "undo", "")], None),
        # Of two tabs: one undoes what the other has changed meanwhile.
        ([(2, "", ""), (3, "", ""), (1, "", ""), (2, "undo", "")], (2, "", [2, 3])),
    ],
)
def test_what_stands_and_what_stood_before(store, one, ana, version, presses, found):
    assert stands(store, ana, version, *presses) == found


def test_evidence_is_undone_before_the_score_it_was_added_to(store, one, ana, version):
    first = marked_passages.stored([Passage("answer", 1, 1, "Rome")])
    for marked, why, note in (("", "", ""), (first, "", ""), (first, "", "why"), ("", "undo", "")):
        press = Press(1, version, ana, score=2, reason=note, why=why, marked_passages=marked)
        last = grade_history.read(store, ana, [1]).get((1, 1), {}).get(version)
        grades.record(store, [press])
    assert (last.note, last.marked[0].words, [one.marked for one in last.before]) == (
        *("why", "Rome"),
        [()],
    )
    now = grade_history.read(store, ana, [1])[1, 1][version]
    assert (now.marked, now.before) == ((), ())


def test_an_undo_is_a_new_row_that_says_so(store, whole_set, rubric, ana, version):
    place = places(store, whole_set, ana, rubric)[0]
    keys = [
        Key("a", place.id, version, "scored", 2, "why"),
        Key("b", place.id, version, "scored", 3),
        Key("c", place.id, version, "scored", 2, "why", undo=True),
    ]
    assert workspace.save(store, whole_set, ana, rubric[1], keys).refused == {}
    rows = store.rows("select score, reason, why, supersedes is not null as later from grades")
    assert [tuple(row) for row in rows] == [
        (2, "why", "", 0),
        (3, "", "", 1),
        (2, "why", "undo", 1),
    ]
    shown = places(store, whole_set, ana, rubric)[0].given[version]
    assert (shown.score, shown.note, shown.before) == (2, "why", ())


def test_a_flag_is_stored_once_and_its_reply_comes_back(store, pane, practised_set, rubric, ana):
    opened = pane(practised_set)
    *_, place = places(opened, practised_set, ana, rubric)
    flag = Key("f1", place.id, "", "flag", note=" Is it fermented? ")
    saved = save(opened, practised_set, ana, rubric, flag, Key("f2", place.id, "", "flag"))
    assert saved == (["f1", "f2"], {})
    save(opened, practised_set, ana, rubric, flag)
    [one] = flags.of_sheet(store, practised_set.sheet_id)
    assert not one.replied and one.thread == (Remark("flag", "Ana", "Is it fermented?"),)
    comments.reply(store, one.at, "Lea", "Yes, it is.")
    [found] = flags.of_sheet(store, practised_set.sheet_id)
    assert found.replied and found.flagged_at == one.flagged_at
    again = {one.id: one.own for one in places(opened, practised_set, ana, rubric)}
    assert [remark.text for remark in again[place.id].thread] == ["Is it fermented?", "Yes, it is."]
    assert [one.place_id for one in comments.answered(opened, practised_set.id, ana)] == [place.id]
    assert sum(own != Own() for own in again.values()) == 1


def test_another_annotator_reads_none_of_it_and_writes_no_reply(store, practised_set, rubric, ana):
    bo = graders.ensure(store, "person", "Bo")
    for person in (ana, bo):
        grading_sets.join(store, practised_set, person, "Lea")
    *_, place = places(store, practised_set, ana, rubric)
    item = place.item_id
    save(store, practised_set, ana, rubric, Key("f", place.id, "", "flag", note="3, or 0?"))
    save(store, practised_set, ana, rubric, Key("c", place.id, "", "correction", note="Better."))
    comments.reply(store, At(practised_set.id, item, ana), "Lea", "0.")
    theirs = next(p for p in places(store, practised_set, bo, rubric) if p.item_id == item)
    assert theirs.own == Own()
    with open_store(store.path, Who("Bo", GRADER, bo)) as opened:
        assert opened.rows("select * from comments") == []
        for kind, whose in (("reply", bo), ("flag", ana), ("correction", ana)):
            with pytest.raises((Refused, sqlite3.IntegrityError)):
                comments.add(opened, kind, At(practised_set.id, item, whose), "Bo", "mine")
        with pytest.raises((Refused, sqlite3.IntegrityError)):
            comments.add(opened, "flag", At(practised_set.id + 99, item, bo), "Bo", "mine")
    with open_store(store.path, Who("Ana", GRADER, ana)) as opened:
        assert opened.value("select count(*) from comments") == 3
    with open_store(store.path, Who("Vi", VIEWER)) as opened, pytest.raises(Problem):
        comments.reply(opened, At(practised_set.id, item, ana), "Vi", "no")


def test_the_newest_corrected_answer_counts_and_an_empty_one_withdraws_it(
    store, pane, practised_set, rubric, ana, tmp_path
):
    opened = pane(practised_set)
    *_, one, other = places(opened, practised_set, ana, rubric)
    for n, (place, text) in enumerate([(one, "a"), (one, "b"), (other, "c"), (other, "")]):
        key = Key(f"c{n}", place.id, "", "correction", note=text)
        assert save(opened, practised_set, ana, rubric, key).on_disk
    own = {place.id: place.own for place in places(opened, practised_set, ana, rubric)}
    assert (own[one.id].correction, own[other.id].correction) == ("b", "")
    assert store.value("select count(*) from comments") == 4
    [corrected] = answer_record.corrections(store, one.item_id)
    assert (corrected.who, corrected.text) == ("Ana", "b")
    assert answer_record.corrections(store, other.item_id) == ()
    exported_tables.export(store, tmp_path / "out", every=True)
    with (tmp_path / "out" / "corrected_answers.csv").open(encoding="utf-8-sig") as file:
        [row] = csv.DictReader(file)
    assert (row["corrected_answer"], row["annotator"]) == ("b", "Ana")
    assert row["answer"] and row["item_row"] == str(one.item_id)


def test_replies_of_leads_are_in_the_audit_log(store, practised_set, rubric, ana):
    grading_sets.join(store, practised_set, ana, "Lea")
    *_, place = places(store, practised_set, ana, rubric)
    save(store, practised_set, ana, rubric, Key("f", place.id, "", "flag", note="?"))
    at = At(practised_set.id, place.item_id, ana)
    with open_store(store.path, Who("Lea", LEAD)) as led:
        with pytest.raises(Problem, match="reply"):
            comments.reply(led, at, "Lea", "  ")
        with pytest.raises(Problem, match="flag"):
            comments.reply(led, at._replace(repeat=2), "Lea", "ok")
        comments.reply(led, at, "Lea", "ok")
    assert [tuple(row) for row in store.rows("select who, what, table_name from changes")] == [
        ("Lea", "insert", "comments")
    ]
