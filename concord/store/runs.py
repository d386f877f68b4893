"""Runs and replies: one judge going over items, and every raw answer a model gave.

A reply to a request other than a judgement (`AskedReply`) is kept as well, so that nothing is paid
twice. Such a request is identified by its `digest`: the hash of the requester (purpose, endpoint,
headers and model) and of the whole request.
"""

import json
import os
from collections.abc import Collection, Iterable
from typing import NamedTuple

from concord.clock import now
from concord.store import grades
from concord.store.database import REQUESTS, Row, Store, marks
from concord.store.grades import Press

# The signed-in annotator for whom the app started this process.
STARTED_BY = "CONCORD_STARTED_BY"
OVER_THE_SHEET = "(json_extract(scope, '$.purpose') is null or status = 'running')"


# A request for vectors, which another model answers than the judge's, begins like this. So does
# one for decisions, which asks questions; inside a text their key would be escaped.
_OF_THE_JUDGE = "(substr(request, 1, 9) <> '{\"input\":' or instr(request, '\"questions\":') > 0)"
_GOOD = ("scored",)
_FAILED = ("failed", "refused", "unparsable", "truncated", "too_long")
# A judge, and the judges that send the same requests and read another score from the replies.
_SAME_REQUESTS = f"""(select g.id from graders g, graders one where one.id = :grader
    and (g.id = one.id or {REQUESTS.format("g")} = {REQUESTS.format("one")}))"""


class Receipt(NamedTuple):
    """Usage of one reply: token counts, `cost` in USD (None: unknown), `latency` in seconds.

    `price` is JSON, USD per million tokens as applied; model and fingerprint are those the server
    reported.
    """

    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    price: str | None = None
    price_date: str | None = None
    cost: float | None = None
    latency: float | None = None
    model: str | None = None
    system_fingerprint: str | None = None


class Reply(NamedTuple):
    """One raw model response on its way to the disk, with what it took.

    `part` is the criterion, or 'joint' where one call grades all of them.
    """

    grader_id: int
    item_id: int
    content_hash: str
    part: str
    repeat: int
    attempt: int
    request: str
    raw: str
    status: str
    receipt: Receipt = Receipt()


def start(
    store: Store,
    scope: dict,
    examples: list[int],
    estimate: dict,
    budget: float | None,
    **of: object,
) -> int:
    """Record the start of a run by this process; returns its id.

    `of` are the columns that say whose run it is, over what and by which rubric; the `scope` of
    one that grades nothing names under `purpose` what it is for.
    """
    with store.write():
        run_id = store.insert(
            "runs",
            **of,
            scope=json.dumps(scope),
            examples=json.dumps(examples),
            estimate=json.dumps(estimate),
            budget=budget,
            status="running",
            pid=os.getpid(),
            started_at=now(),
            heartbeat_at=now(),
        )
        # A process started from the app has full access and no member of its own (`launch`).
        by = os.environ.get(STARTED_BY)
        if by and not store.who:
            of = {"who": by, "what": "insert", "table_name": "runs"}
            store.insert("changes", **of, row_id=run_id, at=now())
        return run_id


def of_computed(store: Store, presses: Iterable[Press], number: int, **of: object) -> None:
    """Store grades that took no request as one run over so many answers; `of` as for `start`."""
    run_id = start(store, {}, [], {"calls": 0}, None, **of)
    own = {"grader_id": of["grader_id"], "run_id": run_id}
    grades.record(store, [press._replace(**own) for press in presses])
    finish(store, run_id, "done", "", {"total": number, "done": number, "cost": 0.0})


def heartbeat(store: Store, run_id: int, counts: dict) -> bool:
    """Note progress for display; returns whether someone asked the run to stop."""
    with store.write():
        store.execute(
            "update runs set heartbeat_at = ?, counts = ? where id = ?",
            (now(), json.dumps(counts), run_id),
        )
        return store.has("select stop_requested from runs where id = ?", (run_id,))


def finish(store: Store, run_id: int, status: str, message: str, counts: dict) -> None:
    """Note how a run ended: 'done', 'stopped' or 'failed', with one sentence where it matters."""
    with store.write():
        store.execute(
            """update runs set status = ?, message = ?, counts = ?, finished_at = ?,
            heartbeat_at = ? where id = ?""",
            (status, message, json.dumps(counts), now(), now(), run_id),
        )


def request_stop(store: Store, run_id: int) -> None:
    """Ask a run to stop; it does so after the requests in flight."""
    with store.write():
        store.execute("update runs set stop_requested = 1 where id = ?", (run_id,))


def interrupt(store: Store, message: str, **of: object) -> None:
    """Mark runs whose process died as stopped, so that other runs do not wait for them.

    `of` are the columns that identify them, such as sheet_id and grader_id.
    """
    with store.write():
        store.execute(
            f"""update runs set status = 'stopped', message = :message, finished_at = :now
            where status = 'running' and {_where(of)}""",
            {"message": message, "now": now(), **of},
        )


