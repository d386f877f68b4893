"""Near judges: a tool's own LLM judge with the prompt of ours, which is another judge.

Such a tool reads one score from the top of a reply. So each criterion is asked alone, with another
form of the reply, and what differs further is the tool's. The certificate does not hold for it.
"""

import json
from typing import Any

from concord.judges.exporting.carried import Carried, template
from concord.judges.prompting.prompt import (
    CODE_OF_ITEM,
    MARKERS_REWRITTEN,
    MATERIALS,
    reply_form,
)
from concord.messages import Problem, joined, said

OTHER_JUDGE = said(
    "The exported judge differs from the one measured here; calibrate it before use."
)
ALONE = said("Each criterion is graded in a separate request.")
_UNSENT = ("larger", "logprobs", "confidence")


def asked_alone(carried: Carried, criterion: str, reply: str) -> list[dict[str, str]]:
    """Return the messages that ask about one criterion, with another form of the reply.

    Their texts are templates, as those of a `Call`.
    """
    alone = carried.judge.changed({"calls": "separate", "output": "text", "confidence": None})
    body = template(alone, carried.rubric, criterion, carried.shots)
    # Without `$`, since a criterion's name and a scale have none.
    form = reply_form(alone, carried.rubric, [carried.rubric.criterion(criterion)])
    changes = {form: reply} | {known: of_one_code(known) for known in MATERIALS}
    return [one | {"content": _replaced(one["content"], changes)} for one in body["messages"]]


def of_one_code(material: str) -> str:
    """Return what a prompt says of the texts where a tool fills them in, with one code for all."""
    return material.replace(CODE_OF_ITEM, "").replace(MARKERS_REWRITTEN, "")


def _replaced(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def lowest_passing(carried: Carried, criterion: str) -> int:
    """Return the lowest score that does not fail; the highest of all where each one fails."""
    scale, failing = carried.rubric.scale, carried.rubric.failing
    passing = {*scale} - failing(carried.rubric.criterion(criterion))
    return min(passing, default=scale[-1])


def tags(carried: Carried) -> dict[str, str]:
    """Return the judge and the digest and expiry of its certificate, as flat texts."""
    certificate = carried.certificate or {}
    return {
        "concord_judge": f"{carried.judge.name}@{carried.fingerprint}",
        "concord_certificate": certificate.get("digest") or "none",
        "concord_certificate_expires": certificate.get("expires_at") or "none",
    }


def refuse_decisions(carried: Carried, tool: str) -> None:
    """Raise a Problem for a decision model, which has no messages."""
    if carried.judge.kind == "decision":
        raise Problem(
            "{judge} is a decision model, which {tool} cannot ask. Export it for “python” or "
            "another tool.",
            judge=carried.judge.name,
            tool=tool,
        )


def refuse_endpoint(carried: Carried, tool: str, instead: str) -> None:
    """Raise a Problem where a tool could not reach the server, or would send it another key."""
    endpoint = carried.judge.endpoint
    if endpoint.azure_endpoint is not None or endpoint.auth_style() != "bearer":
        raise Problem(
            "{tool} sends keys as bearer tokens only, and {judge} has another `auth` or Azure. "
            "Export it for “{instead}”.",
            judge=carried.judge.name,
            tool=tool,
            instead=instead,
        )


def not_carried(carried: Carried, *keys: str) -> list[str]:
    """Return a sentence that names the settings of the judge file that are not carried, if any."""
    judge, endpoint = carried.judge, carried.judge.endpoint
    limits = ("proxy", "requests_per_minute", "tokens_per_minute")
    lost = [key for key in (*keys, *_UNSENT) if getattr(judge, key)]
    lost += [key for key in limits if getattr(endpoint, key)]
    return [said("Not exported: {keys}.", keys=joined(", ", lost))] if lost else []


def as_json(made: Any) -> str:
    """Return a value as indented JSON without characters that cannot be seen."""
    text = json.dumps(made, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    return "".join(
        one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in text
    )
