"""Grade columns by value: few small numbers or rating words; criterion, grader and kind by name."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile
from concord.importing.proposals.proposal import Doubt, GradeColumn
from concord.messages import joined, said

_LOWEST, _HIGHEST = -10, 100
_SHOWN = 10
ANNOTATOR = "annotator"


class Grader(NamedTuple):
    """A column that names the grader of each row, and their kind; '' where it is mixed."""

    column: str
    kind: str


def is_grades(found: Profile) -> bool:
    """True for a column of scores: by its values, and where these could be else, by its name."""
    parts = known.words(found.name)
    if not found.texts or found.lists or found.is_prose:
        return False
    of_scores = known.has(parts, known.SCORE | known.JUDGE | known.HUMAN | known.CRITERIA)
    of_scores = of_scores or known.has(parts, known.METRIC)
    if not found.is_number:
        rated = sum(known.has(known.words(text), known.RATINGS) for text in found.texts)
        return found.is_few and (rated * 2 > len(found.texts) or (of_scores and found.distinct > 1))
    if known.has(parts, known.NO_SCORE) and not of_scores:
        return False
    if known.all_in(parts, known.GRADER | known.ID) and known.has(parts, known.ID):
        return False
    if min(found.numbers) < _LOWEST or max(found.numbers) > _HIGHEST:
        return False
    is_whole = all(number.is_integer() for number in found.numbers)
    return of_scores or (is_whole and found.is_few and found.distinct > 1)


def grader_of(profiles: Mapping[str, Profile], free: Sequence[str]) -> Grader | None:
    """The only column that names who gave the grades of a row; None for none or several."""
    hits = [name for name in free if _names_grader(profiles[name])]
    if len(hits) != 1:
        return None
    values = {*profiles[hits[0]].texts}
    judges = {value for value in values if known.has(known.words(value), known.JUDGE)}
    is_judge = known.has(known.words(hits[0]), frozenset({"judge", "llm"}))
    kind = "judge" if is_judge or judges == values else "" if judges else ANNOTATOR
    return Grader(hits[0], kind)


def _names_grader(found: Profile) -> bool:
    parts = known.words(known.last(found.name))
    if not known.has(parts, known.GRADER) or not known.all_in(parts, known.GRADER | known.ID):
        return False
    has_number = any(part[-1].isdigit() for part in parts)
    short = found.texts and max(map(len, found.texts)) <= 60 and not found.is_prose
    recurs = found.is_few or found.distinct * 2 <= len(found.texts)
    return bool(short and recurs and not has_number)


def of_grader(columns: Sequence[Profile], grader: Grader) -> list[GradeColumn]:
    """Score columns beside a column that names the grader; each is one criterion."""
    return [
        GradeColumn(
            one.name,
            _criterion(known.words(known.last(one.name))),
            f"{{{grader.column}}}",
            grader.kind,
            said("scores of whoever “{column}” names in the row", column=grader.column),
            _scores(one),
        )
        for one in columns
    ]


def by_key(column: str, keys: Sequence[str], inner: Profile) -> GradeColumn | Doubt:
    """Scores under each key of a dictionary, whose keys are graders or criteria."""
    names = tuple(word for key in keys for word in known.words(key))
    reason = said("scores under each of {keys}", keys=", ".join(f"“{key}”" for key in keys[:5]))
    path = inner.name
    if known.has(names, known.CRITERIA):
        key, criterion, grader = "criterion", "{criterion}", ANNOTATOR
    elif known.has((*names, *known.words(column)), known.GRADER | known.HUMAN | known.JUDGE):
        key, criterion, grader = "grader", "overall", "{grader}"
    else:
        return Doubt("score", (column,), said("its keys could be criteria or graders"))
    kind = "judge" if known.has(names, known.JUDGE) else ANNOTATOR
    return GradeColumn(
        path.replace("{}", f"{{{key}}}"), criterion, grader, kind, reason, _scores(inner)
    )


def by_name(columns: Sequence[Profile]) -> tuple[list[GradeColumn], list[Doubt]]:
    """Score columns by what their names say; a doubt where they could be graders or criteria."""
    found, unclear = [], []
    for one in columns:
        parts = _telling(one.name)
        grader, criterion = _parted(parts)
        if grader or known.has(parts, known.METRIC) or not criterion:
            found.append(_named(one, grader, criterion))
        elif known.has(criterion, known.CRITERIA) or len(columns) == 1:
            found.append(_named(one, (), criterion))
        else:
            unclear.append(one)
    crossed, unclear = _crossed(unclear)
    if any(one.grader == one.kind == ANNOTATOR and one.criterion != "overall" for one in found):
        # Its neighbour is a criterion without a grader.
        found, unclear = found + [_named(one, (), _telling(one.name)) for one in unclear], []
    if not unclear:
        return found + crossed, []
    reason = said("their names could be those of criteria or of graders")
    return found + crossed, [Doubt("score", tuple(one.name for one in unclear), reason)]


def _telling(name: str) -> tuple[str, ...]:
    """The words of a name that say more than that it is a score."""
    own = known.words(known.last(name))
    parts = tuple(part for part in own if part not in known.SCORE)
    more = known.words(name.rpartition(".")[0])
    return parts or tuple(p for p in more if p not in known.SCORE | known.ANSWER)


def _parted(parts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that name a grader, each with the number or letter behind it, and the others."""
    grader, others, follows = [], [], False
    for part in parts:
        is_grader = known.has((part,), known.HUMAN | known.JUDGE | known.MEAN)
        is_grader = is_grader or (follows and (part.isdigit() or len(part) == 1))
        (grader if is_grader else others).append(part)
        follows = is_grader
    return tuple(grader), tuple(others)


