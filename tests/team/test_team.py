"""Members, the links that let them in, and the browsers that were let in."""

import asyncio

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from concord.clock import in_hours
from concord.grading import grading_sets
from concord.messages import Problem
from concord.store.database import open_store
from concord.team import members, sessions
from tests.support.visitor import SECRET, Visitor

HERE = "10.0.0.7"


def test_without_members_nobody_signs_in(store):
    assert not members.are_asked(store)


def test_a_member_is_found_however_the_name_is_written_and_only_once(store, ann):
    assert members.find(store, " ann ") == ann
    with pytest.raises(Problem):
        members.add(store, "ann", "viewer", "Lea")
    with pytest.raises(Problem):
        members.named(store, "Bo")


def test_the_newest_role_counts_and_every_one_is_kept_with_who_gave_it(store, ann):
    assert members.give_role(store, "Ann", "viewer", "Lea").who().role == "viewer"
    rows = store.rows("select role, given_by from member_roles where member_id = ?", (ann.id,))
    assert [tuple(row) for row in rows] == [("grader", "Lea"), ("viewer", "Lea")]


def test_somebody_leads_as_long_as_there_are_members(store, lea, ann):
    with pytest.raises(Problem):
        members.give_role(store, "Lea", "none", "Lea")
    with pytest.raises(Problem):
        members.give_role(store, "Ann", "boss", "Lea")


def test_a_link_lets_its_member_in_as_often_as_needed_and_only_its_hash_is_stored(store, ann):
    secret = sessions.invite(store, ann, "Lea")
    for _ in range(2):
        assert sessions.opened_link(store, secret, HERE) == ann
    stored = [tuple(row) for row in store.rows("select * from invitations")]
    assert secret not in repr(stored) and sessions.hashed(secret) in repr(stored)


def test_no_link_opens_that_is_unknown_withdrawn_expired_or_of_one_who_left(store, ann):
    secrets = ["unknown", sessions.invite(store, ann, "Lea", days=-1)]
    secrets.append(sessions.invite(store, ann, "Lea"))
    assert sessions.withdraw_links(store, ann) == 1
    for secret in secrets:
        with pytest.raises(Problem):
            sessions.opened_link(store, secret, HERE)
    left = sessions.invite(store, ann, "Lea")
    members.give_role(store, "Ann", "none", "Lea")
    with pytest.raises(Problem):
        sessions.opened_link(store, left, HERE)


def test_an_address_that_tried_ten_wrong_links_waits_and_others_do_not(store, ann):
    secret = sessions.invite(store, ann, "Lea")
    for _ in range(sessions.TRIES):
        with pytest.raises(Problem):
            sessions.opened_link(store, "wrong", HERE)
    with pytest.raises(Problem):
        sessions.opened_link(store, secret, HERE)
    assert sessions.opened_link(store, secret, "10.0.0.8") == ann
    store.connection.execute("update sign_ins set created_at = ?", (in_hours(-1),))
    assert sessions.opened_link(store, secret, HERE) == ann


def test_a_session_is_its_member_until_it_ends_expires_or_the_member_leaves(store, ann):
    first, second = (sessions.begin(store, ann) for _ in range(2))
    assert sessions.who(store, first) == ann.who()
    assert sessions.who(store, sessions.begin(store, ann, hours=-1)) is None
    sessions.end(store, first)
    assert sessions.who(store, first) is None and sessions.who(store, "made up") is None
    assert sessions.who(store, second)
    members.give_role(store, "Ann", "none", "Lea")
    assert sessions.who(store, second) is None


def test_a_session_that_nobody_used_for_two_hours_is_over_and_use_keeps_it_open(store, ann):
    def used(secret, hours):
        hashed = sessions.hashed(secret)
        values = (in_hours(-hours), hashed)
        store.connection.execute("update sessions set used_at = ? where secret_hash = ?", values)

    kept, left = (sessions.begin(store, ann) for _ in range(2))
    store.connection.execute("update sessions set began_at = ?", (in_hours(-5),))
    used(kept, 1.9)
    assert sessions.since(store) and sessions.who(store, left) is None
    assert sessions.who(store, kept) == ann.who()
    noted = store.value("select max(used_at) from sessions")
    assert noted > in_hours(-0.1)
    assert sessions.end_all(store, ann) == 1
    used(kept, 2.1)
    store.connection.execute("update sessions set ended_at = null")
    assert sessions.who(store, kept) is None and not sessions.since(store)


def test_use_is_noted_once_in_a_while_and_waits_for_no_other_writer(store, ann):
    secret = sessions.begin(store, ann)
    before = store.connection.total_changes
    assert sessions.who(store, secret) and store.connection.total_changes == before
    store.connection.execute("update sessions set began_at = ?", (in_hours(-1),))
    with open_store(store.path) as other, other.write():
        assert sessions.who(store, secret) == ann.who()
        assert store.value("select used_at from sessions") is None
    assert sessions.who(store, secret) and store.value("select used_at from sessions")


def test_a_set_is_open_to_whom_it_was_opened_until_it_is_closed(store, sheet, rubric, ann):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", 3, 1)
    for _ in range(2):
        grading_sets.join(store, made, ann.grader_id, "Lea")
    assert [row["name"] for row in grading_sets.of_set(store, made.id)] == ["Ann"]
    grading_sets.leave(store, made, ann.grader_id, "Lea", "on holiday")
    assert grading_sets.of_set(store, made.id) == []
    grading_sets.join(store, made, ann.grader_id, "Lea")
    assert grading_sets.sets_of(store, ann.grader_id) == [made.id]
    rows = store.rows("select joins, why from set_graders order by id")
    assert [tuple(row) for row in rows] == [(1, ""), (0, "on holiday"), (1, "")]


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
