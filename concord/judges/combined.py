"""Combined judges: what one gives a sheet, from its members' stored grades, and its runs."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from concord.definitions import digest
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.kinds.combined import (
    FITTED,
    Combined,
    CriterionFit,
    Fit,
    Rule,
    frozen_fit,
    question_digest,
)
from concord.judges.run.job import FREE, GRADE_MORE, Outcome
from concord.judges.run.progress import Counts
from concord.judges.training_grades import deal, too_few, training_grades
from concord.messages import Problem, joined, on_command_line, said
from concord.model import BASELINE, Distribution, Grader, Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.sampling.leak_guard import Origin, ShownExamples, families
from concord.stats.probabilities.combining import (
    Grades,
    LinearRule,
    cross_fitted,
    majority,
    mean_rule,
)
from concord.store import graders, grades, items, runs, sheets
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions

_SCORED = "scored"
_LISTED = 6


class Features(NamedTuple):
    """What the members gave on one criterion.

    Attributes:
        names: (F,) of the features: a member's label where it grades the criterion itself, else
            the label with each criterion or metric of its own.
        values: (n, F) expected scores where a member gave probabilities, else scores; NaN where it
            gave no score.
        scores: (n, F) the scores alone, likewise.
        graded: (n,) True where every member has stored a grade, scored or not.
        same: (F,) True for a member that grades the criterion itself.
        likely: (F,) True where probabilities were read.
    """

    names: tuple[str, ...]
    values: np.ndarray
    scores: np.ndarray
    graded: np.ndarray
    same: np.ndarray
    likely: np.ndarray

    @property
    def complete(self) -> np.ndarray:
        """(n,) True where every feature is known."""
        return self.graded & ~np.isnan(self.values).any(axis=1)

    def without(self, place: int) -> str:
        """The features that an answer lacks, by name."""
        return ", ".join(
            name
            for name, value in zip(self.names, self.values[place], strict=True)
            if np.isnan(value)
        )

    def listed(self, place: int, scores: bool) -> str:
        """What an answer was given, as the reason of its score; of many features the first."""
        given = (self.scores if scores else self.values)[place]
        parts = [f"{name} {value:.3g}" for name, value in zip(self.names, given, strict=True)]
        more = [f"{len(parts) - _LISTED} more"] if len(parts) > _LISTED else []
        return f"From {'; '.join([*parts[:_LISTED], *more])}."

    def named(self, wanted: Sequence[str]) -> "Features":
        """Those of a frozen fit, in its order."""
        own = [self.names.index(one) for one in wanted]
        columns = self.values[:, own], self.scores[:, own]
        return Features(tuple(wanted), *columns, self.graded, self.same[own], self.likely[own])


def members_of(store: Store, sheet: Sheet, judge: Judge) -> list[Grader]:
    """Return the members as graders: of each name the newest that graded the sheet.

    Raises:
        Problem: A member has no grades on the sheet, or is itself made from annotators' grades.
    """
    every = graders.of_kind(store, *registry.KINDS)[::-1]
    return [_member(store, sheet, judge, name, every) for name in judge.members]


def possible_members(store: Store, sheet: Sheet) -> list[str]:
    """Return the names of the judges that a combined judge of a sheet can name, oldest first."""
    every = graders.of_kind(store, *registry.KINDS)
    graded = (one for one in every if grades.statuses(store, sheet.id, one.id))
    return [*dict.fromkeys(one.name for one in graded if not _is_made_of_grades(one))]


def of_criteria(
    store: Store, sheet: Sheet, rubric: Rubric, members: Sequence[Grader], item_ids: Sequence[int]
) -> dict[str, Features]:
    """Return the features of each criterion of the rubric, of the items in their order.

    A criterion that a member skips, though it grades others of the rubric, is left out.
    """
    versions = rubric_versions.criteria(store, rubric)
    place = {item_id: index for index, item_id in enumerate(item_ids)}
    columns = [_columns(store, sheet, rubric, versions, one, place) for one in members]
    return {
        name: _joined([column for of_member in columns for column in of_member[name]])
        for name in rubric.versions()
        if all(of_member[name] for of_member in columns)
    }


def _member(store: Store, sheet: Sheet, judge: Judge, name: str, every: Sequence[Grader]) -> Grader:
    for one in every:
        if name not in (one.name, one.label()):
            continue
        if _is_made_of_grades(one):
            raise Problem(
                "{member} cannot be a member of {judge}: its grades are made from others' grades. "
                "Name the judges themselves.",
                member=name,
                judge=judge.name,
            )
        if grades.statuses(store, sheet.id, one.id):
            return one
    raise Problem(
        "{judge} combines stored grades, and {member} has none on sheet “{sheet}”. Run that one "
        "first{on_command_line}.",
        judge=judge.name,
        member=name,
        sheet=sheet.name,
        on_command_line=on_command_line(f"`judge {name} --sheet {sheet.name}`"),
    )


def _is_made_of_grades(grader: Grader) -> bool:
    kept = registry.stored(grader)
    return grader.name == BASELINE or (kept is not None and bool(kept.computed))


def _columns(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    versions: Mapping[str, str],
    member: Grader,
    place: Mapping[int, int],
) -> dict[str, list[tuple]]:
    """The columns of a member by criterion of the rubric."""
    rows = grades.first_grades(store, sheet.id, member.id)
    under = {row["version"]: row["criterion"] for row in rows}
    found = grades.distributions_of_grader(store, sheet.id, member.id, {one: one for one in under})
    label = member.label()
    by_rubric = {name: [] for name in rubric.versions()}
    for name in by_rubric:
        own = [row for row in rows if versions.get(row["version"]) == name]
        if own:
            by_rubric[name] = [_column(label, own, found, place, rubric.scale)]
    if any(by_rubric.values()):
        return by_rubric
    # It graded under another rubric, or computed metrics: each of these is a feature.
    others = [
        _column(f"{label}: {name}@{version[:8]}", of_version, found, place, None)
        for version, name in sorted(under.items(), key=lambda one: one[::-1])
        if (of_version := [row for row in rows if row["version"] == version])
    ]
    scored = [one for one in others if not np.isnan(one[1]).all()]
    return {name: scored for name in by_rubric}


def _column(
    name: str,
    rows: Sequence[Mapping],
    found: Mapping[tuple[int, str, int], Distribution],
    place: Mapping[int, int],
    scale: Sequence[int] | None,
) -> tuple[str, np.ndarray, np.ndarray, np.ndarray, bool, bool]:
    """One feature of `Features` from a member's grades; `scale` None for one of its own."""
    values, scores = (np.full(len(place), np.nan) for _ in range(2))
    graded, likely = np.zeros(len(place), bool), False
    for row in rows:
        index = place[row["item_id"]]
        graded[index] = True
        known = row["status"] == _SCORED
        scores[index] = values[index] = row["score"] if known else np.nan
        given = found.get((row["item_id"], row["version"], 1))
        mean = _expected(given, scale) if known and given else None
        if mean is not None:
            values[index], likely = mean, True
    return name, values, scores, graded, scale is not None, likely


