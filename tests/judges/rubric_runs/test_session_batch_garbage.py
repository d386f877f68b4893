"""A batch mode that answers with garbage: one sentence, and nothing lost or handed over twice."""

import asyncio

import pytest

from concord.judges.definition.model import parse
from concord.judges.rubric_runs import session
from concord.judges.rubric_runs.batch_client import BatchClient
from concord.judges.rubric_runs.batch_file import Result, is_readable, results
from concord.judges.rubric_runs.batch_status import object_of, read
from concord.judges.running.job import Options
from concord.judges.transport import rate_limit
from concord.messages import Problem
from concord.store import batches, graders
from tests.support.judges.processes import ended, started
from tests.support.judges.rubric_runs import statuses
from tests.support.judges.sessions import never

CALLS = ("upload", "create", "list", "look", "cancel", "content")
ODD = [b"<html>busy</html>", b"", b"\xff\xfe{", b"[" * 100_000, b"[7]"]
ODD_KEYS = [
    {"id": 7, "status": 5},
    {"id": "\ud800", "status": "\ud800"},
    {"request_counts": [1]},
    {"request_counts": {"total": "many", "completed": 1e400}},
    {"errors": {"data": [{"message": {"x": "\ud800"}}]}, "error_file_id": ["x"]},
    {"output_file_id": 5},
    {"data": 5},
    {"data": [None, {"metadata": "x"}, {"metadata": {"concord": []}}], "has_more": True},
]
CASES = [(call, odd) for call in CALLS for odd in ODD]
CASES += [("create", {"id": 7}), ("create", {"status": 5}), ("upload", {"id": "\ud800"})]
CASES += [("look", odd) for odd in ODD_KEYS[:6]] + [("list", odd) for odd in ODD_KEYS[6:]]
CASES += [(call, fault) for call in CALLS for fault in ("drop", "500")]
CASES += [("look", "huge"), ("content", "huge")]


def said(store, judge, **options):
    """What the verb says, whether it is a Problem or not; anything else is a fault of ours."""
    try:
        return session.judge(store, judge, Options(batch=True, limit=3, **options), never).said
    except Problem as problem:
        return str(problem)


@pytest.mark.parametrize(("call", "odd"), CASES, ids=lambda value: str(value)[:30])
def test_garbage_is_a_sentence_and_afterwards_the_batch_is_found_and_collected(
    call, odd, store, sheet, batch_server, batch_judge, monkeypatch
):
    monkeypatch.setattr(rate_limit, "backoff", lambda *_: 0.0)
    batch_server.garbles = {call: odd}
    heard = [said(store, batch_judge), said(store, batch_judge)]
    batch_server.finish()
    heard.append(said(store, batch_judge))
    batch_server.garbles = {}
    heard.append(said(store, batch_judge))  # hands over what could not be uploaded before
    batch_server.finish()
    heard.append(said(store, batch_judge))
    assert statuses(store, sheet) == {"scored": 9}, heard
    assert len(batch_server.made) == 1, heard
    assert all(one and "\n" not in one for one in heard)


def test_who_cancels_gives_results_up_that_cannot_be_read(store, sheet, batch_server, batch_judge):
    said(store, batch_judge)
    batch_server.finish()
    batch_server.garbles = {"content": b"<html>busy</html>", "cancel": b"<html>done</html>"}
    assert "--cancel-batch" in said(store, batch_judge)
    assert "3 not answered" in said(store, batch_judge, cancel_batch=True)
    batch_server.garbles = {}


ERROR = b'{"error": {"message": "No such thing.", "code": 500}}'


@pytest.mark.parametrize(
    "garbles",
    [
        {"look": ERROR},
        {"look": b'{"error": "broken"}', "cancel": ERROR},
        {"look": {"status": "broken"}},
        {"look": b"<html>busy</html>"},
        {"look": {"id": 7, "status": 5}},
        {"look": {"status": "in_progress"}, "cancel": b'{"error": {"code": 405}}'},
        {"look": "drop", "cancel": "drop"},
        {"cancel": ERROR, "content": "500"},
    ],
    ids=str,
)
def test_a_batch_can_always_be_cancelled(
    garbles, store, sheet, batch_server, batch_judge, monkeypatch
):
    monkeypatch.setattr(rate_limit, "backoff", lambda *_: 0.0)
    said(store, batch_judge)
    batch_server.garbles = garbles
    said(store, batch_judge, cancel_batch=True)
    judge_id = graders.find(store, "judge", "mine").id
    assert batches.pending(store, sheet.id, judge_id) == []
    batch_server.garbles = {}
    said(store, batch_judge)  # the requests are free again
    batch_server.finish()
    said(store, batch_judge)
    assert statuses(store, sheet) == {"scored": 9}


def test_a_server_that_is_gone_leaves_the_batch_open(store, sheet, batch_server, batch_judge):
    said(store, batch_judge)
    batch_server.stop()
    assert len(batches.pending(store, sheet.id, graders.find(store, "judge", "mine").id)) == 1


def test_a_word_on_a_batch_is_waited_for_no_longer_than_the_judge_file_says(batch_server):
    """What the server says takes a minute to come, a byte at a time."""
    batch_server.garbles = {"look": "trickle"}
    quick = parse(
        f'name = "x"\nmodel = "m"\nrubric = "doc-qa-0-3"\n[endpoint]\n'
        f'base_url = "{batch_server.url}"\ntimeout_s = 1',
        "x.toml",
    )

    async def look():
        async with BatchClient(quick, max_retries=0) as client:
            await client.look("b")

    with pytest.raises(Problem):
        asyncio.run(look())


def test_a_person_is_shown_one_line_and_no_traceback(
    store, sheet, batch_server, tmp_path, batch_judge
):
    said(store, batch_judge)
    batch_server.garbles = {"look": {"request_counts": "x", "status": 5}}
    code, printed = ended(started(store, batch_judge, "--batch"))
    assert (code, printed.count("\n"), "Traceback" in printed) == (2, 1, False), printed
    assert "no `id` and `status`" in printed


def test_what_has_another_shape_was_not_said():
    told = read({"status": 5, "request_counts": {"completed": True}, "errors": {"data": {}}})
    assert told == ("", "", (), 0, None, "")
    known = {"request_counts": {"completed": 2, "total": 3}, "output_file_id": "f"}
    assert read({"id": "b", "status": "in\n progress", **known}) == (
        *("b", "in progress", ("f",), 2, 3, ""),
    )
    assert object_of(b'{"id": "\\ud800"}') == {"id": "?"}


def test_lines_of_any_shape_are_read_or_left_out():
    odd = [b'{"custom_id": "a", "error": {"code": []}}', b'{"custom_id": 5}', b"[]", b"\xff"]
    odd.append(b'{"custom_id": "b", "response": {"status_code": [200]}}')
    found = list(results(b"\n".join(odd)))
    assert found == [Result("a", None, None, {"code": []}), Result("b", None, None, None)]
    assert is_readable(b"\n".join(odd)) and not is_readable(b"<html>\n[]\n5")
