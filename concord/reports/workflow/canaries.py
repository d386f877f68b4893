"""Canaries: the requests by which a judge is tried before it is run, whatever its kind."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from concord.judges.checks import canary, endpoint_check
from concord.judges.checks.canary import AnswerCanary, ClaimCanary, PassageCanary, Trials
from concord.judges.checks.endpoint_check import ITEM
from concord.judges.checks.probe import Sent, Trial, of_one, quoted
from concord.judges.definition import registry
from concord.judges.definition.examples import Shot
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band
from concord.judges.few_shot import gather
from concord.judges.metric_runs import metric_request, request_prices
from concord.judges.metric_runs.request_prices import Request
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.reply import parse
from concord.judges.prompting.request import REPLY_TOKENS_PER_CRITERION, prompt_band, request
from concord.messages import Said, joined, said
from concord.metrics.framework.metric import Metric
from concord.metrics.prompts import verdicts
from concord.metrics.selection import wanted
from concord.model import Context, Item, Unit
from concord.problems import Problem
from concord.reports.metrics.metric_canary import of_canary
from concord.rubrics.model import Criterion, Example, Rubric
from concord.store import sheets
from concord.store.database import Store

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


OWN = said("The rubric's own example.")
SHOWN = said("The rubric's own example, which is in the judge's prompt.")


def of_named(
    store: Store,
    name: str,
    model: str | None = None,
    base_url: str | None = None,
    rubric: str | None = None,
    sheet_name: str | None = None,
    names: Sequence[str] = (),
) -> Trials:
    """Return a judge that the user names and its canaries; none for one without API calls.

    `names` are metrics; empty means those of its file.
    """
    judge = registry.named(store, name).with_overrides(model, base_url)
    if judge.kind == "metric":
        return of_judge(judge, names)
    if names:
        raise Problem(f"{judge.name} grades by a rubric. Leave --metrics out.")
    sent = endpoint_check.named(store, name, model, base_url, rubric, sheet_name)
    if isinstance(sent, endpoint_check.Report):
        return Trials(judge, [])
    plan, shots = judge.example_plan(), []
    if plan is not None and plan.source == "graded":
        shots = gather(store, judge, sent.rubric, sheets.chosen(store, sheet_name))
    return of_rubric(judge, sent.rubric, shots)


def of_rubric(judge: Judge, rubric: Rubric, shots: Sequence[Shot] = ()) -> Trials:
    """Return the canaries of a judge by a rubric: plain cases, and the rubric's own examples.

    Of the plain cases only the heaviest criterion counts, as pass or fail. An example must get its
    own score; the result says so where the judge's prompt shows it.
    """
    by, heaviest = _By(judge, rubric, shots), rubric.heaviest()
    failing = rubric.failing(heaviest)
    fails, passes = said("fails"), said("passes")
    words = {score: fails if score in failing else passes for score in rubric.scale}
    made = [
        _graded(by, heaviest, _Case(one.name, one.about, _answer(one), one.right), words)
        for one in canary.load().answer
    ]
    plan, scores = judge.example_plan(), {score: str(score) for score in rubric.scale}
    about = SHOWN if plan is not None and plan.source == "rubric" else OWN
    made += [
        _graded(by, criterion, _example(score, example, about), scores)
        for criterion, score, example in _examples(rubric)
    ]
    return Trials(judge, made, tuple(_without_examples(rubric)))


def of_judge(judge: Judge, names: Sequence[str] = ()) -> Trials:
    """Return the canaries of a judge for metrics: verdicts on units, then whole metrics.

    Every claim is tested under the first rubric that compares claims with a text, and those that
    say so under all others too. Each metric the judge can compute is tested with the canaries it
    declares; one with neither is named.
    """
    if judge.model is None and judge.embedding is None:
        return Trials(judge, [])
    chosen = [one for one in wanted(judge, names) if _can(judge, one)]
    bare = [one.name for one in chosen if not (one.canaries or _rubrics([one]))]
    made = of_units(judge, _rubrics(chosen))
    whole = [of_canary(judge, one, canary) for one in chosen for canary in one.canaries]
    return Trials(judge, made + whole, tuple(_without_canary(bare)))


def of_units(judge: Judge, names: Iterable[str]) -> list[Trial]:
    """Return the canaries under some rubrics of units, one unit per request."""
    rubrics = [verdicts.rubric(name) for name in names]
    about_claims = [one for one in rubrics if one.name not in OF_PASSAGES]
    canaries = canary.load()
    made = [
        _verdict(judge, rubric, one, _claim(rubric, one))
        for place, rubric in enumerate(about_claims)
        for one in canaries.claim
        if place == 0 or one.everywhere
    ]
    return made + [
        _verdict(judge, rubric, one, _passage(one))
        for rubric in rubrics
        if rubric.name in OF_PASSAGES
        for one in canaries.passage
    ]


def _without_canary(names: Sequence[str]) -> list[Said]:
    """Return a sentence on metrics without canaries."""
    if not names:
        return []
    return [
        said(
            "{metrics} declares no canary: docs/own-metric.md shows how."
            if len(names) == 1
            else "{metrics} declare no canary: docs/own-metric.md shows how.",
            metrics=joined(", ", names),
        )
    ]


def _can(judge: Judge, one: Metric) -> bool:
    """True where the judge has the models a metric needs."""
    return (judge.model or not one.asks) and (judge.embedding or not one.embeds)


def _rubrics(chosen: Iterable[Metric]) -> list[str]:
    """The rubrics of units by which some metrics ask for verdicts, each once."""
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
    taken = Request(judge, judge.model, prompt_band(body), Band(high // 5, high))
    under, right = criterion.heading().lower(), (case.right,)
    held = [*(one.text for one in case.item.contexts), *case.item.reference]
    asked = quoted(case.item.question, case.item.answer, beside=held)
    return of_one(case.name, case.about, asked, under, right, Sent(body, taken), read)


def _verdict(judge: Judge, rubric: Rubric, one: ClaimCanary | PassageCanary, item: Item) -> Trial:
    """One unit under a rubric of units."""
    of_claim = isinstance(one, ClaimCanary)
    text = one.claim if of_claim else one.passage
    beside = [one.evidence] if of_claim else [one.question, one.answer]
    ask = verdicts.request(rubric, item, [Unit(1, rubric.units, text, 0)])
    criterion = rubric.criteria[0]
    labels = {level.score: level.label for level in criterion.levels}

    def read(completion: Any) -> str:
        return labels[metric_request.read(completion, ask)[1][0]]

    right = tuple(labels[score] for score in _right(rubric, criterion, one.right))
    sent = Sent(metric_request.body(judge, ask), request_prices.chat(judge, ask))
    asked, under = quoted(text, beside=beside), rubric.title or rubric.name
    return of_one(one.name, one.about, asked, under, right, sent, read)


def _right(rubric: Rubric, criterion: Criterion, word: str) -> list[int]:
    """Return the scores that a term of the file denotes."""
    if word in ("supported", "useful"):
        return [rubric.scale[-1]]
    if word == "contradicted":
        return [rubric.scale[0]]
    return sorted(rubric.failing(criterion))


def _answer(one: AnswerCanary) -> Item:
    return _item(one.question, one.context, one.answer, one.reference)


def _example(score: int, example: Example, about: str) -> _Case:
    item = _item(example.question, example.context, example.answer, "")
    return _Case(said("example of {score}", score=score), about, item, str(score))


def _without_examples(rubric: Rubric) -> list[Said]:
    """Return a sentence on scores without an example to test the judge with."""
    lacking = {
        criterion.heading().lower(): [
            str(one.score) for one in criterion.levels if not one.examples
        ]
        for criterion in rubric.criteria
    }
    told = [f"{name} {', '.join(scores)}" for name, scores in lacking.items() if scores]
    if not told:
        return []
    if not any(_examples(rubric)):
        return [said("The rubric {rubric} brings no examples of its own.", rubric=rubric.name)]
    found = {"rubric": rubric.name, "scores": joined("; ", told)}
    return [said("The rubric {rubric} has no example of: {scores}.", **found)]


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
