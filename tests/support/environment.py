"""The variables of the environment by which a judge's endpoint and its key are found."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from unittest.mock import patch

from concord.judges.transport.api_keys import KEYS
from concord.team.members import BOUND

_OURS = {"OPENAI_API_KEY", "OPENAI_BASE_URL", BOUND, KEYS}


@contextmanager
def environment(given: Mapping[str, str]) -> Iterator[None]:
    """Of these variables, and those that name a proxy, only the given ones are set."""
    others = {
        name: value
        for name, value in os.environ.items()
        if name not in _OURS and not name.lower().endswith("_proxy")
    }
    with patch.dict(os.environ, {**others, **given}, clear=True):
        yield
