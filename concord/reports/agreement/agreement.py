"""Agreement: how far each judge agrees with people. One definition for screen and `--json`.

Under `each` all pairs (judge, person) on the same items count, every item with total weight 1;
under `consensus` the people's consensus is the one reference. Intervals take whole clusters.
"""

from collections.abc import Callable, Collection

import numpy as np

from concord.language.grade_statuses import status_words
from concord.messages import Said, is_message, joined, said
from concord.reports.agreement import bias_tests, more_statistics, skipped_analyses, unit_agreement
from concord.reports.agreement.failures_as_errors import worst_case
from concord.reports.panel import unit_words
from concord.reports.panel.comparison import ONE_PERSON, Ground, Measured, ground
from concord.reports.panel.panel import OTHER, STATUS_NAMES, Panel
from concord.reports.panel.provenance import signature
from concord.reports.panel.reference_standard import CONSENSUS, EACH, Reference, without_consensus
from concord.reports.panel.sampling_weights import weighting
from concord.reports.panel.terminal_tables import percent
from concord.reports.reliability import annotator_warnings, panel_reliability, test_retest
from concord.stats.agreement.majority_baseline import constant
from concord.stats.core.tables import ranked
from concord.stats.reliability.alt_test import alt_test
from concord.stats.statistics import PAIR_FLOOR
from concord.store.database import Store
from concord.store.graders import BASELINE, Grader

NOT_JUDGED = said("not graded by this judge")
NO_CONSTANT = said("a composite has no grade that could be given to every answer")
NO_PAIRS = said("there is nothing to compare")
NOT_WEIGHTED = said(
    "answers were drawn with unequal chances, and the published test has no weights"
)

_Rows = Callable[[Panel, str, list[str] | None], list[dict]]


def report(panel: Panel, kind: str = EACH, by_answer_model: bool = False) -> dict:
    """The figures that decide: the rows, each person's own reliability, who counts as people."""
    return _report(panel, rows(panel, kind), kind, by_answer_model, rows)


def whole(store: Store, panel: Panel, kind: str = EACH, by_answer_model: bool = False) -> dict:
    """The same with every further figure in the rows, the probes, and what could not be run.

    `units` is what `unit_agreement.report` says, None for a rubric of whole answers.
    """
    found = _report(panel, whole_rows(panel, kind), kind, by_answer_model, whole_rows)
    probed = bias_tests.probes(panel, bias_tests.lengths(store, panel))
    return found | {
        "people_agreement": panel_reliability.rows(panel),
        "probes": probed,
        "not_run": skipped_analyses.not_run(panel, found, probed),
        "units": unit_agreement.report(store, panel, kind),
    }


def _report(
    panel: Panel, found: list[dict], kind: str, by_answer_model: bool, every: _Rows
) -> dict:
    return {
        "rows": found + (rows_by_answer_model(panel, kind, every=every) if by_answer_model else []),
        "reliability": test_retest.of_annotators(panel),
        "people": [{"name": p.name, "simulated": p.simulated} for p in panel.people.values()],
        "uncounted": panel.uncounted,
        "weighting": weighting(panel),
        "annotator_warnings": annotator_warnings.warnings(panel),
    }


def rows(
    panel: Panel,
    kind: str = EACH,
    criteria: list[str] | None = None,
    judges: Collection[int] | None = None,
) -> list[dict]:
    """One row per judge and criterion: those named, else all; of criteria also the composite."""
    grounds = [ground(panel, name, kind) for name in criteria or panel.criteria]
    asked = [judge for i, judge in panel.judges.items() if judges is None or i in judges]
    return [_row(each, judge) for judge in asked for each in grounds]


def whole_rows(
    panel: Panel,
    kind: str = EACH,
    criteria: list[str] | None = None,
    short: list[dict] | None = None,
) -> list[dict]:
    """The same rows with every further figure; `short` are the rows where they are known."""
    short = rows(panel, kind, criteria) if short is None else short
    added = more_statistics.rows(panel, kind, criteria)
    return [more_statistics.merged(row, more) for row, more in zip(short, added, strict=True)]


def rows_by_answer_model(
    panel: Panel, kind: str = EACH, criteria: list[str] | None = None, every: _Rows = rows
) -> list[dict]:
    """The same rows for each answering model's answers alone; `answer_model` says whose."""
    return [
        row | {"answer_model": model}
        for model in panel.answer_models
        for row in every(panel.within(model), kind, criteria)
    ]


def row(panel: Panel, judge: Grader, criterion: str, people: Reference, kind: str) -> dict:
    """Everything about one judge and one criterion (or the composite)."""
    return _row(ground(panel, criterion, kind, people), judge)


