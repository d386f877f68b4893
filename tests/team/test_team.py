"""A server for a team as an attacker meets it: over the websocket, without a browser."""

import asyncio

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from tests.support.teams import SECRET
from tests.support.visitor import Visitor

REFUSED = "Your role does not allow"


def test_nobody_meets_the_door_and_everybody_else_only_what_the_own_role_reaches(team_server):
    server, store, one, cookies = team_server

    async def attacked():
        async with Visitor(server.url) as nobody:  # the first that the cold server sees
            for path in ("agreement?sheet=numbers", "grade?view=grader&set=1&grader=Ann", ""):
                seen = await nobody.visit(path)
                assert SECRET not in seen and not nobody.pane
            assert await uploaded(nobody.session) == 403
        async with Visitor(server.url, cookies["Vi"]) as viewer:
            for path in ("agreement", "rubric"):
                seen = await viewer.visit(path)
                assert "Vi · viewer" in seen and REFUSED not in seen
            (server.log.parent / "secrets.toml").write_text("token = 'x'")
            seen = await viewer.visit(f"judges?judge={server.log.parent}/secrets.toml")
            assert REFUSED in seen and "token = " not in seen
        async with Visitor(server.url, cookies["Ann"]) as ann:
            others = f"grade?view=grader&grader=Bo&set={one.id}"
            for path in ("judges?sheet=numbers", f"grade?set={'9' * 30}", others):
                seen = await ann.visit(path)
                assert ann.pane["data"]["grader"] == "Ann" and SECRET not in seen
            assert ann.pane["data"]["leave"] == "/leave?lang=en" and ann.pane["data"]["sets"] == 1
            assert await uploaded(ann.session) == 403
            assert (await ann.say(batch(ann, "k1", 2)))["saved"] == ["k1"]
            with store.write():
                store.execute("update main.sessions set expires_at = began_at")
            told = await ann.say(batch(ann, "k2", 3))
            assert "closed" in told and "saved" not in told  # the browser keeps what is not saved
        with pytest.raises(InvalidStatus):
            async with Visitor(server.url, Origin="http://evil.test"):
                pass
        assert await rebound() == 403

    async def rebound():
        """The reply to a page whose site has given its name this machine's address."""
        name = f"evil.test:{server.port}"
        asks = {"Host": name, "Origin": f"http://{name}", "Upgrade": "websocket"}
        asks |= {"Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        asks |= {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
        async with httpx2.AsyncClient() as client:
            return (await client.get(f"{server.url}/_stcore/stream", headers=asks)).status_code

    async def uploaded(session):
        async with httpx2.AsyncClient() as client:
            path = f"{server.url}/_stcore/upload_file/{session}/1"
            return (await client.put(path, files={"file": b"x"})).status_code

    def batch(visitor, press_id, score):
        data = visitor.pane["data"]
        place, version = data["places"][0]["id"], data["rubric"]["criteria"][0]["version"]
        key = {"press_id": press_id, "place": place, "version": version, "status": "scored"}
        key |= {"score": score, "note": "", "seconds": 2.0}
        return {"seq": score, "set": data["set"], "at": place, "have": [], "keys": [key]}

    asyncio.run(attacked())
    rows = store.rows("select g.score, r.name from grades g join graders r on r.id = g.grader_id")
    assert [tuple(row) for row in rows] == [(2, "Ann")]
    assert "join" not in server.output() and "Traceback" not in server.output()
