"""The verb `disagreements`: the list, tags and what must be graded again."""

import json

import pytest

from concord.commands.disagreements import CAUSES as SAID
from concord.grading.disagreement_causes import CAUSES
from concord.store.database import open_store

ONE = ("--cell", "0:3", "--judge", "simulated-careful-judge", "--criterion", "correctness")
MINE = ONE[2:]


def test_the_list_is_a_table_with_the_worst_first(sampled):
    lines = sampled("disagreements", *MINE, "--limit", 3).stdout.splitlines()
    assert lines[0] == "78 disagreements, none tagged yet."
    assert lines[2].split()[:4] == ["item", "criterion", "judge", "annotator"]
    assert [line.split()[0] for line in lines[3:6]] == ["q13-cobalt", "q04-cobalt", "q43-birch"]
    assert lines[7] == "75 more, not shown; --limit shows more."


def test_a_tag_is_kept_counted_and_taken_back(sampled, db):
    tag = ("disagreements", *ONE, "--by", "Zoë", "--tag", "q13-cobalt")
    found = json.loads(sampled(*tag, "rubric_unclear", "--note", "near?", "--json").stdout)
    assert found["causes"] == {"rubric_unclear": 1}
    assert found["sentence"] == "1 of 1 tagged: 1 rubric unclear."
    first = found["disagreements"][0]
    assert (first["item"], first["cause"], first["note"]) == (
        "q13-cobalt",
        "rubric_unclear",
        "near?",
    )
    assert (first["tagged_by"], first["judge_score"], first["annotator_score"]) == ("Zoë", 3, 0)
    left = sampled("disagreements", *MINE, "--cause", "untagged", "--json", "--limit", 1)
    assert json.loads(left.stdout)["total"] == 77
    sampled(*tag, "none")
    again = json.loads(sampled("disagreements", *MINE, "--json").stdout)
    assert again["causes"] == {}
    with open_store(db) as store:
        seen = "select count(*) from openings o join graders g on g.id = grader_id where name = ?"
        assert store.value(seen, ("Zoë",)) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tag", "q13-cobalt", "judge_wrong"), "Add --by NAME"),
        (("--tag", "q13-cobalt", "judge_wrong", "--by", "Zoë"), "Choose one with: --judge"),
        (("--tag", "gone", "judge_wrong", "--by", "Zoë"), "no disagreement on an item “gone”"),
        ((*ONE, "--tag", "q13-cobalt", "none", "--by", "simulated-grader-a"), "Only an annotator"),
        (("--judge", "gone"), "There is no judge “gone”"),
        (("--criterion", "beauty"), "has no criterion “beauty”"),
        (("--model", "gone"), "Available: atlas, birch, cobalt"),
        (("--cell", "1-3"), "names no error cell"),
        (("--cell", "2:2"), "two different ones of 0, 1, 2, 3"),
        (("--cell", "0:9"), "names no error cell"),
        (("--regrade",), "Name the criterion"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_remedy(sampled, words, said):
    result = sampled("disagreements", *words, code=2)
    assert said in result.stderr
    assert result.stdout == ""


def test_regrade_says_by_whom_and_how_many(sampled):
    words = ("disagreements", "--regrade", "--criterion", "readability")
    assert sampled(*words).stdout.startswith(
        "If readability is reworded: 1,248 grades to regrade (480 by annotators, "
    )
    found = json.loads(sampled(*words, "--json").stdout)
    assert len(found["after_change"]) == 1248
    assert found["outstanding"] == []
    assert found["after_change"][0]["grader"] == "author"


def test_of_a_sheet_without_judges_nothing_was_compared(run, answers):
    run("import", answers)
    assert run("disagreements", "--rubric", "doc-qa-0-3").stdout == (
        "Nothing was compared: no answer has both a judge's and an annotator's score.\n"
    )
    left = run("disagreements", "--rubric", "doc-qa-0-3", "--regrade", "--criterion", "readability")
    assert left.stdout == "No grade depends on the current wording of readability.\n"


def test_the_verb_knows_every_cause():
    assert tuple(CAUSES) == SAID
