"""Grade columns by value: few small numbers or rating words; criterion, grader and kind by name.

Columns that are only named like scores, or hold them, are for the user to confirm.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from concord.importing import column_paths, scores
from concord.importing.columns import ColumnMap, ScoreColumn, head
from concord.importing.fields import folded
from concord.importing.proposals import column_profile, grade_names
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import Profile, are_ratings, of_columns
from concord.importing.proposals.dictionaries import Scores
from concord.importing.proposals.proposal import Doubt, GradeColumn
from concord.importing.readers.table import Table
from concord.messages import joined, quoted, said

_LOWEST, _HIGHEST = -10, 100
# Last words of names that hold no score whatever is before, as `usage.gpt-4o.input_tokens`.
_NEVER = frozenset({"tokens", "token", "ms", "cost", "reason", "explanation", "rationale"})
_SUGGESTED = frozenset({"suggestion", "suggestions"})
# A digit next to a letter, as in `8b` and `v2`.
_RELEASE = re.compile(r"\d[a-z]|[a-z]\d")
# Where most scales end.
_SCALE = 10
# The share of texts at most that are no scores in a column of scores.
_UNREADABLE = 0.1


def is_grades(found: Profile) -> bool:
    """True for a column of scores: by its values, and where these could be else, by its name."""
    parts = known.words(found.name)
    if not found.texts or found.lists or found.is_prose:
        return False
    of_scores = known.has(parts, known.SCORE | known.JUDGE | known.HUMAN | known.CRITERIA)
    of_scores = of_scores or known.is_metric(found.name)
    if _NEVER.intersection(parts[-1:]):
        return False
    if parts[-1:] == ("score",) and known.has(parts, _SUGGESTED):
        return False  # how sure the model is of what it suggests, as in Argilla
    if known.has(parts, known.NO_SCORE) and not of_scores:
        return False
    if not found.is_number:
        if are_ratings(found.texts):
            return True
        of_models = known.all_known(parts, known.MODEL)
        models = sum(_names_model(text, of_models) for text in found.texts)
        if models * 2 > len(found.texts):
            return False
        readable, share = column_profile.readable(found)
        if 0 < share <= _UNREADABLE and is_grades(readable):
            return True
        rated = sum(known.has(known.words(text), known.RATINGS) for text in found.texts)
        is_rated = rated * 2 > len(found.texts) and (of_scores or found.distinct > 1)
        return found.is_few and (is_rated or (of_scores and found.distinct > 1))
    if known.all_known(parts, known.GRADER | known.ID) and known.has(parts, known.ID):
        return False
    if min(found.numbers) < _LOWEST or max(found.numbers) > _HIGHEST:
        return False
    is_whole = all(number.is_integer() for number in found.numbers)
    return of_scores or (is_whole and found.distinct > 1 and (found.is_few or _on_a_scale(found)))


def _names_model(text: str, of_models: bool) -> bool:
    """True for the name of a model; in a column of models also for one with a size, as `own-8b`."""
    has_release = any(_RELEASE.search(word) for word in known.words(text))
    return known.has(known.words(text), known.JUDGE | known.MODEL) or (of_models and has_release)


def is_grades_in_part(found: Profile) -> bool:
    """True for words of a usual scale of which more than a few, yet not most, are no scores."""
    readable, share = column_profile.readable(found)
    is_words = not (readable.is_number or found.lists or found.is_prose)
    return is_words and _UNREADABLE < share < 0.5 and is_grades(readable)


def _on_a_scale(found: Profile) -> bool:
    """True for small numbers in a file of a few rows, in which they recur less; no running ones."""
    low, high = min(found.numbers), max(found.numbers)
    runs = found.is_unique and list(found.numbers) == sorted(found.numbers)
    return low >= 0 and high <= _SCALE and len(found.texts) < 2 * _SCALE and not runs


def kinds(found: Profile, assertions: bool = False) -> set[str]:
    """The kinds of grader that a column names; none where it names anything else.

    Types of assertions are kinds too, if asked for.
    """
    kind_of = scores.kind_of if assertions else lambda word: scores.KINDS.get(word.casefold(), "")
    named = {kind_of(text) for text in found.texts}
    return set() if "" in named else named


def kinds_of_rows(columns: Iterable[Profile]) -> str | None:
    """The column that says of each grader whether it is an annotator or a judge."""
    return next((one.name for one in columns if kinds(one)), None)


def are_all(found: Profile, kind: str) -> bool:
    """True where a column says of every row that its grader is of this kind."""
    return kinds(found) == {"person" if kind == "annotator" else kind}


def criterion_of_rows(columns: Iterable[Profile]) -> str | None:
    """The only column that names the criterion of each row."""
    hits = [
        one.name
        for one in columns
        if one.texts
        and not one.is_number
        and not one.is_prose
        and known.all_known(known.words(known.last(one.name)), known.CRITERION | known.ID)
    ]
    return hits[0] if len(hits) == 1 else None


def scores_of_rows(columns: list[Profile]) -> list[Profile]:
    """Return the column named as a score, of those that could hold one grade per row."""
    named = [one for one in columns if known.all_known(known.words(one.name), known.SCORE)]
    return named if len(named) == 1 else columns


def is_of_scores(name: str) -> bool:
    """True for what is stored in the object of a score, as `scores.match.answer`."""
    return bool({"scores", "grades"} & {*known.words(name.rpartition(".")[0])})


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


_RECORDS = 200
_STORED = {"annotator": "person"}


def possible_scores(
    table: Table, columns: ColumnMap, criteria: Iterable[str]
) -> Iterator[ScoreColumn]:
    """Leftover columns that hold grades and name their grader, then others named for a criterion.

    Grader and kind are empty where the name says neither; so is the criterion where it is none of
    `criteria` and there are several.
    """
    criteria = {folded(name): name for name in criteria}
    only = next(iter(criteria.values())) if len(criteria) == 1 else ""
    profiles = of_columns(table.columns, [record.cells for record in head(table, _RECORDS)])
    grades, _ = by_name([one for c in columns.leftovers if is_grades(one := profiles[c])])
    named = {one.column: one for one in grades if one.grader not in ("", one.kind)}
    for one in named.values():
        kind = _STORED.get(one.kind, one.kind)
        criterion = criteria.get(folded(one.criterion), only)
        yield ScoreColumn(one.column, kind, one.grader, criterion)
    for column in columns.leftovers:
        parts = {*known.words(column)}
        inside = [name for name in criteria.values() if {*known.words(name)} <= parts]
        if inside and column not in named:
            yield ScoreColumn(column, "", "", inside[0])


def are_annotators(table: Table, columns: ColumnMap) -> bool:
    """True where a column names who graded, and nothing in its first rows looks like a judge."""
    column = columns.column("grader")
    if column not in table.columns:  # a path or a constant
        return False
    place = table.columns.index(column)
    names = {str(record.cells[place]) for record in head(table, _RECORDS)}
    return not any(known.has(known.words(name), known.JUDGE) for name in (column, *names))
