"""What starts Concord for a team: no secret in the image, no root, one place for the database."""

import tomllib

from tests.support.source import ROOT


def lines(name: str) -> list[str]:
    return (ROOT / name).read_text(encoding="utf-8").splitlines()


def test_the_image_holds_no_secret_and_no_database():
    ignored = set(lines(".dockerignore"))
    assert {".env", ".streamlit/secrets.toml", "**/*.db", "**/*.db-*", ".git"} <= ignored
    said = " ".join(line for line in lines("Dockerfile") if line.startswith(("ENV", "ARG")))
    assert "KEY" not in said and "SECRET" not in said


def test_the_image_installs_what_is_locked():
    assert "RUN pip install --require-hashes -r requirements-team.txt" in lines("Dockerfile")


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
