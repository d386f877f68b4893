"""Sign-in limit: server resources available to visitors before they sign in.

Streamlit gives every visitor a session, holds whole messages in memory and runs a script for each.
Before sign-in that is a page with a button, so little is enough: few connections at once, in all
and per address, which can be a whole class behind one router, and few, short messages on each. A
connection counts for a while after it ended, so that reconnecting is no way around. Signed-in users
are not counted.
"""

import asyncio
import ipaddress
from collections import Counter

from starlette.types import Message, Receive

MESSAGE_BYTES = 64 * 1024
MESSAGES, PAUSE_S = 200, 0.05
FROM_ONE_ADDRESS, IN_ALL = 50, 100
LINGER_S = 10.0


class PendingConnections:
    """The connections of those who have not signed in, by address."""

    def __init__(self) -> None:
        self._here: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Take a slot; False where the address, or the server, has none left."""
        home = network(address)
        if self._here[home] >= FROM_ONE_ADDRESS or self._here.total() >= IN_ALL:
            return False
        self._here[home] += 1
        return True

    def leave(self, address: str, lingers: bool) -> None:
        """Give a place back, at once or after a while."""
        # Lingering slots stop a visitor from reconnecting as fast as connections are closed.
        asyncio.get_running_loop().call_later(
            LINGER_S if lingers else 0, self._free, network(address)
        )

    def _free(self, home: str) -> None:
        self._here[home] -= 1
        self._here += Counter()  # drops who is not here any more


def network(address: str) -> str:
    """Return what attempts are counted by: the address, or the /64 network of an IPv6 line."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    # One IPv6 line has 2**64 addresses, so a limit on each of them would limit nothing.
    if found.version == 4:
        return address
    return (
        found.ipv4_mapped.compressed
        if found.ipv4_mapped
        else str(ipaddress.ip_network((found, 64), strict=False))
    )


class Throttled:
    """Receives over one connection: slowly, and only so many messages."""

    def __init__(self, receive: Receive):
        self._receive, self._heard = receive, 0

    async def __call__(self) -> Message:
        """The next message."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return message
        self._heard += 1
        if self._heard > MESSAGES:
            return {"type": "websocket.disconnect", "code": 1008}
        # A pause per message bounds how many script runs a visitor can cause, without a limit on
        # the connection.
        await asyncio.sleep(PAUSE_S)
        return message
