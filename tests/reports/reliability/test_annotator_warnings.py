"""Warnings about annotators who do not agree with the others, and the verdict without each."""

import json

import numpy as np
import pytest

from concord.reports.agreement import agreement
from concord.reports.decision.document import document
from concord.reports.decision.results import Changed, Terms
from concord.reports.panel.grading_times import zone
from concord.reports.reliability import annotators as annotators_report
from concord.reports.reliability import document as reliability
from concord.reports.reliability.annotator_warnings import REMEDY, notes, warnings
from concord.stats.core.minimums import ANNOTATOR_FLOOR
from concord.stats.reliability.annotator_check import CHANCE, LOWEST, check
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.panels import give, panel
from tests.support.reports.choices import chosen, row
from tests.support.reports.honest_annotators import HONEST, SCALE, honest
from tests.support.screens import opened


def campaign(random, error=0.3, annotators=5, answers=100):
    """(annotators, answers) of two answers to a question, grades skewed to the top; clusters."""
    truth = random.choice(SCALE, answers, p=(0.1, 0.15, 0.25, 0.5))
    scores = np.stack([honest(random, truth, error) for _ in range(annotators)])
    return scores, np.arange(answers) // 2


def reasons(found):
    return [one.warnings for one in found]


def test_one_who_presses_at_random_is_warned_of_and_nobody_else():
    random = np.random.default_rng(5)
    scores, cluster = campaign(random)
    scores[3] = random.integers(0, 4, 100)
    found = check(scores, cluster, SCALE)
    assert reasons(found) == [(), (), (), (LOWEST, CHANCE), ()]
    assert found[3].exact.high < found[3].least == min(found[n].exact.low for n in (0, 1, 2, 4))
    assert found[3].qwk.low < 0 < found[3].qwk.high < found[3].others.value
    assert (found[3].answers, found[0].others) == (100, None)


def test_one_who_always_gives_one_score_agrees_no_better_than_chance():
    """Three is the commonest score, so that exact agreement does not give it away."""
    scores, cluster = campaign(np.random.default_rng(6))
    scores[0] = 3
    found = check(scores, cluster, SCALE)
    assert found[0].qwk.value == pytest.approx(0) and found[0].qwk.low is None
    assert reasons(found) == [(CHANCE,), (), (), (), ()]


def test_two_of_five_at_random_are_both_warned_of():
    random = np.random.default_rng(8)
    scores, cluster = campaign(random)
    scores[1:3] = random.integers(0, 4, (2, 100))
    assert [one != () for one in reasons(check(scores, cluster, SCALE))] == [0, 1, 1, 0, 0]


def test_it_takes_thirty_shared_answers_and_two_others():
    random = np.random.default_rng(8)
    scores, cluster = campaign(random)
    scores[4] = random.integers(0, 4, 100)
    few = scores.copy()
    few[4, ANNOTATOR_FLOOR - 1 :] = np.nan
    assert reasons(check(few, cluster, SCALE)) == [()] * 5
    assert reasons(check(scores[3:], cluster, SCALE)) == [(), ()]


@pytest.mark.parametrize("error", [0.2, 0.6])
def test_honest_annotators_are_hardly_ever_warned_of_and_random_ones_nearly_always(error):
    """Five annotators of 100 answers; at least 90% of random ones, under 5% of honest ones."""
    random = np.random.default_rng(9)
    false = power = 0
    for _ in range(25):
        scores, cluster = campaign(random, error)
        false += sum(one != () for one in reasons(check(scores, cluster, SCALE)))
        scores[4] = random.integers(0, 4, 100)
        *others, last = reasons(check(scores, cluster, SCALE))
        false += sum(one != () for one in others)
        power += last != ()
    assert false / (25 * 9) < 0.05
    assert power / 25 >= 0.9


