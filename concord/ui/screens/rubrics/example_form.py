"""The examples of a criterion in the form: one block each, with the score it deserves and why."""

from collections.abc import Sequence

import streamlit as st

from concord.messages import said
from concord.rubrics.model import Example, Level
from concord.ui.language import say

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
        say("Add example"), key=f"{place}.add", icon=":material/add:", type="tertiary",
        on_click=_add, args=(place, scores[0]),
    )  # fmt: skip
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
                say("Remove example"), key=f"{key}.remove", icon=":material/delete:",
                type="tertiary", on_click=_remove, args=(place, number),
            )  # fmt: skip
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


def _add(place: str, score: int) -> None:
    held: Held = st.session_state[place]
    blank = Example(question="", answer="", why="")
    st.session_state[place] = {**held, max(held, default=-1) + 1: (score, blank)}


def _remove(place: str, number: int) -> None:
    held: Held = st.session_state[place]
    st.session_state[place] = {n: one for n, one in held.items() if n != number}
