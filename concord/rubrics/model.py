"""Rubric, Criterion, Level: what is graded, on which ordinal scale, and what each score means.

A rubric is a TOML file (see `load`). A criterion's *version* is a hash of what a grader decides by:
its name, question, scale, the meanings of its scores and what is shown with the answer. Weights,
titles, examples, translations and the failing threshold are not in it, so changing them keeps
grades.
"""

import math
import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError, model_validator

from concord.definitions import LANGUAGE_CODE, Frozen, canonical_json, digest
from concord.messages import Problem, capital, faults_of, joined, said, spoken, system_fault
from concord.resources import RUBRICS

# The rubric of whole answers that is proposed where none was chosen.
FIRST = "doc-qa-0-3"

FOLDER = RUBRICS
Shown = Literal[
    "question", "contexts", "reference", "turns", "answer", "reference_contexts", "chunk"
]
OF_ANSWERS = {  # what a rubric of whole answers may show with an answer, in words
    "question": "the question",
    "contexts": "the contexts",
    "reference": "the reference answer",
    "turns": "the earlier turns",
}
AREA = {"widget": "area"}  # of a field: a text of several lines in a form
Said = Annotated[str, Field(pattern=r"\S")]  # graders decide by it, so it cannot be blank


class Example(Frozen):
    """A question and answer that deserve a score, and why."""

    question: str = Field(title="Question")
    answer: str = Field(title="Answer")
    why: str = Field(title="Why")
    context: str = Field("", title="Context")


class Level(Frozen):
    """One score of a criterion: what it means, the word for it where units get it, and examples."""

    score: int
    meaning: Said
    label: str = ""
    examples: tuple[Example, ...] = ()


class Criterion(Frozen):
    """One thing that is graded, with a meaning for every score of the scale, or for none.

    Without meanings it takes imported grades only: no one can grade by it.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str = Field("", title="Title")
    weight: Fraction = Field(title="Weight")
    question: Said = Field(title="Question", json_schema_extra=AREA)
    levels: tuple[Level, ...] = ()
    fails_at: int | None = Field(None, title="Highest failing score, else below the midpoint")

    @model_validator(mode="before")
    @classmethod
    def _weight_is_exact(cls, value):
        """Read 0.6 as 3/5 and not as the nearest binary float."""
        weight = value.get("weight") if isinstance(value, dict) else None
        if isinstance(weight, bool) or (isinstance(weight, float) and not math.isfinite(weight)):
            raise ValueError(said('weight: give a number such as 0.6, or a fraction such as "1/3"'))
        if isinstance(weight, float | int):
            value = {**value, "weight": Fraction(str(weight))}
        return value

    def heading(self) -> str:
        """The title shown on screens; the name where it is missing."""
        return self.title or capital(spoken(self.name))


class CriterionTranslation(Frozen):
    """A criterion's texts in another language; what is blank is shown as in the original.

    It is not part of any version: grades given under it are grades of the rubric, and judges read
    the original.

    `meanings` are those of the scores in the order of the scale, or empty; so are the `labels` of
    the levels of a rubric of units. What is stored and exported keeps the labels of the original.
    `examples` are those of all its levels, in their order, or empty.
    """

    name: str
    title: str = Field("", title="Title")
    question: str = Field("", title="Question", json_schema_extra=AREA)
    meanings: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()

    def is_blank(self) -> bool:
        """True where no text is translated."""
        texts = (self.title, self.question, *self.meanings, *self.labels)
        return not self.examples and not any(text.strip() for text in texts)


class Translation(Frozen):
    """A rubric's texts in another language (a BCP 47 code such as `ko`)."""

    language: str = Field(pattern=LANGUAGE_CODE)
    title: str = Field("", title="Title")
    about: str = Field("", title="About", json_schema_extra=AREA)
    criteria: tuple[CriterionTranslation, ...] = ()

    def of(self, criterion: str) -> CriterionTranslation:
        """The texts of a criterion; blank ones where it is not translated."""
        held = {one.name: one for one in self.criteria}
        return held.get(criterion) or CriterionTranslation(name=criterion)

    def is_blank(self) -> bool:
        """True where no text is translated."""
        texts = (self.title, self.about)
        return not any(map(str.strip, texts)) and all(one.is_blank() for one in self.criteria)


