"""Cascade: accept a cheap judge where it is confident; a dearer judge or annotators get the rest.

Replayed over grades that are stored already, at no cost. The threshold of confidence is set on half
of the questions and certified on the other half, so the guarantee is honest: of the answers on
which the cheap judge is accepted, at most a given share differs from an annotator's score.

Confidence is the probability that the judge gave its score (native, stated, of log-probabilities,
imported); whether a second judge gives the same score; or the share of its repeats with its most
frequent one.
"""

import math
from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from concord.messages import Problem, counted, joined, on_command_line, said
from concord.model import BASELINE
from concord.reports.agreement.judge_probabilities import REPEATS, Probabilities
from concord.reports.cells import percent, rounded_up, written
from concord.reports.decision.cost import Cost
from concord.reports.decision.verdict import Row
from concord.reports.document import Column, Document, table_of
from concord.reports.panel.choice import MET, NOT_MET
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import Panel
from concord.reports.panel.wording import named
from concord.reports.reliability.reliability import repeated
from concord.stats.core.estimate import Estimate, undefined
from concord.stats.core.pairs import judge_pairs
from concord.stats.core.tables import distinct, positions
from concord.stats.correction.selective_prediction import certify, halves
from concord.stats.intervals.resampling import SEED
from concord.stats.intervals.wilson import proportion
from concord.stats.probabilities.calibration import risk_coverage
from concord.stats.statistics import BY_KEY, figures

TWO_JUDGES, ANNOTATORS = "two_judges", "annotators"
REPLAYED = ("cascade", "expensive", "cheap")
# From what is known of them: a pre-registered comparison found native probabilities best, then
# stated ones, log-probabilities mixed, and the votes of repeats the worst.
TRUST = ("native", "stated", "logprobs", "imported", TWO_JUDGES, REPEATS)
EXACT, WITHIN_ONE = "exact", "within_one"
CERTIFIED, NOTHING, SIMULATED = "certified", "nothing", "simulated"
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


class Confidence(NamedTuple):
    """Scores and confidences of a source; NaN where an item has too few replies.

    Attributes:
        score: (N,) the accepted score.
        share: (N,) the confidence, 0 to 1.
    """

    score: np.ndarray
    share: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """(N,) True where there is a confidence."""
        return ~np.isnan(self.share)


def sources(panel: Panel, given: Probabilities, criterion: str) -> list[Source]:
    """Return every source on a criterion, the most trusted first.

    `given` are the probabilities of the panel's judges (`judge_probabilities.read`).
    """
    real = [i for i, judge in panel.judges.items() if judge.name != BASELINE]
    found = [
        Source(i, None, asks, REPEATS) for i in real if (asks := _asks(panel, i, criterion)) > 1
    ]
    for judge in real:
        own = given.get((criterion, judge))
        kinds = own.source.split(", ") if own else [REPEATS]
        one = Source(judge, None, 1, max(kinds, key=TRUST.index))
        if one.kind != REPEATS and confidence(panel, given, criterion, one).known.any():
            found.append(one)
    for one, other in combinations(real, 2):
        both = panel.of(criterion, one).scored & panel.of(criterion, other).scored & panel.open
        if both.any():
            found.append(Source(one, other, 1, TWO_JUDGES))
    return sorted(found, key=lambda source: TRUST.index(source.kind))


def confidence(panel: Panel, given: Probabilities, criterion: str, source: Source) -> Confidence:
    """Return the confidence of a source on each open item; `given` as for `sources`."""
    if source.kind == REPEATS:
        return _by_repeats(panel, criterion, source)
    one = panel.of(criterion, source.judge)
    if source.second is None:
        return _by_probability(panel, criterion, source, given)
    other = panel.of(criterion, source.second)
    both = one.scored & other.scored & panel.open
    same = (one.score == other.score).astype(float)
    return Confidence(np.where(both, one.score, np.nan), np.where(both, same, np.nan))


def choose_source(
    panel: Panel,
    given: Probabilities,
    criterion: str,
    cheap: str | None = None,
    second: str | None = None,
    kind: str | None = None,
    to: str | None = None,
) -> Source:
    """Return the most trusted source of the judges with these labels.

    Args:
        panel: Of the sheet.
        given: As for `sources`.
        criterion: Of the rubric.
        cheap: The judge that is accepted.
        second: A judge that it is compared with.
        kind: One of `TRUST`; any where None.
        to: Who gets the rest; a judge asked for that is no second judge unless `second` says so.

    Raises:
        Problem: No source is available.
    """
    every = sources(panel, given, criterion)
    if not every:
        raise Problem(" ".join(filter(None, (MISSING, panel.continuous_note()))))
    ids = {label: i for i, label in panel.labels.items()}
    for label in filter(None, (cheap, second)):
        _check_named(label, ids)
    wanted = {ids[label] for label in (cheap, second) if label}
    busy = {ids[to]} - wanted if to in ids else set()
    fits = [
        one
        for one in every
        if wanted <= {one.judge, one.second}
        and ((one.second and cheap != second) or not second)
        and kind in (None, one.kind)
        and not busy & {one.judge, one.second}
    ]
    if not fits:
        raise Problem(
            "These judges have no such confidence. Name two judges, or one of: {known}.",
            known=joined(", ", dict.fromkeys(one.kind for one in every)),
        )
    found = fits[0]
    turned = found.second is not None and cheap and found.judge != ids[cheap]
    return found._replace(judge=found.second, second=found.judge) if turned else found


