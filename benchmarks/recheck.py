"""How often the nightly recheck voids a judge, over a certificate's life of 90 nights.

    python benchmarks/recheck.py [--lives 200] [--nights 90] [--seed 90]

Every night three new replies come to 30 answers with three scores each, of which one reply or three
were stored when the certificate was written. Each score of the judge is another one in a share of
its replies (some answers are harder than others, so the shares run from 0 to twice their mean).
Unchanged judges: the share of lives in which any night is void. Changed judges: a share of the
scores is another one for good; how many are void the first night, and within a week.
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, which has a statistics.py

import numpy as np  # noqa: E402

from benchmarks import simulation  # noqa: E402
from concord.stats.comparison.recheck import heartbeat, void_at  # noqa: E402

ANSWERS, CRITERIA, STORED, REPLIES, WEEK = 30, 3, (1, 3), 3, 7
NOISE, CHANGES = (0.0, 0.05, 0.1, 0.2), (0.05, 0.1, 0.15, 0.2)
CLUSTER = np.repeat(np.arange(ANSWERS), CRITERIA)


def main() -> None:
    """Simulate and print."""
    options = simulation.parser(__doc__, lives=200, nights=90, seed=90)
    asked = options.parse_args()
    random, level = np.random.default_rng(asked.seed), void_at(1, asked.nights)
    print(f"{asked.lives} lives of {asked.nights} nights; a night is void at p <= {level:.5f}")
    for stored in STORED:
        print(f"stored replies: {stored}")
        print("noise  ever void")
        for noise in NOISE:
            lives = [life(random, stored, noise, 0.0, asked.nights) for _ in range(asked.lives)]
            print(f"{noise:5.0%} {(np.array(lives) <= level).any(axis=1).mean():10.1%}")
        print("noise  changed scores  void the first night  void within a week")
        for noise in NOISE:
            for change in CHANGES:
                weeks = [life(random, stored, noise, change, WEEK) for _ in range(asked.lives)]
                void = np.array(weeks) <= level
                found = void[:, 0].mean(), void.any(axis=1).mean()
                print(f"{noise:5.0%} {change:15.0%} {found[0]:21.0%} {found[1]:19.0%}")


def life(
    random: np.random.Generator, stored: int, noise: float, change: float, nights: int
) -> list[float]:
    """The p-value of every night of a judge that is, or is not, another one from the first on."""
    score = random.integers(0, 4, ANSWERS * CRITERIA)
    own = 2 * noise * random.random(len(score))
    moved = np.where(random.random(len(score)) < change, (score + 2) % 4, score)
    then = _replies(random, score, own, stored)
    return [heartbeat(then, _replies(random, moved, own), CLUSTER).p_value for _ in range(nights)]


def _replies(
    random: np.random.Generator, score: np.ndarray, noise: np.ndarray, times: int = REPLIES
) -> np.ndarray:
    flipped = random.random((len(score), times)) < noise[:, None]
    return np.where(flipped, (score[:, None] + 1) % 4, score[:, None])


if __name__ == "__main__":
    main()
