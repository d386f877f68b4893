"""The replies of a judge that failed, shown alone."""

from concord.judges.rubric_runs import session
from concord.judges.running.job import Options
from concord.store import graders, items, runs
from tests.support.fakejudge import Fake, completion, run_rubric
from tests.support.screens import opened, said

PAGE = "pages/judges.py"
LUNA = "gpt-6-luna-zero-shot"
TOGGLE = "judge.failed"


def run(store, *args, **options):
    run_rubric(store, session.prepare(store, LUNA, Options(**options)), Fake(*args))


def failed_in(sample_store):
    """Run the judge on five answers; return the numbers of the three whose replies failed."""
    run(sample_store, limit=2)
    run(sample_store, lambda *_: completion("No idea."), limit=5)
    return [number for number in range(1, 193) if _failed(sample_store, number)]


def _failed(store, number):
    [stored] = items.page(store, 1, number, 1)
    [judge] = [one for one in graders.of_kind(store, "judge") if one.name == LUNA]
    found = runs.of_item(store, stored.id, judge.id)
    return any(one["status"] == "unparsable" for one in found)


def test_answers_with_a_failed_reply_are_shown_alone(sample_store, sample_db, keyed, monkeypatch):
    failed = failed_in(sample_store)
    assert len(failed) == 3
    app = opened(monkeypatch, sample_db, PAGE, judge=LUNA, show="Replies")
    toggle = app.toggle(key=TOGGLE)
    assert not toggle.value
    toggle.set_value(True).run()
    assert app.query_params["failed"] == "1" and "item" not in app.query_params
    [place] = [one for one in app.number_input if (one.key or "").startswith("judge.failure")]
    for nth in range(1, len(failed) + 1):
        place.set_value(nth).run()
        assert "**unparsable**" in said(app)
    assert app.query_params["failure"] == "3" and not app.exception


def test_the_address_opens_a_failed_reply(sample_store, sample_db, keyed, monkeypatch):
    failed_in(sample_store)
    query = {"judge": LUNA, "show": "Replies", "failed": "1", "failure": "2"}
    opened(monkeypatch, sample_db, PAGE, **query)
    beyond = opened(monkeypatch, sample_db, PAGE, **query | {"failure": "99"})
    assert not beyond.exception
