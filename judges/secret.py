"""The key of an endpoint: found in the environment, sent in a header, kept nowhere."""

import base64
import os
from collections.abc import Mapping

from judges.model import Judge
from problems import Problem
from words.said import said

# What is sent in the place of a key to a server that needs none.
NO_KEY = "none"
_LEAST, _LEAST_LETTERS = 6, 16


def key(judge: Judge, environ: Mapping[str, str] = os.environ) -> str:
    """The key to send, or `NO_KEY`; a Problem that names the variable where one is missing."""
    env = judge.endpoint.api_key_env
    found = environ.get(env, "").strip()
    if judge.endpoint.auth_style() == "none" or (not found and judge.is_local(environ)):
        return NO_KEY
    if not found:
        raise Problem(
            said(
                "Judge {judge} needs a key for {url}. Set the environment variable {name} to it; "
                "for a server that needs none, set auth to none under [endpoint] in the judge "
                "file.",
                judge=judge.name,
                url=judge.url(environ),
                name=env,
            )
        )
    if not (found.isascii() and found.isprintable()):
        raise Problem(
            said(
                "The value of {name} holds characters that no key has. Copy the key into the "
                "environment variable again.",
                name=env,
            )
        )
    return found


def headers(judge: Judge, found: str) -> dict[str, str]:
    """The headers that carry the key, where it is not sent as a bearer token or to Azure."""
    style = judge.endpoint.auth_style()
    if style == "basic":
        return {"Authorization": f"Basic {base64.b64encode(found.encode()).decode()}"}
    if style in ("api-key", "x-api-key") and judge.endpoint.azure_endpoint is None:
        return {style: found}
    return {}


def is_word(found: str) -> bool:
    """Whether a key is a word like EMPTY or x, put there for a server that needs none.

    A reply may well hold such a word, and taking it out would spoil what it says. No key that keeps
    anything is shorter than 6 characters, or than 16 where all of them are letters.
    """
    return len(found) < _LEAST or (found.isalpha() and len(found) < _LEAST_LETTERS)
