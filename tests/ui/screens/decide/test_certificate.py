"""The certificate screen without a browser."""

import pytest

from concord.store import graders
from concord.ui.screens.decide.certificate import file_name
from tests.support.screens import forms, opened

PAGE = "pages/certificate.py"


def pressed(app):
    return next(button for button in app.button if "Write" in button.label).click().run()


def test_its_files_are_in_the_download_menu(monkeypatch, store, written):
    app = opened(monkeypatch, store.path, PAGE)
    offered = [one.proto.label for one in app.get("download_button")]
    assert offered == ["certificate-1-cheap.html", "certificate-1-cheap.json"]


def test_a_certificate_that_the_sheet_has_not_is_not_replaced_by_another(
    monkeypatch, store, written
):
    app = opened(monkeypatch, store.path, PAGE, certificate="5")
    assert not app.success and app.query_params["certificate"] in ("5", ["5"])


def test_enter_writes_no_certificate(monkeypatch, store, decided):
    assert forms(opened(monkeypatch, store.path, PAGE)) == {"certificate.write": False}


def test_a_certificate_of_a_judge_that_has_changed_is_void(monkeypatch, store, written):
    assert not opened(monkeypatch, store.path, PAGE).warning
    graders.ensure(store, "judge", "cheap", "f" * 16)
    app = opened(monkeypatch, store.path, PAGE)
    assert len(app.warning) == 1 and not app.success


def test_a_simulated_judge_is_not_offered_beside_one_that_can_be_certified(
    monkeypatch,
    store,
    decided,
):
    with store.write():
        store.execute("update graders set simulated = 1 where kind = 'judge' and name = 'cheap'")
    app = opened(monkeypatch, store.path, PAGE)
    assert app.selectbox[0].options and "cheap" not in app.selectbox[0].options


@pytest.mark.parametrize(
    ("judge", "name"),
    [
        ("llm-rubric (openai:gpt-4.1-mini)", "certificate-7-llm-rubric-openai-gpt-4.1-mini"),
        ("严格 judge/$(x)", "certificate-7-严格-judge-x"),
    ],
)
def test_a_shell_takes_the_name_of_the_files_as_it_stands(judge, name):
    assert file_name(7, judge) == name
