"""What a browser sends is checked before it is stored, and what is stored can be exported."""

import json
import math
import sqlite3

import pytest

from concord.grading import grading_sets, keypress, workspace
from concord.grading.workspace import Key
from concord.store import graders, grades
from concord.store.database import open_store
from concord.store.grades import Press
from concord.store.permissions import GRADER, Who

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
    store, sheet, rubric, ana
):
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    place = workspace.window(store, made, ana, rubric[1], None).places[0]
    version = rubric[1].version(rubric[1].criteria[0])
    sent = [PASSAGE, PASSAGE | {"part": "answer", "number": 1, "words": "日本"}]
    pressed = GOOD | {"place": place.id, "version": version, "quote": sent}
    assert workspace.save(store, made, ana, rubric[1], [keypress.read(pressed)]).refused == {}
    row = store.row("select quote, marked_passages from grades")
    assert (row["quote"], json.loads(row["marked_passages"])) == ("Rome […] 日本", sent)


@pytest.mark.parametrize("sent", [None, 3, "key", [], {}])
def test_what_is_no_press_at_all_is_none(sent):
    assert keypress.fault(keypress.read(sent)) == "press_id is not valid"


def test_a_handcrafted_press_stores_nothing_and_holds_up_none_behind_it(store, sheet, rubric, ana):
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    place = workspace.window(store, made, ana, rubric[1], None).places[0]
    sound = GOOD | {"place": place.id, "version": rubric[1].version(rubric[1].criteria[0])}
    sent = [sound | {"press_id": f"bad {n}"} | {one[0]: one[1]} for n, one in enumerate(BAD)]
    sent.append(sound | {"version": f"{sound['version']}/{'9' * 30}", "press_id": "no unit"})
    keys = [keypress.read(one) for one in [*sent, sound]]
    saved = workspace.save(store, made, ana, rubric[1], keys)
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
def test_the_database_takes_no_row_that_holds_nonsense(store, one, rubric, ana, column, value):
    version = rubric[1].version(rubric[1].criteria[0])
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
    practised, _, first, second, *_ = places = _places(opened, practised_set, ana, rubric[1])
    one, *others = rubric[1].versions().values()
    saved = _save(
        *(opened, practised_set, ana, rubric[1]),
        Key("score", first.id, one, "scored", 2, "", 1.5),
        Key("change", first.id, one, "scored", 3, "a note", 0.5, "what it says"),
        Key("later", first.id, "", "later"),
        Key("cannot", second.id, one, "cannot_grade", language="ko"),
        Key("undo", second.id, one, "withdrawn"),
        *(Key(f"try {v}", practised.id, v, "scored", 1) for v in (one, *others)),
        Key("comment", practised.id, "", "comment", note="I read it otherwise."),
    )
    assert saved.refused == {} and len(saved.on_disk) == 6 + len(rubric[1].criteria)
    last = _places(opened, practised_set, ana, rubric[1])
    assert [place.id for place in last] == [p.id for p in places if p.id != first.id] + [first.id]
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
    made, rubric = claims_set
    opened = pane(made)
    first, second, *_ = _places(opened, made, ana, rubric)
    saved = _save(
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
    assert _places(opened, made, ana, rubric)[-1].id == second.id


def test_later_moves_no_place_of_another_grader(store, pane, practised_set, rubric, ana):
    ben = graders.ensure(store, "person", "Ben")
    theirs = [place.id for place in _places(store, practised_set, ben, rubric[1])]
    mine = _places(pane(practised_set), practised_set, ana, rubric[1])
    saved = _save(
        *(pane(practised_set), practised_set, ana, rubric[1]),
        Key("theirs", theirs[0], "", "later"),
        Key("mine", mine[0].id, "", "later"),
    )
    assert saved.on_disk == ["mine"] and list(saved.refused) == ["theirs"]
    assert [place.id for place in _places(store, practised_set, ben, rubric[1])] == theirs


def test_a_key_that_the_database_refuses_holds_up_none_behind_it(
    store, pane, practised_set, rubric, ana
):
    opened = pane(practised_set)
    *_, first, second = _places(opened, practised_set, ana, rubric[1])
    version = rubric[1].version(rubric[1].criteria[0])
    store.execute(
        "create trigger no_later before update on assignments begin"
        " select raise(abort, 'never'); end"
    )
    saved = _save(
        *(opened, practised_set, ana, rubric[1]),
        Key("before", first.id, version, "scored", 1),
        Key("refused", first.id, "", "later"),
        Key("behind", second.id, version, "scored", 2),
    )
    assert saved == (["before", "behind"], {"refused": "the database denies this grader access"})
    assert [row["score"] for row in store.rows(CURRENT)] == [1, 2]


def test_what_a_role_refuses_holds_up_none_behind_it(
    store, practised_set, rubric, ana, monkeypatch
):
    """As an older server refused `later`: by the role, before the statement ran."""
    grading_sets.join(store, practised_set, ana, "Lea")
    with open_store(store.path, Who("Ana", GRADER, ana)) as opened:
        first, *_ = _places(opened, practised_set, ana, rubric[1])
        version = rubric[1].version(rubric[1].criteria[0])
        monkeypatch.setattr(
            "concord.grading.assignments.postpone",
            lambda *_: opened.execute("delete from main.assignments"),
        )
        saved = _save(
            *(opened, practised_set, ana, rubric[1]),
            Key("refused", first.id, "", "later"),
            Key("behind", first.id, version, "scored", 2),
        )
    assert saved.on_disk == ["behind"] and list(saved.refused) == ["refused"]


def _places(store, grading_set, ana, rubric):
    return workspace.window(store, grading_set, ana, rubric, None).places


def _save(store, grading_set, ana, rubric, *keys):
    return workspace.save(store, grading_set, ana, rubric, list(keys))
