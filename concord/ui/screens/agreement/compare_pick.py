"""The choices of the comparison screen, kept in the URL: sheet, variants, with what, on what."""

import json
from typing import NamedTuple

import streamlit as st

from concord.grading import sheet_progress
from concord.messages import Problem, capital, said
from concord.model import Sheet
from concord.reports.comparison import presets
from concord.reports.comparison.paired_variants import first_target, target_name, targets
from concord.reports.panel import rubric_names, sheet_grading
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.simulated import named
from concord.store.database import Store
from concord.ui.frame import filters, recall, recall_several, remember
from concord.ui.language import plain, say, word
from concord.ui.report_picker import show_left_out
from concord.ui.screens.agreement.agreement_pick import REFERENCES
from concord.ui.screens.agreement.cached_comparison import ComparedSheet, picked
from concord.ui.widgets import TO_JUDGES, TO_SETS, empty, no_sheet, pick_sheet, select, switch

SIDE, FLIPS = "side", "flips"
_VIEWS = {SIDE: said("Side by side"), FLIPS: said("Flips")}


class CompareChoice(NamedTuple):
    """Selection on the screen: labels of variants, target, base, kind of reference, and preset."""

    labels: list[str]
    target: str
    base: str | None
    kind: str
    study: str


def _no_blind_grades(store: Store, sheet: Sheet) -> None:
    if sheet_progress.graded(store, sheet.id).not_blind:
        title = said("No annotator has graded “{sheet}” blind yet", sheet=sheet.name)
        empty(title, sheet_grading.NOT_BLIND, *TO_SETS)
        return
    empty(
        said("No annotator has graded “{sheet}” yet", sheet=sheet.name),
        said(
            "Prompts and scales are compared by their distance from annotators, so an "
            "annotator has to grade first."
        ),
        *TO_SETS,
    )


def pick_comparison(store: Store) -> ComparedSheet | None:
    """Sheet and the rubric annotators graded under; None where something is missing (shown)."""
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(
            said(
                "annotators and judges grade them, and this screen compares the judges' prompts "
                "and scales."
            )
        )
        return None
    found = ComparedSheet(store, sheet, recall("rubric"))
    if found.annotators is None:
        _no_blind_grades(store, sheet)
        return None
    if not found.variants.every:
        empty(
            said("No judge has graded “{sheet}” yet", sheet=sheet.name),
            said("Run two judges, or one with two prompts or two scales; the baseline is free."),
            *TO_JUDGES,
        )
        return None
    graded = found.variants.graded
    if len(graded) > 1:
        with filters():
            words = rubric_names.called(store, graded)
            named_so = {
                name: said("{rubric} · {n:,} answers", rubric=words[name], n=count)
                for name, count in graded.items()
            }
            first = found.annotators.rubric.name
            rubric = select(said("Annotators' rubric"), "rubric", named_so, first)
        found = ComparedSheet(store, sheet, rubric)
    show_left_out(found.annotators.not_included)
    return found


def pick_view() -> str:
    """Return the chosen view of the screen."""
    return switch(said("View"), "view", _VIEWS, label_visibility="collapsed")


def pick_variants(found: ComparedSheet) -> CompareChoice | None:
    """Return what to compare; None where a preset has nothing to compare (shown)."""
    questions = {name: one.question for name, one in presets.PRESETS.items()}
    study = select(said("Question"), "study", {"": said("All variants"), **questions}, "")
    first = None
    if study:
        try:
            chosen = picked(found, study)[0]
        except Problem as problem:
            empty(questions[study], problem.args[0], *TO_JUDGES)
            return None
        labels, first = [one.label for one in chosen.variants], chosen.base
    else:
        labels = _pick_labels(found)
    with filters():
        target = pick_target(found, labels)
        base = _pick_base(found, labels, target, first and first.label)
        kind = switch(said("Compared with"), "reference", REFERENCES)
    return CompareChoice(labels, target, base, kind, study)


def _pick_labels(found: ComparedSheet) -> list[str]:
    """The variants to compare; all of them unless the URL says otherwise."""
    every = {v.label: word(named(v.label, v.judge.simulated)) for v in found.variants.every}
    wanted = [one for one in recall_several("variants") if one in every] or list(every)
    chosen = st.multiselect(
        say("Variants"),
        list(every),
        default=wanted,
        format_func=every.get,
        key=f"compare.variants.{found.sheet.id}.{len(every)}",
        placeholder=say("Choose"),
        help=say("A variant is one judge under one rubric. All are compared on the same answers."),
    )
    whole = not chosen or set(chosen) == set(every)
    remember(variants=None if whole else json.dumps(chosen, ensure_ascii=False))
    return [label for label in every if whole or label in chosen]


def pick_target(found: ComparedSheet, labels: list[str]) -> str:
    """A criterion, or the composite."""
    chosen, annotators = found.named(labels), found.annotators
    names = {
        name: said("Composite") if name == COMPOSITE else capital(target_name(name))
        for name in targets(chosen, annotators)
    }
    return select(said("Criterion"), "criterion", names, first_target(chosen, annotators))


def _pick_base(
    found: ComparedSheet, labels: list[str], target: str, default: str | None
) -> str | None:
    """The variant that the others are compared with: the preset's, else the first real one."""
    graded = found.grading(labels, target)
    names = {v.label: named(v.label, v.judge.simulated) for v in graded}
    if len(names) < 2:
        return next(iter(names), None)
    first = next((v.label for v in graded if not v.floor), graded[0].label)
    first = default if default in names else first
    return select(said("Base variant"), "base", names, first)


def link_to_flips(first: str, second: str, sheet: str, rubric: str) -> None:
    """Link to the answers on which two judges differ, from `second` to `first`."""
    label = said("{first} and {second}, answer by answer", first=first, second=second)
    st.page_link(
        "pages/compare.py",
        label=plain(label),
        icon=":material/compare_arrows:",
        query_params={
            "view": FLIPS,
            "first": second,
            "second": first,
            "sheet": sheet,
            "rubric": rubric,
        },
    )
