"""The connections underneath: how long a reply may be, unknown hosts, and proxies."""

import socket

import pytest

from concord.judges.transport.endpoint_errors import EndpointProblem
from concord.messages import is_message
from tests.support.endpoint import Endpoint
from tests.support.judges.client_calls import SECRET, ask, judge


def test_a_huge_reply_is_given_up_early_whether_announced_or_not():
    with Endpoint(faults={"huge": 1}) as server:
        answer = ask(judge(server.url))
        assert (answer.status, answer.raw) == ("unparsable", "")
        assert "larger than 8,000,000 bytes" in answer.why and answer.why.values
        assert len(server.seen) == 1
    with Endpoint() as server:
        announced = ask(judge(server.url), reply_bytes=100)
    assert (announced.status, announced.raw) == ("unparsable", "")


def test_an_unknown_host_stops_the_run(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    told = r"https://x\.example/v1 \(the host name is unknown\).*line 5 of mine\.toml"
    with pytest.raises(EndpointProblem, match=told) as stopped:
        ask(judge(), environ={"OPENAI_API_KEY": SECRET})
    assert is_message(str(stopped.value).values["0"].values["why"])


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Endpoint() as server:
        assert ask(judge(server.url)).status == ""


def test_a_proxy_named_in_the_judge_file_is_used():
    with Endpoint() as proxy:
        one = judge("http://model.example/v1", endpoint=f'proxy = "{proxy.url[:-3]}"\n')
        ask(one, environ={"OPENAI_API_KEY": SECRET})
    assert proxy.seen[0].headers["Host"] == "model.example"
