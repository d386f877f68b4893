"""Rubrics: read, edited and saved as a new version."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from html import escape

import streamlit as st

from concord.grading.adjudications import RUBRIC
from concord.language.languages import LANGUAGES
from concord.messages import Numeral, Problem, counted, joined, said
from concord.model import Sheet
from concord.reports.disagreements import disagreements
from concord.reports.workflow import edit_effect
from concord.rubrics import edit as drafts
from concord.rubrics.edit import changes, outdated, with_translation
from concord.rubrics.model import (
    OF_ANSWERS,
    Criterion,
    CriterionTranslation,
    Example,
    Level,
    Rubric,
    Translation,
    parse,
    weight_text,
)
from concord.rubrics.rubric_toml import as_toml
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_edits, rubric_versions
from concord.store.rubrics.rubric_edits import GradeCounts
from concord.ui import render
from concord.ui.caching import kept
from concord.ui.frame import recall, remember
from concord.ui.language import called, language, plain, say
from concord.ui.widgets import action_button


def criterion_html(rubric: Rubric, criterion: Criterion) -> str:
    """One criterion as HTML; every text of the rubric is escaped."""
    failing = rubric.failing(criterion)
    levels = "".join(_level(level, level.score in failing) for level in criterion.levels)
    if not levels:
        without = say(
            "Scores {low} to {high}, without meanings: for imported grades only.",
            low=rubric.scale[0],
            high=rubric.scale[-1],
        )
        levels = f"<p>{escape(without)}</p>"
    alone = len(rubric.criteria) == 1
    share = Numeral(weight_text(criterion.weight))
    weight = "" if alone else escape(say("weight {share}", share=share))
    return (
        '<section class="concord-criterion"><header>'
        f'<h3>{escape(criterion.heading())}</h3><span class="weight">{weight}</span></header>'
        f'<p class="asks">{escape(criterion.question.strip())}</p>'
        f'<div class="concord-levels">{levels}</div></section>'
    )


def _level(level: Level, fails: bool) -> str:
    badge = f'<span class="fails">{escape(say("fails"))}</span>' if fails else ""
    examples = "".join(map(_example, level.examples))
    if examples:
        n = len(level.examples)
        word = say("Example") if n == 1 else say("{n:,} examples", n=n)
        examples = f"<details><summary>{escape(word)}</summary>{examples}</details>"
    return (
        f'<div class="concord-level"><b>{level.score}</b><div>'
        f'<span class="meaning">{escape(level.meaning.strip())}</span>{badge}{examples}</div></div>'
    )


def _example(example: Example) -> str:
    parts = [
        (say("Question"), example.question),
        *([(say("Context"), example.context)] if example.context else []),
        (say("Answer"), example.answer or say("(empty)")),
        (say("Why"), example.why),
    ]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in parts)
    return f"<dl>{rows}</dl>"


FORM, TOML = said("Form"), said("TOML")
YOURS = said("Your rubric")
# The TOML stays in view next to a form that is longer than the window, and so does what is wrong.
_LOOK = """<style>
@media (min-height: 32rem) {
  :has(> .st-key-rubric-problem) { position: sticky; bottom: 0; z-index: 1;
    background: light-dark(#fdfcfa, #16191d); }
}
.st-key-rubric-toml { max-height: calc(100vh - 6rem); overflow: auto; }
@media (min-width: 641px) {
  :has(> .st-key-rubric-toml) { position: sticky; top: 4rem; }
}
@media (max-width: 640px) {
  .st-key-rubric-toml { max-height: 14rem; } /* Save is below it */
}
</style>"""


def editor(store: Store, base: Rubric) -> None:
    """The editor of a rubric, what saving it would do, and Save."""
    st.html(_LOOK)
    draft = _draft(store, base)
    bar = st.container(horizontal=True)
    view = st.session_state.get("rubric.view") or FORM
    rubric, problem = _edited(base, draft, view)
    bar.segmented_control(
        say("View"),
        [FORM, TOML],
        key="rubric.view",
        default=FORM,
        required=True,
        format_func=say,
        label_visibility="collapsed",
        disabled=problem is not None,
    )
    if problem:
        with st.container(key="rubric-problem"):
            st.error(plain(problem), icon=":material/error:")
        _leave()
        return
    _keep(base, rubric)
    # Show the effect of saving, the choice to carry grades over, and the button Save.
    carried = carrying(store, base, rubric)
    with st.expander(say("Preview for annotators")):
        read = rubric.in_language(language())
        for criterion in read.criteria:
            st.html(criterion_html(read, criterion))
    agreed = freeze_agreed(store, base, rubric)
    for name, languages in outdated(base, rubric).items():
        earlier = said(
            "The wording of {criterion} changed, but not its translation ({languages}), which "
            "shows annotators the earlier wording. Correct the translation, or empty it to show "
            "the original.",
            criterion=rubric.criterion(name).heading(),
            languages=joined(", ", map(called, languages)),
        )
        st.warning(plain(earlier), icon=":material/translate:")
    with st.container(horizontal=True):
        save = action_button(
            say("Save as {name}", name=rubric.name),
            store.why_no_lead() or _why_not(rubric == base, agreed),
            type="primary",
            key="rubric.save",
        )
        _leave()
    if save:
        _save(store, base, rubric, carried)


def _draft(store: Store, base: Rubric) -> Rubric:
    """Return the draft of this session; a fresh one where it has another base."""
    kept = st.session_state.get(DRAFT)
    if kept and kept["base"] == base.body():
        return kept["rubric"]
    _forget()
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


def _edited(base: Rubric, draft: Rubric, view: str) -> tuple[Rubric, str | None]:
    """The draft as the user left it in this view, or the draft with what is wrong."""
    try:
        if view == TOML:
            text = st.text_area(say("Rubric"), as_toml(draft), height=560, key="rubric.toml")
            st.caption(say("Press Ctrl+Enter to check your text."))
            return parse(text, YOURS), None
        _keep(base, draft)  # what the buttons of the form change
        left, right = st.columns([3, 2])
        with left:
            filled = form(draft)
        _keep(base, filled)
        text = as_toml(filled)
        with right.container(key="rubric-toml"):
            st.code(text, language="toml", wrap_lines=True)
        return parse(text, YOURS), None
    except Problem as problem:
        return draft, str(problem)


def _keep(base: Rubric, draft: Rubric) -> None:
    st.session_state[DRAFT] = {"base": base.body(), "rubric": draft}


def _forget() -> None:
    """Forget the draft, and what its form was filled with."""
    for key in [key for key in st.session_state if str(key).startswith("rubric.")]:
        del st.session_state[key]


def _why_not(same: bool, agreed: bool) -> str | None:
    """Return why Save is disabled."""
    if same:
        return say("Nothing was changed yet.")
    return None if agreed else say("Confirm above that the frozen wording may change.")


def _save(store: Store, base: Rubric, rubric: Rubric, carried: dict[str, str]) -> None:
    try:
        rubric_edits.save(store, base, rubric, carried, despite_freeze=True)  # as was agreed
    except Problem as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    _forget()
    st.toast(say("Saved as {name}.", name=plain(rubric.name)))
    remember(rubric=rubric.name, edit=None, criterion=None)
    st.session_state["pick.rubric.anew"] = st.session_state.get("pick.rubric.anew", 0) + 1
    st.rerun()


def _leave() -> None:
    if st.button(say("Discard"), key="rubric.discard"):
        _forget()
        remember(edit=None, criterion=None)
        st.rerun()


def carrying(store: Store, base: Rubric, rubric: Rubric) -> dict[str, str]:
    """Show the effect of saving; return by criterion why its change is of wording only."""
    st.subheader(say("Effect of saving"), anchor=False)
    effects = st.container()
    given = {sheet.name: _given(store, sheet, base) for sheet in sheets.all_sheets(store)}
    carried, agreed = {}, set()
    for change in changes(base, rubric):
        n = sum(sum(of.get(change.criterion, GradeCounts(0, 0))) for of in given.values())
        if change.may_carry and n and _is_wording(change.criterion, n):
            agreed.add(change.criterion)
            carried[change.criterion] = _why(change.criterion)
    with effects:
        found = edit_effect.document(edit_effect.effect(base, rubric, given, agreed))
        st.markdown(f"**{plain(found.headline)}**")
        render.show_table(found.tables[0], "edit-effect", in_full=True)
        _sets(store, base, rubric)
    return carried


@kept(said("Counting grades…"))
def _given(store: Store, sheet: Sheet, rubric: Rubric) -> dict[str, GradeCounts]:
    return rubric_edits.grade_counts(store, sheet.id, rubric)


def _sets(store: Store, base: Rubric, rubric: Rubric) -> None:
    """Say which grading sets keep the earlier wording."""
    if rubric.versions() == base.versions():
        return
    held = rubric_edits.sets_under(store, base)
    if held:
        st.caption(
            say(
                "These grading sets keep the rubric they were made with: {sets}. Make a new set to "
                "grade under the edited one.",
                sets=plain(joined(", ", held)),
            )
        )


def _is_wording(criterion: str, grades: int) -> bool:
    words = said(
        "Only the wording of {criterion} changed: keep counting its {grades}",
        criterion=criterion,
        grades=counted(grades, "grade"),
    )
    return st.checkbox(say(words), key=f"rubric.carry.{criterion}")


def _why(criterion: str) -> str:
    """The reason to carry a criterion's grades over."""
    return st.text_input(
        say("Reason why the new wording changes no grade"),
        key=f"rubric.carry.{criterion}.why",
    )


def freeze_agreed(store: Store, base: Rubric, rubric: Rubric) -> bool:
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


DRAFT = "rubric.draft"


def form(draft: Rubric) -> Rubric:
    """Show the form of a draft; return it as the user left it.

    Raises:
        Problem: A scale or a weight is not a number.
    """
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
        say("Scores"),
        ", ".join(map(str, draft.scale)),
        key="rubric.scale",
        on_change=_rescaled,
        help=say("Whole numbers in ascending order, separated by commas. All criteria share them."),
    )
    shown = st.multiselect(
        say("Shown with the answer"),
        list(OF_ANSWERS),
        list(draft.shown),
        key="rubric.shown",
        format_func=lambda part: say(OF_ANSWERS[part]),
        placeholder=say("Choose"),
        help=say("Annotators and judges see the same."),
    )
    texts = {"name": name.strip(), "title": title, "about": rubric_form_kept(draft.about, about)}
    changed = draft.model_copy(update={**texts, "shown": tuple(shown)})
    draft = drafts.with_scale(changed, _scale_of(scale))
    wanted = recall("criterion")  # the one to be reworded comes first
    first = sorted(draft.criteria, key=lambda criterion: criterion.name != wanted)
    edited = {criterion.name: _criterion_form(draft, criterion) for criterion in first}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("Title of a new criterion"), key="rubric.new", placeholder=say("Tone of voice")
        )
        st.button(say("Add criterion"), key="rubric.add", icon=":material/add:", on_click=_add)
        if len(draft.criteria) > 1:
            st.button(
                say("Give all the same weight"),
                key="rubric.equal",
                icon=":material/balance:",
                on_click=_equal,
            )
    criteria = tuple(edited[criterion.name] for criterion in draft.criteria)
    return translated(draft.model_copy(update={"criteria": criteria}))


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
            say("Weight"),
            weight_text(criterion.weight),
            key=f"{key}.weight",
        )
        fails_at = right.selectbox(
            say("Highest failing score"),
            draft.scale[:-1],
            key=f"{key}.fails",
            index=_fails_index(draft, criterion),
        )
        question = st.text_input(say("Question"), criterion.question.strip(), key=f"{key}.question")
        levels = with_examples(key, _levels_form(key, draft, criterion))
        # Buttons that move a criterion or take it out.
        names = [one.name for one in draft.criteria]
        with st.container(horizontal=True):
            if criterion.name != names[0]:
                st.button(
                    say("Move up"),
                    key=f"rubric.{criterion.name}.up",
                    icon=":material/arrow_upward:",
                    type="tertiary",
                    on_click=_change,
                    args=(partial(drafts.moved_up, name=criterion.name),),
                )
            action_button(
                say("Remove criterion"),
                say("A rubric has at least one criterion.") if len(names) == 1 else None,
                key=f"rubric.{criterion.name}.remove",
                icon=":material/delete:",
                type="tertiary",
                on_click=_change,
                args=(partial(drafts.without_criterion, name=criterion.name),),
            )
    same = fails_at == max(draft.failing(criterion), default=None)
    return Criterion.model_construct(
        name=criterion.name,
        title=criterion.title if title == criterion.heading() else title,
        weight=_weight_of(weight, criterion.name),
        question=rubric_form_kept(criterion.question, question),
        levels=tuple(levels),
        fails_at=criterion.fails_at if same else fails_at,
    )


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
    return level.model_copy(update={"meaning": rubric_form_kept(level.meaning, meaning)})


