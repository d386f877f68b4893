"""Counts of one thing are the same on all screens."""

import json
import re
from html import unescape

from concord.grading import assignments, campaigns, grading_sets
from concord.store import graders, items
from concord.store.grades import Press, record
from tests.support import counted_sheet, measured_sets
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

    report = _found(store, "agreement")
    names = {"Ana", "Bo", "Dan", "Eva", "Fay", "Gus"}
    for command in ("agreement", "annotators", "ranking"):
        assert {one["name"] for one in _found(store, command)["annotators"]} == names
    overview, annotate = app("pages/overview.py"), app("pages/annotate.py")
    cards = _cards(overview)
    assert overview.header[0].value == "35 of 51 answers graded by annotators; 2 judges to compare"
    assert annotate.header[0].value == "Campaign: 17 of 56 graded"
    assert "35 of 51 answers of “counts” graded by annotators" in said(annotate)
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
    graded = {one["name"]: one["answers"] for one in _found(store, "graders")["graders"]}
    assert {"- Ana graded 33 answers.", "- strict graded 48 answers."} <= {*news}
    assert (graded["Ana"], graded["Cleo"], graded["strict"]) == (39, 3, 57)
    assert not any("Cleo" in one for one in news)
    differing = _found(store, "adjudicate")["n"]
    assert (
        app("pages/adjudicate.py").header[0].value.startswith(f"Annotators differ on {differing} ")
    )
    assert app("pages/data.py").header[0].value.startswith("counts: 60 answers to 20 questions")
    splits_words = app("pages/splits.py").header[0].value
    assert splits_words.startswith(
        "17 questions of “counts” for evaluation, 2 in the few-shot pool"
    )
    assert app("pages/judges.py").header[0].value == "2 judges have graded “counts”"


def test_the_same_annotators_stand_in_every_report(app, store, rubric, tmp_path):
    """Cleo graded the pool alone and is in none; Gus gave no score, and figures are without him."""
    counted_sheet.add(store, rubric, tmp_path)
    names, scored = {"Ana", "Bo", "Dan", "Eva", "Fay", "Gus"}, {"Ana", "Bo", "Dan", "Eva", "Fay"}
    look = _found(store, "choose", "--against", "strict", "--margin", "0.1")
    assert {one["name"] for one in look["annotators"]} == names
    shown = "annotators: Ana, Bo, Dan, Eva, Fay |"
    assert shown in look["signature"]
    agreement = _found(store, "agreement")
    strict = next(row for row in agreement["rows"] if row["judge"] == "strict")
    assert shown in strict["signature"]
    certificate = _found(store, "certificate", "strict")
    graded = {one["name"]: one["grades"] for one in certificate["annotators"]["named"]}
    assert {*graded} == scored
    assert graded["Ana"] == 33 * 3  # as the overview counts her answers, on three criteria
    [others] = [one for one in certificate["does_not_show"] if "annotators" in one]
    assert others == "Other annotators than: Ana, Bo, Dan, Eva, Fay."
    [first, *_] = _found(store, "annotators")["criteria"]
    assert {one["annotator"] for one in first["strictness"]} == names
    assert len(first["pairs"]) == len(names) * (len(names) - 1) / 2
    without = {one["annotator"] for one in first["strictness"] if not one["n"]}
    assert without == {"Eva", "Gus"}


def test_questions_and_answers_that_count_are_as_many_in_every_report(app, store, rubric, tmp_path):
    counted_sheet.add(store, rubric, tmp_path)
    plan = _found(store, "plan")
    assert (plan["answers"], plan["questions"]) == (51, 17)
    assert "The sheet has 17 questions that count in figures." in said(app("pages/plan.py"))
    decide = app("pages/decide.py")
    assert "this sheet has 17" in said(decide)
    look = _found(store, "choose", "--against", "strict", "--margin", "0.1")
    agreement = {
        one["judge"]: one
        for one in _found(store, "agreement")["rows"]
        if one["criterion"] == "correctness"
    }
    strict = agreement["strict"]
    assert (look["answers"], look["questions"]) == (strict["n"], strict["questions"]) == (32, 11)
    compared = _found(store, "compare")
    assert compared["n"] == 32 and compared["left_out"]["no annotator's grade"] == 16
    assert sum(compared["left_out"].values()) + compared["n"] == 60
    ranking = _found(store, "ranking")
    for judge in ("strict", "lenient"):
        [row] = [one for one in ranking["orders"] if one["judge"] == judge]
        assert row["n"] == agreement[judge]["n"]
    ceiling = f"25% on {strict['ceiling']['n']} of 32 answers"
    assert ceiling in said(app("pages/agreement.py")) and ceiling in look["sentence"]


