"""Requests sent from the workers of a Dask cluster, which is installed apart.

The run is the same as on one machine; only its connections are elsewhere: every request is a task
of the cluster, and every reply comes back before it is read and put on disk. A worker that dies
costs what it had in flight. Workers need Concord and the key, but neither database nor rubric.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from concord.definitions import canonical_json
from concord.judges.definition import model
from concord.judges.definition.model import CHAT, Judge
from concord.judges.run.job import stored_form
from concord.judges.run.session import Connect
from concord.judges.transport import client
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
            _open[body] = await client.Client(model.from_body(body)).__aenter__()
        return tuple(await _open[body].ask(sent, path))
    except Problem as problem:
        return (str(problem),)


def connected(scheduler: str) -> Connect:
    """Return what connects to a judge's server from the cluster of that address.

    Its workers have as many requests in flight as they have threads.

    Raises:
        Problem: Dask is not installed.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise Problem(
            "Dask is not installed. Install it with “{command}”, or leave --scheduler out.",
            command=install("dask"),
        ) from None

    class Line:
        def __init__(self, cluster: Client, body: str):
            self._cluster, self._body = cluster, body

        async def ask(self, sent: Mapping[str, Any], path: str = CHAT) -> Answer:
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
        body = canonical_json(stored_form(judge))
        # Not as a context manager, which would have to be left by the task that entered it.
        try:
            cluster = await Client(scheduler, asynchronous=True)
        except (OSError, ValueError):
            raise EndpointProblem("No Dask cluster answers at {at}.", at=scheduler) from None
        try:
            yield Line(cluster, body)
        finally:
            await cluster.close()

    return connect
