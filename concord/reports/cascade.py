"""Cascade: accept a cheap judge where it is confident; a dearer judge or annotators get the rest.

Replayed over grades that are stored already, at no cost. The threshold of confidence is set on half
of the questions and certified on the other half, so the guarantee is honest: of the answers on
which the cheap judge is accepted, at most a given share differs from an annotator's score.

Confidence is the probability that the judge gave its score (native, stated, of log-probabilities,
imported); whether a second judge gives the same score; or the share of its repeats with that score.
"""

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from concord.messages import Problem, counted, joined, on_command_line, said
from concord.model import BASELINE
from concord.reports.agreement.judge_probabilities import REPEATS, SOURCES, Probabilities
from concord.reports.cells import percent, rounded_up, written
from concord.reports.decision.cost import Cost
from concord.reports.decision.verdict import Row
from concord.reports.document import Column, Document, table_of
from concord.reports.panel.choice import MET, NOT_MET
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.wording import named
from concord.stats.core.estimate import undefined
from concord.stats.core.pairs import judge_pairs
from concord.stats.core.tables import distinct, positions
from concord.stats.correction.selective_prediction import certify
from concord.stats.intervals.resampling import SEED
from concord.stats.intervals.wilson import proportion
from concord.stats.statistics import BY_KEY, figures

TWO_JUDGES, ANNOTATORS = "two_judges", "annotators"
REPLAYED = ("cascade", "expensive", "cheap")
# From what is known of them: a pre-registered comparison found native probabilities best, then
# stated ones, log-probabilities mixed, and the votes of repeats the worst.
TRUST = ("native", "stated", "logprobs", "imported", TWO_JUDGES, REPEATS)
EXACT, WITHIN_ONE = "exact", "within_one"
CERTIFIED, NOTHING, SIMULATED = "certified", "nothing", "simulated"
CERTAINTY = 0.95
_DECIMALS = 9
RECALL = BY_KEY["failure_recall"].title


class Source(NamedTuple):
    """A source of confidence.

    Attributes:
        judge: The id of the judge whose scores are accepted.
        second: The id of the judge it is compared with; None for all but `two_judges`.
        asks: Number of replies of `judge` to an answer; 1 for all but `repeats`.
        kind: One of `TRUST`; of a judge with probabilities of several kinds, the last.
    """

    judge: int
    second: int | None
    asks: int
    kind: str


def sources(
    panel: Panel, given: Probabilities, criterion: str, costs: Mapping[int, Cost]
) -> list[Source]:
    """Return every source on a criterion, the most trusted first; of two judges accept the cheaper.

    `given` are the probabilities of the panel's judges (`judge_probabilities.read`).
    """
    real = [i for i, judge in panel.judges.items() if judge.name != BASELINE]
    repeats = panel.repeats[panel.repeats["criterion"] == criterion]
    found = []
    for judge in real:
        if own := given.get((criterion, judge)):
            kind, asks = max(own.source.split(", "), key=TRUST.index), 1
            if kind == REPEATS:
                mine = repeats[repeats["grader_id"] == judge]
                asks += int(mine.groupby("item").size().mode()[0])
            found.append(Source(judge, None, asks, kind))
    prices = {i: costs[i].per_1000 if i in costs else None for i in real}
    for pair in combinations(real, 2):
        if not any(prices[i] is None for i in pair):
            pair = sorted(pair, key=prices.get)
        found.append(Source(*pair, 1, TWO_JUDGES))
    known = (one for one in found if not np.isnan(confidence(panel, given, criterion, one)).all())
    return sorted(known, key=lambda source: TRUST.index(source.kind))


