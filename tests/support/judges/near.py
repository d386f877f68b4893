"""Requests and replies of near judges, which a tool writes part of."""

import json
import re
from hashlib import sha256
from typing import Any

from concord.judges.checks.endpoint_check import Setup
from concord.judges.prompting.prompt import item_code, reply_form
from concord.judges.prompting.request import encoded, request, schema
from concord.model import Item
from tests.support.judges import exported

# Texts of these items are sent as they are by every tool.
ITEMS = {name: exported.ITEMS[name] for name in ("plain", "empty")}
KINDS = ("zero_shot", "few_shot", "own", "separate", "extra")
_FORM = """\
# Reply
Reply with one JSON object of this form and nothing else:

{"reason": "...", "score": "one of 0, 1, 2, 3"}

The score is a plain number."""


def score(body: dict[str, Any]) -> int:
    """Return the score that the server gives a request."""
    return int(sha256(encoded(body)).hexdigest(), 16) % 4


def reply(body: dict[str, Any]) -> str:
    """Return the text of a reply, in the form that the tool asks for."""
    return json.dumps({"reason": "r", "score": score(body)})


def llm_rubric(of: Setup, fingerprint: str, item: Item) -> dict[str, dict[str, Any]]:
    """Return the request of each criterion: that of Concord with what the docs say differs."""
    judge, rubric, shots = of
    alone = judge.changed({"calls": "separate", "output": "text", "confidence": None})
    found = {}
    for criterion in rubric.criteria:
        sent = request(alone, rubric, item, criterion.name, shots)
        form = reply_form(alone, rubric, [criterion])
        code = item_code(rubric, item)
        messages = [
            one | {"content": _of_one_code(one["content"].replace(form, _FORM), code, fingerprint)}
            for one in sent["messages"]
        ]
        grading = schema([criterion], rubric.scale)["properties"][criterion.name]
        named = {"name": "grading", "strict": True, "schema": grading}
        formats = {
            "json_schema": {"type": "json_schema", "json_schema": named},
            "json_object": {"type": "json_object"},
        }
        output = "json_schema" if judge.output == "tool" else judge.output
        asked = {"response_format": formats[output]} if output in formats else {}
        settings = judge.settings() | judge.extra_body
        found[criterion.name] = {
            "model": judge.model,
            "messages": messages,
            # promptfoo has it before the settings that it is given.
            **{key: one for key, one in settings.items() if key == "seed"},
            **asked,
            **settings,
        }
    return found


def _of_one_code(text: str, code: str, fingerprint: str) -> str:
    text = text.replace(" and differs from item to item.", ".").replace(code, fingerprint)
    return re.sub(" If a text itself contained such a marker, [^.]*[.]", "", text)
