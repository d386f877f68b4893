"""The translations of a rubric in the form: one language at a time, next to the original."""

import streamlit as st

from concord.language.languages import LANGUAGES
from concord.messages import said
from concord.rubrics.draft import with_translation
from concord.rubrics.model import Criterion, CriterionTranslation, Rubric, Translation
from concord.ui.language import say


def translated(draft: Rubric) -> Rubric:
    """Show the translation into the language that the user picks; return the draft with it."""
    held = {one.language: one for one in draft.translations}
    language = st.selectbox(
        say("Translation"), [*LANGUAGES, *(code for code in held if code not in LANGUAGES)],
        index=None, key="rubric.language", placeholder=say("Choose a language"),
        format_func=lambda code: _called(code, code in held),
        help=say(
            "Annotators who read the screens in that language see these texts. Judges read the "
            "original. Grades count under the same version."
        ),
    )  # fmt: skip
    if language is None:
        return draft
    key = f"rubric.in.{language}"
    old = held.get(language) or Translation(language=language)
    with st.container(border=True):
        st.caption(say("A blank text falls back to the original, shown here in grey."))
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
            say("What {score} means", score=level.score), text, height="content",
            key=f"{key}.{level.score}", placeholder=level.meaning.strip(),
        )
        for level, text in zip(criterion.levels, meanings, strict=True)
    )  # fmt: skip
    return CriterionTranslation(
        name=criterion.name,
        title=title,
        question=question,
        meanings=found if any(text.strip() for text in found) else (),
    )


def _text(word: str, text: str, key: str, original: str) -> str:
    return st.text_input(say(word), text, key=key, placeholder=original.strip())
