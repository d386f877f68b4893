"""Widgets that every screen shares: pickers, findings, empty states, explanations, downloads."""

import math
import re
from functools import cache
from typing import TypeVar

import streamlit as st

from concord.definitions import digest
from concord.messages import joined, said
from concord.model import Sheet
from concord.reports.panel import wording
from concord.resources import DOCS
from concord.rubrics.model import Rubric
from concord.store import sheets
from concord.store.database import READ_ONLY_TEXT, Store, is_read_only
from concord.store.rubrics import rubric_versions
from concord.ui.frame import (
    address,
    below_filters,
    filters,
    grading_only,
    keep,
    kept,
    linked,
    recall,
    remember,
)
from concord.ui.language import plain, say, word

Number = TypeVar("Number", int, float)
# Where an empty state leads.
TO_JUDGES = "pages/judges.py", "Go to Judges"
TO_SETS = "pages/annotate.py", "Go to Grading sets"
_INSTEAD = "sheet.instead"  # in the session: the sheet shown unasked, and the sentence on it


def finding(title: str, detail: str = "") -> None:
    """The answer of a screen in words at its top."""
    st.header(plain(title), anchor=False)
    if detail:
        st.caption(plain(detail))


def empty(
    title: str, what_to_do: str, page: str | None = None, label: str = "", **query: str
) -> None:
    """Show an empty state, with a link to where to change it."""
    with st.container(border=True):
        st.header(plain(title), anchor=False)
        st.write(plain(what_to_do))
        if page:
            with st.container(key=f"empty-next-{digest(title)}"):
                next_screen_link(page, label, **query)


def action_button(label: str, why_not: str | None, **options) -> bool:
    """A button; where `why_not` says why it is disabled, that is shown with it.

    On hover too, as everywhere: a telephone has no hover. `options` go to `st.button`.
    """
    reason = plain(why_not) if why_not else None
    pressed = st.button(label, disabled=reason is not None, help=reason, **options)
    if reason:
        st.caption(reason)
    return pressed


def next_screen_link(page: str, label: str, **query: str) -> None:
    """Link to the screen where the next step is done; a read-only app has no next step."""
    if is_read_only():
        return
    icon = ":material/arrow_forward:"
    st.page_link(page, label=say(label), icon=icon, query_params=query or None)


def number_field(
    label: str,
    min_value: float | None = None,
    max_value: float | None = None,
    value: float | str | None = "min",
    step: float | None = None,
    *,
    key: str,
    place=st,
    **options,
) -> int | float | None:
    """A number field outside a form, which shows what counts.

    One that is typed beyond the ends becomes the end, and that is said under the field. Left to
    itself the browser shows what was typed while the last good number counts. In a form it holds
    the form back instead, so that there `st.number_input` will do.
    """
    state = st.session_state
    ends = [end for end in (min_value, max_value) if end is not None]
    whole = all(isinstance(one, int) for one in ends + [one for one in (step,) if one is not None])
    typed = state.get(key)
    held = typed
    if typed is not None:
        held = typed if min_value is None else max(typed, min_value)
        held = held if max_value is None else min(held, max_value)
    if held != typed:
        state[key], state[f"{key}.beyond"] = held, (typed, held)
        value = "min"  # the session holds the value that counts
    elif value == "min":
        value = min_value
    kept = place.number_input(
        label, value=value, step=step or (1 if whole else 0.01), key=key, **options
    )
    beyond, instead = state.get(f"{key}.beyond", (None, None))
    if beyond is not None and instead == kept:
        low, high = ("" if end is None else f"{end:,}" for end in (min_value, max_value))
        place.caption(plain(_out_of_range(beyond, low, high)))
    return kept


def _out_of_range(n: float, low: str, high: str) -> str:
    """Return that a number was typed beyond the ends of its field, '' for an open one."""
    if low and high:
        return said("{n:,} is outside {low} to {high}.", n=n, low=low, high=high)
    if low:
        return said("{n:,} is below the minimum, {end}.", n=n, end=low)
    return said("{n:,} is above the maximum, {end}.", n=n, end=high)


