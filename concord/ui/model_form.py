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

AREA = "area"  # the widget of a text of several lines
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
    groups: dict[str, dict[str, FieldInfo]] = {}
    for name, field in model.model_fields.items():
        if field.title and name not in left_out:
            group = (field.json_schema_extra or {}).get("group", "")
            groups.setdefault(group, {})[name] = field
    given: dict[str, Any] = {}
    for group, fields in groups.items():
        row = iter(())
        with st.expander(group) if group else st.container():
            for name, field in fields.items():
                kind, optional = _kind(field.annotation)
                options = list(get_args(kind)) if get_origin(kind) is Literal else None
                options = (choices or {}).get(name, options)
                own = (widgets or {}).get(name)
                if (field.json_schema_extra or {}).get("widget") == AREA:
                    kind = AREA
                is_wide = (
                    own or _is_model(kind) or get_origin(kind) in (dict, tuple) or kind == AREA
                )
                if is_wide:
                    row, place = iter(()), st.container()
                elif (place := next(row, None)) is None:
                    row = iter(st.columns(2))
                    place = next(row)
                held = value.get(name, _usual(field))
                with place:
                    if own:
                        given[name] = own(held, f"{key}.{name}")
                    elif _is_model(kind):
                        given[name] = _inner(kind, field, held, f"{key}.{name}")
                    else:
                        shown = field, kind, optional, options, held, f"{key}.{name}"
                        given[name] = _shown(*shown)
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


def _inner(kind: type[BaseModel], field: FieldInfo, held: Any, key: str) -> dict[str, Any] | None:
    """The fields of a part, folded; None where all of them have their usual values."""
    held = held.model_dump(exclude_defaults=True) if isinstance(held, BaseModel) else held or {}
    with st.expander(field.title):
        found = model_fields(kind, held, key)
    return {
        name: one
        for name, one in {**held, **found}.items()
        if one not in (None, _usual(kind.model_fields[name]))
    } or None


def _usual(field: FieldInfo) -> Any:
    """The default of a field; None where there is none, or where it is made anew each time."""
    return None if field.is_required() or field.default_factory else field.default


def _shown(
    field: FieldInfo,
    kind: Any,
    optional: bool,
    options: Sequence[str] | None,
    held: Any,
    key: str,
) -> Any:
    """Show the part of Streamlit for a type; return what it holds, None for what is left blank."""
    title = field.title
    if get_origin(kind) is tuple and get_args(kind)[0] is int:
        text = st.text_input(title, ", ".join(map(str, held or ())), key=key)
        parts = text.replace(",", " ").split()
        try:
            return tuple(map(int, parts))
        except ValueError:
            return tuple(parts)  # the model refuses it by the field's name
    if get_origin(kind) is tuple:
        names = list(dict.fromkeys([*(options or ()), *(held or ())]))
        return tuple(st.multiselect(title, names, list(held or ()), key=key)) or None
    if options is not None:
        names = list(dict.fromkeys([*options, *([held] if held is not None else [])]))
        place = names.index(held) if held is not None else None if optional else 0
        return st.selectbox(title, names, place, key=key, placeholder="not set")
    if kind is bool:
        return st.checkbox(title, bool(held), key=key)
    if kind in (int, float):
        ends = {a: getattr(m, a) for m in field.metadata for a in ("ge", "le") if hasattr(m, a)}
        low, high = (kind(ends[a]) if a in ends else None for a in ("ge", "le"))
        held = None if held is None else kind(held)
        return st.number_input(title, low, high, held, key=key, placeholder="not sent")
    if get_origin(kind) is dict:
        text = st.text_area(title, json.dumps(held) if held else "", key=key, placeholder="{}")
        try:
            return json.loads(text) if text.strip() else None
        except ValueError:
            return text  # the model refuses it by the field's name
    if kind == AREA:
        text = st.text_area(title, (held or "").strip(), key=key, height="content")
    else:
        text = st.text_input(title, held or "", key=key)
    return text.strip() or None


def _kind(annotation: Any) -> tuple[Any, bool]:
    """The type without None, the first of several; and whether it may be None."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        every = get_args(annotation)
        return _kind(next(one for one in every if one is not NoneType))[0], NoneType in every
    return annotation, False


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
