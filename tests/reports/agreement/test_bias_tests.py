import numpy as np
import pytest
from scipy.stats import spearmanr

from concord.reports.agreement import bias_tests
from concord.reports.agreement.bias_tests import family, lengths
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
    assert row["significant"] and row["p"] <= row["p_adjusted"] < 0.05
    assert not of(found, "self_preference", "claude-5")["value"] < 0


def test_length_says_what_a_doubling_brings_beyond_annotators(store, families, doc_qa):
    graded(store, doc_qa)
    read = panel(store, doc_qa)
    length = lengths(store, read)
    assert length[:2].tolist() == [20, 160]
    doubling = np.log2(1 + length)
    extra = np.arange(72) % 2  # what the judge gives beyond Ana
    row = of(probes(read, length), "length")
    assert row["value"] == pytest.approx(np.polyfit(doubling, extra, 1)[0])


def test_answers_in_scripts_without_spaces_are_as_long_as_their_characters(store):
    additions.add(
        store, "cjk", [made_item(1, answer="東京は日本の首都です。")], "c.csv", "0" * 64, {}
    )
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    assert lengths(store, panel(store, rubric)).tolist() == [10]


def test_leniency_is_the_mean_difference(store, families, doc_qa):
    graded(store, doc_qa)
    read = panel(store, doc_qa)
    row = of(probes(read, lengths(store, read)), "leniency")
    assert row["value"] == pytest.approx(1 / 2)
    assert row["p"] is None


def test_halo_compares_criteria_within_one_grader(store, families, give, judge, panel):
    spread = [n % 4 for n in range(72)]
    other = [(n * 7 // 3) % 4 for n in range(72)]
    for criterion, mine in [("correctness", spread), *((name, other) for name in OTHERS)]:
        give("Ana", dict(enumerate(mine)), criterion)
        judge("gpt-6", dict(enumerate(spread)), criterion=criterion)
    read = panel()
    row = of(probes(read, lengths(store, read)), "halo")
    # The judge gives one score throughout; of Ana's three pairs of criteria one is equal.
    apart = 1 - spearmanr(spread, other).statistic
    assert row["value"] == pytest.approx(2 * apart / 3)


def test_what_the_self_preference_probe_lacks_is_said(store, families, give, judge, panel):
    give("Ana", {0: 3})
    judge("unheard-of", {0: 3})
    judge("gemini-9", {0: 3})
    judge("sim-gpt", {0: 3})
    read = panel()
    found = probes(read, lengths(store, read))
    assert of(found, "self_preference", "unheard-of")["why_none"].code == "judge_family_unknown"
    assert of(found, "self_preference", "gemini-9")["why_none"].code == "no_answer_of_own_family"


def test_a_lone_judge_of_a_family_has_nobody_to_stand_beside(store, families, give, judge, panel):
    give("Ana", {0: 3})
    judge("gpt-6", {0: 3})
    read = panel()
    found = of(probes(read, lengths(store, read)), "self_preference")
    assert found["why_none"].code == "no_judge_of_other_family"


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
