"""Every vector of vectors.json, made with independent libraries, to a millionth."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from concord.stats.agreement import coefficients
from concord.stats.comparison import paired_tests
from concord.stats.comparison.paired_tests import Discordant, mcnemar, sign_flip
from concord.stats.core.tables import clustered_variance
from concord.stats.correction import ppi, rogan_gladen
from concord.stats.intervals import simultaneous
from concord.stats.intervals.resampling import Draws
from concord.stats.reliability import multi_rater
from concord.stats.reliability.alt_test import AltTest, alt_test

VECTORS = json.loads((Path(__file__).with_name("vectors.json")).read_text(encoding="utf-8"))
NORMAL = 1.959963984540054
# Drawn at random where the vector goes through every draw; see its note.
BY_CHANCE = {"cluster_bootstrap_exact_sd": 0.003}


def kappa(weights: str) -> Callable[[dict], float]:
    def found(case: dict) -> float:
        table = joint(case["h"], case["j"], case["cats"])
        return coefficients.cohen_kappa(table, case["cats"], weights)

    return found


def alpha(metric: str) -> Callable[[dict], float]:
    def found(case: dict) -> float:
        data = np.array(case["data"], float)
        return multi_rater.krippendorff_alpha(data, range(6), metric).value

    return found


def gwet(case: dict) -> float:
    return multi_rater.gwet_ac2(np.array(case["data"], float), case["cats"]).value


def of_table(statistic: Callable[..., np.ndarray]) -> Callable[[dict], float]:
    return lambda case: statistic(np.array(case["table"], float), (0, 1))


def clustered_error(case: dict) -> float:
    x = np.asarray(case["x"], float)
    sums = np.bincount(case["clusters"], weights=x - x.mean())
    return float(np.sqrt(clustered_variance(sums, np.bincount(case["clusters"]))))


def bootstrapped(case: dict) -> float:
    sums = np.bincount(case["clusters"], weights=case["x"])
    return float((Draws(resamples=20_000).totals(sums) / len(case["x"])).std())


def discordant(case: dict) -> Discordant:
    answers = case.get("n", 100)
    return Discordant(case["b"], case["c"], answers)


def limits(case: dict) -> list[float]:
    found = paired_tests.difference(discordant(case))
    return [found.low, found.high]


def p_values(case: dict) -> list[float]:
    counts = discordant(case)
    return [float(norm.sf(paired_tests.score(counts, -margin))) for margin in case["margins"]]


def powered(tuning: float | None) -> Callable[[dict], list[float]]:
    def found(case: dict) -> list[float]:
        mean = ppi.rectified(labelled(case), tuning)
        half = NORMAL * np.sqrt(mean.variance)
        return [mean.value, mean.value - half, mean.value + half]

    return found


def labelled(case: dict) -> ppi.Sample:
    judge = np.array([*case["f"], *case["u"]], float)
    person = np.array([*case["y"], *[np.nan] * len(case["u"])], float)
    return ppi.Sample(judge, person, np.ones(len(judge)), np.arange(len(judge)))


def passing(case: dict) -> list[float]:
    rates = rogan_gladen.Rates(case["sens"], case["spec"], case["m1"], case["m0"])
    limits = rogan_gladen.lee_interval(case["p"], case["n"], rates)
    return [rogan_gladen.point(case["p"], rates), *limits]


def upper(_: dict) -> list[float]:
    cases = [(6, 120, 0.1), (0, 29, 0.05), (3, 60, 0.1)]
    return [simultaneous.at_most(*case) for case in cases]


def annotators(alignment: str) -> Callable[[dict], list[float]]:
    def found(_: dict) -> list[float]:
        place = np.arange(35)
        annotators = [place, place + (place % 3 == 0), place - (place % 5 == 0)]
        judge = (place + 2.0 * (place % 7 == 3)) % 4
        return flat(alt_test(np.array(annotators) % 4.0, judge, [0.2], alignment)[0])

    return found


def all_alike(_: dict) -> list[float]:
    same = np.tile(np.arange(35) % 4.0, (3, 1))
    (found,) = alt_test(same, same[0], [0.1])
    assert alt_test(same, same[0], [0.0])[0].p_values == (1, 1, 1)
    assert found.p_values == (0, 0, 0)
    return [found.omega, found.rho]


def flat(found: AltTest) -> list[float]:
    return [found.omega, found.rho, *found.p_values]


def joint(person: list[int], judge: list[int], scale: list[int]) -> np.ndarray:
    table = np.zeros((len(scale), len(scale)))
    np.add.at(table, (np.searchsorted(scale, person), np.searchsorted(scale, judge)), 1)
    return table


FOUND = {
    "kappa_None": kappa("none"),
    "kappa_quadratic": kappa("quadratic"),
    "kappa_quadratic_unused_category": kappa("quadratic"),
    "alpha_ordinal": alpha("ordinal"),
    "alpha_interval": alpha("interval"),
    "alpha_missing_ordinal": alpha("ordinal"),
    "alpha_missing_interval": alpha("interval"),
    "gwet_quadratic": gwet,
    "gwet_missing_quadratic": gwet,
    "paradox_kappa": of_table(coefficients.cohen_kappa),
    "paradox_AC1": of_table(coefficients.gwet_ac2),
    "cluster_se_CR1": clustered_error,
    "cluster_bootstrap_exact_sd": bootstrapped,
    "sign_flip_exact": lambda case: sign_flip(np.array(case["d"])).p_value,
    "mcnemar_exact": lambda case: mcnemar(discordant(case)).exact,
    "mcnemar_midp": lambda case: mcnemar(discordant(case)).mid_p,
    "tango_ci95": limits,
    "noninferiority_p": p_values,
    "ppi_mean_lam_0": powered(0),
    "ppi_mean_lam_1": powered(1),
    "ppi_mean_lam_None": powered(None),
    "ppi_lambda": lambda _: ppi.rectified(labelled(VECTORS["ppi_mean_lam_None"])).tuning,
    "rogan_gladen": passing,
    "clopper_pearson_upper": upper,
    "alt_test_acc_eps0.2": annotators("accuracy"),
    "alt_test_rmse_eps0.2": annotators("rmse"),
    "alt_test_zero_variance": all_alike,
}


@pytest.mark.parametrize("name", FOUND)
def test_a_vector_holds_to_a_millionth(name):
    case = VECTORS[name]
    tolerance = BY_CHANCE.get(name, 1e-6)
    assert FOUND[name](case) == pytest.approx(case["expected"], abs=tolerance, rel=0)


def test_no_vector_is_left_out():
    assert set(FOUND) == set(VECTORS)
