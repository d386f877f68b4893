"""Presets: comparisons that repeat the questions of a published study on the user's own sheets.

The study is of LLM judges for answers about documents (Databricks, 2023). A preset picks variants
and the one that the others are compared with; the comparison is the same for all.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from concord.messages import Problem, Said, joined, on_command_line, said
from concord.reports.comparison.paired_variants import Study, scale_name
from concord.reports.panel import variants
from concord.reports.panel.panel import Panel
from concord.reports.panel.variants import Variant
from concord.store import sheets
from concord.store.database import Store


class Picked(NamedTuple):
    """The variants of a preset, the one to compare the others with, and a note on them."""

    variants: list[Variant]
    base: Variant | None = None
    note: Said | str = ""


class Preset(NamedTuple):
    """One preset.

    Attributes:
        question: What it answers.
        published: What the published study found.
        pick: Picks among variants; of none nothing can be compared.
        lacking: Why that is, and what to run, as `command` does.
    """

    question: Said
    published: Said
    pick: Callable[[Store, Panel, list[Variant]], Picked]
    lacking: Said
    command: str


def pick(store: Store, annotators: Panel, chosen: list[Variant], name: str) -> tuple[Picked, Study]:
    """Return what a preset picks among variants.

    Raises:
        Problem: There is no such preset, or nothing that it compares.
    """
    if name not in PRESETS:
        known = joined(", ", PRESETS)
        raise Problem("There is no study “{name}”. Available: {known}.", name=name, known=known)
    preset, rubric = PRESETS[name], annotators.rubric
    picked = preset.pick(store, annotators, chosen)
    if not picked.variants:
        raise Problem(
            preset.lacking,
            on_command_line=on_command_line(preset.command),
            rubric=rubric.name,
            scale=scale_name(rubric.scale),
            sheet=annotators.sheet.name,
        )
    return picked, Study(name, preset.question, preset.published, picked.note)


def _on_annotators_scale(_: Store, annotators: Panel, chosen: list[Variant]) -> Picked:
    """Every judge by the annotators' rubric."""
    name = annotators.rubric.name
    return Picked([one for one in chosen if one.rubric.name == name and not one.floor])


def _with_examples(_: Store, annotators: Panel, chosen: list[Variant]) -> Picked:
    """Judges that differ from another in nothing but the examples in the prompt."""

    def but_examples(variant: Variant) -> str:
        return _but(variant, prompt="zero_shot", examples=None)

    plain, shown = (
        [one for one in chosen if one.asked and one.asked.recipe() == recipe]
        for recipe in ("zero_shot", "few_shot")
    )
    few = {but_examples(one) for one in shown}
    zero = [one for one in plain if but_examples(one) in few]
    both = {but_examples(one) for one in zero}
    found = [*zero, *(one for one in shown if but_examples(one) in both)]
    return Picked(found, next(iter(zero), None))


def _on_scales(_: Store, annotators: Panel, chosen: list[Variant]) -> Picked:
    """The judge with the most scales, compared with itself on the scale that annotators used."""
    groups: dict[str, list[Variant]] = {}
    for one in chosen:
        if one.asked is not None and one.asked.kind in ("rubric", "decision"):
            groups.setdefault(_but(one, rubric="any"), []).append(one)
    most = max(groups.values(), key=_scales, default=[])
    if _scales(most) < 2:
        return Picked([])
    scale = annotators.rubric.scale
    return Picked(most, next((one for one in most if one.rubric.scale == scale), most[0]))


def _on_other_sheets(store: Store, annotators: Panel, chosen: list[Variant]) -> Picked:
    """The judges that graded another sheet, too, that annotators graded by the same rubric."""
    rubric, there = annotators.rubric.name, {}
    for sheet in sheets.all_sheets(store):
        if sheet.id == annotators.sheet.id:
            continue
        other = variants.read(store, sheet)
        if rubric in other.graded:
            there[sheet.name] = {(one.judge.id, one.rubric.name) for one in other.every}
    found = [
        one
        for one in chosen
        if not one.floor and any((one.judge.id, one.rubric.name) in ids for ids in there.values())
    ]
    ids = {(one.judge.id, one.rubric.name) for one in found}
    names = joined(", ", [name for name, own in there.items() if own & ids])
    note = said("Run the same comparison on {sheets}, and hold the distances beside.", sheets=names)
    return Picked(found, note=note)


def _but(variant: Variant, **same: Any) -> str:
    """Return all that a judge is, but its name and what `same` replaces."""
    rubric = "" if "rubric" in same else variant.rubric.name
    replaced = {"name": "judge", "about": ""} | same
    return f"{rubric} {variant.asked.model_copy(update=replaced).body()}"


def _scales(group: Iterable[Variant]) -> int:
    return len({one.rubric.scale for one in group})


PRESETS: dict[str, Preset] = {
    "agreement": Preset(
        "Do judges give the scores that annotators give?",
        (
            "Databricks (2023, answers about its documentation, 0-3): GPT-4 gave the annotators' "
            "exact score on more than 80% of answers for correctness and readability, and was "
            "within one point on more than 95%; comprehensiveness, the vaguest of the three, was "
            "lower."
        ),
        _on_annotators_scale,
        (
            "No judge has given scores of {rubric} ({scale}) to the answers of “{sheet}”. Run one "
            "with that rubric under Judges{on_command_line}."
        ),
        "`judge NAME --rubric R`",
    ),
    "examples": Preset(
        "Does a judge do better when the prompt shows examples of each score?",
        (
            "Databricks (2023): examples changed little for GPT-4, but made GPT-3.5, whose scores "
            "were of no use without them, rank the answering models as GPT-4 does, at a tenth of "
            "the price and three times the speed."
        ),
        _with_examples,
        (
            "No judge has graded “{sheet}” both without and with examples, all else the same. Run "
            "one both ways under Judges{on_command_line}."
        ),
        "`judge gpt-6-luna-zero-shot gpt-6-luna-few-shot`",
    ),
    "scales": Preset(
        "Which scale should judges grade on?",
        (
            "Databricks (2023) tried 0-1, 0-3, 1-5 and 0-10: judges ranked the answering models in "
            "the same order on the coarse scales, agreed less with one another on finer ones, and "
            "did not distinguish neighbouring scores on 0-10; it recommends 0-3 or 1-5, and 0-1 "
            "for simple questions."
        ),
        _on_scales,
        (
            "No judge has graded “{sheet}” on two scales, all else the same. Run one under Judges "
            "with another rubric, such as doc-qa-0-10, doc-qa-0-1, doc-qa-0-4 or "
            "doc-qa-1-5{on_command_line}."
        ),
        "`judge NAME --rubric R`",
    ),
    "transfer": Preset(
        "Does a judge that was calibrated on one sheet do as well on another?",
        (
            "Databricks (2023): a model that general benchmarks call nearly as good as GPT-3.5 "
            "was clearly worse on questions about documents, by GPT-4, GPT-3.5 and annotators "
            "alike: results do not carry over from one use to another, and each use needs a "
            "benchmark of its own."
        ),
        _on_other_sheets,
        (
            "No judge has graded both “{sheet}” and another sheet that annotators graded by the "
            "same rubric. Import answers of the other use as a separate sheet, let annotators "
            "grade some of it, and run the same judge on it{on_command_line}."
        ),
        "`judge NAME --sheet OTHER`",
    ),
}
