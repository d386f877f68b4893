"""Requests of a metric as requests of a judge, and the parsing of replies. Pure."""

from decimal import Decimal
from typing import Any

from concord.definitions import digest
from concord.judges.definition.model import Judge
from concord.judges.metric_runs.undefined import Undefined, Unreadable
from concord.judges.prompting.prompt import chat
from concord.judges.prompting.reply import Verdict, objects
from concord.judges.prompting.request import body as with_settings


def texts(ask: Any) -> list[Any]:
    """Return all that a request sends: messages, reply format, and the number of the vote."""
    return [ask.system, ask.user, ask.schema(), ask.vote]


def part(ask: Any) -> str:
    """Return the identity of a request, 16 hex digits: it is sent once per judge and repeat."""
    return digest(texts(ask))


def body(judge: Judge, ask: Any) -> dict[str, Any]:
    """The request under the judge's settings and output mode."""
    return with_settings(judge, chat(judge, ask.system, ask.user), ask.schema())


def read(completion: Any, ask: Any) -> Any:
    """Return the parsed completion; Undefined where it is unusable.

    It must contain exactly one object: of two, either may be an echo of the reply format.
    """
    found = objects(completion)
    if isinstance(found, Verdict):
        raise Undefined(found.status, found.why)
    if len(found) != 1:
        raise Undefined("unparsable", "The reply holds {n} objects, and not one.", n=len(found))
    try:
        return ask.read(_plain(found[0]))
    except Unreadable as error:
        raise Undefined("unparsable", str(error)) from None


def _plain(value: Any) -> Any:
    """The value with numbers as Python has them: whole ones as integers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