def _row(on: Ground, judge: Grader) -> dict:
    panel, judged = on.panel, on.judged(judge)
    ceiling = _ceiling(on, judged)
    levels = _constant(on, judged)
    people = on.people_on(judged.on)
    found = {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "judge": panel.labels[judge.id],
        "criterion": on.name,
        "units": unit_words.of_rubric(panel.rubric),
        "reference": on.kind,
        "answer_model": None,
        "n": judged.n,
        "people": len(people),
        **_extent(panel, judged.on),
        "left_out": _left_out(on, panel.of(on.name, judge.id).status),
        **judged.as_json(),
        "failing": judged.failing,
        "alt_test": _alt_test(on, judge),
        "majority_baseline": levels,
        "ceiling": ceiling,
        "fingerprint": judge.fingerprint,
        "kind": judge.kind,
        "simulated": judge.simulated,
        "floor": judge.name == BASELINE,
        "simulated_people": [person.name for person in people if person.simulated],
        "worst_case": worst_case(on, judge, judged),
        "without_consensus": without_consensus(on.people) if on.kind == CONSENSUS else None,
        "note": _note(on, judged),
    }
    found = unit_words.worded(panel.rubric, found)
    return found | {"signature": signature(panel, found, people)}


def _left_out(on: Ground, statuses: np.ndarray) -> dict[str, int]:
    """Why each item that is not in the figures is not, as reason -> count.

    The counts and n add up to the number of items (of the answering model, in a row of one).
    """
    has, without = on.left_out()
    reasons = without.copy()
    codes = statuses[has & (statuses != 0)]
    for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
        reasons[NOT_JUDGED if code < 0 else _unscored(STATUS_NAMES[code])] = int(count)
    del reasons[OTHER]
    return dict(reasons)


def _unscored(status: str) -> Said:
    """That the judge gave no score, and why: as the status is called in what is exported."""
    why = status_words(status)
    known = Said(status, why.template, {}) if is_message(why) else status
    return said("judge: {status}", status=known)


def _ceiling(on: Ground, judged: Measured) -> dict:
    """How well people agree with one another on the items of a row, and the judge on the same."""
    people = on.ceiling(judged.on)
    same = judged
    if people.n < judged.n:
        pairs = judged.pairs.where(people.on[judged.pairs.item])
        same = on.measured(pairs, why_none=ONE_PERSON)
    return {
        "n": people.n,
        "people": len(on.people_on(people.on)),
        **_extent(on.panel, people.on),
        **people.as_json(),
        "failing": people.failing,
        "judge_on_same_items": same.as_json(),
        "why_none": None if people.n else ONE_PERSON,
    }


def _extent(panel: Panel, on: np.ndarray) -> dict[str, int]:
    return {
        "questions": ranked(panel.question[on])[0],
        "clusters": ranked(panel.cluster[on])[0],
    }


def _alt_test(on: Ground, judge: Grader) -> list[dict]:
    """The alternative annotator test per item and per question, on what two people scored."""
    items, people = on.overlap()
    found = alt_test(people, on.scores(judge, items), cluster=on.panel.cluster[items])
    if on.panel.reweighted:
        nothing = {"omega": None, "rho": None, "omega_by_question": None}
        found = [result._replace(**nothing, why_none=NOT_WEIGHTED) for result in found]
    return [
        {key: list(v) if isinstance(v, tuple) else v for key, v in result._asdict().items()}
        for result in found
    ]


def _constant(on: Ground, measured: Measured) -> dict:
    """The commonest grade as a judge; every value None for the composite or without pairs."""
    keys = ("score", "exact", "within_one", "best_within_one", "best_within_one_score")
    nothing = dict.fromkeys((*keys, "failure_recall", "bias", "mae", "qwk"))
    if measured.used is None:
        return nothing | {"why_none": NO_CONSTANT}
    found = constant(measured.used, on.panel.rubric.scale)
    if found is None:
        return nothing | {"why_none": NO_PAIRS}
    fails = found.score in on.panel.rubric.failing(on.criterion)
    return found._asdict() | {
        "failure_recall": float(fails) if measured.failing else None,
        "qwk": 0.0 if found.mae else None,
        "why_none": None,
    }


def _note(on: Ground, judged: Measured) -> str | None:
    """A warning where a constant grade agrees with people as often as they with one another.

    Only where enough answers were graded by two people for the ceiling to have an interval.
    """
    people = on.ceiling(judged.on)
    level, ceiling = _constant(on, people), people.figures["exact"]
    if people.n < PAIR_FLOOR or ceiling.low is None or level["exact"] is None:
        return None
    if level["exact"] < ceiling.value:
        return None
    words = {"units": unit_words.of_rubric(on.panel.rubric)}
    always = unit_words.score(words, level["score"])
    plural = unit_words.plural(words)
    called, more = on.name, said("Add weaker answers.")
    if words["units"]:
        called = on.panel.rubric.headings()[on.name]
        more = said("Add answers whose {units} differ more.", units=plural)
    found = said(
        "This sheet cannot calibrate {criterion}: on the {n} {units} that two or more people "
        "graded, always answering {score} matches a person on {constant}%, and people match one "
        "another on {ceiling}%.",
        criterion=called,
        n=people.n,
        units=plural,
        score=always,
        constant=percent(level["exact"]),
        ceiling=percent(ceiling.value),
    )
    return joined(" ", [found, more])
