"""Editing a rubric: changes of its structure, and which criteria get a new version by them.

Pure. A rubric being edited may break the rules on the way (weights that do not sum to 1, blank
texts), so nothing here validates; `rubrics.model.parse` does.
"""

from fractions import Fraction
from typing import NamedTuple

from concord.messages import said
from concord.rubrics.fit import criterion_names
from concord.rubrics.model import (
    Criterion,
    CriterionTranslation,
    Level,
    Rubric,
    Translation,
    counts_on,
)


class Change(NamedTuple):
    """One criterion before and after an edit.

    `kind` is 'same' (grades stay), 'new version' (grades stay with the old one), 'counts on' (they
    count under the new version too, see `counts_on`), 'added' or 'removed'. `may_carry` says
    whether the change could be of wording only, so that the grades may be carried over. `what`
    lists what differs, in words, also where the version stays.
    """

    criterion: str
    kind: str
    what: tuple[str, ...]
    may_carry: bool = False


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
    before = _wording(a)[1]
    rewordings += [
        (said("meaning of {score}", score=score), before.get(score, meaning) != meaning)
        for score, meaning in _wording(b)[1].items()
    ]
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
    return Change(b.name, "new version", what, not any(differs for _, differs in deeper))


def _examples(criterion: Criterion) -> dict:
    return {level.score: level.examples for level in criterion.levels if level.examples}


def _translations(rubric: Rubric, criterion: str) -> dict:
    found = {one.language: one.of(criterion) for one in rubric.translations}
    return {language: one for language, one in found.items() if not one.is_blank()}


def with_scale(draft: Rubric, scale: tuple[int, ...]) -> Rubric:
    """Return the draft on another scale: scores it keeps keep their texts, new ones have none."""
    held = {one.name: {level.score: level for level in one.levels} for one in draft.criteria}
    criteria = tuple(
        one.model_copy(
            update={
                "levels": tuple(held[one.name].get(score) or _blank(score) for score in scale)
                if one.levels
                else (),
                "fails_at": one.fails_at if one.fails_at in scale else None,
            }
        )
        for one in draft.criteria
    )

    def realigned(text: CriterionTranslation) -> CriterionTranslation:
        known = dict(zip(held[text.name], text.meanings, strict=False))
        meanings = tuple(known.get(score, "") for score in scale) if known else ()
        return text.model_copy(update={"meanings": meanings, "examples": ()})

    translations = tuple(
        one.model_copy(update={"criteria": tuple(map(realigned, one.criteria))})
        for one in draft.translations
    )
    found = {"scale": scale, "criteria": criteria, "translations": translations}
    return draft.model_copy(update=found)


def with_criterion(draft: Rubric, title: str) -> Rubric:
    """Return the draft with another criterion, without a weight, question or meanings yet."""
    *_, name = criterion_names([*(one.name for one in draft.criteria), title]).values()
    has_meanings = any(one.levels for one in draft.criteria)
    levels = tuple(map(_blank, draft.scale)) if has_meanings else ()
    made = Criterion.model_construct(
        name=name, title=title, weight=Fraction(0), question="", levels=levels, fails_at=None
    )
    return draft.model_copy(update={"criteria": (*draft.criteria, made)})


def without_criterion(draft: Rubric, name: str) -> Rubric:
    """Return the draft without a criterion and its translations; the other weights stay."""
    kept = tuple(one for one in draft.criteria if one.name != name)
    translations = tuple(
        one.model_copy(update={"criteria": tuple(t for t in one.criteria if t.name != name)})
        for one in draft.translations
    )
    return draft.model_copy(update={"criteria": kept, "translations": translations})


def outdated(old: Rubric, new: Rubric) -> dict[str, tuple[str, ...]]:
    """Return by criterion the languages whose translation is that of an earlier wording.

    That is one whose question and meanings stayed while the question or a meaning changed.
    """
    before = {one.name: one for one in old.criteria}
    reworded = [
        one.name
        for one in new.criteria
        if one.name in before and _wording(one) != _wording(before[one.name])
    ]
    found = {
        name: tuple(
            held.language
            for held in new.translations
            for was in old.translations
            if held.language == was.language
            and not held.of(name).is_blank()
            and held.of(name) == was.of(name)
        )
        for name in reworded
    }
    return {name: languages for name, languages in found.items() if languages}


def _wording(criterion: Criterion) -> tuple[str, dict[int, str]]:
    meanings = {level.score: level.meaning.strip() for level in criterion.levels}
    return criterion.question.strip(), meanings


def with_translation(draft: Rubric, new: Translation) -> Rubric:
    """Return the draft with a translation in place of that of its language; a blank one goes."""
    criteria = tuple(one for one in new.criteria if not one.is_blank())
    new = new.model_copy(update={"criteria": criteria})
    others = [one for one in draft.translations if one.language != new.language]
    kept = others if new.is_blank() else [*others, new]
    in_order = tuple(sorted(kept, key=lambda one: one.language))
    return draft.model_copy(update={"translations": in_order})


def _blank(score: int) -> Level:
    return Level.model_construct(score=score, meaning="", label="", examples=())