def rubric_form_kept(before: str, after: str) -> str:
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


def translated(draft: Rubric) -> Rubric:
    """Show the translation into the language that the user picks; return the draft with it."""
    held = {one.language: one for one in draft.translations}
    language = st.selectbox(
        say("Translation"),
        [*LANGUAGES, *(code for code in held if code not in LANGUAGES)],
        index=None,
        key="rubric.language",
        placeholder=say("Choose a language"),
        format_func=lambda code: _called(code, code in held),
    )
    if language is None:
        return draft
    key = f"rubric.in.{language}"
    old = held.get(language) or Translation(language=language)
    with st.container(border=True):
        title = _text(said("Title"), old.title, f"{key}.title", draft.title)
        about = _text(said("About"), old.about, f"{key}.about", draft.about)
        criteria = tuple(_criterion(key, one, old.of(one.name)) for one in draft.criteria)
    texts = {"title": title, "about": about, "criteria": criteria}
    return with_translation(draft, old.model_copy(update=texts))


def _called(code: str, is_there: bool) -> str:
    name = LANGUAGES.get(code, code)
    return say("{language} (translated)", language=name) if is_there else name


def _criterion(key: str, criterion: Criterion, old: CriterionTranslation) -> CriterionTranslation:
    key = f"{key}.{criterion.name}"
    st.markdown(f"**{criterion.name}**")
    title = _text(said("Title"), old.title, f"{key}.title", criterion.heading())
    question = _text(said("Question"), old.question, f"{key}.question", criterion.question)
    meanings = old.meanings or ("",) * len(criterion.levels)
    found = tuple(
        st.text_area(
            say("What {score} means", score=level.score),
            text,
            height="content",
            key=f"{key}.{level.score}",
            placeholder=level.meaning.strip(),
        )
        for level, text in zip(criterion.levels, meanings, strict=True)
    )
    return CriterionTranslation(
        name=criterion.name,
        title=title,
        question=question,
        meanings=found if any(text.strip() for text in found) else (),
    )


