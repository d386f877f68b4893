"""A real server and a real Chromium: what the browser tests stand on.

Fixtures made of these are in conftest.py: `serve`, `server`, `page` and `noticed`.

The Chromium of the browser tests: found on this machine, or installed by `make test`.

Looked for in this order: the CHROMIUM variable, the names it goes by on PATH, the macOS
applications, Playwright's own. A Chromium that cannot be had is a failure, never a skipped test.

Processes that run what a wheel has installed.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Self
from urllib.error import URLError
from urllib.parse import urlsplit
from weakref import WeakSet

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    WebSocket,
    expect,
    sync_playwright,
)
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from concord.resources import ROOT
from tests.support import warm_server
from tests.support.patience import PATIENT_S, until

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = [
    f"/Applications/{name}.app/Contents/MacOS/{name}" for name in ("Chromium", "Google Chrome")
]
NONE = (
    "No Chromium starts here, and none could be installed. The browser tests need one: "
    "install Chromium or Google Chrome, or set CHROMIUM to its program file, and repeat."
)


def find() -> Path | None:
    """The program file of a Chromium that starts on this machine, None where there is none."""
    named = os.environ.get("CHROMIUM")
    places = [named] if named else [*filter(None, map(shutil.which, NAMES)), *APPLICATIONS]
    found = next(filter(_starts, map(Path, places)), None)
    if found or named:
        return found
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    return own if _starts(own) else None


def main() -> int:
    """Make sure of a Chromium, by Playwright else by apt; 1 and a sentence where that fails."""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    patience = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}  # ms
    environment = os.environ | patience | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        [sys.executable, "-m", "playwright", "install", "chromium"],
        [*root, "apt-get", "update", "-q"],
        [*root, "apt-get", "install", "-q", "-y", "chromium"],
    ):
        if not find() and "CHROMIUM" not in os.environ and shutil.which(command[0]):
            subprocess.run(command, stdin=subprocess.DEVNULL, env=environment, check=False)
    found = find()
    print(f"Chromium: {found}" if found else NONE)
    return not found


def _starts(path: Path) -> bool:
    """Whether a program is there and says its version: a stub or missing libraries do not."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.returncode == 0


FAILED = pytest.StashKey[bool]()
SETTLED_MS = 120_000
CLICKS = 24  # a click that a drawing lost costs 10 seconds, and even a slow machine is no fault
# A slow machine is no fault, and what is there at once costs no time.
expect.set_options(timeout=SETTLED_MS)
ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-dev-shm-usage",
    # Every window would draw the address bar's suggestions, which no test sees.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,AimEnabled",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
# Tells the test of every exception box, also one that is gone again when the test ends, and of all
# that the page was refused by its content security policy.
WATCH = """
new MutationObserver(() => {
  for (const box of document.querySelectorAll('[data-testid="stException"]:not([data-told])')) {
    box.dataset.told = '1';
    window.concordException(box.innerText);
  }
}).observe(document, {childList: true, subtree: true});
document.addEventListener('securitypolicyviolation', event => window.concordException(
  `the page's policy forbids ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
# Without a graphics card every frame of an animation is drawn by the processor.
STILL = """
const still = new CSSStyleSheet();
still.replaceSync(
  '*, *::before, *::after { animation: none !important; transition: none !important; }');
document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
"""
# What was just clicked asks for a run only after it is drawn, however slow the machine.
DRAWN = """
() => new Promise(done => requestAnimationFrame(() => setTimeout(
  () => requestAnimationFrame(() => setTimeout(done, 50)), 50)))