def confidence(panel: Panel, given: Probabilities, criterion: str, source: Source) -> np.ndarray:
    """Return (N,) the confidence of a source in its score of each open item, else NaN.

    It is the judge's probability of its score: as stated, else as a share of those of the scale.
    """
    marks = panel.of(criterion, source.judge)
    items = np.flatnonzero(marks.scored & panel.open)
    found = np.full(len(marks.score), np.nan)
    if source.second is not None:
        other = panel.of(criterion, source.second)
        items = items[other.scored[items]]
        found[items] = marks.score[items] == other.score[items]
        return found
    shares = given[criterion, source.judge].shares[items]
    own = shares[np.arange(len(items)), positions(marks.score[items], panel.rubric.scale)]
    total = shares.sum(axis=1)  # NaN where only the probability of its score is stated
    found[items] = np.where(np.isnan(total), own, own / np.where(total > 0, total, np.nan))
    return np.round(found, _DECIMALS)


def choose_source(
    panel: Panel,
    every: list[Source],
    cheap: int | None = None,
    second: int | None = None,
    kind: str | None = None,
    to: int | None = None,
) -> Source:
    """Return the most trusted of all sources for these judges.

    Args:
        panel: Of the sheet.
        every: From `sources`.
        cheap: The judge that is accepted.
        second: A judge that it is compared with.
        kind: One of `TRUST`; any where None.
        to: Who gets the rest, which is no second judge.

    Raises:
        Problem: No source is available.
    """
    if not every:
        raise Problem(" ".join(filter(None, (MISSING, panel.continuous_note()))))
    wanted = {cheap, second} - {None}
    for one in every:
        judges = {one.judge, one.second} - {None}
        of_two = len(judges) > 1 and cheap != second
        fits = wanted <= judges and to not in judges and kind in (None, one.kind)
        if fits and (of_two or second is None):
            turned = of_two and cheap == one.second
            return one._replace(judge=one.second, second=one.judge) if turned else one
    raise Problem(
        "These judges have no such confidence. Name two judges, or one of: {known}.",
        known=joined(", ", dict.fromkeys(one.kind for one in every)),
    )


def report(
    panel: Panel,
    given: Probabilities,
    source: Source,
    to: int | None,
    costs: Mapping[int, Cost],
    criterion: str,
    at_most: float = 0.2,
    agreement: str = EXACT,
) -> Row:
    """Replay the cascade from one source of confidence to a judge (or to annotators, None).

    Args:
        panel: Of the sheet.
        given: The probabilities of its judges (`judge_probabilities.read`).
        source: The source.
        to: Who gets the rest.
        costs: By judge.
        criterion: Of the rubric.
        at_most: The highest error rate among accepted answers, in (0, 1).
        agreement: `exact` or `within_one`: an error is an accepted score that differs (or differs
            by two or more) from that of one annotator, sampled among those who graded the answer.

    Returns:
        These terms, and by key:
        certainty: The confidence of the bound.
        seed: Of the split into questions that set the threshold and that test it.
        unit: `question`, or `document` where several questions share one: one answer of each
            enters the bound.
        source, cheap, second, asks: As of `Source`, with labels.
        to: Who gets the rest: a label, or `annotators`.
        simulated: The names of the graders that are.
        test: The evidence (`selective_prediction.Certified`); its fields are keys of the JSON.
        verdict: `certified`, `nothing`, or `simulated`, since nothing simulated is certified.
        coverage: Share of the `answers` with a confidence that would be accepted.
        most: Answers with a confidence to the question that has most of them.
        replay: None without an expensive judge.
        cost: What the cascade saves.
        why_none: Why nothing could be tried.

    Raises:
        Problem: The error rate is no share.
    """
    if not 0 < at_most < 1:
        raise Problem("The error rate of a cascade lies between 0 and 1, as 0.2.")
    on, sure = ground(panel, criterion, EACH), confidence(panel, given, criterion, source)
    score, there = panel.of(criterion, source.judge).score, ~np.isnan(sure)
    item, person = _one_annotator(on)
    item, person = item[there[item]], person[there[item]]
    wrong = np.abs(score[item] - person) > (agreement == WITHIN_ONE)
    why = None if len(item) else "no annotator graded an answer that has a confidence"
    if panel.reweighted:
        why = "the exact bound does not allow answers sampled with unequal probabilities"
    # 1 - 0.95 is 0.050000000000000044, which would need one more error-free answer.
    delta = round(1 - CERTAINTY, 9)
    answers = np.bincount(panel.cluster[there], minlength=len(panel.cluster))
    found = certify(sure[item], wrong, panel.cluster[item], at_most, delta, answers)
    if why:  # the counts are true, the thresholds are not
        found = found._replace(threshold=None, tried=None)
    own_clusters = len(np.unique(panel.cluster)) == len(np.unique(panel.question))
    judges = [panel.judges[i] for i in (source.judge, source.second, to) if i]
    simulated = [one.name for one in (*judges, *panel.annotators.values()) if one.simulated]
    coverage, replay, rest = undefined("no threshold could be tried"), None, None
    if found.tried:
        level, cluster = found.tried.confidence, panel.cluster[there]
        accepted = sure[there] >= level
        coverage = proportion(np.bincount(cluster, accepted), np.bincount(cluster).astype(float))
        if to is not None:
            replay = _replayed(on, there, np.where(sure >= level, score, np.nan), score, to)
        rest = float((~accepted).mean())
    return Row(
        criterion=criterion,
        at_most=at_most,
        certainty=CERTAINTY,
        agreement=agreement,
        seed=SEED,
        unit="question" if own_clusters else "document",
        source=source.kind,
        cheap=panel.labels[source.judge],
        second=panel.labels[source.second] if source.second else None,
        asks=source.asks,
        to=panel.labels[to] if to else ANNOTATORS,
        simulated=simulated,
        **found._asdict(),
        verdict=NOTHING if found.threshold is None else SIMULATED if simulated else CERTIFIED,
        coverage=coverage,
        answers=int(there.sum()),
        most=int(answers.max(initial=0)),
        replay=replay,
        cost=_saving(rest, source, to, costs),
        why_none=why,
    )


