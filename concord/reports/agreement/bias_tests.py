"""Bias tests of a judge, each with effect and CI. Exploratory.

Every test compares the judge with each annotator, whatever the reference of the report, and the
annotators among themselves where they could share the bias. The p-values of all tests of a report
are adjusted together (Benjamini and Hochberg); below .05 a test is reported as a finding.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from concord.model import BASELINE, Grader
from concord.reports.document import FLAT
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, Reference, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.unit_words import in_units_throughout
from concord.stats.comparison.bias_tests import (
    Probe,
    halo,
    length_slope,
    leniency,
    preference,
    spread,
)
from concord.stats.core.estimate import Estimate, Reason, reason, undefined
from concord.stats.core.tables import positions, ranked, shares
from concord.stats.intervals.simultaneous import benjamini_hochberg
from concord.store import items
from concord.store.database import Store
from concord.store.units import units
from concord.text.tokens import tokens

LEVEL = 0.05
ONE_CRITERION = reason("one_criterion")
NO_PAIRS = reason("nothing_to_compare")
NUMBERS = reason("judge_grades_continuous")
NO_MODEL = reason("judge_family_unknown")
NO_ANSWER_MODELS = reason("answering_models_unnamed")
NOT_ITS_OWN = reason("no_answer_of_own_family")
NO_OTHER_FAMILY = reason("no_judge_of_other_family")

# Model families, each with the prefixes of its models' names after a maker's, such as `openai/`.
_FAMILIES = {
    "GPT": r"gpt|chatgpt|o[1-9](?![0-9])|davinci|text-davinci",
    "Claude": r"claude",
    "Gemini": r"gemini|gemma|palm|bard",
    "Llama": r"llama|meta-llama|vicuna|alpaca",
    "Mistral": r"mistral|mixtral|ministral|magistral|codestral",
    "Qwen": r"qwen|qwq",
    "DeepSeek": r"deepseek",
    "Grok": r"grok",
    "Command": r"command|aya|cohere",
    "Phi": r"phi-?[0-9]",
    "GLM": r"glm|chatglm",
    "Kimi": r"kimi|moonshot",
    "Nova": r"nova-|amazon-nova|titan",
}
_PATTERNS = {family: re.compile(starts) for family, starts in _FAMILIES.items()}


@dataclass(frozen=True)
class BiasTest:
    """One bias test of one judge.

    Attributes:
        probe: `leniency`, `spread`, `length`, `halo` or `self_preference`.
        criterion: The criterion; None where the test is over several.
        effect: Its size.
        p: The p-value; None where there is no test.
        p_adjusted: The same over all tests of the report.
        significant: The adjusted p-value is below .05.
        details: Of leniency, how often each score was given (`by_score`).
    """

    probe: str
    judge: str
    criterion: str | None
    simulated: bool
    n: int
    questions: int
    effect: Estimate = field(metadata=FLAT)
    p: float | None = None
    p_adjusted: float | None = None
    significant: bool | None = None
    details: dict[str, Any] = field(default_factory=dict)


def run(panel: Panel, length: np.ndarray) -> list[BiasTest]:
    """Return every bias test of every judge but the baseline.

    `length` has (N,) the lengths from `lengths`.
    """
    grounds = {name: ground(panel, name, EACH) for name in panel.criteria if name != COMPOSITE}
    judges = [judge for judge in panel.judges.values() if judge.name != BASELINE]
    found = [row for judge in judges for row in _of_judge(panel, grounds, judge, length)]
    tested = [at for at, row in enumerate(found) if row.p is not None]
    adjusted = benjamini_hochberg([found[at].p for at in tested]).tolist()
    for at, p in zip(tested, adjusted, strict=True):
        found[at] = replace(found[at], p_adjusted=p, significant=p < LEVEL)
    return in_units_throughout(panel.rubric, found)


def family(model: str) -> str | None:
    """The family of a model's name; None where it is not known.

    A version, a size or a maker before a slash makes no difference.
    """
    whole = model.strip().lower().rsplit("/", 1)[-1]
    names = (whole, whole.rsplit(".", 1)[-1])
    return next((f for f, starts in _PATTERNS.items() if any(map(starts.match, names))), None)


def _family_of(judge: Grader) -> str | None:
    """The family of the model that a judge asks; of imported grades, of the judge's name."""
    stored = judge.definition.get("judge")
    model = stored.get("model") if isinstance(stored, dict) else None
    return family(model or judge.name)


