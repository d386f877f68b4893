"""Agreement of judges with annotators: the report, one definition for screen and `--json`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from concord.messages import counted, on_command_line, said
from concord.model import BASELINE, Grader
from concord.reports.agreement import bias_tests, continuous_thresholds, unit_agreement
from concord.reports.agreement.bias_tests import lengths
from concord.reports.agreement.continuous_thresholds import ContinuousThreshold
from concord.reports.agreement.rows import (
    AgreementReport,
    AgreementRow,
    BestOf,
    BiasTest,
    Rows,
    SkippedAnalysis,
    rows,
    rows_by_answer_model,
    whole_rows,
)
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.document import OPTIONAL
from concord.reports.panel.candidates import covering
from concord.reports.panel.criterion_comparison import EACH, CriterionPanel, PairStatistics, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.provenance import counted_annotators, weighting
from concord.reports.panel.unit_words import words
from concord.reports.probabilities import judge_probabilities
from concord.reports.probabilities.judge_probabilities import Confidence, read, with_probabilities
from concord.reports.reliability import annotator_alerts, panel_reliability, test_retest
from concord.rubrics.model import Rubric
from concord.stats.comparison.bias_tests import NO_LENGTHS, TOO_FEW_OF_EACH
from concord.stats.continuous import CONTINUOUS
from concord.stats.core.minimums import (
    ALT_TEST_ANNOTATORS,
    ALT_TEST_FLOOR,
    MODEL_FLOOR,
    PAIR_FLOOR,
    QUESTION_FLOOR,
)
from concord.stats.intervals.resampling import SCORES_EQUAL
from concord.stats.statistics import best_exact
from concord.store.database import Store


def best_judge(on: CriterionPanel) -> tuple[Grader, PairStatistics, BestOf] | None:
    """Return the best judge, its answers and its interval; the baseline only where it is alone.

    None where no judge has scores of the scale, which the composite has not.
    """
    if on.criterion is None:
        return None
    judged = {judge.id: on.judged(judge, ()) for judge in on.panel.judges.values()}
    judges = {i: on.panel.judges[i] for i, one in judged.items() if one.n}
    real = [i for i, judge in judges.items() if judge.name != BASELINE] or list(judges)
    named = covering([judged[i] for i in real])
    if not named:
        return None
    place, exact = best_exact([one.pairs for one in named], on.panel.rubric.scale)
    best = next(judges[i] for i in real if judged[i] is named[place])
    return best, named[place], BestOf(len(named), exact)


def with_best(panel: Panel, kind: str, rows: Sequence[AgreementRow]) -> list[AgreementRow]:
    """Return the rows, each criterion's best judge marked as such."""
    best = {}
    for name in dict.fromkeys(row.criterion for row in rows if row.criterion != COMPOSITE):
        if found := best_judge(ground(panel, name, kind)):
            best[name, kind, panel.labels[found[0].id]] = found[2]
    places = [(row.criterion, row.reference, row.judge) for row in rows]
    return [replace(row, best_of=best.get(at)) for row, at in zip(rows, places, strict=True)]


def report(panel: Panel, kind: str = EACH, by_answer_model: bool = False) -> AgreementReport:
    """Return the figures that decide, each annotator's own reliability, and who counts."""
    return of_rows(panel, rows(panel, kind), kind, by_answer_model, rows)


def of_rows(
    panel: Panel, found: list[AgreementRow], kind: str, by_answer_model: bool, every: Rows
) -> AgreementReport:
    """Return the report of rows that were made by `every`."""
    by_model = rows_by_answer_model(panel, kind, every=every) if by_answer_model else []
    return AgreementReport(
        rows=(*with_best(panel, kind, found), *by_model),
        reliability=tuple(test_retest.of_annotators(panel)),
        annotators=counted_annotators(panel.graded_by),
        uncounted=panel.uncounted,
        weighting=weighting(panel),
    )


ALT_TEST = said("the alternative annotator test")
CEILING = said("inter-annotator agreement")
CHANCE = said("the chance-corrected figures")
COMPOSITES = said("the composite")
DOCUMENTS = said("questions that share a document")
INTERVAL = said("the intervals")
MODELS = said("agreement by answering model")
OTHER_MODELS = said("generalization to other answering models")
REPEATS = said("test-retest reliability of each annotator")
SELF_CONSISTENCY = said("test-retest consistency of the judge")
_PROBES = {
    "leniency": said("the leniency test"),
    "spread": said("the central tendency test"),
    "length": said("the length bias test"),
    "halo": said("the halo test"),
    "self_preference": said("the self-preference test"),
}


_SO_FAR = said(
    "Let {annotators} annotators grade the same {n} {units}; so far {have:,} annotators have."
)
_ONE_SO_FAR = said(
    "Let {annotators} annotators grade the same {n} {units}; so far 1 annotator has."
)
_MAP_MODEL = said(
    "Map the column of the model to “Answering model”{on_command_line}.",
    on_command_line=on_command_line("answer_model=COLUMN"),
)
_REPEAT = on_command_line("`--repeat 3`")
_EQUAL_CHANCES = said("It requires {units} sampled with equal inclusion probabilities.")


