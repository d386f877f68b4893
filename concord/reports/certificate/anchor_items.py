"""Anchors: answers that a certificate carries, with what the judge said of each several times."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from concord.judges.definition import registry
from concord.judges.running import job as jobs
from concord.judges.running import session
from concord.judges.running.job import Again, Job
from concord.language.plurals import counted
from concord.messages import said
from concord.problems import Problem
from concord.reports.certificate.certificate import refuse
from concord.reports.panel.panel import Panel
from concord.rubrics.model import Rubric, digest
from concord.sampling import anchors
from concord.stats.comparison.drift_test import NO_SCORE, noticeable
from concord.store import items as store_items
from concord.store.database import Row, Store
from concord.store.graders import Grader
from concord.store.rubrics import rubric_versions
from concord.store.sheets import Sheet

COUNT, REPEATS, AT_MOST = 30, 3, 8
PURPOSE = "anchors"


def carried(
    store: Store,
    panel: Panel,
    judge: Grader,
    count: int = COUNT,
    repeats: int = REPEATS,
    options: session.Options | None = None,
    confirm: Callable[[str], bool] = lambda sentence: False,
) -> dict:
    """Choose anchors and see to it that the judge has replied to each several times.

    What is stored is taken; what is missing is asked, as any run asks, within the budget.

    Args:
        store: The open store.
        panel: The sheet under a rubric.
        judge: The judge.
        count: How many answers.
        repeats: How many replies to each, 2 or more.
        options: What the user said about money and speed; None asks nobody.
        confirm: Asks the user whether to go ahead at a price.

    Returns:
        What a certificate carries: `seed`, `criterion` by whose scores they were drawn, `repeats`,
        `noticeable` (see `drift_test`), and `items`, each with `content`, `question` and, by
        criterion, the `scores`; None is a reply without one.

    Raises:
        Problem: The judge cannot be asked, too few answers are judged, or replies are missing.
    """
    refuse(panel, judge)
    criterion, seed = panel.rubric.heaviest().name, _seed(panel, judge)
    hashes = _hashes(store, panel)
    chosen = choose(panel, judge, criterion, hashes, count, repeats, seed)
    names = [hashes[place] for place in chosen]
    again = Again(frozenset(names), 1, PURPOSE)
    missing = asked_again(store, panel.sheet, panel.rubric, judge, again, repeats)
    _complete(store, missing, count, options, confirm)
    found = scores(store, panel.sheet, panel.rubric, judge, names, range(1, repeats + 1))
    if any(np.isnan(row).any() for row in found.values()):
        raise Problem(
            said(
                "Some replies to the anchors did not come. Repeat the command: only what is "
                "missing is asked."
            )
        )
    items = [
        {
            "content": name,
            "question": int(panel.cluster[place]),
            "scores": {c: _plain(found[name, c]) for c in panel.rubric.versions()},
        }
        for place, name in zip(chosen, names, strict=True)
    ]
    kept = {"seed": seed, "criterion": criterion, "repeats": repeats, "items": items}
    then, cluster = table(kept)
    return kept | {"noticeable": noticeable(then, repeats, cluster)}


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
            said(
                "{judge} has scored {answers} of sheet “{sheet}” by {criterion}, and {count} "
                "anchors were asked for. Let it judge more answers, or ask for fewer with "
                "--anchors.",
                judge=judge.name,
                answers=counted(len(places), "answer"),
                sheet=panel.sheet.name,
                criterion=criterion,
                count=count,
            )
        )
    order = np.random.default_rng(seed).permutation(places)
    return _in_turn(order, panel.of(criterion, judge.id).score, panel.cluster, count)


def asked_again(
    store: Store, sheet: Sheet, rubric: Rubric, judge: Grader, again: Again, repeats: int
) -> Job:
    """The job that asks a judge, as it is stored, about certain contents again.

    Raises:
        Problem: Only the judge's grades are known, or it would be asked otherwise by now.
    """
    asked = registry.stored(judge)
    if asked is None:
        raise Problem(
            said(
                "Only the grades of {judge} are known, which came from a file; a judge that cannot "
                "be asked carries no anchors.",
                judge=judge.name,
            )
        )
    rubric_id = rubric_versions.register(store, rubric, "app")
    found = jobs.prepare(store, asked, rubric_id, rubric, sheet, repeats, again=again)
    if found.fingerprint != judge.fingerprint:
        raise Problem(
            said(
                "{judge} would be asked otherwise now than when it graded: its prompt, criteria or "
                "examples changed. Run it again, and certify that judge.",
                judge=judge.name,
            )
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
    """By content and criterion the scores of these repeats: `NO_SCORE` without one, nan if lost."""
    versions = rubric.versions()
    by_version = {version: name for name, version in versions.items()}
    place = {repeat: number for number, repeat in enumerate(repeats)}
    found = defaultdict(lambda: np.full(len(place), np.nan))
    for row in anchors.replied(store, sheet.id, judge.id, list(by_version), names):
        if row["repeat"] in place and row["status"] != "failed":
            slot = found[row["content_hash"], by_version[row["version"]]]
            slot[place[row["repeat"]]] = _score(row)
    return {(name, c): found[name, c] for name in names for c in versions}


def table(kept: Mapping) -> tuple[np.ndarray, np.ndarray]:
    """The certified scores, one row per answer and criterion, and the question of every row."""
    pairs = [(item, row) for item in kept["items"] for row in item["scores"].values()]
    then = [[NO_SCORE if score is None else score for score in row] for _, row in pairs]
    return np.array(then, float), np.array([item["question"] for item, _ in pairs])


def _complete(
    store: Store,
    missing: Job,
    count: int,
    options: session.Options | None,
    confirm: Callable[[str], bool],
) -> None:
    """Ask what is missing; a Problem where that was not wanted or did not go through."""
    if not missing.pending and not missing.cached:
        return
    if options is None:
        raise Problem(
            said(
                "{replies} to the anchors are missing. Ask for them with `certificate "
                "{judge} --anchors {count}`, which says first what it costs.",
                replies=counted(len(missing.pending), "reply", "replies"),
                judge=missing.judge.name,
                count=count,
            )
        )
    ended = session.carry_out(store, missing, options, confirm)
    if ended.status != "done":
        raise Problem(f"No certificate was written: the anchors were not all asked. {ended.said}")


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


def _hashes(store: Store, panel: Panel) -> list[str]:
    return [row["content_hash"] for row in store_items.item_index(store, panel.sheet.id)]


def _seed(panel: Panel, judge: Grader) -> int:
    """The same judge and sheet give the same draw."""
    return int(digest([judge.fingerprint, panel.sheet.sha256])[:8], 16)


def _score(row: Row) -> float:
    return row["score"] if row["status"] == "scored" else NO_SCORE


def _plain(row: np.ndarray) -> list[float | None]:
    return [None if score == NO_SCORE else float(score) for score in row]
