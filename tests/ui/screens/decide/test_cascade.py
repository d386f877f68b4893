"""The cascade on the screen Choose, once its terms are fixed."""

from tests.support.screens import opened, tables

PAGE = "pages/decide.py"


def test_repeats_are_replayed_and_the_limits_are_the_users(asked, monkeypatch, tmp_path):
    app = opened(monkeypatch, tmp_path / "concord.db", PAGE)
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
    app = opened(monkeypatch, tmp_path / "concord.db", PAGE, **chosen)
    assert not app.exception and not app.error
