"""Namesakes: how screens call judges that share a name: by the settings in which they differ."""

from collections import Counter
from collections.abc import Iterable, Sequence

from concord.definitions import canonical_json
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.messages import Said, day, joined, said
from concord.model import Grader
from concord.reports.panel.simulated import short_label
from concord.store import graders
from concord.store.database import Store
from concord.text.display import one_line

_NOT_COMPARED = {"name", "about", "retired"}  # what a judge is called changes no request
_UNSET = said("default")


def settings(judge: Judge) -> dict[str, str]:
    """Return what a judge file sets, those under [endpoint] by their full names."""
    given = judge.model_dump(mode="json", exclude_defaults=True, exclude=_NOT_COMPARED)
    endpoint = given.pop("endpoint", {})
    given |= {f"endpoint.{key}": value for key, value in endpoint.items()}
    return {
        key: value if isinstance(value, str) else canonical_json(value)
        for key, value in given.items()
    }


def differing(defined: Sequence[dict[str, str]]) -> list[str]:
    """Return the settings in which judges differ, by key."""
    keys = {key for one in defined for key in one}
    return sorted(key for key in keys if len({one.get(key) for one in defined}) > 1)


def written(setting: str, defined: dict[str, str]) -> Said:
    """Return a setting of a judge as its file has it, `temperature = 0.0`."""
    value = one_line(defined[setting], 40) if setting in defined else _UNSET
    return joined("", [f"{setting} = ", value])


def names(store: Store) -> dict[str, Said]:
    """Return what screens call the judges that share a name, by their labels, whole and short.

    A judge whose settings are not stored, or are those of another, differs by the day of its first
    run, else by the beginning of its fingerprint.
    """
    every = [one for kind in registry.KINDS for one in graders.of_kind(store, kind)]
    several = Counter(one.name for one in every if one.fingerprint)
    return {
        label: words
        for name in several
        if several[name] > 1
        for judge, words in _called([one for one in every if one.name == name and one.fingerprint])
        for label in (judge.label(), short_label(judge.label()))
    }


def _called(judges: Sequence[Grader]) -> Iterable[tuple[Grader, Said]]:
    stored = [registry.stored(one) for one in judges]
    defined = [settings(one) if one else {} for one in stored]
    keys = _telling(defined)
    parts = [[written(key, one) for key in keys] for one in defined]
    for more in (lambda one: day(one.created_at), lambda one: one.fingerprint[:6]):
        times = Counter(str(joined(", ", one)) for one in parts)
        parts = [
            [*words, more(judge)] if times[str(joined(", ", words))] > 1 else words
            for judge, words in zip(judges, parts, strict=True)
        ]
    for judge, words in zip(judges, parts, strict=True):
        yield judge, said("{name} ({what})", name=judge.name, what=joined(", ", words))


def _telling(defined: Sequence[dict[str, str]]) -> list[str]:
    """Return the one setting that no two share, else all in which some differ."""
    keys = differing(defined)
    order = ("model", "prompt", "temperature", "rubric")
    unique = [key for key in keys if len({one.get(key) for one in defined}) == len(defined)]
    return [key for key in order if key in unique][:1] or unique[:1] or keys
