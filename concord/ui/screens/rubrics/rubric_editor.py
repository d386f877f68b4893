"""Editing a copy of a rubric: a form for words and weights, TOML for everything else.

The draft lives in `session_state` as TOML, which both views write; nothing is stored before Save.
"""

from fractions import Fraction

import streamlit as st

from concord.messages import counted, joined, said
from concord.problems import Problem
from concord.rubrics.edit import Change, changes
from concord.rubrics.model import Criterion, Level, Rubric, parse
from concord.rubrics.writer import as_toml
from concord.store.database import Store
from concord.store.rubrics import rubric_edits, rubric_versions
from concord.ui.frame import recall, remember
from concord.ui.language import plain, say
from concord.ui.screens.rubrics.rubric_card import SHOWN, criterion_html, weight_text

FORM, TOML = said("Wording and weights"), said("Whole rubric (TOML)")
YOURS = said("Your rubric")


def editor(store: Store, base: Rubric) -> None:
    """The editor of a copy of `base`, what saving it would do, and Save."""
    draft = _draft(store, base)
    bar = st.container(horizontal=True)
    view = st.session_state.get("rubric.view") or FORM
    rubric, problem = _edited(draft, view)
    bar.segmented_control(
        say("View"), [FORM, TOML], key="rubric.view", default=FORM, required=True,
        format_func=say, label_visibility="collapsed", disabled=problem is not None,
    )  # fmt: skip
    if problem:
        st.error(plain(problem), icon=":material/error:")
        _leave()
        return
    st.session_state["rubric.draft"] = {"base": base.body(), "toml": as_toml(rubric)}
    _saving(store, base, rubric)


def _draft(store: Store, base: Rubric) -> Rubric:
    """Return the draft of this session; a fresh copy where it has another base."""
    kept = st.session_state.get("rubric.draft")
    if kept and kept["base"] == base.body():
        return parse(kept["toml"], YOURS)
    if rubric_edits.is_own(store, base.name):
        return base
    name, title = (
        free(store, old)
        for free, old in (
            (rubric_edits.free_name, base.name),
            (rubric_edits.free_title, base.title),
        )
    )
    return base.model_copy(update={"name": name, "title": title})


def _edited(draft: Rubric, view: str) -> tuple[Rubric, str | None]:
    """The draft as the user left it in this view, or the draft with what is wrong."""
    try:
        if view == TOML:
            text = st.text_area(say("Rubric"), as_toml(draft), height=560, key="rubric.toml")
            st.caption(say("Press Ctrl+Enter to check your text."))
            return parse(text, YOURS), None
        return parse(as_toml(_form(draft)), YOURS), None
    except Problem as problem:
        return draft, str(problem)


def _form(draft: Rubric) -> Rubric:
    """The form; what it gives may break the rules of a rubric and is parsed afterwards."""
    left, right = st.columns(2)
    name = left.text_input(
        say("Name"), draft.name, key="rubric.name", help=say("Letters, digits, . _ -")
    )
    title = right.text_input(say("Title"), draft.title, key="rubric.title")
    about = st.text_area(say("About"), draft.about.strip(), key="rubric.about", height=90)
    shown = st.multiselect(
        say("Shown with the answer"), list(SHOWN), list(draft.shown), key="rubric.shown",
        format_func=lambda part: say(SHOWN[part]), help=say("Annotators and judges see the same."),
    )  # fmt: skip
    wanted = recall("criterion")  # the one to be reworded comes first
    first = sorted(draft.criteria, key=lambda criterion: criterion.name != wanted)
    edited = {criterion.name: _criterion_form(draft, criterion) for criterion in first}
    st.caption(
        say(
            "Edit criteria, scale and examples in the other view, “{view}”. It keeps your changes "
            "from here.",
            view=TOML,
        )
    )
    return Rubric.model_construct(
        name=name.strip(),
        title=title,
        about=_kept(draft.about, about),
        scale=draft.scale,
        shown=tuple(shown),
        criteria=tuple(edited[criterion.name] for criterion in draft.criteria),
    )


def _criterion_form(draft: Rubric, criterion: Criterion) -> Criterion:
    key = f"rubric.{criterion.name}"
    with st.container(border=True):
        left, middle, right = st.columns([3, 1, 1])
        title = left.text_input(say("Title"), criterion.heading(), key=f"{key}.title")
        weight = middle.text_input(
            say("Weight"),
            weight_text(criterion.weight),
            key=f"{key}.weight",
            help=say("0.6, or 1/3"),
        )
        fails_at = right.selectbox(
            say("Fails up to"), draft.scale[:-1], key=f"{key}.fails",
            index=_fails_index(draft, criterion),
            help=say("Scores up to this one count as failing."),
        )  # fmt: skip
        question = st.text_input(say("Question"), criterion.question.strip(), key=f"{key}.question")
        levels = _levels_form(key, draft, criterion)
    same = fails_at == max(draft.failing(criterion), default=None)
    return Criterion.model_construct(
        name=criterion.name,
        title=criterion.title if title == criterion.heading() else title,
        weight=_weight_of(weight, criterion.name),
        question=_kept(criterion.question, question),
        levels=tuple(levels),
        fails_at=criterion.fails_at if same else fails_at,
    )


def _fails_index(draft: Rubric, criterion: Criterion) -> int | None:
    failing = draft.failing(criterion)
    return draft.scale.index(max(failing)) if failing else None