def _expected(given: Distribution, scale: Sequence[int] | None) -> float | None:
    """The expected score over the scale; None where no probability is on it."""
    on = [(score, p) for score, p in given.probabilities if scale is None or score in scale]
    total = sum(p for _, p in on)
    return sum(score * p for score, p in on) / total if total > 0 else None


def _joined(columns: Sequence[tuple]) -> Features:
    names, values, scores, graded, same, likely = zip(*columns, strict=True)
    stacked = np.stack(values, axis=1), np.stack(scores, axis=1), np.logical_and.reduce(graded)
    return Features(names, *stacked, np.array(same), np.array(likely))


class Scored(NamedTuple):
    """Scores on a criterion.

    Attributes:
        score: (n,) NaN where none is given.
        fit: The one fit to all graded questions; None for a rule that is not fitted.
        folds: The fold of each group of questions that it was fitted to.
        training: The digest of everything that it was fitted to; '' for nothing.
    """

    score: np.ndarray
    fit: CriterionFit | None = None
    folds: Mapping[str, int] = MappingProxyType({})
    training: str = ""


def unfit(rule: Rule, features: Features, scale: Sequence[int]) -> str | None:
    """Return why a rule cannot combine these features, as a sentence; None where it can."""
    if rule != "ordinal" and not features.same.all():
        return said(
            "{rule} combines grades of the same criterion, and {feature} is another. Set its rule "
            "to “ordinal”.",
            rule=rule,
            feature=features.names[int(np.argmin(features.same))],
        )
    if rule == "cut_points" and not features.likely.all():
        return said(
            "cut_points reads probabilities, and {member} gave none.", member=features.names[0]
        )
    given = features.scores[~np.isnan(features.scores)]
    if rule == "majority" and not np.isin(given, scale).all():
        return "A majority takes scores of the scale, and some are not. Set its rule to “mean”."
    return None


