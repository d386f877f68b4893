"""The certificate screen without a browser."""

import re
from contextlib import nullcontext
from pathlib import Path

import pytest
import streamlit

from concord.reports.certificate import certification
from concord.store import graders
from concord.ui.screens.decide.certificate import file_name
from tests.support.commandline import invoke
from tests.support.panels import give
from tests.support.screens import forms, labelled, opened, said

PAGE = "pages/certificate.py"


def pressed(app):
    return next(button for button in app.button if "Write" in button.label).click().run()


def test_a_certificate_is_written_shown_and_holds(certificate_page, monkeypatch, store):
    overview = opened(monkeypatch, store.path, "pages/overview.py")
    assert [one.label for one in overview.button if one.key == "start.next"] == [
        "Write a certificate"
    ]
    assert not certificate_page.info
    assert certificate_page.header[0].value == "Nothing is certified yet"
    certificate_page.selectbox[0].select_index(1)
    certificate_page = pressed(certificate_page)
    assert not certificate_page.exception and not certificate_page.error
    assert certificate_page.header[0].value.startswith("cheap is certified on correctness until")
    assert "Certificate of cheap: correctness is valid until" in certificate_page.success[0].value
    assert certificate_page.query_params["certificate"] == "1"
    overview = opened(monkeypatch, store.path, "pages/overview.py")
    assert "Certificate of cheap: correctness is valid until" in said(overview)
    assert "Write a certificate" not in [one.label for one in overview.button]
    shown = next(one.proto.body for one in certificate_page.get("html") if "<h1>" in one.proto.body)
    assert "difference −" in shown and ">−" in shown and not re.search(r"[ >\[]-\d", shown)


def test_without_a_verdict_the_form_says_that_nothing_is_certified(
    monkeypatch, store, close_judges
):
    app = opened(monkeypatch, store.path, PAGE)
    assert app.info[0].value.endswith("What you write now is a record that certifies nothing.")
    assert "Choose a judge" in [one.proto.label for one in app.get("page_link")]
    assert [one for one in app.button if "Write" in one.label]


def test_its_files_are_in_the_download_menu(monkeypatch, store, written):
    app = opened(monkeypatch, store.path, PAGE)
    offered = [one.proto.label for one in app.get("download_button")]
    assert offered == ["certificate-1-cheap.html", "certificate-1-cheap.json"]


def test_its_criteria_are_named_in_the_language_of_the_reader(monkeypatch, store, written):
    app = opened(monkeypatch, store.path, PAGE, lang="zh")
    assert "正确性" in app.header[0].value and "correctness" not in app.header[0].value
    assert "正确性" in app.success[0].value and "correctness" not in app.success[0].value
    assert "正确性" in said(app) and "good enough" not in said(app)


def test_a_certificate_that_the_sheet_has_not_is_not_replaced_by_another(
    monkeypatch, store, written
):
    app = opened(monkeypatch, store.path, PAGE, certificate="5")
    assert "The certificate in this link is not of “" in said(app)
    assert not app.success and app.query_params["certificate"] in ("5", ["5"])
    labelled(app, "Certificate").select_index(0).run()
    assert "is valid until" in app.success[0].value and "in this link" not in said(app)


def test_enter_writes_no_certificate(certificate_page):
    assert forms(certificate_page) == {"certificate.write": False}


def test_criteria_are_named_where_another_one_is_not_good_enough(monkeypatch, store, half_good):
    app = opened(monkeypatch, store.path, PAGE)
    app.selectbox(key="certificate.judge").select("cheap")
    app = pressed(app)
    assert "is not good enough on readability" in app.error[0].value
    assert "Choose the criteria to certify, which" in app.error[0].value
    app.multiselect(key="certificate.criteria").select("correctness")
    app = pressed(app)
    assert app.header[0].value.startswith("cheap is certified on correctness until")


