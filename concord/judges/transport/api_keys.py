"""API key of an endpoint: typed for a session or from the environment, sent in a header.

It is stored nowhere: a typed key lives in the memory of the session that typed it, and in the
environment of the runs that this session starts.

Where people sign in, a lead decides in a judge file which variable is sent where, although the
variables are the operator's. So each variable is bound to servers there: those in `CONCORD_KEYS`,
else the servers with a fixed address in `concord/judges/definition/providers.toml`, and OpenAI's or
that in OPENAI_BASE_URL.
"""

import base64
import os
import re
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType
from urllib.parse import urlsplit

from concord.judges.definition import providers
from concord.judges.definition.endpoint import OPENAI_URL
from concord.judges.definition.model import Judge
from concord.messages import Problem
from concord.team.members import BOUND

# Sent in place of a key to a server that needs none.
NO_KEY = "none"
# The operator's list: "OPENAI_API_KEY=api.openai.com, GPU_KEY=http://gpu.lan:8000".
KEYS = "CONCORD_KEYS"
_OPENAI = "OPENAI_API_KEY"
# A typed key becomes a variable of a process, where one called PATH would do harm.
_NAME = re.compile(r"\w+_(API_?KEY|KEY|TOKEN|SECRET|PASSWORD)", re.IGNORECASE | re.ASCII)
_LEAST, _LEAST_LETTERS = 6, 16
_LEADING = {"host", ":authority", "forwarded", "x-forwarded-host"}
_PORTS = {"http": 80, "https": 443}


def may_be_typed(judge: Judge) -> bool:
    """Return whether a key typed by the user would be sent to the judge's server."""
    env = judge.endpoint.api_key_env
    needed = judge.endpoint.auth_style() != "none"
    return needed and bool(_NAME.fullmatch(env)) and may_be_sent(env, judge.url())


def key(judge: Judge) -> str:
    """Return the key to send, or `NO_KEY`; a Problem that names the variable of a missing one.

    Where keys are bound, a server on this machine without a key of its own gets none, and any other
    server that the variable is not bound to is a Problem.
    """
    env = judge.endpoint.api_key_env
    found = value(env)
    if os.environ.get(BOUND) and judge.endpoint.auth_style() != "none":
        if not may_be_sent(env, judge.url()):
            if not judge.is_local():
                raise Problem(
                    "Judge {judge} may not send {env} to {url}: where users sign in, each key goes "
                    "only to the servers that the operator of Concord has listed in {keys}.",
                    judge=judge.name,
                    env=env,
                    url=judge.url(),
                    keys=KEYS,
                )
            found = ""
        elif found:
            _without_a_way_round(judge)
    if judge.endpoint.auth_style() == "none" or (not found and judge.is_local()):
        return NO_KEY
    if not found:
        raise Problem(
            "Judge {judge} needs a key for {url}. Set the environment variable {name} to it; for "
            "a server that needs none, set auth to none under [endpoint] in the judge file.",
            judge=judge.name,
            url=judge.url(),
            name=env,
        )
    return checked(env, found)


def checked(env: str, found: str) -> str:
    """Return a key as it is; a Problem where no header can carry it."""
    if not (found.isascii() and found.isprintable()):
        raise Problem(
            "The value of {name} contains characters that are invalid in a key. Copy the key "
            "again.",
            name=env,
        )
    return found


def may_be_sent(env: str, url: str) -> bool:
    """True where a key may be sent to a server: everywhere, unless keys are bound to servers."""
    return not os.environ.get(BOUND) or _origin(url) in _bindings().get(env, set())


def _bindings() -> dict[str, set[tuple[str, str, int]]]:
    """Return the servers that each variable may be sent to; a Problem for an invalid list."""
    pairs = [pair for pair in re.split(r"[,;\s]+", os.environ.get(KEYS, "")) if pair]
    if not pairs:
        pairs = [
            f"{one.endpoint.api_key_env}={one.endpoint.base_url}"
            for one in providers.known().values()
            if one.endpoint.base_url and providers.YOURS not in one.endpoint.base_url
        ]
        openai = (OPENAI_URL, os.environ.get("OPENAI_BASE_URL"))
        pairs += [f"{_OPENAI}={url}" for url in openai if url]
    found: dict[str, set[tuple[str, str, int]]] = {}
    for pair in pairs:
        env, _, where = pair.partition("=")
        try:
            found.setdefault(env, set()).add(
                _origin(where if "//" in where else f"https://{where}")
            )
        except ValueError:
            raise Problem(
                "{list}: “{pair}” is not of the form VARIABLE=host. Correct the environment "
                "variable where Concord is started.",
                list=KEYS,
                pair=pair,
            ) from None
    return found


def _origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of an address; a ValueError without them."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme]


def _without_a_way_round(judge: Judge) -> None:
    """Raise a Problem where a server other than the named one could read the key."""
    # Over https a proxy sees only the host; over http it reads every header.
    if judge.endpoint.proxy and urlsplit(judge.url()).scheme == "http":
        raise Problem(
            "Judge {judge}: a proxy reads the key on its way to {url}, which is not https. Remove "
            "`proxy` under [endpoint].",
            judge=judge.name,
            url=judge.url(),
        )
    if any(name.strip().lower() in _LEADING for name in judge.extra_headers):
        raise Problem(
            "Judge {judge}: a header may not lead the key to another host than {url}. Remove it "
            "from extra_headers.",
            judge=judge.name,
            url=judge.url(),
        )


def headers(judge: Judge, found: str) -> dict[str, str]:
    """Return the header with the key."""
    style = judge.endpoint.auth_style()
    if style in ("api-key", "x-api-key"):
        return {style: found}
    basic = f"Basic {base64.b64encode(found.encode()).decode()}"
    return {"authorization": basic if style == "basic" else f"Bearer {found}"}


def is_word(found: str) -> bool:
    """True where a key is a placeholder like EMPTY or x, for a server that needs none.

    A reply may well contain such a word, and redacting it would garble the reply. No real key is
    shorter than 6 characters, or than 16 where all of them are letters.
    """
    return len(found) < _LEAST or (found.isalpha() and len(found) < _LEAST_LETTERS)


# The keys typed in the session that is served, by the variable in whose place they stand.
typed: ContextVar[Mapping[str, str]] = ContextVar("typed", default=MappingProxyType({}))


def value(env: str) -> str:
    """Return what is typed for a variable, else its value in the environment; '' for none."""
    return (typed.get().get(env) or os.environ.get(env, "")).strip()
