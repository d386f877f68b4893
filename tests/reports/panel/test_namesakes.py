"""What tells judges of one name apart on the screens."""

import json

import pytest

from concord.judges.definition.model import Judge
from concord.reports.panel import namesakes
from concord.store import graders


def _kept(store, fingerprint, name="mine", **settings):
    asked = Judge(name=name, model="m", rubric="doc-qa-0-3", **settings)
    definition = {"judge": json.loads(asked.body())}
    graders.ensure(store, "judge", name, fingerprint, definition=definition)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({"temperature": 0}, {}, ["temperature = 0.0", "temperature = default"]),
        (
            {"temperature": 0, "prompt": "few_shot"},
            {},
            ["prompt = few_shot", "prompt = default"],
        ),
    ],
)
def test_judges_of_a_name_are_called_by_the_first_setting_in_which_they_differ(
    store, one, other, told
):
    _kept(store, "d159e54c5df1047e", **one)
    _kept(store, "7bf46b3f9aa5b4df", **other)
    _kept(store, "f" * 16, "alone")
    assert namesakes.names(store) == {
        "mine@d159e54c5df1047e": f"mine ({told[0]})",
        "mine@d159e5": f"mine ({told[0]})",
        "mine@7bf46b3f9aa5b4df": f"mine ({told[1]})",
        "mine@7bf46b": f"mine ({told[1]})",
    }


def test_judges_of_one_name_and_file_are_called_by_their_day_or_their_fingerprint(store):
    for fingerprint in ("a" * 16, "b" * 16, "c" * 16):
        _kept(store, fingerprint)
    store.execute("update graders set created_at = '2026-11-20T10:00:00Z' where id = 1")
    store.execute("update graders set created_at = '2026-11-21T10:00:00Z' where id > 1")
    called = namesakes.names(store)
    assert called["mine@aaaaaa"] == "mine (2026-11-20)"
    assert called["mine@bbbbbb"] == "mine (2026-11-21, bbbbbb)"
