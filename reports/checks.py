"""Checks: what could not be computed, why, and which column, label or run would enable it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from data.counted import counted
from reports import probes
from reports.panel import COMPOSITE, Panel
from reports.sensitivity import MODEL_FLOOR
from reports.unit_words import heading, said
from rubrics.model import Rubric
from stats.alt_test import ITEM_FLOOR, PEOPLE_FLOOR
from stats.figures import PAIR_FLOOR
from stats.interval import NO_VARIATION
from stats.probes import NO_LENGTHS, TOO_FEW_OF_EACH
from stats.wilson import QUESTION_FLOOR

ALT_TEST = "the alternative annotator test"
CAUGHT = "failing answers caught"
CEILING = "how well people agree with one another"
CHANCE = "the chance-corrected figures"
COMPOSITES = "the composite"
DOCUMENTS = "questions that share a document"
INTERVAL = "the intervals"
MODELS = "agreement by answering model"
OTHER_MODELS = "how far it holds for other answering models"
REPEATS = "how steady each person is"
SELF_CONSISTENCY = "how steady the judge is"
_PROBES = {
    "leniency": "the leniency probe",
    "spread": "the probe of the middle of the scale",
    "length": "the length probe",
    "halo": "the halo probe",
    "self_preference": "the self-preference probe",
}


class _Check(NamedTuple):
    check: str
    why: str
    enable: str


def not_run(panel: Panel, found: dict, probed: Iterable[dict]) -> list[dict]:
    """Every check that did not run over this sheet, those of the whole sheet first.

    Args:
        panel: The panel.
        found: The agreement report.
        probed: From `reports.probes.probes`.

    Returns:
        `check`, `why` and `enable` in words, with the `judges` and `criteria` it concerns; empty
        where it concerns all of them.
    """
    said: dict[_Check, list[tuple]] = {check: [] for check in _of_sheet(panel, found)}
    for row in found["rows"]:
        if row["answer_model"] is None and not row["floor"]:
            for check in _of_row(row, panel.rubric):
                said.setdefault(check, []).append((row["judge"], row["criterion"]))
    for check, judge in _of_judges(panel):
        said.setdefault(check, []).append((judge, None))
    for row in probed:
        if row["p"] is None:
            enable = _probe_enable(row, panel.rubric)
            check = _Check(_PROBES[row["probe"]], row["why_none"], enable)
            said.setdefault(check, []).append((row["judge"], row["criterion"]))
    judges = {row["judge"] for row in found["rows"] if not row["floor"]}
    every = judges, {*panel.criteria}, {*panel.criteria} - {COMPOSITE}
    return [_row(check, places, every) for check, places in said.items()]


def sentence(row: dict, rubric: Rubric) -> str:
    """One row in words: what did not run, for whom, why, and what would enable it."""
    criteria = [heading(rubric, name) for name in row["criteria"]]
    whom = "; ".join(", ".join(names) for names in (row["judges"], criteria) if names)
    what = f"{row['check']} ({whom})" if whom else row["check"]
    return f"{what[0].upper()}{what[1:]}: {row['why']}. {row['enable']}"


def _of_sheet(panel: Panel, found: dict) -> Iterator[_Check]:
    if not panel.answer_models:
        why = "the sheet does not say which model wrote which answer"
        yield _Check(MODELS, why, "Import it with the column of the model: answer_model=COLUMN.")
    if np.array_equal(panel.question, panel.cluster):
        why = "the sheet names no document or cluster, so every question counts as independent"
        enable = "Where several questions come from one document, map its column: cluster=COLUMN."
        yield _Check(DOCUMENTS, why, enable)
    if len(panel.criteria) == 1:
        yield _Check(COMPOSITES, "the rubric has one criterion", "It takes two criteria.")
    if not found["reliability"]:
        why = said(panel.rubric, "no answer has come back to a person")
        yield _Check(REPEATS, why, "Draw a grading set with hidden repeats.")


def _of_row(row: dict, rubric: Rubric) -> Iterator[_Check]:
    """What one judge's row lacks; nothing but that there are no pairs where there are none."""
    if row["n"] == 0:
        enable = "Have people grade answers that the judge graded, or run the judge on theirs."
        why = said(rubric, "people and the judge share no answer")
        yield _Check("everything", why, said(rubric, enable))
        return
    if row["ceiling"]["why_none"]:
        enable = said(rubric, "Let a second person grade some of the same answers.")
        yield _Check(CEILING, row["ceiling"]["why_none"], enable)
    if row["clusters"] < QUESTION_FLOOR:
        shared = row["clusters"] < row["questions"]
        once = ", those of one document counted once" if shared else ""
        few = f"there are {counted(row['clusters'], 'question')}{once}"
        enable = f"Grade {_answers_to(rubric)} {QUESTION_FLOOR} questions or more."
        yield _Check(INTERVAL, few, enable)
    if row["criterion"] != COMPOSITE:
        yield from _of_figures(row, rubric)
    yield from _of_people(row, rubric)
    yield from _of_models(row)


