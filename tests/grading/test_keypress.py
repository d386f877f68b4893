"""What a browser sends is checked before it is stored, and what is stored can be exported."""

import json
import math
import sqlite3

import pytest

from concord.grading import grading_sets, keypress, workspace
from concord.store import grades
from concord.store.grades import Press

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
