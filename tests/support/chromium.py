"""The Chromium of the browser tests: found on this machine, or installed by `make test`.

Looked for in this order: the CHROMIUM variable, the names it goes by on PATH, the macOS
applications, Playwright's own. Installed, where there is none, by Playwright, else by the system's
package manager. A Chromium that cannot be had is a failure, never a skipped test.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = ("Chromium", "Google Chrome")
NONE = (
    "No Chromium was found that starts, and none could be installed. The browser tests need one: "
    "install Chromium or Google Chrome, or set CHROMIUM to its program file, and repeat."
)
MANAGERS = {
    "apt-get": ("install", "-q", "-y", "chromium"),
    "dnf": ("install", "-y", "chromium"),
    "zypper": ("--non-interactive", "install", "chromium"),
    "pacman": ("-S", "--noconfirm", "chromium"),
    "apk": ("add", "chromium"),
}


def find() -> Path | None:
    """The program file of a Chromium that starts on this machine, None where there is none."""
    named = os.environ.get("CHROMIUM")
    places = [Path(named)] if named else [*_on_path(), *_applications()]
    found = next(filter(_starts, places), None)
    return found if found or named else next(filter(_starts, _playwrights()), None)


def install() -> Path | None:
    """Install a Chromium by the first way that works, and return its program file."""
    patience = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000"}  # ms; then the system's own
    environment = os.environ | patience | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in _ways():
        print(f"No Chromium yet; trying: {' '.join(command)}", flush=True)
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False
        )
        if found := find():
            return found
        if done.returncode:
            print(f"  That did not work: {_reason(done.stderr)}", flush=True)
    return None


def main() -> int:
    """Make sure of a Chromium; 1 and a sentence where that cannot be done."""
    named = os.environ.get("CHROMIUM")
    found = find() or (None if named else install())
    if not found:
        print(f"CHROMIUM names {named}, which does not start." if named else NONE, file=sys.stderr)
        return 1
    print(f"Chromium: {found}")
    if not _has_cjk_font():
        print("Hint: no CJK font here. Tests do not need one; screenshots of Chinese, Japanese or")
        print("Korean text do (Debian, Ubuntu: fonts-noto-cjk).")
    return 0


def _on_path() -> list[Path]:
    return [Path(path) for path in map(shutil.which, NAMES) if path]


def _applications() -> list[Path]:
    folders = (Path("/Applications"), Path.home() / "Applications")
    return [
        folder / f"{name}.app/Contents/MacOS/{name}" for folder in folders for name in APPLICATIONS
    ]


def _playwrights() -> list[Path]:
    with sync_playwright() as playwright:
        return [Path(playwright.chromium.executable_path)]


def _starts(path: Path) -> bool:
    """Whether a program is there and says its version: a stub or missing libraries do not."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.returncode == 0


def _ways() -> list[list[str]]:
    """The commands to try, in order: Playwright's, its libraries', the system's."""
    playwright = [sys.executable, "-m", "playwright"]
    ways = [[*playwright, "install", "chromium"]]
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    manager = next(filter(shutil.which, MANAGERS), None)
    if manager == "apt-get":
        ways.append([*root, manager, "update", "-q"])
    if manager:
        ways.append([*root, manager, *MANAGERS[manager]])
    if shutil.which("brew"):
        ways.append(["brew", "install", "--cask", "google-chrome"])
    return [way for way in ways if shutil.which(way[0])]


def _reason(output: bytes) -> str:
    """The first line that tells of an error, else the last."""
    lines = output.decode(errors="replace").strip().splitlines() or ["it said nothing"]
    return next((line for line in lines if line.startswith(("Error", "E:"))), lines[-1]).strip()


def _has_cjk_font() -> bool:
    if sys.platform == "darwin" or not shutil.which("fc-list"):
        return sys.platform == "darwin"
    fonts = subprocess.run(["fc-list", ":lang=ja"], capture_output=True, check=False)
    return bool(fonts.stdout.strip())


if __name__ == "__main__":
    sys.exit(main())
