"""Anchors: answers in a certificate, with several replies of the judge to each."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from concord.definitions import digest
from concord.judges.definition import registry
from concord.judges.rubric_runs import job as jobs
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.rubric_runs.tasks import Again
from concord.messages import Problem, counted, on_command_line
from concord.model import Grader, Sheet
from concord.reports.certificate.certificate import Anchor, Certificate, not_held
from concord.reports.panel.panel import Panel
from concord.rubrics.model import Rubric
from concord.sampling import anchors
from concord.stats.comparison.drift_test import NO_SCORE
from concord.store import graders, sheets
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions


class Certified(NamedTuple):
    """Subject of a certificate, as found in the store."""

    sheet: Sheet
    rubric: Rubric
    judge: Grader


def choose(
    panel: Panel,
    judge: Grader,
    criterion: str,
    hashes: Sequence[str],
    count: int,
    repeats: int,
    seed: int,
) -> list[int]:
    """The places of the anchors: as many of each score as there are, of many questions.

    Answers with enough replies come first where there are enough of them, since they cost nothing.

    Raises:
        Problem: The judge has scored fewer answers.
    """
    scored = panel.of(criterion, judge.id).scored & panel.open
    first = {}
    for place in np.flatnonzero(scored):
        first.setdefault(hashes[place], int(place))
    places = np.array(sorted(first.values()), int)
    again = panel.repeats[panel.repeats["grader_id"] == judge.id]
    again = again[(again["criterion"] == criterion) & (again["repeat"] <= repeats)]
    times = 1 + np.bincount(again["item"], minlength=len(panel.items))
    ready = places[times[places] >= repeats]
    places = ready if len(ready) >= count else places
    if len(places) < count:
        raise Problem(
            "{judge} has scored {answers} of sheet “{sheet}” on {criterion}, and {count} anchors "
            "were asked for. Let it grade more answers, or ask for none{on_command_line}.",
            judge=judge.name,
            answers=counted(len(places), "answer"),
            sheet=panel.sheet.name,
            criterion=criterion,
            count=count,
            on_command_line=on_command_line("or for fewer with --anchors"),
        )
    order = np.random.default_rng(seed).permutation(places)
    return _in_turn(order, panel.of(criterion, judge.id).score, panel.cluster, count)


def certified(store: Store, certificate: Certificate) -> Certified:
    """Return the sheet, rubric and judge of a certificate; raise a Problem where one is missing."""
    sheet = sheets.chosen(store, certificate.sheet.name)
    rubric = rubric_versions.of_digest(store, certificate.rubric.name, certificate.rubric.digest)
    name, identity = certificate.judge.name, certificate.judge.fingerprint
    judge = graders.find(store, certificate.judge.kind, f"{name}@{identity}")
    if rubric is None or judge is None:
        raise Problem(
            "This database does not hold the {missing} of the certificate. Name the database that "
            "it was made from with --db.",
            missing=not_held(certificate, judge),
        )
    return Certified(sheet, rubric, judge)


def asked_again(
    store: Store, sheet: Sheet, rubric: Rubric, judge: Grader, again: Again, repeats: int
) -> RubricJob:
    """The job that asks a judge, as it is stored, about certain contents again.

    Raises:
        Problem: Only the judge's grades are known, or it would be asked otherwise by now.
    """
    asked = registry.stored(judge)
    if asked is None:
        raise Problem(
            "The grades of {judge} came from a file. A judge that cannot be run has no anchors.",
            judge=judge.name,
        )
    if asked.kind == "combined":
        raise Problem(
            "{judge} combines stored grades and sends no request, so it has no anchors. Recheck "
            "its members.",
            judge=judge.name,
        )
    rubric_id = rubric_versions.register(store, rubric, "app")
    found = jobs.prepare(store, asked, rubric_id, rubric, sheet, repeats, again=again)
    if found.fingerprint != judge.fingerprint:
        raise Problem(
            "The prompt, criteria or examples of {judge} changed since it graded. Run it again "
            "and certify the new judge.",
            judge=judge.name,
        )
    return found


def scores(
    store: Store,
    sheet: Sheet,
    rubric: Rubric,
    judge: Grader,
    names: Sequence[str],
    repeats: Sequence[int],
) -> dict[tuple[str, str], np.ndarray]:
    """Return the scores of these repeats by content and criterion: `NO_SCORE`, or NaN if lost."""
    versions = rubric.versions()
    by_version = {version: name for name, version in versions.items()}
    place = {repeat: number for number, repeat in enumerate(repeats)}
    found = defaultdict(lambda: np.full(len(place), np.nan))
    for row in anchors.replied(store, sheet.id, judge.id, list(by_version), names):
        if row["repeat"] in place and row["status"] != "failed":
            slot = found[row["content_hash"], by_version[row["version"]]]
            slot[place[row["repeat"]]] = _score(row)
    return {(name, c): found[name, c] for name in names for c in versions}


def table(items: Sequence[Anchor]) -> tuple[np.ndarray, np.ndarray]:
    """Return the certified scores, a row per answer and criterion, and each row's question."""
    pairs = [(item, row) for item in items for row in item.scores.values()]
    then = [[NO_SCORE if score is None else score for score in row] for _, row in pairs]
    return np.array(then, float), np.array([item.question for item, _ in pairs])


def _in_turn(order: np.ndarray, score: np.ndarray, cluster: np.ndarray, count: int) -> list[int]:
    """Take one answer of each score in turn, of a question not taken yet where there is one."""
    left = {
        value: [int(p) for p in order if score[p] == value] for value in np.unique(score[order])
    }
    taken: list[int] = []
    questions: set[int] = set()
    while len(taken) < count:
        for places in filter(None, left.values()):
            fresh = (place for place in places if cluster[place] not in questions)
            place = next(fresh, places[0])
            places.remove(place)
            taken.append(place)
            questions.add(int(cluster[place]))
            if len(taken) == count:
                break
    return sorted(taken)


def _score(row: Row) -> float:
    return row["score"] if row["status"] == "scored" else NO_SCORE


def draw_seed(panel: Panel, judge: Grader) -> int:
    """The same judge and sheet give the same draw."""
    return int(digest([judge.fingerprint, panel.sheet.sha256])[:8], 16)