def newest(store: Store, **of: object) -> Row | None:
    """The newest run of those that the columns `of` tell from others."""
    return store.row(f"select * from runs where {_where(of)} order by id desc limit 1", of)


def newest_of_sheet(store: Store, sheet_name: str, purpose: str) -> list[Row]:
    """The newest run of every asker for a sheet that is being built, in the order they began."""
    return store.rows(
        """select * from runs where id in (select max(id) from runs where sheet_name = ?
        and json_extract(scope, '$.purpose') = ? group by asker) order by id""",
        (sheet_name, purpose),
    )


def exists(store: Store, run_id: int) -> bool:
    """True where the run exists; it is deleted with its sheet."""
    return store.has("select 1 from runs where id = ?", (run_id,))


def of_sheet(store: Store, sheet_id: int) -> list[Row]:
    """The runs over a sheet with their judge, newest first."""
    return store.rows(
        """select r.*, g.name, g.fingerprint from runs r join graders g on g.id = r.grader_id
        where sheet_id = ? order by r.id desc""",
        (sheet_id,),
    )


def shown(store: Store, sheet_id: int, grader_id: int) -> Row | None:
    """Return the run that represents a judge on a sheet; a partial rerun does not."""
    return store.row(
        f"""select * from runs where sheet_id = ? and grader_id = ?
        and {OVER_THE_SHEET} order by id desc limit 1""",
        (sheet_id, grader_id),
    )


def unfinished(store: Store) -> list[Row]:
    """The runs of judges, over any sheet, that have not ended or whose process died unseen."""
    return store.rows(
        "select * from runs where status = 'running' and grader_id is not null order by id"
    )


def of_purpose(store: Store, sheet_id: int, grader_id: int, purpose: str) -> list[Row]:
    """The runs of a judge over a sheet that were for this purpose, newest first."""
    return store.rows(
        """select * from runs where sheet_id = ? and grader_id = ?
        and json_extract(scope, '$.purpose') = ? order by id desc""",
        (sheet_id, grader_id, purpose),
    )


def scope(run: Row) -> dict:
    """Return the scope of a run."""
    return json.loads(run["scope"])


def keep(store: Store, table: str, replies: Iterable[tuple], **more: object) -> None:
    """Put replies into `replies` or `asked`; a second good one to the same request is not kept.

    Inside `write()`. Each reply is a named tuple whose last field is its receipt; `more` are
    columns that all of them share.
    """
    given, moment = list(replies), now()
    if not given:
        return
    columns = (*more, *given[0]._fields[:-1], *Receipt._fields, "created_at")
    store.execute_many(
        f"insert into {table} ({', '.join(columns)}) values ({marks(columns)})"
        # A safety net under the locks: a second good reply must not undo the transaction.
        " on conflict do nothing",
        ((*more.values(), *reply[:-1], *reply[-1], moment) for reply in given),
    )


def add_replies(store: Store, run_id: int, replies: list[Reply]) -> None:
    """Put replies on disk; a second good one for the same question to the judge is not kept."""
    with store.write():
        keep(store, "replies", replies, run_id=run_id)


def good_replies(
    store: Store, grader_ids: Collection[int], sheet_id: int, statuses: Collection[str] = _GOOD
) -> set[tuple[str, str, int]]:
    """Return judges' good replies on a sheet's contents: (content hash, part, repeat).

    Good are those of the `statuses`.
    """
    rows = store.each(
        f"""select content_hash, part, repeat from replies where grader_id in ({marks(grader_ids)})
        and status in ({marks(statuses)}) and content_hash in
        (select content_hash from items where sheet_id = ?)""",
        (*grader_ids, *statuses, sheet_id),
    )
    return {tuple(row) for row in rows}


def good_raw(
    store: Store,
    grader_ids: Collection[int],
    content_hash: str,
    part: str,
    repeat: int,
    statuses: Collection[str] = _GOOD,
) -> str | None:
    """Return the good reply to a content exactly as received, a scored one first; None without."""
    return store.value(
        f"""select raw from replies where grader_id in ({marks(grader_ids)}) and content_hash = ?
        and part = ? and repeat = ? and status in ({marks(statuses)})
        order by status = 'scored' desc, id desc limit 1""",
        (*grader_ids, content_hash, part, repeat, *statuses),
    )


def reply(store: Store, grader_id: int, part: str, repeat: int) -> str | None:
    """Return the good reply to a metric's request exactly as received; None without one.

    `part` is the hash of the whole request, so the item it was first sent for does not matter.
    """
    return store.value(
        """select raw from replies where grader_id = ? and part = ? and repeat = ?
        and status = 'scored' and length(part) = 16 limit 1""",
        (grader_id, part, repeat),
    )


