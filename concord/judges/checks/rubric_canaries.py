"""Canaries of a judge by a rubric: plain cases, and the rubric's own examples."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from concord.judges.checks import canary
from concord.judges.checks.canary import AnswerCanary, Trials
from concord.judges.checks.check_request import Setup, item_of
from concord.judges.checks.probe import ExpectedRequest, Trial, of_one, quoted_texts
from concord.judges.definition.judge_price import Request
from concord.judges.definition.model import Judge, Shot
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.reply import verdicts_of
from concord.judges.prompting.request import prompt_band, reply_band, request
from concord.messages import Said, joined, said, small
from concord.model import Item
from concord.rubrics.model import Criterion, Example, Rubric

OWN = said("The rubric's own example.")
SHOWN = said("The rubric's own example, which is in the judge's prompt.")


class _Case(NamedTuple):
    """One answer and what its verdict must be."""

    name: str
    about: str
    item: Item
    right: str


def of_rubric(judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> Trials:
    """Return the canaries of a judge by a rubric: plain cases, and the rubric's own examples.

    Of the plain cases only the heaviest criterion counts, as pass or fail. An example must get its
    own score; the result says so where the judge's prompt shows it.
    """
    by, heaviest = Setup(judge, rubric, shots), rubric.heaviest()
    failing = rubric.failing(heaviest)
    fails, passes = said("fails"), said("passes")
    words = {score: fails if score in failing else passes for score in rubric.scale}
    right = {word: word for word in (fails, passes)}
    made = [
        _graded(by, heaviest, _Case(one.name, one.about, _answer(one), right[one.right]), words)
        for one in canary.load().answer
    ]
    plan, scores = judge.example_plan(), {score: str(score) for score in rubric.scale}
    about = SHOWN if plan is not None and plan.source == "rubric" else OWN
    made += [
        _graded(by, criterion, _example(score, example, about), scores)
        for criterion, score, example in _examples(rubric)
    ]
    return Trials(judge, made, tuple(_without_examples(rubric)))


def _examples(rubric: Rubric) -> Iterable[tuple[Criterion, int, Example]]:
    for criterion in rubric.criteria:
        for level in criterion.levels:
            for example in level.examples:
                yield criterion, level.score, example


def _graded(by: Setup, criterion: Criterion, case: _Case, words: dict[int, str]) -> Trial:
    """One answer under a criterion; what else the reply grades is not looked at."""
    judge, rubric, shots = by
    part, asked = next((p, c) for p, c in parts(judge, rubric).items() if criterion in c)
    names = [one.name for one in asked]

    def read(completion: Any) -> str:
        verdict = verdicts_of(judge, completion, names, rubric.scale)[criterion.name]
        if verdict.score is None:
            raise ValueError(verdict.why)
        return words[verdict.score]

    body = request(judge, rubric, case.item, part, shots)
    taken = Request(judge, judge.model, prompt_band(body), reply_band(judge, len(names)))
    under, right = small(criterion.heading()), (case.right,)
    held = [*(one.text for one in case.item.contexts), *case.item.reference]
    asked = quoted_texts(case.item.question, case.item.answer, compared_with=held)
    return of_one(case.name, case.about, asked, under, right, ExpectedRequest(body, taken), read)


def _answer(one: AnswerCanary) -> Item:
    return item_of(one.question, one.context, one.answer, one.reference)


def _example(score: int, example: Example, about: str) -> _Case:
    item = item_of(example.question, example.context, example.answer, "")
    return _Case(said("example of {score}", score=score), about, item, str(score))


def _without_examples(rubric: Rubric) -> list[Said]:
    """Return a sentence on scores without an example to test the judge with."""
    lacking = {
        small(criterion.heading()): [str(one.score) for one in criterion.levels if not one.examples]
        for criterion in rubric.criteria
    }
    parts = [
        said("{criterion} {scores}", criterion=name, scores=joined(", ", scores))
        for name, scores in lacking.items()
        if scores
    ]
    if not parts:
        return []
    if not any(_examples(rubric)):
        return [said("The rubric {rubric} has no examples of its own.", rubric=rubric.name)]
    found = {"rubric": rubric.name, "scores": joined("; ", parts)}
    return [said("The rubric {rubric} has no example of: {scores}.", **found)]
