"""Components in the browser: their files, what one receives, a frozen dataclass as JSON, and sends.

What the browser sends is untrusted: its fields are declared, and one of another type makes the
whole message unreadable.
"""

from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import streamlit as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from concord.language import message_extraction
from concord.language.languages import ENGLISH, reader, translate
from concord.messages import N_
from concord.model import MOST_TEXT

FOLDER = Path(__file__).parent
UNREADABLE = N_("The page sent what cannot be read, so nothing of it was saved. Reload the page.")
Whole = Annotated[int, Field(ge=0, lt=2**63)]
Text = Annotated[str, Field(max_length=MOST_TEXT)]  # without lone surrogates, as any `str` here


class Message(BaseModel):
    """What a component's browser sent last, and which of its messages it was."""

    model_config = ConfigDict(strict=True, frozen=True)

    seq: Whole = 0


_Form = TypeVar("_Form", bound=Message)


def sent(name: str, form: type[_Form]) -> _Form | None:
    """Return what the browser of a component sent last; None where it has another form."""
    state = st.session_state.get(name)
    try:
        return form.model_validate((state and state.get("batch")) or {})
    except ValidationError:
        return None


def component(name: str, page: str, styles: tuple[str, ...], scripts: tuple[Path, ...]):
    """Return a component of a page and styles in `FOLDER`, and of scripts in their order."""
    return st.components.v2.component(
        name,
        html=_read(FOLDER / page),
        css="\n".join(_read(FOLDER / style) for style in styles),
        js="\n".join(map(_read, scripts)),
    )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def payload(value: Any) -> Any:
    """Return a dataclass, and those in its lists and mappings, as dicts; other values as they are.

    A field that is None is left out, so that its key is absent in the browser. A named tuple stays
    one, which is an array in the browser.
    """
    if is_dataclass(value):
        held = {field.name: getattr(value, field.name) for field in fields(value)}
        return {name: payload(one) for name, one in held.items() if one is not None}
    if isinstance(value, dict):
        return {key: payload(one) for key, one in value.items()}
    return [payload(one) for one in value] if isinstance(value, list) else value


def words_of(paths: tuple[Path, ...]) -> dict[str, str]:
    """Return the texts of a component's scripts and page by their English, for components/say.js.

    Empty in English, which needs no words.
    """
    return _words_of(paths, reader())


@cache
def _words_of(paths: tuple[Path, ...], chosen: str) -> dict[str, str]:
    if chosen == ENGLISH:
        return {}
    return {
        text: translate(text, chosen)
        for path in paths
        for text in message_extraction.texts(path)
        if text
    }
