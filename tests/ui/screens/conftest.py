"""Fixtures of the tests of screens."""

import json
from functools import partial

import numpy as np
import pytest

from concord.building.drafts import Words
from concord.grading import assignments, grading_sets
from concord.judges.run import launch
from concord.model import Cell
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, grades
from concord.store import items as store_items
from concord.store.grades import Press, record
from concord.store.permissions import GRADER, LEAD, VIEWER, Who
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.team import members, sessions
from concord.ui.screens import review
from tests.support import screens
from tests.support.browsed_items import checked, item
from tests.support.evidence_room import RUBRIC, cut, number, say
from tests.support.exports import graded_traces
from tests.support.grading_room import prepared
from tests.support.judges.building import proposed
from tests.support.made_items import made_item
from tests.support.panels import HONEST, give, honest, judge
from tests.support.screens import opened, sign_in_as


@pytest.fixture
def screen(store, monkeypatch, request):
    """Opens the PAGE of the test's module, with a query, on the database of the fixture `store`."""
    return partial(opened, monkeypatch, store.path, request.module.PAGE)


@pytest.fixture(autouse=True)
def _simulated_once(simulated_once):
    """Each run of a page asks for its simulations anew."""


@pytest.fixture
def app(store, monkeypatch):
    """Opens a page on the database of the fixture `store`."""
    return partial(opened, monkeypatch, store.path)


@pytest.fixture
def half_graded(store, sheet, whole_set, rubric):
    """A set of 36 answers of which Ana graded 20 and Bo 4, when two questions left for the pool."""
    versions = list(rubric[1].versions().values())
    items = store_items.item_ids(store, sheet.id)
    for name, count in (("Ana", 20), ("Bo", 4)):
        one = graders.ensure(store, "person", name)
        assignments.queue(store, whole_set, one, versions, 1)
        record(store, [Press(item, v, one, score=2) for item in items[:count] for v in versions])
    ids = splits.questions_named(store, sheet, ["000", "001"])
    split_assignment.assign(store, ids, "few-shot", "")
    return grading_sets.get(store, whole_set.id)


@pytest.fixture
def labelling(store, sheet):
    """A set of claims; three of its 36 answers are taken apart."""
    rubric_id, _ = rubric_versions.named(store, "claims-in-contexts")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    for (item_id,) in store.rows("select id from items order by id limit 3"):
        units.keep(store, item_id, "claim", [Cell("五味子味酸。", 0), Cell("It is old.", 1)], judge)
    return grading_sets.create(store, sheet.id, rubric_id, "Claims", None, seed=1, repeat_share=0)


@pytest.fixture
def with_eve(store, rubric):
    """Forty questions, four honest annotators, and Eve, who presses at random."""
    random = np.random.default_rng(14)
    sheet = additions.add(store, "n", [made_item(n) for n in range(40)], "n.csv", "0" * 64, {})
    truth = random.choice((0, 1, 2, 3), 40, p=(0.1, 0.15, 0.25, 0.5))
    rows = {name: honest(random, truth, 0.3) for name in HONEST}
    rows["Eve"] = random.integers(0, 4, 40)
    for name, scores in rows.items():
        give(store, rubric[1], name, dict(enumerate(map(int, scores))))
    return sheet


@pytest.fixture
def team_sets(store, sheet, rubric):
    """Two grading sets, the first of them open to Ann."""
    for name, role in (("Lea", LEAD), ("Ann", GRADER), ("Vi", VIEWER)):
        members.add(store, name, role, "test")
    made = [grading_sets.create(store, sheet.id, rubric[0], f"Set {n}", 2, n) for n in (1, 2)]
    grading_sets.join(store, made[0], members.named(store, "Ann").grader_id, "Lea")
    return made


@pytest.fixture
def as_whom(store, team_sets, monkeypatch):
    """Opens a screen, the tab Grade unless another is named, as a member who signed in."""

    def open_as(name, page="pages/grade.py", **query):
        sign_in_as(monkeypatch, members.named(store, name).who())
        return opened(monkeypatch, store.path, page, **query)

    return open_as


@pytest.fixture
def made(store, sheet, rubric):
    """A set with one training item and five more answers in the few-shot pool."""
    return prepared(store, sheet, rubric, "Team")


TEXT = "The harbour opens at six in the morning. Boats wait until the signal is green."


@pytest.fixture
def port(store):
    """A sheet that is being built, with two drafts that wait and one that is faulty."""
    words = Words("When does it open?", "At six.", "opens at six in the morning")
    other = words._replace(question="What do boats wait for?", quote=TEXT[41:])
    proposed(store, "port", TEXT, words, other, words._replace(quote="opens at seven sharp"))


