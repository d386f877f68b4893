"""The lines of a batch: a name that leads back, and whatever a server may write into a result."""

import json

import pytest

from concord.judges.rubric_runs.batch_file import answered, custom_id, line, results
from concord.judges.rubric_runs.batch_status import read
from tests.support.fakejudge import judge


@pytest.mark.parametrize("part", ["", "correctness", "正确性", "a/b c\n"])
def test_a_question_is_named_in_at_most_64_ascii_characters(part):
    name = custom_id("0123456789abcdef" * 4, part, 12)
    assert name.isascii() and name.isprintable() and " " not in name and len(name) <= 64
    assert name.startswith("0123456789abcdef") and name.endswith("-12")


def test_content_part_and_repeat_make_different_names():
    asked = [(c * 64, part, n) for c in "ab" for part in ("", "正", "x") for n in (1, 2)]
    assert len({custom_id(*one) for one in asked}) == 12


def test_a_line_holds_the_request_exactly_as_given():
    written = line("q-1", '{"model":"m","text":"一\\n"}', "/v1/chat/completions")
    assert written.count(b"\n") == 1 and b'{"model":"m","text":"\xe4\xb8\x80\\n"}' in written
    assert json.loads(written)["custom_id"] == "q-1"


def test_lines_that_cannot_be_read_are_left_out_and_the_rest_is_not_lost():
    good = json.dumps({"custom_id": "q", "response": {"status_code": 200, "body": {"a": 1}}})
    content = f'nonsense\n\n[1]\n{{"custom_id": 5}}\n{good}\r\n{good[:20]}'.encode() + b"\n\xff\xfe"
    assert [result.custom_id for result in results(content)] == ["q"]
    assert list(results(b"")) == []


@pytest.mark.parametrize(
    ("told", "status", "undone"),
    [
        ({"response": {"status_code": 200, "body": {"choices": []}}}, "", False),
        ({"response": {"status_code": 200, "body": "text"}}, "unparsable", False),
        ({"response": {"status_code": 200, "body": None}}, "unparsable", False),
        ({"response": {"status_code": 200, "body": {"error": {"code": 429}}}}, "failed", False),
        ({"response": {"status_code": 500, "body": {}}}, "failed", False),
        ({"response": {"status_code": 401, "body": {"error": {}}}}, "failed", False),
        ({"response": {"body": {"choices": []}}}, "failed", False),
        ({"response": None, "error": None}, "failed", False),
        ({"response": None, "error": {"code": "batch_expired"}}, "failed", True),
        ({"error": {"code": "batch_cancelled"}}, "failed", True),
        ({"response": {"status_code": 200, "body": {"x": "\ud800"}}}, "", False),
    ],
)
def test_whatever_a_result_holds_has_a_status(told, status, undone):
    [found] = results(json.dumps({"custom_id": "q", **told}).encode())
    assert found.undone is undone
    got = answered(found, judge(), {"model": "m"})
    assert got.status == status
    got.raw.encode()


def test_the_reasons_of_a_refused_batch_are_said_once_each():
    data = [{"message": "Too many tokens."}, {"message": "Too many tokens."}, {"code": "x"}, None]
    assert read({"errors": {"data": data}}).why == "Too many tokens."
    assert read({"errors": None}).why == read({}).why == ""
