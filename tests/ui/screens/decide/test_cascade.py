"""The cascade on the screen Choose, once its terms are fixed."""

from concord.store.rubrics import rubric_versions
from tests.support.screens import opened, tables
from tests.support.wavering import decide

PAGE = "pages/decide.py"


def shown(app) -> str:
    assert not app.exception and not app.error
    return " ".join(one.value for kind in (app.markdown, app.caption) for one in kind)


def heads(app) -> set:
    return {head for one in tables(app) for head in one}


def test_repeats_are_replayed_and_the_limits_are_the_users(asked, monkeypatch, tmp_path):
    app = opened(monkeypatch, tmp_path / "concord.db", PAGE)
    believe = next(one for one in app.selectbox if one.label == "Trust")
    assert believe.options[0] == "mini, asked 3 times"
    assert "accept mini where all 3 repeats give the same score" in shown(app)
    assert "No judge graded an answer more than once" not in shown(app)
    assert "on the same 160 answers" in heads(app)
    rest = next(one for one in app.selectbox if one.label == "Route the rest to")
    assert rest.value is not None  # the reference judge of the decision
    app = rest.select("annotators").run()
    assert "on the same 160 answers" not in heads(app)
    limit = next(one for one in app.selectbox if one.label == "Maximum error rate")
    app = limit.select("at most 5%").run()
    assert "Not certified: accepting mini" in shown(app)
    test = next(one for one in tables(app) if "needed without errors" in one)
    assert test["needed without errors"][0] == 59


def test_the_sample_has_no_repeats_and_says_how_to_get_them(sample_db, sample_store, monkeypatch):
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")[1]
    decide(sample_store, rubric, "simulated-careful-judge")
    app = opened(monkeypatch, sample_db, PAGE)
    assert "judge NAME --repeat 3" in shown(app).replace("\\", "")
    believe = next(one for one in app.selectbox if one.label == "Trust")
    assert believe.options[0].startswith("simulated-lenient-judge where simulated-careful-judge")
    assert len(believe.options) == 3
