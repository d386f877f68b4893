"""The filters of the review, the same for every kind of entry, and what they leave."""

from collections.abc import Sequence

import streamlit as st

from concord.messages import joined, said
from concord.model import Sheet
from concord.reports.work_list import ANY
from concord.store import items
from concord.store.database import Store
from concord.ui.caching import kept
from concord.ui.frame import address, filters, more_filters, recall, remember
from concord.ui.language import say
from concord.ui.screens.review.kinds import Chosen, Kind
from concord.ui.widgets import finding, no_sheet, pick_sheet, select

_ALL = "all"


def pick(store: Store, title, every: Sequence[type[Kind]]) -> list[Kind] | None:
    """Show filters and headline; return the kinds that pass, None where there is nothing yet."""
    sheet = pick_sheet(store)
    if sheet is None:
        then = said("this screen lists where a judge and annotators differ, worst first.")
        no_sheet(said("annotators and judges grade them, and {then}", then=then))
        return None
    of_sheet = _of_sheet(store, sheet, every)
    with filters():
        shown = _pick_kinds(of_sheet, every[0])
        kinds = [kind(store, sheet) for kind in shown]
    there = [kind for kind in kinds if not kind.is_missing()]
    if not there:
        kinds[0].lead_on()
        return None
    passing = _narrow(store, sheet, there)
    with title:
        _headline(passing, [one.title for one in of_sheet if one not in shown])
    return passing


def _of_sheet(store: Store, sheet: Sheet, every: Sequence[type[Kind]]) -> Sequence[type[Kind]]:
    """Return the kinds that a sheet has, and the one that is linked; the first without any."""
    linked = recall("list")
    return [one for one in every if one.name == linked or one.is_on(store, sheet)] or every[:1]


def _pick_kinds(kinds: Sequence[type[Kind]], main: type[Kind]) -> Sequence[type[Kind]]:
    """Return the kind that is chosen, or all; the main one to begin with where the sheet has it."""
    if len(kinds) < 2:
        return kinds
    titles = {_ALL: said("All"), **{one.name: one.title for one in kinds}}
    first = main.name if main in kinds else _ALL
    before = recall("list") or first
    chosen = select(said("Show"), "list", titles, first, first)
    if chosen != before:  # what another kind began with would leave out all that is chosen now
        for filter_of_kind in ("criterion", "judge"):
            address(filter_of_kind, ANY if chosen == _ALL else None)
    return [one for one in kinds if chosen in (_ALL, one.name)]


def _narrow(store: Store, sheet: Sheet, kinds: list[Kind]) -> list[Kind]:
    """Return the kinds with entries that all filters may let pass.

    What a filter says nothing of is left out where it is set.
    """
    with filters():
        criterion = _pick(said("Criterion"), "criterion", said("All criteria"), kinds)
        judge = _pick(said("Judge"), "judge", said("All judges"), kinds)
        found = _search(store, sheet)
    kinds = [one for one in kinds if criterion in (None, *one.criterion)]
    kinds = [one for one in kinds if judge in (None, *one.judge)]
    params = [param for one in kinds for param in one.params]
    # Eight filters have no room beside one another on a laptop.
    with more_filters("answer_model", *params) if params else filters():
        chosen = Chosen(criterion, judge, _pick_model(store, sheet), found)
        kinds = [one for one in kinds if one.own_filters(chosen)] or kinds
    for one in kinds:
        one.narrow(chosen)
    return kinds


def _pick(label: str, name: str, every: str, kinds: Sequence[Kind]) -> str | None:
    """Return a criterion or a judge of any kind; None for all."""
    options = {key: words for kind in kinds for key, words in getattr(kind, name).items()}
    if not options:
        return None
    words = [*options.values()]  # of two judges of one name the label tells which
    options = {key: one if words.count(one) == 1 else key for key, one in options.items()}
    first, *others = kinds
    start = None if others else first.first.get(name)
    if not start or (len(options) > 1 and not first.is_read):
        options = {ANY: every, **options}
    chosen = select(label, name, options, start or ANY)
    return None if chosen == ANY else chosen


def _pick_model(store: Store, sheet: Sheet) -> str | None:
    models = _models(store, sheet)
    if len(models) < 2:
        return None
    options = {ANY: said("All models"), **dict(zip(models, models, strict=True))}
    chosen = select(said("Answers by"), "answer_model", options, ANY, ANY)
    return None if chosen == ANY else chosen


def _search(store: Store, sheet: Sheet) -> set[int] | None:
    words = st.text_input(
        say("Search"),
        recall("words") or "",
        placeholder=say("question, answer or id"),
        key=f"review.words.{sheet.id}",
    ).strip()
    remember(words=words or None)
    return _matching(store, sheet, words) if words else None


def _headline(kinds: Sequence[Kind], hidden: Sequence[str]) -> None:
    """Show how much there is to review, or what entries of one kind say; then what is hidden."""
    full = [one for one in kinds if one.total] or kinds
    decided = [one for one in full if not one.is_read]
    first, *others = decided or full or [None]
    if first is None:
        title, detail = said("This list is empty"), ""
    elif others:
        total = sum(one.total for one in decided)
        words = joined(", ", [one.counted() for one in decided])
        title, detail = said("{n:,} to review: {kinds}", n=total, kinds=words), ""
    else:
        title, detail = first.headline()
    rest = [one.counted() for one in full if one.is_read and one is not first]
    if hidden:
        rest.append(said("Not shown: {kinds}", kinds=joined(", ", hidden)))
    finding(title, joined(" · ", [*filter(None, [detail]), *rest]))


@kept()
def _models(store: Store, sheet: Sheet) -> list[str]:
    """Return the answering models by name."""
    return sorted({model for *_, model in items.item_names(store, sheet.id).values() if model})


@kept(said("Searching…"), 12)
def _matching(store: Store, sheet: Sheet, words: str) -> set[int]:
    """Return the answers whose text, question or id holds some words."""
    return items.matching(store, sheet.id, words)
