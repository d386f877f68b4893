"""Graders and criteria in the names of grade columns, as in `Ana: correctness` or `rater1_Q0`."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from concord.importing.proposals import name_words as known
from concord.importing.proposals.proposal import Doubt
from concord.messages import said

Words = tuple[str, ...]
_NUMBERED = re.compile(r"(.*[^\W\d_])(\d+)")
_RELEASE = re.compile(r"\d+[a-z]?|[a-z]", re.IGNORECASE | re.ASCII)
_PLACE = re.compile(r"\.\d+(?=\.|$)")
# A path into a list of one, as `tone.0.number`, says of which type it is.
_ONLY = re.compile(r"\.0(\.[^.]+)?$")
_VERSION = re.compile(r"v\d+")
_QUESTION = re.compile(r"q\d+")
_BRACKETS = re.compile(r"[(（]([^()（）]+)[)）]\s*$")
# The scale that a question asks for, as in `Helpful 1-5`.
_SCALE = re.compile(r"\s*(?<!\d)\d+\s*[-–~～〜]\s*\d+$")
# A number behind one of these is part of the criterion; behind these metrics, of the metric.
_COUNTED = frozenset(["q", "question", "criterion", "aspect", "dimension", "item"])
_AT = frozenset(["precision", "recall"])
_OF_ANSWERS = known.ANSWER | {"model", "models", "system", "systems"}
_GRADERS = known.HUMAN | known.JUDGE | known.MEAN
EITHER = said("the names could be criteria or graders")


class Name(NamedTuple):
    """The name of a grade column, taken apart.

    Attributes:
        column: The name itself.
        grader: Words that name a grader or a kind of one, such as `rater 1` or `gpt4`.
        criterion: Words of the criterion; none where the name has no others.
        who: The name of a person, as it is spelled; '' for none.
    """

    column: str
    grader: Words
    criterion: Words
    who: str

    @property
    def is_known(self) -> bool:
        """True where one of the words is that of a criterion, none says anything, or it asks."""
        asks = self.column.rstrip().endswith(("?", "？"))
        return not self.criterion or asks or any(map(_tells_criterion, self.criterion))


class _Parts(NamedTuple):
    """Words of a name: of a grader, and all others, as spelled.

    Of the others, `core` are those of a criterion where it is known, and `rest` what is left.
    """

    grader: Words
    others: Words
    core: Words
    rest: Words


def named(columns: Sequence[str]) -> tuple[list[Name], list[Doubt]]:
    """Take names apart; what recurs with the words of a criterion names its graders.

    A doubt names columns that can be read in another way too.
    """
    words_of = dict(zip(columns, map(_with_evaluator, columns, _telling(columns)), strict=True))
    parts = _with_names({column: _parts(words) for column, words in words_of.items()})
    graders, doubts = _in_brackets(columns)
    graders = {column: one for column, one in graders.items() if not parts[column].grader}
    open_ = {
        column: words
        for column, words in words_of.items()
        if not parts[column].grader and column not in graders
    }
    crossed, more = _crossed(open_)
    graders, doubts = graders | crossed, doubts + more
    shared, more = _sharing({c: one for c, one in parts.items() if c not in graders})
    graders |= shared
    return [_name(c, parts[c], graders.get(c)) for c in columns], doubts + more


def _with_names(parts: dict[str, _Parts]) -> dict[str, _Parts]:
    """With the names of numbered graders as part of them: `Rater 1 (Petra)`, `Rater 2 (Tom)`.

    So are those in brackets behind any grader, as `GPT-4 (few-shot)`.
    """
    numbered = {c: one for c, one in parts.items() if one.grader and _is_short(one.grader[-1])}
    others = [_folded(one.others) for one in numbered.values()]
    alone = len({one.grader for one in numbered.values()}) == len({*others}) == len(numbered) > 1
    found = {}
    for column, one in parts.items():
        brackets = _BRACKETS.search(column)
        is_named = column in numbered and alone and not known.is_metric(column)
        if brackets:
            is_named = bool(one.grader) and tuple(known.spelled(brackets[1])) == one.others
        called = (*one.grader, *_folded(one.others))
        found[column] = _Parts(called, (), (), ()) if is_named and not one.core else one
    return found


def _in_brackets(columns: Sequence[str]) -> tuple[dict[str, tuple[Words, Words]], list[Doubt]]:
    """Names in brackets behind what was graded: `OK? (Ana)`, `OK? (Tom)`.

    Those of several criteria are the same ones, or some of them; for a single criterion a doubt is
    noted, unless its other columns are a judge's. A name alone has to look like a person's.
    """
    who_of: dict[str, dict[str, str]] = defaultdict(dict)
    judged = set()
    for column in columns:
        if not (hit := _BRACKETS.search(column)):
            continue
        front = column[: hit.start()].strip().casefold()
        if known.has(known.words(hit[1]), _GRADERS):
            judged.add(front)
        else:
            who_of[front][hit[1].strip().casefold()] = column
    who_of = {front: who for front, who in who_of.items() if _may_name(front, who)}
    people = {frozenset(who) for who in who_of.values() if len(who) > 1}
    if len(people) > 1:
        return {}, []
    alone = {who for of in who_of.values() for who in of}
    several = next(iter(people), frozenset(alone if len(alone) == 1 else ()))
    named_by = {
        front: who
        for front, who in who_of.items()
        if (several.issuperset(who) and (people or _is_person(front, *who.values())))
        or (front in judged and _is_name(*who.values()))
    }
    found = {}
    for column in (column for who in named_by.values() for column in who.values()):
        hit = _BRACKETS.search(column)
        front = _SCALE.sub("", column[: hit.start()].strip())
        found[column] = (known.spelled(hit[1]), _split(front))
    if len(named_by) != 1 or (not people and judged.issuperset(named_by)):
        return found, []
    reason = said("they are read as several graders of one criterion, and could be criteria")
    return found, [Doubt("score", tuple(found), reason if people else EITHER)]


def _may_name(front: str, who: Iterable[str]) -> bool:
    """True where the brackets behind a name may each hold a grader's."""
    words = [_split(one) for one in who]
    other = any(_is_criterion(w) or w.isdigit() or w in known.UNITS for one in words for w in one)
    is_grader = known.has(known.words(front), _GRADERS)
    return bool(front) and not is_grader and all(words) and not other


