"""The source of the key of an endpoint: typed for a session, else from the environment."""

import os
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType

# The keys typed in the session that is served, by the variable in whose place they stand.
typed: ContextVar[Mapping[str, str]] = ContextVar("typed", default=MappingProxyType({}))


def value(env: str) -> str:
    """Return what is typed for a variable, else its value in the environment; '' for none."""
    return (typed.get().get(env) or os.environ.get(env, "")).strip()
