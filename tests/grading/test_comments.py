"""Flags for the lead with replies, and corrected answers: one annotator's, at one place."""

import csv
import sqlite3

import pytest

from concord.exporting import exported_tables
from concord.grading import comments, grading_sets, workspace
from concord.grading.comments import At, Own, Remark
from concord.grading.workspace import Key
from concord.messages import Problem
from concord.reports.workflow import flags
from concord.store import answer_record, graders
from concord.store.database import Refused, open_store
from concord.store.permissions import GRADER, LEAD, VIEWER, Who


def places(store, made, person, rubric):
    return workspace.window(store, made, person, rubric[1], None).places


def send(store, made, person, rubric, *keys):
    return workspace.save(store, made, person, rubric[1], list(keys))


def test_a_flag_is_stored_once_and_its_reply_comes_back(store, pane, practised_set, rubric, ana):
    opened = pane(practised_set)
    *_, place = places(opened, practised_set, ana, rubric)
    flag = Key("f1", place.id, "", "flag", note=" Is it fermented? ")
    saved = send(opened, practised_set, ana, rubric, flag, Key("f2", place.id, "", "flag"))
    assert saved == (["f1", "f2"], {})
    send(opened, practised_set, ana, rubric, flag)
    [one] = flags.of_sheet(store, practised_set.sheet_id, "numbers").flags
    assert not one.replied and one.thread == (Remark("flag", "Ana", "Is it fermented?"),)
    comments.reply(store, one.at, "Lea", "Yes, it is.")
    found = flags.of_sheet(store, practised_set.sheet_id, "numbers")
    assert (found.n, found.open, found.flags[0].replied) == (1, 0, True)
    assert found.flags[0].flagged_at == one.flagged_at
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
    send(store, practised_set, ana, rubric, Key("f", place.id, "", "flag", note="3, or 0?"))
    send(store, practised_set, ana, rubric, Key("c", place.id, "", "correction", note="Better."))
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
        assert send(opened, practised_set, ana, rubric, key).on_disk
    own = {place.id: place.own for place in places(opened, practised_set, ana, rubric)}
    assert (own[one.id].correction, own[other.id].correction) == ("b", "")
    assert store.value("select count(*) from comments") == 4
    [corrected] = answer_record.corrections(store, one.item_id)
    assert (corrected.who, corrected.text) == ("Ana", "b")
    assert answer_record.corrections(store, other.item_id) == ()
    exported_tables.export(store, tmp_path / "out")
    with (tmp_path / "out" / "corrected_answers.csv").open(encoding="utf-8-sig") as file:
        [row] = csv.DictReader(file)
    assert (row["corrected_answer"], row["annotator"]) == ("b", "Ana")
    assert row["answer"] and row["item_row"] == str(one.item_id)


def test_replies_of_leads_are_in_the_audit_log(store, practised_set, rubric, ana):
    grading_sets.join(store, practised_set, ana, "Lea")
    *_, place = places(store, practised_set, ana, rubric)
    send(store, practised_set, ana, rubric, Key("f", place.id, "", "flag", note="?"))
    at = At(practised_set.id, place.item_id, ana)
    with open_store(store.path, Who("Lea", LEAD)) as led:
        with pytest.raises(Problem):
            comments.reply(led, at, "Lea", "  ")
        with pytest.raises(Problem):
            comments.reply(led, at._replace(repeat=2), "Lea", "ok")
        comments.reply(led, at, "Lea", "ok")
    assert [tuple(row) for row in store.rows("select who, what, table_name from changes")] == [
        ("Lea", "insert", "comments")
    ]
