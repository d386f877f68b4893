"""Compare prompts and scales: variants of a judge side by side, and the scores that change."""

import json

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from concord.messages import Problem, capital
from concord.model import Sheet
from concord.reports import comparison
from concord.reports.comparison import first_target, target_name, targets
from concord.reports.decision.cost import costs
from concord.reports.panel import variants
from concord.reports.panel.criterion_comparison import EACH
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.variants import Variant, Variants
from concord.reports.panel.wording import named
from concord.store import grades
from concord.store.database import Store
from concord.store.sheets import state_key
from concord.ui import render
from concord.ui.caching import Keyed, kept
from concord.ui.chart import show_charts
from concord.ui.frame import filters, recall, recall_several, remember
from concord.ui.language import plain
from concord.ui.looker import agreed, looker
from concord.ui.markup import LOOK
from concord.ui.reports import no_grades, show_left_out
from concord.ui.screens import agreement
from concord.ui.screens.agreement import REFERENCES
from concord.ui.widgets import (
    TO_JUDGES,
    empty,
    next_screen_link,
    no_sheet,
    pick_rubric,
    pick_sheet,
    select,
    switch,
    terms,
)

FLIPS = "flips"
_THEN = "this screen compares the judges' prompts and scales."


class ComparedSheet(Keyed):
    """The variants of one sheet by label, compared with the annotators' grades under one rubric."""

    def __init__(self, store: Store, sheet: Sheet, rubric: str):
        self.store = store
        self.sheet = sheet
        every = _variants(store, sheet)
        self.variants = {variant.label: variant for variant in every.every}
        self.annotators = every.annotators(rubric)
        self.key = (state_key(store, sheet), rubric)


@kept("Reading the grades…", 4, shared=True)
def _variants(store: Store, sheet: Sheet) -> Variants:
    return variants.read(store, sheet)


@kept("Comparing the variants…")
def _compared(
    of: ComparedSheet, labels: tuple[str, ...], target: str, base: str | None, kind: str
) -> dict:
    chosen = [of.variants[label] for label in labels]
    priced = costs(of.store, of.sheet, [variant.judge for variant in chosen])
    return comparison.report(chosen, of.annotators, target, of.variants.get(base), kind, priced)


@kept("Comparing scores…", 12, shared=True)
def _changed(of: ComparedSheet, first: str, second: str, target: str) -> dict:
    compared = _compared(of, (first, second), target, first, EACH)
    pair = of.variants[first], of.variants[second]
    return comparison.with_changes(compared, pair, of.annotators, of.variants.values())


def show(store: Store) -> None:
    """Show the screen."""
    sheet = pick_sheet(store)
    if sheet is None:
        no_sheet(f"annotators and judges grade them, and {_THEN}")
        return
    graded = _variants(store, sheet).graded
    if not graded:
        no_grades(sheet, _THEN)
        return
    _, rubric = pick_rubric(store, list(graded))
    of = ComparedSheet(store, sheet, rubric.name)
    show_left_out(of.annotators.not_included)
    title = st.container()
    views = {"side": "Side by side", FLIPS: "Before and after"}
    view = switch("View", "view", views, label_visibility="collapsed")
    if len(of.variants) < (2 if view == FLIPS else 1):
        empty(
            "There is nothing to compare yet",
            "Run two judges, or one with two prompts or two scales; the baseline is free.",
            *TO_JUDGES,
        )
    elif view == FLIPS:
        _show_flips(store, of, title)
    else:
        _side_by_side(of, title)


def _side_by_side(of: ComparedSheet, title: DeltaGenerator) -> None:
    """Ask what to compare, and show the comparison, its finding at `title`."""
    studies = {"": "All variants"} | {name: capital(name) for name in comparison.STUDIES}
    study = select("Study", "study", studies, "")
    base = None
    if study:
        try:
            every = list(of.variants.values())
            chosen, base = comparison.pick(of.store, of.annotators, every, study)
        except Problem as problem:
            empty(studies[study], problem.args[0], *TO_JUDGES)
            return
    else:
        chosen = _pick_variants(of)
    with filters():
        target = _pick_target(of, chosen)
        able = [v for v in chosen if v.marks(target, of.annotators) is not None]
        names = {v.label: named(v.label, v.judge.simulated) for v in able}
        label = next(iter(names), None)
        if len(names) > 1:
            first = base if base in able else next((v for v in able if not v.floor), able[0])
            label = select("Base variant", "base", names, first.label)
        kind = switch("Compared with", "reference", REFERENCES)
    labels = tuple(v.label for v in chosen)
    shown = comparison.document(_compared(of, labels, target, label, kind))
    with title:
        render.head(shown, in_one=True)
    terms("variant", "distance", "skill", "ccc", "QWK", "exact", "baseline")
    name = f"{of.sheet.name}-compare-{target}"
    show_charts(shown, name)
    render.body(shown, name)


