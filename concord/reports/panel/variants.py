"""Variants: judges with any prompt, rubric and scale, compared with the same annotators.

A variant is one judge under one rubric. Scores of different scales are never averaged: they are
mapped to [0, 1] by (score - lowest) / (highest - lowest), annotators' as well, and compared there.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.messages import Problem, Said, joined, on_command_line, said
from concord.model import BASELINE, Grader, Sheet
from concord.reports.panel.panel import COMPOSITE, Marks, Panel
from concord.reports.panel.panel import read as read_panel
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

UNIT = (0, 1)
HOW = {"zero_shot": "zero-shot", "few_shot": "few-shot", "own": "own prompt"}


class Variant(NamedTuple):
    """One judge under one rubric.

    Attributes:
        label: What it is called: the name, with what tells it from a namesake.
        panel: The grades under its own rubric.
        asked: Its definition; None where only its grades are known, and where it asks nothing.
    """

    label: str
    judge: Grader
    panel: Panel
    asked: Judge | None

    @property
    def rubric(self) -> Rubric:
        """The rubric of the variant."""
        return self.panel.rubric

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria it has grades of."""
        names = (criterion.name for criterion in self.rubric.criteria)
        return tuple(name for name in names if (name, self.judge.id) in self.panel.marks)

    @property
    def floor(self) -> bool:
        """True for the baseline of text features."""
        return self.judge.name == BASELINE

    @property
    def prompt(self) -> str | None:
        """The kind of prompt; None where the definition is not stored."""
        recipe = self.asked and self.asked.recipe()
        return HOW.get(recipe, recipe)

    @property
    def examples(self) -> str | None:
        """Source of few-shot examples; None where the definition is not stored."""
        if self.asked is None:
            return None
        plan = self.asked.example_plan()
        if plan is None:
            return "none"
        return "the rubric's own" if plan.source == "rubric" else "graded answers"

    def marks(self, target: str, annotators: Panel) -> Marks | None:
        """Return its grades of an annotators' criterion or the composite; None if not graded.

        Its composite uses the annotators' weights where the criteria are the same. The only
        criterion of a judge is its composite, unless annotators graded that criterion among others.
        """
        if target != COMPOSITE:
            own = target in self.criteria
            return self.panel.given(target, self.judge.id) if own else None
        mine = {criterion.name for criterion in self.rubric.criteria}
        theirs = {criterion.name for criterion in annotators.rubric.criteria}
        if mine == theirs:
            same = self.panel.weights == annotators.weights
            panel = self.panel if same else self.panel.weighing(annotators.weights)
            return panel.given(COMPOSITE, self.judge.id)
        if len(mine) == 1 and mine <= theirs:
            return None
        return self.panel.given(COMPOSITE, self.judge.id)

    def is_continuous(self, target: str) -> bool:
        """Return True where grades of a criterion, or of one of the composite, are continuous."""
        return self.panel.is_continuous(target, self.judge.id)

    def why_not(self, target: str, annotators: Panel) -> Said | None:
        """Return why it cannot be compared on a criterion or the composite; None where it can."""
        marks = self.marks(target, annotators)
        if marks is None:
            return said("it does not grade {target}", target=target)
        if not marks.scored.any():
            return "it has scored no answer"
        names = self.criteria if target == COMPOSITE else (target,)
        off = [name for name in names if not self.panel.on_range(name, self.judge.id)]
        if not off or not self.is_continuous(target):
            return None
        numbers = self.panel.open_numbers(off[0], self.judge.id)
        return said(
            "its continuous numbers for {criterion} run from {low:.3g} to {high:.3g}, beyond the "
            "scale of {first} to {last}",
            criterion=off[0],
            low=numbers.min(),
            high=numbers.max(),
            first=self.rubric.scale[0],
            last=self.rubric.scale[-1],
        )


@dataclass(frozen=True)
class Variants:
    """All variants of a sheet, and the annotators they may be compared with.

    Attributes:
        panels: The grades by rubric name.
    """

    sheet: Sheet
    panels: dict[str, Panel]
    every: tuple[Variant, ...]

    @cached_property
    def graded(self) -> dict[str, int]:
        """Number of answers annotators graded under each rubric, most first."""
        return dict(sorted(_graded(self.panels).items(), key=lambda pair: -pair[1]))

    def annotators(self, rubric: str | None = None, names: Collection[str] = ()) -> Panel:
        """The panel all are compared with: of the rubric named, else of the most graded."""
        if not self.graded:
            raise Problem(
                "No annotator has graded “{sheet}” yet. Judges are compared with annotators, so "
                "have it graded first, or import grades under Data{on_command_line}.",
                sheet=self.sheet.name,
                on_command_line=on_command_line("`grades FILE`"),
            )
        if rubric is not None and rubric not in self.graded:
            raise Problem(
                "No annotator has graded “{sheet}” under rubric {rubric}. Annotators graded it "
                "under: {graded}.",
                sheet=self.sheet.name,
                rubric=rubric,
                graded=joined(", ", self.graded),
            )
        panel = self.panels[rubric or next(iter(self.graded))]
        return panel.choosing(names) if names else panel

    def named(self, names: Iterable[str]) -> list[Variant]:
        """Variants by label, by `name@fingerprint`, or by name, which means the newest judge."""
        chosen = [variant for name in names for variant in self._by(name)]
        return list({variant.label: variant for variant in chosen}.values())

    def _by(self, name: str) -> list[Variant]:
        same = [v for v in self.every if name in (v.label, v.judge.label())]
        if same:
            return same
        newest = max((v.judge.id for v in self.every if v.judge.name == name), default=None)
        if newest is None:
            there = joined(", ", (variant.label for variant in self.every)) or "none yet"
            raise Problem(
                "No judge “{name}” has graded “{sheet}”. These have: {there}.",
                name=name,
                sheet=self.sheet.name,
                there=there,
            )
        return [v for v in self.every if v.judge.id == newest]


