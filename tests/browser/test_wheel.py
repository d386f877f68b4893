"""The wheel, installed into an empty environment and used from an empty folder.

The environment borrows the packages that the tests run on; the checkout is not among them.
"""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support import browser
from tests.support.source import ROOT, name

SHIPPED = (
    *("app.py", "server.py", ".streamlit/config.toml", "pages"),
    *("rubrics", "judges", "data/samples", "docs"),
)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel, built as `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("dist")
    _done([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", folder], ROOT)
    (built,) = folder.glob("concord_judges-*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """The folder of the scripts of an environment that holds the wheel."""
    place = tmp_path_factory.mktemp("environment")
    _done([sys.executable, "-m", "venv", "--without-pip", place], place)
    (site,) = place.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", place / "bin" / "python"]
    _done([*pip, "install", "--quiet", "--no-index", "--no-compile", wheel], place)
    return place / "bin"


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """An empty folder, with a home of its own beside it."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="session")
def installed_sample(installed, folder):
    """The database with the sample that the installed `concord demo` has made."""
    _done([installed / "concord-judges", "demo"], folder, env=_environment(folder))
    (db,) = folder.with_name("home").rglob("concord.db")
    return db


class Process(subprocess.Popen):
    """A process that is asked as those of `multiprocessing` are."""

    def is_alive(self) -> bool:
        return self.poll() is None

    def join(self, timeout: float | None = None) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(timeout)


class Installed(browser.Server):
    """The app as the installed `concord app` opens it, in a process of its own."""

    def __init__(self, scripts: Path, folder: Path, log: Path):
        super().__init__(folder / "concord.db", log)
        self.scripts, self.folder = scripts, folder

    def _started(self) -> Process:
        command = [self.scripts / "concord", "app", "--port", str(self.port)]
        with self.log.open("ab") as log:
            where = {"cwd": self.folder, "env": _environment(self.folder)}
            return Process(command, stdout=log, stderr=log, **where)


def _environment(folder: Path) -> dict[str, str]:
    """No database is named, and the user's folders lie beside the empty one."""
    own = ("OPENAI_", "STREAMLIT_", "CONCORD_DB", "XDG_", "DISPLAY", "WAYLAND_DISPLAY")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(own)}
    return kept | {"HOME": str(folder.with_name("home"))}


def _done(command: list, folder: Path, **more) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_what_the_program_reads(wheel):
    expected = set(_files("concord"))
    for place in SHIPPED:
        expected |= {f"concord/shipped/{path}" for path in _files(place)}
    held = {path for path in zipfile.ZipFile(wheel).namelist() if path.startswith("concord/")}
    assert held == expected


def _files(place: str) -> Iterator[str]:
    found = [ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*")
    return (name(path) for path in found if path.is_file() and "__pycache__" not in path.parts)


def test_the_installed_concord_loads_the_sample_and_computes_agreement(
    installed, folder, installed_sample
):
    environment = {"env": _environment(folder)}
    where = [installed / "python", "-c", "import concord; print(concord.__file__)"]
    assert Path(_done(where, folder, **environment).strip()).is_relative_to(installed.parent)
    concord = installed / "concord-judges"
    assert _done([concord, "--help"], folder, **environment).startswith("Usage: concord-judges ")
    found = _done([concord, "agreement", "--json"], folder, **environment)
    assert json.loads(found)["rows"]
    assert found == _done(
        [sys.executable, "cli.py", "--db", installed_sample, "agreement", "--json"], ROOT
    )
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("installed_sample")
def test_the_installed_app_shows_the_sample_in_the_browser(installed, folder, tmp_path, page):
    server = Installed(installed, folder, tmp_path / "server.log").start()
    try:
        browser.visit(page, server, "/agreement")
        expect(page.locator(".st-key-screens")).to_be_visible()
        expect(page.get_by_text("baseline").first).to_be_visible()
        assert "127.0.0.1" in server.output()
    finally:
        server.stop()
