"""Adjudication is blind: letters for annotators, no judge, no grade changed."""

import pytest

from concord.grading import adjudications, disagreement_causes
from concord.grading.adjudications import (
    ANNOTATORS,
    DRAW,
    OVERLOOKED,
    Adjudication,
    record,
)
from concord.grading.item_view import shown
from concord.messages import Conflict, Problem
from concord.reports.disagreements import adjudicate
from concord.reports.panel.panel_reading import read
from concord.reports.panel.reference_standard import CONSENSUS, reference
from concord.sampling import split_assignment, splits
from concord.store import grades, items, permissions, sheets
from concord.store.database import open_store
from concord.store.kept_results import state_key
from concord.store.permissions import Who
from tests.support.panels import ATLAS, BIRCH, give
from tests.support.panels import panel as read_panel


def item(store, place):
    return items.item_ids(store, sheets.all_sheets(store)[0].id)[place]


def word(store, doc_qa, lea, place=ATLAS, score=2, trigger=ANNOTATORS, ids=None, **more):
    """What Lea says of correctness, on all the annotators' grades of it."""
    version = doc_qa.versions()["correctness"]
    if ids is None:
        rows = grades.of_item(store, item(store, place), [version])
        ids = [row["id"] for row in rows if row["kind"] == "person"]
    return Adjudication(item(store, place), version, score, trigger, tuple(ids), lea, **more)


def test_a_closed_question_and_a_grade_that_was_not_blind_are_out(store, sheet, doc_qa, disputed):
    give(store, doc_qa, "Ana", {4: 3})
    give(store, doc_qa, "Ben", {4: 0}, blind=False)
    split_assignment.assign(store, [splits.of_sheet(store, sheet.id)[0]["id"]], "few-shot", "shown")
    assert not adjudicate.differing(read_panel(store, doc_qa))


def test_annotators_go_by_letters_whose_order_changes_from_answer_to_answer(store, sheet, doc_qa):
    every = dict.fromkeys(range(36), 1)
    give(store, doc_qa, "Ana", every, reason="from Ana")
    give(store, doc_qa, "Ben", every, reason="from Ben")
    panel = read_panel(store, doc_qa)
    first = set()
    for place in range(36):
        those = adjudicate.voices(store, panel, item(store, place), seed=5)
        assert those == adjudicate.voices(store, panel, item(store, place), seed=5)
        assert [voice.letter for voice in those] == ["A", "B"]
        first.add(those[0].said["correctness"].reason)
    assert first == {"from Ana", "from Ben"}


def test_what_is_settled_enters_the_consensus_and_no_grade_changes(
    store, sheet, doc_qa, disputed, lea
):
    before = store.rows("select * from grades")
    given = word(store, doc_qa, lea, cause=OVERLOOKED, note=" The date. ")
    assert record(store, given)
    assert not record(store, given)
    assert store.rows("select * from grades") == before
    row = store.row("select * from adjudications")
    assert (row["triggered_by"], row["blind"], row["cause"], row["note"]) == (
        "people",
        1,
        "overlooked",
        "The date.",
    )
    assert row["grade_ids"] == str([*given.grade_ids])
    assert (row["grader_id"], row["created_at"][:2]) == (lea, "20")
    panel = read_panel(store, doc_qa)
    found = reference(panel, "correctness", CONSENSUS)
    assert dict(zip(found.item.tolist(), found.score.tolist(), strict=True))[ATLAS] == 2
    assert adjudicate.differing(panel)[0].left == ("readability",)


def test_changing_it_is_a_new_row_and_taking_it_back_leaves_no_consensus(
    store, sheet, doc_qa, disputed, lea
):
    for score in (2, 1, None):
        told = state_key(store, sheet)
        assert record(store, word(store, doc_qa, lea, score=score, trigger=DRAW))
        assert state_key(store, sheet) != told
        panel = read_panel(store, doc_qa)
        said = panel.adjudicated["score"].tolist()
        assert said == ([] if score is None else [score])
        newest = adjudicate.newest(store, panel, item(store, ATLAS))
        assert {n: row["score"] for n, row in newest.items()} == {"correctness": score}
    assert store.value("select count(*) from adjudications") == 3