def test_a_list_of_disagreements_accounts_for_every_answer(app, store, rubric, tmp_path):
    sheet = counted_sheet.add(store, rubric, tmp_path)
    row = next(one for one in _found(store, "agreement")["rows"] if one["judge"] == "strict")
    listed = _found(store, "disagreements", "--judge", "strict", "--criterion", "correctness")
    review = app("pages/review.py")
    assert (
        review.header[0].value == f"{listed['total']} disagreements with annotators on correctness"
    )
    numbers = [int(one) for one in re.findall(r"Left out: (\d+)", listed["left_out"])]
    assert sum(numbers) + row["n"] == sheet.items
    assert sum(row["left_out"].values()) == sum(numbers)
    assert listed["left_out"] in said(review)


def test_a_campaign_counts_answers_assigned_one_by_one_as_its_card_does(
    app, store, rubric, tmp_path
):
    counted_sheet.add(store, rubric, tmp_path)
    command = invoke(store.path, "campaign", "Campaign").stdout
    assert command.startswith("17 of 56 assigned answers are graded.")
    bars = [bar.proto.text for bar in app("pages/annotate.py").get("progress")]
    for one in _found(store, "campaign", "Campaign")["annotators"]:
        [_] = [
            bar for bar in bars if bar.startswith(f"{one['name']}: {one['done']} of {one['of']}")
        ]


def test_counts_agree_where_questions_left_later_and_annotators_used_two_rubrics(
    app, store, rubric
):
    sheet = counted_sheet.add_hostile(store, rubric)
    named = "--rubric", "doc-qa-0-3"
    overview, annotate = app("pages/overview.py"), app("pages/annotate.py")
    for words in (_cards(overview), said(annotate)):
        assert "by 5 annotators" in words and "by 2 rubrics together" in words
        assert "not counted: 5 graded, but not blind" in words  # by Eli alone
        assert "not counted: 12 in the few-shot pool or held out, 6 of them graded" in words
    # A judge that failed on every answer graded none, and no figure begins with it.
    assert overview.header[0].value.startswith("73 of 78 answers graded by annotators; 2 judges")
    assert app("pages/judges.py").header[0].value == "2 judges have graded “hostile”"
    assert app("pages/compare.py").header[0].value.startswith("good is nearest to annotators")
    assert "garbled" not in app("pages/ranking.py").header[0].value
    assert _found(store, "compare", *named)["n"] == 64
    names = {"Ana", "Bo", "Cy", "Di", "Eli"}  # Fi graded by the other rubric alone
    for command in ("agreement", "annotators", "ranking"):
        assert {one["name"] for one in _found(store, command, *named)["annotators"]} == names
    rows = [one for one in _found(store, "agreement", *named)["rows"] if one["judge"] != "garbled"]
    for row in rows:
        assert row["n"] + sum(row["left_out"].values()) == sheet.items == 90
    good = next(one for one in rows if one["judge"] == "good")
    listed = _found(store, "disagreements", "--judge", "good", "--criterion", "correctness", *named)
    assert listed["total"] <= good["n"] == 69
    [first, *_] = _found(store, "annotators", *named)["criteria"]
    differ = _found(store, "adjudicate", *named)["n"]
    assert first["overall"]["n"] == first["split"]["n"] == differ == 40
    assert "scored by this rubric" in said(app("pages/annotators.py"))
    look = _found(store, "choose", "--against", "good", "--margin", "0.1", *named)
    certificate = _found(store, "certificate", "good", *named)
    assert look["answers"] == certificate["decision"]["look"]["answers"] == 64
    narrower = "the decision is on 64 of these 69 answers, which every judge compared scored"
    assert narrower in " ".join(certificate["remarks"])
    assert "Other annotators than: Ana, Bo, Cy." in certificate["does_not_show"]
    assert _found(store, "plan", *named)["questions"] == 26
    assert app("pages/splits.py").header[0].value.startswith("26 questions of “hostile”")
    bars = [bar.proto.text for bar in annotate.get("progress")]
    cards = [bar.proto.text for bar in app("pages/progress.py").get("progress")]
    for done in ("Ana: 54 of 84", "Bo: 45 of 84", "Ana: 33 of 84"):
        assert any(bar.startswith(done) for bar in bars), bars
    assert {"All: 54 of 84", "Holistic: 33 of 84"} <= {*cards}


