"""The wheel, installed into an empty environment and used from an empty folder.

The environment borrows the packages that the tests run on; the checkout is not among them.
"""

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support import browser
from tests.support.source import ROOT, name
from tests.support.wheels import clean_environment, finished

SHIPPED = (
    *("app.py", "server.py", ".streamlit/config.toml", "pages"),
    *("rubrics", "judges", "data/samples", "docs"),
)


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
            where = {"cwd": self.folder, "env": clean_environment(self.folder)}
            return Process(command, stdout=log, stderr=log, **where)


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
    installed, empty_folder, installed_sample
):
    environment = {"env": clean_environment(empty_folder)}
    where = [installed / "python", "-c", "import concord; print(concord.__file__)"]
    assert Path(finished(where, empty_folder, **environment).strip()).is_relative_to(
        installed.parent
    )
    concord = installed / "concord-judges"
    assert finished([concord, "--help"], empty_folder, **environment).startswith(
        "Usage: concord-judges "
    )
    found = finished([concord, "agreement", "--json"], empty_folder, **environment)
    assert json.loads(found)["rows"]
    assert found == finished(
        [sys.executable, "cli.py", "--db", installed_sample, "agreement", "--json"], ROOT
    )
    assert list(empty_folder.iterdir()) == []


def test_the_installed_package_gives_pytest_its_fixture(installed, empty_folder):
    environment = {"env": clean_environment(empty_folder)}
    asked = [installed / "python", "-m", "pytest", "--fixtures", "-p", "no:cacheprovider"]
    listed = subprocess.run(
        list(map(str, asked)), cwd=empty_folder, capture_output=True, text=True, **environment
    )
    assert "certified_judge" in listed.stdout


@pytest.mark.usefixtures("installed_sample")
def test_the_installed_app_shows_the_sample_in_the_browser(installed, empty_folder, tmp_path, page):
    server = Installed(installed, empty_folder, tmp_path / "server.log").start()
    try:
        browser.visit(page, server, "/agreement")
        expect(page.locator(".st-key-screens")).to_be_visible()
        expect(page.get_by_text("baseline").first).to_be_visible()
        assert "127.0.0.1" in server.output()
    finally:
        server.stop()
