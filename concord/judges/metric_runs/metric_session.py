"""Sessions of metrics with a model: one item each, every reply kept.

What is on disk is never asked again, and what is being asked already (by another metric, item or
repeat) is awaited. A reply is on disk before the next request is sent.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from concord.definitions import canonical_json, digest
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import embedding, metric_request
from concord.judges.metric_runs.shared_run import Halted, JudgeConnection, SharedRun
from concord.judges.metric_runs.stored_session import StoredResults
from concord.judges.metric_runs.undefined import Undefined
from concord.judges.prompting.request import route, to_larger
from concord.judges.transport.response import Answer
from concord.model import Cell, Unit, Verdict
from concord.rubrics.model import Rubric
from concord.store import vectors
from concord.store.items import Stored
from concord.store.runs import Reply

TOO_LONG = Undefined("too_long", "The request does not fit the model's context.")


class RequestingSession(StoredResults):
    """A session for one item and one repeat that requests what is not stored."""

    def __init__(self, run: SharedRun, stored: Stored, repeat: int):
        super().__init__(run.reader, stored.id, run.grader_id, repeat, run.identity)
        self._run, self._content_hash = run, stored.content_hash
        self._gave_up: dict[str, Undefined] = {}

    async def ask(self, ask: Any) -> Any:
        """Return the parsed reply, stored or requested now; Undefined without a good one."""
        part = metric_request.part(ask)
        raw = self.reply(part)
        if raw is None:
            raw = await self._once(part, lambda: self._chat(part, ask))
        return metric_request.read(json.loads(raw), ask)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """One vector per text, stored or asked for now."""
        if self._run.embedding is None:
            raise embedding.no_model()
        if not all(text.strip() for text in texts):
            raise Undefined("not_applicable", "An empty text has no embedding.")
        known = self.vectors(texts)
        missing = {text: (vectors.key(text), 0) for text in texts if text not in known}
        others = [self._run.waiting[k] for k in missing.values() if k in self._run.waiting]
        mine = {text: k for text, k in missing.items() if k not in self._run.waiting}
        if mine:
            await self._run.promised([*mine.values()], lambda: self._embed([*mine]))
        for other in others:
            # Shielded: cancelling this session must not cancel another's request.
            await asyncio.shield(other)
        return await super().embed(texts)

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Store a decomposition; if another session was faster, return and use its units."""
        maker = None if by_rule else self.grader_id
        kept = await self._run.keep_units(self.item_id, kind, cells, maker)
        self.lists[kind] = kept.id
        return kept.units

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, Verdict]) -> None:
        """Store verdicts on units as grades under the unit rubric."""
        await self._run.keep_verdicts(rubric, self.grades(rubric, verdicts, self._run.id))

    async def _once(self, part: str, ask: Callable[[], Awaitable[str]]) -> str:
        """Ask, but not again where this item's metrics have had no luck with the same."""
        if part in self._gave_up:
            raise self._gave_up[part]
        try:
            return await self._run.once(part, self.repeat, ask)
        except Undefined as error:
            self._gave_up[part] = error
            raise

    async def _chat(self, part: str, ask: Any) -> str:
        """The raw reply to an ask, from the model that it fits."""
        line = self._run.chat
        body = metric_request.body(line.judge, ask)
        model = route(line.judge, body)
        if model is None:
            raise TOO_LONG

        def read(completion: Any) -> Any:
            return metric_request.read(completion, ask)

        return await self._until_good(line, part, body | {"model": model}, read)

    async def _embed(self, texts: Sequence[str]) -> None:
        """Ask for the vectors of some texts; they are stored with the reply."""
        line = self._run.embedding
        body = embedding.body(line.judge, texts)
        length = vectors.length(self.store, self.embedding)

        def read(reply: Any) -> Any:
            return embedding.read(reply, len(texts), length)

        await self._until_good(line, digest([self.embedding, body]), body, read)

    async def _until_good(
        self, line: JudgeConnection, part: str, body: dict[str, Any], read: Callable[[Any], Any]
    ) -> str:
        """Ask until the reply is usable, at most ATTEMPTS times; every reply goes to the disk.

        A metric holds its worker while it sends several requests, so it cannot wait for room in
        the budget: without room it ends the run.
        """
        run, result, raw = self._run, None, ""

        async def take(attempt: int, body: dict[str, Any], answer: Answer) -> dict | None:
            nonlocal result, raw
            result, raw = _read(answer, read), answer.raw
            await self._land(line, part, attempt, body, answer, result)
            rejected = answer.is_turned_away
            run.note_status(result.status, result.why, rejected, self._content_hash)
            done = result.status == "scored"
            return None if done else _next_body(line.judge, body, result.status)

        if not (run.may_retry() and await run.ask(line.send, body, take)):
            if run.is_open():
                run.stop_over_budget()
            raise Halted
        if result.status != "scored":
            raise Undefined(result.status, result.why)
        return raw

    async def _land(
        self,
        line: JudgeConnection,
        part: str,
        attempt: int,
        body: dict,
        answer: Answer,
        result: "_Result",
    ) -> None:
        """Put a reply on disk; vectors have a table of their own, and come together with it."""
        run, is_chat = self._run, line is self._run.chat
        reply = Reply(
            self.grader_id,
            self.item_id,
            self._content_hash,
            part,
            self.repeat,
            attempt,
            canonical_json(body),
            answer.raw if is_chat else embedding.without_vectors(answer),
            result.status,
            run.receipt(line.judge, answer, body["model"]),
        )
        embedded = {} if is_chat else dict(zip(body["input"], result.value or (), strict=False))
        run.counts.note_reply(reply.status, reply.receipt)
        await run.land([reply], [], vectors={(self.embedding, k): v for k, v in embedded.items()})


class _Result(NamedTuple):
    """Result of a request; `scored` for a usable reply, with its contents."""

    status: str
    why: str = ""
    value: Any = None


def _read(answer: Answer, read: Callable[[Any], Any]) -> _Result:
    if answer.status:
        return _Result(answer.status, answer.why)
    try:
        return _Result("scored", value=read(answer.completion))
    except Undefined as error:
        return _Result(error.status, error.reason)


def _next_body(judge: Judge, body: dict[str, Any], status: str) -> dict[str, Any] | None:
    """The request as it is asked again, to a larger model or with twice the room; None for not."""
    if status in ("failed", "refused"):
        return None
    if status == "too_long":
        return to_larger(judge, body)
    room = judge.endpoint.max_tokens_field
    return body | {room: 2 * body[room]} if status == "truncated" and room in body else body
