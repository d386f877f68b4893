"""Choice of a reading rule on the few-shot pool, and the judge file with the chosen rule.

The rule with the most exact agreement is taken, whatever figure a decision is on; of equal ones the
first of `ORDER`, since a rule that is fixed needs no fit. Cut points compete by their agreement out
of fold, and are written as a combined judge with one fit to all graded questions of the pool.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.judges.combined.combination import MIN_GROUPS, MIN_ITEMS
from concord.judges.combined.combine import fitted_on
from concord.judges.definition.model import Chosen, Judge
from concord.judges.definition.toml import as_toml
from concord.messages import Problem, Said, joined, on_command_line, said
from concord.reports.cells import written
from concord.reports.comparison import reading_rules
from concord.reports.comparison.reading_rules import (
    CUT_POINTS,
    GIVEN,
    MAJORITY,
    RULES,
    RuleFigures,
    judged,
)
from concord.reports.comparison.study import Request, StudyResult
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import criterion_of
from concord.store.database import Store

_BY_EXACT = said(
    "The choice is by exact agreement. For a decision on another figure, such as QWK, choose by "
    "its column and set “reading” in the judge file."
)
ORDER = (GIVEN, "rounded_mean", "median", "argmax", CUT_POINTS)


@dataclass(frozen=True)
class RuleChoice:
    """The rule that was chosen for one judge on one criterion.

    Attributes:
        label: The judge as it is called on the sheet.
        best: The figures by the chosen rule.
        majority: The figures of the majority class.
        exact: By rule, the exact agreement, 0 to 1.
    """

    label: str
    best: RuleFigures
    majority: RuleFigures
    exact: dict[str, float]

    def sentence(self, criterion: str) -> Said:
        """Return which rule won, on how much, with the majority class."""
        return said(
            "On {criterion}, {judge} agrees most by {rule}: exact agreement {value} on {n:,} "
            "answers to {questions:,} questions; the majority class has {majority}",
            criterion=criterion,
            judge=named(self.label, self.best.simulated),
            rule=RULES[self.best.rule],
            value=written(self.best.by_key["exact"], "share"),
            n=self.best.n,
            questions=self.best.questions,
            majority=written(self.majority.by_key["exact"], "share"),
        )


def choices(
    asked: Request, rows: Sequence[RuleFigures], criterion: str | None = None
) -> list[RuleChoice]:
    """Return the choice for each judge, on a criterion (default: the heaviest with figures)."""
    here = {row.criterion for row in rows}
    rubric = asked.annotators.rubric
    name = criterion or next(one.name for one in rubric.by_weight() if one.name in here)
    by_judge: dict[str, list[RuleFigures]] = {}
    for row in rows:
        if row.criterion == name:
            by_judge.setdefault(row.judge, []).append(row)
    return [_choice(asked, label, mine) for label, mine in by_judge.items()]


def compare(asked: Request, rows: Sequence[RuleFigures]) -> StudyResult:
    """Return the figures of every rule on the pool, and which rule won for each judge."""
    found = choices(asked, rows)
    criterion = criterion_of(asked.annotators.rubric, found[0].best.criterion)
    answer, *others = [one.sentence(criterion) for one in found]
    told = reading_rules.compare(asked, rows)
    more = [*(said("{sentence}.", sentence=one) for one in others), _BY_EXACT]
    no_better = [one.label for one in found if one.exact[one.best.rule] <= one.exact[MAJORITY]]
    if no_better:
        names = joined(", ", no_better)
        more.append(
            said("No rule of {judges} agrees more often than the majority class.", judges=names)
        )
    if any(CUT_POINTS not in one.exact for one in found):
        more.append(
            said(
                "Cut points are not a candidate: they need {n} answers on {clusters} clusters of "
                "questions.",
                n=MIN_ITEMS,
                clusters=MIN_GROUPS,
            )
        )
    return told._replace(answer=answer, rests_on=(*told.rests_on, *more))


def written_judge(store: Store, asked: Request, criterion: str | None = None) -> Judge:
    """Return the judge with the chosen rule, and with the record of the choice.

    Raises:
        Problem: The judge has no probabilities on graded questions of the pool or no definition,
            the criterion has no figures, or cut points cannot be fitted.
    """
    rows = judged(asked)
    known = {row.criterion for row in rows}
    if not rows or (criterion or next(iter(known))) not in known:
        raise Problem(
            "{judge} has no probabilities on graded questions of the few-shot pool for that "
            "criterion. Run it on the pool under Judges{on_command_line}, and have annotators "
            "grade the pool.",
            judge=asked.chosen[0].label,
            on_command_line=on_command_line("`judge NAME --pool`"),
        )
    (found,) = choices(asked, rows, criterion)
    variant = next(one for one in asked.chosen if one.label == found.label)
    best, judge = found.best, variant.asked
    record = Chosen(
        rule=best.rule,
        sheet=asked.annotators.sheet.name,
        criterion=best.criterion,
        exact={rule: round(value, 6) for rule, value in found.exact.items()},
        answers=best.n,
        questions=best.questions,
    ).model_dump()
    name = f"{judge.name}-{best.rule.replace('_', '-')}"
    if best.rule != CUT_POINTS:
        reading = None if best.rule == GIVEN else best.rule
        return judge.changed({"name": name, "reading": reading, "chosen": record})
    members = (variant.judge.label(),)
    made = {"name": name, "kind": "combined", "rubric": variant.rubric.name, "rule": CUT_POINTS}
    combined = Judge(**made, members=members)
    panel = asked.annotators
    pool = panel.items["item_id"][panel.open]
    fit = fitted_on(store, panel.sheet, variant.rubric, combined, frozenset(map(int, pool)))
    return combined.changed({"fit": fit.model_dump(), "chosen": record})


def judge_file(store: Store, asked: Request) -> tuple[str, str]:
    """Return the name of the judge with the chosen rule and its file; as `written_judge`."""
    judge = written_judge(store, asked)
    return judge.name, as_toml(judge)


def _choice(asked: Request, label: str, rows: Sequence[RuleFigures]) -> RuleChoice:
    by_rule = {row.rule: row for row in rows}
    judge = next(one.asked for one in asked.chosen if one.label == label)
    able = [rule for rule in ORDER if rule in by_rule]
    if judge.reading_rule() is not None:  # its own scores are those of one of the rules
        able.remove(GIVEN)
    cut = by_rule.get(CUT_POINTS)
    if cut and (cut.n < MIN_ITEMS or cut.clusters < MIN_GROUPS):
        able.remove(CUT_POINTS)
    exact = {rule: by_rule[rule].by_key["exact"].value for rule in (*able, MAJORITY)}
    best = max(able, key=exact.get)  # the first of equal ones
    return RuleChoice(label, by_rule[best], by_rule[MAJORITY], exact)
