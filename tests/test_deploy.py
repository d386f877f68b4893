"""What starts Concord for a team: no secret in the image, no root, one place for the database."""

import os
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.request
from urllib.error import URLError

import pytest
import yaml

from tests.support.browser import free_port
from tests.support.patience import PATIENT_S
from tests.support.source import ROOT


def lines(name: str) -> list[str]:
    return (ROOT / name).read_text(encoding="utf-8").splitlines()


def test_the_image_holds_no_secret_and_no_database():
    ignored = set(lines(".dockerignore"))
    assert {".env", ".streamlit/secrets.toml", "**/*.db", "**/*.db-*", ".git"} <= ignored
    said = " ".join(line for line in lines("Dockerfile") if line.startswith(("ENV", "ARG")))
    assert "KEY" not in said and "SECRET" not in said


def test_the_image_installs_what_is_locked():
    assert "RUN pip install --require-hashes -r requirements.txt" in lines("Dockerfile")


def test_the_container_is_run_by_nobody_special_and_writes_on_its_volume_alone():
    said = lines("Dockerfile")
    users = [line for line in said if line.startswith("USER")]
    assert users == ["USER concord"] and said.index("USER concord") < said.index("VOLUME /data")
    assert "ENV CONCORD_DB=/data/concord.db" in said
    composed = "\n".join(lines("compose.yaml"))
    assert "- data:/data" in composed and "read_only: true" in composed


def test_only_the_proxy_is_reached_from_outside_and_concord_believes_it():
    composed = "\n".join(lines("compose.yaml"))
    assert composed.count("ports:") == 1 and 'ports: ["80:80", "443:443"]' in composed
    assert 'CONCORD_BEHIND_PROXY: "1"' in composed


def test_the_proxy_writes_no_links_secret_into_its_log():
    assert any('request>uri regexp "/join/' in line for line in lines("deploy/Caddyfile"))


def test_the_app_alone_listens_on_this_machine_only_and_under_its_own_names():
    with (ROOT / ".streamlit/config.toml").open("rb") as file:
        server = tomllib.load(file)["server"]
    assert server["address"] == "127.0.0.1"
    assert server["allowedHosts"] == ["localhost", "127.0.0.1", "::1"]


def test_the_demo_is_the_same_image_and_can_write_in_memory_only():
    (demo,) = yaml.safe_load("\n".join(lines("deploy/demo.compose.yaml")))["services"].values()
    assert (ROOT / "deploy" / demo["build"] / "Dockerfile").resolve() == ROOT / "Dockerfile"
    assert demo["read_only"] and demo["tmpfs"] == ["/tmp", "/data"] and demo["cap_drop"] == ["ALL"]
    assert "user" not in demo and "volumes" not in demo
    assert "KEY" not in str(demo) and "SECRET" not in str(demo)


def test_the_command_of_the_demo_serves_the_sample_and_leaves_it_as_it_was(tmp_path):
    (demo,) = yaml.safe_load("\n".join(lines("deploy/demo.compose.yaml")))["services"].values()
    shell, port, db = shlex.split(demo["command"]), free_port(), tmp_path / "concord.db"
    assert shell[:2] == ["sh", "-c"] and demo["ports"] == ["8501:8501"]
    python = shlex.quote(sys.executable)
    asked = shell[2].replace("python ", f"{python} ").replace("8501", str(port))
    asked = asked.replace("0.0.0.0", "127.0.0.1")  # no test listens to other machines
    env = os.environ | demo["environment"] | {"CONCORD_DB": str(db)}
    with (tmp_path / "log").open("wb") as log:
        running = subprocess.Popen(["sh", "-c", asked], cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        assert served(f"http://127.0.0.1:{port}/_stcore/health", running)
        before = db.read_bytes()
        named = urllib.request.Request(
            f"http://127.0.0.1:{port}/", headers={"Host": "demo.example"}
        )
        with urllib.request.urlopen(named, timeout=PATIENT_S) as reply:
            assert reply.status == 200
        assert len(before) > 1_000_000 and db.read_bytes() == before
    finally:
        running.terminate()
        running.wait(PATIENT_S)


@pytest.mark.parametrize(
    ("tag", "changelog", "fault"),
    [
        ("v0.2.0", "## [Unreleased]\n\n## [0.2.0] - 2026-11-26\n\n- New.\n", ""),
        ("v0.2.1", "## [0.2.0] - 2026-11-26\n\n- New.\n", "The tag is v0.2.1"),
        ("0.2.0", "## [0.2.0] - 2026-11-26\n", "The tag is 0.2.0"),
        ("v0.2.0", "## [Unreleased]\n", "has no section [0.2.0]"),
        ("v0.2.0", "## [0.2.0]\n\n- New.\n", "has no section [0.2.0]"),
        ("v0.2.0", "## [Unreleased]\n\n- More.\n\n## [0.2.0] - 2026-11-26\n", "Move the entries"),
    ],
)
def test_a_release_is_checked_by_tag_version_and_changelog(tmp_path, tag, changelog, fault):
    (tmp_path / "deploy").mkdir()
    script = shutil.copy(ROOT / "deploy/check_release.py", tmp_path / "deploy")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n', encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{changelog}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script, tag], capture_output=True, text=True, check=False
    )
    assert done.returncode == bool(fault) and (fault or "can be released") in done.stdout


def test_the_release_publishes_what_was_tested_without_a_stored_token():
    release = yaml.safe_load("\n".join(lines(".github/workflows/release.yml")))
    build, publish = release["jobs"]["build"], release["jobs"]["publish"]
    assert release["permissions"] == {"contents": "read"} and "permissions" not in build
    assert publish["permissions"] == {"id-token": "write"} and publish["needs"] == "build"
    assert "secrets." not in str(release) and publish["environment"] == "release"
    runs = [step["run"] for step in build["steps"] if "run" in step]
    for run in runs:
        assert subprocess.run(["sh", "-n", "-c", run], check=False).returncode == 0
    said = "\n".join(runs)
    for part in ("deploy/check_release.py", "make test", "make wheel", "concord-judges==$version"):
        assert part in said
    assert not [run for run in runs if "${{" in run]  # a tag's name is no part of a command


def served(url: str, running: subprocess.Popen) -> bool:
    """Wait until an address answers; False where the process ends before."""
    deadline = time.monotonic() + PATIENT_S
    while running.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                return reply.status == 200
        except (URLError, OSError):
            time.sleep(0.1)
    return False
