"""How often the interval of the best of several equal judges covers what all of them reach.

    python benchmarks/best_judge.py [--runs 2000] [--questions 80] [--seed 14]

Every judge agrees exactly on 75% of the answers, two to a question; a difficulty that all judges
share, and one of the question, make their errors alike.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402
from scipy.special import ndtr  # noqa: E402

from benchmarks import simulation  # noqa: E402
from concord.stats.core.pairs import Pairs  # noqa: E402
from concord.stats.statistics import best_exact, figures  # noqa: E402

SCALE, REACHED, SHARED, OF_QUESTION = (0, 1, 2, 3), 0.75, 0.3, 0.2


def main() -> None:
    """Simulate and print."""
    options = simulation.parser(__doc__, runs=2000, questions=80, seed=14)
    asked = options.parse_args()
    print("tied judges  own 95% CI  simultaneous  mean width of both")
    for judges in (6, 14, 26):
        random = np.random.default_rng([asked.seed, judges])
        runs = np.array([_run(random, asked.questions, judges) for _ in range(asked.runs)])
        covered = ((runs[..., 0] <= REACHED) & (runs[..., 1] >= REACHED)).mean(axis=0)
        width = (runs[..., 1] - runs[..., 0]).mean(axis=0)
        print(f"{judges:11} {covered[0]:11.3f} {covered[1]:13.3f} {width[0]:10.3f} {width[1]:.3f}")


def _run(random: np.random.Generator, questions: int, judges: int) -> list[tuple[float, float]]:
    """The limits of the best judge: its own, and those simultaneous over all."""
    cluster = np.repeat(np.arange(questions), 2)
    alike = np.sqrt(OF_QUESTION) * random.standard_normal(questions)[cluster]
    alike += np.sqrt(SHARED) * random.standard_normal(len(cluster))
    own = np.sqrt(1 - SHARED - OF_QUESTION) * random.standard_normal((judges, len(cluster)))
    truth, item = random.integers(0, 4, len(cluster)), np.arange(len(cluster))
    made = np.where(ndtr(alike + own) < REACHED, truth, (truth + 1) % 4)
    pairs = [Pairs(one, truth, np.ones(len(item)), item, cluster) for one in made]
    place, exact = best_exact(pairs, SCALE)
    alone = figures(pairs[place], SCALE, (), names=("exact",))["exact"]
    return [(one.low, one.high) for one in (alone, exact)]


if __name__ == "__main__":
    main()
