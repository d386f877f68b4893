"""Addresses of a judge's requests: below the endpoint's URL, by the kind of judge."""

import re
from urllib.parse import urlsplit

from concord.judges.definition.model import Judge

CHAT = "/chat/completions"
_WHOLE = ("decisions", "systemone")  # a URL that ends in one of these is the address itself
_VERSION = re.compile(r"v[0-9]+[a-z0-9]*", re.IGNORECASE)


def of(judge: Judge) -> str:
    """Return the address that a judge's requests are posted to.

    That of a decision model is whole; that of a chat model is below the endpoint's URL. A URL of
    System One may end in its version or not.
    """
    if judge.kind != "decision":
        return CHAT
    url = judge.url()
    last = urlsplit(url).path.rpartition("/")[2]
    if last in _WHOLE:
        return url
    if judge.dialect == "openai":
        return f"{url}/decisions"
    return f"{url}/systemone" if _VERSION.fullmatch(last) else f"{url}/v1/systemone"
