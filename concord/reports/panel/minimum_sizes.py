"""Minimum sizes: questions, answers or annotators that a statistic takes, and those there are."""

from dataclasses import dataclass

import numpy as np

from concord.messages import Said, said
from concord.reports.panel.criterion_comparison import CriterionPanel
from concord.stats.core.minimums import (
    ALT_TEST_ANNOTATORS,
    ALT_TEST_FLOOR,
    CEILING_PILOT_FLOOR,
    FAILING_FLOOR,
    ORDINAL_VERDICT_FLOOR,
    PAIR_FLOOR,
    PILOT_FLOOR,
    QUESTION_FLOOR,
    RATE_FLOOR,
    VERDICT_FLOOR,
)
from concord.stats.core.tables import ranked


@dataclass(frozen=True)
class Floor:
    """A minimum size.

    Attributes:
        what: The statistic that takes it.
        needs: How many it takes.
        of: Of what.
        has: How many there are.
        answers: About how many answers annotators have to grade for it, at the rate seen so far;
            None where none was seen.
    """

    what: str
    needs: int
    of: str
    has: int
    answers: int | None
    holds: bool


def floors(on: CriterionPanel) -> list[Floor]:
    """Return every minimum of one criterion, counted on the grades of annotators."""
    graded = np.unique(on.annotators.item)
    questions = ranked(on.panel.cluster[graded])[0] if len(graded) else 0
    is_failed = np.isin(on.annotators.score, list(on.panel.rubric.failing(on.criterion)))
    failed = len(np.unique(on.annotators.item[is_failed]))
    passed = len(np.unique(on.annotators.item[~is_failed]))
    _, scores = on.overlap()
    enough = int(((~np.isnan(scores)).sum(axis=1) >= ALT_TEST_FLOOR).sum())
    clustered = len(np.unique(on.panel.cluster)) < len(np.unique(on.panel.question))
    unit = said("clusters of questions" if clustered else "questions")
    per_question = len(graded) / questions if questions else None

    def by_question(needs: int) -> int | None:
        return per_question and int(np.ceil(needs * per_question))

    def at_rate(needs: int, seen: int) -> int | None:
        return int(np.ceil(needs * len(graded) / seen)) if seen else None

    rows = (
        (said("any interval"), QUESTION_FLOOR, unit, questions, by_question(QUESTION_FLOOR)),
        (said("a verdict"), VERDICT_FLOOR, unit, questions, by_question(VERDICT_FLOOR)),
        *_of_decisions(on, len(graded), questions, unit),
        (
            said("kappa and related coefficients"),
            PAIR_FLOOR,
            said("answers"),
            len(graded),
            PAIR_FLOOR,
        ),
        (
            said("a statement on the recall of failing answers"),
            FAILING_FLOOR,
            said("answers annotators failed"),
            failed,
            at_rate(FAILING_FLOOR, failed),
        ),
        (
            said("the alternative annotator test"),
            ALT_TEST_ANNOTATORS,
            said("annotators with {n} shared answers each", n=ALT_TEST_FLOOR),
            enough,
            ALT_TEST_FLOOR,
        ),
        (
            said("the Rogan-Gladen correction"),
            RATE_FLOOR,
            said("answers annotators failed"),
            failed,
            at_rate(RATE_FLOOR, failed),
        ),
        (
            said("the Rogan-Gladen correction"),
            RATE_FLOOR,
            said("answers annotators passed"),
            passed,
            at_rate(RATE_FLOOR, passed),
        ),
    )
    return [Floor(*row, holds=row[3] >= row[1]) for row in rows]


def _of_decisions(
    on: CriterionPanel, answers: int, questions: int, unit: Said
) -> tuple[tuple[Said, int, Said, int, int | None], ...]:
    """Rows of what a decision takes beyond a verdict, and a plan of it."""
    several, _ = on.overlap()
    shared = ranked(on.panel.cluster[several])[0] if len(several) else 0
    clustered = len(np.unique(on.panel.cluster)) < len(np.unique(on.panel.question))
    of_two = said(
        "clusters graded by two annotators" if clustered else "questions graded by two annotators"
    )

    def by_question(needs: int) -> int | None:
        return int(np.ceil(needs * answers / questions)) if questions else None

    return (
        (
            said("a verdict on quadratic kappa or tau-b"),
            ORDINAL_VERDICT_FLOOR,
            said("answers"),
            answers,
            ORDINAL_VERDICT_FLOOR,
        ),
        (
            said("power planned from a pilot, once two judges graded it"),
            PILOT_FLOOR,
            unit,
            questions,
            by_question(PILOT_FLOOR),
        ),
        (
            said("power planned from a pilot with several annotators per answer"),
            CEILING_PILOT_FLOOR,
            of_two,
            shared,
            by_question(CEILING_PILOT_FLOOR),
        ),
    )
