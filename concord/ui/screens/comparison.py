"""Compare prompts and scales: variants of a judge side by side, and the scores that change."""

import json
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.grading import sheet_progress
from concord.messages import Problem, capital, said
from concord.model import Sheet
from concord.reports.comparison import changed_scores, compare, compare_document, presets
from concord.reports.comparison.changed_scores import Flips
from concord.reports.comparison.compare import Comparison, first_target, target_name, targets
from concord.reports.comparison.presets import Picked
from concord.reports.decision.cost import Cost, costs
from concord.reports.panel import sheet_grading, unit_words, variants
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import named
from concord.reports.panel.variants import Variant, Variants
from concord.store import grades
from concord.store.database import Store
from concord.store.kept_results import state_key
from concord.ui import render
from concord.ui.caching import Keyed, kept
from concord.ui.chart import show_charts
from concord.ui.frame import filters, recall, recall_several, remember
from concord.ui.language import plain, say, word
from concord.ui.looker import agreed, looker
from concord.ui.markup import LOOK
from concord.ui.render import show_table
from concord.ui.report_picker import show_left_out
from concord.ui.screens import agreement
from concord.ui.screens.agreement import REFERENCES
from concord.ui.widgets import (
    TO_JUDGES,
    TO_SETS,
    empty,
    finding,
    no_sheet,
    pick_sheet,
    select,
    switch,
    terms,
)


class ComparedSheet(Keyed):
    """The variants of one sheet, compared with the annotators who graded under one rubric.

    Attributes:
        store: The open store.
        sheet: The sheet.
        variants: Every variant.
        annotators: The annotators' panel; None where none has graded.
    """

    def __init__(self, store: Store, sheet: Sheet, rubric: str | None = None):
        self.store = store
        self.sheet = sheet
        self.variants: Variants = _variants(store, sheet)
        graded = self.variants.graded
        self.annotators: Panel | None = None
        if graded:
            self.annotators = self.variants.annotators(rubric if rubric in graded else None)
            self.key = (state_key(store, sheet), self.annotators.rubric.name)

    def named(self, labels: list[str]) -> list[Variant]:
        """Variants by label, in the order of all."""
        return [variant for variant in self.variants.every if variant.label in labels]

    def one(self, label: str | None) -> Variant | None:
        """A variant by label."""
        return next((v for v in self.variants.every if v.label == label), None)

    def grading(self, labels: list[str], target: str) -> list[Variant]:
        """Return the variants that grade a target."""
        every = self.named(labels)
        return [v for v in every if v.marks(target, self.annotators) is not None]


@kept(said("Reading the grades…"), 4, shared=True)
def _variants(store: Store, sheet: Sheet) -> Variants:
    return variants.read(store, sheet)


@kept(said("Reading the grades…"), 4)
def _costs(store: Store, sheet: Sheet, _variants: Variants) -> dict[int, Cost]:
    return costs(store, sheet, [variant.judge for variant in _variants.every])


@kept(said("Reading the grades…"), shared=True)
def picked(found: ComparedSheet, study: str) -> tuple[Picked, dict[str, str]]:
    """Return what a preset picks; a Problem where there is nothing that it compares."""
    return presets.pick(found.store, found.annotators, list(found.variants.every), study)


@kept(said("Comparing the variants…"))
def compared(
    found: ComparedSheet,
    labels: list[str],
    target: str,
    base: str | None,
    kind: str,
    study: str,
) -> Comparison:
    """Return the comparison of some variants, or of those of a preset."""
    priced = _costs(found.store, found.sheet, found.variants)
    chosen = found.named(labels)
    preset = picked(found, study)[1] if study else None
    return compare.report(
        chosen, found.annotators, target, found.one(base), kind, priced, study=preset
    )


@kept(said("Comparing scores…"), 12, shared=True)
def flips(found: ComparedSheet, first: str, second: str, target: str, kind: str) -> Flips | None:
    """Return the changed scores between two variants; None where one does not grade the target."""
    pair = found.one(first), found.one(second)
    return changed_scores.flips(*pair, found.annotators, target, kind)


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
            words = unit_words.called(store, graded)
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