def read(store: Store, sheet: Sheet) -> Variants:
    """Return every judge's grades of a sheet, under every rubric it was graded by."""
    rubrics = {
        n: rubric_versions.named(store, n)[1] for n in rubric_versions.graded(store, sheet.id)
    }
    return of_panels(sheet, {n: read_panel(store, sheet, r) for n, r in rubrics.items()})


def of_panels(sheet: Sheet, by_rubric: dict[str, Panel]) -> Variants:
    """The variants of panels of one sheet, by name of their rubric."""
    found = [
        Variant(judge.name, judge, panel, _asked(judge))
        for panel in by_rubric.values()
        for judge in panel.judges.values()
    ]
    own = [variant for variant in found if not _is_part(variant, found)]
    own.sort(key=lambda variant: (variant.floor, variant.judge.id))
    return Variants(sheet, by_rubric, tuple(v._replace(label=_label(v, own)) for v in own))


def shared_panel(chosen: Sequence[Variant], annotators: Panel) -> Panel:
    """Return one panel on [0, 1]: the annotators' grades, and each variant as a judge.

    A variant's grades are matched to the annotators' criteria by name. The scale of its rubric is
    (0, 1) and its scores are real numbers, so only statistics of real numbers apply.
    """
    scale = annotators.rubric.scale
    marks = {k: unit(m, scale) for k, m in annotators.marks.items() if k[1] in annotators.persons}
    judges, composites = {}, {}
    for place, variant in enumerate(chosen, 1):
        judges[-place] = variant.judge._replace(id=-place, name=variant.label)
        for target in (*annotators.weights, COMPOSITE):
            given = variant.marks(target, annotators)
            if given is None:
                continue
            mapped = unit(given, variant.rubric.scale)
            if target == COMPOSITE:
                composites[-place] = mapped
            else:
                marks[target, -place] = mapped
    ruled = annotators.adjudicated
    return replace(
        annotators,
        rubric=annotators.rubric.model_copy(update={"scale": UNIT}),
        marks=marks,
        judges=judges,
        adjudicated=ruled.assign(score=mapped_scores(ruled["score"], scale)),
        _composites=composites,
    )


def unit(marks: Marks, scale: Sequence[int]) -> Marks:
    """The same marks with scores mapped to [0, 1]."""
    return marks._replace(score=mapped_scores(marks.score, scale))


def mapped_scores(scores: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return scores mapped to [0, 1] by (score - lowest) / (highest - lowest)."""
    return (scores - scale[0]) / (scale[-1] - scale[0])


def _graded(by_rubric: dict[str, Panel]) -> dict[str, int]:
    counts = {}
    for name, panel in by_rubric.items():
        on = np.zeros(len(panel.items), bool)
        for criterion in panel.rubric.criteria:
            for person in panel.annotators:
                on |= panel.counted(criterion.name, person)
        counts[name] = int(on.sum())
    return {name: count for name, count in counts.items() if count}


def _is_part(variant: Variant, every: list[Variant]) -> bool:
    """True where the judge's grades here are a subset of those under another rubric.

    Rubrics may share criterion versions; the first counts where they share all.
    """
    mine = _versions(variant)
    for place, other in enumerate(every):
        if other.judge.id != variant.judge.id or other is variant:
            continue
        theirs = _versions(other)
        if mine < theirs or (mine == theirs and place < every.index(variant)):
            return True
    return False


def _versions(variant: Variant) -> set[str]:
    versions = variant.rubric.versions()
    return {versions[name] for name in variant.criteria}


def _label(variant: Variant, every: Sequence[Variant]) -> str:
    """Return the label of its own panel, with the rubric where that is ambiguous."""
    names = Counter(other.panel.labels[other.judge.id] for other in every)
    label = variant.panel.labels[variant.judge.id]
    return f"{label} ({variant.rubric.name})" if names[label] > 1 else label


def _asked(judge: Grader) -> Judge | None:
    """The definition of a judge that is sent requests; None for one that combines grades."""
    return None if judge.definition.get("members") else registry.stored(judge)