def test_values_of_metrics_are_counted_out_of_the_same_answers(app, store, rubric, tmp_path):
    """Two metrics, one refused on seven answers, one asked of the first forty answers alone."""
    sheet = counted_sheet.add(store, rubric, tmp_path)
    refused = {0, 1, 10, 11, 45, 46, 58}
    given = [None if at in refused else at % 7 / 7 for at in range(60)]
    measured_sets.give(store, sheet.id, "faithfulness", given)
    measured_sets.give(store, sheet.id, "answer_correctness", [at % 5 / 5 for at in range(40)])
    rows = _found(store, "metrics", "--sheet", "counts")["rows"]
    counts = {row["metric"]: (row["n"], row["items"]) for row in rows}
    assert counts == {"faithfulness": (47, 51), "answer_correctness": (34, 51)}
    for row in rows:
        assert row["n"] + row["not_asked"] + sum(row["left_out"].values()) == row["items"]
    composite = _found(store, "composites")
    assert composite["items"] == 51
    assert composite["weighted"]["n"] + sum(composite["weighted"]["left_out"].values()) == 51
    assert composite["weighted"]["left_out"].keys() == {
        "Faithfulness: refused",
        "Answer correctness: not requested yet",
    }
    once = "An excluded answer that lacks several values is counted under the first metric only."
    assert once in " ".join(invoke(store.path, "composites").stdout.split())
    excluded = "9 answers excluded: held-out questions and the few-shot pool."
    assert excluded in said(app("pages/metrics.py"))
    assert "few-shot examples or held out: 9 answers" in said(app("pages/topicality.py"))


def test_who_is_not_accepted_yet_is_counted_by_no_screen(app, store, rubric, tmp_path):
    sheet = counted_sheet.add(store, rubric, tmp_path)
    zoe = graders.ensure_annotator(store, "Zoe").id
    ids = items.item_ids(store, sheet.id)
    record(
        store,
        [Press(ids[at], one, zoe, score=1) for at in (20, 45, 46) for one in _versions(rubric)],
    )
    overview, annotate = app("pages/overview.py"), app("pages/annotate.py")
    assert overview.header[0].value.startswith("35 of 51 answers graded by annotators")
    waiting = "without Zoe"
    for words in (_cards(overview), said(annotate)):
        assert "by 6 annotators" in words and "15 by two or more annotators" in words
        assert waiting in words
    row = next(one for one in _found(store, "agreement")["rows"] if one["judge"] == "lenient")
    assert row["left_out"]["graded only by annotators who are pending or excluded"] == 2
    assert len(_found(store, "agreement")["annotators"]) == 6


def test_a_sheet_that_only_a_pending_annotator_graded_is_begun(
    app, store, rubric, sheet, whole_set
):
    zoe = graders.ensure_annotator(store, "Zoe").id
    item, *_ = items.item_ids(store, sheet.id)
    record(store, [Press(item, one, zoe, score=1) for one in _versions(rubric)])
    overview, annotate = app("pages/overview.py"), app("pages/annotate.py")
    assert overview.header[0].value == "0 of 36 answers graded by annotators, none by a judge yet"
    assert annotate.header[0].value == "0 of 36 answers of “numbers” graded by annotators"
    for words in (_cards(overview), said(annotate)):
        assert "without Zoe" in words
    assert overview.button("start.next").label == "Include Zoe"
    assert app("pages/progress.py").button(f"include.{zoe}").label == "Include Zoe"


def test_a_set_is_overdue_only_until_it_is_graded(app, store, rubric, sheet):
    ana = graders.ensure(store, "person", "Ana")
    late, done = (
        grading_sets.create(store, sheet.id, rubric[0], name, 2, seed, 6, 0.0)
        for name, seed in (("Late", 1), ("Done", 2))
    )
    for one in (late, done):
        campaigns.begin(store, one, [ana], 1, deadline="2020-01-31")
    graded = grading_sets.items(store, done.id)
    record(store, [Press(at, one, ana, score=1) for at in graded for one in _versions(rubric)])
    assert said(app("pages/annotate.py")).count("That date has passed.") == 1
    cards = [bar.proto.text for bar in app("pages/progress.py").get("progress")]
    assert [one for one in cards if "was due" in one] == [one for one in cards if "Late" in one]
    commands = [invoke(store.path, "campaign", one).stdout for one in ("Late", "Done")]
    assert ["That date has passed." in one for one in commands] == [True, False]
    buttons = [one.label for one in app("pages/grade.py", grader="Ana").button]
    assert ["was due" in one for one in buttons if one.startswith(("Late", "Done"))] == [
        True,
        False,
    ]


def _versions(rubric):
    return [*rubric[1].versions().values()]


def _found(store, *command):
    return json.loads(invoke(store.path, *command, "--json").stdout)
