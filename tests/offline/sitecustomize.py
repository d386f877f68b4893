"""Closes the network but for this machine; Python imports it by itself when it is on PYTHONPATH.

The tests put this folder there, so that the servers and commands they start are closed too, and
close their own process with `close_network`. An attempt is refused as a machine without a network
would refuse it, and noted in the file named by `CONCORD_TEST_ATTEMPTS`, where the tests find it.
Names under `.invalid` cannot exist anywhere: asking for one is refused but not held against a test.
"""

import os
import socket

_LOCAL = ("127.", "::1", "localhost", "0.0.0.0")


def is_local(host: object) -> bool:
    """Whether an address stays on this machine; None and '' mean this machine."""
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    return not name or name == "::" or name.startswith(_LOCAL)


def close_network(patch=setattr) -> None:
    """Refuse names and connections beyond this machine; `patch(owner, name, value)` puts it in."""
    look_up, connect, connect_ex = (
        socket.getaddrinfo,
        socket.socket.connect,
        socket.socket.connect_ex,
    )

    def closed_look_up(host, *args, **options):
        if not is_local(host):
            _note(host)
            raise socket.gaierror(socket.EAI_NONAME, "the tests have no network")
        return look_up(host, *args, **options)

    def closed_connect(self, address):
        _refuse_far(self, address)
        return connect(self, address)

    def closed_connect_ex(self, address):
        _refuse_far(self, address)
        return connect_ex(self, address)

    patch(socket, "getaddrinfo", closed_look_up)
    patch(socket.socket, "connect", closed_connect)
    patch(socket.socket, "connect_ex", closed_connect_ex)


def _refuse_far(sock: socket.socket, address) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and not is_local(address[0]):
        _note(address[0])
        raise ConnectionRefusedError("the tests have no network")


def _note(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name.endswith(".invalid"):
        return
    with open(os.environ["CONCORD_TEST_ATTEMPTS"], "a", encoding="utf-8") as attempts:
        attempts.write(f"{name}\n")


if __name__ == "sitecustomize" and "CONCORD_TEST_ATTEMPTS" in os.environ:
    close_network()