def _is_person(front: str, column: str) -> bool:
    """True where a name in brackets looks like a person's, and a criterion's is before it."""
    words = known.spelled(_BRACKETS.search(column)[1])
    is_criterion = front.endswith(("?", "？")) or any(map(_tells_criterion, _split(front)))
    is_score = not _split(front)
    return (is_criterion or is_score) and all(map(_is_as_names_are, words))


def _is_as_names_are(word: str) -> bool:
    """True for a word with a capital first, or of a script that has no capitals."""
    return word.istitle() or (word.isalpha() and word.upper() == word.lower())


def _is_name(column: str) -> bool:
    """True where the brackets do not begin with a small letter, as names do not."""
    return not _BRACKETS.search(column)[1].strip()[:1].islower()


def _name(column: str, parts: _Parts, found: tuple[Words, Words] | None) -> Name:
    who, criterion = found or ((), parts.others)
    return Name(column, parts.grader, _folded(criterion), _called(who))


def _telling(columns: Sequence[str]) -> list[Words]:
    """The words of each name that say more than that it is a score.

    Of paths the last key does, with what names a grader before it; all of the path where several
    columns have the same last key.
    """
    plain = [_PLACE.sub("", _ONLY.sub("", column)) for column in columns]
    columns = plain if len({*plain}) == len(plain) else columns
    last = [_split(known.last(column)) for column in columns]
    shared = Counter(map(_folded, last))
    paths = [_split(column) for column in columns]
    same = _common_start(paths)
    found = []
    for column, path, own in zip(columns, paths, last, strict=True):
        before = _split(column.rpartition(".")[0])
        who = tuple(word for word in before if known.has((word.casefold(),), _GRADERS))
        others = tuple(word for word in before if word.casefold() not in _OF_ANSWERS)
        if all(known.has((word.casefold(),), _GRADERS) for word in own):
            own = (*filter(_tells_criterion, before), *own)
        is_shared = shared[_folded(own)] > 1 and not who and path[same:]
        found.append((path[same:] if is_shared else (*who, *own)) if own else others)
    return found


def _with_evaluator(column: str, words: Words) -> Words:
    """With the judge of a metric as MLflow writes it: `relevance/v1/score`."""
    if not column.endswith("/score"):
        return words
    return ("judge", *(word for word in words if not _VERSION.fullmatch(word)))


def _split(name: str) -> Words:
    """The words of a name without those for a score; a number parted from a known criterion."""
    found = []
    for word in known.spelled(name):
        numbered = _NUMBERED.fullmatch(word)
        if word.casefold() in known.GRADE_WORDS:
            continue
        if numbered and numbered[1].casefold() in known.CRITERIA:
            found += numbered.groups()
        else:
            found.append(word)
    return tuple(found)


def _common_start(paths: Sequence[Words]) -> int:
    """How many words all of several names begin with."""
    if len(paths) < 2:
        return 0
    same = (len({word.casefold() for word in words}) == 1 for words in zip(*paths, strict=False))
    return next((place for place, one in enumerate(same) if not one), min(map(len, paths)))


