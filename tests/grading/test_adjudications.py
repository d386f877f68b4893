"""Adjudication is blind: letters for annotators, no judge, no grade changed."""

import json
import sqlite3

import pytest

from concord.grading import adjudications, annotators, disagreement_causes, grading_sets
from concord.grading.adjudications import (
    ANNOTATORS,
    DRAW,
    OVERLOOKED,
    Adjudication,
    Part,
    record,
)
from concord.grading.disagreement_causes import CAUSES, Tag
from concord.grading.item_view import shown
from concord.messages import Conflict, Problem
from concord.reports import adjudicate, disagreements, ranking
from concord.reports.agreement import agreement
from concord.reports.document import as_json
from concord.reports.panel.criterion_comparison import CONSENSUS, reference
from concord.reports.panel.panel import read
from concord.sampling import split_assignment, splits
from concord.store import graders, grades, items, permissions, sheets
from concord.store.database import Refused, open_store
from concord.store.permissions import ADJUDICATOR, GRADER, LEAD, Who
from concord.store.rubrics import rubric_versions
from concord.store.sheets import state_key
from tests.support.panels import ATLAS, BIRCH, COBALT, give, judge, panel
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
        those = adjudicate.voices_of(store, panel, item(store, place), seed=5)
        assert those == adjudicate.voices_of(store, panel, item(store, place), seed=5)
        assert [voice.letter for voice in those] == ["A", "B"]
        first.add(those[0].said["correctness"]["reason"])
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
        newest = adjudicate.newest(store, panel)
        scores = {key: row["score"] for key, row in newest.items()}
        assert scores == {(item(store, ATLAS), "correctness"): score}
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
    with pytest.raises(Conflict, match="withdrawn"):
        record(store, given)
    judged = store.value(
        "select g.id from grades g join graders r on r.id = g.grader_id where r.kind = 'judge'"
    )
    with pytest.raises(Conflict, match="withdrawn"):
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
        those = adjudicate.voices_of(shut, panel, given.item_id)
        assert [v.letter for v in those] == ["A", "B", "C"]
        assert "judged" not in str([[*row] for v in those for row in v.said.values()])
        assert "atlas" not in str(shown(shut, [item(store, 4)], doc_qa)[item(store, 4)])
        assert record(shut, given)
        assert adjudicate.newest(shut, panel)[given.item_id, "correctness"]["score"] == 2
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
            with pytest.raises(Refused):
                shut.rows(reading)
    assert store.value("select count(*) from changes") == (1 if who else 0)


def test_a_viewers_blind_connection_settles_nothing(store, sheet, doc_qa, disputed, lea):
    with open_store(store.path, Who("Vic", "viewer")) as shut:
        permissions.blind(shut)
        assert adjudicate.differing(read(shut, sheet, doc_qa))
        with pytest.raises(Refused):
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
    assert adjudications.of_sheet(store, sheet.id, [version]) == []
    assert read_panel(store, doc_qa).adjudicated.empty


def test_the_document_names_no_person_and_no_model(store, sheet, doc_qa, disputed, lea):
    record(store, word(store, doc_qa, lea))
    panel = read_panel(store, doc_qa)
    found = adjudicate.listing(panel, adjudicate.differing(panel), False)
    assert (found["n"], found["left"]) == (2, 2)
    assert found["answers"][0].adjudicated == {"correctness": 2, "readability": None}
    assert not any(name in str(found) for name in ("Ana", "Ben", "Lea", "atlas", "gpt"))


def opened(store, name, role=ADJUDICATOR):
    who = graders.ensure(store, "person", name)
    return open_store(store.path, Who(name, role, who))


def given(part, grader_id, ids=(), trigger=ANNOTATORS):
    return Adjudication(part.item_id, part.version, 2, trigger, ids, grader_id)