def _text(word: str, text: str, key: str, original: str) -> str:
    return st.text_input(say(word), text, key=key, placeholder=original.strip())


_TEXTS = {
    "question": said("Question"),
    "context": said("Context"),
    "answer": said("Answer"),
    "why": said("Why"),
}
Held = dict[int, tuple[int, Example]]  # score and example, by a number that stays


def with_examples(key: str, levels: Sequence[Level]) -> list[Level]:
    """Show the examples of a criterion where the user opens them; return the levels with them."""
    n = sum(len(level.examples) for level in levels)
    place = f"{key}.examples"
    if not levels or not st.toggle(say("Examples ({n})", n=n), key=f"{key}.open"):
        st.session_state.pop(place, None)
        return list(levels)
    before = [(level.score, example) for level in levels for example in level.examples]
    held: Held = st.session_state.setdefault(place, dict(enumerate(before)))
    scores = [level.score for level in levels]
    for number, (score, example) in held.items():
        held[number] = _one(place, number, scores, score, example)
    st.button(
        say("Add example"),
        key=f"{place}.add",
        icon=":material/add:",
        type="tertiary",
        on_click=_example_form_add,
        args=(place, scores[0]),
    )
    return [
        level.model_copy(update={"examples": _of(level.score, held.values())}) for level in levels
    ]