def _parts(words: Words) -> _Parts:
    """The words that name a grader, each with the number or letter behind it, and the others."""
    grader, others, follows = [], [], False
    for spelled in words:
        word = spelled.casefold()
        follows = known.has((word,), _GRADERS) or (follows and _is_short(word))
        (grader if follows else others).append(word if follows else spelled)
    core = [w for place, w in enumerate(others) if _is_criterion(w) or _counts(others[:place], w)]
    if not any(map(_tells_criterion, core)) and not any(map(str.isdigit, core)):
        core = []
    rest = [word for word in others if word not in core]
    return _Parts(tuple(grader), tuple(others), tuple(core), tuple(rest))


def _is_short(word: str) -> bool:
    """True for what numbers a grader, or says which release of a model it is, as in `gpt-4o`."""
    return bool(_RELEASE.fullmatch(word)) or word in known.RELEASES


def _counts(before: Sequence[str], word: str) -> bool:
    """True for the number of a criterion, as in `question 3`."""
    return word.isdigit() and bool(before) and before[-1].casefold() in _COUNTED


def _is_criterion(word: str) -> bool:
    return _tells_criterion(word) or word.casefold() in known.ASPECTS | _COUNTED


def _tells_criterion(word: str) -> bool:
    return word.casefold() in known.CRITERIA or bool(_QUESTION.fullmatch(word.casefold()))


def _sharing(parts: Mapping[str, _Parts]) -> tuple[dict[str, tuple[Words, Words]], list[Doubt]]:
    """Grader and criterion of columns that share the words of a criterion, and doubts.

    Empty where two graders share two criteria. Columns of which none shares its grader with
    another criterion are criteria, unless there is only one such group.
    """
    groups: dict[tuple[Words, Words], dict[str, Words]] = defaultdict(dict)
    for column, one in parts.items():
        if one.core and not known.has(one.grader, known.MEAN):
            groups[one.grader, _folded(one.core)][column] = one.rest
    several = [rests for (_, core), rests in groups.items() if _are_several(core, rests.values())]
    found, doubts = {}, []
    by_group = [_split_off(parts, rests) for rests in several]
    who_of = [{_folded(who) for who, _ in one.values()} for one in by_group]
    for place, one in enumerate(by_group):
        others = [who_of[place] & who for at, who in enumerate(who_of) if at != place]
        most = max(map(len, others), default=0)
        reason = said("they are read as several graders of one criterion, and could be criteria")
        if others and not most:
            reason = said("they are read as criteria, and could be several graders of one")
        else:
            found |= one
        doubts += [Doubt("score", tuple(one), reason)] if most < 2 else []
    people = {_folded(who) for who, _ in found.values() if who}
    alone = {c: one for c, one in parts.items() if one.core and _folded(one.rest) in people}
    found |= {c: (one.rest, one.core) for c, one in alone.items() if c not in found}
    return found, doubts


def _split_off(
    parts: Mapping[str, _Parts], rests: Mapping[str, Words]
) -> dict[str, tuple[Words, Words]]:
    """Grader and criterion of the columns of one criterion; words of all of them are of that."""
    same = set.intersection(*({*_folded(rest)} for rest in rests.values()))
    return {
        column: (
            tuple(word for word in rest if word.casefold() not in same),
            (*(word for word in rest if word.casefold() in same), *parts[column].core),
        )
        for column, rest in rests.items()
    }


def _are_several(core: Words, rests: Iterable[Words]) -> bool:
    """Return True where the names without one criterion can be those of several graders."""
    folded = [_folded(rest) for rest in rests]
    numbers = [int(rest[0]) for rest in folded if len(rest) == 1 and rest[0].isdecimal()]
    if numbers and ({*core} & _AT or max(numbers) > len(folded)):
        return False
    return len({*folded}) == len(folded) > 1


def _crossed(names: Mapping[str, Words]) -> tuple[dict[str, tuple[Words, Words]], list[Doubt]]:
    """Names that cross graders with criteria, as `ana_wit, ana_tact, bob_wit, bob_tact`."""
    names = {column: words for column, words in names.items() if len(words) > 1}
    for at in (1, -1):
        grid = {column: (words[:at], words[at:]) for column, words in names.items()}
        first, second = ({_folded(part[side]) for part in grid.values()} for side in (0, 1))
        if len(grid) != len(first) * len(second) or min(len(first), len(second)) < 2:
            continue
        firsts, seconds = (any(map(_says_criterion, axis)) for axis in (first, second))
        if firsts and seconds:
            continue
        if firsts:
            return {column: (after, before) for column, (before, after) in grid.items()}, []
        reason = said("the first words are read as graders, the others as criteria")
        return grid, [] if seconds else [Doubt("score", tuple(grid), reason)]
    return {}, []


def _says_criterion(words: Words) -> bool:
    return any(map(_is_criterion, words))


def _folded(words: Words) -> Words:
    return tuple(map(str.casefold, words))


def _called(who: Words) -> str:
    """The name of a grader; a number or a letter alone is one of the annotators."""
    name = " ".join(who)
    return f"annotator_{name}" if _is_short(name) else name