def combined(
    rule: Rule,
    version: str,
    features: Features,
    groups: Sequence[str],
    training: Collection[tuple[int, int]],
    scale: Sequence[int],
) -> Scored | str:
    """Combine the features of each answer, or say in a sentence what is missing for that.

    Args:
        rule: Of the judge.
        version: The criterion version, noted in the fit.
        features: Of n answers.
        groups: (n,) the group of questions that each answer belongs to.
        training: (answer, score) of each annotator's grade that the rule may be fitted to.
        scale: Of the rubric.
    """
    why = unfit(rule, features, scale)
    if why:
        return why
    complete = features.complete
    score = np.full(len(complete), np.nan)
    if rule not in FITTED:
        plain = mean_rule(len(features.names), scale)
        given = features.scores if rule == "majority" else features.values
        score[complete] = (majority if rule == "majority" else plain)(given[complete])
        return Scored(score)
    known = sorted((item, one) for item, one in training if complete[item] and one in scale)
    why = too_few(groups, known)
    if why:
        return why
    folds = deal(groups, [item for item, _ in known])
    item, given = np.array(known).T
    fold = np.array([folds.get(one, -1) for one in groups])[complete]
    learnt = Grades.of((np.cumsum(complete) - 1)[item], given)
    # The scores of the complete answers, and the fit to all grades.
    score[complete], whole = cross_fitted(rule, features.values[complete], learnt, fold, scale)
    counts = {"answers": len({item for item, _ in known}), "clusters": len(folds)}
    fit = CriterionFit(
        version=version,
        features=features.names,
        weights=tuple(map(float, whole.weights)),
        points=tuple(map(float, whole.points)),
        scores=tuple(map(int, whole.scores)),
        **counts,
    )
    rows = sorted(
        [groups[item], folds[groups[item]], *features.values[item].tolist(), one]
        for item, one in known
    )
    return Scored(score, fit, folds, digest([list(scale), list(features.names), rows]))


def applied(fit: CriterionFit, features: Features) -> np.ndarray | str:
    """Return (n,) scores by a frozen fit, NaN where a feature is missing; else what is missing."""
    missing = [one for one in fit.features if one not in features.names]
    if missing:
        return said(
            "The frozen fit also uses {features}, which no member gave here. Run the same members.",
            features=joined(", ", missing),
        )
    own = features.named(fit.features)
    rule = LinearRule(np.array(fit.weights), np.array(fit.points), np.array(fit.scores))
    score = np.full(len(own.values), np.nan)
    score[own.complete] = rule(own.values[own.complete])
    return score


class SheetQuestions(NamedTuple):
    """The items of a sheet and the questions they answer; all are lists, one entry per item."""

    item_ids: list[int]
    origins: list[Origin]
    groups: list[str]
    held_out: list[bool]


def of_sheet(store: Store, sheet: Sheet) -> SheetQuestions:
    """Return the items of a sheet by question; each group is what the leak guard ties together."""
    rows = items.item_index(store, sheet.id)
    known = {row["id"]: row for row in items.question_index(store, sheet.id)}
    origins = [
        Origin(known[row["question_id"]]["text_hash"], known[row["question_id"]]["cluster"])
        for row in rows
    ]
    distinct = sorted({*origins}, key=lambda one: (one.text_hash, one.cluster or ""))
    # A family is named by the first of its questions, in an order that no import changes.
    names = [question_digest(*distinct[first]) for first in families(distinct)]
    group = dict(zip(distinct, names, strict=True))
    closed = splits.held_out(store, sheet.id)
    return SheetQuestions(
        [row["id"] for row in rows],
        origins,
        [group[one] for one in origins],
        [row["question_id"] in closed for row in rows],
    )


METHOD = "combined-1"  # raise it whenever a rule, its fit or the folds change
FITTED_TO_IT = "The rule was fitted to this question, so its score would not be independent."


