"""What the file of a judge carries: which certificate, and which placeholders."""

import pytest

from concord.judges.checks.check_request import setup
from concord.judges.definition.model import presets
from concord.judges.exporting.carried import carried
from concord.judges.prompting.request import fingerprint
from concord.messages import Problem
from concord.store import certificates, graders

NAME = "gpt-6-luna-zero-shot"


def of(store, name=NAME):
    return setup(store, presets()[name], None, None)


def certified(store, sheet, known, digest, expires):
    grader = graders.ensure(store, "judge", NAME, known)
    body = {
        "digest": digest,
        "certified": True,
        "made_at": "2026-01-01",
        "expires_at": expires,
        "criteria": [],
    }
    certificates.keep(store, body, sheet.id, grader, None)


def test_the_newest_certificate_of_exactly_this_judge_is_carried(store, sixty):
    found = of(store)
    assert carried(store, *found).certificate is None
    certified(store, sixty, "0" * 16, "of another judge", "2027-01-01")
    assert carried(store, *found).certificate is None
    known = fingerprint(*found)
    certified(store, sixty, known, "first", "2026-04-01")
    certified(store, sixty, known, "second", "2026-05-01")
    assert carried(store, *found).about()["certificate"] == {
        "digest": "second",
        "certified": True,
        "criteria": [],
        "expires_at": "2026-05-01",
    }


def test_a_chat_judge_with_a_reading_rule_is_not_exported(store):
    found = of(store)
    read = found.judge.changed({"logprobs": True, "reading": "median"})
    with pytest.raises(Problem):
        carried(store, *found._replace(judge=read))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("baseline", "it is trained on the grades of a sheet and sends no request."),
        ("rag-metrics", "it computes metrics, each by several requests of its own."),
    ],
)
def test_a_judge_without_a_prompt_is_not_exported(store, name, message):
    found = of(store)._replace(judge=presets()[name])
    with pytest.raises(Problem, match=message):
        carried(store, *found)