def _one(
    place: str, number: int, scores: list[int], score: int, example: Example
) -> tuple[int, Example]:
    key = f"{place}.{number}"
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            index = scores.index(score) if score in scores else 0
            chosen = st.selectbox(say("Score"), scores, index, key=f"{key}.score", width=120)
            st.button(
                say("Remove example"),
                key=f"{key}.remove",
                icon=":material/delete:",
                type="tertiary",
                on_click=_remove,
                args=(place, number),
            )
        texts = {
            name: st.text_area(
                say(word), getattr(example, name), key=f"{key}.{name}", height="content"
            )
            for name, word in _TEXTS.items()
        }
    return chosen, Example(**texts)


def _of(score: int, held) -> tuple[Example, ...]:
    """The examples of a score; one without any text is not there yet."""
    texts = (example for of, example in held if of == score)
    return tuple(one for one in texts if any(value.strip() for value in one.model_dump().values()))


def _example_form_add(place: str, score: int) -> None:
    held: Held = st.session_state[place]
    blank = Example(question="", answer="", why="")
    st.session_state[place] = {**held, max(held, default=-1) + 1: (score, blank)}


def _remove(place: str, number: int) -> None:
    held: Held = st.session_state[place]
    st.session_state[place] = {n: one for n, one in held.items() if n != number}


def unclear_notes(store: Store, rubric: Rubric, criterion: str) -> None:
    """Return the notes of annotators who called a criterion unclear on the sheet the URL names."""
    sheet = sheets.find(store, recall("sheet") or "")
    if sheet is None:
        return
    tags = disagreements.tags_of(store, sheet.id, rubric)
    noted = disagreements.noted(tags, criterion, RUBRIC)
    if not noted:
        return
    notes = "\n".join(f"- {plain(one.note)} ({plain(one.who)})" for one in noted if one.note)
    unclear = said(
        "{criterion} was marked unclear in {n} on {sheet}. Regrade after rewording it; do not "
        "carry the grades over.",
        criterion=rubric.criterion(criterion).heading(),
        n=counted(len(noted), "disagreement"),
        sheet=sheet.name,
    )
    st.info(f"{plain(unclear)}\n\n{notes}")
