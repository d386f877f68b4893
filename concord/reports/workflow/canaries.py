"""Canaries and checks: the requests by which a judge is tried before it is run, whatever its kind.

Metric canaries: a whole metric on an item with an obvious value, and its judge on units.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from concord.judges.checks import canary, endpoint_check
from concord.judges.checks.canary import (
    Connection,
    Trial,
    Trials,
    of_one,
    of_rubric,
    quoted_texts,
)
from concord.judges.checks.canary import (
    Outcome as Tried,
)
from concord.judges.checks.endpoint_check import ITEM, Report, SentRequest, item_of, setup
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.metric_results import Rehearsal, Scratch, rehearsed
from concord.judges.prompting import metric_request
from concord.judges.prompting.metric_request import Undefined
from concord.judges.run.progress import usd
from concord.messages import Problem, counted, joined
from concord.metrics import selection
from concord.metrics.framework.metric import Canary, Metric, Outcome
from concord.metrics.prompts import verdicts
from concord.metrics.selection import wanted
from concord.model import Cell, Item, Unit
from concord.reports.document import Document
from concord.rubrics.model import Criterion, Rubric
from concord.store.database import Store


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
    if judge.of_metrics:
        return of_judge(judge, names)
    if names:
        raise Problem("{judge} grades by a rubric. Leave --metrics out.", judge=judge.name)
    if judge.model is None:
        return Trials(judge, [])
    return of_rubric(*setup(store, judge, rubric, sheet_name))


def of_judge(judge: Judge, names: Sequence[str] = ()) -> Trials:
    """Return the canaries of a judge for metrics: verdicts on units, then whole metrics.

    Every claim is tested under the first rubric that compares claims with a text, and those that
    say so under all others too. Each metric the judge can compute is tested with the canaries it
    declares; one with neither is named.
    """
    if judge.model is None and judge.embedding is None:
        return Trials(judge, [])
    # Metrics that the judge has the models for.
    chosen = [
        one
        for one in wanted(judge, names)
        if (judge.model or not one.asks) and (judge.embedding or not one.embeds)
    ]
    made = of_units(judge, _rubrics(chosen))
    whole = [of_canary(judge, one, canary) for one in chosen for canary in one.canaries]
    bare = [one.name for one in chosen if not (one.canaries or _rubrics([one]))]
    without = f"Without a canary of their own: {', '.join(bare)}; see docs/own-metric.md."
    return Trials(judge, made + whole, (without,) if bare else ())


def _rubrics(chosen: Iterable[Metric]) -> list[str]:
    """The rubrics of units by which some metrics ask for verdicts, each once."""
    asked = (one.rubrics for one in chosen if not one.by_rule)
    return list(dict.fromkeys(name for names in asked for name in names))


# Rubrics by which a passage is of use or not; all others hold a claim against a text.
OF_PASSAGES = ("chunks-for-answer", "chunks-for-reference", "context-sentences-for-question")


class Live(Scratch):
    """A judge asked about one item, with nothing stored."""

    def __init__(self, judge: Judge, line: Connection):
        super().__init__()
        self._judge, self._line = judge, line

    async def ask(self, ask: Any) -> Any:
        """Return the parsed reply; Undefined where it is unusable."""
        reply = await self._line.chat(metric_request.body(self._judge, ask))
        return metric_request.read(reply, ask)

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector per text."""
        return await self._line.embed(texts)


def of_canary(judge: Judge, metric: Metric, one: Canary) -> Trial:
    """A whole metric found for an item whose number is known, under its first choices."""
    find = selection.chosen(metric, {}).find

    async def ask(line: Connection) -> tuple[str, bool]:
        found = []
        for item in one.items():
            try:
                found.append(await find(item, given(one, Live(judge, line))))
            except Undefined as error:
                if error.status == one.none:
                    return one.expected(), True
                raise
        return _checked(metric, one, found)

    sends = []
    for item in one.items():
        session = rehearsed([selection.chosen(metric, {})], item, given(one, Rehearsal()))
        sends += session.requests(judge)
    held = [*one.contexts, *one.reference, *one.reference_contexts]
    asked = quoted_texts(one.question, one.answer, compared_with=held)
    return Trial(one.name, asked, metric.title, (one.expected(),), tuple(sends), ask)


def _checked(metric: Metric, one: Canary, found: Sequence[Outcome]) -> tuple[str, bool]:
    """Return the result in words, and if it is right; ValueError without a value."""
    for outcome in found:
        if outcome.value is None:
            raise ValueError(outcome.reason)
    values, units = [outcome.value for outcome in found], found[0].units
    words = f"{values[0]:.3g}"
    if one.worse:
        words += f", and {values[1]:.3g} for the worse answer"
    if one.least_units:
        words += f" from {counted(units, 'part')}"
    return words, one.holds(values, units, metric.better)