def test_an_assigned_annotator_sees_those_cases_alone_and_adjudicates_them(
    store, sheet, doc_qa, lea, parts
):
    assert adjudications.assign(store, parts[:1], lea, "Max") == parts[:1]
    assert adjudications.assign(store, parts, lea, "Max") == parts[1:]  # no row is added twice
    with opened(store, "Lea") as held:
        [own] = sheets.all_sheets(held)
        panel = read(held, own, doc_qa)
        cases = adjudicate.differing(panel)
        assert [case.at for case in cases] == [part.item_id for part in parts]
        # Annotators differ on readability too, which was not assigned.
        assert [*cases[0].points_apart] == ["correctness"]
        voices = adjudicate.voices_of(held, panel, parts[0].item_id)
        assert sorted(one.said["correctness"]["score"] for one in voices) == [1, 2, 3]
        ids = adjudicate.grade_ids(voices, "correctness")
        assert adjudications.record(held, given(parts[0], lea, ids))
        assert not adjudications.record(held, given(parts[0], lea, ids))
        names = held.column("select name from graders where kind = 'person'")
        assert "Lea" in names and not {"Ana", "Ben", "Cleo"}.intersection(names)
        assert held.column("select answer_model from items") == [None, None]
        assert held.column("select distinct kind from graders") == ["person"]
        shown = held.column("select id from grades")
    of_people = "grader_id in (select id from graders where kind = 'person')"
    people = store.column(f"select id from grades where {of_people}")
    assert {*shown} < {*people} < {*store.column("select id from grades")}
    [row] = store.rows("select grader_id, score, blind, triggered_by from adjudications")
    assert tuple(row) == (lea, 2, 1, ANNOTATORS)
    panel = read(store, sheet, doc_qa)
    assert panel.adjudicated["score"].tolist() == [2]  # it enters the consensus
    assert adjudications.assigned_of_sheet(store, sheet.id, doc_qa.versions().values()) == {
        lea: ("Lea", 2, 1, False, None)
    }


def test_who_is_not_assigned_sees_and_adjudicates_nothing(store, sheet, doc_qa, lea, parts):
    adjudications.assign(store, parts, lea, "Max")
    with opened(store, "Mia") as held:
        for table in ("items", "grades", "sheets", "questions", "adjudications"):
            assert held.rows(f"select * from {table}") == []
        mia = held.who.grader_id
        for who in (mia, lea):
            with pytest.raises(sqlite3.IntegrityError, match="another grader"), held.write():
                held.insert(
                    "adjudications",
                    **{**given(parts[0], who)._asdict(), "grade_ids": "[]"},
                    blind=1,
                    created_at="",
                )
    with opened(store, "Lea", GRADER) as held:  # on every other screen
        with pytest.raises(Refused), held.write():
            held.insert("adjudications", item_id=1, version="", triggered_by="people", blind=1)
        assert held.rows("select * from grades") == []
    assert store.value("select count(*) from adjudications") == 0


def test_only_the_assigned_parts_are_accepted_until_they_are_withdrawn(
    store, sheet, doc_qa, lea, parts
):
    adjudications.assign(store, parts[:1], lea, "Max")
    readability = Part(parts[0].item_id, doc_qa.versions()["readability"])
    with opened(store, "Lea") as held:
        for part, trigger in ((parts[1], ANNOTATORS), (readability, ANNOTATORS), (parts[0], DRAW)):
            with pytest.raises(sqlite3.IntegrityError, match="another grader"):
                adjudications.record(held, given(part, lea, trigger=trigger))
        for change in (
            "update main.grades set score = 0",
            "delete from main.adjudications",
            "insert into main.adjudication_assignments (item_id, version, grader_id, assigned,"
            " given_by, created_at) values (1, '', 1, 1, '', '')",
            "select raw from replies",
            "select name from main.graders",
            "select answer_model from main.items",
        ):
            with pytest.raises(Problem), held.write():
                held.execute(change)
        assert adjudications.record(held, given(parts[0], lea))
    assert adjudications.withdraw(store, parts, lea, "Max") == parts[:1]
    with opened(store, "Lea") as held:
        assert held.rows("select * from grades") == []
        with pytest.raises(sqlite3.IntegrityError, match="another grader"):
            adjudications.record(held, given(parts[0], lea)._replace(score=1))
    assert store.value("select count(*) from adjudications") == 1  # what was given stays


