"""Counts of one thing are the same on all screens."""

import json
from html import unescape

from concord.grading import assignments, grading_sets
from concord.store import graders
from tests.support import counted_sheet
from tests.support.commandline import invoke
from tests.support.grading_pages import component_json
from tests.support.screens import said


def test_annotate_says_how_much_is_graded_as_overview_does(app, half_graded):
    overview, annotate = _cards(app("pages/overview.py")), app("pages/annotate.py")
    assert ">14 of 30<" in overview and ">by 1 annotator<" in overview
    assert annotate.header[0].value == "14 of 30 answers of “numbers” graded by annotators"
    note = "not counted: 6 in the few-shot pool or held out, 6 of them graded"
    assert note in overview and note in said(annotate)


def test_the_card_of_a_set_says_what_is_to_be_graded(app, half_graded):
    words = said(app("pages/annotate.py"))
    assert "The whole sheet: 30 answers to 10 questions" in words
    assert "Not counted: 6 answers in the few-shot pool." in words and "36 answers" not in words


def test_everyone_counts_the_answers_of_an_annotator_alike(app, store, half_graded):
    """Before and after the pane is opened: on the card, in the list of sets and in the pane."""
    other = grading_sets.create(store, half_graded.sheet_id, half_graded.rubric_id, "Other", 5, 1)
    total = assignments.of_newcomer(store, other)
    done = len(grading_sets.items(store, other.id) & _graded_by_ana(store))
    assert 0 < done < total

    def on_the_card():
        bars = [bar.proto.text for bar in app("pages/annotate.py").get("progress")]
        return [text for text in bars if text.startswith(f"Ana: {done} of {total}")]

    listed = [button.label for button in app("pages/grade.py", grader="Ana").button]
    assert f"Other: {done} of {total} graded" in listed
    pane = json.loads(component_json(app("pages/grade.py", set=other.id, grader="Ana")))
    assert (pane["done"], pane["total"]) == (done, total)
    assert len(on_the_card()) == 1


def _cards(app):
    return unescape(" ".join(one.proto.body for one in app.get("html"))).replace(
        "\N{NO-BREAK SPACE}", " "
    )


def _graded_by_ana(store):
    ana = graders.annotator(store, "Ana").id
    return {*store.column("select item_id from grades where grader_id = ?", (ana,))}


def test_counts_of_one_sheet_agree_on_screens_and_in_json(app, store, rubric, tmp_path):
    sheet = counted_sheet.add(store, rubric, tmp_path)

    def found(*command):
        return json.loads(invoke(store.path, *command, "--json").stdout)

    report = found("agreement")
    names = {"Ana", "Bo", "Dan", "Eva", "Fay", "Gus"}
    for command in ("agreement", "annotators", "ranking"):
        assert {one["name"] for one in found(command)["annotators"]} == names
    overview, annotate = app("pages/overview.py"), app("pages/annotate.py")
    cards = _cards(overview)
    assert overview.header[0].value == "35 of 51 answers graded by annotators; 2 judges to compare"
    assert annotate.header[0].value == "35 of 51 answers of “counts” graded by annotators"
    for words in (cards, said(annotate)):
        assert f"by {len(names)} annotators" in words and "15 by two or more annotators" in words
        assert "not counted: 9 in the few-shot pool or held out, 6 of them graded" in words
    apart = ["judges may have seen its question as an example", "in the held-out test"]
    [strict, lenient] = [
        next(one for one in report["rows"] if one["judge"] == name)
        for name in ("strict", "lenient")
    ]
    for row in (strict, lenient):
        assert row["n"] + sum(row["left_out"].values()) == sheet.items == 60
        assert sum(row["left_out"][why] for why in apart) == 9
        assert row["left_out"]["no annotator's grade"] == 51 - 35
    assert (strict["n"], lenient["n"]) == (32, 35)
    assert f"n = {strict['n']}" in cards or f"n = {lenient['n']}" in cards
    news = [one.value for one in overview.markdown if "graded" in one.value]
    graded = {one["name"]: one["answers"] for one in found("graders")["graders"]}
    assert {"- Ana graded 33 answers.", "- strict graded 48 answers."} <= {*news}
    assert (graded["Ana"], graded["Cleo"], graded["strict"]) == (39, 3, 60)
    assert not any("Cleo" in one for one in news)
    differing = found("adjudicate")["n"]
    assert (
        app("pages/adjudicate.py").header[0].value.startswith(f"Annotators differ on {differing} ")
    )
    assert app("pages/data.py").header[0].value.startswith("counts: 60 answers to 20 questions")
    splits_words = app("pages/splits.py").header[0].value
    assert splits_words.startswith(
        "17 questions of “counts” for evaluation, 2 in the few-shot pool"
    )
    assert app("pages/judges.py").header[0].value == "2 judges have graded “counts”"
    [chosen] = [one for one in app("pages/agreement.py").multiselect if "included" in one.label]
    assert {*chosen.value} == names
