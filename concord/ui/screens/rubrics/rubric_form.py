"""The form of a rubric: name, scale and what is shown; each criterion with its texts and weight.

What it returns may break the rules of a rubric and is validated afterwards. Buttons change the
structure of the draft in `session_state` before the form is drawn again.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import streamlit as st

from concord.messages import Problem
from concord.rubrics import draft as drafts
from concord.rubrics.model import OF_ANSWERS, Criterion, Level, Rubric, weight_text
from concord.ui.frame import recall
from concord.ui.language import say
from concord.ui.screens.rubrics.example_form import with_examples
from concord.ui.screens.rubrics.translation_form import translated
from concord.ui.widgets import action_button

DRAFT = "rubric.draft"


def form(draft: Rubric) -> Rubric:
    """Show the form of a draft; return it as the user left it.

    Raises:
        Problem: A scale or a weight is not a number.
    """
    draft = _head(draft)
    wanted = recall("criterion")  # the one to be reworded comes first
    first = sorted(draft.criteria, key=lambda criterion: criterion.name != wanted)
    edited = {criterion.name: _criterion_form(draft, criterion) for criterion in first}
    _new_criterion(draft)
    criteria = tuple(edited[criterion.name] for criterion in draft.criteria)
    return translated(draft.model_copy(update={"criteria": criteria}))


def _head(draft: Rubric) -> Rubric:
    left, right = st.columns(2)
    name = left.text_input(
        say("Name"),
        draft.name,
        key="rubric.name",
        help=say("Letters, digits, periods, hyphens and underscores."),
    )
    title = right.text_input(say("Title"), draft.title, key="rubric.title")
    about = st.text_area(say("About"), draft.about.strip(), key="rubric.about", height="content")
    scale = st.text_input(
        say("Scores"), ", ".join(map(str, draft.scale)), key="rubric.scale", on_change=_rescaled,
        help=say("Whole numbers in ascending order, separated by commas. All criteria share "
                 "them."),
    )  # fmt: skip
    shown = st.multiselect(
        say("Shown with the answer"), list(OF_ANSWERS), list(draft.shown), key="rubric.shown",
        format_func=lambda part: say(OF_ANSWERS[part]), placeholder=say("Choose"),
        help=say("Annotators and judges see the same."),
    )  # fmt: skip
    texts = {"name": name.strip(), "title": title, "about": kept(draft.about, about)}
    changed = draft.model_copy(update={**texts, "shown": tuple(shown)})
    return drafts.with_scale(changed, _scale_of(scale))


def _rescaled() -> None:
    """Forget which scores fail: it follows the new scale until it is set again."""
    for key in [key for key in st.session_state if str(key).startswith("rubric.")]:
        if str(key).endswith(".fails"):
            del st.session_state[key]


def _scale_of(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError:
        raise Problem(
            "The scores “{text}” are not whole numbers. Write them as in 0, 1, 2, 3.", text=text
        ) from None


def _criterion_form(draft: Rubric, criterion: Criterion) -> Criterion:
    key = f"rubric.{criterion.name}"
    with st.container(border=True):
        left, middle, right = st.columns([3, 1, 1], vertical_alignment="bottom")
        title = left.text_input(say("Title"), criterion.heading(), key=f"{key}.title")
        weight = middle.text_input(
            say("Weight"), weight_text(criterion.weight), key=f"{key}.weight",
            help=say("A number or a fraction: 0.6 or 1/3."),
        )  # fmt: skip
        fails_at = right.selectbox(
            say("Highest failing score"), draft.scale[:-1], key=f"{key}.fails",
            index=_fails_index(draft, criterion),
            help=say("Scores up to this one count as failing."),
        )  # fmt: skip
        question = st.text_input(say("Question"), criterion.question.strip(), key=f"{key}.question")
        levels = with_examples(key, _levels_form(key, draft, criterion))
        _arrangement(draft, criterion)
    same = fails_at == max(draft.failing(criterion), default=None)
    return Criterion.model_construct(
        name=criterion.name,
        title=criterion.title if title == criterion.heading() else title,
        weight=_weight_of(weight, criterion.name),
        question=kept(criterion.question, question),
        levels=tuple(levels),
        fails_at=criterion.fails_at if same else fails_at,
    )


def _arrangement(draft: Rubric, criterion: Criterion) -> None:
    """Buttons that move a criterion or take it out."""
    names = [one.name for one in draft.criteria]
    with st.container(horizontal=True):
        if criterion.name != names[0]:
            st.button(
                say("Move up"), key=f"rubric.{criterion.name}.up", icon=":material/arrow_upward:",
                type="tertiary",
                on_click=_change, args=(partial(drafts.moved_up, name=criterion.name),),
            )  # fmt: skip
        action_button(
            say("Remove criterion"),
            say("A rubric has at least one criterion.") if len(names) == 1 else None,
            key=f"rubric.{criterion.name}.remove", icon=":material/delete:", type="tertiary",
            on_click=_change, args=(partial(drafts.without_criterion, name=criterion.name),),
        )  # fmt: skip


def _new_criterion(draft: Rubric) -> None:
    """Add a criterion by its title; give all the same weight."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("Title of a new criterion"), key="rubric.new", placeholder=say("Tone of voice")
        )
        st.button(say("Add criterion"), key="rubric.add", icon=":material/add:", on_click=_add)
        if len(draft.criteria) > 1:
            st.button(
                say("Give all the same weight"), key="rubric.equal", icon=":material/balance:",
                on_click=_equal,
            )  # fmt: skip


def _change(change: Callable[[Rubric], Rubric]) -> None:
    held = st.session_state[DRAFT]
    st.session_state[DRAFT] = {**held, "rubric": change(held["rubric"])}


def _add() -> None:
    title = st.session_state["rubric.new"].strip()
    if title:
        _change(partial(drafts.with_criterion, title=title))
        st.session_state["rubric.new"] = ""


def _equal() -> None:
    _change(drafts.with_equal_weights)
    for criterion in st.session_state[DRAFT]["rubric"].criteria:
        st.session_state[f"rubric.{criterion.name}.weight"] = weight_text(criterion.weight)


def _fails_index(draft: Rubric, criterion: Criterion) -> int | None:
    # The scale may still be one that no rubric can have, such as 3, 2.
    highest = max(draft.failing(criterion), default=None)
    return draft.scale.index(highest) if highest in draft.scale[:-1] else None


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
        height="content",
    )
    return level.model_copy(update={"meaning": kept(level.meaning, meaning)})


def kept(before: str, after: str) -> str:
    """The text as it was where only white space around it differs."""
    return before if before.strip() == after.strip() else after


def _weight_of(text: str, name: str) -> Fraction:
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise Problem(
            "{name}: the weight “{text}” is not a number. Write 0.6, or a fraction such as 1/3.",
            name=name,
            text=text,
        ) from None
