import pytest

from concord.reports.decision import choose
from concord.reports.decision.verdict import Terms
from concord.reports.panel.choice import judge_of
from concord.store import additions, graders, items, runs, sheets
from concord.store.runs import Receipt
from tests.support.made_items import made_item
from tests.support.panels import panel
from tests.support.reports.choices import QUESTIONS, off, some_off


@pytest.fixture
def scores(store):
    """Sixty questions with two answers each, and an annotator's grades: every third fails."""
    made = [made_item(n, m) for n in range(QUESTIONS) for m in ("atlas", "birch")]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    return {place: (3, 2, 0)[place % 3] for place in range(2 * QUESTIONS)}


@pytest.fixture
def alone(give, judge, scores):
    """Two annotators and one judge, which agrees with them about as they agree with each other."""
    give("Ana", some_off(scores, 0.1, 1))
    give("Ben", some_off(scores, 0.1, 2))
    judge("gpt", some_off(scores, 0.05, 3))


@pytest.fixture
def two_judges(judge, scores):
    """The judges `dear` and `cheap`, each one point off on every tenth answer."""
    judge("dear", off(scores, 10))
    judge("cheap", off(scores, 10, 5))


@pytest.fixture
def paid(store, rubric):
    """Stores what a judge's replies cost, in USD per 1,000 answers."""

    def pay(name, per_1000):
        (sheet,) = sheets.all_sheets(store)
        judge = graders.find(store, "judge", name)
        run = runs.start(
            store, {}, [], {}, None, grader_id=judge.id, sheet_id=sheet.id, rubric_id=rubric[0]
        )
        replies = [
            runs.Reply(
                *(judge.id, row["id"], row["content_hash"], "joint", 1, 1, "{}", "{}", "scored"),
                receipt=Receipt(cost=per_1000 / 1000, latency=1.0),
            )
            for row in store.rows("select id, content_hash from items")
        ]
        runs.add_replies(store, run, replies)

    return pay


@pytest.fixture
def run_judge(store):
    """A judge that was run."""
    return graders.get(store, graders.ensure(store, "judge", "gpt"))


@pytest.fixture
def reply(store, sheet, rubric, run_judge):
    """Stores a reply to the item at a place of the sheet."""
    ids = items.item_ids(store, sheet.id)
    run = runs.start(
        store, {}, [], {}, None, grader_id=run_judge.id, sheet_id=sheet.id, rubric_id=rubric[0]
    )
    hashes = dict(store.rows("select id, content_hash from items"))

    def add(place, cost, latency=1.0, part="joint", repeat=1, attempt=1, status="scored", price=""):
        item = ids[place]
        given = runs.Reply(
            *(run_judge.id, item, hashes[item], part, repeat, attempt, "{}", "{}", status),
            receipt=Receipt(cost=cost, latency=latency, price=price or None),
        )
        runs.add_replies(store, run, [given])

    return add


@pytest.fixture
def replayed(store, close_judges):
    """Replays the verdict on a judge: replayed(margin=0.15, judge="cheap")."""

    def replay(margin=0.15, judge="cheap"):
        found = panel(store, close_judges)
        against = judge_of(store, found, "dear")
        decision = choose.fix(store, found, against, Terms(margin, 0.6, 0.5))
        looked = choose.look(store, found, decision)
        who = judge_of(store, found, judge)
        return choose.replayed(store, found, decision, against, who, looked)

    return replay