@pytest.fixture
def big_sheet(store):
    """A sheet of 120 answers with contexts and columns of its own; ids are 1 to 120."""
    made = [item(number) for number in range(120)]
    return additions.add(store, "big", made, "big.jsonl", "ab" * 32, {})


@pytest.fixture
def browse(store, big_sheet, monkeypatch):
    """Opens the sheets screen with a query."""
    return lambda **query: checked(
        screens.opened(monkeypatch, store.path, "pages/data.py", **query)
    )


@pytest.fixture
def traces(store):
    """Three answers with grades by Ana, Ben and a judge, two of them known to other tools."""
    return graded_traces(store)


@pytest.fixture
def keyed(monkeypatch):
    """An API key is known."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-quite-secret-0123456789")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def started(monkeypatch):
    """What the screen would have started, as (argument, options)."""
    calls = []
    monkeypatch.setattr(
        launch, "start", lambda _, plan, argument, opts: calls.append((argument, opts))
    )
    return calls


@pytest.fixture
def three_graded(store):
    """Three answers of one question each; gpt passes the two that Ana fails."""
    additions.add(store, "numbers", [made_item(n) for n in range(3)], "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 0, 1: 1, 2: 3}, reason="<b>not</b> so")
    judge(store, rubric, "gpt", {0: 3, 1: 3, 2: 3}, reason="fine")
    return rubric


@pytest.fixture
def told(monkeypatch):
    """What the pane was handed last, as the browser reads it."""
    handed = {}

    def drawn(data, **given):
        handed.update(given, data=json.loads(json.dumps(data)))

    monkeypatch.setattr(review, "_component", drawn)
    return handed


@pytest.fixture
def judged_claims(store, ana):
    """Two answers with two claims each; of the second one Ana and the judge differ."""
    rubric_versions.register(store, RUBRIC, "preset")
    made = [made_item(n, answer=f"<b>Answer {n}</b>") for n in range(2)]
    sheet = additions.add(store, "two", made, "t.csv", "2" * 64, {})
    mine = graders.ensure(store, "metric", "mine", "f1")
    for item_id, annotators in ((1, 3), (2, 0)):
        a, b = cut(store, item_id, "One.", "<i>Two.</i>", by=mine)
        say(store, item_id, mine, {a: 3, b: 3}, why="So it says.")
        say(store, item_id, ana, {a: annotators})
        number(store, mine, item_id, 1.0)
    return sheet


@pytest.fixture
def refuted(store, judged_claims):
    """The judge contradicts both claims of the second answer, one with a quote in a context."""
    mine = graders.find(store, "metric", "mine").id
    quote = store.value("select json_extract(contexts, '$[0].text') from items where id = 2")
    units = [row["id"] for row in store.rows("select id from units where item_id = 2 order by id")]
    say(store, 2, mine, {units[0]: 0}, quote=quote[:5], why="It says otherwise.")
    say(store, 2, mine, {units[1]: 0}, quote="Nowhere to be found.")
    found = store.rows(
        "select id from grades where score = 0 and grader_id = ? order by id", [mine]
    )
    return [row["id"] for row in found]


@pytest.fixture
def of_every_kind(store, refuted):
    """Two disagreements, two contradicted claims, and the claims of two answers; gpt and mine."""
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 0, 1: 1})
    judge(store, rubric, "gpt", {0: 3, 1: 3})
    return refuted


@pytest.fixture
def graded_preset(store, sheet, rubric, ana):
    """One grade of Ana under the preset's correctness."""
    grades.record(store, [Press(1, rubric[1].versions()["correctness"], ana, score=2)])
    return rubric[1]


@pytest.fixture
def team(store, sheet, rubric):
    """A lead, a grader with an open set and a session, and nobody else."""
    lea = members.add(store, "Lea", LEAD, "test")
    ann = members.add(store, "Ann", "grader", "Lea")
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", 2, 1)
    grading_sets.join(store, made, ann.grader_id, "Lea")
    sessions.begin(store, ann)
    return store, lea, ann


@pytest.fixture
def team_screen(team, monkeypatch):
    """Opens the screen as somebody who signed in."""

    def as_whom(member, role=LEAD):
        sign_in_as(monkeypatch, Who(member.name, role, member.grader_id))
        return opened(monkeypatch, team[0].path, "pages/team.py")

    return as_whom
