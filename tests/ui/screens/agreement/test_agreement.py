"""The agreement screen without a browser."""

import pytest
from streamlit.testing.v1 import AppTest

from concord.metrics.prompts import verdicts
from concord.model import Cell
from concord.store import additions, annotator_states, graders, grades, items
from concord.store.database import open_store
from concord.store.grades import Press, grade_blind
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.commandline import invoke
from tests.support.exports import FOLDER
from tests.support.made_items import made_item
from tests.support.panels import give, judge
from tests.support.screens import opened, said, tables

PAGE = "pages/agreement.py"


def shown(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception and not app.error
    return app


def title(app: AppTest) -> str:
    return unescaped(app.header[0].value)


def unescaped(markdown: str) -> str:
    return markdown.replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")


def test_the_title_is_the_finding_of_the_best_judge(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    assert title(app) == "simulated-careful-judge has 75% exact agreement on correctness, best of 3"
    compared = "75% [69, 80] exact agreement on 192 answers, compared with annotators."
    assert compared in unescaped(said(app))
    assert "Inter-annotator agreement: 80%. Majority-class baseline: 57%." in said(app)
    assert "2 of the 3 annotators are simulated." in said(app)


def test_judge_criterion_and_reference_are_those_of_the_link(monkeypatch, sample_db):
    query = {"judge": "simulated-lenient-judge", "criterion": "readability"}
    app = shown(monkeypatch, sample_db, **query, reference="consensus")
    better = "simulated-lenient-judge is not clearly better than always giving 3 on readability"
    assert title(app) == better  # with a CI that holds the share of the commonest score
    assert "answers, compared with the annotators' consensus." in said(app)
    assert "Left out without a consensus" in said(app)


def test_what_is_chosen_goes_into_the_link(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    app.selectbox[1].select("readability").run()
    assert title(app).endswith(" on readability, best of 3")
    assert app.query_params["criterion"] == "readability"
    assert app.query_params["judge"] == "simulated-careful-judge"


def test_a_cell_lists_its_answers_with_both_reasons(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db, cell="3:1")
    assert unescaped(app.subheader[1].value) == (
        "1 answer with correctness 3 from an annotator and 1 from simulated-careful-judge"
    )
    html = " ".join(element.proto.body for element in app.get("html"))
    assert "Simulated grade, not given by a model." in html
    assert "<th>author</th>" in html


def test_an_answer_is_in_several_cells_only_beside_each_annotator(monkeypatch, sample_db):
    several = "Answers on which annotators differ are in several cells."
    captions = [one.value for one in shown(monkeypatch, sample_db).caption]
    assert several in captions
    captions = [one.value for one in shown(monkeypatch, sample_db, reference="consensus").caption]
    assert several not in captions


def test_the_cells_are_listed_the_worst_first(monkeypatch, sample_db):
    cells = shown(monkeypatch, sample_db).selectbox[2]
    assert cells.label == "Read the answers of a cell"
    assert cells.options[0] == "Click a cell, or choose one here"
    assert cells.options[1].startswith("annotator 0, judge 3:")
    cells.select_index(1).run()


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
    assert "your grade is stored as not blind" in app.info[0].value
    assert store.value("select count(*) from openings") == 0
    app.button(key="beside.show").click().run()
    assert not app.exception
    item, ana = items.item_ids(store, 1)[0], graders.named(store, "person", "Ana").id
    assert store.value("select item_id from openings where grader_id = ?", (ana,)) == item
    version = rubric.versions()["readability"]
    grade_blind(store, [Press(item, version, ana, score=1)])
    assert store.value("select blind from grades where version = ?", (version,)) == 0


def test_without_a_name_it_is_noted_that_someone_looked(monkeypatch, store, db):
    hostile(store)
    app = shown(monkeypatch, db, cell="3:0", grader="Nobody")
    assert not app.info
    assert [tuple(row) for row in store.rows("select item_id, grader_id from openings")] == [
        (items.item_ids(store, 1)[0], None)
    ]


def test_no_sheet_no_person_no_judge_each_say_what_to_do(monkeypatch, store, db):
    assert "There is no sheet yet" in said(shown(monkeypatch, db))
    made = [made_item(n) for n in range(3)]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    assert "No annotator has graded “numbers” yet" in said(shown(monkeypatch, db))
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    judge(store, rubric, "gpt", {0: 1})
    app = shown(monkeypatch, db)
    assert "No annotator has graded “numbers” yet" in said(app)
    links = {one.proto.label: one.proto.query_string for one in app.get("page_link")}
    assert links["Import grades"] == "do=grades&sheet=numbers"
    give(store, rubric, "Ana", {1: 3})
    app = shown(monkeypatch, db)
    assert title(app) == "gpt and annotators have graded no answer in common on correctness"


def test_annotators_without_a_judge_are_sent_to_the_judges(monkeypatch, store, db):
    made = [made_item(n) for n in range(3)]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    give(store, rubric_versions.named(store, "doc-qa-0-3")[1], "Ana", {1: 3})
    assert "Annotators have graded “numbers”, but no judge has yet" in said(shown(monkeypatch, db))


def test_a_criterion_that_a_metric_has_no_value_of_is_said_and_not_the_first_choice(
    monkeypatch, store, db
):
    """As of promptfoo, whose ratings have a criterion of their own."""
    invoke(db, "import", FOLDER / "promptfoo.json")
    app = shown(monkeypatch, db)
    assert "annotators have graded no answer in common on correctness" in title(app)
    app = shown(monkeypatch, db, judge="contains", criterion="overall")
    assert (
        "contains has not graded Overall. Choose another criterion or another judge."
        in unescaped(said(app))
    )


def test_a_new_grade_is_in_the_next_figure(monkeypatch, store, db):
    made = [made_item(n) for n in range(3)]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3})
    judge(store, rubric, "gpt", {0: 3, 1: 3})
    app = shown(monkeypatch, db)
    assert "100% exact agreement on 1 answer" in said(app)
    with open_store(db) as other:
        give(other, rubric, "Ana", {1: 0})
    assert "50% exact agreement on 2 answers" in said(app.run())


def test_a_rerun_reads_and_computes_nothing_again(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    app.selectbox[1].select("readability").run()

    def again(*_):
        raise AssertionError("the grades were read again")

    monkeypatch.setattr("concord.store.grade_table.table", again)
    app.selectbox[1].select("correctness").run()
    assert not app.exception


TABS = [
    *("confusion", "confidence", "models", "columns", "statistics", "bias", "reliability"),
    "exclusions",
]


def detailed(monkeypatch, db, tab, **query) -> AppTest:
    """The page with this tab of details open."""
    app = opened(monkeypatch, db, PAGE, **query, detail=tab)
    assert not app.exception and not app.error
    return app


def test_a_tab_that_is_not_open_computes_nothing(monkeypatch, sample_db):
    def computed(*_, **__):
        raise AssertionError("a detail was computed before it was opened")

    for name in ("more_statistics.whole_rows", "bias_tests.run", "skipped_analyses.of"):
        monkeypatch.setattr(f"concord.reports.agreement.{name}", computed)
    app = shown(monkeypatch, sample_db, annotators='["author", "simulated-grader-b"]')
    (tabs,) = [one for one in app.button_group if one.label == "Details"]
    assert len(tabs.options) == len(TABS)


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_of_details_opens_by_its_link(tab, monkeypatch, sample_db):
    app = detailed(monkeypatch, sample_db, tab)
    assert app.query_params.get("detail", ["confusion"]) in (tab, [tab])


def test_details_hold_every_statistic_the_bias_tests_and_the_annotator_test(monkeypatch, sample_db):
    query = {"judge": "simulated-lenient-judge"}
    app = detailed(monkeypatch, sample_db, "statistics", **query)
    first, composite, tests = tables(app)[2:]
    assert list(first.columns) == [
        *("figure", "simulated-careful-judge", "simulated-lenient-judge"),
        *("simulated-decision-judge", "baseline", "human ceiling", "majority class"),
    ]
    assert {"AC1", "ICC(A,1)", "nominal alpha", "Spearman", "within 2 points"} <= {*first["figure"]}
    assert "kappa" not in {*composite["figure"]}
    assert "two weighted means are hardly ever equal" in said(app)
    assert [*tests["epsilon"][:4]] == ["0", "0.1", "0.15", "0.2"]
    assert {*tests["by question"]} <= {"pass", "fail"}
    assert "replace at least half of the annotators" in said(app)

    app = detailed(monkeypatch, sample_db, "bias", **query)
    effects, scores = tables(app)[2:]
    assert "more lenient than annotators by 0.27 [0.17, 0.38] points" in unescaped(said(app))
    assert "Exploratory: 30 tests over all judges" in said(app)
    assert {"leniency", "halo", "length"} <= {*effects["test"]}
    assert "Self-preference: it requires the model family" in said(app)
    assert list(scores["score"]) == ["0", "1", "2", "3"]


def test_the_floor_is_not_tested_and_what_could_not_be_checked_is_listed(monkeypatch, sample_db):
    with open_store(sample_db) as store:
        for one in graders.of_kind(store, "person"):
            if one.simulated:
                annotator_states.decide(store, 1, one.id, "excluded", "Lea", "one is enough")
    query = {"judge": "baseline"}
    app = detailed(monkeypatch, sample_db, "reliability", **query)
    assert "alpha, ordinal" not in {*tables(app)[2]["criterion"]}
    assert "only one annotator is included" in said(app)
    app = detailed(monkeypatch, sample_db, "bias", **query)
    assert "The baseline is not tested for bias." in said(app)
    app = detailed(monkeypatch, sample_db, "exclusions", **query)
    enabled = tables(app)[-1]["what enables it"]
    assert "Let two annotators grade some of the same answers." in {*enabled}


def test_matched_failed_and_skipped_stand_beside_the_worst_case(monkeypatch, store, db):
    made = [made_item(n) for n in range(4)]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3, 1: 3, 2: 3})
    judge(store, rubric, "gpt", {0: 3, 1: None})
    app = detailed(monkeypatch, db, "exclusions")
    row = tables(app)[3].iloc[0]
    assert [*row[["matched", "failed", "skipped"]]] == [1, 1, 1]
    assert (row["exact"], row["exact, unscored as errors"]) == ("100%", "50%")
    assert "With 1 answer left unscored counted as errors, exact agreement is 50%" in said(app)
    assert "annotators failed no answer." in unescaped(said(app))