def _saving(
    rest: float | None, source: Source, to: int | None, costs: Mapping[int, Cost]
) -> dict[str, Any]:
    """Return the USD per 1,000 answers of cascade and expensive judge, and what is `saved`.

    All None where one is unknown, with `why_none`. `rest` is the share that is not accepted.
    """
    price = {i: costs[i].per_1000 if i in costs else None for i in (*source[:2], to) if i}
    why = "the price of one of the judges is unknown" if None in price.values() else None
    if to is None or rest is None:
        why = "annotators have no price" if to is None else "no threshold"
    if why:
        return dict.fromkeys(("cascade", "expensive", "saved")) | {"why_none": why}
    cheap, dear = source.asks * price[source.judge] + price.get(source.second, 0.0), price[to]
    whole = {"cascade": cheap + rest * dear, "expensive": dear, "saved": (1 - rest) * dear - cheap}
    return whole | {"why_none": None}


def _one_annotator(on: CriterionPanel) -> tuple[np.ndarray, np.ndarray]:
    """Graded items, each with the score of one annotator at random."""
    item, score = on.annotators.item, on.annotators.score
    order = np.random.default_rng([SEED, len(item)]).permutation(len(item))
    items, first = np.unique(item[order], return_index=True)
    return items, score[order][first]


def _replayed(
    on: CriterionPanel, there: np.ndarray, accepted: np.ndarray, cheap: np.ndarray, to: int
) -> dict[str, Any]:
    """Return the agreement of cascade, cheap and expensive judge.

    `cascade`, `cheap` and `expensive`, each with `exact` and `failure_recall`, on the same `n`.
    """
    panel, annotators, expensive = on.panel, on.annotators, on.panel.of(on.name, to)
    items = np.flatnonzero(there & expensive.scored & panel.open)
    cascade = np.where(np.isnan(accepted), expensive.score, accepted)
    names, found = ("exact", "failure_recall"), {}
    for name, score in zip(REPLAYED, (cascade, expensive.score, cheap), strict=True):
        pairs = judge_pairs(items, score[items], annotators.item, annotators.score, panel.cluster)
        every = figures(pairs, panel.rubric.scale, panel.rubric.failing(on.criterion), names=names)
        found |= {name: every, "n": distinct(pairs.item)}
    return found


