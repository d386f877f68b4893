"""Effect of a rubric edit: which criteria keep their version and which get a new one."""

from typing import NamedTuple

from concord.messages import said
from concord.rubrics.model import Criterion, Rubric, counts_on


class Change(NamedTuple):
    """One criterion before and after an edit.

    `kind` is 'same' (grades stay), 'new version' (grades stay with the old one), 'counts on' (they
    count under the new version too, see `counts_on`), 'added' or 'removed'. `may_carry` says
    whether the change could be of wording only, so that the grades may be carried over. `what`
    lists what differs, in words, also where the version stays; `deeper` what is more than wording.
    """

    criterion: str
    kind: str
    what: tuple[str, ...]
    may_carry: bool = False
    deeper: tuple[str, ...] = ()


def changes(old: Rubric, new: Rubric) -> list[Change]:
    """Return the change of each criterion, in the order of the new rubric; removed ones last."""
    before = {criterion.name: criterion for criterion in old.criteria}
    found = []
    for criterion in new.criteria:
        if criterion.name in before:
            found.append(_change(old, before.pop(criterion.name), new, criterion))
        else:
            found.append(Change(criterion.name, "added", ()))
    return found + [Change(name, "removed", ()) for name in before]


def _change(old: Rubric, a: Criterion, new: Rubric, b: Criterion) -> Change:
    rewordings = [(said("question"), a.question.strip() != b.question.strip())]
    rewordings += [(said("meaning of {score}", score=score), True) for score in _reworded(a, b)]
    rewordings += [(said("meanings"), bool(a.levels) != bool(b.levels))]
    deeper = [
        (said("scale"), old.scale != new.scale),
        (said("what is shown"), set(old.shown) != set(new.shown)),
    ]
    free = [
        (said("title"), a.heading() != b.heading()),
        (said("weight"), a.weight != b.weight),
        (said("which scores fail"), old.failing(a) != new.failing(b)),
        (said("examples"), _examples(a) != _examples(b)),
        (said("translations"), _translations(old, a.name) != _translations(new, b.name)),
    ]
    what = tuple(name for name, differs in rewordings + deeper + free if differs)
    if old.version(a) == new.version(b):
        return Change(b.name, "same", what)
    if counts_on(old, new, b.name):
        return Change(b.name, "counts on", what)
    more = tuple(name for name, differs in deeper if differs)
    return Change(b.name, "new version", what, not more, more)


def _reworded(a: Criterion, b: Criterion) -> list[int]:
    """The scores, among those both have, whose meaning reads differently."""
    meanings = {level.score: level.meaning.strip() for level in a.levels}
    return [
        level.score
        for level in b.levels
        if level.score in meanings and meanings[level.score] != level.meaning.strip()
    ]


def _examples(criterion: Criterion) -> dict:
    return {level.score: level.examples for level in criterion.levels if level.examples}


def _translations(rubric: Rubric, criterion: str) -> dict:
    found = {one.language: one.of(criterion) for one in rubric.translations}
    return {language: one for language, one in found.items() if not one.is_blank()}
