"""Judge files as TOML text; `definition.model.parse` reads them back."""

import re
import textwrap
from typing import Any

from concord.judges.definition.model import Judge
from concord.judges.definition.providers import Provider
from concord.rubrics.model import FIRST
from concord.rubrics.rubric_toml import quoted

_KEPT = {"kind", "rubric", "prompt", "examples", "calls"}
SHOWN = {"baseline": (), "combined": (), "metric": ("output",), "decision": ("calls",)}
ALWAYS = ("prompt", "calls", "output")
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def as_toml(judge: Judge) -> str:
    """Return the judge as a TOML file; reading it gives an equal one.

    Defaults are left out, except the keys in `ALWAYS` (`SHOWN`, by kind), none of which says
    anything where no chat model is asked. A date is quoted, as in the judge's JSON; the reader
    takes both forms.
    """
    whole = judge.model_dump(mode="json", exclude_none=True)
    changed = judge.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    shown = () if judge.is_computed() else SHOWN.get(judge.kind, ALWAYS)
    given = {k: changed.get(k, v) for k, v in whole.items() if k in changed or k in shown}
    endpoint, fit = given.pop("endpoint", {}), given.pop("fit", {})
    criteria = {f"fit.criteria.{_key(name)}": one for name, one in fit.pop("criteria", {}).items()}
    lines = [_line(key, value) for key, value in given.items()]
    for name, table in ({"endpoint": endpoint, "fit": fit} | criteria).items():
        if table:
            lines += ["", f"[{name}]", *(_line(key, value) for key, value in table.items())]
    return "\n".join(lines) + "\n"


def beginning(known: Provider, base: Judge | None = None, rubric: str = FIRST) -> str:
    """Return a starter judge file for a server, as TOML text.

    `base` is the judge whose prompt and rubric it takes; a zero-shot prompt and `rubric` where
    None.
    """
    kept = base.model_dump(include=_KEPT, exclude_defaults=True) if base else {}
    judge = Judge(
        **{"rubric": rubric, **kept},
        name=f"my-{known.name}",
        about=known.title,
        model=known.model,
        output=known.output,
        price=known.price,
        extra_body=known.extra_body,
        endpoint=known.endpoint,
    )
    about = f"{known.title}: {known.was_tried()}, according to {known.source}. {known.note}"
    lines = textwrap.wrap(about, 96, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines) + as_toml(judge)


def _line(key: str, value: Any) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE.match(key) else quoted(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(_line(key, inner) for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)