def test_claims_say_whose_labels_are_missing_and_screens_of_answers_where_they_are_shown(
    monkeypatch, store, db
):
    additions.add(store, "numbers", [made_item(1)], "numbers.csv", "0" * 64, {})
    rubric = verdicts.rubric("claims-in-contexts")
    rubric_versions.register(store, rubric, "preset")
    rag, ana = graders.ensure(store, "metric", "rag"), graders.ensure(store, "person", "Ana")
    (claim,) = units.keep(store, 1, "claim", [Cell("It is old.", 0)], rag).units
    version = rubric.version(rubric.criteria[0])

    def label(grader):
        grades.record(store, [Press(1, version, grader, score=3, unit_id=claim.id, blind=True)])

    label(rag)
    app = shown(monkeypatch, db)
    assert "No annotator has labelled claims of “numbers” yet" in said(app)
    assert "“Claims of the answer, checked against the contexts”" in said(app)
    label(ana)
    app = shown(monkeypatch, db)
    # One claim has no interval, so its 100% is no headline.
    assert title(app).startswith("rag is not clearly better than always giving “supported”")
    assert "100% exact agreement on 1 claim" in said(app)
    words = said(opened(monkeypatch, db, "pages/decide.py"))
    assert "No annotator has graded whole answers of “numbers” yet" in words
    assert "Annotators have labelled claims of the sheet" in words