def test_a_void_certificate_says_why(certificate_page, store):
    certificate_page.selectbox[0].select_index(1)
    certificate_page = pressed(certificate_page)
    graders.ensure(store, "judge", "cheap", "f" * 16)
    certificate_page = certificate_page.run()
    assert certificate_page.header[0].value == "No valid certificate"
    assert (
        "is void" in certificate_page.warning[0].value
        and "is now a different judge" in certificate_page.warning[0].value
    )


def test_where_all_judges_are_simulated_that_is_said_instead_of_a_form(monkeypatch, sample_db):
    app = opened(monkeypatch, sample_db, PAGE)
    assert not app.exception and not app.error
    assert app.info[0].value.startswith(
        "“sample” cannot be certified, because its judges and annotators are simulated: import"
    )
    assert "Go to Data" in [one.proto.label for one in app.get("page_link")]
    assert not app.main.selectbox and not [one for one in app.button if "Write" in one.label]


def test_a_simulated_judge_is_not_offered_beside_one_that_can_be_certified(
    monkeypatch,
    store,
    decided,
):
    with store.write():
        store.execute("update graders set simulated = 1 where kind = 'judge' and name = 'cheap'")
    app = opened(monkeypatch, store.path, PAGE)
    assert "Simulated judges cannot be certified: cheap" in app.info[0].value
    assert app.selectbox[0].options and "cheap" not in app.selectbox[0].options


def test_where_an_annotator_is_simulated_that_is_said_instead_of_a_form(
    monkeypatch, store, decided
):
    with store.write():
        store.execute("update graders set simulated = 1 where kind = 'person'")
    app = opened(monkeypatch, store.path, PAGE)
    assert "while simulated annotators are included" in app.info[0].value
    assert not [one for one in app.button if "Write" in one.label]


def test_a_spinner_says_that_a_certificate_is_being_written(certificate_page, monkeypatch):
    shown = []
    whole = certification.certify
    monkeypatch.setattr(streamlit, "spinner", lambda text, **_: shown.append(text) or nullcontext())

    def certify(*given, **options):
        assert shown[-1] == "Writing the certificate…"  # before the work, not after it
        return whole(*given, **options)

    monkeypatch.setattr(certification, "certify", certify)
    certificate_page.selectbox[0].select_index(1)
    assert pressed(certificate_page).query_params["certificate"] == "1"


def test_where_only_the_baseline_has_graded_the_screen_says_so(monkeypatch, store, close_judges):
    graders_gone = [row["id"] for row in store.rows("select id from graders where kind = 'judge'")]
    for grader_id in graders_gone:
        store.execute("delete from grades where grader_id = ?", (grader_id,))
    give(store, close_judges, "baseline", {0: 1}, kind="judge")
    app = opened(monkeypatch, store.path, PAGE)
    assert "it cannot be certified" in said(app)


def test_a_certificate_with_anchors_shows_its_newest_recheck(
    monkeypatch, store, judged_by_mine, mind_server
):
    said_before = invoke(store.path, "certificate", "mine", "--anchors", 12, "--json").stdout
    path = store.path + ".json"
    Path(path).write_text(said_before, encoding="utf-8")
    assert invoke(store.path, "recheck", path).exit_code == 0
    app = opened(monkeypatch, store.path, PAGE)
    assert not app.exception
    assert any("Renewed: on average 0 of 36 scores changed" in one.value for one in app.caption)
    assert "recheck certificate-1-mine.json --yes" in app.code[0].value


def test_anchors_whose_replies_are_missing_are_asked_for_on_the_command_line(
    monkeypatch,
    store,
    judged_by_mine,
):
    app = opened(monkeypatch, store.path, PAGE)
    app.checkbox[0].check()
    app = pressed(app)
    assert "has scored 24 answers" in app.error[0].value


@pytest.mark.parametrize(
    ("judge", "name"),
    [
        ("llm-rubric (openai:gpt-4.1-mini)", "certificate-7-llm-rubric-openai-gpt-4.1-mini"),
        ("严格 judge/$(x)", "certificate-7-严格-judge-x"),
    ],
)
def test_a_shell_takes_the_name_of_the_files_as_it_stands(judge, name):
    assert file_name(7, judge) == name
