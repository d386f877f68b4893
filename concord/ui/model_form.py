"""A form made of the fields of a pydantic model, in the groups and under the titles they declare.

A field without a title is for the file alone. Its type says which widget shows it.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pandas as pd
import streamlit as st
from pydantic import BaseModel
from pydantic.fields import FieldInfo

Widget = Callable[[Any, str], Any]


def model_fields(
    model: type[BaseModel],
    value: Mapping[str, Any],
    key: str,
    left_out: Collection[str] = (),
    choices: Mapping[str, Sequence[str]] | None = None,
    widgets: Mapping[str, Widget] | None = None,
) -> dict[str, Any]:
    """Show the fields of a model, short ones two in a row; return what they hold.

    Args:
        model: The model.
        value: What it holds so far, by field.
        key: Begins the keys of the widgets; another value needs another key.
        left_out: Fields that are not shown.
        choices: The options of fields that hold one name or several.
        widgets: Functions of value and key for the fields that have a widget of their own.
    """
    groups: dict[str, list[str]] = {}
    for name, field in model.model_fields.items():
        if field.title and name not in left_out:
            groups.setdefault(_extra(field, "group"), []).append(name)
    given: dict[str, Any] = {}
    for group, names in groups.items():
        row = iter(())
        with st.expander(group) if group else st.container():
            for name in names:
                field, own = model.model_fields[name], (widgets or {}).get(name)
                held, at = value.get(name, _usual(field)), f"{key}.{name}"
                kind = _kind(field.annotation)
                if own or get_origin(kind) in (dict, tuple) or _extra(field, "widget") or _is(kind):
                    row, place = iter(()), st.container()
                elif (place := next(row, None)) is None:
                    row = iter(st.columns(2))
                    place = next(row)
                with place:
                    offered = (choices or {}).get(name, ())
                    given[name] = own(held, at) if own else _shown(field, kind, offered, held, at)
    return given


def model_table(
    model: type[BaseModel], rows: Sequence[Mapping], key: str, scores: Sequence[int]
) -> list[dict[str, Any]]:
    """Show a list of models as a table to edit, each under one of some scores.

    Returns:
        The rows that hold a text, each with its `score`; what is blank is ''.
    """
    score = st.column_config.SelectboxColumn(
        "Score", options=[*scores], default=scores[0], required=True
    )
    columns = {"score": score} | {name: one.title for name, one in model.model_fields.items()}
    frame = pd.DataFrame(rows, columns=[*columns])
    edited = st.data_editor(
        frame, num_rows="dynamic", hide_index=True, column_config=columns, key=key
    )
    found = edited.astype(object).where(edited.notna(), "").to_dict("records")
    return [row for row in found if any(row[name] for name in model.model_fields)]


def _usual(field: FieldInfo) -> Any:
    """The default of a field; None where there is none, or where it is made anew each time."""
    return None if field.is_required() or field.default_factory else field.default


def _shown(field: FieldInfo, kind: Any, choices: Sequence[str], held: Any, key: str) -> Any:
    """Show the part of Streamlit for a type; return what it holds, None for what is left blank."""
    title, origin = field.title, get_origin(kind)
    if _is(kind):
        held = held.model_dump(exclude_defaults=True) if isinstance(held, BaseModel) else held or {}
        with st.expander(title):
            parts = {**held, **model_fields(kind, held, key)}
        usual = {name: _usual(one) for name, one in kind.model_fields.items()}
        return {n: one for n, one in parts.items() if one not in (None, usual[n])} or None
    if origin is tuple and get_args(kind)[0] is int:
        parts = st.text_input(title, ", ".join(map(str, held or ())), key=key)
        parts = parts.replace(",", " ").split()
        # What is no number the model refuses by the field's name.
        return tuple(int(one) if one.lstrip("-").isdecimal() else one for one in parts)
    options = get_args(kind) if origin is Literal else choices
    if origin is tuple:
        names = list(dict.fromkeys([*options, *(held or ())]))
        return tuple(st.multiselect(title, names, held, key=key)) or None
    if options:
        names = list(dict.fromkeys([*options, *([] if held is None else [held])]))
        place = names.index(held) if held is not None else 0 if field.is_required() else None
        return st.selectbox(title, names, place, key=key, placeholder="not set")
    if kind is bool:
        return st.checkbox(title, bool(held), key=key)
    if kind in (int, float):
        ends = {
            a: kind(getattr(m, a)) for m in field.metadata for a in ("ge", "le") if hasattr(m, a)
        }
        ends = (ends.get("ge"), ends.get("le"), None if held is None else kind(held))
        return st.number_input(title, *ends, key=key, placeholder="not sent")
    if origin is dict:
        text = st.text_area(title, json.dumps(held) if held else "", key=key, placeholder="{}")
        try:
            return json.loads(text) if text.strip() else None
        except ValueError:
            return text  # the model refuses it by the field's name
    if _extra(field, "widget"):
        text = st.text_area(title, (held or "").strip(), key=key, height="content")
    else:
        text = st.text_input(title, held or "", key=key)
    return text.strip() or None


def _extra(field: FieldInfo, key: str) -> str:
    return (field.json_schema_extra or {}).get(key, "")


def _kind(annotation: Any) -> Any:
    """The type without None, the first of several."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return _kind(next(one for one in get_args(annotation) if one is not NoneType))
    return annotation


def _is(kind: Any) -> bool:
    """True for a model."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)
