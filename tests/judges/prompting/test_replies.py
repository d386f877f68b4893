"""The table of replies: what a judge's server sent, and what is read in it.

`replies.jsonl` holds one reply per line: `name`, `judge` (keys of the judge's file, '' for a plain
chat judge), `reply` (a body, decoded or as text), `criteria`, `scale` and `then`: by criterion the
status, the score, the reason, the distribution as source, probabilities and mass outside, and
whether it lacks one that was asked for.
After a change that is meant, record anew and read the difference:

    python -m tests.judges.prompting.test_replies --record
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from concord.judges.definition.model import parse
from concord.judges.prompting.reply import verdicts_of

TABLE = Path(__file__).with_name("replies.jsonl")
_LINES = {"rubric": 'kind = "rubric"\n', "decision": 'kind = "decision"\nprice = 0\n'}


def cases() -> list[dict[str, Any]]:
    """Return every reply of the table."""
    return [json.loads(line) for line in TABLE.read_text(encoding="utf-8").split("\n") if line]


def outcome(case: dict[str, Any]) -> dict[str, list]:
    """Return what is read in a reply, by criterion."""
    kind = "decision" if "dialect" in case["judge"] else "rubric"
    text = f'name = "j"\nmodel = "m"\nrubric = "r"\n{_LINES[kind]}{case["judge"]}\n'
    judge = parse(f'{text}[endpoint]\nbase_url = "http://127.0.0.1:9/v1"\n', "j.toml")
    found = verdicts_of(judge, case["reply"], case["criteria"], case["scale"])
    return {name: _read(verdict) for name, verdict in found.items()}


def _read(verdict) -> list:
    assert (verdict.score is None) == (verdict.status != "scored") == bool(verdict.why)
    shares = verdict.distribution
    if shares is not None:
        outside = None if shares.outside is None else round(shares.outside, 9)
        pairs = [[score, round(p, 9)] for score, p in shares.probabilities]
        shares = [shares.source, pairs, outside]
    return [verdict.status, verdict.score, verdict.reason, shares, verdict.lacks_probabilities]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_a_reply_is_read_as_in_the_table(case):
    assert outcome(case) == case["then"]


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    found = [case | {"then": outcome(case)} for case in cases()]
    lines = [json.dumps(case) + "\n" for case in found]
    TABLE.write_text("".join(lines), encoding="utf-8")
