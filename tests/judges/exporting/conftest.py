"""Fixtures of the tests of exported judges."""

import pytest

from tests.support.judges import exported


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The judge of a kind as a module, its setup and its server."""
    monkeypatch.setenv("MY_KEY", "sk-exported-0123456789")
    servers = []

    def made(kind, name="python"):
        server = exported.server(kind)
        servers.append(server.__enter__())
        of = exported.setup(kind, server.url)
        path = exported.written(name, exported.exported(of, tmp_path), tmp_path)
        return exported.module(path), of, server

    yield made
    for one in servers:
        one.stop()