def test_whoever_opened_what_judges_said_settles_outside_the_consensus(
    store, sheet, doc_qa, disputed, lea
):
    grades.open_items(store, [item(store, ATLAS)], lea)
    assert record(store, word(store, doc_qa, lea))
    assert store.value("select blind from adjudications") == 0
    panel = read_panel(store, doc_qa)
    assert panel.adjudicated.empty
    assert "correctness" in adjudicate.differing(panel)[0].left


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"score": 7}, "not a score of this scale"),
        ({"cause": "because"}, "Unknown cause"),
        ({"trigger": "judge"}, "Only answers on which annotators differ"),
    ],
)
def test_what_cannot_be_settled_is_refused(store, sheet, doc_qa, disputed, lea, change, said):
    with pytest.raises(Problem, match=said):
        record(store, word(store, doc_qa, lea, **change))
    assert store.value("select count(*) from adjudications") == 0


def test_a_grade_that_was_changed_meanwhile_or_is_a_judges_is_refused(
    store, sheet, doc_qa, disputed, lea
):
    given = word(store, doc_qa, lea)
    give(store, doc_qa, "Ana", {ATLAS: 0})
    with pytest.raises(Conflict):
        record(store, given)
    judged = store.value(
        "select g.id from grades g join graders r on r.id = g.grader_id where r.kind = 'judge'"
    )
    with pytest.raises(Conflict):
        record(store, word(store, doc_qa, lea, ids=[judged]))


@pytest.mark.parametrize("who", [None, Who("Lea", "lead")])
def test_a_blind_connection_does_all_of_the_screen_and_reaches_no_judge(
    store, sheet, doc_qa, disputed, lea, who
):
    grades.open_items(store, [item(store, BIRCH)], lea)
    given = word(store, doc_qa, lea)
    with open_store(store.path, who) as shut:
        permissions.blind(shut)
        panel = read(shut, sheet, doc_qa)
        assert not panel.judges and len(panel.annotators) == 3
        assert adjudicate.differing(panel) == adjudicate.differing(read_panel(store, doc_qa))
        those = adjudicate.voices(shut, panel, given.item_id)
        assert [v.letter for v in those] == ["A", "B", "C"]
        assert "judged" not in str(those)
        assert "atlas" not in str(shown(shut, [item(store, 4)], doc_qa)[item(store, 4)])
        assert record(shut, given)
        assert adjudicate.newest(shut, panel, given.item_id)["correctness"]["score"] == 2
        assert shut.value("select count(*) from grades where reason = 'judged'") == 0
        for reading in (
            "select score from main.grades",
            "select raw from replies",
            "select parts from measured",
            "select note from main.adjudications",
            "select result from looks",
            "with grades as (select score from main.grades) select score from grades",
            "update main.graders set kind = 'person'",
        ):
            with pytest.raises(Problem):
                shut.rows(reading)
    assert store.value("select count(*) from changes") == (1 if who else 0)


def test_a_viewers_blind_connection_settles_nothing(store, sheet, doc_qa, disputed, lea):
    with open_store(store.path, Who("Vic", "viewer")) as shut:
        permissions.blind(shut)
        assert adjudicate.differing(read(shut, sheet, doc_qa))
        with pytest.raises(Problem):
            record(shut, word(store, doc_qa, lea))


def test_graders_have_no_blind_connection_but_their_own(store):
    with open_store(store.path, Who("Ana", "grader", 1)) as own, pytest.raises(ValueError):
        permissions.blind(own)


def test_a_causes_word_of_the_judges_list_never_enters(store, sheet, doc_qa, disputed, lea):
    rows = grades.of_item(store, item(store, ATLAS), [doc_qa.versions()["correctness"]])
    ids = tuple(row["id"] for row in rows if row["name"] in ("Ana", "gpt"))
    version = doc_qa.versions()["correctness"]
    disagreement_causes.tag(
        store,
        disagreement_causes.Tag(item(store, ATLAS), version, ids, disagreement_causes.PERSON, lea),
    )
    assert adjudications.of_item(store, item(store, ATLAS), {version: "correctness"}) == []
    assert read_panel(store, doc_qa).adjudicated.empty


def test_the_document_names_no_person_and_no_model(store, sheet, doc_qa, disputed, lea):
    record(store, word(store, doc_qa, lea))
    panel = read_panel(store, doc_qa)
    found = adjudicate.listing(panel, adjudicate.differing(panel), False)
    assert (found.n, found.left) == (2, 2)
    assert found.answers[0].adjudicated == {"correctness": 2, "readability": None}
    assert not any(name in str(found) for name in ("Ana", "Ben", "Lea", "atlas", "gpt"))
