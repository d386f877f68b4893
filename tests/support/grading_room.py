"""What the browser tests of the grading screen do again and again.

What the grading pages show, and what their component receives.

A grading set with known answers, and annotators who train on them.
"""

from playwright.sync_api import Locator, Page, expect
from streamlit.testing.v1 import AppTest

from concord.grading import assignments, gold_items, grading_sets, workspace
from concord.grading.gold_items import AgreedScore
from concord.grading.grading_sets import GradingSet
from concord.sampling import split_assignment, splits
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions
from tests.support.browser import Server, visit

CURRENT = (
    "select g.* from grades g where status <> 'withdrawn' and not exists"
    " (select 1 from grades later where later.supersedes = g.id) order by g.id"
)


def begin(page: Page, server: Server, grading_set: GradingSet, query: str = "") -> None:
    """Open a set as Ana."""
    visit(page, server, f"/grade?view=grader&set={grading_set.id}&grader=Ana{query}")
    ready(page)


def ready(page: Page) -> None:
    """Wait until the pane is there and hears the keyboard."""
    expect(page.locator(".count")).to_contain_text(" of ")


def saved(page: Page) -> None:
    """Wait until every key is on disk."""
    expect(page.locator(".state")).to_have_attribute("data-unsaved", "0")


def question(page: Page) -> Locator:
    """The question on screen."""
    return page.locator(".question")


def queue(store: Store, grading_set: GradingSet, ana: int) -> list[assignments.Assigned]:
    """Ana's queue in order."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    return assignments.queue(store, grading_set, ana, list(rubric.versions().values()), 1)


def scores(store: Store) -> list[tuple[int, int, int]]:
    """Item, repeat and score of every current grade, in the order they were given."""
    return [(row["item_id"], row["repeat"], row["score"]) for row in given(store)]


def given(store: Store) -> list[Row]:
    """Every current grade, in the order they were given."""
    return store.rows(CURRENT)


HIDDEN = "keyboard_focus"


def component_json(test: AppTest) -> str:
    """All that the grading component receives, as JSON."""
    every = test.get("bidi_component")
    [component] = (one for one in every if not one.proto.component_name.endswith(HIDDEN))
    return component.proto.json or component.proto.mixed.json


def texts(test: AppTest) -> str:
    """Headings, texts and messages of a page."""
    parts = [*test.header, *test.subheader, *test.markdown, *test.caption, *test.error, *test.info]
    return " ".join(part.value for part in parts)


def prepared(store, sheet, rubric, name, practised=("000-atlas",)):
    """A set of a sheet whose first two questions are examples, with answers to train on."""
    examples = splits.questions_named(store, sheet, ["000", "001"])
    split_assignment.assign(store, examples, "few-shot", "for training")
    made = grading_sets.create(store, sheet.id, rubric[0], name, None, 1, 6, 0.0)
    gold_items.agree(store, made, known(store, made, rubric, practised), "Lea")
    return made


def known(store, made, rubric, answers, score=2, reason="agreed"):
    """An agreed score for every criterion of some answers."""
    ids = [gold_items.named(store, made, own_id) for own_id in answers]
    return [AgreedScore(one, c.name, score, reason) for one in ids for c in rubric[1].criteria]


def press(store, made, person, rubric, place, score, count=None):
    """Grade the first criteria of a place; all of them unless said."""
    keys = [
        workspace.Key(f"{person}-{place.id}-{n}-{score}", place.id, version, "scored", score)
        for n, version in enumerate([*rubric[1].versions().values()][:count])
    ]
    assert workspace.save(store, made, person, rubric[1], keys).refused == {}