def _pick_variants(of: ComparedSheet) -> list[Variant]:
    """The variants to compare; all of them unless the URL says otherwise."""
    every = {label: named(label, v.judge.simulated) for label, v in of.variants.items()}
    wanted = [one for one in recall_several("variants") if one in every] or list(every)
    chosen = st.multiselect(
        "Variants",
        list(every),
        default=wanted,
        format_func=every.get,
        key=f"compare.variants.{of.sheet.id}.{len(every)}",
        placeholder="Choose",
    )
    whole = not chosen or set(chosen) == set(every)
    remember(variants=None if whole else json.dumps(chosen, ensure_ascii=False))
    return [variant for label, variant in of.variants.items() if whole or label in chosen]


def _pick_target(of: ComparedSheet, chosen: list[Variant]) -> str:
    names = {
        name: "Composite" if name == COMPOSITE else capital(target_name(name))
        for name in targets(chosen, of.annotators)
    }
    return select("Criterion", "criterion", names, first_target(chosen, of.annotators))


def link_to_flips(first: str, second: str, sheet: str, rubric: str) -> None:
    """Link to the answers on which two judges differ, from `second` to `first`."""
    query = {"view": FLIPS, "first": second, "second": first, "sheet": sheet, "rubric": rubric}
    st.page_link(
        "pages/compare.py",
        label=plain(f"{first} and {second}, answer by answer"),
        icon=":material/compare_arrows:",
        query_params=query,
    )


def _show_flips(store: Store, of: ComparedSheet, title: DeltaGenerator) -> None:
    """Show two variants answer by answer, the finding at `title`."""
    names = {label: label for label in of.variants}
    with st.container(horizontal=True):
        first = select("From", "first", names, next(iter(names)))
        del names[first]
        second = select("To", "second", names, next(iter(names)))
        pair = of.variants[first], of.variants[second]
        target = _pick_target(of, [*pair])
    compared = _changed(of, first, second, target)
    changed, shown = compared.get("changed"), comparison.document(compared)
    with title:
        render.head(shown)
        if changed and not changed["is_honest"]:
            next_screen_link("pages/plan.py", "Plan fresh questions")
            next_screen_link("pages/splits.py", "Held-out questions")
    render.body(shown, f"flips-{first}-{second}")
    if not (changed and changed["flips"]):
        return
    st.subheader("Answers that changed", anchor=False)
    row = render.picked_row(
        render.translated_rows(render.rows_of(comparison.table(compared, pair))),
        f"flips.{first}.{second}.{target}",
        "Table: answers that changed",
    )
    ids, linked = [one["id"] for one in changed["answers_changed"]], recall("item")
    item_id = next((i for i in ids if str(i) == linked), ids[0]) if row is None else ids[row]
    remember(item=item_id)
    _difference(store, pair, item_id)
    person = looker(store)
    if agreed(store, person):
        grades.open_item(store, item_id, person.id if person else None)
        st.html(LOOK)
        st.subheader("The answer", anchor=False)
        agreement.answer(comparison.answer_of_both(store, pair, of.annotators, item_id), target)


def _difference(store: Store, pair: tuple[Variant, Variant], item_id: int) -> None:
    """Show how two requests for an answer differ, settings included."""
    st.subheader("Differences in the request", anchor=False)
    try:
        requests = [comparison.sent(store, variant, item_id) for variant in pair]
    except Problem as problem:
        st.info(plain(str(problem)), icon=":material/help:")
        return
    if diff := comparison.request_diff(*requests):
        st.code(diff, language="diff", wrap_lines=True)
    else:
        st.write("The requests are identical.")
