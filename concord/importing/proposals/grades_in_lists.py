"""Grades in lists of objects: the paths to score, grader, kind, criterion and reason of each."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from concord.importing import column_paths
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile, profile
from concord.importing.proposals.grades_by_value import is_grades, kinds
from concord.importing.proposals.proposal import Word
from concord.importing.readers import cells as of_cell
from concord.messages import said

_NAMES = known.CRITERION | frozenset(["name", "key", "from", "assessment"])
_AROUND_WHO = known.ID | frozenset(["by", "first", "last", "source", "feedback"])
_MOST_KEYS, _LEVELS = 60, 4
_MOST_CRITERIA = 40
# Lists of what happened, in which scores are told again.
_LOGS = frozenset(["event", "events", "message", "messages", "span", "spans", "step", "steps"])


class _Lists(NamedTuple):
    """The objects in a list, and in a list inside of them, by path: a value for each of them."""

    values: Mapping[str, list]
    inner: Mapping[str, list]


def words(one: Profile) -> list[Word]:
    """The words of a map that reads one grade per object of a column's lists; [] for none."""
    held = [column_paths.structured(cell) for cell in one.values]
    cells = [cell for cell in held if cell is not None]
    is_log = known.has(known.words(known.last(one.name)), _LOGS)
    if is_log or not cells or not all(_are_objects(cell) for cell in cells):
        return []
    outer, inner = _unused(cells)
    objects = [part for cell in cells for part in cell]
    prefix = f"{one.name}.{{{outer}}}"
    lists = _opened(prefix, objects)
    found = _words(lists.values, lists.values)
    for path, parts in lists.inner.items() if not found else ():
        rows = [(place, part) for place, within in enumerate(parts) for part in within or ()]
        own = _opened(f"{path}.{{{inner}}}", [part for _, part in rows]).values
        around = {p: [given[place] for place, _ in rows] for p, given in lists.values.items()}
        found = found or _words({**around, **own}, own)
    return found


def may_hold_grades(one: Profile) -> bool:
    """True for objects with numbers in them, in a column that is named like grades."""
    names = known.SCORE | known.HUMAN | {"annotation", "annotations", "evaluation", "evaluations"}
    is_named = known.has(known.words(one.name), names)
    return is_named and any(_has_number(column_paths.structured(cell)) for cell in one.values)


def _has_number(value: object, in_object: bool = False) -> bool:
    if isinstance(value, dict):
        return any(_has_number(part, True) for part in value.values())
    if isinstance(value, list):
        return any(_has_number(part, in_object) for part in value if isinstance(part, dict | list))
    return in_object and isinstance(value, int | float)


def _are_objects(cell: object) -> bool:
    return isinstance(cell, list) and all(isinstance(part, dict) for part in cell)


def _unused(cells: Sequence[list]) -> list[str]:
    """Two names for placeholders that are no keys, since a key would name the objects."""
    text = repr(cells)
    return [name for name in ("n", "m", "i", "j", "nth", "mth") if f"'{name}':" not in text][:2]


def _opened(prefix: str, objects: Sequence[dict], levels: int = _LEVELS) -> _Lists:
    """What objects hold by path; one inside is opened, or is its single value."""
    values: dict[str, list] = {}
    inner: dict[str, list] = {}
    keys = dict.fromkeys(key for one in objects for key in one)
    for key in keys if len(keys) <= _MOST_KEYS else ():
        path, given = f"{prefix}.{key}", [one.get(key) for one in objects]
        there = [part for part in given if part is not None]
        if there and all(isinstance(part, dict) for part in there) and not _is_value(there):
            if levels:
                below = _opened(path, [part or {} for part in given], levels - 1)
                values, inner = values | below.values, inner | below.inner
        elif any(map(_are_objects, there)) and all(map(_are_objects, there)) and any(there):
            inner[path] = given
        else:
            values[path] = given
    return _Lists(values, inner)


def _is_value(objects: Sequence[dict]) -> bool:
    """True for objects of a single value each, under a key that says of which type it is."""
    return all(len(one) == 1 for one in objects) and len({key for o in objects for key in o}) > 1


def _words(values: Mapping[str, list], scored: Container[str]) -> list[Word]:
    """The words for these paths, with the score at one of `scored`."""
    profiles = {
        path: profile(path, (column_paths.only(column_paths.as_cell(one)) for one in given))
        for path, given in values.items()
    }
    score = _score([one for path, one in profiles.items() if path in scored])
    if score is None:
        return []
    kind = next((one for one in profiles.values() if kinds(one, assertions=True)), None)
    graders = [one for one in profiles.values() if one is not kind and _names_grader(one)]
    if kind and not kinds(kind) and not score.is_number:
        return []  # the assertions of a test, of which none is graded yet
    if not (kind or graders):
        return []
    constant = kind.name if kind else _constant_kind(graders[0])
    if not constant:
        return []
    criteria = list(_criteria(profiles, score))
    if not criteria:
        return []
    found = [Word("score", score.name, said("one score in each object of a list"))]
    found += _who(score, kind, graders)
    found.append(Word("grader_kind", constant, _kind_reason(kind)))
    return found + criteria