"""

# Whether the page or its main area scrolls sideways.
TOO_WIDE = """() => [document.documentElement, document.querySelector('[data-testid="stMain"]')]
  .some(one => one.scrollWidth > one.clientWidth)"""

# Ports of servers that have ended. The browser keeps the scripts of an address, compiled, so that
# the next server at it is opened in less time.
ENDED: list[int] = []

# Tabs that have asked for a run of their script whose end they have not been told.
AWAITING: WeakSet[Page] = WeakSet()


class Server:
    """The app as a user starts it, with a database of its own, on a port of its own.

    Attributes:
        db: The database file.
        url: Its address, without a slash at the end.
        folder: Where it is started.
    """

    folder = ROOT

    def __init__(self, db: Path, log: Path, script: str = "app.py", **variables: str):
        self.db = db
        self.log = log
        self.script = script
        self.variables = variables
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: BaseProcess | None = None

    def start(self) -> Self:
        """Start it and wait until it answers; AssertionError with its output where it does not."""
        self.process = self._started()
        deadline = time.monotonic() + PATIENT_S
        while not self._healthy():
            assert self.process.is_alive(), f"The server ended at once:\n{self.output()}"
            assert time.monotonic() < deadline, f"The server does not answer:\n{self.output()}"
            time.sleep(0.05)
        return self

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL)."""
        self.process.kill()
        self.process.join()

    def stop(self) -> None:
        """End it politely, where it still runs."""
        if self.process and self.process.is_alive():
            self.process.terminate()
            self.process.join(10)
            self.kill()

    def end(self) -> None:
        """Stop it for good: another server may then have its port."""
        self.stop()
        ENDED.append(self.port)

    def restart(self) -> Self:
        """Start it again on the same port and database."""
        self.stop()
        return self.start()

    def output(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(errors="replace")

    def _started(self) -> BaseProcess:
        arguments = ["run", self.script, f"--server.port={self.port}"]
        return warm_server.start(arguments, self.folder, self._environment(), self.log)

    def _environment(self) -> dict[str, str]:
        own = ("OPENAI_", "STREAMLIT_", "CONCORD_DB")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(own)}
        return kept | {"CONCORD_DB": str(self.db)} | self.variables

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as reply:
                return reply.status == 200
        except (URLError, OSError):
            return False


@dataclass
class Noticed:
    """What happened in the browser during a test; the test fails at its end for any fault.

    A test that provokes faults on purpose forgives them by how they begin.
    """

    requests: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        """Note every request, script error and exception box of a context's pages."""
        context.on("request", lambda request: self._requested(request.url))
        context.on("weberror", lambda web: self.faults.append(f"script error: {web.error}"))
        context.on("page", self._opened)
        context.expose_binding("concordException", lambda _, text: self._exception(text))
        context.add_init_script(WATCH)

    def begin(self) -> None:
        """Forget all that was noticed."""
        self.requests, self.faults = [], []

    def forgive(self, kind: str) -> None:
        """Forget the faults that begin so: 'script error', 'an exception box', 'a request left'."""
        self.faults = [fault for fault in self.faults if not fault.startswith(kind)]

    def _opened(self, page: Page) -> None:
        page.on("domcontentloaded", lambda: AWAITING.add(page))
        page.on("websocket", lambda connection: self._connected(page, connection))

    def _connected(self, page: Page, connection: WebSocket) -> None:
        self._requested(connection.url)
        connection.on("framesent", lambda frame: _sent(page, frame))
        connection.on("framereceived", lambda frame: _received(page, frame))

    def _requested(self, url: str) -> None:
        self.requests.append(url)
        at_home = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:")
        if not url.startswith(at_home):
            self.faults.append(f"a request left this machine: {url}")

    def _exception(self, text: str) -> None:
        self.faults.append(f"an exception box: {text}")


@contextmanager
def launched() -> Iterator[Browser]:
    """One Chromium, closed at the end; AssertionError where there is none."""
    found = find()
    assert found, NONE
    with sync_playwright() as playwright:
        limits = {"timeout": SETTLED_MS}
        browser = playwright.chromium.launch(executable_path=found, args=[*ARGUMENTS], **limits)
        yield browser
        browser.close()


class Profile:
    """A browser profile that tests use one after another, each finding it as if it were new.

    It stays open, because a new profile with a window of its own costs as much as two screens.
    """

    def __init__(self, chromium_: Browser):
        options = {"viewport": {"width": 1280, "height": 900}, "locale": "en"}
        self.context = chromium_.new_context(**options, reduced_motion="reduce")
        self.context.set_default_timeout(SETTLED_MS)
        self.context.add_init_script(STILL)
        self.noticed = Noticed()
        self.noticed.watch(self.context)
        self._blank = self.context.new_page()  # the window closes with its last tab

    def clean(self) -> None:
        """Close every tab and remove what was stored: cookies, and the data of each origin."""
        for page in self.context.pages:
            if page != self._blank:
                page.close()
        self.context.clear_cookies()
        self.context.clear_permissions()
        session = self.context.new_cdp_session(self._blank)
        stored = "local_storage,indexeddb,cache_storage,service_workers"
        for url in {*map(_origin, self.noticed.requests)} - {None}:
            session.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": stored})
        session.detach()


