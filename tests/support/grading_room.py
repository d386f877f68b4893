"""What the browser tests of the grading screen do again and again."""

from playwright.sync_api import Locator, Page, expect

from concord.grading import assignments
from concord.grading.grading_sets import GradingSet
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