class Combination(NamedTuple):
    """What a combined judge gives a sheet.

    Attributes:
        judge: The definition.
        rubric: It grades by.
        members: As graders.
        fingerprint: Of members, rule and fit.
        presses: A grade for each answer that all members graded; without the grader.
        lacking: Why a criterion has none, by name.
        fit: The one fit to all graded questions; None for a rule that is not fitted.
        out_of_fold: How many of `presses` are by a fit to other questions.
        waiting: Number of grades that wait for a member.
        stored: Number of grades that a run stored.
    """

    judge: Judge
    rubric: Rubric
    members: Sequence[Grader]
    fingerprint: str
    presses: Sequence[Press]
    lacking: Mapping[str, str]
    fit: Fit | None
    out_of_fold: int
    waiting: int
    stored: int = 0

    @property
    def label(self) -> str:
        """Its name as a grader."""
        return f"{self.judge.name}@{self.fingerprint}"

    def definition(self) -> dict[str, Any]:
        """What is stored of it as a grader; the fit is what `judges --freeze` writes."""
        return {
            "judge": json.loads(self.judge.body()),
            "rubric": self.rubric.name,
            "members": [one.label() for one in self.members],
            "fit": self.fit.model_dump(mode="json") if self.fit else None,
        }

    def as_json(self) -> dict[str, Any]:
        """What it was made of, for `--json`."""
        return {
            "fingerprint": self.fingerprint,
            "rule": self.judge.rule,
            "members": [one.label() for one in self.members],
            "fit": self.fit.digest if self.fit else None,
            "frozen": self.judge.fit is not None,
        }

    def register(self, store: Store) -> int:
        """Return its id as a grader, made now where it is new."""
        simulated = any(one.simulated for one in self.members)
        of = "judge", self.judge.name, self.fingerprint
        return graders.ensure(store, *of, self.definition(), simulated=simulated)


def combine(store: Store, sheet: Sheet, rubric: Rubric, judge: Judge) -> Combination:
    """Return what the judge gives the sheet, without storing it.

    Grades of held-out questions are never fitted to: there, too, the one fit to the others is what
    is tested.
    """
    members = members_of(store, sheet, judge)
    asked = of_sheet(store, sheet)
    every = of_criteria(store, sheet, rubric, members, asked.item_ids)
    training = training_grades(store, sheet, rubric, asked.item_ids)
    found: dict[str, Scored] = {}
    lacking = {}
    for name, version in rubric.versions().items():
        scored = _scored(judge, rubric, name, version, every.get(name), asked, training[name])
        if isinstance(scored, str):
            lacking[name] = scored
        else:
            found[name] = scored
    fit, fitted = judge.fit, {name: one.fit for name, one in found.items() if one.fit}
    if fitted:
        # With every question that one of them was fitted to.
        groups = {group for one in found.values() for group in one.folds}
        asked_of = zip(asked.origins, asked.groups, strict=True)
        seen = {question_digest(*origin) for origin, group in asked_of if group in groups}
        fit = frozen_fit(fitted, tuple(sorted(seen)))
    identity = {
        "method": METHOD,
        "rule": judge.rule,
        "members": [one.label() for one in members],
        "criteria": rubric.versions(),
        "fit": judge.fit.digest if judge.fit else {n: one.training for n, one in found.items()},
    }
    presses = [
        press
        for name, scored in found.items()
        for press in _presses(rubric.versions()[name], every[name], scored, asked, judge)
    ]
    return Combination(
        judge=judge,
        rubric=rubric,
        members=members,
        fingerprint=digest(identity),
        presses=presses,
        lacking=lacking,
        fit=fit,
        out_of_fold=sum(_out_of_fold(one, asked) for one in found.values()),
        waiting=sum(int((~every[name].graded).sum()) for name in found),
    )


def _scored(
    judge: Judge,
    rubric: Rubric,
    name: str,
    version: str,
    features: Features | None,
    asked: SheetQuestions,
    training: Sequence[tuple[int, int]],
) -> Scored | str:
    """The scores on one criterion, or why there are none."""
    if features is None:
        return "A member has no grades on this criterion."
    if judge.fit is None:
        known = [(item, score) for item, score in training if not asked.held_out[item]]
        return combined(judge.rule, version, features, asked.groups, known, rubric.scale)
    fit = judge.fit.criteria.get(name)
    if fit is None or fit.version != version:
        return "The frozen fit is for another wording of this criterion. Fit the rule again."
    score = applied(fit, features)
    return score if isinstance(score, str) else Scored(score)


def _presses(
    version: str, features: Features, scored: Scored, asked: SheetQuestions, judge: Judge
) -> Iterator[Press]:
    """A grade of each answer that all members graded."""
    seen = ShownExamples(_origin(one) for one in judge.fit.questions) if judge.fit else None
    for index, item_id in enumerate(asked.item_ids):
        if not features.graded[index]:
            continue
        press = Press(item_id, version, 0)
        if seen and seen.leaks(_origin(question_digest(*asked.origins[index]))):
            yield press._replace(status="not_applicable", reason=FITTED_TO_IT)
        elif np.isnan(scored.score[index]):
            lacks = f"No score from {features.without(index)}."
            yield press._replace(status="missing_input", reason=lacks)
        else:
            given = features.listed(index, judge.rule == "majority")
            yield press._replace(score=int(scored.score[index]), reason=given)


