"""Registry of available judges, shipped ones and the user's own."""

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any

from pydantic import ValidationError

from concord.judges.definition import model
from concord.judges.definition.model import Judge
from concord.messages import Problem, joined
from concord.model import Grader
from concord.store import graders
from concord.store.database import Store

# Kinds of judges as graders: by a rubric, or of metrics.
KINDS = ("judge", "metric")


def named(store: Store, name_or_path: str) -> Judge:
    """A judge by the path of its file (ends in .toml), its name, or `name@fingerprint`.

    A preset's bare name means the preset; of a judge of the user's own, the newest.
    """
    if name_or_path.endswith(".toml"):
        store.must_lead()  # an address names the path, and the file lies on the server
        return model.load(name_or_path)
    shipped = model.presets()
    # The preset comes first: after an upgrade its name means the file that ships, not the one that
    # ran.
    if name_or_path in shipped:
        return shipped[name_or_path]
    found = [graders.find(store, kind, name_or_path) for kind in KINDS]
    kept = next((judge for grader in found if grader and (judge := stored(grader))), None)
    if kept is None:
        own = [g.label() for g in graders.of_kind(store, *KINDS) if stored(g)]
        raise Problem(
            "There is no judge “{name}” that can be run. Give the path of a judge file that ends "
            "in .toml, or one of: {names}.",
            name=name_or_path,
            names=joined(", ", dict.fromkeys([*shipped, *own])),
        )
    return kept


def stored(grader: Grader) -> Judge | None:
    """The judge behind a grader; None where only its grades are known, and for the baseline.

    Of a judge that another version of Concord stored, and this one cannot read, too.
    """
    definition = grader.definition.get("judge")
    if not isinstance(definition, Mapping):
        return None
    try:
        return model.from_body(json.dumps(definition))
    except ValidationError:
        return None


def copied(
    store: Store, judge: Judge, name: str | None = None, values: Mapping[str, Any] | None = None
) -> Judge:
    """Return a copy of a judge with other values of its keys.

    Args:
        store: The open store.
        judge: The judge; one that is not known yet has no earlier version.
        name: Of the copy; None for the next version of the first one's, as `strict-v2`.
        values: As `Judge.changed` takes them.

    Raises:
        Problem: There is a judge of that name, or it would be no valid judge.
    """
    taken = names(store)
    name = name or next_name(judge, taken)
    if name in taken:
        raise Problem("There is a judge “{name}” already. Give the copy another name.", name=name)
    known = (*judge.edited_from, judge.name) if judge.name in taken else ()
    return judge.changed({**(values or {}), "name": name, "edited_from": known})


def names(store: Store) -> set[str]:
    """Return the names of all judges."""
    return {*model.presets(), *(grader.name for grader in graders.of_kind(store, *KINDS))}


def next_name(judge: Judge, taken: Collection[str]) -> str:
    """Return the name of a judge's next version."""
    return next(name for n in count(2) if (name := f"{judge.first_version()}-v{n}") not in taken)


def values_of(words: Sequence[str], judge: Judge) -> dict[str, Any]:
    """Return values of a judge's keys from `KEY=VALUE` words, a VALUE as in a judge file or text.

    An empty VALUE takes the key out; `endpoint.base_url` is a key of a table.
    """
    given = judge.model_dump(exclude_defaults=True)
    found: dict[str, Any] = {}
    for word in words:
        key, sign, text = word.partition("=")
        if not sign:
            raise Problem("“{word}” is no KEY=VALUE, as temperature=0.", word=word)
        try:
            value = tomllib.loads(f"value = {text}")["value"] if text else None
        except tomllib.TOMLDecodeError:
            value = text
        table, _, inner = key.strip().rpartition(".")
        if table:
            part = found.setdefault(table, dict(given.get(table) or {}))
            part.pop(inner, None) if value is None else part.update({inner: value})
        else:
            found[inner] = value
    return found


def with_models(
    store: Store, names: Sequence[str], models: Sequence[str], base_url: str | None
) -> list[Judge]:
    """Return each named judge under each model named; without models, as its file says."""
    judges = []
    for name in names:
        judge = named(store, name)
        if judge.model is None:
            raise Problem("{judge} uses no model. Name a judge that does.", judge=judge.name)
        judges += [judge.with_overrides(model, base_url) for model in models or [None]]
    return judges
