"""Exchange: what goes to and fro between a judge and a model over one content.

Pure but for today's date, unless one is given: the request that a task sends, the verdicts in an
answer, and the reply and grades as they are stored.
"""

import datetime
from collections.abc import Callable, Sequence
from typing import Any

from data import clock
from data.grades import Press
from data.model import Item
from data.runs import Reply
from judges import price
from judges.answer import Answer
from judges.job import Job, Task
from judges.price import Price
from judges.prompt import parts
from judges.receipt import receipt
from judges.reply import Verdict, parse
from judges.request import requester, route
from rubrics.model import canonical_json
from words.said import said

TOO_LONG = Verdict("too_long", why=said("The prompt does not fit the model's context."))


class Exchange:
    """What is the same for every question of one run.

    Args:
        job: What the run does.
        grader_id: The judge as a grader.
        run_id: The run.
        prices: As loaded from prices.toml.
        batch_of: The day on which a provider got the questions as a batch, whose prices it then
            asks; None for live replies, each at its own day's price.
    """

    def __init__(
        self,
        job: Job,
        grader_id: int,
        run_id: int,
        prices: Sequence[Price],
        batch_of: datetime.date | None = None,
    ):
        self.job, self.grader_id, self.run_id = job, grader_id, run_id
        self._names = {
            part: [criterion.name for criterion in criteria]
            for part, criteria in parts(job.judge, job.rubric).items()
        }
        self._versions = job.rubric.versions()
        self._prices, self._batch_of, self._price_of = prices, batch_of, {}
        self._requests: dict[str, Callable[[Item], dict[str, Any]]] = {}

    def body(self, task: Task, item: Item) -> dict[str, Any] | None:
        """The request as it is sent, to the model that it fits; None where it fits none."""
        body = self._request(task.part)(item)
        model = route(self.job.judge, body)
        return None if model is None else body | {"model": model}

    def _request(self, part: str) -> Callable[[Item], dict[str, Any]]:
        """What makes the request of a part; made when it is first needed."""
        if part not in self._requests:
            job = self.job
            self._requests[part] = requester(job.judge, job.rubric, part, job.shots)
        return self._requests[part]

    def larger(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """The same request to the larger sibling; None where there is none, or it is that."""
        sibling = self.job.judge.larger
        if sibling is None or body["model"] == sibling.model:
            return None
        return body | {"model": sibling.model}

    def verdicts(self, task: Task, answer: Answer) -> dict[str, Verdict]:
        """By criterion; an answer that never became a completion has one status for all."""
        if answer.status:
            return self.all(task, Verdict(answer.status, why=answer.why))
        return parse(answer.completion, self._names[task.part], self.job.rubric.scale)

    def again(self, task: Task, raw: Any) -> dict[str, Verdict]:
        """The verdicts in a completion that was stored before."""
        return parse(raw, self._names[task.part], self.job.rubric.scale)

    def all(self, task: Task, verdict: Verdict) -> dict[str, Verdict]:
        """One verdict for every criterion of a task."""
        return dict.fromkeys(self._names[task.part], verdict)

    def presses(self, task: Task, verdicts: dict[str, Verdict]) -> list[Press]:
        """The grades of every item with this content; a score that is there already stays."""
        return [
            Press(
                item_id,
                self._versions[name],
                self.grader_id,
                verdict.status,
                verdict.score,
                verdict.reason or verdict.why,
                repeat=task.repeat,
                run_id=self.run_id,
            )
            for item_id in task.item_ids
            for name, verdict in verdicts.items()
            if (item_id, name, task.repeat) not in self.job.scored
        ]

    def reply(
        self,
        task: Task,
        attempt: int,
        body: dict[str, Any],
        answer: Answer,
        verdicts: dict[str, Verdict],
    ) -> Reply:
        """One answer as it is stored, with what it cost at the day's price."""
        unscored = [v.status for v in verdicts.values() if v.status != "scored"]
        return Reply(
            self.grader_id,
            task.item_ids[0],
            task.content_hash,
            task.part,
            task.repeat,
            attempt,
            canonical_json(body),
            answer.raw,
            unscored[0] if unscored else "scored",
            receipt(answer, self.price(body["model"])),
        )

    def price(self, model: str) -> Price | None:
        """The model's price on the day; None where it is unknown.

        Looked up once a day: a run may last over midnight.
        """
        key = model, self._batch_of or clock.today()
        if key not in self._price_of:
            found = price.price_of(self._prices, self.job.judge, key[1], model)
            self._price_of[key] = price.batched(found) if self._batch_of else found
        return self._price_of[key]
