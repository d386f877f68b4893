"""A judge at a server whose mind can change after its certificate was written."""

import random
from pathlib import Path

from concord.rubrics.model import Rubric
from concord.store import additions
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke, judge_file
from tests.support.endpoint import grade_by_hash
from tests.support.made_items import made_item
from tests.support.panels import give

QUESTIONS = 24


class Mind:
    """Grades by the hash of the message; a share of the scores is another one now and then."""

    def __init__(self):
        self.noise, self.changed, self.chance = 0.0, False, random.Random(5)

    def __call__(self, body):
        found = {}
        for name, (score, why) in grade_by_hash(body).items():
            moved = self.changed or self.chance.random() < self.noise
            found[name] = ((score + 1) % 4 if moved else score, why)
        return found


def judged(store: Store, folder: Path, url: str) -> Rubric:
    """Let one annotator and the judge `mine` at a server grade a sheet; the rubric."""
    made = [made_item(n, "atlas") for n in range(QUESTIONS)]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    for criterion in rubric.versions():
        give(store, rubric, "Ana", {n: n % 4 for n in range(QUESTIONS)}, criterion, blind=True)
    assert invoke(store.path, "judge", judge_file(folder, url)).exit_code == 0
    return rubric
