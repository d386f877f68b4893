"""How much of a sheet annotators have graded or labelled: one count for Overview and Annotate."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from concord.definitions import canonical_json
from concord.grading import sheet_progress
from concord.grading.sheet_progress import Graded
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.messages import Said, counted, joined, listed, said
from concord.model import Grader, Sheet
from concord.reports.panel.provenance import short_label
from concord.reports.panel.unit_words import UnitWords, how_many, noun, singular
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts
from concord.text.display import one_line


class UnitLabels(NamedTuple):
    """Labels of the units of a sheet.

    Attributes:
        labelled: Number of labelled units by kind in the plural (`claims`).
        answers: Number of answers they belong to.
        annotators: The annotators who labelled them.
        judged: The kinds with judges' verdicts, in the plural.
        judges: The names of those judges by grader id.
        rubric: The first rubric by which both have labelled; None without one.
    """

    labelled: dict[str, int]
    answers: int
    annotators: list[str]
    judged: list[str]
    judges: dict[int, str]
    rubric: str | None

    @property
    def shared(self) -> list[str]:
        """The kinds that both annotators and judges have labelled."""
        return [kind for kind in self.judged if kind in self.labelled]

    @property
    def waiting(self) -> list[str]:
        """The kinds that judges gave verdicts on while annotators have labelled nothing at all."""
        return [] if self.labelled else self.judged

    def sentence(self) -> str:
        """Return the labelled units: `26 claims`, `26 claims and 10 contexts`."""
        labelled = self.labelled.items()
        return listed([how_many(UnitWords(singular(kind), kind), n) for kind, n in labelled])

    def by_whom(self) -> str:
        """Return the number of annotators and of answers in words."""
        annotators = counted(len(self.annotators), "annotator", "annotators")
        answers = counted(self.answers, "answer")
        return said("labelled by {annotators} in {answers}", annotators=annotators, answers=answers)


def labels_of_sheet(store: Store, sheet: Sheet) -> UnitLabels:
    """Return annotators' and judges' labels of a sheet's units, under the rubrics of units."""
    rubrics = rubric_versions.of_parts(store)
    kinds = {v: noun(one.plural) for one in rubrics.values() for v in one.versions().values()}
    found = unit_verdicts.labelled(store, sheet.id, [*kinds])
    labelled: dict[str, int] = {}
    for version, count in found.units.items():
        labelled[kinds[version]] = labelled.get(kinds[version], 0) + count
    judged = dict.fromkeys(kinds[version] for version in kinds if version in found.judges)
    judges = {i: name for names in found.judges.values() for i, name in names.items()}
    both = (
        name
        for name, one in rubrics.items()
        if {*one.versions().values()} & found.units.keys() & found.judges.keys()
    )
    annotators = found.annotators
    return UnitLabels(labelled, found.answers, annotators, [*judged], judges, next(both, None))


PENDING = "{name} has graded fewer than 10 answers, which do not count in any figure yet."
NOT_BLIND = (
    "The grades so far were given where other scores are shown, so no figure includes them. If the "
    "annotators saw no scores, undo the import and import the file again, saying so. Otherwise an "
    "annotator has to grade in a grading set."
)


class SheetGrading(NamedTuple):
    """What annotators have graded, in words.

    `sentence` is '' while nothing is graded; `state` is 'done' or 'open'.
    """

    sentence: str
    figure: str
    notes: tuple[str, ...]
    state: str


def of_sheet(store: Store, sheet: Sheet) -> SheetGrading:
    """Return how much of a sheet annotators have graded."""
    graded = sheet_progress.graded(store, sheet.id)
    return grading(store, sheet, graded, labels_of_sheet(store, sheet))


def grading(store: Store, sheet: Sheet, annotators: Graded, labels: UnitLabels) -> SheetGrading:
    """Return the same from what was read of whole answers and of units."""
    if not annotators.answers and labels.labelled:
        notes = (labels.by_whom(), "no answer graded as a whole")
        units = labels.sentence()
        sentence = said("{units} of “{sheet}” are labelled", units=units, sheet=sheet.name)
        return SheetGrading(sentence, units, notes, "done")
    apart = not_counted(annotators)
    if not annotators.answers:
        none = apart or ("No answer is graded yet.",)
        begun = _graded_of(sheet, annotators) if annotators.not_included else ""
        return SheetGrading(begun, "None yet", none, "open")
    who = counted(len(annotators.annotators), "annotator", "annotators")
    by = said("by {annotators}", annotators=who)
    if annotators.simulated:
        by = said("by {annotators}, {n} of them simulated", annotators=who, n=annotators.simulated)
    overlap = "none by two annotators yet"
    if annotators.overlap:
        overlap = said("{n:,} by two or more annotators", n=annotators.overlap)
    labelled = [said("{units} labelled", units=labels.sentence())] if labels.labelled else []
    notes = (by, overlap, *_rubrics(store, sheet), *apart, *labelled)
    total = sheet.items - annotators.apart
    figure = said("{n:,} of {total:,}", n=annotators.answers, total=total)
    return SheetGrading(_graded_of(sheet, annotators), figure, notes, "done")


def _graded_of(sheet: Sheet, annotators: Graded) -> str:
    return said(
        "{n:,} of {answers} of “{sheet}” graded by annotators",
        n=annotators.answers,
        answers=counted(sheet.items - annotators.apart, "answer"),
        sheet=sheet.name,
    )


def _rubrics(store: Store, sheet: Sheet) -> tuple[str, ...]:
    """Note that annotators graded by several rubrics; every report is of one of them."""
    used = rubric_versions.annotators_used(store, sheet.id)
    return (said("by {n:,} rubrics together", n=len(used)),) if len(used) > 1 else ()


def not_counted(annotators: Graded) -> tuple[str, ...]:
    """Return what is graded, but enters no figure, with its number."""
    found = (
        (annotators.apart, "not counted: {n:,} in the few-shot pool or held out"),
        (annotators.not_blind, "not counted: {n:,} graded, but not blind"),
        (annotators.unscored, "not counted: {n:,} without a score"),
        (annotators.replaced, "not counted: {n:,} simulated annotators, as others have graded"),
    )
    notes = [said(words, n=n) for n, words in found if n]
    if annotators.without:
        notes.append(said("without {annotators}", annotators=joined(", ", annotators.without)))
    return tuple(notes)


_NOT_COMPARED = {"name", "about", "retired"}  # what a judge is called changes no request
_UNSET = "default"


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

    A judge whose settings are not stored, or are those of another, differs by the beginning of its
    fingerprint.
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
    parts = [tuple(written(key, one) for key in keys) for one in defined]
    for judge, words in zip(judges, parts, strict=True):
        told = words if parts.count(words) == 1 else (*words, judge.fingerprint[:6])
        yield judge, said("{name} ({what})", name=judge.name, what=joined(", ", told))


def _telling(defined: Sequence[dict[str, str]]) -> list[str]:
    """Return the one setting that no two share, else all in which some differ."""
    keys = differing(defined)
    order = ("model", "prompt", "temperature", "rubric")
    unique = [key for key in keys if len({one.get(key) for one in defined}) == len(defined)]
    return [key for key in order if key in unique][:1] or unique[:1] or keys
