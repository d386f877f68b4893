"""An annotator adjudicates what a lead assigned, sees nothing else, and nobody else may."""

import sqlite3

import pytest

from concord.grading import adjudications, annotators, grading_sets
from concord.grading.adjudications import ANNOTATORS, DRAW, Adjudication, Part
from concord.messages import Problem
from concord.reports.disagreements import adjudicate
from concord.reports.panel.panel_reading import read
from concord.sampling import split_assignment
from concord.store import graders, sheets
from concord.store.database import Refused, open_store
from concord.store.permissions import ADJUDICATOR, GRADER, LEAD, Who
from concord.store.rubrics import rubric_versions
from tests.support.panels import ATLAS, COBALT, give


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
        voices = adjudicate.voices(held, panel, parts[0].item_id)
        assert sorted(one.said["correctness"].score for one in voices) == [1, 2, 3]
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
    with pytest.raises(Problem):
        adjudications.assign(store, parts, lea, "Max")


def test_left_is_neither_what_another_adjudicated_nor_what_annotators_agree_on_by_now(
    store, sheet, doc_qa, lea, parts
):
    def counts():
        with opened(store, "Lea") as held:
            left, listed = adjudications.left_of(held, lea), adjudicate.differing(own(held))
        assert left == listed.left == adjudications.left_of(store, lea, sheet.id)
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
