"""How much of a sheet annotators have graded or labelled: one count for Overview and Annotate."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from concord.definitions import canonical_json
from concord.grading import sheet_progress
from concord.grading.sheet_progress import Graded
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.messages import counted, listed
from concord.model import Sheet
from concord.reports.panel.wording import UnitWords, how_many, short_label, singular
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.store.units import unit_verdicts
from concord.text.display import one_line

PENDING = "{name} has graded fewer than 10 answers, which do not count in any figure yet."
NOT_BLIND = (
    "The grades so far were given where other scores are shown, so no figure includes them. If the "
    "annotators saw no scores, undo the import and import the file again, saying so. Otherwise an "
    "annotator has to grade in a grading set."
)


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


def labels_of_sheet(store: Store, sheet: Sheet) -> UnitLabels:
    """Return annotators' and judges' labels of a sheet's units, under the rubrics of units."""
    rubrics = rubric_versions.of_parts(store)
    kinds = {v: one.plural for one in rubrics.values() for v in one.versions().values()}
    found = unit_verdicts.labelled(store, sheet.id, [*kinds])
    labelled = Counter()
    for version, count in found.units.items():
        labelled[kinds[version]] += count
    judged = dict.fromkeys(kinds[version] for version in kinds if version in found.judges)
    judges = {i: name for names in found.judges.values() for i, name in names.items()}
    shared = found.units.keys() & found.judges.keys()
    both = (name for name, one in rubrics.items() if {*one.versions().values()} & shared)
    annotators = found.annotators
    return UnitLabels(
        dict(labelled), found.answers, annotators, [*judged], judges, next(both, None)
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
    n, units, apart = annotators.answers, labels.sentence(), not_counted(annotators)
    if not n and units:
        who = counted(len(labels.annotators), "annotator")
        by = f"labelled by {who} in {counted(labels.answers, 'answer')}"
        sentence = f"{units} labelled"
        return SheetGrading(sentence, units, (by, "no answer graded as a whole"), "done")
    total = sheet.items - annotators.apart
    every = annotators.simulated and annotators.simulated == len(annotators.annotators)
    who = "simulated annotators" if every else "annotators"
    graded = f"{n:,} of {counted(total, 'answer')} graded by {who}"
    if not n:
        begun = graded if annotators.not_included else ""
        return SheetGrading(begun, "None yet", apart or ("No answer is graded yet.",), "open")
    simulated, rubrics = annotators.simulated, rubric_versions.annotators_used(store, sheet.id)
    notes = (
        f"by {counted(len(annotators.annotators), 'annotator')}"
        + (f", {simulated} of them simulated" if simulated else ""),
        f"{annotators.overlap:,} by two or more annotators",
        f"by {len(rubrics)} rubrics together" if len(rubrics) > 1 else "",
        *apart,
        f"{units} labelled" if units else "",
    )
    return SheetGrading(graded, f"{n:,} of {total:,}", tuple(filter(None, notes)), "done")


def not_counted(annotators: Graded) -> tuple[str, ...]:
    """Return what is graded, but enters no figure, with its number."""
    found = (
        (annotators.apart, "in the few-shot pool or held out"),
        (annotators.not_blind, "graded, but not blind"),
        (annotators.unscored, "without a score"),
    )
    notes = [f"not counted: {n:,} {what}" for n, what in found if n]
    return (*notes, *(f"without {', '.join(one)}" for one in [annotators.without] if one))


def settings(judge: Judge) -> dict[str, str]:
    """Return what a judge file sets, those under [endpoint] by their full names."""
    # What a judge is called changes no request.
    called = {"name", "about", "retired"}
    given = judge.model_dump(mode="json", exclude_defaults=True, exclude=called)
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


def written(setting: str, defined: dict[str, str]) -> str:
    """Return a setting of a judge as its file has it, `temperature = 0.0`."""
    return f"{setting} = {one_line(defined[setting], 40) if setting in defined else 'default'}"


def names(store: Store) -> dict[str, str]:
    """Return what screens call the judges that share a name, by their labels, whole and short.

    By one setting that no two share, else by all in which some differ. A judge whose settings are
    not stored, or are those of another, differs by the beginning of its fingerprint.
    """
    by_name: dict[str, list] = {}
    for kind in registry.KINDS:
        for one in graders.of_kind(store, kind):
            if one.fingerprint:
                by_name.setdefault(one.name, []).append(one)
    found = {}
    for name, judges in by_name.items():
        if len(judges) < 2:
            continue
        stored = [registry.stored(one) for one in judges]
        defined = [settings(one) if one else {} for one in stored]
        keys = differing(defined)
        unique = [key for key in keys if len({one.get(key) for one in defined}) == len(defined)]
        order = ("model", "prompt", "temperature", "rubric")
        keys = [key for key in order if key in unique][:1] or unique[:1] or keys
        parts = [tuple(written(key, one) for key in keys) for one in defined]
        for judge, words in zip(judges, parts, strict=True):
            told = words if parts.count(words) == 1 else (*words, judge.fingerprint[:6])
            label = judge.label()
            found |= dict.fromkeys((label, short_label(label)), f"{name} ({', '.join(told)})")
    return found
