"""A coding agent: the official client, and a server as a process of its own in a folder."""

import os
import sys

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.support.endpoint import KEY
from tests.support.source import ROOT


class Agent:
    """Calls tools; `texts` are the replies, and `start` calls one that goes on meanwhile."""

    def __init__(self, portal, client):
        self.texts, self._portal, self._client = [], portal, client

    def start(self, tool: str, **arguments):
        return self._portal.start_task_soon(self._client.call_tool, tool, arguments)

    def tools(self):
        return self._portal.call(self._client.list_tools).tools

    def call(self, tool: str, **arguments):
        """What a tool returns; of a refusal only its text."""
        reply = self.start(tool, **arguments).result()
        self.texts.append(reply.model_dump_json())
        return reply.content[0].text if reply.is_error else reply.structured_content


@pytest.fixture
def folder(tmp_path):
    """The folder that the server is started in; the database lies outside of it."""
    folder = tmp_path / "agent"
    folder.mkdir()
    return folder


@pytest.fixture
def started(db, folder):
    """How the server is started, with a key in its environment."""
    path = os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])
    variables = {"PYTHONPATH": path, "OPENAI_API_KEY": KEY, "OPENBLAS_NUM_THREADS": "1"}
    variables["CONCORD_TEST_ATTEMPTS"] = os.environ["CONCORD_TEST_ATTEMPTS"]
    words = ["-m", "concord", "--db", str(db), "mcp"]
    return StdioServerParameters(command=sys.executable, args=words, cwd=folder, env=variables)


@pytest.fixture
def agent(started):
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(started)) as client,
    ):
        made = Agent(portal, client)
        yield made
        assert KEY not in "".join(made.texts)


@pytest.fixture
def meetings(folder, answers):
    """The answers of `answers`, in the agent's folder."""
    return answers.rename(folder / answers.name).name