class Rubric(Frozen):
    """Criteria on one ordinal scale, with weights that sum to 1, and what a grader is shown.

    A rubric of `units` is for the parts of an item of one kind (`claim`, `chunk`): it has one
    criterion whose levels have labels, and may show other texts than a rubric of whole answers.
    """

    name: str = Field(pattern=r"^[\w.-]+$", title="Name")
    title: str = Field(pattern=r"[^\s]", title="Title")
    about: str = Field("", title="About", json_schema_extra=AREA)
    scale: tuple[int, ...] = Field(title="Scores of all criteria, ascending")
    shown: tuple[Shown, ...] = Field(("question", "contexts"), title="Shown with the answer")
    units: str = Field(default="", pattern=r"^[a-z_]*$")
    plural: str = ""
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    translations: tuple[Translation, ...] = ()

    @model_validator(mode="after")
    def _is_coherent(self):
        for fault in self._faults():
            raise ValueError(fault)
        return self

    def _faults(self) -> Iterator[str]:
        """Yield what contradicts itself, of criteria, units and translations."""
        if len(self.scale) < 2 or list(self.scale) != sorted(set(self.scale)):
            yield said("scale: give at least two different scores in rising order")
        known = {one.name: one for one in self.criteria}
        if len(known) != len(self.criteria):
            yield said("criteria: two criteria have the same name")
        total = sum(one.weight for one in self.criteria)
        if any(one.weight <= 0 for one in self.criteria) or total != 1:
            yield said(
                "criteria: weights must be positive and sum to 1; they sum to {n}",
                n=weight_text(total),
            )
        if len(set(self.shown)) != len(self.shown):
            yield said("shown: list each part once")
        labels = [level.label for one in self.criteria for level in one.levels]
        labelled = bool(labels) and all(labels) and len(set(labels)) == len(labels)
        if self.units:
            if not (self.plural and len(self.criteria) == 1 and labelled):
                yield said(
                    "units: give plural, one criterion, and a label of its own for each level"
                )
        elif set(self.shown) - OF_ANSWERS.keys():
            names = joined(", ", sorted(OF_ANSWERS))
            yield said("shown: whole answers take {names}", names=names)
        elif any(labels) or self.plural:
            yield said("units: name the kind of units that plural and the labels are for")
        for name, criterion in known.items():
            scores = [level.score for level in criterion.levels]
            if scores and scores != list(self.scale):
                yield said(
                    "{name}: give one level for each score of the scale, in its order", name=name
                )
            if criterion.fails_at is not None and criterion.fails_at not in self.scale:
                yield said("{name}: fails_at is not a score of the scale", name=name)
        if len({one.language for one in self.translations}) != len(self.translations):
            yield said("translations: give each language once")
        for text in (each for one in self.translations for each in one.criteria):
            if text.name not in known:
                yield said("translations: there is no criterion “{name}”", name=text.name)
            levels = len(known[text.name].levels)
            given = len([label for label in labels if label])
            examples = sum(len(level.examples) for level in known[text.name].levels)
            if len(text.examples) not in (0, examples):
                yield said(
                    "translations of {name}: give as many examples as the original has ({n})",
                    name=text.name,
                    n=examples,
                )
            if len(text.meanings) not in (0, levels) or len(text.labels) not in (0, given):
                yield said(
                    "translations of {name}: give a meaning for each score of the scale, in "
                    "its order, blank where it is not translated; and so a label for each "
                    "level of a rubric of units",
                    name=text.name,
                )

    def criterion(self, name: str) -> Criterion:
        """The criterion of that name; a Problem that lists the names otherwise."""
        known = {criterion.name: criterion for criterion in self.criteria}
        if name not in known:
            raise Problem(
                "Rubric {rubric} has no criterion “{name}”. It has: {names}.",
                rubric=self.name,
                name=name,
                names=joined(", ", known),
            )
        return known[name]

    def in_language(self, language: str) -> "Rubric":
        """Return the rubric as a reader of that language sees it; untranslated texts stay.

        For display alone: the versions of what it returns are not those of the rubric.
        """
        for one in self.translations:
            if one.language == language:
                criteria = tuple(_in_words(each, one.of(each.name)) for each in self.criteria)
                texts = {"title": _else(one.title, self.title), "criteria": criteria}
                return self.model_copy(update={**texts, "about": _else(one.about, self.about)})
        return self

    def check_meanings(self) -> None:
        """Raise a Problem where no one can grade by it, because meanings are missing."""
        missing = [one.heading() for one in self.criteria if not one.levels]
        if missing:
            raise Problem(
                "Rubric {rubric} does not describe its scores ({criteria}), so it can only be "
                "used for imported grades. Fill in the meanings on the screen Rubrics first.",
                rubric=self.name,
                criteria=joined(", ", missing),
            )

    def headings(self) -> dict[str, str]:
        """Return the displayed title of each criterion by its name."""
        return {criterion.name: criterion.heading() for criterion in self.criteria}

    def by_weight(self) -> list[Criterion]:
        """The criteria, heaviest first; in their order on a tie."""
        return sorted(self.criteria, key=lambda criterion: -criterion.weight)

    def heaviest(self) -> Criterion:
        """The criterion with the largest weight; the first of them on a tie."""
        return self.by_weight()[0]

    def weights(self) -> dict[str, Fraction]:
        """Exact weight by criterion name; they sum to 1."""
        return {criterion.name: criterion.weight for criterion in self.criteria}

    def failing(self, criterion: Criterion) -> frozenset[int]:
        """The scores that fail: up to `fails_at`, else every score below the scale's midpoint."""
        if criterion.fails_at is not None:
            return frozenset(score for score in self.scale if score <= criterion.fails_at)
        return frozenset(s for s in self.scale if 2 * s < self.scale[0] + self.scale[-1])

    def version(self, criterion: Criterion) -> str:
        """The criterion version: the hash of everything a grader decides by."""
        # The keys and the form of each value are part of the stored contract: any change makes all
        # grades look regraded.
        decides = {
            "name": criterion.name,
            # White space at the ends is not read by anyone, so it changes no version.
            "question": criterion.question.strip(),
            "scale": self.scale,
            "meanings": [level.meaning.strip() for level in criterion.levels],
            # Sorted: the order of the list does not change what a grader sees.
            "shown": sorted(self.shown),
        }
        if self.units:
            decides["units"] = [self.units, *(level.label for level in criterion.levels)]
        return digest(decides)

    def versions(self) -> dict[str, str]:
        """Criterion version by criterion name."""
        return {criterion.name: self.version(criterion) for criterion in self.criteria}

    def body(self) -> str:
        """The rubric as canonical JSON, as it is stored; `from_body` reads it back."""
        return canonical_json(self.model_dump(mode="json"))

    def digest(self) -> str:
        """The digest of the body: which version of the rubric it is."""
        return digest(self.body())


