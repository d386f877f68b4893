"""Grade columns by value: few small numbers or rating words; criterion, grader and kind by name."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from concord.importing import column_paths
from concord.importing.proposals import grade_names
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile, are_ratings
from concord.importing.proposals.dictionaries import Scores
from concord.importing.proposals.proposal import Doubt, GradeColumn
from concord.importing.proposals.score_values import is_grades
from concord.messages import joined, quoted, said

_SHOWN = 10
_LONGEST_NAME = 60
ANNOTATOR = "annotator"
UNNAMED = said("the file does not say who graded")


class Grader(NamedTuple):
    """A column that names the grader of each row, and their kind; '' where it is mixed."""

    column: str
    kind: str


def grader_of(profiles: Mapping[str, Profile], free: Sequence[str]) -> Grader | None:
    """The only column that names who gave the grades of a row; None for none or several."""
    hits = [name for name in free if _names_grader(profiles[name])]
    if len(hits) != 1 or _is_score_of(profiles[hits[0]], (profiles[name] for name in free)):
        return None
    values = {*profiles[hits[0]].texts}
    judges = {value for value in values if known.has(known.words(value), known.JUDGE)}
    is_judge = known.has(known.words(hits[0]), frozenset({"judge", "llm"}))
    kind = "judge" if is_judge or judges == values else "" if judges else ANNOTATOR
    return Grader(hits[0], kind)


def respondent_of(
    profiles: Mapping[str, Profile], free: Sequence[str], answers: Sequence[object]
) -> Grader | None:
    """The only column of a form that names who filled it in, where they graded the same answers.

    `answers` is the answer of each row; the name of who asked is the same for all of them.
    """
    hits = [
        name
        for name in free
        if known.all_known(known.words(name), known.RESPONDENT)
        and profiles[name].is_few
        and not profiles[name].is_number
    ]
    if len(hits) != 1 or len(profiles[hits[0]].values) != len(answers):
        return None  # several; or there is no answer for each row
    pairs = {*zip(answers, map(str, profiles[hits[0]].values), strict=True)}
    return Grader(hits[0], ANNOTATOR) if len(pairs) > len({*answers}) else None


def _is_score_of(one: Profile, others: Iterable[Profile]) -> bool:
    """True for numbers under a grader's name that are what this grader gave, as in `human, judge`.

    Numbers name annotators where another column has the scores; a judge is never called by one.
    """
    parts = known.words(one.name)
    if not one.is_number or known.has(parts, known.ID):
        return False
    who = known.GRADER | known.HUMAN | known.JUDGE
    scores = (o for o in others if is_grades(o) and not known.has(known.words(o.name), who))
    return known.has(parts, known.JUDGE) or not any(scores)


def _names_grader(found: Profile) -> bool:
    parts = known.words(known.last(found.name))
    if not known.has(parts, known.GRADER) or not known.all_known(parts, known.GRADER | known.ID):
        return False
    has_number = any(part[-1].isdigit() for part in parts)
    short = found.texts and max(map(len, found.texts)) <= 60 and not found.is_prose
    recurs = found.is_few or found.distinct * 2 <= len(found.texts)
    # Rating words, and numbers as text, are what a grader gave.
    return bool(short and recurs and not has_number and not are_ratings(found.texts))


def judge_of_column(grade: GradeColumn, profiles: Mapping[str, Profile]) -> GradeColumn:
    """The same grade under the judge that a column of the same object names, as `judge_model`."""
    before = grade.column.rpartition(".")[0]
    names = [
        name
        for name, one in profiles.items()
        if before and name.startswith(f"{before}.") and one.texts and not one.is_number
        and known.has(known.words(known.last(name)), frozenset({"judge", "model", "evaluator"}))
        and max(map(len, one.texts)) <= _LONGEST_NAME and not one.lists
    ]  # fmt: skip
    if grade.grader or len(names) != 1:
        return grade
    reason = said("scores by the grader in column “{column}”", column=names[0])
    return replace(grade, kind="judge", grader=f"{{{names[0]}}}", reason=reason)


def of_grader(columns: Sequence[Profile], grader: Grader) -> list[GradeColumn]:
    """Score columns next to a column that names the grader; each is one criterion.

    A column under the name of a judge or a metric holds what that one gave.
    """
    names, _ = grade_names.named([one.name for one in columns])
    reason = said("scores by the grader in column “{column}”", column=grader.column)
    found = []
    for one, name in zip(columns, names, strict=True):
        if known.has((*name.grader, *name.criterion), known.JUDGE) or _is_metric(one, name):
            found.append(_named(one, name))
            continue
        criterion = _criterion((*known.words(name.who), *name.criterion))
        placeholder = f"{{{grader.column}}}"
        found.append(
            GradeColumn(one.name, criterion, placeholder, grader.kind, reason, _scores(one))
        )
    return found


def by_key(column: str, scores: Scores) -> list[GradeColumn] | Doubt:
    """Scores under each key of a dictionary or list, whose keys are graders or criteria.

    The grader is '' where nothing names one.
    """
    names = tuple(word for key in scores.keys for word in known.words(key))
    reason = said("scores under each key: {keys}", keys=quoted(scores.keys[:5]))
    key, is_grader = _means(column, known.words(scores.name), names)
    of_graders = all(known.has(known.words(one), known.HUMAN | known.JUDGE) for one in scores.keys)
    if (is_grader or of_graders) and (by_kind := _by_kind(column, scores, reason)):
        return by_kind
    if against := _against(scores, key, is_grader):
        return Doubt("score", (column,), against)
    is_named = known.has(known.words(column), known.METRIC | {"metric", "metrics"})
    kind = "judge" if known.has(names, known.JUDGE) else ANNOTATOR
    are_metrics = all(map(known.is_metric, scores.keys)) and all(map(_is_share, scores.inner))
    if not is_grader and (is_named or are_metrics):
        kind = "metric"
    is_person = known.has(known.words(column), known.HUMAN | known.GRADER)
    of_one = "" if kind == ANNOTATOR and not is_person else kind
    placeholder = f"{{{scores.name or key}}}"
    found = []
    for inner in scores.inner:
        after = tuple(
            w for w in known.words(inner.name.rpartition("{}")[2]) if w not in known.SCORE
        )
        of_column = tuple(w for w in known.words(column) if known.has((w,), known.CRITERIA))
        own = _criterion(after or of_column)
        found.append(
            GradeColumn(
                inner.name.replace("{}", placeholder),
                own if is_grader else placeholder,
                placeholder if is_grader or kind == "metric" else of_one,
                kind,
                reason,
                _scores(inner),
            )
        )
    return found


def _by_kind(column: str, scores: Scores, reason: str) -> list[GradeColumn]:
    """Scores of annotators and judges under their names; [] where they are of one kind."""
    judges = {key for key in scores.keys if known.has(known.words(key), known.JUDGE)}
    # A path cannot lead to a key with a dot, nor by the name of an object in a list.
    if not judges or judges == {*scores.keys} or any("." in key for key in scores.keys):
        return []
    if scores.name or scores.second or len(scores.inner) > 1:
        return []
    inner = scores.inner[0]
    after = known.words(inner.name.rpartition("{}")[2])
    criteria = [w for w in (*known.words(column), *after) if w in known.CRITERIA]
    return [
        GradeColumn(
            inner.name.replace("{}", key),
            _criterion(tuple(criteria)),
            key,
            "judge" if key in judges else ANNOTATOR,
            reason,
            _scores(inner),
        )
        for key in scores.keys
    ]


def _against(scores: Scores, key: str, is_grader: bool) -> str:
    """Return the reason against one reading of scores under keys; '' for none."""
    judges = [known.has(known.words(one), known.JUDGE) for one in scores.keys]
    if not key:
        return said("its keys could be criteria or graders")
    if scores.second:
        return said("each score also has its own “{name}”, which would be lost", name=scores.second)
    if any(judges) and not all(judges):
        return said("its keys name annotators and judges")
    if len(scores.inner) > 1 and not is_grader:
        return said("the scores under each key could be of several graders")
    return ""


def _means(column: str, called: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, bool]:
    """What the keys of scores are, and whether that is graders; '' where they could be either."""
    who = known.GRADER | known.HUMAN | known.JUDGE
    if known.has(called, known.WHO):
        return "grader", True
    if known.has((*called, *names), known.CRITERION | known.CRITERIA):
        return "criterion", False
    is_grader = known.has((*names, *known.words(column)), who)
    return ("grader", True) if is_grader else ("", False)


def by_name(columns: Sequence[Profile], prefix: str = "") -> tuple[list[GradeColumn], list[Doubt]]:
    """Score columns by what their names say; a doubt where they could be graders or criteria.

    The grader is '' where the name says only the criterion. A prefix of their names, as that of an
    answering model, says nothing of graders and criteria.
    """
    names, doubts = grade_names.named([one.name.removeprefix(prefix) for one in columns])
    full = {one.name.removeprefix(prefix): one.name for one in columns}
    names = [name._replace(column=full[name.column]) for name in names]
    doubts = [replace(d, columns=tuple(full[column] for column in d.columns)) for d in doubts]
    found = []
    either = _may_be_graders(names)
    for one, name in zip(columns, names, strict=True):
        if one.name in either:
            continue
        made = _named(one, name)
        if made.grader or name.is_known:
            found.append(made)
        else:
            either.append(one.name)
    if either:
        doubts.append(Doubt("score", tuple(either), grade_names.EITHER))
    return found, doubts


def told_apart(
    grades: Iterable[GradeColumn], keys: Mapping[str, Collection[str]]
) -> list[GradeColumn]:
    """Grade columns of which no two are of one grader and criterion, or the second would be lost.

    A later one gets a number: its criterion, or its grader where the criterion is read in each row
    or is that of a metric. `keys` are the keys of columns that read names in each row.
    """
    taken: set[tuple[str, str]] = set()
    found = []
    for one in grades:
        for n in count(1):
            named = _numbered(one, n)
            slots = _slots(named, keys.get(one.column, ()))
            if taken.isdisjoint(slots):
                break
        taken |= slots
        found.append(named)
    return found


def _numbered(one: GradeColumn, n: int) -> GradeColumn:
    if n == 1:
        return one
    if one.kind != "metric" and "{" not in one.criterion:
        return replace(one, criterion=f"{one.criterion}_{n}")
    if "{" not in one.grader:
        return replace(one, grader=f"{one.grader}_{n}")
    return replace(one, criterion=f"{one.criterion}_{n}")


def _slots(one: GradeColumn, keys: Collection[str]) -> set[tuple[str, str]]:
    """The graders and criteria of a column; those of its keys where it is read under each key."""
    of_column = {f"{{{name}}}" for name in column_paths.placeholders(one.column)}
    return {
        tuple(key if name in of_column else name for name in (one.grader, one.criterion))
        for key in (keys or ("",))
    }


def _may_be_graders(names: Sequence[grade_names.Name]) -> list[str]:
    """Columns such as `human_ana` and `human_ben`, which criteria could be called too.

    So could `Ana OK?` and `Ben OK?`, which differ in the first word.
    """
    by_grader: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        asks = name.column.rstrip().endswith(("?", "？")) and not name.grader and not name.who
        if (
            asks
            and len(name.criterion) > 1
            and not known.has(name.criterion, known.CRITERIA | known.ASPECTS)
        ):
            by_grader.setdefault(("?", *name.criterion[1:]), []).append(name.column)
            continue
        known_words = known.is_metric(name.column) or name.is_known or name.who
        if name.grader and not known_words and all(map(str.isalpha, name.grader)):
            by_grader.setdefault(name.grader, []).append(name.column)
    return [column for columns in by_grader.values() if len(columns) > 1 for column in columns]


def _named(one: Profile, name: grade_names.Name) -> GradeColumn:
    grader, criterion = name.grader, name.criterion
    is_fraction = one.is_number and not all(number.is_integer() for number in one.numbers)
    if _is_metric(one, name):
        kind, own = "metric", known.words(known.last(one.name))
        criterion = own if known.is_metric(one.name) else criterion or grader
    elif is_fraction and not (grader or name.who):
        kind = "metric"  # an annotator gives whole scores
    elif known.has(grader, known.MEAN) and not known.has(grader, known.JUDGE):
        kind = "mean"
    else:
        kind = "judge" if known.has(grader, known.JUDGE) else ANNOTATOR
    values = (
        said("few distinct values, as on a scale") if one.is_few else said("numbers, like scores")
    )
    who = said("named like a grader")
    if kind == "metric":
        who = said("named like a metric")
    elif name.who:
        who = said("the others of this criterion differ in “{who}”", who=name.who)
    elif not grader:
        who = UNNAMED
    words = criterion if kind == "metric" else (*grader, *filter(None, [name.who]))
    called = _as_written(one.name, words) or ("" if kind == ANNOTATOR else kind)
    reason = joined("; ", [values, who])
    return GradeColumn(one.name, _criterion(criterion), called, kind, reason, _scores(one))


def _is_metric(one: Profile, name: grade_names.Name) -> bool:
    """True under a word of metrics, and for 0 to 1 under the name of one; a 3 is a person's."""
    is_word = known.has((*name.grader, *name.criterion), known.METRIC)
    return is_word or (_is_share(one) and known.is_metric(one.name))


def _is_share(one: Profile) -> bool:
    return one.is_number and min(one.numbers) >= 0 and max(one.numbers) <= 1


def _as_written(column: str, words: Sequence[str]) -> str:
    """Return the words of a name with the hyphens and dots between them in the column."""
    found = re.search("([-._ ])".join(map(re.escape, words)), column, re.IGNORECASE)
    marks = ("", *(found.groups() if found else "_" * len(words)))
    parts = zip(marks, words, strict=False)
    return "".join(f"{mark.replace(' ', '_')}{word}" for mark, word in parts)


def _criterion(parts: tuple[str, ...]) -> str:
    telling = tuple(part for part in parts if part not in known.SCORE)
    return known.slug(telling) if telling else "overall"


def _scores(one: Profile) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.texts))[:_SHOWN]
