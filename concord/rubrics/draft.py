"""Changes of structure to a rubric being edited: its scale, its criteria and their order.

Pure. A draft may break the rules of a rubric on the way (weights that do not sum to 1, blank
texts), so nothing here validates; `rubrics.model.parse` does.
"""

from fractions import Fraction

from concord.rubrics.fit import criterion_names
from concord.rubrics.model import Criterion, CriterionTranslation, Level, Rubric, Translation


def with_scale(draft: Rubric, scale: tuple[int, ...]) -> Rubric:
    """Return the draft on another scale: scores it keeps keep their texts, new ones have none."""
    if scale == draft.scale:
        return draft
    criteria = tuple(_rescaled(one, scale) for one in draft.criteria)
    before = {one.name: [level.score for level in one.levels] for one in draft.criteria}
    translations = tuple(
        one.model_copy(
            update={"criteria": tuple(_realigned(t, before[t.name], scale) for t in one.criteria)}
        )
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


def with_criterion_alone(draft: Rubric, criterion: Criterion) -> Rubric:
    """Return the draft with that criterion instead of its own, and the translations of it."""
    for other in draft.criteria:
        if other.name != criterion.name:
            draft = without_criterion(draft, other.name)
    return draft.model_copy(update={"criteria": (criterion,)})


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


def moved_up(draft: Rubric, name: str) -> Rubric:
    """Return the draft with a criterion one place earlier; the first one stays."""
    criteria = list(draft.criteria)
    place = [one.name for one in criteria].index(name)
    if place:
        criteria[place - 1 : place + 1] = criteria[place], criteria[place - 1]
    return draft.model_copy(update={"criteria": tuple(criteria)})


def with_equal_weights(draft: Rubric) -> Rubric:
    """Return the draft with one weight for all criteria."""
    weight = Fraction(1, len(draft.criteria))
    criteria = tuple(one.model_copy(update={"weight": weight}) for one in draft.criteria)
    return draft.model_copy(update={"criteria": criteria})


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


def _rescaled(criterion: Criterion, scale: tuple[int, ...]) -> Criterion:
    levels = {level.score: level for level in criterion.levels}
    found = tuple(levels.get(score) or _blank(score) for score in scale) if levels else ()
    fails_at = criterion.fails_at if criterion.fails_at in scale else None
    return criterion.model_copy(update={"levels": found, "fails_at": fails_at})


def _realigned(
    text: CriterionTranslation, before: list[int], scale: tuple[int, ...]
) -> CriterionTranslation:
    if not text.meanings:
        return text
    held = dict(zip(before, text.meanings, strict=True))
    return text.model_copy(update={"meanings": tuple(held.get(score, "") for score in scale)})