def cheaper_first(source: Source, costs: Mapping[int, Cost]) -> Source:
    """The same source with the cheaper of two judges believed, as far as prices are known."""
    if source.second is None:
        return source
    prices = [costs[i].per_1000 if i in costs else None for i in (source.judge, source.second)]
    turned = None not in prices and prices[1] < prices[0]
    return source._replace(judge=source.second, second=source.judge) if turned else source


def _asks(panel: Panel, judge: int, criterion: str) -> int:
    """Return a judge's number of replies to most of the answers with repeats."""
    times = np.bincount(repeated(panel, judge, criterion)[0])
    times = times[times > 1]
    return int(np.bincount(times).argmax()) if len(times) else 0


def _by_probability(
    panel: Panel, criterion: str, source: Source, given: Probabilities
) -> Confidence:
    """The judge's score and its probability: as stated, else as a share of those of the scale."""
    marks, shares = panel.of(criterion, source.judge), given[criterion, source.judge].shares
    items = np.flatnonzero(marks.scored & panel.open)
    own = shares[items, positions(marks.score[items], panel.rubric.scale)]
    total = shares[items].sum(axis=1)  # NaN where only the probability of its score is stated
    found = np.full(len(marks.score), np.nan)
    found[items] = np.where(np.isnan(total), own, own / np.where(total > 0, total, np.nan))
    found = np.round(found, _DECIMALS)
    return Confidence(np.where(np.isnan(found), np.nan, marks.score), found)


def _by_repeats(panel: Panel, criterion: str, source: Source) -> Confidence:
    """The commonest of the first `asks` scores and its share; of several the one given first."""
    item, score = repeated(panel, source.judge, criterion)
    order = np.argsort(item, kind="stable")
    item, score = item[order], score[order]
    count, asks = len(panel.items), source.asks
    times = np.bincount(item, minlength=count)
    rank = np.arange(len(item)) - (np.cumsum(times) - times)[item]
    item, score = item[rank < asks], score[rank < asks]
    scale = np.asarray(panel.rubric.scale)
    given = np.zeros((count, len(scale)))
    np.add.at(given, (item, positions(score, panel.rubric.scale)), 1.0)
    first = np.full(count, np.nan)
    first[item[::-1]] = score[::-1]
    given += 0.5 * (scale[None, :] == first[:, None])  # breaks ties
    enough = times >= asks
    top = given.argmax(axis=1)
    share = np.floor(given.max(axis=1)) / asks
    return Confidence(np.where(enough, scale[top], np.nan), np.where(enough, share, np.nan))


