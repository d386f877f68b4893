import json

import pytest

from concord.messages import message_of
from concord.reports.agreement import bias_tests
from concord.reports.agreement.agreement import (
    ALT_TEST,
    CEILING,
    CHANCE,
    DOCUMENTS,
    INTERVAL,
    MODELS,
    SELF_CONSISTENCY,
    whole,
)
from concord.reports.agreement.bias_tests import (
    NO_ANSWER_MODELS,
    NO_MODEL,
    NO_OTHER_FAMILY,
    NOT_ITS_OWN,
    ONE_CRITERION,
    family,
    lengths,
)
from concord.reports.document import as_json
from concord.store import additions
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel

OTHERS = ("comprehensiveness", "readability")


def probes(*args):
    """The tests as JSON has them."""
    return as_json(bias_tests.run(*args))


def of(found, probe, judge="gpt-6", criterion="correctness"):
    (row,) = [
        r
        for r in found
        if (r["probe"], r["judge"]) == (probe, judge) and r["criterion"] in (criterion, None)
    ]
    return row


def graded(store, rubric, favour=1):
    """Ana's grades; a judge that gives its own family's answers more, and one that does not."""
    ana = {place: (place // 2) % 3 for place in range(72)}
    give(store, rubric, "Ana", ana)
    judge(store, rubric, "gpt-6", {p: s + favour * (p % 2) for p, s in ana.items()})
    judge(store, rubric, "claude-5", {p: s + (p == 7) for p, s in ana.items()})


def test_a_judge_that_favours_its_own_family_is_found_beside_another_family(
    store, families, doc_qa
):
    graded(store, doc_qa)
    read = panel(store, doc_qa)
    found = probes(read, lengths(store, read))
    row = of(found, "self_preference")
    # one point on each of the other 36 answers, and nobody else does so but once
    assert row["value"] == pytest.approx(1 - 1 / 36)
    assert row["details"]["judge_gap"] == pytest.approx(1)
    assert row["details"]["other_judges"] == ["claude-5"]
    assert row["significant"] and row["p"] <= row["p_adjusted"] < 0.05
    assert "it gives GPT answers, its own family, 0.97" in row["sentence"]
    assert not of(found, "self_preference", "claude-5")["value"] < 0


def test_length_says_what_a_doubling_brings_beyond_annotators(store, families, doc_qa):
    graded(store, doc_qa)
    read = panel(store, doc_qa)
    length = lengths(store, read)
    assert length[:2].tolist() == [20, 160]
    row = of(probes(read, length), "length")
    assert row["value"] == pytest.approx(
        row["details"]["judge_slope"] - row["details"]["annotator_slope"]
    )
    assert row["sentence"].startswith(
        "gpt-6 on correctness: for each doubling of the length of an answer it gives 0."
    )
    assert " points more than annotators do (the judge +0." in row["sentence"]


def test_answers_in_scripts_without_spaces_are_as_long_as_their_characters(store):
    additions.add(
        store, "cjk", [made_item(1, answer="東京は日本の首都です。")], "c.csv", "0" * 64, {}
    )
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    assert lengths(store, panel(store, rubric)).tolist() == [10]


def test_leniency_shows_which_scores_were_used_and_where_the_judge_departs(store, families, doc_qa):
    graded(store, doc_qa)
    read = panel(store, doc_qa)
    row = of(probes(read, lengths(store, read)), "leniency")
    assert row["value"] == pytest.approx(1 / 2)
    by_score = row["details"]["by_score"]
    assert [one["score"] for one in by_score] == [0, 1, 2, 3]
    assert by_score[0]["annotators"] == pytest.approx(1 / 3)
    assert by_score[0]["judge"] == pytest.approx(1 / 6)
    assert by_score[0]["bias"] == pytest.approx(1 / 2)
    assert by_score[3]["bias"] is by_score[0]["annotator_bias"] is None
    assert row["sentence"] == (
        "gpt-6 on correctness: +0.50 points, no interval: no variation between questions, so "
        "the standard error cannot be estimated."
    )


def test_halo_compares_criteria_within_one_grader(store, families, doc_qa):
    spread = [n % 4 for n in range(72)]
    other = [(n * 7 // 3) % 4 for n in range(72)]
    for criterion, mine in [("correctness", spread), *((name, other) for name in OTHERS)]:
        give(store, doc_qa, "Ana", dict(enumerate(mine)), criterion)
        judge(store, doc_qa, "gpt-6", dict(enumerate(spread)), criterion=criterion)
    read = panel(store, doc_qa)
    row = of(probes(read, lengths(store, read)), "halo")
    pairs = row["details"]["pairs"]
    assert [pair["judge"] for pair in pairs] == [pytest.approx(1)] * 3
    assert pairs[2]["annotators"] == pytest.approx(1)
    mean = sum(pair["judge"] - pair["annotators"] for pair in pairs) / 3
    assert row["value"] == pytest.approx(mean)
    assert "are more correlated than an annotator's" in row["sentence"]


def test_what_the_self_preference_probe_lacks_is_said(store, families, doc_qa):
    give(store, doc_qa, "Ana", {0: 3})
    judge(store, doc_qa, "unheard-of", {0: 3})
    judge(store, doc_qa, "gemini-9", {0: 3})
    judge(store, doc_qa, "sim-gpt", {0: 3})
    read = panel(store, doc_qa)
    found = probes(read, lengths(store, read))
    assert of(found, "self_preference", "unheard-of")["why_none"] == message_of(NO_MODEL)
    assert of(found, "self_preference", "gemini-9")["why_none"] == message_of(NOT_ITS_OWN)
    assert of(found, "self_preference", "unheard-of")["sentence"].startswith(
        "unheard-of on correctness: not run, it requires"
    )


def test_a_lone_judge_of_a_family_has_nobody_to_stand_beside(store, families, doc_qa):
    give(store, doc_qa, "Ana", {0: 3})
    judge(store, doc_qa, "gpt-6", {0: 3})
    read = panel(store, doc_qa)
    assert of(probes(read, lengths(store, read)), "self_preference")["why_none"] == message_of(
        NO_OTHER_FAMILY
    )


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-3.5-turbo", "GPT"),
        ("openai/gpt-6", "GPT"),
        ("o3-mini", "GPT"),
        ("anthropic.claude-5", "Claude"),
        ("meta-llama/Llama-3-8B", "Llama"),
        ("Qwen2.5-7B-Instruct", "Qwen"),
        ("atlas", None),
        ("o", None),
        ("", None),
    ],
)
def test_a_family_is_known_by_how_the_name_begins(model, expected):
    assert family(model) == expected


def not_run(store, rubric, *annotators):
    found = as_json(whole(store, panel(store, rubric, *annotators)))
    json.dumps(found, allow_nan=False)
    return {row["check"]: row for row in found["skipped_analyses"]}


def test_every_check_that_could_not_run_says_what_would_enable_it(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 3, 3: 1})
    judge(store, doc_qa, "gpt", {0: 3, 3: 2})
    found = not_run(store, doc_qa)
    assert {CEILING, CHANCE, INTERVAL, ALT_TEST, DOCUMENTS} <= set(found)
    assert found[CHANCE] == {
        "check": "the chance-corrected figures",
        "why": "a chance-corrected figure requires 30 answers",
        "enable": "Have annotators grade 30 answers that the judge graded.",
        "judges": [],
        "criteria": ["correctness"],
    }
    two = "Let two annotators grade some of the same answers."
    assert found[CEILING]["enable"] == two
    give(store, doc_qa, "Ben", {1: 3})
    assert not_run(store, doc_qa)[CEILING]["enable"] == two
    assert "(cluster=COLUMN on the command line)" in found[DOCUMENTS]["enable"]
    assert found[INTERVAL]["why"] == "only 2 questions"
    assert found["the halo test"]["judges"] == []


def test_a_sheet_that_does_not_name_its_models_is_told_which_column(store, doc_qa):
    made = [made_item(n, None) for n in range(3)]
    additions.add(store, "nameless", made, "n.csv", "0" * 64, {})
    give(store, doc_qa, "Ana", {0: 3})
    judge(store, doc_qa, "gpt-6", {0: 3})
    found = not_run(store, doc_qa)
    assert "answer_model=COLUMN" in found[MODELS]["enable"]
    assert found["the self-preference test"]["why"] == message_of(NO_ANSWER_MODELS)


def test_a_judge_that_can_be_asked_is_told_how_to_repeat(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {0: 3})
    imported = judge(store, doc_qa, "imported", {0: 3})
    asked = judge(store, doc_qa, "asked", {0: 3})
    body = json.dumps({"judge": {"model": "gpt-6"}})
    store.connection.execute("update graders set definition = ? where id = ?", (body, asked))
    found = not_run(store, doc_qa)[SELF_CONSISTENCY]
    assert found["judges"] == ["asked"] and asked != imported
    assert (found["why"], found["enable"]) == (
        "no answer was judged twice",
        "Repeat the judge under Judges (`--repeat 3` on the command line).",
    )


def test_one_criterion_has_no_halo(store, sheet):
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    lone = rubric.model_copy(update={"translations": (), "criteria": (rubric.criteria[0],)})
    give(store, rubric, "Ana", {0: 3})
    judge(store, rubric, "gpt", {0: 3})
    read = panel(store, lone)
    row = of(probes(read, lengths(store, read)), "halo", "gpt")
    assert row["why_none"] == message_of(ONE_CRITERION)