def _origin(url: str) -> str | None:
    parts = urlsplit(url)
    return f"http://{parts.netloc}" if parts.scheme == "http" else None


def visit(page: Page, server: Server, path: str = "/") -> None:
    """Open a path of the app (with its query) and wait until the screen stands still."""
    page.goto(server.url + path)
    settled(page)


def settled(page: Page) -> None:
    """Wait until the app is connected, every run that was asked for has ended, and none goes on.

    A test that can wait for what a click brings waits for that.
    """
    page.evaluate(DRAWN)
    app = page.get_by_test_id("stApp")
    deadline = time.monotonic() + SETTLED_MS / 1000
    while True:
        expect(app).to_have_attribute("data-test-connection-state", "CONNECTED")
        expect(app).to_have_attribute("data-test-script-state", "notRunning")
        if page not in AWAITING:
            return
        assert time.monotonic() < deadline, "the screen does not come to rest"
        page.wait_for_timeout(20)


def _sent(page: Page, frame: bytes | str) -> None:
    if isinstance(frame, bytes) and BackMsg.FromString(frame).HasField("rerun_script"):
        AWAITING.add(page)


def _received(page: Page, frame: bytes | str) -> None:
    if not isinstance(frame, bytes):
        return
    told = ForwardMsg.FromString(frame)
    again = ForwardMsg.ScriptFinishedStatus.FINISHED_EARLY_FOR_RERUN
    if told.HasField("script_finished") and told.script_finished != again:
        AWAITING.discard(page)


def click_into(page: Page, click: Callable[[], None], works: Callable[[], Any]) -> None:
    """Click into a drawing until that works: at the first click it may not yet stand still."""
    for _ in range(CLICKS):
        click()
        deadline = time.monotonic() + PATIENT_S / CLICKS
        while not works() and time.monotonic() < deadline:
            page.wait_for_timeout(50)
        if works():
            return settled(page)
    raise AssertionError("a click into a drawing has no effect")


def picture_failure(context: BrowserContext, test: pytest.Item) -> None:
    """Leave a picture of every tab that shows something in test-results/ where the test failed."""
    if test.stash.get(FAILED, False):
        (ROOT / "test-results").mkdir(exist_ok=True)
        shown = [page for page in context.pages if page.url != "about:blank"]
        for number, page in enumerate(shown):
            page.screenshot(path=ROOT / "test-results" / f"{test.name}-{number}.png")


def free_port() -> int:
    """A port of this machine that nothing listens on: one of a server that has ended, or any."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # else it waits for a minute
        while ENDED:
            with suppress(OSError):
                probe.bind(("127.0.0.1", ENDED.pop()))
                return probe.getsockname()[1]
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def keyed(page: Page, key: str, within: str = "") -> Locator:
    """What a widget with a key drew, or its button, field or box `within`."""
    of_key = re.sub(r"[^a-zA-Z0-9_-]", "-", key)
    return page.locator(f".stElementContainer.st-key-{of_key} {within}")


def press(page: Page, key: str) -> None:
    """Click a button by its key, and wait until the screen stands still."""
    keyed(page, key, "button").first.click()
    settled(page)


def fits(page: Page) -> None:
    """Assert that nothing scrolls sideways on a telephone nor on a desktop, which it is left on."""
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        until(lambda width=width: not page.evaluate(TOO_WIDE), SETTLED_MS / 1000)


def clean_environment(folder: Path) -> dict[str, str]:
    """No database is named, and the user's folders lie beside the empty one."""
    own = ("OPENAI_", "STREAMLIT_", "CONCORD_DB", "XDG_", "DISPLAY", "WAYLAND_DISPLAY")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(own)}
    return kept | {"HOME": str(folder.with_name("home"))}


def finished(command: list, folder: Path, **more) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