def difference(store: Store, flipped: Flips, item_id: int) -> None:
    """Show how two requests for an answer differ: settings first, then the messages."""
    st.subheader(say("Differences in the request"), anchor=False)
    sides = [
        changed_scores.sent(store, variant, item_id) for variant in (flipped.first, flipped.second)
    ]
    heads = (flipped.first.label, flipped.second.label)
    unknown = [
        f"{head}: {one.why_none}." for head, one in zip(heads, sides, strict=True) if one.why_none
    ]
    for sentence in unknown:
        st.info(plain(sentence), icon=":material/help:")
    if unknown:
        return
    show_table(changed_scores.settings(*sides), "prompts", in_full=True)
    if diff := changed_scores.prompt_diff(*sides):
        st.code("\n".join(diff), language="diff", wrap_lines=True)
    else:
        st.write(say("The messages are identical."))


LIST = 330  # pixels, so that the difference of the chosen row is in sight below it


def what_flips(store: Store, found: ComparedSheet, kind: str, title: DeltaGenerator) -> None:
    """Show the whole view, its finding at `title`."""
    names = {variant.label: variant.label for variant in found.variants.every}
    if len(names) < 2:
        empty(
            said("There is only one variant"),
            said("Run a second prompt, model or scale on this sheet to see which answers flip."),
            *TO_JUDGES,
        )
        return
    with st.container(horizontal=True):
        first = select(said("From"), "first", names, next(iter(names)))
        rest = {label: label for label in names if label != first}
        second = select(said("To"), "second", rest, next(iter(rest)))
        target = pick_target(found, [first, second])
    flipped = flips(found, first, second, target, kind)
    if flipped is None:
        with title:
            finding(f"{first} and {second} do not both grade {target}")
        return
    shown = changed_scores.document(flipped)
    with title:
        render.head(shown)
    render.body(shown, f"flips-{first}-{second}", in_full=True)
    if not flipped.flips:
        for item_id in found.annotators.items.loc[found.annotators.open, "id"].head(1):
            difference(store, flipped, int(item_id))
        return
    item_id = _list(flipped)
    difference(store, flipped, item_id)
    _answer(store, found, flipped, item_id)


def _list(flipped: Flips) -> int:
    """The flips, worst first; the one that is marked, the first to begin with."""
    st.subheader(say("Answers that flip, worst first"), anchor=False)
    row = render.picked_row(
        render.translated_rows(render.rows_of(changed_scores.table(flipped))),
        f"flips.{flipped.first.label}.{flipped.second.label}.{flipped.target}",
        said("Table: answers that flip, worst first"),
        height=LIST,
    )
    ids = [flip.item_id for flip in flipped.flips]
    named = recall("item")
    item_id = next((i for i in ids if str(i) == named), ids[0]) if row is None else ids[row]
    remember(item=item_id)
    return item_id


def _answer(store: Store, found: ComparedSheet, flipped: Flips, item_id: int) -> None:
    """Show an answer with both variants' and the annotators' grades; record that it was opened."""
    person = looker(store)
    if not agreed(store, person):
        return
    grades.open_item(store, item_id, person.id if person else None)
    st.html(LOOK)
    st.subheader(say("The answer"), anchor=False)
    for one in changed_scores.both_answer_grades(store, flipped, found.annotators, [item_id]):
        agreement.answer(one, flipped.target)


_TERMS = (
    "variant",
    "distance",
    "skill",
    "spread",
    "test-retest",
    "ccc",
    "QWK",
    "exact",
    "baseline",
)


def side_by_side(found: ComparedSheet, choice: CompareChoice, title: DeltaGenerator) -> None:
    """Show the whole view, its finding at `title`."""
    result = compared(found, *choice)
    name = f"{found.sheet.name}-compare-{choice.target}"
    shown = compare_document.document(result)
    with title:
        render.head(shown, in_one=True)
    terms(*_TERMS)
    show_charts(shown, name)
    render.body(shown, name, in_full=True)