MISSING = said(
    "No judge gave a probability with its scores or graded an answer more than once. Run a judge "
    "that gives probabilities, or one three times, under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge NAME --repeat 3`"),
)
_FOUND = {
    CERTIFIED: "Certified",
    SIMULATED: "Simulated data, so not certified",
    NOTHING: "Not certified",
}


def document(found: Row) -> Document:
    """Return what is shown of a cascade."""
    tried, units = found.tried, f"{found.unit}s"
    provenance = said("{setting} {units} set the threshold; seed {seed}.", units=units, **found)
    if not tried:
        why = found.why_none or "annotators graded too few answers"
        return Document(said("Not certified: {why}.", why=why), provenance=provenance)
    cheap, second, to = (
        name and named(name, name in found.simulated)
        for name in (found.cheap, found.second, found.to)
    )
    where = source(found.source, cheap, second, found.asks)
    if found.source == REPEATS:
        least = math.ceil(tried.confidence * found.asks - 1e-9)
        where = f"{where} (≥ {least} of {found.asks})"
    elif not second:
        where = f"{where} (≥ {100 * tried.confidence:.9g}%)"
    headline = said(
        "{verdict}: accepting {where}. At most {upper} of these scores are in error "
        "({certainty}% confidence); the limit is {limit:g}%.",
        verdict=_FOUND[found.verdict],
        where=where,
        upper=rounded_up(tried.upper),
        certainty=percent(found.certainty),
        limit=100 * found.at_most,
    )
    fact = said(
        "Coverage: {coverage} of {answers}; the others go to {to}. An error differs from an "
        "annotator's score{off}.",
        coverage=written(found.coverage, "share"),
        answers=counted(found.answers, "answer"),
        to=to,
        off=" by two or more" if found.agreement == WITHIN_ONE else "",
    )
    test = (
        (Column(f"test {units}", "count"), "tried.questions"),
        (Column("errors", "count"), "tried.errors"),
        (Column("error rate at most", "bound"), "tried.upper"),
        (Column("limit", "share"), "at_most"),
        ("result", lambda one: MET if one.tried.passes else NOT_MET),
        (Column("needed at these errors", "count"), lambda one: one.more or "over 100,000"),
        (Column("needed without errors", "count"), "needed"),
    )
    replay, paid = found.replay or {"n": 0}, found.cost
    rows = zip(REPLAYED, ("cascade", f"{to} alone", f"{cheap} alone"), strict=True)
    replayed = (
        ("same answers", lambda row: row[1]),
        (Column("answers", "count"), lambda _: replay["n"]),
        (Column("exact agreement", "share"), lambda row: replay[row[0]]["exact"]),
        (Column(RECALL, "share"), lambda row: replay[row[0]]["failure_recall"]),
        (Column("USD per 1,000", "usd"), lambda row: paid.get(row[0])),
    )
    tables = (
        table_of("test", [found], test),
        table_of("replay", rows if replay["n"] else (), replayed),
    )
    note = said(
        "The bound is for one choice of judges and limits, made beforehand, and {units} of at most "
        "{most}.",
        units=units,
        most=counted(found.most, "answer"),
    )
    return Document(headline, (fact,), tables, (note,), provenance)


def source(kind: str, judge: str, second: str | None, asks: int) -> str:
    """Return a source of confidence as text, of the names of its judges."""
    if kind == TWO_JUDGES:
        return f"{judge} where {second} agrees"
    return f"{judge}, asked {asks} times" if kind == REPEATS else f"{judge}: {SOURCES[kind]}"