def test_who_graded_an_answer_or_is_to_grade_it_is_shown_no_other_grade_of_it(
    store, sheet, doc_qa, lea, parts
):
    cleo = graders.named(store, "person", "Cleo").id
    assert adjudications.assign(store, parts, cleo, "Max") == parts[1:]  # she graded the first
    give(store, doc_qa, "Cleo", {COBALT: 0})
    with opened(store, "Cleo") as held:
        assert held.rows("select * from grades") == []
    rubric_id, _ = rubric_versions.named(store, doc_qa.name)
    made = grading_sets.create(store, sheet.id, rubric_id, "Set 1", None, 1)
    grading_sets.join(store, made, lea, "Max")
    with pytest.raises(Problem, match="Lea"):
        adjudications.assign(store, parts, lea, "Max")


def test_left_is_neither_what_another_adjudicated_nor_what_annotators_agree_on_by_now(
    store, sheet, doc_qa, lea, parts
):
    def counts():
        with opened(store, "Lea") as held:
            left, listed = adjudications.left_of(held, lea), adjudicate.differing(own(held))
        assert (
            left
            == sum(bool(one.left) for one in listed)
            == adjudications.left_of(store, lea, sheet.id)
        )
        return adjudications.assigned_of_sheet(store, sheet.id, doc_qa.versions().values())[lea][
            1:3
        ]

    def own(held):
        return read(held, *sheets.all_sheets(held), doc_qa)

    adjudications.assign(store, parts, lea, "Max")
    assert counts() == (2, 2)
    adjudications.record(store, given(parts[0], graders.ensure(store, "person", "Mia")))
    assert counts() == (2, 1)
    give(store, doc_qa, "Ben", {COBALT: 1})  # as Ana
    assert counts() == (1, 0)
    give(store, doc_qa, "Ben", {ATLAS: 3, COBALT: 3})
    give(store, doc_qa, "Cleo", {ATLAS: 3})  # what Mia adjudicated is agreed on
    assert counts() == (1, 1)
    adjudications.record(store, given(parts[1], lea))
    give(store, doc_qa, "Ben", {COBALT: 1})
    assert counts() == (1, 0)  # the own one


def test_a_paused_annotator_adjudicates_nothing(store, sheet, doc_qa, lea, parts):
    adjudications.assign(store, parts, lea, "Max")
    annotators.pause(store, lea, "Max")
    with opened(store, "Lea") as held:
        assert held.rows("select * from items") == []
    annotators.resume(store, lea, "Max")
    with opened(store, "Lea") as held:
        assert len(held.rows("select * from items")) == 2


def test_only_a_lead_assigns_and_each_assignment_and_adjudication_is_in_the_audit_log(
    store, sheet, doc_qa, lea, parts
):
    logged = "select who, what, table_name from changes order by id"
    for role in (GRADER, ADJUDICATOR):
        with opened(store, "Lea", role) as held, pytest.raises(Refused):
            adjudications.assign(held, parts, lea, "Lea")
    adjudications.assign(store, parts[:1], lea, "local")
    with open_store(store.path, Who("Max", LEAD)) as held:
        adjudications.assign(held, parts, lea, "Max")
    with opened(store, "Lea") as held:
        adjudications.record(held, given(parts[0], lea))
    of = "adjudication_assignments"
    assert [tuple(row) for row in store.rows(logged)] == [
        ("local", "insert", of),
        ("Max", "insert", of),
        ("Lea", "insert", "adjudications"),
    ]