def url_toggle(label: str, param: str, *, key: str, **options) -> bool:
    """A toggle that is off at first and kept in the URL; `options` go to `st.toggle`."""
    chosen = st.toggle(label, recall(param) == "1", key=key, **options)
    remember(**{param: "1" if chosen else None})
    return chosen


def url_number(
    label: str,
    name: str,
    least: Number,
    most: Number | None,
    first: Number,
    *,
    unsaid: Number | None = None,
    key: str,
    **options,
) -> Number:
    """A field for a number, kept in the URL under a name; `first` where it says none.

    It is whole where `first` is. The URL says nothing where `unsaid` is chosen. `key` and `options`
    go to `number_field`.
    """
    kind = type(first)
    try:
        wanted = kind(recall(name) or "")
    except ValueError:
        wanted = first
    known = least <= wanted <= (math.inf if most is None else most)
    value = wanted if known else first
    chosen = kind(number_field(label, least, most, value, key=key, **options))
    remember(**{name: None if chosen == unsaid else f"{chosen:g}"})
    return chosen


def no_sheet(then: str) -> None:
    """Show the empty state without a sheet; `then` is what the screen is for once there is one."""
    import_first = said("Import answers, or load the sample; {then}", then=said(then))
    empty(
        said("There is no sheet yet"),
        READ_ONLY_TEXT if is_read_only() else import_first,
        "pages/data.py",
        said("Go to Data"),
    )


def pick_sheet(store: Store) -> Sheet | None:
    """The sheet picker, the same on every screen; None where there is no sheet.

    Where nothing names a sheet, it is the one that was worked on last, and the screen says so until
    another is chosen. Where one is named that is not there, the page ends after saying so.
    """
    every = sheets.all_sheets(store)
    if not every:
        return None
    names = [sheet.name for sheet in every]
    wanted = recall("sheet")
    if wanted and wanted not in names:
        _not_there(store, wanted, names)
    index = names.index(wanted or sheets.last_worked_on(store))
    if not wanted:
        why = said("The sheet used last. Choose another here.") if len(names) > 1 else ""
        st.session_state[_INSTEAD] = (names[index], why)
    sheet = every[index]
    if len(names) > 1:
        # Another list of sheets makes another widget: the old one's state would hide a new sheet.
        key = f"pick.sheet.{digest(names)}"
        chosen = filters().selectbox(say("Sheet"), names, index=index, key=key)
        sheet = every[names.index(chosen)]
    _why_this(sheet.name)
    if sheet.synthetic:
        answers = sheet.synthetic_words()
        st.caption(plain(say("{answers}: a model wrote their questions.", answers=answers)))
    remember(sheet=sheet.name)
    return sheet


def _not_there(store: Store, wanted: str, names: list[str]) -> None:
    """End the page where a sheet is meant that is not there or has no answers yet.

    No other is shown in its place: its figures would be taken for those of the sheet that is meant.
    """
    chosen = filters().selectbox(
        say("Sheet"), names, index=None, placeholder=wanted, key=f"pick.sheet.instead.{wanted}"
    )
    if chosen:
        remember(sheet=chosen)
        st.rerun()
    empty(
        said("There is no sheet “{wanted}” with answers", wanted=wanted),
        said("Choose another sheet above, or add its answers."),
    )
    if wanted in sheets.being_built(store):
        remember(sheet=wanted)  # which the screen Build opens
        next_screen_link("pages/build.py", said("Build from documents"))
    elif not grading_only():
        next_screen_link("pages/data.py", said("Import answers"), do="import")
    st.stop()


def _why_this(chosen: str) -> None:
    """Show why this sheet was selected by default; not after another was chosen."""
    first, why = st.session_state.get(_INSTEAD, ("", ""))
    if chosen != first:
        st.session_state.pop(_INSTEAD, None)
    elif why:
        st.caption(plain(why))


