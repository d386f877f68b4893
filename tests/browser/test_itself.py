"""The browser tests' own instruments: a fault that happens must be noticed."""

import socket
import subprocess
import sys
import time

import pytest

from tests.support.patience import PATIENT_S


def comes(page, noticed):
    """Wait until a fault is noticed: the browser tells of it when it likes."""
    deadline = time.monotonic() + PATIENT_S
    while not noticed.faults and time.monotonic() < deadline:
        page.wait_for_timeout(20)


def test_a_request_that_leaves_this_machine_is_noticed(page, noticed):
    page.set_content('<img src="http://example.com/pixel.png">')
    comes(page, noticed)
    assert noticed.faults == ["a request left this machine: http://example.com/pixel.png"]
    noticed.forgive("a request left")


def test_a_script_error_is_noticed(page, noticed):
    page.set_content("<script>throw new Error('a slip')</script>")
    comes(page, noticed)
    assert len(noticed.faults) == 1 and "a slip" in noticed.faults[0]
    noticed.forgive("script error")


def test_an_exception_box_is_noticed_even_when_it_has_gone_again(page, noticed):
    page.set_content("<main></main>")
    page.evaluate(
        """() => {
            document.querySelector('main').innerHTML = '<p data-testid="stException">Oh no</p>';
            requestAnimationFrame(() => document.querySelector('main').replaceChildren());
        }"""
    )
    page.wait_for_function("document.querySelector('main').childElementCount == 0")
    comes(page, noticed)
    assert noticed.faults == ["an exception box: Oh no"]
    noticed.forgive("an exception box")


@pytest.mark.parametrize("host", ["example.com", "192.0.2.1"])
def test_no_test_reaches_beyond_this_machine(host, closed_network):
    with pytest.raises(OSError, match="the tests have no network"):
        socket.create_connection((host, 80), timeout=1)
    assert closed_network.read_text() == f"{host}\n"
    closed_network.write_text("")


def test_no_program_that_a_test_starts_reaches_beyond_this_machine(closed_network):
    script = "import socket; socket.create_connection(('example.com', 80), timeout=1)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "the tests have no network" in done.stderr
    assert closed_network.read_text() == "example.com\n"
    closed_network.write_text("")