class _Check(NamedTuple):
    check: str
    why: str
    enable: str


def skipped_of(
    panel: Panel, found: AgreementReport, probed: Iterable[BiasTest]
) -> list[SkippedAnalysis]:
    """Return every analysis that was not run over a sheet, those of the whole sheet first."""
    told: dict[_Check, list[tuple]] = {check: [] for check in _of_sheet(panel, found)}
    for row in found.rows:
        if row.answer_model is None and not row.floor:
            for check in _of_row(row, panel.rubric):
                told.setdefault(check, []).append((row.judge, row.criterion))
    for check, judge in _of_judges(panel):
        told.setdefault(check, []).append((judge, None))
    for test in probed:
        if test.p is None:
            enable = _probe_enable(test, panel.rubric)
            check = _Check(_PROBES[test.probe], test.effect.why_none, enable)
            told.setdefault(check, []).append((test.judge, test.criterion))
    judges = {row.judge for row in found.rows if not row.floor}
    every = judges, {*panel.criteria}, {*panel.criteria} - {COMPOSITE}
    return [_skipped(check, places, every) for check, places in told.items()]


def _of_sheet(panel: Panel, found: AgreementReport) -> Iterator[_Check]:
    if not panel.answer_models:
        why = said("the sheet does not say which model wrote which answer")
        yield _Check(MODELS, why, _MAP_MODEL)
    if np.array_equal(panel.question, panel.cluster):
        why = said(
            "the sheet names no document or cluster, so every question counts as independent"
        )
        enable = said(
            "Where several questions come from one document, map its column to “Cluster (document)”"
            "{on_command_line}.",
            on_command_line=on_command_line("cluster=COLUMN"),
        )
        yield _Check(DOCUMENTS, why, enable)
    if len(panel.criteria) == 1:
        why = said("the rubric has one criterion")
        yield _Check(COMPOSITES, why, said("It requires two criteria."))
    if not found.reliability:
        why = said("no {unit} was repeated for an annotator", unit=words(panel.rubric).unit)
        yield _Check(REPEATS, why, said("Create a grading set with hidden repeats."))


def _of_row(row: AgreementRow, rubric: Rubric) -> Iterator[_Check]:
    """Yield what one judge's row lacks; without pairs only that."""
    if row.n == 0:
        enable = said(
            "Have annotators grade {units} that the judge graded, or run the judge on theirs.",
            units=words(rubric).plural,
        )
        why = said("annotators and the judge share no {unit}", unit=words(rubric).unit)
        yield _Check(said("everything"), why, enable)
        return
    if row.ceiling.why_none:
        enable = said(
            "Let two annotators grade some of the same {units}.", units=words(rubric).plural
        )
        yield _Check(CEILING, row.ceiling.why_none, enable)
    if row.clusters < QUESTION_FLOOR:
        shared = row.clusters < row.questions
        few = said(
            "only {questions}, those of one document counted once"
            if shared
            else "only {questions}",
            questions=counted(row.clusters, "question"),
        )
        enable = said(
            "Grade {units} of {n} questions or more."
            if rubric.units
            else "Grade answers to {n} questions or more.",
            units=words(rubric).plural,
            n=QUESTION_FLOOR,
        )
        yield _Check(INTERVAL, few, enable)
    if row.criterion != COMPOSITE:
        yield from _of_figures(row, rubric)
    yield from _of_annotators(row, rubric)
    yield from _of_models(row)


def _of_figures(row: AgreementRow, rubric: Rubric) -> Iterator[_Check]:
    if row.continuous:
        enable = said(
            "Read its correlations, or pass and fail by a threshold{on_command_line}.",
            on_command_line=on_command_line("`agreement --all`"),
        )
        yield _Check(CHANCE, CONTINUOUS, enable)
        return
    if row.statistics["qwk"].value is None:
        few = row.n < PAIR_FLOOR
        enable = (
            said(
                "Have annotators grade {n} {units} that the judge graded.",
                n=PAIR_FLOOR,
                units=words(rubric).plural,
            )
            if few
            else said("Add answers that deserve other scores.")
        )
        yield _Check(CHANCE, row.statistics["qwk"].why_none, enable)
    if row.statistics["failure_recall"].value is None:
        enable = said("Add weaker answers: recall needs answers that annotators fail.")
        check = said("recall of failing {units}", units=words(rubric).plural)
        yield _Check(check, row.statistics["failure_recall"].why_none, enable)


def _of_annotators(row: AgreementRow, rubric: Rubric) -> Iterator[_Check]:
    test = row.alt_test[0]
    if test.why_none is None or row.continuous:
        return
    template = _EQUAL_CHANCES
    if test.why_none.code == "too_few_annotators_or_items":
        template = _ONE_SO_FAR if test.annotators == 1 else _SO_FAR
    enable = said(
        template,
        annotators=ALT_TEST_ANNOTATORS,
        n=ALT_TEST_FLOOR,
        units=words(rubric).plural,
        have=test.annotators,
    )
    yield _Check(ALT_TEST, test.why_none, enable)


