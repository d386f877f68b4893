"""Fixtures of the tests of grading."""

import pytest

from concord.grading import assignments, gold_items, grading_sets, package_workbook, workspace
from concord.grading.adjudications import Part
from concord.model import Cell
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, items
from concord.store.database import open_store
from concord.store.grades import Press, record
from concord.store.permissions import GRADER, Who
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.grading_room import known
from tests.support.made_items import made_item
from tests.support.packs import TEXT, team_set
from tests.support.panels import ATLAS, BIRCH, COBALT, give, judge
from tests.support.visitor import NAMES

EXAMPLES = ("000", "001")


@pytest.fixture
def sixty_questions(store):
    """Sixty questions with two answers each."""
    made = [made_item(n, m) for n in range(60) for m in ("atlas", "birch")]
    return additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})


@pytest.fixture
def versions(rubric):
    return list(rubric[1].versions().values())


@pytest.fixture(params=["alone", "signed in"])
def pane(request, store, ana):
    """Opens the store as Ana's grading screen does, for the sets that she grades."""
    opened = []

    def made(*sets):
        if request.param == "alone":
            return store
        for one in sets:
            grading_sets.join(store, one, ana, "Lea")
        opened.append(open_store(store.path, Who("Ana", GRADER, ana)))
        return opened[-1]

    yield made
    for one in opened:
        one.close()


@pytest.fixture
def practised_set(store, sheet, rubric):
    """A set of whole answers; two further ones are practised first."""
    questions = splits.questions_named(store, sheet, ["000", "001"])
    split_assignment.assign(store, questions, "few-shot", "for practice")
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    gold_items.agree(store, made, known(store, made, rubric, ["000-atlas", "001-birch"]), "Lea")
    return made


@pytest.fixture
def claims_set(store, sheet):
    """A set whose steps are claims, and the lists of them, which a model made."""
    rubric_id, rubric = rubric_versions.named(store, "claims-in-contexts")
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    for (item_id,) in store.rows("select id from items order by id"):
        units.keep(store, item_id, "claim", [Cell("One claim.", 0)], judge)
    made = grading_sets.create(store, sheet.id, rubric_id, "Claims", None, 1, repeat_share=0)
    return made, rubric


@pytest.fixture
def given(store, sheet, rubric):
    """Gives the answers at some places a score by someone."""
    ids, version = items.item_ids(store, sheet.id), rubric[1].versions()["correctness"]

    def give(name, places, kind="person", status="scored"):
        who = graders.ensure(store, kind, name)
        score = 3 if status == "scored" else None
        record(store, [Press(ids[place], version, who, status, score) for place in places])
        return who

    return give


@pytest.fixture
def set_with_examples(store, sheet, rubric):
    """A set of ten questions in five blocks; two more questions are examples."""
    questions = splits.questions_named(store, sheet, EXAMPLES)
    split_assignment.assign(store, questions, "few-shot", "for practice")
    return grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)


@pytest.fixture
def agree(store, set_with_examples, rubric):
    """Makes answers of the set training items, by their names."""

    def known_to(names, *more):
        wanted = known(store, set_with_examples, rubric, names, *more)
        gold_items.agree(store, set_with_examples, wanted, "Lea")

    return known_to


@pytest.fixture
def mix_in(store, set_with_examples, rubric):
    """Makes answers of the set gold items, by their names."""

    def known_to(names):
        wanted = known(store, set_with_examples, rubric, names)
        gold_items.mix_in(store, set_with_examples, wanted, "Lea")

    return known_to


@pytest.fixture
def big_set(store, rubric):
    """A set of 90 answers."""
    made = [made_item(n, m) for n in range(30) for m in ("atlas", "birch", "cobalt")]
    sheet = additions.add(store, "big", made, "big.csv", "2" * 64, {})
    return grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)


@pytest.fixture
def claims_rubric(store):
    """The rubric claims-in-contexts with its id in the store, as (id, rubric)."""
    return rubric_versions.named(store, "claims-in-contexts")


@pytest.fixture
def claims_judge(store):
    return graders.ensure(store, "metric", "rag-metrics", "f" * 16)


@pytest.fixture
def labelling(store, sheet, claims_rubric):
    """The whole sheet of 36 answers as a set whose steps are claims; no answer returns."""
    return grading_sets.create(
        store, sheet.id, claims_rubric[0], "Claims", None, seed=1, repeat_share=0
    )


@pytest.fixture
def team(store, team_set):
    """A set of six blocks of two questions, and three annotators."""
    return team_set, [graders.ensure(store, "person", name) for name in NAMES]


@pytest.fixture
def disputed(store, sheet, doc_qa):
    give(store, doc_qa, "Ana", {ATLAS: 3, BIRCH: 2, COBALT: 1, 3: 0})
    give(store, doc_qa, "Ben", {ATLAS: 2, BIRCH: 2, COBALT: 3, 3: None}, reason="Too short.")
    give(store, doc_qa, "Cleo", {ATLAS: 1})
    give(store, doc_qa, "Ben", {ATLAS: 0}, criterion="readability")
    give(store, doc_qa, "Ana", {ATLAS: 1}, criterion="readability")
    judge(store, doc_qa, "gpt", {ATLAS: 0, BIRCH: 0, COBALT: 0}, reason="judged")


@pytest.fixture
def lea(store, sheet):
    return graders.ensure(store, "person", "Lea")


@pytest.fixture
def differing(store, sheet, doc_qa):
    """Ana and Ben give 0 where gpt gives 3; the ids of their grades."""
    give(store, doc_qa, "Ana", {ATLAS: 0, BIRCH: 2})
    give(store, doc_qa, "Ben", {ATLAS: 0, BIRCH: 3})
    judge(store, doc_qa, "gpt", {ATLAS: 3, BIRCH: 3})
    return [row["id"] for row in store.rows("select id from grades where item_id = 1 order by id")]


@pytest.fixture
def parts(store, sheet, doc_qa, disputed):
    """Correctness of the answers by Atlas and Cobalt, on which Ana and Ben differ."""
    ids = items.item_ids(store, sheet.id)
    return [Part(ids[place], doc_qa.versions()["correctness"]) for place in (ATLAS, COBALT)]


@pytest.fixture
def set_for_ana(team_set, ana):
    """A set of six blocks of six answers, and Ana, who will grade it."""
    return team_set, ana


@pytest.fixture
def half_graded(store, packed, rubric):
    """Ana's queue with correctness of its first answer graded 1, and packed then."""
    ana, team = graders.find(store, "person", "Ana").id, team_set(store)
    versions = rubric[1].versions()
    first = assignments.queue(store, team, ana, [*versions.values()], 9)[0]

    def grade(score, press):
        key = workspace.Key(press, first.id, versions["correctness"], "scored", score)
        assert workspace.save(store, team, ana, rubric[1], [key]).refused == {}

    grade(1, "first")
    packed = package_workbook.make(store, team, ["Ana"], "Lea")
    return packed, first.item_id, grade


@pytest.fixture
def packed(store, rubric):
    """A set of five answers, one of them hard on files, packed for Ana with one hidden repeat."""
    items = [made_item(n) for n in range(4)] + [made_item(4, answer=TEXT)]
    sheet = additions.add(store, "five", items, "f.csv", "5" * 64, {})
    grading_set = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 9, 0.2)
    return package_workbook.make(store, grading_set, ["Ana"], "Lea")
