"""Every key that a recorded command prints as JSON is in docs/command-line.md."""

import json
import re
from collections.abc import Iterator

import pytest

from tests.golden.commands import GOLDEN
from tests.support.source import ROOT

# Objects whose keys are names, scores, reasons or settings, and not ours.
DATA = {
    *(
        "adjudicated",
        "answer_models",
        "by_model",
        "columns",
        "criteria",
        "flags",
        "labels",
        "low_by",
    ),
    *("parts", "points_apart", "scores", "statuses", "switches", "uncounted", "weights"),
}
# What is not looked into: counts by reason, and definition files, whose keys other pages list.
CLOSED = {"left_out", "metadata", "extra_body", "presets", "endpoint", "rubrics"}


def keys(found: object) -> Iterator[str]:
    """Yield the keys of a document."""
    if isinstance(found, list):
        for one in found:
            yield from keys(one)
    elif isinstance(found, dict):
        for key, value in found.items():
            yield key
            if isinstance(value, dict) and key in DATA:
                yield from keys([*value.values()])
            elif key not in CLOSED:
                yield from keys(value)


def documented() -> set[str]:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    return {word for code in re.findall(r"`([^`]+)`", page) for word in re.findall(r"\w+", code)}


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_each_key_of_json_is_in_the_docs(path):
    found = {*keys([*json.loads(path.read_text(encoding="utf-8")).values()])} - {"exit", "json"}
    assert found - documented() == set()