def unscored(store: Store, grader_ids: Collection[int], item_ids: Collection[int]) -> list[Row]:
    """Return the replies without a score to judges' requests about items, oldest first."""
    return store.rows(
        f"""select content_hash, part, repeat, attempt, status, request, raw from replies
        where item_id in (select value from json_each(?)) and grader_id in ({marks(grader_ids)})
        and status <> 'scored' order by id""",
        (json.dumps([*item_ids]), *grader_ids),
    )


def of_item(store: Store, item_id: int, grader_id: int) -> list[Row]:
    """Return every reply to a judge's requests on the content of an item, oldest first."""
    return store.rows(
        f"""select * from replies where grader_id in {_SAME_REQUESTS} and content_hash =
        (select content_hash from items where id = :item) order by id""",
        {"item": item_id, "grader": grader_id},
    )


def charges(store: Store, grader_id: int, sheet_id: int) -> list[Row]:
    """Return cost, unpriced replies and seconds of each answer of a sheet with replies by a judge.

    `cost` is in USD over all replies of the first repeat; `unpriced` counts those that have no
    known price, where a price of 0 needs no tokens to be known; `seconds` adds up the calls and is
    null where one was not timed. Answers with transport failures only are left out.
    """
    return store.rows(
        f"""select coalesce(sum(cost), 0) as cost,
        sum(status <> 'failed' and cost is null and not coalesce(
            cast(json_extract(price, '$.input') as real) = 0
            and cast(json_extract(price, '$.output') as real) = 0, 0)) as unpriced,
        case when sum(status <> 'failed' and latency is null) = 0 then sum(latency) end
        as seconds
        from replies where grader_id in {_SAME_REQUESTS} and repeat = 1 and content_hash in
        (select content_hash from items where sheet_id = :sheet)
        group by content_hash having sum(status <> 'failed') > 0""",
        {"grader": grader_id, "sheet": sheet_id},
    )


def reported(store: Store, sheet_id: int, grader_id: int) -> list[Row]:
    """Return the models a server reported with a judge's good replies to a sheet, oldest first.

    The embedding model of a judge is left out: it gives no verdict.

    Rows of model, system_fingerprint, replies, since, until and first_run (0 where the run is
    gone); the first two are None where the server did not say.
    """
    return store.rows(
        f"""select model, system_fingerprint, count(*) as replies, min(created_at) as since,
        max(created_at) as until, coalesce(min(run_id), 0) as first_run
        from replies where grader_id in {_SAME_REQUESTS} and status = 'scored'
        and {_OF_THE_JUDGE}
        and content_hash in (select content_hash from items where sheet_id = :sheet)
        group by model, system_fingerprint order by min(id)""",
        {"grader": grader_id, "sheet": sheet_id},
    )


def _where(columns: dict) -> str:
    return " and ".join(f"{column} = :{column}" for column in columns)


GOOD = "good"
# What asking again does not change.
FINAL = ("refused", "too_long")


class AskedReply(NamedTuple):
    """One raw reply on its way to the disk, with what it took.

    `status` is `good`, or `refused`, `unparsable`, `truncated`, `too_long` or `failed` with the
    reason in `why`.
    """

    purpose: str
    asker: str
    digest: str
    attempt: int
    request: str
    raw: str
    status: str
    why: str = ""
    receipt: Receipt = Receipt()


class RequestState(NamedTuple):
    """State of a request: the id of its good reply, else its failure count and last failure."""

    good_id: int | None
    attempts: int
    status: str
    why: str

    def is_settled(self, attempts: int) -> bool:
        """True where it has no reply and `attempts` are used up, so it is not sent again."""
        if self.good_id is not None or self.status == "failed":
            return False
        return self.status in FINAL or self.attempts >= attempts


def add_asked(store: Store, reply: AskedReply) -> None:
    """Put a reply on disk; a second good one to the same request is not kept."""
    with store.write():
        keep(store, "asked", [reply])


def request_states(store: Store, asker: str) -> dict[str, RequestState]:
    """Return the state of every request of a requester, by digest."""
    # One reply at most is good. Beside one max() SQLite takes status and why from the row with it.
    rows = store.rows(
        """select digest, sum(case when status = 'good' then id end), sum(status <> 'failed'),
        status, why, max(id) from asked where asker = ? group by digest""",
        (asker,),
    )
    return {digest: RequestState(*state) for digest, *state, _ in rows}


def good_asked(store: Store, digest: str) -> int:
    """The good reply to a request."""
    return store.value("select id from asked where digest = ? and status = 'good'", (digest,))


def asked_raw(store: Store, asked_id: int) -> str:
    """A reply exactly as received."""
    return store.value("select raw from asked where id = ?", (asked_id,))