def given(one: Canary, session: Scratch) -> Any:
    """Keep the units that a canary gives in a session, which is returned."""
    for kind, texts in one.units.items():
        session.keep(kind, [Cell(text, place) for place, text in enumerate(texts)])
    return session


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
        _verdict(judge, rubric, one, item_of(one.question, one.passage, one.answer, one.answer))
        for rubric in rubrics
        if rubric.name in OF_PASSAGES
        for one in canaries.passage
    ]


def _verdict(judge: Judge, rubric: Rubric, one: canary.Canary, item: Item) -> Trial:
    """One unit under a rubric of units."""
    text = one.claim or one.passage
    material = [one.evidence] if one.claim else [one.question, one.answer]
    ask = verdicts.request(rubric, item, [Unit(1, rubric.units, text, 0)])
    criterion = rubric.criteria[0]
    labels = {level.score: level.label for level in criterion.levels}

    def read(completion: Any) -> str:
        return labels[metric_request.read(completion, ask)[1][0]]

    right = tuple(labels[score] for score in _right(rubric, criterion, one.right))
    sent = metric_request.body(judge, ask), metric_request.chat_estimate(judge, ask)
    asked, under = quoted_texts(text, compared_with=material), rubric.title or rubric.name
    return of_one(one.name, asked, under, right, sent, read)


def _right(rubric: Rubric, criterion: Criterion, word: str) -> list[int]:
    """Return the scores that a term of the file denotes."""
    if word in ("supported", "useful"):
        return [rubric.scale[-1]]
    if word == "contradicted":
        return [rubric.scale[0]]
    return sorted(rubric.failing(criterion))


def _claim(rubric: Rubric, one: canary.Canary) -> Item:
    """The item with the evidence wherever the rubric shows a text."""
    answer = one.evidence if "answer" in rubric.shown else one.claim
    reference = one.evidence if "reference" in rubric.shown else one.claim
    return item_of(one.question, one.evidence, answer, reference)


def request_of(
    store: Store,
    name: str,
    model: str | None = None,
    base_url: str | None = None,
    rubric: str | None = None,
    sheet_name: str | None = None,
) -> SentRequest | Report:
    """The request for a judge that the user names, or the report on one that sends none.

    A judge for metrics is asked for a verdict as its first metric with verdicts asks for one;
    where none does, by a small rubric.
    """
    judge = registry.named(store, name).with_overrides(model, base_url)
    if judge.of_metrics and judge.model and not rubric:
        asked = (rubric for one in wanted(judge) if not one.by_rule for rubric in one.rubrics)
        if first := next(asked, None):
            return of_verdict(judge, first)
    return endpoint_check.of_judge(store, judge, rubric, sheet_name)


def of_verdict(judge: Judge, name: str) -> SentRequest:
    """A request for a verdict on the built-in answer under a rubric of units."""
    rubric = verdicts.rubric(name)
    ask = verdicts.request(rubric, _ITEM, [Unit(1, rubric.units, ITEM.answer, 0)])
    return SentRequest(
        judge, rubric, metric_request.part(ask), metric_request.body(judge, ask), 1, ask
    )


_ITEM = ITEM._replace(reference_contexts=tuple(one.text for one in ITEM.contexts))
_MARKS = {True: "✓", False: "✗", None: "–"}


def of_check(report: Report) -> Document:
    """Return the findings of a check: what works, ignored options, and what to change."""
    facts = (
        joined(" ", [_MARKS[one.holds], joined(": ", [one.what, one.sentence])])
        for one in report.findings
    )
    return Document(f"{report.judge} ({report.url or 'no API calls'})", tuple(facts))


def of_canaries(outcome: Tried) -> Document:
    """Return how many canaries passed, each failure, and what has no canary."""
    failures = []
    for one in outcome.canaries:
        if not one["holds"]:
            told = f"it said {one['said'].removesuffix('.')}." if one["said"] else one["why"]
            asked = f"{_MARKS[False]} {one['name']} ({one['under']}):", one["asked"]
            right = f"Expected: {' or '.join(one['right'])};"
            failures.append(joined(" ", [*asked, right, told]))
    n, right = len(outcome.canaries), sum(one["holds"] for one in outcome.canaries)
    spent = "cost unknown" if outcome.cost_usd is None else usd(outcome.cost_usd)
    head = f"{outcome.judge}: no canary applies to its requests."
    if n:
        head = f"{outcome.judge}: {right:,} of {counted(n, 'canary', 'canaries')} right ({spent})."
    return Document(head, tuple(failures), notes=outcome.untried)
