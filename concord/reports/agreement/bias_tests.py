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
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.stats.comparison.bias_tests import (
    Probe,
    halo,
    length_slope,
    leniency,
    preference,
    spread,
)
from concord.stats.core.estimate import Estimate, Reason, reason, undefined
from concord.stats.core.tables import distinct, positions, ranked
from concord.stats.intervals.simultaneous import benjamini_hochberg
from concord.store import items
from concord.store.database import Store
from concord.store.units import units
from concord.text.tokens import tokens

LEVEL = 0.05
NO_PAIRS = reason("nothing_to_compare")
NUMBERS = reason("judge_grades_continuous")

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


def run(panel: Panel, length: np.ndarray) -> list[BiasTest]:
    """Return every bias test of every judge but the baseline.

    `length` has (N,) the lengths from `lengths`.
    """
    grounds = {name: ground(panel, name, EACH) for name in panel.criteria if name != COMPOSITE}
    found = []
    for judge in (one for one in panel.judges.values() if one.name != BASELINE):
        for probe, criterion, item, result in _of_judge(panel, grounds, judge, length):
            effect, p = (undefined(result), None) if isinstance(result, Reason) else result
            item = np.unique(np.asarray(item, int))
            whose = probe, panel.labels[judge.id], criterion, judge.simulated
            found.append(BiasTest(*whose, len(item), distinct(panel.cluster[item]), effect, p))
    tested = [at for at, row in enumerate(found) if row.p is not None]
    adjusted = benjamini_hochberg([found[at].p for at in tested]).tolist()
    for at, p in zip(tested, adjusted, strict=True):
        found[at] = replace(found[at], p_adjusted=p, significant=p < LEVEL)
    return found


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
) -> Iterator[tuple[str, str | None, Sequence[int] | np.ndarray, Probe | Reason]]:
    """Yield each test: probe, criterion, items, and the result or why it is undefined."""
    scale = panel.rubric.scale
    numbers = {name for name in grounds if panel.is_continuous(name, judge.id)}
    for name, on in grounds.items():
        pairs = on.pairs(judge)
        if name in numbers or not len(pairs.item):
            why = NUMBERS if name in numbers else NO_PAIRS
            yield from ((probe, name, (), why) for probe in ("leniency", "spread", "length"))
            continue
        tables = pairs.tables(scale)
        yield "leniency", name, pairs.item, leniency(tables, scale)
        yield "spread", name, pairs.item, spread(tables, scale)
        item, own, annotators = _means(on, judge)
        cluster, weight = panel.cluster[item], panel.weight[item]
        slope = length_slope(own - annotators, length[item], cluster, weight)
        yield "length", name, item, slope
    yield "halo", None, *(((), NUMBERS) if numbers else _halo(panel, [*grounds], judge))
    for name, on in grounds.items():
        found = ((), NUMBERS) if name in numbers else _preference(on, judge)
        yield "self_preference", name, *found


def _means(on: CriterionPanel, judge: Grader) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The items both scored, the judge's scores of them, and the annotators' mean scores."""
    mean, marks = on.annotators.means(), on.panel.of(on.name, judge.id)
    item = np.flatnonzero(~np.isnan(mean) & marks.scored & on.panel.open)
    return item, marks.score[item], mean[item]


def _halo(panel: Panel, names: list[str], judge: Grader) -> tuple[Any, Probe | Reason]:
    """Test over all pairs of criteria, on the answers where judge and an annotator scored all.

    Each annotator's answers count once, and an answer weighs 1.
    """
    if len(names) < 2:
        return (), reason("one_criterion")
    scored = np.all([panel.of(name, judge.id).scored for name in names], axis=0) & panel.open
    parts = {
        person: np.flatnonzero(
            scored & np.all([panel.counted(name, person) for name in names], axis=0)
        )
        for person in panel.annotators
    }
    item = np.concatenate([np.zeros(0, int), *parts.values()])
    if not len(item):
        return (), NO_PAIRS
    scale, size = panel.rubric.scale, len(panel.rubric.scale)
    questions, group = ranked(panel.cluster[item])
    weight = panel.weight[item] / np.bincount(item)[item]
    places = [  # of the scores of each criterion, by the judge and by annotators
        (
            positions(panel.of(name, judge.id).score[item], scale),
            positions(
                np.concatenate([panel.of(name, i).score[part] for i, part in parts.items()]), scale
            ),
        )
        for name in names
    ]

    def joint(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """(G, K, K) joint scores of two criteria."""
        cell = (group * size + first) * size + second
        return np.bincount(cell, weight, questions * size**2).reshape(questions, size, size)

    tables = [[*map(joint, *both)] for both in combinations(places, 2)]
    return item, halo(np.moveaxis(np.array(tables), 2, 0))


def _preference(on: CriterionPanel, judge: Grader) -> tuple[np.ndarray, Probe | Reason]:
    """Test self-preference: own family's answers against all others, relative to other judges."""
    panel, mine = on.panel, _family_of(judge)
    item, own, _ = _means(on, judge)
    known = {model: family(model) or "" for model in ["", *panel.answer_models]}
    families = panel.items["answer_model"].map(known).to_numpy(str)
    rivals = [j for j in panel.judges.values() if _family_of(j) not in (None, mine)]
    for lacks, why in (
        (mine is None, reason("judge_family_unknown")),
        (not panel.answer_models, reason("answering_models_unnamed")),
        (mine not in families, reason("no_answer_of_own_family")),
        (not rivals, reason("no_judge_of_other_family")),
    ):
        if lacks:
            return item, why
    others = np.stack([panel.of(on.name, rival.id).score[item] for rival in rivals])
    both = ~np.isnan(others).all(axis=0) & (families[item] != "")
    item, own, theirs = item[both], own[both], np.nanmean(others[:, both], axis=0)
    is_own = families[item] == mine
    return item, preference(own - theirs, is_own, panel.cluster[item], panel.weight[item])


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