def _of_judge(
    panel: Panel, grounds: dict[str, CriterionPanel], judge: Grader, length: np.ndarray
) -> Iterator[BiasTest]:
    numbers = {name for name in grounds if panel.is_continuous(name, judge.id)}
    for on in grounds.values():
        if on.name in numbers:
            yield from (_test(panel, one, judge, on.name, (), NUMBERS) for one in _BY_CRITERION)
            continue
        yield from _spread_rows(panel, on, judge)
        yield _length_row(panel, on, judge, length)
    if numbers:
        yield _test(panel, "halo", judge, None, (), NUMBERS)
    else:
        yield _halo_row(panel, grounds, judge)
    for on in grounds.values():
        if on.name not in numbers:
            yield _preference_row(panel, on, judge)


_BY_CRITERION = ("leniency", "spread", "length", "self_preference")


def _spread_rows(panel: Panel, on: CriterionPanel, judge: Grader) -> Iterator[BiasTest]:
    pairs, scale = on.pairs(judge), panel.rubric.scale
    if not len(pairs.item):
        yield _test(panel, "leniency", judge, on.name, (), NO_PAIRS)
        yield _test(panel, "spread", judge, on.name, (), NO_PAIRS)
        return
    tables = pairs.tables(scale)
    details = {"by_score": _by_score(panel, on, pairs.item, tables)}
    lenient = leniency(tables, scale)
    yield _test(panel, "leniency", judge, on.name, pairs.item, lenient, details)
    yield _test(panel, "spread", judge, on.name, pairs.item, spread(tables, scale))


def _by_score(panel: Panel, on: CriterionPanel, item: np.ndarray, tables: np.ndarray) -> list[dict]:
    """Return the frequency of each score, and judge minus annotator where an annotator gave it.

    `annotator_bias` is another annotator minus that one: it falls from the lowest score to the
    highest too, since errors at the ends of a scale are one-sided.
    """
    scale, between = panel.rubric.scale, on.ceiling(panel.mask(item)).pairs
    annotators = between.tables(scale) if len(between.item) else np.zeros((1, *[len(scale)] * 2))
    whole, others = shares(tables.sum(axis=0)), annotators.sum(axis=0)
    return [
        {
            "score": score,
            "annotators": float(whole[place].sum()),
            "judge": float(whole[:, place].sum()),
            "bias": _row_bias(whole[place], scale, score),
            "annotator_bias": _row_bias(others[place], scale, score),
        }
        for place, score in enumerate(scale)
    ]


def _row_bias(row: np.ndarray, scale: tuple[int, ...], score: int) -> float | None:
    return float(row @ np.asarray(scale) / row.sum() - score) if row.sum() > 0 else None


def _length_row(panel: Panel, on: CriterionPanel, judge: Grader, length: np.ndarray) -> BiasTest:
    item, own, annotators = _means(panel, on.annotators, on.name, judge)
    cluster, weight, long = panel.cluster[item], panel.weight[item], length[item]
    if not len(item):
        return _test(panel, "length", judge, on.name, (), NO_PAIRS)
    found = length_slope(own - annotators, long, cluster, weight)
    return _test(panel, "length", judge, on.name, item, found)


def _halo_row(panel: Panel, grounds: dict[str, CriterionPanel], judge: Grader) -> BiasTest:
    """Over all pairs of criteria, on the answers where the judge and an annotator scored all."""
    if len(grounds) < 2:
        return _test(panel, "halo", judge, None, (), ONE_CRITERION)
    names = list(grounds)
    scored = np.all([panel.of(name, judge.id).scored for name in names], axis=0) & panel.open
    item, person = _whole_grades(panel, names, scored)
    if not len(item):
        return _test(panel, "halo", judge, None, (), NO_PAIRS)
    scores = {name: (panel.of(name, judge.id).score, person[name]) for name in names}
    tables = np.stack(
        [_joint(panel, item, scores[a], scores[b]) for a, b in combinations(names, 2)], axis=1
    )
    return _test(panel, "halo", judge, None, item, halo(tables))