def weight_text(weight: Fraction) -> str:
    """A weight as annotators write it: 0.6, or 1/3 where no short decimal is exact."""
    decimal = f"{float(weight):.4g}"
    return decimal if Fraction(decimal) == weight else str(weight)


def _in_words(criterion: Criterion, text: CriterionTranslation) -> Criterion:
    blank = ("",) * len(criterion.levels)
    texts = zip(criterion.levels, text.meanings or blank, text.labels or blank, strict=True)
    examples = iter(text.examples)
    levels = tuple(
        level.model_copy(
            update={
                "meaning": _else(meaning, level.meaning),
                "label": _else(label, level.label),
                "examples": tuple(next(examples, one) for one in level.examples),
            }
        )
        for level, meaning, label in texts
    )
    titles = {"title": _else(text.title, criterion.title), "levels": levels}
    question = _else(text.question, criterion.question)
    return criterion.model_copy(update={**titles, "question": question})


def _else(text: str, original: str) -> str:
    """A translated text, or the original where it is blank."""
    return text if text.strip() else original


def counts_on(old: Rubric, new: Rubric, name: str) -> bool:
    """Return True where an edit keeps a criterion's grades comparable although its version changes.

    So it is where its scores had no meanings: its grades were imported, and no grader decided by
    words that could differ now. The scale must stay.
    """
    kept = {criterion.name for criterion in new.criteria}
    return name in kept and old.scale == new.scale and not old.criterion(name).levels


@lru_cache(maxsize=256)
def from_body(body: str) -> Rubric:
    """Read a rubric back from what `Rubric.body` gave."""
    return Rubric.model_validate_json(body)


def load(path: str | Path) -> Rubric:
    """Read a rubric file; a Problem that names the file, the key and what is wrong with it."""
    return parse(read_text(path), str(path))


@lru_cache(maxsize=256)
def parse(text: str, source: str) -> Rubric:
    """Read a rubric from TOML text; `source` names it in a Problem.

    Rubrics are immutable, and a screen asks for the presets many times.
    """
    return validated(Rubric, text, source)


def presets() -> dict[str, Rubric]:
    """Return every shipped rubric of whole answers by name, in file name order."""
    return _folder(FOLDER)


@cache
def of_units() -> dict[str, Rubric]:
    """Return every shipped rubric of units by name, in file name order."""
    return _folder(FOLDER / "units")


def _folder(folder: Path) -> dict[str, Rubric]:
    return {one.name: one for one in map(load, sorted(folder.glob("*.toml")))}


def read_text(path: str | Path) -> str:
    """The text of a definition file; a Problem where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Problem(
            "{path} cannot be read: {why}. Check the path.", path=path, why=system_fault(error)
        ) from None
    except UnicodeDecodeError:
        raise Problem("{path} is not UTF-8 text. Save it as UTF-8.", path=path) from None


def validated(model: type[BaseModel], given: str | Mapping[str, Any], source: str):
    """Read TOML text, or values, into a model; one Problem names every fault by file and key."""
    try:
        return model.model_validate(tomllib.loads(given) if isinstance(given, str) else given)
    except RecursionError:
        raise Problem(
            "{source} is nested too deeply. Write flat tables and lists.", source=source
        ) from None
    except ValidationError as error:
        raise Problem(
            "{source}: {faults}.", source=source, faults=faults_of(error.errors())
        ) from None
    except ValueError as error:  # of tomllib, or a number of thousands of digits
        raise Problem(
            "{source} is not valid TOML: {error}. Correct it there.",
            source=source,
            error=str(error),
            fault_code="not_toml",
        ) from None