def _out_of_fold(scored: Scored, asked: SheetQuestions) -> int:
    known = ~np.isnan(scored.score)
    return sum(group in scored.folds for group, one in zip(asked.groups, known, strict=True) if one)


def _origin(question: str) -> Origin:
    text_hash, _, cluster = question.partition(":")
    return Origin(text_hash, cluster or None)


def sentence(found: Combination) -> str:
    """Return what a run of a combined judge stored, and what it could not combine, in words."""
    statuses = Counter(one.status for one in found.presses)
    counted = {
        "by a fit to other questions": found.out_of_fold,
        "without a score, as the rule was fitted to their question": statuses["not_applicable"],
        "without a score, as a member gave none": statuses["missing_input"],
        "waiting for a member's grade": found.waiting,
    }
    parts = [f"{what}: {n:,}" for what, n in counted.items() if n]
    named: dict[str, list[str]] = {}
    for name, why in found.lacking.items():
        named.setdefault(why, []).append(name)
    lacking = [f"{', '.join(names)}: {why}" for why, names in named.items()]
    if found.presses:
        lacking.insert(0, f"Grades: {'; '.join([f'stored: {found.stored:,}', *parts])}.")
    empty = "No answer was graded by all members. Run them on the same answers."
    return joined(" ", lacking) if lacking else empty


def run_combined(
    store: Store, sheet: Sheet, rubric_id: int, rubric: Rubric, judge: Judge
) -> Combination:
    """Combine what is stored and store what is new or differs; the same grades change nothing.

    Raises:
        Problem: A member has no grades on the sheet, or cannot be a member.
    """
    found = combine(store, sheet, rubric, judge)
    if not found.presses:
        return found
    with store.write():
        grader_id = found.register(store)
        rows = grades.first_grades(store, sheet.id, grader_id)
        known = {(row["item_id"], row["version"]): (row["status"], row["score"]) for row in rows}
        new = [
            one
            for one in found.presses
            if known.get((one.item_id, one.version)) != (one.status, one.score)
        ]
        if new:
            answers = len({one.item_id for one in found.presses})
            of = {"grader_id": grader_id, "sheet_id": sheet.id, "rubric_id": rubric_id}
            runs.of_computed(store, new, answers, **of)
    return found._replace(stored=len(new))


def recoded_name(grader: Grader) -> str:
    """Return the name of a judge's recode, without the white space and @ that names cannot have."""
    return re.sub(r"[\s@]+", "-", grader.label()) + "-recoded"


def recode(
    store: Store, sheet: Sheet, rubric_id: int, rubric: Rubric, grader: Grader
) -> Combination:
    """Map a judge's scores to those that annotators give, as a judge of its own: out of fold.

    Raises:
        Problem: Too few answers are graded for a fit.
    """
    judge = Combined(
        name=recoded_name(grader),
        kind="combined",
        rubric=rubric.name,
        members=(grader.label(),),
        rule="ordinal",
    )
    run = run_combined(store, sheet, rubric_id, rubric, judge)
    if not run.presses:
        raise Problem(joined(" ", [sentence(run), GRADE_MORE]))
    return run


def freeze(grader: Grader) -> Judge:
    """Return the judge with its members as they were and the one fit to all graded questions.

    Raises:
        Problem: It is no combined judge that has run here.
    """
    kept = registry.stored(grader)
    if not isinstance(kept, Combined):
        raise Problem(
            "{judge} is not a combined judge that has run here, so there is no fit to freeze. Run "
            "it with `judge` first.",
            judge=grader.label(),
        )
    fit = grader.definition.get("fit")
    return kept.changed({"members": tuple(grader.definition["members"]), "fit": fit})


def carry_out(
    store: Store, judge: Judge, rubric_name: str | None, sheet_name: str | None, estimate: bool
) -> Outcome:
    """Combine the stored grades of a sheet; only say what that costs with `estimate`.

    Raises:
        Problem: A member has no grades, or nothing could be combined.
    """
    if estimate:
        return Outcome(judge.name, "estimated", FREE)
    rubric_id, rubric = rubric_versions.argument(store, rubric_name or judge.rubric)
    run = run_combined(store, sheets.chosen(store, sheet_name), rubric_id, rubric, judge)
    if not run.presses:
        # New grades change neither a frozen fit nor which answers the members graded.
        remedy = GRADE_MORE if run.lacking and judge.fit is None else ""
        raise Problem(joined(" ", [sentence(run), remedy]))
    counts = Counts(statuses=Counter(scored=run.stored))
    return Outcome(judge.name, "done", sentence(run), counts=counts, combination=run)
