"""Job: what a judge still has to do on a sheet, and what it has done or may take from the cache.

Read from the store before every run, so that repeating a run does only what is missing.
"""

import datetime
import json
from collections import defaultdict
from decimal import Decimal
from typing import NamedTuple

from data import clock, graders, grades, roles, runs, sheets
from data.sheets import Sheet
from data.store import Store
from judges import price, shots
from judges.examples import Origin, Shot, leaks, origin, rubric_origins
from judges.model import Judge
from judges.price import Band, Usage
from judges.prompt import parts
from judges.request import REPLY_TOKENS_PER_CRITERION, fingerprint, request
from rubrics.model import Rubric, canonical_json

SAMPLED_PROMPTS = 50


class Task(NamedTuple):
    """One question to the judge: a content, a part and a repeat, for every item that holds it."""

    content_hash: str
    part: str
    repeat: int
    item_ids: tuple[int, ...]


class Job(NamedTuple):
    """A judge, what it grades by, and what is left to do.

    `pending` must be asked; `cached` has a good reply on disk already and only lacks its grades;
    `settled` counts the (item, part, repeat) that are done, `failed` those of `pending` that
    failed before, `closed` the items that are never scored and so never asked.
    """

    judge: Judge
    rubric: Rubric
    rubric_id: int
    sheet: Sheet
    shots: tuple[Shot, ...]
    fingerprint: str
    repeats: int
    limit: int | None
    retry_unscored: bool
    pending: list[Task]
    cached: list[Task]
    settled: int
    failed: int
    closed: int


class Estimate(NamedTuple):
    """What a job will take; USD are None where the price is unknown."""

    calls: int
    cached: int
    failed: int
    settled: int
    tokens_in: Band
    tokens_out: Band
    from_usage: bool
    cost: tuple[Decimal, Decimal] | None
    price: price.Price | None

    def sentence(self) -> str:
        """The estimate in words."""
        if not self.calls:
            return f"Nothing to ask: {self.settled + self.cached:,} are done or in the cache. $0."
        basis = "from earlier replies" if self.from_usage else "estimated from the text's length"
        tokens = (
            f"about {self.tokens_in.low:,}-{self.tokens_in.high:,} tokens in and "
            f"{self.tokens_out.low:,}-{self.tokens_out.high:,} out ({basis})"
        )
        done = f"{self.settled:,} done, {self.cached:,} cached, {self.failed:,} failed before"
        return f"{self.calls:,} calls ({done}), {tokens}, {self._money()}."

    def _money(self) -> str:
        if self.cost is None or self.price is None:
            return "cost unknown: the model has no price in judges/prices.toml"
        low, high = self.cost
        if not high:
            return "free"
        return f"${low:.2f}-${high:.2f} at prices of {self.price.date}"

    def is_free(self) -> bool:
        """Whether it is known to cost nothing."""
        return not self.calls or (self.cost is not None and not self.cost[1])

    def as_json(self) -> dict:
        """The estimate for `--json` and for the run's record."""
        return {
            "calls": self.calls,
            "cached": self.cached,
            "failed": self.failed,
            "settled": self.settled,
            "tokens_in": list(self.tokens_in),
            "tokens_out": list(self.tokens_out),
            "from_usage": self.from_usage,
            "cost_usd": [float(c) for c in self.cost] if self.cost else None,
            "price_date": str(self.price.date) if self.price else None,
        }


def prepare(
    store: Store,
    judge: Judge,
    rubric_id: int,
    rubric: Rubric,
    sheet: Sheet,
    repeats: int = 1,
    limit: int | None = None,
    retry_unscored: bool = False,
) -> Job:
    """Find out what a judge has still to do on a sheet.

    Args:
        store: The open store.
        judge: The judge, overrides applied.
        rubric_id: The rubric's id in the store.
        rubric: The rubric it grades by.
        sheet: The sheet.
        repeats: How many separate replies each item gets in all.
        limit: Only the first so many items of the sheet.
        retry_unscored: Ask again where an earlier reply gave no score.
    """
    examples = tuple(shots.gather(store, judge, rubric, sheet))
    identity = fingerprint(judge, rubric, examples)
    grader = graders.find(store, "judge", f"{judge.name}@{identity}")
    rows = sheets.item_index(store, sheet.id)
    closed = _closed(store, judge, rubric, sheet, examples)
    open_rows = [row for row in rows if row["question_id"] not in closed]
    by_content: dict[str, list[int]] = defaultdict(list)
    for row in open_rows[:limit]:
        by_content[row["content_hash"]].append(row["id"])
    states = _states(store, sheet, rubric, grader.id) if grader else {}
    good = runs.good(store, grader.id, sheet.id) if grader else {}
    pending, cached, settled, failed = [], [], 0, 0
    for repeat in range(1, repeats + 1):
        for content_hash, item_ids in by_content.items():
            for part, criteria in parts(judge, rubric).items():
                names = [criterion.name for criterion in criteria]
                left = [
                    item_id
                    for item_id in item_ids
                    if not _is_settled(states, item_id, names, repeat, retry_unscored)
                ]
                settled += len(item_ids) - len(left)
                task = Task(content_hash, part, repeat, tuple(left))
                if left and (content_hash, part, repeat) in good:
                    cached.append(task)
                elif left:
                    pending.append(task)
                    failed += any(
                        states.get((item_id, name, repeat)) == "failed"
                        for item_id in left
                        for name in names
                    )
    return Job(
        judge,
        rubric,
        rubric_id,
        sheet,
        examples,
        identity,
        repeats,
        limit,
        retry_unscored,
        pending,
        cached,
        settled,
        failed,
        len(rows) - len(open_rows),
    )


