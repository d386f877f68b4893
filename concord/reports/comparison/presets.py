"""Presets: comparisons that repeat the questions of a published study on the user's own sheets.

The study is of LLM judges for answers about documents (Databricks, 2023). A preset picks variants
and the one that the others are compared with; the comparison is the same for all.
"""

from typing import Any

from concord.messages import Problem, joined, on_command_line, span
from concord.reports.panel import variants
from concord.reports.panel.panel import Panel
from concord.reports.panel.variants import Variant
from concord.store import sheets
from concord.store.database import Store

QUESTIONS = {
    "agreement": "Do judges give the scores that annotators give?",
    "examples": "Does a judge do better when the prompt shows examples of each score?",
    "scales": "Which scale should judges grade on?",
    "transfer": "Does a judge that was calibrated on one sheet do as well on another?",
}
# What no judge has done, and the command that runs one which does.
_LACKING = {
    "agreement": ("given scores of {rubric} ({scale}) to the answers of “{sheet}”", "NAME"),
    "examples": ("graded “{sheet}” both without and with examples, all else the same", "NAME NAME"),
    "scales": ("graded “{sheet}” on two scales, all else the same", "NAME --rubric R"),
    "transfer": (
        "graded both “{sheet}” and another sheet that annotators graded by the same rubric",
        "NAME --sheet OTHER",
    ),
}


def pick(
    store: Store, annotators: Panel, chosen: list[Variant], name: str
) -> tuple[list[Variant], Variant | None, dict[str, str]]:
    """Return the variants of a preset, the one to compare the others with, and what it asks.

    Raises:
        Problem: There is no such preset, or nothing that it compares.
    """
    if name not in QUESTIONS:
        known = joined(", ", QUESTIONS)
        raise Problem("There is no study “{name}”. Available: {known}.", name=name, known=known)
    rubric, note, base = annotators.rubric, "", None
    if name == "agreement":
        picked = [one for one in chosen if one.rubric.name == rubric.name and not one.floor]
    elif name == "examples":
        picked = _with_examples(chosen)
        base = next(iter(picked), None)
    elif name == "scales":
        picked = _on_scales(chosen)
        base = next((one for one in picked if one.rubric.scale == rubric.scale), None)
    else:
        picked, note = _on_other_sheets(store, annotators, chosen)
    if not picked:
        lacking, command = _LACKING[name]
        raise Problem(
            f"No judge has {lacking}. Run one{{on_command_line}}.",
            on_command_line=on_command_line(f"`judge {command}`"),
            rubric=rubric.name,
            scale=span(rubric.scale[0], rubric.scale[-1]),
            sheet=annotators.sheet.name,
        )
    return picked, base, {"name": name, "question": QUESTIONS[name], "note": note}


def _with_examples(chosen: list[Variant]) -> list[Variant]:
    """Judges that differ from another in nothing but the examples in the prompt; without first."""
    same = {one.label: _but(one, prompt="zero_shot", examples=None) for one in chosen if one.asked}
    sides = [
        [one for one in chosen if one.asked and one.asked.recipe() == recipe]
        for recipe in ("zero_shot", "few_shot")
    ]
    both = set.intersection(*({same[one.label] for one in side} for side in sides))
    return [one for side in sides for one in side if same[one.label] in both]


def _on_scales(chosen: list[Variant]) -> list[Variant]:
    """The judge with the most scales."""
    groups: dict[str, list[Variant]] = {}
    for one in chosen:
        if one.asked is not None and one.asked.recipe() != "holistic":
            groups.setdefault(_but(one, rubric="any"), []).append(one)
    scales = lambda group: len({one.rubric.scale for one in group})  # noqa: E731
    most = max(groups.values(), key=scales, default=[])
    return most if scales(most) > 1 else []


def _on_other_sheets(
    store: Store, annotators: Panel, chosen: list[Variant]
) -> tuple[list[Variant], str]:
    """The judges that graded another sheet, too, that annotators graded by the same rubric."""
    there = {}
    for sheet in sheets.all_sheets(store):
        other = variants.read(store, sheet) if sheet.id != annotators.sheet.id else None
        if other and annotators.rubric.name in other.graded:
            there[sheet.name] = {(one.judge.id, one.rubric.name) for one in other.every}
    every = set().union(*there.values())
    picked = [v for v in chosen if not v.floor and (v.judge.id, v.rubric.name) in every]
    ids = {(one.judge.id, one.rubric.name) for one in picked}
    names = joined(", ", [name for name, own in there.items() if own & ids])
    return picked, f"Compare the distances with those on {names}."


def _but(variant: Variant, **same: Any) -> str:
    """Return all that a judge is, but its name and what `same` replaces."""
    rubric = "" if "rubric" in same else variant.rubric.name
    replaced = {"name": "judge", "about": ""} | same
    return f"{rubric} {variant.asked.model_copy(update=replaced).body()}"
