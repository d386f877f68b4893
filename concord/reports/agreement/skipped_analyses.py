"""Skipped analyses: what was not computed, why, and the column, grade or run that enables it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from concord.messages import counted, on_command_line, said
from concord.reports.agreement import bias_tests
from concord.reports.agreement.results import (
    AgreementReport,
    AgreementRow,
    BiasTest,
    SkippedAnalysis,
)
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.unit_words import words
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


def of(panel: Panel, found: AgreementReport, probed: Iterable[BiasTest]) -> list[SkippedAnalysis]:
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
