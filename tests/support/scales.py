"""A sheet that judges of several prompts, models and scales have graded, with known noise.

Twenty-four questions, each answered by three models; every criterion of an answer deserves
`deserved(place)` on 0-3, which Ana gives. A judge's scores are that share of its own scale, now and
then off by one score. Few-shot judges are off less often than zero-shot ones.
"""

import json

from concord.judges.definition.model import Judge
from concord.model import Sheet
from concord.store import additions, graders, items
from concord.store.database import Store
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item

QUESTIONS, MODELS = 24, ("atlas", "birch", "cobalt")
ANSWERS = QUESTIONS * len(MODELS)


def deserved(place: int) -> int:
    """What an answer deserves, by its place: atlas mostly 3, birch 2 or so, cobalt lowest."""
    question, model = divmod(place, len(MODELS))
    return max(0, 3 - model - (question % 4 == 0) - (question % 7 == 0))


def graded_sheet(store: Store, name: str = "numbers", person: str = "Ana", first: int = 0) -> Sheet:
    """The sheet, graded by one annotator under doc-qa-0-3."""
    made = [made_item(n, model) for n in range(first, first + QUESTIONS) for model in MODELS]
    sheet = additions.add(store, name, made, f"{name}.csv", "0" * 64, {})
    person_id = graders.ensure(store, "person", person)
    scores = {place: deserved(place) for place in range(ANSWERS)}
    grade(store, sheet, person_id, "doc-qa-0-3", scores)
    return sheet


def judged(
    store: Store,
    sheet: Sheet,
    name: str,
    rubric: str = "doc-qa-0-3",
    every: int = 5,
    places: range = range(ANSWERS),
    repeats: int = 1,
    **definition,
) -> int:
    """A judge that is one score too high or low on every so-manieth answer; returns its id.

    Repeat r is off on answers that are r further on. `definition` holds more keys of the judge
    file; with `model=None` nothing is known of the judge but its grades.
    """
    asked = {"name": name, "model": "m", "rubric": rubric, **definition}
    known = asked["model"] is not None
    stored = {"judge": json.loads(Judge.model_validate(asked).body())} if known else {}
    judge_id = graders.ensure(store, "judge", name, name if known else "", definition=stored)
    scale = rubric_versions.named(store, rubric)[1].scale
    for repeat in range(1, repeats + 1):
        scores = {place: _noisy(place, scale, every, repeat) for place in places}
        grade(store, sheet, judge_id, rubric, scores, repeat)
    return judge_id


def grade(store: Store, sheet: Sheet, grader: int, rubric: str, scores: dict, repeat=1) -> None:
    """Record the same score for every criterion; a text is a status and no score."""
    ids = items.item_ids(store, sheet.id)
    versions = rubric_versions.named(store, rubric)[1].versions().values()
    record(
        store,
        [
            Press(
                ids[place],
                version,
                grader,
                status=said if isinstance(said, str) else "scored",
                score=None if isinstance(said, str) else said,
                repeat=repeat,
            )
            for place, said in scores.items()
            for version in versions
        ],
    )


def _noisy(place: int, scale: tuple[int, ...], every: int, repeat: int) -> int:
    at = round(deserved(place) / 3 * (len(scale) - 1))
    if (place + repeat) % every == 0:
        at += 1 if at < len(scale) - 1 else -1
    return scale[at]