def test_agreement_by_a_column_opens_by_its_link_and_keeps_the_choice_there(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db, by="language")
    assert "No segment by language can be compared with the rest" in said(app)
    assert (app.query_params["by"], "by_figure" in app.query_params) == ("language", False)
    (column,) = (one for one in app.selectbox if one.label == "Column")
    assert "defect" in column.options
    column.select("answer_model").run()
    assert "No segment by answering model differs significantly from the rest" in said(app)
    (figure,) = (one for one in app.selectbox if one.label == "Statistic")
    figure.select("bias").run()
    assert app.query_params["by_figure"] == "bias"
    assert "By answering model: bias, adjusted CIs" in said(app)


def test_a_column_with_too_many_values_is_refused_on_screen(monkeypatch, store, rubric):
    made = [made_item(n, metadata={"size": n / 2}) for n in range(60)]
    additions.add(store, "sizes", made, "s.csv", "1" * 64, {})
    give(store, rubric[1], "Ana", {n: 2 for n in range(60)})
    judge(store, rubric[1], "gpt", {n: 2 for n in range(60)})
    app = shown(monkeypatch, store.path, by="size")
    (warning,) = (one.value for one in app.warning if "different values" in one.value)
    assert unescaped(warning).startswith("The column “size” has 60 different values")


@pytest.mark.parametrize("detail", TABS)
def test_a_mean_of_several_annotators_is_enough(monkeypatch, store, doc_qa, detail):
    additions.add(store, "n", [made_item(n) for n in range(30)], "n.csv", "0" * 64, {})
    crowd = graders.ensure(store, "person", "crowd", definition={"mean": True})
    version = doc_qa.versions()["correctness"]
    for row in store.rows("select id from items"):
        store.insert(
            "grades", item_id=row["id"], version=version, grader_id=crowd, status="scored",
            score=row["id"] % 4 + 0.5, created_at="2026-01-01T00:00:00.000Z",
        )  # fmt: skip
    judge(store, doc_qa, "gpt", {n: (n + n % 2) % 4 for n in range(30)})
    app = shown(monkeypatch, store.path, detail=detail)
    assert title(app).startswith("gpt has a Pearson correlation of 0.")
    assert "crowd is the mean of several annotators" in said(app)
    assert ("A mean is a continuous number, which has no cells." in said(app)) == (
        detail == "confusion"
    )
