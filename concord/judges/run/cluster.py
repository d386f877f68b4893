"""Requests sent from the workers of a Dask cluster, which is installed apart.

The run is the same as on one machine; only its connections are elsewhere: every request is a task
of the cluster, and every reply comes back before it is read and put on disk. A worker that dies
costs what it had in flight. Workers need Concord and the key, but neither database nor rubric.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from concord.judges.definition import model
from concord.judges.definition.model import Judge
from concord.judges.run.session import Connect, client
from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.judges.transport.response import Answer, Unanswered
from concord.messages import Problem
from concord.resources import install

# Of a worker: its open connections, by the judge.
_open: dict[str, Any] = {}


async def ask(body: str, sent: Mapping[str, Any], path: str) -> tuple:
    """Send one request; runs on a worker, which keeps the connection. A Problem comes as a text."""
    try:
        if body not in _open:
            _open[body] = await client(model.from_body(body)).__aenter__()
        return tuple(await _open[body].ask(sent, path))
    except Problem as problem:
        return (str(problem),)


def connected(scheduler: str, concurrency: int) -> Connect:
    """Return what connects to a judge's server from a cluster.

    `scheduler` is its address, or how many processes to start here, each with so many requests in
    flight. Workers of an address have as many in flight as they have threads.

    Raises:
        Problem: Dask is not installed.
    """
    try:
        from distributed import Client, LocalCluster
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise Problem(
            "Dask is not installed. Install it with “{command}”, or leave --scheduler out.",
            command=install("dask"),
        ) from None

    class Line:
        def __init__(self, cluster: Client, body: str):
            self._cluster, self._body = cluster, body

        async def ask(self, sent: Mapping[str, Any], path: str = "") -> Answer:
            future = self._cluster.submit(ask, self._body, sent, path, pure=False)
            try:
                told = await future
            except KilledWorker:
                return Answer("failed", "Workers of the cluster died on this request.")
            except asyncio.CancelledError:
                raise Unanswered from None
            if len(told) == 1:
                raise EndpointProblem(told[0])
            return Answer(*told)

    @asynccontextmanager
    async def connect(judge: Judge) -> AsyncIterator[Line]:
        # The address goes along, since workers may lack this environment's OPENAI_BASE_URL.
        azure = judge.endpoint.azure_endpoint is not None
        body = (judge if azure else judge.with_overrides(base_url=judge.url())).body()
        async with AsyncExitStack() as stack:
            where = scheduler
            if scheduler.isdecimal():
                local = {"n_workers": int(scheduler), "threads_per_worker": concurrency}
                local |= {"host": "127.0.0.1", "dashboard_address": ":0", "asynchronous": True}
                where = await stack.enter_async_context(LocalCluster(**local))
            # Not as a context manager, which would have to be left by the task that entered it.
            cluster = await Client(where, asynchronous=True)
            stack.push_async_callback(cluster.close)
            yield Line(cluster, body)

    return connect
