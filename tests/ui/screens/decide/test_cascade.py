"""The cascade on the screen Choose, once its terms are fixed."""

from concord.store.rubrics import rubric_versions
from tests.support.panels import give, judge
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
    # Two judges are trusted more, but the rest goes to the reference judge, which would be asked.
    assert believe.options == ["big where mini agrees", "mini, asked 3 times"]
    assert "accept mini where all 3 repeats give the same score" in shown(app)
    assert "or graded an answer more than once" not in shown(app)
    assert "on the same 160 answers" in heads(app)
    rest = next(one for one in app.selectbox if one.label == "Route the rest to")
    assert rest.value is not None  # the reference judge of the decision
    app = rest.set_value("annotators").run()
    assert "on the same 160 answers" not in heads(app)
    limit = next(one for one in app.selectbox if one.label == "Maximum error rate")
    app = limit.set_value("0.05").run()
    assert "Not certified: accepting mini" in shown(app)
    test = next(one for one in tables(app) if "needed without errors" in one)
    assert test["needed without errors"][0] == 59
    chosen = {key: value for key, value in app.query_params.items() if key.startswith("cascade_")}
    assert chosen == {"cascade_rest": "annotators", "cascade_errors": "0.05"}
    again = opened(monkeypatch, tmp_path / "concord.db", PAGE, **chosen)
    assert "Not certified: accepting mini" in shown(again)
    assert "on the same 160 answers" not in heads(again)


def test_the_sample_trusts_the_native_probability_and_compares_all_sources(
    sample_db, sample_store, monkeypatch
):
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")[1]
    decide(sample_store, rubric, "simulated-careful-judge")
    app = opened(monkeypatch, sample_db, PAGE)
    believe = next(one for one in app.selectbox if one.label == "Trust")
    native = "simulated-decision-judge: native probability of its score"
    assert believe.options[0] == native and len(believe.options) == 4
    assert "accepting simulated-decision-judge" in shown(app)
    table = next(one for one in tables(app) if "source of confidence" in one)
    assert table["source of confidence"].tolist()[0] == native
    assert len(table) == 4


def test_without_probabilities_or_repeats_it_says_how_to_get_them(
    store, sheet, rubric, monkeypatch, tmp_path
):
    give(store, rubric[1], "Ana", dict.fromkeys(range(36), 2))
    for name in ("one", "two"):
        judge(store, rubric[1], name, dict.fromkeys(range(36), 2))
    decide(store, rubric[1], "two")
    app = opened(monkeypatch, tmp_path / "concord.db", PAGE)
    assert "three times, on its card under Judges. " in shown(app)
    assert "--repeat" not in shown(app)
    believe = next(one for one in app.selectbox if one.label == "Trust")
    assert len(believe.options) == 1
