"""HTTP transport over aiohttp, which sends a request and reads the reply.

A reply is bounded in size; timeouts are the caller's. Redirects are not followed, cookies are not
kept, and proxies of the environment are not used.
"""

import ssl
import time
from collections.abc import Mapping
from typing import NamedTuple

import aiohttp

from concord.messages import said

CONNECT_TIMEOUT_S = 10
BROKE_OFF = "The connection broke off before the reply was complete."
NOT_TRUSTED = "its TLS certificate is not trusted"
NO_TLS = "it does not speak TLS"
TLS_FAULTS = (NOT_TRUSTED, NO_TLS)


class Head(NamedTuple):
    """Address and headers of a request."""

    url: str
    headers: Mapping[str, str]
    method: str = "POST"


class Reply(NamedTuple):
    """A server's reply: HTTP status, headers, body, and the seconds it took."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    seconds: float = 0.0

    @property
    def is_success(self) -> bool:
        """True for a status of success."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The body as text; bytes that are no UTF-8 are replaced."""
        return self.content.decode(errors="replace")


class NoReply(Exception):
    """Missing or unreadable reply: the reason, and in `status` that of the item."""

    def __init__(self, why: str, status: str = "failed"):
        super().__init__(why)
        self.status = status


class Unreachable(NoReply):
    """No connection could be made; says why, in words that leave the address out."""


class Connections:
    """The connections of one client; made inside a running event loop.

    `reply_bytes` is the longest reply that is read. `tls`: None if the address is not https.
    """

    def __init__(
        self, reply_bytes: int, tls: ssl.SSLContext | None = None, proxy: str | None = None
    ):
        self._reply_bytes = reply_bytes
        self._session = aiohttp.ClientSession(
            # No limit here: the pace decides how many requests are in flight. One that queued
            # inside aiohttp would spend its timeout before it was sent.
            connector=aiohttp.TCPConnector(limit=0, ssl=tls or True),
            # A cookie of one reply would go with later requests, and answers must not depend on
            # order.
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=proxy,
            timeout=aiohttp.ClientTimeout(sock_connect=CONNECT_TIMEOUT_S),
        )

    async def attempt(self, head: Head, content: bytes) -> Reply:
        """Send a request once and read the reply.

        Raises:
            NoReply: It broke off, is too long, or no connection could be made.
        """
        begun = time.perf_counter()
        try:
            async with self._session.request(
                head.method, head.url, headers=head.headers, data=content, allow_redirects=False
            ) as reply:
                body = await self._body(reply)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Unreachable(_reason(error)) from None
        except (aiohttp.ClientError, OSError):
            raise NoReply(BROKE_OFF) from None
        return Reply(reply.status, reply.headers, body, time.perf_counter() - begun)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def _body(self, reply: aiohttp.ClientResponse) -> bytes:
        """The body of a reply, given up as soon as it is known to be too long."""
        # The announced length spares the download, but a server may announce none, or a wrong one.
        announced, whole = reply.content_length or 0, bytearray()
        if announced <= self._reply_bytes:
            while chunk := await reply.content.readany():
                whole += chunk
                if len(whole) > self._reply_bytes:
                    break
        if max(announced, len(whole)) > self._reply_bytes:
            why = said("The reply is larger than {n:,} bytes.", n=self._reply_bytes)
            raise NoReply(why, "unparsable")
        return bytes(whole)


def _reason(error: Exception) -> str:
    """Return why the connection failed."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "the host name is unknown"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return NOT_TRUSTED
    if isinstance(error, aiohttp.ClientSSLError):
        return NO_TLS
    if isinstance(getattr(error, "os_error", error), ConnectionRefusedError):
        return "the connection was refused"
    return "no connection could be made"
