"""One answer's evidence: who said what of each claim, where it stands, and what an edit costs."""

import pytest

from concord.reports.metrics import metric_records as readings
from concord.reports.units import evidence
from concord.sampling import split_assignment
from concord.store import items
from concord.store.units import units
from concord.text.marked_passages import Passage
from tests.support.evidence_room import RUBRIC, cut, number, say


def test_claims_that_graders_differ_on_stand_first_then_the_lowest(store, three_answers, mine, ana):
    a, b, c = cut(store, 1, "Tea grows.", "It rains.", "It is hot.")
    say(store, 1, mine, {a: 3, b: 3, c: 0}, why="Says so.")
    say(store, 1, ana, {a: 3, b: 0})
    found = evidence.read(store, 1, RUBRIC)
    assert [unit["id"] for unit in found.units] == [b, c, a]
    assert [unit["differs"] for unit in found.units] == [True, False, False]
    first = found.units[0]
    assert first["number"] == 2
    assert [(one["kind"], one["label"], one["fails"]) for one in first["said"]] == [
        ("person", "contradicted", True),
        ("metric", "supported", False),
    ]
    assert (first["said"][1]["who"], first["said"][1]["reason"]) == ("mine", "Says so.")


def test_a_quote_is_marked_in_the_text_it_stands_in(store, three_answers, mine):
    a, b, c = cut(store, 1, "Tea grows.", "东京是首都。", "Other.")
    say(store, 1, mine, {a: 3}, quote="in Assam. It rains")
    say(store, 1, mine, {b: 3}, quote="日本的首都")
    say(store, 1, mine, {c: 1}, quote="Nowhere to be read.")
    found = evidence.read(store, 1, RUBRIC)
    pieces = {
        part.name: [(*one.values(),) for one in evidence.segments(part)] for part in found.parts
    }
    assert ("in Assam.\nIt rains", [a]) in pieces["Context 1"]
    assert ("日本的首都", [b]) in pieces["Context 2"]
    assert pieces["Answer"] == [(items.item(store, 1).item.answer, [])]


def test_passages_of_annotators_are_marked_where_they_were_selected(store, three_answers, mine):
    [a] = cut(store, 1, "Tea grows.")
    text = items.item(store, 1).item.contexts[1].text
    words = text[:4]
    first, second = Passage("context", 2, 1, words), Passage("answer", 1, 99, "nowhere")
    hidden = Passage("question", 1, 1, "Tea")  # these graders see no question
    say(store, 1, mine, {a: 3}, marked=(first, second, hidden))
    found = evidence.read(store, 1, RUBRIC)
    marked = [
        (part.name, piece["text"])
        for part in found.parts
        for piece in evidence.segments(part)
        if piece["units"]
    ]
    assert marked == [("Context 2", words)]
    quotes = found.units[0]["said"][0]["quotes"]
    assert [quoted for _, quoted in quotes] == [words, "nowhere", "Tea"]


def test_passages_that_overlap_belong_to_both():
    part = evidence.Part("x", "abcdef", ((0, 4, 1), (2, 6, 2)))
    assert [(*one.values(),) for one in evidence.segments(part)] == [
        ("ab", [1]),
        ("cd", [1, 2]),
        ("ef", [2]),
    ]


def test_verdicts_on_claims_that_are_gone_are_not_shown(store, three_answers, mine, ana):
    a, b = cut(store, 1, "One.", "Two.")
    say(store, 1, mine, {a: 3, b: 1})
    old = units.current(store, [1], "claim")[1]
    units.edit(store, old, [(b, "Two.")], ana)
    found = evidence.read(store, 1, RUBRIC)
    assert [unit["id"] for unit in found.units] == [b]


def test_nobody_has_looked_is_not_nothing_was_found(store, three_answers, mine):
    assert evidence.read(store, 1, RUBRIC).cut is None
    cut(store, 2)
    assert evidence.read(store, 2, RUBRIC).cut.units == ()


def test_the_list_begins_with_answers_graders_differ_on_and_leaves_out_closed_ones(
    store, three_answers, mine, ana
):
    for item_id, annotators in ((1, 3), (2, 0), (3, 3)):
        (unit,) = cut(store, item_id, "One.")
        say(store, item_id, mine, {unit: 3})
        say(store, item_id, ana, {unit: annotators})
        number(store, mine, item_id, 1.0 - item_id / 10)
    by = "faithfulness mine@f1"
    found = readings.read(store, three_answers)
    rows, _ = evidence.listed(store, three_answers, found, RUBRIC, by)
    assert rows.index.tolist() == [2, 3, 1]
    assert rows["differ"].tolist() == [1, 0, 0] and rows["graders"].tolist() == [2, 2, 2]
    question = store.value("select question_id from items where id = 2")
    split_assignment.assign(store, [question], "held-out", "for later")
    found = readings.read(store, three_answers)
    rows, closed = evidence.listed(store, three_answers, found, RUBRIC, by)
    assert (rows.index.tolist(), closed) == ([3, 1], 1)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("One.\nTwo.\nThree.", [0, 1, 2]),
        ("One.\nTwo and a half.\nThree.", [0, 1, 2]),
        ("One.\n\n  Three. \n", [0, 2]),
        ("One.\nTwo.\nTwo again.\nThree.", [0, 1, None, 2]),
        ("Three.\nOne.\nTwo.", [2, 0, 1]),
        ("One.\none.\nTwo.\nThree.", [0, 1, 2]),
        ("", []),
    ],
)
def test_a_line_that_stays_is_the_same_claim(store, three_answers, text, ids):
    made = cut(store, 1, "One.", "Two.", "Three.")
    planned, lost = evidence.plan(store, units.current(store, [1], "claim")[1], text)
    expected = [None if place is None else made[place] for place in ids]
    found = [unit_id for unit_id, _ in planned]
    assert sorted(filter(None, found)) == sorted(filter(None, expected))
    assert lost == 0
    if None not in ids:
        assert found == expected


def test_an_edit_says_which_verdicts_no_longer_count(store, three_answers, mine, ana):
    a, b = cut(store, 1, "One.", "Two.")
    say(store, 1, mine, {a: 3, b: 1})
    say(store, 1, ana, {b: 0})
    old = units.current(store, [1], "claim")[1]
    planned, lost = evidence.plan(store, old, "One.\nTwo, rightly.\nThree.")
    assert lost == 2
    made = units.edit(store, old, planned, ana)
    assert [unit.id == a for unit in made.units] == [True, False, False]