def report(
    panel: Panel,
    given: Probabilities,
    source: Source,
    to: int | None,
    costs: Mapping[int, Cost],
    criterion: str,
    at_most: float = 0.2,
    certainty: float = 0.95,
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
        certainty: The confidence of the bound, in (0, 1).
        agreement: `exact` or `within_one`: an error is an accepted score that differs (or differs
            by two or more) from that of one annotator, sampled among those who graded the answer.

    Returns:
        These terms, and by key:
        seed: Of the split into questions that set the threshold and that test it.
        unit: `question`, or `document` where several questions share one: one answer of each
            enters the bound.
        source, cheap, second, asks: As of `Source`, with labels.
        to: Who gets the rest: a label, or `annotators`.
        simulated: The names of the graders that are.
        test: The evidence (`selective_prediction.Certified`); its fields are keys of the JSON.
        everywhere: The threshold accepts every answer with a confidence.
        verdict: `certified`, `nothing`, or `simulated`, since nothing simulated is certified.
        coverage: Share of the `answers` with a confidence that would be accepted.
        most: Answers with a confidence to the question that has most of them.
        replay: None without an expensive judge.
        cost: What the cascade saves.
        aurc: Area under the risk-coverage curve of the answers to questions that set no threshold.
        ceiling: Agreement of annotators with one another on the answers of the test.
        why_none: Why nothing could be tried.

    Raises:
        Problem: A limit is no share.
    """
    if not (0 < at_most < 1 and 0 < certainty < 1):
        raise Problem(
            "Error rate and confidence level of a cascade lie between 0 and 1, as 0.2 and 0.95."
        )
    on, sure = ground(panel, criterion, EACH), confidence(panel, given, criterion, source)
    item, wrong = _errors(on, sure, int(agreement == WITHIN_ONE))
    why = None if len(item) else "no annotator graded an answer that has a confidence"
    if panel.reweighted:
        why = "the exact bound does not allow answers sampled with unequal probabilities"
    # 1 - 0.95 is 0.050000000000000044, which would need one more error-free answer.
    delta = round(1 - certainty, 9)
    answers = np.bincount(panel.cluster[sure.known], minlength=len(panel.cluster))
    found = certify(sure.share[item], wrong, panel.cluster[item], at_most, delta, answers)
    setting = panel.cluster[item[halves(panel.cluster[item], answers)[0]]] if len(item) else []
    held_out = ~np.isin(panel.cluster, setting)
    if why:  # the counts are true, the thresholds are not
        found = found._replace(threshold=None, tried=None)
    level = found.tried.confidence if found.tried else None
    known, cluster = sure.share[sure.known], panel.cluster[sure.known]
    own_clusters = len(np.unique(panel.cluster)) == len(np.unique(panel.question))
    judges = [panel.judges[i] for i in (source.judge, source.second, to) if i]
    simulated = [one.name for one in (*judges, *panel.annotators.values()) if one.simulated]
    coverage = undefined("no threshold could be tried")
    if level is not None:
        coverage = proportion(
            np.bincount(cluster, known >= level), np.bincount(cluster).astype(float)
        )
    return Row(
        criterion=criterion,
        at_most=at_most,
        certainty=certainty,
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
        everywhere=level is not None and level <= known.min(),
        verdict=NOTHING if found.threshold is None else SIMULATED if simulated else CERTIFIED,
        coverage=coverage,
        answers=len(known),
        most=int(answers.max(initial=0)),
        replay=None if to is None or level is None else _replayed(panel, on, sure, level, to),
        cost=_saving(known, level, source, to, costs),
        aurc=_aurc(on, sure, int(agreement == WITHIN_ONE), held_out),
        ceiling=on.ceiling(panel.mask(item)).figures[agreement],
        why_none=why,
    )


def dearer(panel: Panel, source: Source, named: str) -> int | None:
    """Return the judge that gets the rest, by label, or None for annotators.

    Raises:
        Problem: No judge of this label can get the rest.
    """
    if named == ANNOTATORS:
        return None
    fits = {panel.labels[i]: i for i in panel.judges if i not in (source.judge, source.second)}
    _check_named(named, [ANNOTATORS, *fits])
    return fits[named]


def _check_named(label: str, known: Collection[str]) -> None:
    if label not in known:
        raise Problem(
            "“{label}” cannot be chosen here. Name one of: {known}.",
            label=label,
            known=joined(", ", known),
        )


def _errors(on: CriterionPanel, sure: Confidence, tolerance: int) -> tuple[np.ndarray, np.ndarray]:
    """Items with the score of one annotator at random, and whether the accepted one is in error."""
    item, score = on.annotators.item, on.annotators.score
    order = np.random.default_rng([SEED, len(item)]).permutation(len(item))
    items, first = np.unique(item[order], return_index=True)
    person = score[order][first]
    known = sure.known[items]
    items, person = items[known], person[known]
    apart = np.abs(sure.score[items] - person)
    return items, apart > tolerance


def _aurc(on: CriterionPanel, sure: Confidence, tolerance: int, held_out: np.ndarray) -> Estimate:
    """AURC; an answer that several annotators graded is in error to the share it differs from."""
    rows = (sure.known & held_out)[on.annotators.item]
    item, score = on.annotators.item[rows], on.annotators.score[rows]
    items, place, times = np.unique(item, return_inverse=True, return_counts=True)
    wrong = np.bincount(place, np.abs(sure.score[item] - score) > tolerance) / times
    weight, cluster = on.panel.weight[items], on.panel.cluster[items]
    return risk_coverage(sure.share[items], wrong, weight, cluster).area


def _replayed(
    panel: Panel, on: CriterionPanel, sure: Confidence, level: float, to: int
) -> dict[str, Any]:
    """Return the agreement of cascade, cheap and expensive judge.

    `cascade`, `cheap` and `expensive`, each with `exact` and `failure_recall`, on the same `n`.
    """
    expensive, annotators = panel.of(on.name, to), on.annotators
    items = np.flatnonzero(sure.known & expensive.scored & panel.open)
    cascade = np.where(sure.share >= level, sure.score, expensive.score)
    names, found = ("exact", "failure_recall"), {}
    for name, score in zip(REPLAYED, (cascade, expensive.score, sure.score), strict=True):
        pairs = judge_pairs(items, score[items], annotators.item, annotators.score, panel.cluster)
        every = figures(pairs, panel.rubric.scale, panel.rubric.failing(on.criterion), names=names)
        found |= {name: every, "n": distinct(pairs.item)}
    return found


def _saving(
    share: np.ndarray,
    level: float | None,
    source: Source,
    to: int | None,
    costs: Mapping[int, Cost],
) -> dict[str, Any]:
    """Return the USD per 1,000 answers of cascade and expensive judge, and what is `saved`.

    All None where one is unknown, with `why_none`. `share` are the known confidences.
    """
    price = {i: costs[i].per_1000 if i in costs else None for i in (*source[:2], to) if i}
    why = "the price of one of the judges is unknown" if None in price.values() else None
    if to is None or level is None:
        why = "annotators have no price" if to is None else "no threshold"
    if why:
        return dict.fromkeys(("cascade", "expensive", "saved")) | {"why_none": why}
    cheap = source.asks * price[source.judge] + price.get(source.second, 0.0)
    rest, expensive = float((share < level).mean()), price[to]
    return {
        "cascade": cheap + rest * expensive,
        "expensive": expensive,
        "saved": (1 - rest) * expensive - cheap,
        "why_none": None,
    }


MISSING = said(
    "No judge gave a probability with its scores or graded an answer more than once. Run a judge "
    "that gives probabilities, or one three times, under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge NAME --repeat 3`"),
)
_PROBABILITY = {
    "native": "native probability",
    "stated": "stated confidence",
    "logprobs": "log-probability",
    "imported": "imported probability",
}
_FOUND = {
    CERTIFIED: "Certified",
    SIMULATED: "Simulated data, so not certified",
    NOTHING: "Not certified",
}


def document(found: Row) -> Document:
    """Return what is shown of a cascade."""
    tried, units = found.tried, f"{found.unit}s"
    provenance = (
        f"Threshold: {found.setting} {units}; test: {found.certifying}, one answer of each. "
        f"Seed {found.seed}."
    )
    if not tried:
        why = found.why_none or f"annotators graded too few {units}"
        return Document(f"Not certified: {why}.", provenance=provenance)
    cheap, second, to = (
        name and named(name, name in found.simulated)
        for name in (found.cheap, found.second, found.to)
    )
    least = f"{100 * tried.confidence:.9g}%"
    if found.source == REPEATS:
        least = f"{math.ceil(tried.confidence * found.asks - 1e-9)} of {found.asks} repeats"
    where = f"{source(found.source, cheap, second, found.asks)}, at least {least}"
    if found.everywhere or second:
        where = f"{cheap} on every answer" if found.everywhere else f"{cheap} where {second} agrees"
    headline = (
        f"{_FOUND[found.verdict]}: accepting {where}. At most {rounded_up(tried.upper)} of these "
        f"scores are in error ({percent(found.certainty)}% confidence); the limit is "
        f"{100 * found.at_most:g}%."
    )
    off = " by two or more" if found.agreement == WITHIN_ONE else ""
    facts = [
        f"Coverage: {written(found.coverage, 'share')} of {counted(found.answers, 'answer')}; the "
        f"others go to {to}. An error differs from an annotator's score{off}."
    ]
    between = found.ceiling.value
    if between is not None and 1 - between > found.at_most:
        facts.append(f"Annotators themselves differ on {percent(1 - between)}% of these answers.")
    test = (
        (Column(f"test {units}", "count"), "tried.questions"),
        (Column("errors", "count"), "tried.errors"),
        (Column("error rate at most", "bound"), "tried.upper"),
        (Column("limit", "share"), "at_most"),
        ("result", lambda one: MET if one.tried.passes else NOT_MET),
        (Column("needed at these errors", "count"), lambda one: one.more or "over 100,000"),
        (Column("needed without errors", "count"), "needed"),
        (Column("AURC", "value", "risk-coverage curve"), "aurc"),
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
    notes = (
        f"The bound is for one choice of judges and limits, made beforehand, and {units} of at "
        f"most {counted(found.most, 'answer')}.",
    )
    return Document(headline, tuple(facts), tables, notes, provenance)


def source(kind: str, judge: str, second: str | None, asks: int) -> str:
    """Return a source of confidence as text, of the names of its judges."""
    if kind == TWO_JUDGES:
        return f"{judge} where {second} agrees"
    return f"{judge}, asked {asks} times" if kind == REPEATS else f"{judge}: {_PROBABILITY[kind]}"