def _of_models(row: AgreementRow) -> Iterator[_Check]:
    """Yield what the rows by answering model lack, where every statistic is in the row."""
    found = row.clustered_by_answer_model
    if found and found.why_none and found.answer_models:
        enable = said(
            "Add answers by other models: from {n} on there is an interval.", n=MODEL_FLOOR
        )
        yield _Check(OTHER_MODELS, found.why_none, enable)


def _of_judges(panel: Panel) -> Iterator[tuple[_Check, str]]:
    repeated = set(panel.repeats["grader_id"])
    why = said("no {unit} was judged twice", unit=words(panel.rubric).unit)
    enable = said("Repeat the judge under Judges{on_command_line}.", on_command_line=_REPEAT)
    check = _Check(SELF_CONSISTENCY, why, enable)
    for i, judge in panel.judges.items():
        if judge.kind == "judge" and i not in repeated and "judge" in judge.definition:
            yield check, panel.labels[i]


def _probe_enable(test: BiasTest, rubric: Rubric) -> str:
    """Return what a bias test that did not run needs."""
    enough = said(
        "Have annotators grade {units} of more questions; from 20 questions on it runs."
        if rubric.units
        else "Have annotators grade answers to more questions; from 20 questions on it runs.",
        units=words(rubric).plural,
    )
    why = test.effect.why_none
    return _PROBE_ENABLE.get(why.code, enough)


# By the code of the reason.
_PROBE_ENABLE = {
    bias_tests.ONE_CRITERION.code: said("Grade under a rubric with two criteria or more."),
    bias_tests.NO_MODEL.code: said("Name the judge after the model it asks, as in gpt-4."),
    bias_tests.NO_ANSWER_MODELS.code: _MAP_MODEL,
    bias_tests.NOT_ITS_OWN.code: said("Add answers by a model of the judge's own family."),
    bias_tests.NO_OTHER_FAMILY.code: said(
        "Run a judge of another family, or name imported ones after models."
    ),
    bias_tests.NUMBERS.code: said("Read its bias and MAE in the table of continuous grades."),
    NO_LENGTHS.code: said("Add answers of other lengths."),
    SCORES_EQUAL.code: said("Add answers that deserve other scores."),
    TOO_FEW_OF_EACH.code: said("Have annotators grade more answers by both."),
}


def _skipped(check: _Check, places: list[tuple], every: Sequence[set]) -> SkippedAnalysis:
    """A check with the judges and criteria it concerns, none where those are all there are."""
    columns = zip(*places, strict=True) if places else ((), ())
    judges, criteria = (tuple(dict.fromkeys(filter(None, one))) for one in columns)
    return SkippedAnalysis(
        *check,
        judges=() if {*judges} in every else judges,
        criteria=() if {*criteria} in every else criteria,
    )


@dataclass(frozen=True)
class WholeReport(AgreementReport):
    """The agreement report with every statistic in the rows, and every further analysis.

    The rows have the figures of probabilities.

    Attributes:
        annotator_agreement: From `panel_reliability.rows`.
        units: Of a rubric of units; else None.
        thresholds: From which number of a continuous judge annotators pass an answer; None without
            one.
        confidence: Of the probabilities, by criterion and judge; only where it is asked for.
    """

    annotator_agreement: tuple[Any, ...]
    bias_tests: tuple[BiasTest, ...]
    skipped_analyses: tuple[SkippedAnalysis, ...]
    units: UnitAgreement | None
    thresholds: tuple[ContinuousThreshold, ...] | None = field(metadata=OPTIONAL)
    confidence: tuple[Confidence, ...] | None = field(default=None, metadata=OPTIONAL)


def whole(
    store: Store, panel: Panel, kind: str = EACH, by_answer_model: bool = False
) -> WholeReport:
    """Return the report with every statistic, the bias tests, and what could not be run."""
    found = of_rows(panel, whole_rows(panel, kind), kind, by_answer_model, whole_rows)
    probed = bias_tests.run(panel, lengths(store, panel))
    return WholeReport(
        **vars(found)
        | {
            "rows": with_probabilities(store, panel, found.rows),
            "alerts": annotator_alerts.open_alerts(store, panel),
        },
        annotator_agreement=tuple(panel_reliability.rows(panel)),
        bias_tests=tuple(probed),
        skipped_analyses=tuple(skipped_of(panel, found, probed)),
        units=unit_agreement.report(store, panel, kind),
        thresholds=tuple(continuous_thresholds.report(panel)) or None,
    )


def with_confidence(
    store: Store, panel: Panel, found: WholeReport, kind: str = EACH
) -> WholeReport:
    """Add the quality of the judges' probabilities on each criterion; none of units."""
    names = () if panel.rubric.units else [one.name for one in panel.rubric.criteria]
    rows = [
        row
        for name in names
        for row in judge_probabilities.report(panel, read(store, panel, name), name, kind)
    ]
    return replace(found, confidence=tuple(rows))
