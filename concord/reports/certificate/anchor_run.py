"""Anchors of a new certificate: their selection, and the run that completes their replies."""

from collections.abc import Callable

import numpy as np

from concord.judges.rubric_runs import session
from concord.judges.rubric_runs.job import RubricJob
from concord.judges.rubric_runs.tasks import Again
from concord.messages import Problem, counted
from concord.model import Grader
from concord.reports.certificate.anchor_items import asked_again, choose, draw_seed, scores, table
from concord.reports.certificate.certificate import Anchor, Anchors
from concord.reports.certificate.contents import refuse
from concord.reports.panel.panel import Panel
from concord.stats.comparison.drift_test import NO_SCORE, noticeable
from concord.store import items as store_items
from concord.store.database import Store

PURPOSE = "anchors"
COUNT, REPEATS = 30, 3


def carried(
    store: Store,
    panel: Panel,
    judge: Grader,
    count: int = COUNT,
    repeats: int = REPEATS,
    options: session.Options | None = None,
    confirm: Callable[[str], bool] = lambda sentence: False,
) -> Anchors:
    """Choose anchors and complete the judge's replies to them.

    Stored replies are used; missing ones are requested, as in any run, within the budget.

    Args:
        store: The open store.
        panel: The sheet under a rubric.
        judge: The judge.
        count: Number of anchors.
        repeats: Number of replies to each, 2 or more.
        options: The user's options of a run; None makes no API calls.
        confirm: Asks the user to confirm a price.

    Raises:
        Problem: The judge is not available, too few answers are judged, or replies are missing.
    """
    refuse(panel, judge)
    criterion, seed = panel.rubric.heaviest().name, draw_seed(panel, judge)
    hashes = content_hashes(store, panel)
    chosen = choose(panel, judge, criterion, hashes, count, repeats, seed)
    names = [hashes[place] for place in chosen]
    again = Again(frozenset(names), 1, PURPOSE)
    missing = asked_again(store, panel.sheet, panel.rubric, judge, again, repeats)
    _complete(store, missing, count, options, confirm)
    found = scores(store, panel.sheet, panel.rubric, judge, names, range(1, repeats + 1))
    if any(np.isnan(row).any() for row in found.values()):
        raise Problem(
            "Some replies to the anchors are missing. Repeat the command: it requests only these."
        )
    items = tuple(
        Anchor(
            name,
            int(panel.cluster[place]),
            {c: _plain(found[name, c]) for c in panel.rubric.versions()},
        )
        for place, name in zip(chosen, names, strict=True)
    )
    then, cluster = table(items)
    return Anchors(seed, criterion, repeats, items, noticeable(then, repeats, cluster))


def _complete(
    store: Store,
    missing: RubricJob,
    count: int,
    options: session.Options | None,
    confirm: Callable[[str], bool],
) -> None:
    """Ask what is missing; a Problem where that was not wanted or did not go through."""
    if not missing.pending and not missing.cached:
        return
    if options is None:
        raise Problem(
            "{replies} to the anchors are missing. Request them with `certificate {judge} "
            "--anchors {count}`, which shows the cost first.",
            replies=counted(len(missing.pending), "reply", "replies"),
            judge=missing.judge.name,
            count=count,
        )
    ended = session.carry_out(store, missing, options, confirm)
    if ended.status != "done":
        raise Problem(
            "No certificate was written: the anchors were not all asked. {why}", why=ended.said
        )


def _plain(row: np.ndarray) -> tuple[float | None, ...]:
    return tuple(None if score == NO_SCORE else float(score) for score in row)


def content_hashes(store: Store, panel: Panel) -> list[str]:
    """The content hash of every answer of the sheet, in the order of the panel."""
    return [row["content_hash"] for row in store_items.item_index(store, panel.sheet.id)]
