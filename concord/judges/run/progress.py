"""Progress of a run: how far it is, its cost and its failures, in numbers and in words."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal
from typing import Any

from concord.messages import said
from concord.model import status_words
from concord.store.runs import Receipt

KINDS_OF_TROUBLE = 5
MOST_REASONS = 100
# The statuses of what a run is for: a score or a metric value, a draft or an answer.
USABLE = ("scored", "good")


@dataclass
class Counts:
    """Progress of a run.

    `total` and `done` count the tasks of this run, `before` those settled by earlier runs; `cached`
    those answered from the cache and `calls` the replies. `statuses` counts grades. `cost` is USD,
    `unpriced` counts the replies of unknown price, `lost` the calls without a reply. `seconds` is
    the time since the first request. `troubles` counts reasons for missing grades, as (status,
    reason).
    """

    total: int = 0
    done: int = 0
    cached: int = 0
    calls: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    cost: float = 0.0
    unpriced: int = 0
    lost: int = 0
    before: int = 0
    seconds: float = 0.0
    troubles: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note_reply(self, status: str, took: Receipt) -> None:
        """Count a reply with its tokens and cost; a cost that is not known is counted as such."""
        self.calls += 1
        self.tokens_in += took.tokens_in or 0
        self.tokens_out += took.tokens_out or 0
        self.tokens_cached += took.tokens_cached or 0
        self.cost += took.cost or 0.0
        self.lost += status == "failed"
        self.unpriced += took.cost is None and status != "failed"

    def note_done(self, results: Iterable[Any]) -> None:
        """Count a task as done; each of its results has a `status` and a reason, `why`.

        Beyond MOST_REASONS reasons only the status counts.
        """
        self.done += 1
        for one in results:
            self.statuses[one.status] += 1
            if one.status not in USABLE:
                known = (one.status, one.why) in self.troubles or len(self.troubles) < MOST_REASONS
                self.troubles[one.status, one.why if known else "Other reasons."] += 1

    def add(self, other: "Counts") -> None:
        """Add the counts of another run."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    def as_dict(self) -> dict[str, Any]:
        """The counts as `--json` has them, and as they are stored with the run."""
        common = self.troubles.most_common(KINDS_OF_TROUBLE)
        troubles = [[status, why, n] for (status, why), n in common]
        return asdict(self) | {"statuses": dict(self.statuses), "troubles": troubles}

    def pace(self) -> tuple[float, float] | None:
        """Tasks done by requests per second, and the seconds left; None before there is one."""
        rate = self.seconds and (self.done - self.cached) / self.seconds
        return (rate, (self.total - self.done) / rate) if rate > 0 else None

    def share(self) -> float:
        """Return the share done, earlier runs included, from 0 to 1; 1 where there was no work."""
        whole = self.before + self.total
        return min(1.0, (self.before + self.done) / whole) if whole else 1.0

    def is_fruitless(self) -> bool:
        """True where requests were sent and not one had a usable reply."""
        used = any(self.statuses[one] for one in USABLE)
        return self.calls > 0 and bool(+self.statuses) and not used

    def so_far(self) -> str:
        """Return how much is done, earlier runs included, in words."""
        return f"{self.before + self.done:,} of {self.before + self.total:,}"

    def sentence(self) -> str:
        """How far it is; `reports.workflow.runs` has the rest."""
        if not (self.total or self.calls or self.cost):
            return "No requests were left"
        return f"{self.done:,} of {self.total:,} done, {self.money()}"

    def money(self) -> str:
        """Return the cost, in words; an unknown cost is not 0."""
        if not self.unpriced:
            return usd(self.cost)
        return said("{usd} and more", usd=usd(self.cost)) if self.cost else "cost unknown"

    def outcome(self) -> str:
        """Return sentences on the progress and why grades are missing, most frequent first."""
        lines = [self.sentence(), *self.trouble_lines()]
        return " ".join(f"{one.rstrip('.')}." for one in lines)

    def trouble_lines(self) -> list[str]:
        """Return the reasons for missing grades, most frequent first, each in words."""
        return [
            said("{status}, {n:,}: {why}", status=status_words(status), n=n, why=why)
            for (status, why), n in self.troubles.most_common(KINDS_OF_TROUBLE)
        ]


def read(row: dict[str, Any]) -> Counts:
    """Counts from what `as_dict` gave; what is not there is 0."""
    troubles = Counter({(status, why): n for status, why, n in row.get("troubles", [])})
    return Counts(**row | {"statuses": Counter(row.get("statuses", {})), "troubles": troubles})


def tokens(taken: int, written: int) -> str:
    """Return the number of prompt and completion tokens, in words."""
    return said("{taken:,} tokens in, {written:,} out", taken=taken, written=written)


def usd(amount: float) -> str:
    """An amount of money; below ten cents with the digits that matter."""
    if amount == 0 or amount >= 0.1:
        return f"${amount:,.2f}"
    return f"${Decimal(f'{amount:.2g}'):f}"