def _levels_form(key: str, draft: Rubric, criterion: Criterion) -> list[Level]:
    """The meanings; where there are none yet, all can stay blank."""
    if criterion.levels:
        return [_level_form(key, level) for level in criterion.levels]
    blank = (Level.model_construct(score=score, meaning="") for score in draft.scale)
    levels = [_level_form(key, level) for level in blank]
    return levels if any(level.meaning.strip() for level in levels) else []


def _level_form(key: str, level: Level) -> Level:
    meaning = st.text_area(
        say("What {score} means", score=level.score),
        level.meaning.strip(),
        key=f"{key}.{level.score}",
        height=68,
    )
    return level.model_copy(update={"meaning": _kept(level.meaning, meaning)})


def _kept(before: str, after: str) -> str:
    """The text as it was where only white space around it differs."""
    return before if before.strip() == after.strip() else after


def _weight_of(text: str, name: str) -> Fraction:
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise Problem(
            said(
                "{name}: the weight “{text}” is not a number. Write 0.6, or a fraction such as "
                "1/3.",
                name=name,
                text=text,
            )
        ) from None


def _saving(store: Store, base: Rubric, rubric: Rubric) -> None:
    """Show the effect of saving, the choice to carry grades over, and the button Save."""
    st.subheader(say("Effect of saving"), anchor=False)
    found = changes(base, rubric)
    grades = rubric_versions.hanging(store, base)
    carried = {}
    for change in found:
        st.markdown(f"- {say(_sentence(change, grades.get(change.criterion, 0)))}")
        if change.may_carry and grades[change.criterion]:
            carried |= _carrying(change, grades[change.criterion])
    with st.expander(say("Preview for graders")):
        for criterion in rubric.criteria:
            st.html(criterion_html(rubric, criterion))
    agreed = _freeze_agreed(store, base, rubric)
    with st.container(horizontal=True):
        save = st.button(
            say("Save as {name}", name=rubric.name),
            type="primary",
            key="rubric.save",
            disabled=rubric == base or not agreed,
        )
        _leave()
    if save:
        _save(store, base, rubric, carried)


def _freeze_agreed(store: Store, base: Rubric, rubric: Rubric) -> bool:
    """The user's word on saving under a name whose words are frozen in some set."""
    frozen = rubric_versions.broken_freezes(store, base, rubric)
    if not frozen:
        return True
    st.warning(
        plain(
            said(
                "{name} is frozen: {sets}. The set keeps the frozen wording and is graded by it; "
                "what you save here applies to new sets, and grades that are no longer comparable "
                "are kept apart. Under another name none of this applies.",
                name=base.name,
                sets=joined(", ", frozen),
            )
        )
    )
    words = say("Save the new wording under {name} anyway", name=base.name)
    return st.checkbox(words, key="rubric.frozen")


def _sentence(change: Change, grades: int) -> str:
    """Return the effect of saving on one criterion and its grades."""
    name, stay = change.criterion, _stay(grades)
    if change.kind == "added":
        return said("**{name}** is added; it starts without grades.", name=name)
    if change.kind == "removed":
        if not grades:
            return said("**{name}** is removed; {stay}.", name=name, stay=stay)
        return said("**{name}** is removed; {stay} with the old rubric.", name=name, stay=stay)
    if not change.what:
        return said("**{name}** stays as it is.", name=name)
    told = {"name": name, "what": joined(", ", change.what), "stay": stay}
    if change.kind == "counts on":
        return said(
            "**{name}** gets a new version ({what} changed); {stay}, also under it.", **told
        )
    if change.kind == "same":
        return said("**{name}** keeps its version ({what} changed); {stay}.", **told)
    if not grades:
        return said("**{name}** gets a new version ({what} changed); {stay}.", **told)
    return said(
        "**{name}** gets a new version ({what} changed); {stay} with the old one, which does not "
        "change.",
        **told,
    )


def _stay(grades: int) -> str:
    """Return what becomes of the grades under a criterion."""
    if not grades:
        return said("it has no grades")
    return said("its 1 grade stays") if grades == 1 else said("its {n:,} grades stay", n=grades)


def _carrying(change: Change, grades: int) -> dict[str, str]:
    """The reason to carry a criterion's grades over, where the user says it is wording only."""
    key = f"rubric.carry.{change.criterion}"
    words = said(
        "Only the wording of {criterion} changed: keep counting its {grades}",
        criterion=change.criterion,
        grades=counted(grades, "grade"),
    )
    if not st.checkbox(say(words), key=key):
        return {}
    why = st.text_input(
        say("Why would every grader have given the same grades under the new wording?"),
        key=f"{key}.why",
    )
    return {change.criterion: why}


def _save(store: Store, base: Rubric, rubric: Rubric, carried: dict[str, str]) -> None:
    try:
        rubric_edits.save(store, base, rubric, carried, despite_freeze=True)  # as was agreed
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    st.session_state.pop("rubric.draft", None)
    st.toast(say("Saved as {name}.", name=plain(rubric.name)))
    remember(rubric=rubric.name, edit=None, criterion=None)
    st.session_state["pick.rubric.anew"] = st.session_state.get("pick.rubric.anew", 0) + 1
    st.rerun()


def _leave() -> None:
    if st.button(say("Discard"), key="rubric.discard"):
        st.session_state.pop("rubric.draft", None)
        remember(edit=None, criterion=None)
        st.rerun()