def test_the_warning_names_the_annotator_the_figures_and_the_remedy(store, rubric, with_random_eve):
    (found,) = warnings(panel(store, rubric[1]))
    assert (found.annotator, found.criterion, found.n) == ("Eve", "correctness", 100)
    assert found.reasons == (LOWEST, CHANCE)
    assert found.sentence.startswith("Eve: exact agreement with the other annotators on corr")
    assert "not above chance (QWK" in found.sentence
    assert notes([found]) == [f"Warning: {found.sentence}", REMEDY]
    assert warnings(panel(store, rubric[1], *HONEST)) == []
    assert notes([]) == []


def test_agreement_annotators_and_choose_carry_it_as_json_and_as_text(
    store, rubric, with_random_eve, run
):
    made = panel(store, rubric[1])
    wanted = warnings(made)
    assert list(agreement.report(made).annotator_warnings) == wanted
    criterion = annotators_report.report(store, made, zone(None)).criteria[0]
    assert list(criterion.annotator_warnings) == wanted
    for words in (("agreement",), ("annotators",), ("choose", "--against", "dear")):
        assert wanted[0].sentence in run(*words).stdout
        found = json.loads(run(*words, "--json").stdout)
        held = found["criteria"][0] if words == ("annotators",) else found
        assert [one["annotator"] for one in held["annotator_warnings"]] == ["Eve"]


def test_no_design_is_advised_before_a_warning_is_reviewed(store, rubric, with_random_eve):
    def advice(*names):
        report = annotators_report.report(store, panel(store, rubric[1], *names), zone(None))
        whole = reliability.document(report.criteria[0], rubric[1], 0)
        return next(table.title for table in whole.tables if table.name == "designs")

    assert advice() == "Review the annotator warnings before adding answers or a second annotator"
    assert advice(*HONEST) == "Grade more answers rather than adding a second annotator"


def test_choose_says_where_the_verdict_differs_without_an_annotator(store, rubric, with_random_eve):
    """With Eve it is open whether the judge reaches the minimum, without her it does."""
    found = chosen(store, rubric[1], terms=Terms(0.1, 0.62, 0.5))
    (eve,) = [one for one in found.without_annotators if one.annotator == "Eve"]
    assert row(found, "dear").verdict == "cannot_tell"
    assert Changed("dear", "cannot_tell", "good_enough") in eve.judges
    shown = next(one for one in document(found).tables if one.name == "without")
    assert ("Eve", "dear", "inconclusive", "good enough") in shown.rows


def test_with_one_annotator_there_is_no_verdict_without(store, rubric, with_random_eve):
    assert chosen(store, rubric[1], annotators=("Ana",)).without_annotators == ()


def test_all_annotators_at_random_are_said_to_agree_no_better_than_chance(store, rubric):
    random = np.random.default_rng(3)
    made = [made_item(n, model) for n in range(50) for model in ("atlas", "birch")]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    for name in ("Ana", "Ben"):
        give(store, rubric[1], name, dict(enumerate(map(int, random.integers(0, 4, 100)))))
    (found,) = warnings(panel(store, rubric[1]))
    assert (found.annotator, found.reasons, found.n) == (None, (CHANCE,), 100)
    assert found.sentence.startswith("Agreement of Ana with Ben on correctness is not above ch")
    give(store, rubric[1], "Cam", dict(enumerate(map(int, random.integers(0, 4, 100)))))
    (found,) = warnings(panel(store, rubric[1]))
    assert found.sentence.startswith("Inter-annotator agreement on correctness is not above ch")


@pytest.mark.parametrize("page", ["agreement", "annotators", "decide"])
def test_the_screens_warn(store, rubric, with_random_eve, monkeypatch, tmp_path, page):
    chosen(store, rubric[1])
    app = opened(monkeypatch, tmp_path / "concord.db", f"pages/{page}.py")
    assert not app.exception
    (warning,) = [one.value.replace("\\", "") for one in app.warning]
    assert warning.startswith("- Eve: exact agreement") and warning.endswith(REMEDY)