def _of_figures(row: dict, rubric: Rubric) -> Iterator[_Check]:
    if row["qwk"]["value"] is None:
        few = row["n"] < PAIR_FLOOR
        enable = (
            said(rubric, f"Have people grade {PAIR_FLOOR} answers that the judge graded.")
            if few
            else "Add answers that deserve other scores."
        )
        yield _Check(CHANCE, row["qwk"]["why_none"], enable)
    if row["caught"]["value"] is None:
        enable = "Add weaker answers: only those that people fail can be caught."
        yield _Check(said(rubric, CAUGHT), row["caught"]["why_none"], enable)


def _of_people(row: dict, rubric: Rubric) -> Iterator[_Check]:
    test = row["alt_test"][0]
    if test["why_none"] is None:
        return
    have = counted(test["annotators"], "person has", "people have")
    enable = f"Let {PEOPLE_FLOOR} people grade the same {ITEM_FLOOR} answers; so far {have}."
    if test["annotators"] >= PEOPLE_FLOOR:
        enable = "It takes answers drawn with equal chances."
    yield _Check(ALT_TEST, test["why_none"], said(rubric, enable))


def _of_models(row: dict) -> Iterator[_Check]:
    """Only where the further figures are in the row."""
    found = row.get("clustered_by_answer_model", {})
    why = found.get("why_none")
    if why and found["answer_models"]:
        enable = f"Add answers by other models: from {MODEL_FLOOR} on there is an interval."
        yield _Check(OTHER_MODELS, why, enable)


def _of_judges(panel: Panel) -> Iterator[tuple[_Check, str]]:
    repeated = set(panel.repeats["grader_id"])
    why = said(panel.rubric, "no answer was judged twice")
    check = _Check(SELF_CONSISTENCY, why, "Run the judge again with --repeat 3.")
    for i, judge in panel.judges.items():
        if judge.kind == "judge" and i not in repeated and "judge" in judge.definition:
            yield check, panel.labels[i]


def _probe_enable(row: dict, rubric: Rubric) -> str:
    """What a probe that did not run lacks."""
    more = f"{_answers_to(rubric)} more questions"
    enough = f"Have people grade {more}; from 20 questions on it runs."
    known = {said(rubric, why): enable for why, enable in _PROBE_ENABLE.items()}
    return known.get(row["why_none"], enough)


def _answers_to(rubric: Rubric) -> str:
    """What of some questions people grade: `answers to`, or `claims of` where units are graded."""
    return f"{rubric.plural} of" if rubric.units else "answers to"


_PROBE_ENABLE = {
    probes.ONE_CRITERION: "Grade under a rubric with two criteria or more.",
    probes.NO_MODEL: "Name the judge after the model it asks, as in gpt-4.",
    probes.NO_ANSWER_MODELS: "Map the column that names the model: answer_model=COLUMN.",
    probes.NOT_ITS_OWN: "Add answers by a model of the judge's own family.",
    probes.NO_OTHER_FAMILY: "Run a judge of another family, or name imported ones after models.",
    NO_LENGTHS: "Add answers of other lengths.",
    NO_VARIATION: "Add answers that deserve other scores.",
    TOO_FEW_OF_EACH: "Have people grade more answers by both.",
}


def _row(check: _Check, places: list[tuple], every: Sequence[set]) -> dict:
    """A check with the judges and criteria it concerns, none where those are all there are."""
    judges, criteria = ([*dict.fromkeys(filter(None, each))] for each in _columns(places))
    return check._asdict() | {
        "judges": [] if {*judges} in every else judges,
        "criteria": [] if {*criteria} in every else criteria,
    }


def _columns(places: list[tuple]) -> tuple[tuple, tuple]:
    return tuple(zip(*places, strict=True)) if places else ((), ())
