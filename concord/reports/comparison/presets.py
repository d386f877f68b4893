"""Presets: comparisons that repeat the questions of a published study on the user's own sheets.

The study is of LLM judges for answers about documents (Databricks, 2023). A preset picks variants
and the one that the others are compared with; the comparison is the same for all.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from concord.messages import Problem, joined, on_command_line, span
from concord.reports.panel import variants
from concord.reports.panel.panel import Panel
from concord.reports.panel.variants import Variant
from concord.store import sheets
from concord.store.database import Store


class Picked(NamedTuple):
    """The variants of a preset, the one to compare the others with, and a note on them."""

    variants: list[Variant]
    base: Variant | None = None
    note: str = ""


class Preset(NamedTuple):
    """One preset.

    Attributes:
        question: What it answers.
        pick: Picks among variants; of none nothing can be compared.
        lacking: What none has done, and what to run, as `command` does.
    """

    question: str
    pick: Callable[[Store, Panel, list[Variant]], Picked]
    lacking: str
    command: str


def pick(
    store: Store, annotators: Panel, chosen: list[Variant], name: str
) -> tuple[Picked, dict[str, str]]:
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
            scale=span(rubric.scale[0], rubric.scale[-1]),
            sheet=annotators.sheet.name,
        )
    return picked, {"name": name, "question": preset.question, "note": picked.note}


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
    return Picked(found, note=f"Compare the distances with those on {names}.")


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
        _on_annotators_scale,
        "No judge has given scores of {rubric} ({scale}) to the answers of “{sheet}”. Run one with "
        "that rubric{on_command_line}.",
        "`judge NAME --rubric R`",
    ),
    "examples": Preset(
        "Does a judge do better when the prompt shows examples of each score?",
        _with_examples,
        "No judge has graded “{sheet}” both without and with examples, all else the same. Run one "
        "both ways{on_command_line}.",
        "`judge gpt-6-luna-zero-shot gpt-6-luna-few-shot`",
    ),
    "scales": Preset(
        "Which scale should judges grade on?",
        _on_scales,
        "No judge has graded “{sheet}” on two scales, all else the same. Run one with another "
        "rubric, such as doc-qa-0-10 or doc-qa-0-1{on_command_line}.",
        "`judge NAME --rubric R`",
    ),
    "transfer": Preset(
        "Does a judge that was calibrated on one sheet do as well on another?",
        _on_other_sheets,
        "No judge has graded both “{sheet}” and another sheet that annotators graded by the same "
        "rubric. Import answers of the other use and run the same judge on them{on_command_line}.",
        "`judge NAME --sheet OTHER`",
    ),
}
