"""The screen Choose without a browser: terms first, then the result, locked; looks counted."""

import pytest
from streamlit.testing.v1 import AppTest

from concord.store import decisions, graders
from concord.store.database import READ_ONLY, open_store
from concord.store.permissions import VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.ui.screens.certificate import file_name
from tests.support.panels import give
from tests.support.screens import forms, opened, sign_in_as

PAGE = "pages/decide.py"


def shown(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception
    return app


def title(app: AppTest) -> str:
    return app.header[0].value.replace("\\", "")


def filled(app: AppTest, minimum: float | None = 50.0) -> AppTest:
    app.selectbox(key="choose.against").select("simulated-careful-judge")
    if minimum is not None:
        app.number_input(key="choose.minimum").set_value(minimum)
    return app


def press(app: AppTest, key: str) -> AppTest:
    app = app.button(key=f"choose.{key}").click().run()
    assert not app.exception
    return app


def fixing(app: AppTest, key: str = "fix_and_look") -> AppTest:
    """Review the terms, then confirm them."""
    return press(press(app, "review"), key)


def made(db):
    """The decisions on the sample."""
    with open_store(db) as store:
        return decisions.of_sheet(store, 1)


@pytest.mark.parametrize(
    ("fill", "missing"), [(lambda app: app, 2), (lambda app: filled(app, None), 1)]
)
def test_what_was_not_named_is_asked_for_and_nothing_is_fixed(
    monkeypatch, sample_db, fill, missing
):
    app = press(fill(shown(monkeypatch, sample_db)), "review")
    assert len(app.warning) == missing and made(sample_db) == []


def test_a_stray_grade_changes_nothing_and_a_changed_one_spends_no_look(monkeypatch, sample_db):
    first = title(fixing(filled(shown(monkeypatch, sample_db), 95.0)))
    with open_store(sample_db) as store:
        _, rubric = rubric_versions.named(store, "doc-qa-0-3")
        graders.ensure_annotator(store, "Ana")  # who is pending, and counts nowhere
        give(store, rubric, "Ana", {0: 3})
    app = shown(monkeypatch, sample_db)
    assert title(app) == first and not app.info
    with open_store(sample_db) as store:
        give(store, rubric, "author", {0: 0})
    app = shown(monkeypatch, sample_db)
    assert title(app) == first
    # Opening the screen stores no look; the button does, and then has nothing more to store.
    for _ in range(2):
        assert looks_taken(sample_db) == 1
        app = shown(monkeypatch, sample_db)
    app = press(app, "look")
    assert looks_taken(sample_db) == 2 and title(app) == first


def looks_taken(db):
    with open_store(db) as store:
        return store.value("select count(*) from looks")


def test_only_who_may_store_it_takes_a_look(monkeypatch, sample_db):
    fixing(filled(shown(monkeypatch, sample_db)), "fix")
    with monkeypatch.context() as viewing:
        sign_in_as(viewing, Who("Vi", VIEWER))
        app = shown(viewing, sample_db)
        assert app.button(key="choose.look").disabled
    monkeypatch.setenv(READ_ONLY, "1")
    app = shown(monkeypatch, sample_db)
    assert "choose.look" not in [one.key for one in app.button]


def test_a_price_that_is_unknown_is_asked_for_in_place_of_a_chart(monkeypatch, store, decided):
    app = shown(monkeypatch, store.path)
    links = [one for one in app.main.get("page_link") if one.proto.label == "State a price"]
    assert len(links) == 1 and not app.get("plotly_chart")


PAGE_OF_CERTIFICATE = "pages/certificate.py"


def test_its_files_are_in_the_download_menu(monkeypatch, store, written):
    app = opened(monkeypatch, store.path, PAGE_OF_CERTIFICATE)
    offered = [one.proto.label for one in app.get("download_button")]
    assert offered == ["certificate-1-cheap.html", "certificate-1-cheap.json"]


def test_a_certificate_that_the_sheet_has_not_is_not_replaced_by_another(
    monkeypatch, store, written
):
    app = opened(monkeypatch, store.path, PAGE_OF_CERTIFICATE, certificate="5")
    assert not app.success and app.query_params["certificate"] in ("5", ["5"])


def test_enter_writes_no_certificate(monkeypatch, store, decided):
    assert forms(opened(monkeypatch, store.path, PAGE_OF_CERTIFICATE)) == {
        "certificate.write": False
    }


def test_a_simulated_judge_is_not_offered_beside_one_that_can_be_certified(
    monkeypatch,
    store,
    decided,
):
    with store.write():
        store.execute("update graders set simulated = 1 where kind = 'judge' and name = 'cheap'")
    app = opened(monkeypatch, store.path, PAGE_OF_CERTIFICATE)
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