def select(
    label: str,
    key: str,
    options: dict[str, str],
    first: str,
    unsaid: str | None = None,
    help: str | None = None,
) -> str:
    """A choice by name, kept in the URL; `options` names each by the words it is shown with.

    `first`, or else the first of the options, is chosen where the URL says none of them; the URL
    says nothing where `unsaid` is chosen. Without `unsaid` a filter holds on every page of a sheet.
    """
    names = list(options)
    start = _begin(key if unsaid is None else "", names, recall(key), first)
    chosen = st.selectbox(
        say(label),
        names,
        index=names.index(start),
        format_func=_words(options).get,
        help=help,
        # Another first choice makes another widget, which its old state would override.
        key=f"pick.{key}.{digest([*names, first])}",
    )
    if unsaid is None:
        _settle(key, options, start, chosen)
    else:
        remember(**{key: None if chosen == unsaid else chosen})
    return chosen


def _begin(key: str, names: list[str], *wanted: str | None) -> str:
    """Return the first of the names that is wanted: by the URL, by what was kept, by default."""
    url, *default = wanted
    return next(name for name in (url, kept(key), *default, names[0]) if name in names)


_UNKNOWN = "There is no {name} “{given}”. Name one of: {known}."
_OF_PARTS = (
    "The rubric “{given}” is for parts of answers and cannot be used here. Choose one of: {known}."
)


def _settle(
    key: str, options: dict[str, str], start: str, chosen: str, unfit: str = _UNKNOWN
) -> None:
    """Keep a choice; one that only stands in for what a link names is said to do so: `unfit`."""
    named = linked(key)
    if named and named not in options and chosen == start:
        text = said(
            unfit,
            name=said(key),
            given=named,
            known=joined(", ", options.values()),
        )
        below_filters().caption(plain(text))
        return
    if named or chosen != start:
        keep(key, chosen)
    address(key, chosen)


def switch(label: str, name: str, options: dict[str, str], unsaid: str | None = None, **how) -> str:
    """A choice among a few that are all in sight, kept in the URL; the first to begin with.

    The URL says nothing where `unsaid` is chosen; `how` goes to `st.segmented_control`.
    """
    start, how = _begin(name, list(options), recall(name)), {"key": f"pick.{name}"} | how
    chosen = st.segmented_control(
        say(label),
        list(options),
        default=start,
        format_func=_words(options).get,
        required=True,
        **how,
    )
    if linked(name) or chosen != start:
        keep(name, chosen)
    address(name, None if chosen == unsaid else chosen)
    return chosen


def terms(*names: str) -> None:
    """Offer the explanations of some terms, one click away."""
    with st.popover(say("Glossary"), icon=":material/help:"):
        for name in names:
            st.markdown(f"**{say(name)}** · {explanation(name)}")


def explanation(term: str) -> str:
    """Return the sentence of docs/figures.md that explains a term, in the reader's language.

    Raises:
        KeyError: a term without one.
    """
    return say(_explanations()[term])


@cache
def _explanations() -> dict[str, str]:
    text = (DOCS / "figures.md").read_text(encoding="utf-8")
    found = re.findall(r"^### (.+)\n(.+(?:\n.+)*)", text, flags=re.MULTILINE)
    return {term: " ".join(paragraph.split("\n")) for term, paragraph in found}


def _words(options: dict[str, str]) -> dict[str, str]:
    """Return the translated label of each option; names from the data stay."""
    return {key: word(text) for key, text in options.items()}


def pick_rubric(store: Store, names: list[str], first: str = "") -> tuple[int, Rubric]:
    """The rubric picker over some names, each by its title; remembers the choice.

    Without a remembered one it begins with `first`, else with the first of the names.
    """
    chosen = start = _begin("rubric", names, recall("rubric"), first)
    called = wording.called(store, names)
    if len(names) > 1:
        words = {name: word(title) for name, title in called.items()}
        resets = st.session_state.get("pick.rubric.anew")  # else it shows what it showed before
        key = f"pick.rubric.{resets}" if resets else "pick.rubric"
        chosen = filters().selectbox(
            say("Rubric"), names, index=names.index(start), format_func=words.get, key=key
        )
    named = linked("rubric")
    is_of_parts = named and named not in names and named in rubric_versions.of_parts(store)
    _settle("rubric", called, start, chosen, _OF_PARTS if is_of_parts else _UNKNOWN)
    return rubric_versions.named(store, chosen)
