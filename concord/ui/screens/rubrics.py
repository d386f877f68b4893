"""Rubrics: read, edited in a form of their fields or as TOML, and saved as a new version."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from concord.grading.adjudications import RUBRIC
from concord.language.languages import LANGUAGES
from concord.messages import Problem, counted, joined, said
from concord.model import Sheet
from concord.reports import disagreements
from concord.reports.workflow import regrade
from concord.rubrics import edit
from concord.rubrics.model import (
    OF_ANSWERS,
    Criterion,
    CriterionTranslation,
    Example,
    Level,
    Rubric,
    Translation,
    parse,
    validated,
    weight_text,
)
from concord.rubrics.rubric_toml import as_toml
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_edits
from concord.store.rubrics.rubric_edits import GradeCounts
from concord.ui import render
from concord.ui.actions import refusals
from concord.ui.caching import kept
from concord.ui.frame import recall, remember
from concord.ui.language import called, language, plain
from concord.ui.model_form import model_fields, model_table
from concord.ui.widgets import action_button

FORM, TOML = "Form", "TOML"
_YOURS = "Your rubric"
# In the session: the rubric that is edited, the draft the widgets began with, which draft that is
# (a new one needs new widgets), and the newest draft that was right.
_HELD = "rubric.held"
_Change = Callable[[Rubric], Rubric]


def criterion_html(rubric: Rubric, criterion: Criterion) -> str:
    """One criterion as HTML; every text of the rubric is escaped."""
    levels = ""
    for level in criterion.levels:
        fails = (
            '<span class="fails">fails</span>' if level.score in rubric.failing(criterion) else ""
        )
        examples = ""
        for example in level.examples:
            texts = {one: getattr(example, name) for name, one in _titles(Example).items()}
            rows = (
                f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in texts.items() if text
            )
            examples += f"<dl>{''.join(rows)}</dl>"
        if examples:
            n = counted(len(level.examples), "example")
            examples = f"<details><summary>{n}</summary>{examples}</details>"
        levels += (
            f'<div class="concord-level"><b>{level.score}</b><div><span class="meaning">'
            f"{escape(level.meaning.strip())}</span>{fails}{examples}</div></div>"
        )
    weight = f"weight {weight_text(criterion.weight)}" if len(rubric.criteria) > 1 else ""
    return (
        '<section class="concord-criterion"><header>'
        f'<h3>{escape(criterion.heading())}</h3><span class="weight">{weight}</span></header>'
        f'<p class="asks">{escape(criterion.question.strip())}</p>'
        f'<div class="concord-levels">{levels or "<p>No meanings: for imported grades only.</p>"}'
        "</div></section>"
    )


def _titles(model: type[Example]) -> dict[str, str]:
    return {name: field.title for name, field in model.model_fields.items()}


def show(rubric: Rubric) -> None:
    """Show every criterion as a grader reads it, in the language of the reader."""
    read = rubric.in_language(language())
    for criterion in read.criteria:
        st.html(criterion_html(read, criterion))


def editor(store: Store, base: Rubric) -> None:
    """The editor of a rubric, what saving it would do, and Save."""
    held = st.session_state.get(_HELD)
    if not held or held["base"] != base:
        _forget()
        draft = base
        if not rubric_edits.is_own(store, base.name):
            names = (
                rubric_edits.free_name(store, base.name),
                rubric_edits.free_title(store, base.title),
            )
            draft = base.model_copy(update=dict(zip(("name", "title"), names, strict=True)))
        held = st.session_state[_HELD] = {"base": base, "draft": draft, "n": 0}
    bar, key, draft = st.container(), f"rubric.{held['n']}", held["draft"]
    change, problem = None, ""
    try:
        if st.session_state.get("rubric.view") == TOML:
            text = st.text_area("Rubric", as_toml(draft), height=560, key=f"{key}.toml")
            held["rubric"] = parse(text, _YOURS)
        else:
            filled, change = form(draft, key)
            if change:
                _begin(change(filled))
                st.rerun()
            held["rubric"] = validated(Rubric, filled.model_dump(warnings=False), _YOURS)
    except Problem as fault:
        problem = str(fault)
    bar.segmented_control(
        "View",
        [FORM, TOML],
        key="rubric.view",
        default=FORM,
        required=True,
        label_visibility="collapsed",
        disabled=bool(problem),
        on_change=lambda: _begin(held["rubric"]),
    )
    if problem:
        st.error(plain(problem), icon=":material/error:")
        _discard()
        return
    rubric = held["rubric"]
    carried = carrying(store, base, rubric)
    with st.expander("Preview for annotators"):
        show(rubric)
    why_not = store.why_no_lead() or ("Nothing was changed yet." if rubric == base else None)
    for name, codes in edit.outdated(base, rubric).items():
        st.warning(
            plain(
                said(
                    "{criterion} was reworded, but not in {languages}. Correct or empty the "
                    "translation.",
                    criterion=rubric.criterion(name).heading(),
                    languages=joined(", ", map(called, codes)),
                )
            ),
            icon=":material/translate:",
        )
    with st.container(horizontal=True):
        label = f"Save as {plain(rubric.name)}"
        pressed = action_button(label, why_not, type="primary", key="rubric.save")
        _discard()
    if pressed:
        _save(store, base, rubric, carried)


def _begin(draft: Rubric) -> None:
    """Show another draft."""
    held = st.session_state[_HELD]
    held.update(draft=draft, n=held["n"] + 1)


def _forget() -> None:
    """Forget the draft, and what its form was filled with."""
    for key in [key for key in st.session_state if str(key).startswith("rubric.")]:
        del st.session_state[key]


def _discard() -> None:
    if st.button("Discard", key="rubric.discard"):
        _forget()
        remember(edit=None, criterion=None)
        st.rerun()


def _save(store: Store, base: Rubric, rubric: Rubric, carried: dict[str, str]) -> None:
    try:
        rubric_edits.save(store, base, rubric, carried)
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    _forget()
    st.toast(f"Saved as {plain(rubric.name)}.")
    remember(rubric=rubric.name, edit=None, criterion=None)
    st.session_state["pick.rubric.anew"] = st.session_state.get("pick.rubric.anew", 0) + 1
    st.rerun()


def form(draft: Rubric, key: str) -> tuple[Rubric, _Change | None]:
    """Show the form of a draft; return it as filled in, and what else is to change in it."""
    given = model_fields(Rubric, dict(draft), key, choices={"shown": [*OF_ANSWERS]})
    scale, shown = given.pop("scale"), given.pop("shown") or ()
    change = None
    if scale != draft.scale and len(scale) > 1 and all(isinstance(one, int) for one in scale):
        change, scale = partial(edit.with_scale, scale=scale), draft.scale
    wanted = recall("criterion")  # the one to be reworded comes first
    filled = {}
    for criterion in sorted(draft.criteria, key=lambda one: one.name != wanted):
        with st.container(border=True):
            filled[criterion.name] = _criterion(draft, criterion, f"{key}.{criterion.name}")
            if len(draft.criteria) > 1 and st.button(
                "Remove criterion",
                key=f"{key}.{criterion.name}.remove",
                icon=":material/delete:",
                type="tertiary",
            ):
                change = partial(edit.without_criterion, name=criterion.name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.text_input("Title of a new criterion", key=f"{key}.new").strip()
        if st.button("Add criterion", key=f"{key}.add", icon=":material/add:") and title:
            change = partial(edit.with_criterion, title=title)
    criteria = tuple(filled[one.name] for one in draft.criteria)
    draft = _with(draft, given, scale=scale, shown=shown, criteria=criteria)
    return _translated(draft, key), change


def _with(before: Any, given: Mapping[str, Any], **more: Any) -> Any:
    """Return a copy with what a form gave; a text stays where only space around it differs."""
    held = {name: getattr(before, name) for name in given}
    texts = {
        name: text if text.strip() == (given[name] or "").strip() else given[name] or ""
        for name, text in held.items()
        if isinstance(text, str)
    }
    return before.model_copy(update={**given, **texts, **more})


def _criterion(draft: Rubric, criterion: Criterion, key: str) -> Criterion:
    """Show the fields of a criterion, its meanings and examples; return it as filled in."""
    weight, heading = criterion.weight, criterion.heading()
    written = weight_text(weight) if isinstance(weight, Fraction) else weight or ""
    held = {**dict(criterion), "weight": written, "title": heading}
    given = model_fields(Criterion, held, key, choices={"fails_at": draft.scale[:-1]})
    if given["weight"] == written:
        given["weight"] = weight
    if given["title"] == heading:
        given["title"] = criterion.title
    levels = criterion.levels or [
        Level.model_construct(score=score, meaning="", label="", examples=())
        for score in draft.scale
    ]
    meanings = _meanings(levels, [one.meaning.strip() for one in levels], key)
    rows = [{"score": one.score, **dict(each)} for one in levels for each in one.examples]
    with st.expander(f"Examples ({len(rows)})"):
        rows = model_table(Example, rows, f"{key}.examples", draft.scale)
    filled = [
        _with(
            one,
            {"meaning": meaning},
            examples=tuple(
                Example(**{name: row[name] for name in Example.model_fields})
                for row in rows
                if row["score"] == one.score
            ),
        )
        for one, meaning in zip(levels, meanings, strict=True)
    ]
    is_blank = not criterion.levels and not any(one.meaning for one in filled)
    return _with(criterion, given, levels=() if is_blank else tuple(filled))


def _translated(draft: Rubric, key: str) -> Rubric:
    """Show the translation into the language that the user picks; return the draft with it."""
    held = {one.language: one for one in draft.translations}
    chosen = st.selectbox(
        "Translation",
        list(dict.fromkeys((*LANGUAGES, *held))),
        index=None,
        key="rubric.language",
        placeholder="Choose a language",
        format_func=lambda code: called(code) + (" (translated)" if code in held else ""),
    )
    if chosen is None:
        return draft
    old, at = held.get(chosen) or Translation(language=chosen), f"{key}.in.{chosen}"
    texts, criteria = model_fields(Translation, dict(old), at), []
    for criterion in draft.criteria:
        was, name = old.of(criterion.name), f"{at}.{criterion.name}"
        st.markdown(f"**{plain(criterion.heading())}**")
        given = model_fields(CriterionTranslation, dict(was), name)
        meanings = _meanings(criterion.levels, was.meanings, name)
        criteria.append(_with(was, given, meanings=meanings if any(meanings) else ()))
    return edit.with_translation(draft, _with(old, texts, criteria=tuple(criteria)))


def _meanings(levels: Sequence[Level], held: Sequence[str], key: str) -> tuple[str, ...]:
    """Show a text for each score; `held` may be empty."""
    with st.container(horizontal=True):
        return tuple(
            st.text_area(
                f"What {one.score} means",
                text,
                key=f"{key}.{one.score}",
                height="content",
                width=520,
            )
            for one, text in zip(levels, held or ("",) * len(levels), strict=True)
        )


def carrying(store: Store, base: Rubric, rubric: Rubric) -> dict[str, str]:
    """Show the effect of saving; return by criterion why its change is of wording only."""
    st.subheader("Effect of saving", anchor=False)
    effects = st.container()
    given = {sheet.name: _grade_counts(store, sheet, base) for sheet in sheets.all_sheets(store)}
    carried = {}
    for name in (one.criterion for one in edit.changes(base, rubric) if one.may_carry):
        n = sum(sum(of.get(name, ())) for of in given.values())
        label = f"Only the wording of {name} changed: keep counting its {counted(n, 'grade')}"
        if n and st.checkbox(label, key=f"rubric.carry.{name}"):
            label = "Reason why the new wording changes no grade"
            carried[name] = st.text_input(label, key=f"rubric.carry.{name}.why")
    with effects:
        found = regrade.edit_effect(base, rubric, given, carried)
        st.markdown(f"**{plain(found.headline)}**")
        render.show_table(found.tables[0], "edit-effect")
        if rubric.versions() != base.versions() and (held := rubric_edits.sets_under(store, base)):
            st.caption(
                plain(said("Sets that keep the old words: {sets}.", sets=joined(", ", held)))
            )
    return carried


@kept("Counting grades…")
def _grade_counts(store: Store, sheet: Sheet, rubric: Rubric) -> dict[str, GradeCounts]:
    return rubric_edits.grade_counts(store, sheet.id, rubric)


def unclear_notes(store: Store, rubric: Rubric, criterion: str) -> None:
    """Show the notes of annotators who called a criterion unclear on the sheet the URL names."""
    sheet = sheets.find(store, recall("sheet") or "")
    tags = disagreements.tags_of(store, sheet.id, rubric) if sheet else {}
    noted = disagreements.noted(tags, criterion, RUBRIC)
    if noted:
        notes = "\n".join(f"- {plain(one.note)} ({plain(one.who)})" for one in noted if one.note)
        unclear = said("Marked unclear: {n:,}. Regrade after rewording it.", n=len(noted))
        st.info(f"{plain(unclear)}\n\n{notes}")


def left_behind(store: Store, rubric: Rubric, criteria: Sequence[str]) -> None:
    """Show which grades of earlier versions need a regrade, and what became of the others."""
    for criterion in criteria:
        heading = plain(rubric.criterion(criterion).heading())
        if asking := [counts for _, counts in regrade.to_ask(store, rubric, criterion)]:
            st.warning(heading + " was reworded.")
            with st.expander("Outdated grades", key=f"regrade.{criterion}"):
                render.show_table(regrade.requests_table(asking), f"{rubric.name}-{criterion}")
                label, key = "Ask annotators to regrade these", f"regrade.ask.{criterion}"
                if action_button(label, store.why_no_lead(), type="primary", key=key):
                    with refusals():
                        regrade.ask(store, rubric, criterion, store.by())
                        st.rerun()
        if again := regrade.rows(store, rubric, criterion):
            title = f"{heading}: {regrade.regraded_sentence(again)}"
            with st.expander(title, key=f"regrade.again.{criterion}"):
                render.show_table(regrade.table(again), f"{rubric.name}-{criterion}")