def _score(profiles: Sequence[Profile]) -> Profile | None:
    """The path of scores: named so, rather of numbers, rather in every object."""
    named = [
        one
        for one in profiles
        if known.all_known(_last(one), known.SCORE) and one.texts and not one.is_list
    ]
    return max(named, key=lambda one: (one.is_number, one.filled), default=None)


def _last(one: Profile) -> tuple[str, ...]:
    return known.words(known.last(one.name))


def _names_grader(one: Profile) -> bool:
    """True for names that recur under a path like `completed_by` or `source.source_id`."""
    parts = known.words(one.name.rpartition("}")[2])
    is_who = known.has(parts, known.WHO) or ("source" in parts and known.has(parts, known.ID))
    recurs = one.is_few or one.distinct * 2 <= len(one.texts)
    is_named = is_who and known.all_known(parts, known.WHO | _AROUND_WHO)
    return bool(is_named and one.texts and recurs and not one.lists and not one.is_prose)


def _constant_kind(grader: Profile) -> str:
    """The kind of all graders; '' where they are annotators and judges."""
    judges = {name for name in grader.texts if known.has(known.words(name), known.JUDGE)}
    if judges and judges != {*grader.texts}:
        return ""
    return ":=judge" if judges else ":=annotator"


def _kind_reason(kind: Profile | None) -> str:
    return said("as given by the column") if kind else said("the names of the graders")


def _who(score: Profile, kind: Profile | None, graders: Sequence[Profile]) -> Iterator[Word]:
    """The path of the graders, and the kind for those that have no name."""
    by_name = max(
        graders, key=lambda one: (one.filled, "email" in _last(one), "name" in _last(one)),
        default=None,
    )  # fmt: skip
    if by_name:
        yield Word("grader", by_name.name, said("a few short recurring names, like graders"))
    nameless = by_name is None or any(
        of_cell.is_blank(name) and not of_cell.is_blank(given)
        for name, given in zip(by_name.values, score.values, strict=True)
    )
    if kind and nameless:
        yield Word("grader", kind.name, said("the kind, where a grader has no name"))


def _criteria(profiles: Mapping[str, Profile], score: Profile) -> Iterator[Word]:
    """The path of criteria and that of reasons, and which criteria have no scores; none at all."""
    reasons = [o for o in profiles.values() if _gives_reason(o) and o.name != score.name]
    path = reasons[0].name if reasons else ""
    named = [one for one in profiles.values() if _names_criterion(one)]
    if not named:
        around = known.words(score.name.partition("{")[0])
        if is_grades(score) and not known.has(around, known.REASON - {"feedback"}):
            yield Word("criterion", ":=overall", said("the file does not name a criterion"))
            yield from [Word("reason", path, _REASON)] if path else []
        return
    values = by_criterion(named[0], score)
    left_out = [own.name for own in values if own.filled and not is_scored(own)]
    if len(left_out) == len(values):
        return
    yield Word("criterion", named[0].name, said("a few recurring names, like criteria"))
    for name in left_out:
        why = said("its values are not scores")
        own_path = _chosen(score.name, named[0].name, name)
        if not path and own_path and known.has(known.words(name), known.REASON):
            path, why = own_path, said("its texts are the reasons")
        yield Word(f"criterion:{name}", "", why)
    yield from [Word("reason", path, _REASON)] if path else []


def by_criterion(named: Profile, score: Profile) -> list[Profile]:
    """The values of each criterion, under its name."""
    found: dict[str, list] = {}
    for name, given in zip(named.values, score.values, strict=True):
        if isinstance(name, str) and name.strip():
            found.setdefault(name.strip(), []).append(given)
    return [profile(name, given) for name, given in found.items()]


def is_scored(own: Profile) -> bool:
    """True where the values of a criterion are scores."""
    return own.is_number or is_grades(own)


_REASON = said("texts in a column named like a reason")


def _chosen(score: str, criterion: str, name: str) -> str:
    """The path to what one criterion holds, as `result.{from_name=comment}.value`; '' for none."""
    list_, _, after = score.rpartition("}")
    same, _, own = criterion.rpartition("}.")
    if same != list_ or "." in own:
        return ""
    return f"{list_.rpartition('{')[0]}{{{own}={name}}}{after}"


def _gives_reason(one: Profile) -> bool:
    return bool(one.texts) and not one.is_number and known.has(_last(one), known.REASON)


def _names_criterion(one: Profile) -> bool:
    short = one.texts and max(map(len, one.texts)) <= 60 and not one.is_prose and not one.is_number
    few = one.distinct <= min(_MOST_CRITERIA, max(1, len(one.texts) // 2))
    is_named = known.has(_last(one), _NAMES) and known.all_known(_last(one), _NAMES | known.ID)
    return bool(short and few and is_named)