def _whole_grades(
    panel: Panel, names: list[str], scored: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The items, once for each annotator who scored every criterion, and their scores."""
    items, parts = [np.zeros(0, int)], {name: [np.zeros(0)] for name in names}
    for person in panel.annotators:
        whole = scored & np.all([panel.counted(name, person) for name in names], axis=0)
        items.append(np.flatnonzero(whole))
        for name in names:
            parts[name].append(panel.of(name, person).score[whole])
    return np.concatenate(items), {name: np.concatenate(each) for name, each in parts.items()}


def _joint(panel: Panel, item: np.ndarray, one: tuple, other: tuple) -> np.ndarray:
    """(G, 2, K, K) joint scores of two criteria, judge's and single annotators', items weighing 1.

    Args:
        panel: The panel.
        item: (b,) items, once per annotator.
        one: The judge's (N,) scores of a criterion, and the annotators' (b,).
        other: The same of the other criterion.
    """
    scale, size = panel.rubric.scale, len(panel.rubric.scale)
    questions, group = ranked(panel.cluster[item])
    weight = panel.weight[item] / np.bincount(item)[item]
    found = []
    for first, second in ((one[0][item], other[0][item]), (one[1], other[1])):
        cell = positions(first, scale) * size + positions(second, scale)
        flat = np.bincount(group * size**2 + cell, weight, questions * size**2)
        found.append(flat.reshape(questions, size, size))
    return np.stack(found, axis=1)


def _preference_row(panel: Panel, on: CriterionPanel, judge: Grader) -> BiasTest:
    """Test self-preference: own family's answers against all others, relative to other judges."""
    item, own, annotators = _means(panel, on.annotators, on.name, judge)
    mine = _family_of(judge)
    known = {model: family(model) or "" for model in ["", *panel.answer_models]}
    families = panel.items["answer_model"].map(known).to_numpy(str)
    rivals = [j for j in panel.judges.values() if _family_of(j) not in (None, mine)]
    why = _why_no_preference(panel, mine, families, rivals)
    if why:
        return _test(panel, "self_preference", judge, on.name, item, why)
    others = np.stack([panel.of(on.name, rival.id).score[item] for rival in rivals])
    both = ~np.isnan(others).all(axis=0) & (families[item] != "")
    item, own, annotators = item[both], own[both], annotators[both]
    theirs = np.nanmean(others[:, both], axis=0)
    is_own = families[item] == mine
    found = preference(own - theirs, is_own, panel.cluster[item], panel.weight[item])
    return _test(panel, "self_preference", judge, on.name, item, found)


def _why_no_preference(
    panel: Panel, mine: str | None, families: np.ndarray, rivals: list[Grader]
) -> str | None:
    if mine is None:
        return NO_MODEL
    if not panel.answer_models:
        return NO_ANSWER_MODELS
    if mine not in families:
        return NOT_ITS_OWN
    return None if rivals else NO_OTHER_FAMILY


def _means(
    panel: Panel, annotators: Reference, criterion: str, judge: Grader
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The items both scored, the judge's scores of them, and the annotators' mean scores."""
    mean, marks = annotators.means(), panel.of(criterion, judge.id)
    item = np.flatnonzero(~np.isnan(mean) & marks.scored & panel.open)
    return item, marks.score[item], mean[item]


def _test(
    panel: Panel,
    probe: str,
    judge: Grader,
    criterion: str | None,
    item: Sequence[int] | np.ndarray,
    found: Probe | Reason,
    details: dict[str, Any] | None = None,
) -> BiasTest:
    """A test on some items; `found` is its result, or why it is undefined."""
    result = Probe(undefined(found)) if isinstance(found, Reason) else found
    return BiasTest(
        probe=probe,
        judge=panel.labels[judge.id],
        criterion=criterion,
        simulated=judge.simulated,
        n=len(np.unique(item)),
        questions=len(np.unique(panel.cluster[np.asarray(item, int)])),
        effect=result.effect,
        p=result.p,
        details=details or {},
    )


# The title of each test, and the unit of its effect.
TESTS = {
    "leniency": ("leniency", "points"),
    "spread": ("central tendency", "times an annotator's"),
    "length": ("length", "points per doubling"),
    "halo": ("halo", "correlation"),
    "self_preference": ("self-preference", "points"),
}


def lengths(store: Store, panel: Panel) -> np.ndarray:
    """Return (N,) the words of each answer or unit; in scripts without spaces, its characters."""
    kind = panel.rubric.units
    texts = (
        units.texts(store, panel.sheet.id, kind) if kind else items.answers(store, panel.sheet.id)
    )
    return np.array([len(tokens(text)) for text in texts], float)
