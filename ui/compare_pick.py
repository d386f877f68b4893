"""The choices of the comparison screen, kept in the URL: sheet, variants, with what, on what."""

import json
from typing import NamedTuple

import streamlit as st

from data.store import Store
from reports import rubric_words
from reports.compare_words import spoken
from reports.reference import CONSENSUS, EACH
from reports.simulated import named
from ui.comparison import Comparison
from ui.frame import recall, remember
from ui.widgets import empty, no_sheet, pick_sheet, select, switch

SIDE, FLIPS, STUDIES = "side", "flips", "studies"
_VIEWS = {SIDE: "Side by side", FLIPS: "What flips", STUDIES: "Four questions"}
_REFERENCES = {EACH: "Each person", CONSENSUS: "Consensus"}


class Choice(NamedTuple):
    """What is compared: labels of variants, the target, with which, and the kind of reference."""

    labels: list[str]
    target: str
    base: str | None
    kind: str


def pick_comparison(store: Store) -> Comparison | None:
    """Sheet and the rubric people graded under; None where something is missing, which is said."""
    row = st.container(horizontal=True)
    with row:
        sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(
            "people and judges grade them, and this screen lays the judges' prompts and scales "
            "side by side."
        )
        return None
    found = Comparison(store, sheet, recall("rubric"))
    if found.people is None:
        empty(
            f"No person has graded {sheet.name} yet",
            "Prompts and scales are judged by how near they come to people, so somebody has to "
            "grade first.",
            "pages/grading.py",
            "To the grading sets",
        )
        return None
    if not found.variants.every:
        empty(
            f"No judge has graded {sheet.name} yet",
            "Run two judges, or one with two prompts or two scales; the baseline is free.",
            "pages/judges.py",
            "To the judges",
        )
        return None
    graded = found.variants.graded
    if len(graded) > 1:
        with row:
            words = rubric_words.called(store, graded)
            said = {name: f"{words[name]} · {count:,} answers" for name, count in graded.items()}
            rubric = select("People graded by", "rubric", said, found.people.rubric.name)
        found = Comparison(store, sheet, rubric)
    return found


def pick_view() -> str:
    """Which part of the screen."""
    return switch("View", "view", _VIEWS, label_visibility="collapsed")


def pick_variants(found: Comparison) -> Choice:
    """Which variants, on what, against whom."""
    labels = pick_labels(found)
    with st.container(horizontal=True):
        target = pick_target(found, labels)
        base = _pick_base(found, labels, target)
        kind = switch("Held against", "reference", _REFERENCES)
    return Choice(labels, target, base, kind)


def pick_labels(found: Comparison) -> list[str]:
    """The variants to compare; all of them unless the URL says otherwise."""
    every = {v.label: named(v.label, v.judge.simulated) for v in found.variants.every}
    said = [label for label in _said() if label in every] or list(every)
    chosen = st.multiselect(
        "Variants",
        list(every),
        default=said,
        format_func=every.get,
        key=f"compare.variants.{found.sheet.id}.{len(every)}",
        help="A variant is one judge under one rubric. All are compared on the same answers.",
    )
    whole = not chosen or set(chosen) == set(every)
    remember(variants=None if whole else json.dumps(chosen, ensure_ascii=False))
    return [label for label in every if whole or label in chosen]


def pick_target(found: Comparison, labels: list[str]) -> str:
    """A criterion, or the composite."""
    names = {name: _heading(found, name) for name in found.targets(labels)}
    return select("On", "criterion", names, found.first_target(labels))


def _pick_base(found: Comparison, labels: list[str], target: str) -> str | None:
    """The variant that the others are compared with; the first that is not the baseline."""
    able = found.able(labels, target)
    names = {v.label: named(v.label, v.judge.simulated) for v in able}
    if len(names) < 2:
        return next(iter(names), None)
    first = next((v.label for v in able if not v.floor), able[0].label)
    return select("Compared with", "base", names, first)


def _heading(found: Comparison, name: str) -> str:
    words = spoken(name).removeprefix("the ")
    return f"{words[0].upper()}{words[1:]}"


def _said() -> list[str]:
    try:
        said = json.loads(recall("variants") or "[]")
    except ValueError:
        return []
    return said if isinstance(said, list) else []
