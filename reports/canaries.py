"""Canaries: the requests by which a judge is tried before it is run, whatever its kind."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import metrics
from data import sheets
from data.model import Context, Item, Unit
from data.store import Store
from judges import canary, check, roster
from judges.canary import AnswerCanary, ClaimCanary, PassageCanary, Trial
from judges.check import ITEM
from judges.examples import Shot
from judges.measuring import question
from judges.measuring.unmeasured import Unmeasured
from judges.model import Judge
from judges.price import Band
from judges.prompt import parts
from judges.reply import parse
from judges.request import REPLY_TOKENS_PER_CRITERION, request
from judges.shots import gather
from metrics.frame import verdict_ask
from metrics.frame.choosing import choice
from metrics.frame.measure import Measure
from rubrics.model import Criterion, Example, Rubric

# Units are tried one at a time; a verdict is about so many tokens.
VERDICT_TOKENS = Band(30, 200)
# Rubrics by which a passage is of use or not; all others hold a claim against a text.
OF_PASSAGES = ("chunks-for-answer", "chunks-for-reference", "context-sentences-for-question")


class _By(NamedTuple):
    """A judge, the rubric it grades by, and the graded answers that it is shown."""

    judge: Judge
    rubric: Rubric
    shots: Sequence[Shot]


class _Case(NamedTuple):
    """One answer and what its verdict must be."""

    name: str
    about: str
    item: Item
    right: str


def of_named(
    store: Store,
    name: str,
    model: str | None = None,
    base_url: str | None = None,
    rubric: str | None = None,
    sheet_name: str | None = None,
) -> tuple[Judge, list[Trial]]:
    """A judge that the user names, with what it is tried with; none where it asks nobody."""
    judge = roster.named(store, name).with_overrides(model, base_url)
    if judge.kind == "metric":
        return judge, of_measures(judge)
    sent = check.named(store, name, model, base_url, rubric, sheet_name)
    if isinstance(sent, check.Report):
        return judge, []
    plan, shots = judge.example_plan(), []
    if plan is not None and plan.source == "graded":
        shots = gather(store, judge, sent.rubric, sheets.chosen(store, sheet_name))
    return judge, of_rubric(judge, sent.rubric, shots)


def of_rubric(judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> list[Trial]:
    """What a judge by a rubric is tried with: plain cases, and the rubric's own examples.

    Of the plain cases only the heaviest criterion counts, which fails or passes. An example must
    get its own score.
    """
    by, heaviest = _By(judge, rubric, shots), rubric.heaviest()
    failing = rubric.failing(heaviest)
    words = {score: "fails" if score in failing else "passes" for score in rubric.scale}
    made = [
        _graded(by, heaviest, _Case(one.name, one.about, _answer(one), one.right), words)
        for one in canary.load().answer
    ]
    scores = {score: str(score) for score in rubric.scale}
    return made + [
        _graded(by, criterion, _example(score, example), scores)
        for criterion, score, example in _examples(rubric)
    ]


def of_measures(judge: Judge, names: Sequence[str] = ()) -> list[Trial]:
    """What a judge for measures is tried with: claims and passages under its rubrics of units.

    Every claim is tried under the first rubric that holds claims against a text, and those that
    say so under all others too. A judge whose measures ask for no verdicts has none.
    """
    if judge.model is None:
        return []
    chosen = [metrics.named(one.name) for one in choice(judge, names).measures]
    rubrics = [verdict_ask.rubric(name) for name in _rubrics(chosen)]
    about_claims = [one for one in rubrics if one.name not in OF_PASSAGES]
    canaries = canary.load()
    made = [
        _verdict(judge, rubric, one, _claim(rubric, one), one.claim)
        for place, rubric in enumerate(about_claims)
        for one in canaries.claim
        if place == 0 or one.everywhere
    ]
    made += [
        _verdict(judge, rubric, one, _passage(one), one.passage)
        for rubric in rubrics
        if rubric.name in OF_PASSAGES
        for one in canaries.passage
    ]
    return made


def _rubrics(chosen: Iterable[Measure]) -> list[str]:
    """The rubrics of units by which some measures ask for verdicts, each once."""
    asked = (one.rubrics for one in chosen if not one.by_rule)
    return list(dict.fromkeys(name for names in asked for name in names))


def _examples(rubric: Rubric) -> Iterable[tuple[Criterion, int, Example]]:
    for criterion in rubric.criteria:
        for level in criterion.levels:
            for example in level.examples:
                yield criterion, level.score, example


def _graded(by: _By, criterion: Criterion, case: _Case, words: dict[int, str]) -> Trial:
    """One answer under a criterion; what else the reply grades is not looked at."""
    judge, rubric, shots = by
    part, asked = next((p, c) for p, c in parts(judge, rubric).items() if criterion in c)

    def read(completion: Any) -> str:
        verdict = parse(completion, [criterion.name], rubric.scale)[criterion.name]
        if verdict.score is None:
            raise ValueError(verdict.why)
        return words[verdict.score]

    high = REPLY_TOKENS_PER_CRITERION * len(asked)
    body = request(judge, rubric, case.item, part, shots)
    under, reply = criterion.heading().lower(), Band(high // 5, high)
    return Trial(case.name, case.about, under, body, (case.right,), read, reply)


def _verdict(
    judge: Judge, rubric: Rubric, one: ClaimCanary | PassageCanary, item: Item, text: str
) -> Trial:
    """One unit under a rubric of units."""
    ask = verdict_ask.request(rubric, item, [Unit(1, rubric.units, text, 0)])
    criterion = rubric.criteria[0]
    labels = {level.score: level.label for level in criterion.levels}

    def read(completion: Any) -> str:
        try:
            return labels[question.read(completion, ask)[1][0]]
        except Unmeasured as error:
            raise ValueError(error.reason) from None

    right = tuple(labels[score] for score in _right(rubric, criterion, one.right))
    body, under = question.body(judge, ask), rubric.title or rubric.name
    return Trial(one.name, one.about, under, body, right, read, VERDICT_TOKENS)


def _right(rubric: Rubric, criterion: Criterion, said: str) -> list[int]:
    """The scores that a word of the file stands for."""
    if said in ("supported", "useful"):
        return [rubric.scale[-1]]
    if said == "contradicted":
        return [rubric.scale[0]]
    return sorted(rubric.failing(criterion))


def _answer(one: AnswerCanary) -> Item:
    return _item(one.question, one.context, one.answer, one.reference)


def _example(score: int, example: Example) -> _Case:
    item = _item(example.question, example.context, example.answer, "")
    return _Case(f"example of {score}", "The rubric's own example.", item, str(score))


def _claim(rubric: Rubric, one: ClaimCanary) -> Item:
    """The item with the evidence wherever the rubric shows a text."""
    answer = one.evidence if "answer" in rubric.shown else one.claim
    reference = one.evidence if "reference" in rubric.shown else one.claim
    return _item(one.question, one.evidence, answer, reference)


def _passage(one: PassageCanary) -> Item:
    return _item(one.question, one.passage, one.answer, one.answer)


def _item(asked: str, context: str, answer: str, reference: str) -> Item:
    return ITEM._replace(
        question=asked,
        contexts=(Context("", "", context, 1),) if context else (),
        answer=answer,
        reference=(reference,) if reference else (),
        reference_contexts=(context,) if context else (),
    )