def test_grades_that_count_under_later_words_are_shown_and_a_new_split_hides_the_case(
    store, sheet, doc_qa, lea, parts
):
    adjudications.assign(store, parts, lea, "Max")
    version = parts[0].version
    with store.write():
        for name in ("later", "latest"):
            store.execute(
                "insert into criteria (version, name, body, created_at)"
                " select ?, name, body, created_at from criteria where version = ?",
                (name, version),
            )
        for old, new in ((version, "later"), ("later", "latest")):
            store.insert(
                "carried_versions", old_version=old, new_version=new, why="", created_at=""
            )
    adjudications.withdraw(store, parts, lea, "Max")
    adjudications.assign(store, [parts[0]._replace(version="latest")], lea, "Max")
    with opened(store, "Lea") as held:
        assert len(held.rows("select * from grades where version = ?", (version,))) == 3
    adjudications.assign(store, parts, lea, "Max")
    [question] = store.column("select question_id from items where id = ?", (parts[0].item_id,))
    split_assignment.assign(store, [question], "few-shot", "an example")
    with opened(store, "Lea") as held:
        [own] = sheets.all_sheets(held)
        cases = adjudicate.differing(read(held, own, doc_qa))
        assert parts[0].item_id not in [case.at for case in cases]


def tagged(store, doc_qa, ana, grade_ids, cause="rubric_unclear", **more):
    version = doc_qa.versions()["correctness"]
    return disagreement_causes.tag(store, Tag(1, version, tuple(grade_ids), cause, ana, **more))


def test_a_tag_is_a_row_without_a_score_that_the_judge_triggered(
    store, sheet, doc_qa, ana, differing
):
    assert tagged(store, doc_qa, ana, differing, note=" what is complete? ")
    row = store.row("select * from adjudications")
    assert (row["score"], row["triggered_by"], row["blind"]) == (None, "judge", 0)
    assert json.loads(row["grade_ids"]) == sorted(differing)
    assert row["note"] == "what is complete?"


def test_no_figure_of_any_report_changes_by_a_bit(store, sheet, doc_qa, ana, differing):
    def everything():
        found = panel(store, doc_qa)
        kinds = ("each", "consensus")
        reports = ranking.report(found), *(agreement.report(found, k) for k in kinds)
        return json.dumps(as_json(reports))

    before = everything()
    for cause in CAUSES:
        tagged(store, doc_qa, ana, differing, cause)
    assert store.value("select count(*) from adjudications") == len(CAUSES)
    assert everything() == before


def test_grades_that_changed_meanwhile_are_not_tagged(store, sheet, doc_qa, ana, differing):
    give(store, doc_qa, "Ben", {ATLAS: 1})
    with pytest.raises(Conflict, match="withdrawn"):
        tagged(store, doc_qa, ana, differing)
    with pytest.raises(Conflict):
        tagged(store, doc_qa, ana, differing[:1])


def test_simulated_annotators_and_judges_tag_nothing(store, sheet, doc_qa, differing):
    for grader in (give(store, doc_qa, "sim", {}), judge(store, doc_qa, "gpt", {})):
        with pytest.raises(Problem, match="own name"):
            tagged(store, doc_qa, grader, differing)


def test_a_tag_is_gone_with_the_judges_grade_but_not_with_one_of_two_peoples(
    store, sheet, doc_qa, ana, differing
):
    def keys():
        return [*disagreements.tags_of(store, sheet.id, doc_qa)]

    tagged(store, doc_qa, ana, differing)
    gpt = panel(store, doc_qa).judges
    key = disagreements.Key(1, "correctness", next(iter(gpt)), 0, 3).text()
    assert keys() == [key]
    give(store, doc_qa, "Ben", {ATLAS: 1})
    assert keys() == [key]
    judge(store, doc_qa, "gpt", {ATLAS: 2})
    assert keys() == []


def test_looking_is_noted_once_for_each_item_before_it_is_shown(store, sheet, ana):
    ids = items.item_ids(store, sheet.id)[:3]
    grades.open_items(store, ids, ana)
    grades.open_items(store, ids, ana)
    assert store.value("select count(*) from openings where grader_id = ?", (ana,)) == 3
