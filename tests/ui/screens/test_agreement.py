"""The agreement screen without a browser."""

from streamlit.testing.v1 import AppTest

from concord.store import additions, graders, items
from concord.store.grades import Press, grade_blind
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.made_items import made_item
from tests.support.panels import give, judge
from tests.support.screens import labelled, opened, tables

PAGE = "pages/agreement.py"


def shown(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception and not app.error
    return app


def hostile(store):
    """A sheet whose answer and reasons try to run."""
    made = made_item(1, answer="<script>alert(1)</script> <img src=x onerror=alert(2)>")
    additions.add(store, "hostile", [made], "h.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3}, reason="<script>alert(3)</script>")
    judge(store, rubric, "gpt", {0: 0}, reason="<img src=x onerror=alert(4)>")
    return rubric


def test_nothing_of_an_answer_or_a_reason_runs(monkeypatch, store, db):
    hostile(store)
    app = shown(monkeypatch, db, cell="3:0")
    html = " ".join(element.proto.body for element in app.get("html")[1:])  # after the frame's own
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;alert(3)" in html
    assert "&lt;img src=x onerror=alert(4)&gt;" in html


def test_who_looks_is_told_first_and_later_grades_are_not_blind(monkeypatch, store, db):
    rubric = hostile(store)
    app = shown(monkeypatch, db, cell="3:0", grader="Ana")
    assert store.value("select count(*) from openings") == 0
    app.button(key="beside.show").click().run()
    assert not app.exception
    item, ana = items.item_ids(store, 1)[0], graders.named(store, "person", "Ana").id
    assert store.value("select item_id from openings where grader_id = ?", (ana,)) == item
    version = rubric.versions()["readability"]
    grade_blind(store, [Press(item, version, ana, score=1)])
    assert store.value("select blind from grades where version = ?", (version,)) == 0


def test_a_rerun_reads_and_computes_nothing_again(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    app.selectbox[1].select("readability").run()

    def again(*_):
        raise AssertionError("the grades were read again")

    monkeypatch.setattr("concord.store.grade_table.table", again)
    app.selectbox[1].select("correctness").run()
    assert not app.exception


def test_a_tab_that_is_not_open_computes_nothing(monkeypatch, sample_db):
    def computed(*_, **__):
        raise AssertionError("a detail was computed before it was opened")

    for name in ("bias_tests.run", "document.answer_grades"):
        monkeypatch.setattr(f"concord.reports.agreement.{name}", computed)
    shown(monkeypatch, sample_db)


def test_a_page_to_hand_round_holds_both_reasons_as_text_and_asks_for_nothing(store, db, tmp_path):
    hostile(store)
    invoke(db, "agreement", "--html", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in text and "<img" not in text and "://" not in text
    assert "&lt;script&gt;alert(1)" in text  # the answer, and the reasons of both
    assert "&lt;script&gt;alert(3)" in text and "onerror=alert(4)&gt;" in text
    assert text.count("<table") == 4


def test_a_continuous_judge_opens_on_its_rank_correlation_beside_the_annotators(
    monkeypatch, store, db
):
    additions.add(store, "n", [made_item(n) for n in range(40)], "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    scores = {n: n % 4 for n in range(40)}
    give(store, rubric, "Ana", scores)
    give(store, rubric, "Ben", {n: min(3, s + (n % 5 == 0)) for n, s in scores.items()})
    judge(store, rubric, "own", {n: 0.4 + 0.7 * s for n, s in scores.items()})
    app = shown(monkeypatch, db)
    figures = labelled(app, "Figure")
    assert (figures.value, figures.options) == ("spearman", ["Spearman", "Pearson", "MAE"])
    own, annotators = (tables(app)[0].iloc[n] for n in range(2))
    assert own["judge"] == "own" and float(own["Spearman"].split()[0]) > 0.9
    assert float(annotators["Spearman"].split()[0]) > 0.9
