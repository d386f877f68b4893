"""The table of endpoint faults: what a server answers, and what becomes of the request.

`faults.jsonl` holds one fault per line: `name`; `dialect` of a decision judge; then `status`,
`headers` and `body` (`text` of one that is no JSON), with which a server answers every request, or
the `fault` of the server of these tests, always or `once`. `then` holds how often it was `sent`,
the `wait` before the second time in whole seconds, and either the `status` of the item ('' for a
reply to read) with the server's message, or what `stops` the run, with what the sentence names.
After a change that is meant, record anew, and read the
difference:

    python -m tests.judges.transport.test_faults --record
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from concord.judges.definition.model import parse
from concord.judges.transport.connections import Reply
from concord.judges.transport.endpoint_errors import EndpointProblem
from tests.support.endpoint import Endpoint
from tests.support.judges import client_calls
from tests.support.judges.client_calls import SECRET, Line, ask

TABLE = Path(__file__).with_name("faults.jsonl")
NAMED = ["key", "place", "others", "other", "address", "model", "time", "account"]
NAMED += ["name"]
KEY = {"OPENAI_API_KEY": SECRET}


def cases() -> list[dict[str, Any]]:
    """Return every fault of the table."""
    return [json.loads(line) for line in TABLE.read_text(encoding="utf-8").split("\n") if line]


def outcome(case: dict[str, Any]) -> dict[str, Any]:
    """Return what becomes of a request that meets the fault; it is sent twice, or patiently."""
    if "fault" in case:
        always = {} if case.get("once") else {case["fault"]: 1}
        with Endpoint(script=[case["fault"]], faults=always) as server:
            found = _end(lambda: ask(_judge(case, server.url), environ=KEY, max_retries=1))
            named = {k: v.replace(server.url, "URL") for k, v in found.get("named", {}).items()}
            return {"sent": len(server.seen)} | found | ({"named": named} if named else {})
    sent: list[float] = []

    def answer(_) -> Reply:
        sent.append(asyncio.get_running_loop().time())
        body = case["body"]
        text = body["text"] if isinstance(body, dict) and "text" in body else json.dumps(body)
        return Reply(case["status"], case["headers"], text.encode())

    how = {"environ": KEY, "max_retries": 1, "run": client_calls.run}
    found = _end(lambda: ask(_judge(case), connections=Line(answer), **how))
    waited = {"wait": round(sent[1] - sent[0])} if len(sent) > 1 else {}
    return {"sent": len(sent)} | waited | found


def _judge(case: dict[str, Any], url: str = "https://x.example/v1"):
    if "dialect" in case:
        own = f'kind = "decision"\ndialect = "{case["dialect"]}"\nprice = 0\n'
    else:
        own = "temperature = 0.1\nmax_tokens = 300\nextra_body = { top_k = 5 }\n"
    more = "" if "dialect" in case else 'max_tokens_field = "max_completion_tokens"\n'
    head = f'name = "j"\nmodel = "m"\nrubric = "doc-qa-0-3"\n{own}'
    return parse(f'{head}[endpoint]\nbase_url = "{url}"\n{more}', "mine.toml")


def _end(asked) -> dict[str, Any]:
    try:
        answer = asked()
    except EndpointProblem as problem:
        assert SECRET not in str(problem)
        named = dict(sorted(_named(problem.args[0]).items()))
        return {"stops": problem.code, "named": named, "text": str(problem)}
    assert (answer.completion is None) == bool(answer.status) == bool(answer.why)
    return {"status": answer.status, "text": str(answer.why)}


def _named(text) -> dict[str, str]:
    """Return what a sentence, and those within it, name."""
    found: dict[str, str] = {}
    for key, value in getattr(text, "values", {}).items():
        found |= _named(value) | ({key: str(value)} if key in NAMED else {})
    return found


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_a_fault_ends_as_in_the_table(case):
    found = outcome(case)
    assert case.get("message", "") in found.pop("text")
    assert found == case["then"]


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    recorded = [case | {"then": outcome(case)} for case in cases()]
    for case in recorded:
        del case["then"]["text"]
    TABLE.write_text("".join(json.dumps(case) + "\n" for case in recorded), encoding="utf-8")
