"""Old addresses: what is redirected, and what is left alone."""

import asyncio

import pytest
from streamlit import config

from concord.ui.server.old_addresses import OldAddresses


def asked(path: str, query: str = "") -> tuple[int, str]:
    """Ask for a path: the status, and where the reply leads."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode()}
    asyncio.run(OldAddresses(app)(scope, None, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers.get("location", "")


@pytest.mark.parametrize(
    ("path", "query", "where"),
    [
        ("/sheets", "sheet=a%20b&do=import", "/data?sheet=a%20b&do=import"),
        ("/choose/", "", "/decide"),
        ("/overview", "lang=ja", "/?lang=ja"),
        ("/start", "kept=this", "/?kept=this"),
        ("/evidence", "answer=3", "/review?list=claims&answer=3"),
        ("/contradicted", "", "/review?list=contradicted"),
        ("/people", "sheet=a", "/annotators?sheet=a"),
        ("/measures", "", "/metrics"),
        ("/roles", "", "/splits"),
    ],
)
def test_an_old_address_leads_to_todays_with_its_query(path, query, where):
    assert asked(path, query) == (308, where)


@pytest.mark.parametrize("path", ["/", "/data", "/media/sheets", "/_stcore/health", "//choose"])
def test_all_else_is_left_alone(path):
    assert asked(path) == (200, "")


def test_a_base_path_stays(monkeypatch):
    config.set_option("server.baseUrlPath", "tools/concord")
    try:
        assert asked("/tools/concord/sheets") == (308, "/tools/concord/data")
        assert asked("/sheets") == (200, "")
    finally:
        config.set_option("server.baseUrlPath", "")
