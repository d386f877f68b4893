"""Requests and completions of a rubric judge for one content.

Pure except for today's date, unless one is given: the request of a task, the verdicts in an answer,
and the reply and grades as they are stored.
"""

import datetime
from collections.abc import Callable, Sequence, Set
from typing import Any, NamedTuple

from concord.definitions import canonical_json
from concord.judges.definition.judge_price import DayPrice
from concord.judges.definition.model import Judge, Shot
from concord.judges.prompting.prompt import parts
from concord.judges.prompting.reply import verdicts_of
from concord.judges.prompting.request import requester, route
from concord.judges.prompting.verdict import Verdict, finished
from concord.judges.running.run_loop import ATTEMPTS
from concord.judges.transport.response import Answer, receipt
from concord.messages import said
from concord.model import Item
from concord.rubrics.model import Rubric
from concord.store.grades import Press
from concord.store.runs import Reply


class Task(NamedTuple):
    """One question to the judge: a content, a part and a repeat, for every item that holds it."""

    content_hash: str
    part: str
    repeat: int
    item_ids: tuple[int, ...]


TOO_LONG = Verdict("too_long", why=said("The prompt does not fit the model's context."))


def settles(attempt: int, status: str, verdicts: dict[str, Verdict], larger: Any) -> bool:
    """Tell if a reply ends the attempts at a task; the first attempt is 1.

    `status` is that of a reply without a completion, else ''. `larger` is the request to the larger
    model, None without one.
    """
    # A failed request was already retried by the client, so another attempt here would multiply its
    # retries.
    if attempt >= ATTEMPTS or status == "failed":
        return True
    return larger is None if status == "too_long" else finished(verdicts)


class Exchange:
    """State shared by all requests of one run.

    `scored` are the (item, criterion, repeat) that have a score already, which stays. `batch_of` is
    the day a batch was submitted, whose prices apply; None for live replies, each at its own day's
    price.
    """

    def __init__(
        self,
        judge: Judge,
        shots: Sequence[Shot],
        rubric: Rubric,
        scored: Set[tuple[int, str, int]],
        grader_id: int,
        run_id: int,
        batch_of: datetime.date | None = None,
    ):
        self.judge, self.rubric, self._shots, self._scored = judge, rubric, shots, scored
        self.grader_id, self.run_id = grader_id, run_id
        self._names = {
            part: [criterion.name for criterion in criteria]
            for part, criteria in parts(judge, rubric).items()
        }
        self._versions = rubric.versions()
        self.price = DayPrice(judge, batch_of).of
        self._requests: dict[str, Callable[[Item], dict[str, Any]]] = {}

    def body(self, task: Task, item: Item) -> dict[str, Any] | None:
        """The request, to the model that it fits; None if it fits none."""
        body = self._request(task.part)(item)
        model = route(self.judge, body)
        return None if model is None else body | {"model": model}

    def _request(self, part: str) -> Callable[[Item], dict[str, Any]]:
        """The function that builds the request of a part; made when first needed."""
        if part not in self._requests:
            of = self.judge, self.rubric, part, self._shots
            self._requests[part] = requester(*of)
        return self._requests[part]

    def verdicts(self, task: Task, answer: Answer) -> dict[str, Verdict]:
        """Verdicts by criterion; an answer without a completion has one status for all."""
        if answer.status:
            return self.all(task, Verdict(answer.status, why=answer.why))
        # A chat completion is decoded already; a decision has to be read as it came.
        reply = answer.raw if self.judge.kind == "decision" else answer.completion
        return verdicts_of(self.judge, reply, self._names[task.part], self.rubric.scale)

    def again(self, task: Task, raw: str) -> dict[str, Verdict]:
        """Verdicts in a stored reply."""
        return verdicts_of(self.judge, raw, self._names[task.part], self.rubric.scale)

    def all(self, task: Task, verdict: Verdict) -> dict[str, Verdict]:
        """One verdict for every criterion of a task."""
        return dict.fromkeys(self._names[task.part], verdict)

    def presses(self, task: Task, verdicts: dict[str, Verdict]) -> list[Press]:
        """Grades of every item with this content; a score that is stored already stays."""
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
                distribution=verdict.distribution,
            )
            for item_id in task.item_ids
            for name, verdict in verdicts.items()
            # A score on disk is never replaced by a later reply, also where only another criterion
            # was missing.
            if (item_id, name, task.repeat) not in self._scored
        ]

    def reply(
        self,
        task: Task,
        attempt: int,
        body: dict[str, Any],
        answer: Answer,
        verdicts: dict[str, Verdict],
    ) -> Reply:
        """One answer as it is stored, with its cost at the day's price."""
        unscored = [one.reply_status for one in verdicts.values() if one.reply_status != "scored"]
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
