"""What one undo after another returns to."""

import pytest

from concord.grading import grade_history, grading_sets, workspace
from concord.grading.workspace import Key
from concord.store import grades
from concord.store.grades import Press
from concord.text import marked_passages
from concord.text.marked_passages import Passage


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


def test_an_undo_is_a_new_row_that_says_so(store, sheet, rubric, ana, version):
    made = grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)
    place = workspace.window(store, made, ana, rubric[1], None).places[0]
    keys = [
        Key("a", place.id, version, "scored", 2, "why"),
        Key("b", place.id, version, "scored", 3),
        Key("c", place.id, version, "scored", 2, "why", undo=True),
    ]
    assert workspace.save(store, made, ana, rubric[1], keys).refused == {}
    rows = store.rows("select score, reason, why, supersedes is not null as later from grades")
    assert [tuple(row) for row in rows] == [
        (2, "why", "", 0),
        (3, "", "", 1),
        (2, "why", "undo", 1),
    ]
    shown = workspace.window(store, made, ana, rubric[1], None).places[0].given[version]
    assert (shown.score, shown.note, shown.before) == (2, "why", ())