def _named(one: Profile, grader: tuple[str, ...], criterion: tuple[str, ...]) -> GradeColumn:
    if known.has((*grader, *criterion), known.METRIC):
        kind, criterion = "metric", criterion or grader
    elif known.has(grader, known.MEAN) and not known.has(grader, known.JUDGE):
        kind = "mean"
    else:
        kind = "judge" if known.has(grader, known.JUDGE) else ANNOTATOR
    values = said("few values, as of a scale") if one.is_few else said("numbers, as of scores")
    who = said("under the name of a grader")
    if kind == "metric":
        who = said("under the name of a metric")
    elif not grader:
        who = said("the file does not say who gave them")
    name = "_".join(criterion) if kind == "metric" else "_".join(grader) or kind
    reason = joined("; ", [values, who])
    return GradeColumn(one.name, _criterion(criterion), name, kind, reason, _scores(one))


def _crossed(columns: list[Profile]) -> tuple[list[GradeColumn], list[Profile]]:
    """Names made of a grader and a criterion, as `ana_tone, ana_wit, bob_tone, bob_wit`."""
    split = {one.name: known.words(known.last(one.name)) for one in columns}
    pairs = {name: (parts[0], parts[1:]) for name, parts in split.items() if len(parts) > 1}
    heads = {head for head, _ in pairs.values()}
    tails = {tail for _, tail in pairs.values()}
    is_grid = len(pairs) == len(columns) == len(heads) * len(tails) > 3
    if not is_grid or min(len(heads), len(tails)) < 2:
        return [], columns
    if known.has(tuple(heads), known.CRITERIA):
        return [], columns
    reason = said("the names cross graders with criteria")
    made = [
        GradeColumn(
            one.name, _criterion(pairs[one.name][1]), pairs[one.name][0], ANNOTATOR, reason,
            _scores(one),
        )
        for one in columns
    ]  # fmt: skip
    return made, []


def _criterion(parts: tuple[str, ...]) -> str:
    telling = tuple(part for part in parts if part not in known.SCORE)
    return known.slug(telling) if telling else "overall"


def _scores(one: Profile) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.texts))[:_SHOWN]
