"""Asking: requests beside the judgements from the estimate to the end of their run.

What the verbs `build` and `answer` share: whose model is asked, what it will cost, the question
about money, and how it ended.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from data import asked, clock, runs
from data.store import Store
from judges import ask, launch, price, roster
from judges.ask import Asker
from judges.course import Ended
from judges.estimate import Estimate
from judges.model import Judge
from judges.place import is_running
from judges.price import Band, Usage
from judges.progress import Counts, usd
from judges.session import check_budget
from problems import Problem
from words.said import said


@dataclass(frozen=True)
class Options:
    """What the user said about a run; the options of the verbs `build` and `answer`."""

    base_url: str | None = None
    concurrency: int = ask.CONCURRENCY
    budget: float | None = None
    only_estimate: bool = False
    yes: bool = False
    again: bool = False


class Work(NamedTuple):
    """What a model is to be asked.

    `keys` are what to ask about; a reply takes about `output` tokens; `scope` is kept with the run.
    """

    asker: Asker
    keys: Sequence[Any]
    output: Band
    scope: dict[str, Any]


class Outcome(NamedTuple):
    """How one model's run ended; `status` is estimated, declined, running, stopped or done."""

    model: str
    status: str
    said: str
    estimate: dict
    counts: dict
    missing: list[dict]

    @property
    def failed(self) -> bool:
        """Whether something got no reply at all."""
        return self.counts.get("statuses", {}).get("failed", 0) > 0

    @property
    def asked(self) -> bool:
        """Whether what came back may be used: it was neither only estimated nor declined."""
        return self.status in ("done", "stopped")

    def sentence(self) -> str:
        """The outcome in words."""
        return f"{self.model}: {self.said}"


def models(
    store: Store, names: Sequence[str], models: Sequence[str], base_url: str | None
) -> list[Judge]:
    """The judges whose model, settings and endpoint are used: each file, under each model named."""
    found = []
    for name in names:
        judge = roster.named(store, name)
        if judge.model is None:
            raise Problem(said("{judge} asks no model. Name a judge that does.", judge=judge.name))
        found += [judge.with_overrides(model, base_url) for model in models or [None]]
    return found


def carry_out(
    store: Store,
    work: Work,
    options: Options,
    confirm: Callable[[str], bool],
    progress: Callable[[str], None] = lambda sentence: None,
) -> Outcome:
    """Estimate, ask about money, ask; free runs never ask about money.

    Args:
        store: The open store.
        work: Who is asked, and for what.
        options: As the user said.
        confirm: Asks a person about money.
        progress: Is told how far it is.
    """
    asker = work.asker
    expected = estimate(store, work, options.again)
    check_budget(options.budget, expected)
    retired = asker.judge.retirement(clock.today())
    said = f"{retired} {expected.sentence()}" if retired else expected.sentence()
    if options.only_estimate:
        return _outcome(store, work, "estimated", said, expected, Counts())
    if not (options.yes or expected.is_free()) and not confirm(f"{asker.judge.model}: {said}"):
        return _outcome(store, work, "declined", "Nothing was asked.", expected, Counts())
    if options.budget is not None and is_running(store, asker.place()):
        runs.set_budget(store, asker.place().newest(store)["id"], options.budget)
        said = f"It is at work; its budget is now {usd(options.budget)}."
        return _outcome(store, work, "running", said, expected, Counts())
    ended = _run(store, work, expected, options, progress)
    stopped = f"Stopped. {ended.why} " if ended.status == "stopped" else ""
    told = f"{stopped}{in_words(ended.counts)}."
    return _outcome(store, work, ended.status, told, expected, ended.counts)


def _run(
    store: Store,
    work: Work,
    expected: Estimate,
    options: Options,
    progress: Callable[[str], None],
) -> Ended:
    from judges.client import Client  # the openai package takes half a second to import

    judge = work.asker.judge
    return ask.run(
        store,
        work.asker,
        work.keys,
        lambda: Client(judge),
        expected,
        work.scope,
        options.budget,
        options.concurrency,
        options.again,
        lambda counts: progress(f"{judge.model}: {in_words(counts)}"),
    )


class AskEstimate(Estimate):
    """What requests that grade nothing will take: one that got a reply of use is done."""

    def known(self, cached: str) -> str:
        """How many need no asking, in words."""
        return said("{n:,} done", n=self.settled + self.cached)


def estimate(store: Store, work: Work, again: bool = False) -> AskEstimate:
    """How many calls, tokens and USD it will take."""
    asker = work.asker
    todo = ask.left(store, asker, work.keys, again)
    past = [Usage(*row) for row in asked.usages(store, asker.identity)]
    calls = len(todo.pending)
    expected = price.expect(calls, ask.bands(asker, todo.pending), work.output, past)
    found = price.price_of(price.load(), asker.judge, clock.today())
    return AskEstimate(
        calls=calls,
        cached=len(todo.good),
        failed=todo.failed,
        settled=len(todo.settled),
        tokens_in=expected.input,
        tokens_out=expected.output,
        from_usage=expected.from_usage,
        cost=price.cost_band(expected, found),
        price=found,
        new=calls - todo.failed,
    )


VERBS = {"drafts": "build", "answers": "answer"}


def command(db: str, sheet_name: str, argument: str, work: Work, options: Options) -> list[str]:
    """The command line that does the same; `argument` is what the verb calls the judge."""
    judge = work.asker.judge
    given = {
        "sheet": sheet_name,
        "model": judge.model,
        "base-url": options.base_url,
        "questions": work.scope.get("questions"),
        "concurrency": options.concurrency,
        "budget": options.budget,
    }
    flags = ["again", "yes"] if options.again else ["yes"]
    verb = VERBS[work.asker.purpose]
    if verb == "build":
        return launch.command(db, verb, {**given, "judge": launch.argument(argument)}, flags)
    return launch.command(db, verb, given, flags, launch.argument(argument))


def in_words(counts: Counts) -> str:
    """How far a run is."""
    unusable = {s: n for s, n in counts.statuses.items() if s != asked.GOOD}
    trouble = "".join(f", {n:,} {status}" for status, n in sorted(unusable.items()))
    return (
        f"{counts.done:,} of {counts.total:,} asked ({counts.calls:,} calls; {counts.before:,} "
        f"stored before){trouble}; {counts.tokens_in:,} tokens in, {counts.tokens_out:,} out, "
        f"{counts.money()}"
    )


def _outcome(
    store: Store, work: Work, status: str, said: str, expected: Estimate, counts: Counts
) -> Outcome:
    asker = work.asker
    missing = [
        {"key": key, "status": found.status, "why": found.why}
        for key, found in ask.left(store, asker, work.keys).settled
    ]
    return Outcome(asker.judge.model, status, said, expected.as_json(), counts.as_dict(), missing)
