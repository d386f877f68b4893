"""Agreement of judges with annotators: the report, one definition for screen and `--json`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from concord.messages import counted, is_message, message_of, on_command_line, said
from concord.model import BASELINE, Grader
from concord.reports.agreement import bias_tests, continuous_thresholds, unit_agreement
from concord.reports.agreement.bias_tests import TESTS, lengths
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
from concord.stats.comparison.bias_tests import NO_LENGTHS
from concord.stats.core.estimate import Reason
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


ALT_TEST, CEILING = "the alternative annotator test", "inter-annotator agreement"
CHANCE, INTERVAL = "the chance-corrected figures", "the intervals"
DOCUMENTS, MODELS = "questions that share a document", "agreement by answering model"
SELF_CONSISTENCY = "test-retest consistency of the judge"
_MAP_MODEL = said(
    "Map the column of the model to “Answering model”{on_command_line}.",
    on_command_line=on_command_line("answer_model=COLUMN"),
)

# Analyses of a sheet, of a judge's row, and of a judge: which, when or why one does not run, and
# what would enable it.
_OF_SHEET = (
    (
        MODELS,
        lambda panel, _: not panel.answer_models,
        "the sheet does not say which model wrote which answer",
        _MAP_MODEL,
    ),
    (
        DOCUMENTS,
        lambda panel, _: np.array_equal(panel.question, panel.cluster),
        "the sheet names no document or cluster, so every question counts as independent",
        said(
            "Where several questions come from one document, map its column to “Cluster (document)”"
            "{on_command_line}.",
            on_command_line=on_command_line("cluster=COLUMN"),
        ),
    ),
    (
        "the composite",
        lambda panel, _: len(panel.criteria) == 1,
        "the rubric has one criterion",
        "Grade by a rubric of two criteria or more.",
    ),
    (
        "test-retest reliability of each annotator",
        lambda _, found: not found.reliability,
        "nothing was repeated for an annotator",
        "Create a grading set with hidden repeats.",
    ),
)
_OF_ROW = (
    (
        "everything",
        lambda row: None if row.n else "annotators and the judge share nothing",
        "Have annotators grade what the judge graded, or run the judge on theirs.",
    ),
    (
        CEILING,
        lambda row: row.ceiling.why_none,
        "Let two annotators grade some of the same {units}.",
    ),
    (
        INTERVAL,
        lambda row: (
            said("only {questions}", questions=counted(row.clusters, "independent question"))
            if row.clusters < QUESTION_FLOOR
            else None
        ),
        said("Grade answers to {n} questions or more.", n=QUESTION_FLOOR),
    ),
    (
        CHANCE,
        lambda row: _undefined(row, "qwk"),
        "Have annotators grade {pairs} {units} that deserve different scores.",
    ),
    (
        "recall of failing {units}",
        lambda row: None if row.continuous else _undefined(row, "failure_recall"),
        "Add weaker answers: recall needs answers that annotators fail.",
    ),
    (
        ALT_TEST,
        lambda row: None if row.continuous else row.alt_test[0].why_none,
        "Let {annotators} annotators grade the same {shared} {units}, sampled with equal "
        "inclusion probabilities.",
    ),
    (
        "generalization to other answering models",
        lambda row: (
            row.clustered_by_answer_model
            and row.clustered_by_answer_model.answer_models
            and row.clustered_by_answer_model.why_none
        ),
        said("Add answers by other models: from {n} on there is an interval.", n=MODEL_FLOOR),
    ),
)
_REPEAT = said(
    "Repeat the judge under Judges{on_command_line}.",
    on_command_line=on_command_line("`--repeat 3`"),
)
# What a bias test needs, by the code of the reason why it did not run.
_MORE = "Have annotators grade answers to more questions; from 20 questions on it runs."
_BIAS_NEEDS = {
    "one_criterion": "Grade by a rubric of two criteria or more.",
    "judge_family_unknown": "Name the judge after the model it asks, as in gpt-4.",
    "answering_models_unnamed": _MAP_MODEL,
    "no_answer_of_own_family": "Add answers by a model of the judge's own family.",
    "no_judge_of_other_family": "Run a judge of another family, or name it after its model.",
    "judge_grades_continuous": "Read its bias and MAE in the table of continuous grades.",
    NO_LENGTHS.code: "Add answers of other lengths.",
    SCORES_EQUAL.code: "Add answers that deserve other scores.",
}


def _undefined(row: AgreementRow, key: str) -> Reason | None:
    """Why a statistic of the scale is undefined; the composite has none."""
    found = row.statistics.by_key.get(key)
    return found.why_none if found and found.value is None and row.criterion != COMPOSITE else None


def skipped_of(
    panel: Panel, found: AgreementReport, probed: Iterable[BiasTest]
) -> list[SkippedAnalysis]:
    """Return every analysis that was not run over a sheet, those of the whole sheet first."""
    told: dict[tuple, list[tuple[str | None, str | None]]] = {}
    sizes = {"annotators": ALT_TEST_ANNOTATORS, "shared": ALT_TEST_FLOOR, "pairs": PAIR_FLOOR}
    values = words(panel.rubric).nouns | sizes

    def tell(check: str, why: str, enable: str, *place: str | None) -> None:
        check, enable = (one if is_message(one) else said(one, **values) for one in (check, enable))
        told.setdefault((check, message_of(why), enable), []).extend([place] if place else [])

    for check, lacks, why, enable in _OF_SHEET:
        if lacks(panel, found):
            tell(check, why, enable)
    rows = [row for row in found.rows if row.answer_model is None and not row.floor]
    for row in rows:
        # Without pairs all else is undefined too.
        for check, lacks, enable in _OF_ROW if row.n else _OF_ROW[:1]:
            if why := lacks(row):
                tell(check, why, enable, row.judge, row.criterion)
    repeated = set(panel.repeats["grader_id"])
    for i, judge in panel.judges.items():
        if judge.kind == "judge" and i not in repeated and "judge" in judge.definition:
            tell(SELF_CONSISTENCY, "nothing was judged twice", _REPEAT, panel.labels[i], None)
    for test in probed:
        if test.p is None:
            check, why = said("bias test: {test}", test=TESTS[test.probe][0]), test.effect.why_none
            tell(check, why, _BIAS_NEEDS.get(why.code, _MORE), test.judge, test.criterion)
    every = {row.judge for row in rows}, {*panel.criteria}, {*panel.criteria} - {COMPOSITE}
    return [_skipped(check, places, every) for check, places in told.items()]


def _skipped(check: tuple, places: list[tuple], every: Sequence[set]) -> SkippedAnalysis:
    """An analysis with the judges and criteria it concerns, none where those are all there are."""
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
        units=unit_agreement.report(store, panel),
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
