"""The screen Choose without a browser: terms first, then the result, locked; looks counted."""

import pytest
from streamlit.testing.v1 import AppTest

from concord.store import decisions, graders
from concord.store.database import READ_ONLY, open_store
from concord.store.permissions import VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.ui.screens.certificate import file_name
from tests.support.panels import give
from tests.support.screens import forms, labelled, opened, sign_in_as, tables

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


def test_another_value_ends_the_review_of_the_old_one(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    assert forms(app) == {}
    app = press(filled(app), "review")
    terms = dict(tables(app)[0].itertuples(index=False))
    assert terms["margin"].startswith("10") and terms["number of planned documents"] == "30"
    app = app.number_input(key="choose.margin").set_value(12.0).run()
    assert "choose.fix" not in {one.key for one in app.button}
    app = press(app, "review")
    assert dict(tables(app)[0].itertuples(index=False))["margin"].startswith("12")
    app = labelled(app, "Criterion").select("readability").run()
    assert "choose.fix" not in {one.key for one in app.button} and made(sample_db) == []


def test_terms_that_are_not_fixed_yet_are_in_the_url(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    app = labelled(app, "Criterion").select("readability").run()
    app = labelled(app, "Deciding figure").select("qwk").run()
    app = app.selectbox(key="choose.against").select("simulated-careful-judge").run()
    again = shown(monkeypatch, sample_db, **dict(app.query_params))
    assert labelled(again, "Criterion").value == "readability"
    assert labelled(again, "Deciding figure").value == "qwk"
    assert again.selectbox(key="choose.against").value == "simulated-careful-judge"


def test_another_figure_asks_for_its_margin_in_its_unit(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    app = labelled(app, "Deciding figure").select("qwk").run()
    app.selectbox(key="choose.against").select("simulated-careful-judge")
    app.number_input(key="choose.minimum.qwk").set_value(0.4)
    assert len(press(app, "review").warning) == 1  # its margin has another unit
    app.number_input(key="choose.margin.qwk").set_value(0.15)
    fixing(app, "fix")
    (one,) = made(sample_db)
    assert (one.figure, one.margin, one.minimum) == ("qwk", 0.15, 0.4)


PAGE_OF_CERTIFICATE = "pages/certificate.py"


def pressed(app):
    return next(button for button in app.button if "Write" in button.label).click().run()


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


def test_a_certificate_of_a_judge_that_has_changed_is_void(monkeypatch, store, written):
    assert not opened(monkeypatch, store.path, PAGE_OF_CERTIFICATE).warning
    graders.ensure(store, "judge", "cheap", "f" * 16)
    app = opened(monkeypatch, store.path, PAGE_OF_CERTIFICATE)
    assert len(app.warning) == 1 and not app.success


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


PAGE_OF_CASCADE = "pages/decide.py"


def test_repeats_are_replayed_and_the_limits_are_the_users(asked, monkeypatch, tmp_path):
    app = opened(monkeypatch, tmp_path / "concord.db", PAGE_OF_CASCADE)
    believe = next(one for one in app.selectbox if one.label == "Trust")
    assert len(believe.options) == 2  # not both judges: the rest goes to one of them
    rest = next(one for one in app.selectbox if one.label == "Route the rest to")
    assert rest.value is not None  # the reference judge of the decision
    app = rest.set_value("annotators").run()
    limit = next(one for one in app.selectbox if one.label == "Maximum error rate")
    app = limit.set_value("0.05").run()
    test = next(one for one in tables(app) if "needed without errors" in one)
    assert test["needed without errors"][0] == 59
    chosen = {key: value for key, value in app.query_params.items() if key.startswith("cascade_")}
    assert chosen == {"cascade_rest": "annotators", "cascade_errors": "0.05"}
    app = opened(monkeypatch, tmp_path / "concord.db", PAGE_OF_CASCADE, **chosen)
    assert not app.exception and not app.error
