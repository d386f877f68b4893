"""Variants: judges with any prompt, rubric and scale, compared with the same annotators.

A variant is one judge under one rubric. Scores of different scales are never averaged: they are
mapped to [0, 1] by (score - lowest) / (highest - lowest), annotators' as well, and compared there.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.messages import Problem, joined, on_command_line, said
from concord.model import BASELINE, Grader, Sheet
from concord.reports.panel.panel import COMPOSITE, Marks, Panel
from concord.reports.panel.panel import read as read_panel
from concord.rubrics.model import Rubric
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

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
        sources = {"rubric": "the rubric's own"}
        return sources.get(plan.source, "graded answers") if plan else "none"

    def marks(self, target: str, annotators: Panel) -> Marks | None:
        """Return its grades of an annotators' criterion or the composite; None if not graded.

        Its composite uses the annotators' weights where the criteria are the same. The only
        criterion of a judge is its composite, unless annotators graded that criterion among others.
        """
        mine, panel = {*self.rubric.weights()}, self.panel
        theirs = {*annotators.rubric.weights()}
        alone = len(mine) == 1 and mine < theirs
        if alone if target == COMPOSITE else target not in self.criteria:
            return None
        if target == COMPOSITE and mine == theirs and panel.weights != annotators.weights:
            panel = panel.weighing(annotators.weights)
        return panel.given(target, self.judge.id)

    def is_continuous(self, target: str) -> bool:
        """Return True where grades of a criterion, or of one of the composite, are continuous."""
        return self.panel.is_continuous(target, self.judge.id)

    def why_not(self, target: str, annotators: Panel) -> str | None:
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
        words = "its continuous numbers for {criterion} lie beyond the scale"
        return said(words, criterion=off[0])


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
        counts = {}
        for name, panel in self.panels.items():
            on = np.zeros(len(panel.items), bool)
            for criterion in panel.rubric.criteria:
                for person in panel.annotators:
                    on |= panel.counted(criterion.name, person)
            counts[name] = int(on.sum())
        most_first = sorted(counts, key=lambda name: -counts[name])
        return {name: counts[name] for name in most_first if counts[name]}

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
        chosen: dict[str, Variant] = {}
        for name in names:
            mine = [v for v in self.every if name in (v.label, v.judge.label())]
            newest = max((v.judge.id for v in self.every if v.judge.name == name), default=None)
            mine = mine or [v for v in self.every if v.judge.id == newest]
            if not mine:
                raise Problem(
                    "No judge “{name}” has graded “{sheet}”. These have: {there}.",
                    name=name,
                    sheet=self.sheet.name,
                    there=joined(", ", (one.label for one in self.every)) or "none yet",
                )
            chosen |= {one.label: one for one in mine}
        return list(chosen.values())


def read(store: Store, sheet: Sheet) -> Variants:
    """Return every judge's grades of a sheet, under every rubric it was graded by.

    Rubrics may share criterion versions: grades that are part of those under another rubric make no
    variant, and of equal ones the first does.
    """
    names = rubric_versions.graded(store, sheet.id)
    panels = {n: read_panel(store, sheet, rubric_versions.named(store, n)[1]) for n in names}
    found = []
    for panel in panels.values():
        for judge in panel.judges.values():
            # Of one that combines grades nothing is asked.
            asked = None if judge.definition.get("members") else registry.stored(judge)
            found.append(Variant(panel.labels[judge.id], judge, panel, asked))
    held = [{one.rubric.versions()[name] for name in one.criteria} for one in found]
    own = [
        one
        for place, one in enumerate(found)
        if not any(
            held[place] < held[n] or (held[place] == held[n] and n < place)
            for n, other in enumerate(found)
            if other.judge.id == one.judge.id
        )
    ]
    own.sort(key=lambda variant: (variant.floor, variant.judge.id))
    labels = [one.label for one in own]
    return Variants(
        sheet,
        panels,
        tuple(
            one._replace(label=f"{one.label} ({one.rubric.name})")
            if labels.count(one.label) > 1
            else one
            for one in own
        ),
    )


def shared_panel(chosen: Sequence[Variant], annotators: Panel) -> Panel:
    """Return one panel on [0, 1]: the annotators' grades, and each variant as a judge.

    A variant's grades are matched to the annotators' criteria by name. The scale of its rubric is
    (0, 1) and its scores are real numbers, so only statistics of real numbers apply.
    """
    scale, ruled = annotators.rubric.scale, annotators.adjudicated
    marks = {
        key: one._replace(score=mapped_scores(one.score, scale))
        for key, one in annotators.marks.items()
        if key[1] in annotators.persons
    }
    judges, composites = {}, {}
    for place, variant in enumerate(chosen, 1):
        judges[-place] = variant.judge._replace(id=-place, name=variant.label)
        for target in (*annotators.weights, COMPOSITE):
            if given := variant.marks(target, annotators):
                given = given._replace(score=mapped_scores(given.score, variant.rubric.scale))
                if target == COMPOSITE:
                    composites[-place] = given
                else:
                    marks[target, -place] = given
    return replace(
        annotators,
        rubric=annotators.rubric.model_copy(update={"scale": (0, 1)}),
        marks=marks,
        judges=judges,
        adjudicated=ruled.assign(score=mapped_scores(ruled["score"], scale)),
        _composites=composites,
    )


def mapped_scores(scores: np.ndarray, scale: Sequence[int]) -> np.ndarray:
    """Return scores mapped to [0, 1] by (score - lowest) / (highest - lowest)."""
    return (scores - scale[0]) / (scale[-1] - scale[0])
