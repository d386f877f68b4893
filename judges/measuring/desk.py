"""Asking: the desk at which a model is asked about one item, and every reply kept.

What is on disk is never asked again, and what is being asked already is waited for: by another
measure, another item or another repeat. A reply is on disk before the next request is made.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from data import clock, rubric_versions, units, vectors
from data.contents import Stored
from data.grades import Press
from data.model import Cell, Unit, Verdict
from data.runs import Reply
from data.store import Store
from judges import price
from judges.answer import Answer
from judges.course import ATTEMPTS, Course
from judges.measuring import embedding, question
from judges.measuring.known import Known, version
from judges.measuring.unmeasured import Unmeasured
from judges.model import Judge
from judges.price import Price
from judges.receipt import receipt
from judges.request import route
from judges.writer import Landed, Writer, commit
from rubrics.model import Rubric, canonical_json, digest
from words.said import said

TOO_LONG = Unmeasured("too_long", said("The request does not fit the model's context."))


class Halted(Exception):
    """The run ends before the measure is found; what is open stays open."""


class Line(NamedTuple):
    """One connection: whose it is, and how it is asked; `read` raises Unmeasured."""

    judge: Judge
    send: Callable[[dict[str, Any]], Awaitable[Answer]]


@dataclass
class Room:
    """What all desks of one run share.

    `chat` and `embedding` are None where nobody is asked so. `waiting` holds what is being asked,
    by part and repeat, or by text and 0, `rubrics` the names of the unit rubrics in the store.
    """

    course: Course
    disk: Writer
    reader: Store
    run_id: int
    grader_id: int
    prices: Sequence[Price]
    chat: Line | None = None
    embedding: Line | None = None
    identity: str = ""
    waiting: dict[tuple[str, int], asyncio.Future] = field(default_factory=dict)
    rubrics: set[str] = field(default_factory=set)

    async def land(self, replies: list, presses: list, **more: Any) -> None:
        """Put something on disk; there when this returns."""
        await self.disk.land(self.run_id, Landed(replies, presses, **more))

    async def once(self, part: str, repeat: int, ask: Callable[[], Awaitable[Any]]) -> Any:
        """What `ask` gives; where the same is being asked already, what that gives."""
        key = part, repeat
        if key in self.waiting:
            return await asyncio.shield(self.waiting[key])
        return await self.promised([key], ask)

    async def promised(
        self, keys: Sequence[tuple[str, int]], ask: Callable[[], Awaitable[Any]]
    ) -> Any:
        """What `ask` gives, for which others can wait by these keys until it is there."""
        future = asyncio.get_running_loop().create_future()
        self.waiting.update(dict.fromkeys(keys, future))
        try:
            future.set_result(await ask())
        except BaseException as error:
            if isinstance(error, Exception):
                future.set_exception(error)
                future.exception()  # whether or not anybody waits for it
            else:
                future.cancel()
            raise
        finally:
            for key in keys:
                del self.waiting[key]
        return future.result()


class Asking(Known):
    """A desk for one item and one repeat, where a model is asked for what is not known."""

    def __init__(self, room: Room, stored: Stored, repeat: int):
        super().__init__(room.reader, stored.id, room.grader_id, repeat, room.identity)
        self._room, self._content_hash = room, stored.content_hash
        self._gave_up: dict[str, Unmeasured] = {}

    async def ask(self, ask: Any) -> Any:
        """What a good reply says, stored or asked for now; Unmeasured where none comes."""
        part = question.part(ask)
        raw = self.reply(part)
        if raw is None:
            raw = await self._once(part, lambda: self._chat(part, ask))
        return question.read(json.loads(raw), ask)

    async def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """One vector per text, stored or asked for now."""
        if self._room.embedding is None:
            raise Unmeasured("missing_input", said("There is no embedding model."))
        if not all(text.strip() for text in texts):
            raise Unmeasured("not_applicable", said("An empty text has no embedding."))
        known = self.vectors(texts)
        missing = {text: (vectors.key(text), 0) for text in texts if text not in known}
        others = [self._room.waiting[k] for k in missing.values() if k in self._room.waiting]
        mine = {text: k for text, k in missing.items() if k not in self._room.waiting}
        if mine:
            await self._room.promised([*mine.values()], lambda: self._embed([*mine]))
        for other in others:
            await asyncio.shield(other)
        return await super().embed(texts)

    async def keep_units(self, kind: str, cells: Sequence[Cell], by_rule: bool) -> Sequence[Unit]:
        """Store a decomposition; where somebody was faster, theirs is returned and counts."""
        maker = None if by_rule else self.grader_id
        of = self._room.run_id, self.item_id, kind, cells, maker
        kept = await self._room.disk.do(_units_kept, *of)
        self.lists[kind] = kept.id
        return kept.units

    async def keep_verdicts(self, rubric: Rubric, verdicts: Mapping[int, Verdict]) -> None:
        """Store verdicts on units as grades under the unit rubric."""
        if rubric.name not in self._room.rubrics:
            await self._room.disk.do(rubric_versions.register, rubric, "preset")
            self._room.rubrics.add(rubric.name)
        labels = {level.score: level.label for level in rubric.criteria[0].levels}
        presses = [
            Press(
                self.item_id,
                version(rubric),
                self.grader_id,
                score=verdict.score,
                reason=verdict.reason,
                repeat=self.repeat,
                unit_id=unit_id,
                label=labels[verdict.score],
                run_id=self._room.run_id,
                quote=verdict.quote,
            )
            for unit_id, verdict in verdicts.items()
        ]
        await self._room.land([], presses)

    async def _once(self, part: str, ask: Callable[[], Awaitable[str]]) -> str:
        """Ask, but not again where this item's measures have had no luck with the same."""
        if part in self._gave_up:
            raise self._gave_up[part]
        try:
            return await self._room.once(part, self.repeat, ask)
        except Unmeasured as error:
            self._gave_up[part] = error
            raise

    async def _chat(self, part: str, ask: Any) -> str:
        """The raw reply to an ask, from the model that it fits."""
        line = self._room.chat
        body = question.body(line.judge, ask)
        model = route(line.judge, body)
        if model is None:
            raise TOO_LONG

        def read(completion: Any) -> Any:
            return question.read(completion, ask)

        return await self._until_good(line, part, body | {"model": model}, read)

    async def _embed(self, texts: Sequence[str]) -> None:
        """Ask for the vectors of some texts; they are stored with the reply."""
        line = self._room.embedding
        body = embedding.body(line.judge, texts)
        length = vectors.length(self.store, self.embedding)

        def read(reply: Any) -> Any:
            return embedding.read(reply, len(texts), length)

        await self._until_good(line, digest([self.embedding, body]), body, read)

    async def _until_good(
        self, line: Line, part: str, body: dict[str, Any], read: Callable[[Any], Any]
    ) -> str:
        """Ask until the reply can be read, at most ATTEMPTS times; every reply goes to the disk."""
        course = self._room.course
        for attempt in range(1, ATTEMPTS + 1):
            if not course.asks_again():
                if course.goes_on():  # a measure cannot wait for room, so it ends the run
                    course.end_spent()
                raise Halted
            answer = await line.send(body)
            fared = _fared(answer, read)
            await self._land(line, part, attempt, body, answer, fared)
            turned_away = answer.is_turned_away
            course.came(fared.status, fared.why, turned_away, self._content_hash)
            if fared.status == "scored":
                return answer.raw
            body = _changed(line.judge, body, fared.status)
            if body is None:
                break
        raise Unmeasured(fared.status, fared.why)

    async def _land(
        self, line: Line, part: str, attempt: int, body: dict, answer: Answer, fared: "_Fared"
    ) -> None:
        """Put a reply on disk; vectors have a table of their own, and come together with it."""
        room, is_chat = self._room, line is self._room.chat
        found = price.price_of(room.prices, line.judge, clock.today(), body["model"])
        reply = Reply(
            self.grader_id,
            self.item_id,
            self._content_hash,
            part,
            self.repeat,
            attempt,
            canonical_json(body),
            answer.raw if is_chat else embedding.without_vectors(answer),
            fared.status,
            receipt(answer, found),
        )
        embedded = {} if is_chat else dict(zip(body["input"], fared.value or (), strict=False))
        room.course.counts.note_reply(reply)
        await room.land([reply], [], vectors={(self.embedding, k): v for k, v in embedded.items()})


def _units_kept(store: Store, run_id: int, *of: Any) -> units.Decomposition:
    """Store a decomposition; a Problem where the run is gone with its sheet."""
    with store.write():
        commit(store, run_id, [Landed([], [])])
        return units.keep(store, *of)


class _Fared(NamedTuple):
    """What became of a request; `scored` where the reply can be taken, with what it says."""

    status: str
    why: str = ""
    value: Any = None


def _fared(answer: Answer, read: Callable[[Any], Any]) -> _Fared:
    if answer.status:
        return _Fared(answer.status, answer.why)
    try:
        return _Fared("scored", value=read(answer.completion))
    except Unmeasured as error:
        return _Fared(error.status, error.reason)


def _changed(judge: Judge, body: dict[str, Any], status: str) -> dict[str, Any] | None:
    """The request as it is asked again, to a larger model or with twice the room; None for not."""
    if status in ("failed", "refused"):
        return None
    if status == "too_long":
        fits = judge.larger and judge.larger.model != body["model"]
        return body | {"model": judge.larger.model} if fits else None
    room = judge.endpoint.max_tokens_field
    return body | {room: 2 * body[room]} if status == "truncated" and room in body else body