def renewed(store: Store, job: Job) -> Job:
    """The same job as it stands now."""
    return prepare(
        store,
        job.judge,
        job.rubric_id,
        job.rubric,
        job.sheet,
        job.repeats,
        job.limit,
        job.retry_unscored,
    )


def estimate(store: Store, job: Job, prices: tuple[price.Price, ...] | None = None) -> Estimate:
    """How many calls, tokens and USD a job will take, before anything is asked."""
    grader = graders.find(store, "judge", f"{job.judge.name}@{job.fingerprint}")
    past = [Usage(*row) for row in runs.usages(store, grader.id)] if grader else []
    expected = price.expect(len(job.pending), _prompts(store, job), _output(job), past)
    today = datetime.date.fromisoformat(clock.today())
    model_price = price.price_of(prices or price.load(), job.judge, today)
    return Estimate(
        len(job.pending),
        len(job.cached),
        job.failed,
        job.settled,
        expected.input,
        expected.output,
        expected.from_usage,
        price.cost_band(expected, model_price),
        model_price,
    )


def grader_id(store: Store, job: Job) -> int:
    """The judge's id as a grader, made now where it is new."""
    return graders.ensure(
        store,
        "judge",
        job.judge.name,
        job.fingerprint,
        definition={"judge": json.loads(job.judge.body()), "rubric": job.rubric.name},
    )


def _closed(
    store: Store, judge: Judge, rubric: Rubric, sheet: Sheet, examples: tuple[Shot, ...]
) -> set[int]:
    """The questions that no figure will score, so that asking about them would be waste."""
    closed = roles.leaked(store, sheet.id)
    plan = judge.example_plan()
    shown = [origin(shot.item) for shot in examples]
    if plan is not None and plan.source == "rubric":
        shown += rubric_origins(rubric)
    if shown:
        closed |= {
            row["id"]
            for row in sheets.questions(store, sheet.id)
            if leaks(Origin(row["text_hash"], row["cluster"]), shown)
        }
    return closed


def _states(
    store: Store, sheet: Sheet, rubric: Rubric, judge_id: int
) -> dict[tuple[int, str, int], str]:
    """Status by (item, criterion, repeat) of what the judge has settled or failed on."""
    names = {version: name for name, version in rubric.versions().items()}
    return {
        (row["item_id"], names[row["version"]], row["repeat"]): row["status"]
        for row in grades.statuses(store, sheet.id, judge_id)
        if row["version"] in names
    }


def _is_settled(
    states: dict[tuple[int, str, int], str],
    item_id: int,
    criteria: list[str],
    repeat: int,
    retry_unscored: bool,
) -> bool:
    found = [states.get((item_id, name, repeat)) for name in criteria]
    if retry_unscored:
        return all(status == "scored" for status in found)
    return all(status not in (None, "failed") for status in found)


def _prompts(store: Store, job: Job) -> list[Band]:
    """The token bands of prompts that stand for all pending ones: evenly spaced tasks."""
    step = max(1, len(job.pending) // SAMPLED_PROMPTS)
    bands = []
    for task in job.pending[::step]:
        item = sheets.item(store, task.item_ids[0]).item
        body = request(job.judge, job.rubric, item, task.part, job.shots)
        bands.append(price.token_band(canonical_json(body)))
    return bands


def _output(job: Job) -> Band:
    per_call = max(len(c) for c in parts(job.judge, job.rubric).values())
    return Band(30 * per_call, REPLY_TOKENS_PER_CRITERION * per_call)
