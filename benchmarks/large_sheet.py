"""A large graded sheet for the benchmarks: seeded, so that every run measures the same."""

import numpy as np

from concord.clock import now
from concord.model import Context, Item, Sheet
from concord.rubrics.model import Rubric
from concord.store import additions, graders, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item

RUBRIC = "doc-qa-0-3"
MODELS = ("atlas", "birch", "cobalt", "dune")
JUDGES = 6
ANNOTATORS = {"Ana": 1.0, "Ben": 0.5}  # who graded which share of the answers
SEED = 20231
_COLUMNS = ("item_id", "version", "grader_id", "status", "score", "reason", "blind", "created_at")
_SHARES = (0.03, 0.05, 0.22, 0.70)


def fill(
    store: Store, answers: int, judges: int = JUDGES, given: list[Item] | None = None
) -> tuple[Sheet, Rubric]:
    """A sheet of so many answers, four to a question, graded by two annotators and some judges.

    `given` are the answers where they are not to be made here.

    Grades are 70/22/5/3 as on real sheets, errors grow from judge to judge, one reply in a hundred
    is unparsable.
    """
    random = np.random.default_rng(SEED)
    made = given or [_item(n) for n in range(answers)]
    sheet = additions.add(store, "large", made, "large", "0" * 64, {})
    _, rubric = rubric_versions.named(store, RUBRIC)
    ids = items.item_ids(store, sheet.id)
    truth = {name: random.choice(4, answers, p=_SHARES) for name in rubric.versions()}
    with store.write():
        for name, share in ANNOTATORS.items():
            graded = np.flatnonzero(random.random(answers) < share)
            _give(store, rubric, ids, "person", name, graded, truth, 0.15, random)
        for judge in range(judges):
            name, error = f"judge-{judge + 1}", 0.1 + 0.04 * judge
            every = np.arange(answers)
            _give(store, rubric, ids, "judge", name, every, truth, error, random)
    return sheet, rubric


def _give(store, rubric, ids, kind, name, graded, truth, error, random) -> None:
    """Grades of one grader: mostly the truth, else one point beside it."""
    grader = graders.ensure(store, kind, name, "" if kind == "person" else name)
    for criterion, version in rubric.versions().items():
        beside = truth[criterion] + random.choice((-1, 1), len(ids))
        wrong = random.random(len(ids)) < error
        score = np.where(wrong, np.clip(beside, 0, 3), truth[criterion]).tolist()
        lost = (random.random(len(ids)) < (0.01 if kind == "judge" else 0)).tolist()
        store.insert_many(
            "grades",
            _COLUMNS,
            [
                (
                    *(ids[n], version, grader, "unparsable" if lost[n] else "scored"),
                    *(None if lost[n] else score[n], "Because of the second step.", 1, now()),
                )
                for n in graded.tolist()
            ],
        )


def long_item(number: int) -> Item:
    """One of four long answers to a question, with three contexts."""
    text = "The valve is closed before the filter is changed, and opened slowly afterwards. "
    question, model = divmod(number, len(MODELS))
    return made_item(
        number,
        MODELS[model],
        question_id=str(question),
        question=f"How is filter {question} changed?",
        contexts=tuple(Context(f"c{n}", "d", text * 12, n) for n in range(1, 4)),
        answer=f"Answer {number}. {text * 6}",
    )


def _item(number: int) -> Item:
    question, model = divmod(number, len(MODELS))
    return made_item(
        number,
        MODELS[model],
        question_id=str(question),
        question=f"How is filter {question} changed?",
        contexts=(),
        answer=f"Answer {number}. " + "The valve is closed first. " * (1 + number % 7),
        reference=(),
    )
