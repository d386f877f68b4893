"""A choice among judges, looked at.

A judge at a server whose mind can change after its certificate was written.

A sheet on which two judges nearly agree with the annotators, so that both can be certified.
"""

import json
import random
from pathlib import Path

from concord.definitions import digest
from concord.grading import sheet_progress
from concord.judges.definition import model
from concord.reports.certificate import certificate, certification
from concord.reports.decision import choose
from concord.reports.decision.verdict import Terms
from concord.reports.panel.choice import judge_of
from concord.reports.workflow.workflow import decided
from concord.rubrics.model import Rubric
from concord.store import additions
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke, judge_file
from tests.support.endpoint import grade_by_hash
from tests.support.made_items import made_item
from tests.support.panels import give, panel

QUESTIONS = 60
TERMS = Terms(margin=0.10, minimum=0.6, failure_recall=0.5)


def chosen(store, doc_qa, terms=TERMS, against="dear", annotators=(), criterion=None):
    """Fix a decision on the only sheet, and look at it."""
    made = panel(store, doc_qa, *annotators)
    decision = choose.fix(store, made, judge_of(store, made, against), terms, criterion)
    return choose.look(store, made, decision)


def row(found, name):
    """The row of one judge."""
    (one,) = [r for r in found.judges if r.judge == name]
    return one


def off(scores, every, start=0):
    """The same scores, but one point off on every so-manieth answer."""
    return {
        place: score + (1 if score < 3 else -1) if place % every == start else score
        for place, score in scores.items()
    }


def some_off(scores, share, seed):
    """The same scores of 0, 2 and 3, but others on this share of the answers, drawn at random."""
    drawn, other = random.Random(seed), {3: 2, 2: 0, 0: 3}
    return {
        place: other[score] if drawn.random() < share else score for place, score in scores.items()
    }


def state(store, sheet, candidates):
    """The step of the newest decision with so many judges to compare, and what is next."""
    return decided(store, sheet, sheet_progress.graded(store, sheet.id), candidates)


MIND_QUESTIONS = 24


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
    made = [made_item(n, "atlas") for n in range(MIND_QUESTIONS)]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    for criterion in rubric.versions():
        give(
            store,
            rubric,
            "Ana",
            {n: n % 4 for n in range(MIND_QUESTIONS)},
            criterion,
            blind=True,
        )
    assert invoke(store.path, "judge", judge_file(folder, url)).exit_code == 0
    return rubric


RUBRIC = "doc-qa-0-3"
LOOSE = Terms(0.15, 0.6, 0.5)
WRONG = {"Ben": 14, "dear": 12, "cheap": 13}  # every so manieth answer


def graded(store: Store) -> None:
    """Sixty questions by two models, graded by two annotators and two judges."""
    made = [made_item(n, m) for n in range(QUESTIONS) for m in ("atlas", "birch")]
    additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, RUBRIC)[1]
    chance = random.Random(7)
    for criterion in rubric.versions():
        truth = {place: chance.randint(0, 3) for place in range(2 * QUESTIONS)}
        give(store, rubric, "Ana", truth, criterion, blind=True)
        for name, wrong in WRONG.items():
            noisy = {place: 3 - s if place % wrong == 0 else s for place, s in truth.items()}
            kind = "person" if name == "Ben" else "judge"
            give(store, rubric, name, noisy, criterion, kind, blind=True)


def look(store: Store, rubric: Rubric, criterion: str | None = None, terms: Terms = LOOSE):
    """A look at a decision in which `dear` is the reference judge."""
    return chosen(store, rubric, terms, criterion=criterion)


def turn_readability(store: Store) -> None:
    """Leave `cheap` good enough on correctness, then not good enough on readability."""
    rubric = rubric_versions.named(store, RUBRIC)[1]
    cheap = judge_of(store, panel(store, rubric), "cheap")
    with store.write():
        store.execute(
            "update grades set score = 3 - score where version = ? and grader_id = ?",
            (rubric.versions()["readability"], cheap.id),
        )
    look(store, rubric, "correctness")
    look(store, rubric, "readability")


def certify(store: Store) -> None:
    """Write the certificate of `cheap`."""
    found = panel(store, rubric_versions.named(store, RUBRIC)[1])
    certification.certify(store, found, judge_of(store, found, "cheap"))


# Name of a fixture -> whose database it continues, and what it adds.
MADE = {
    "close_judges": (None, graded),
    "decided": ("close_judges", lambda store: look(store, rubric_versions.named(store, RUBRIC)[1])),
    "written": ("decided", certify),
    "half_good": ("close_judges", turn_readability),
}


def certificate_file(store: Store, judge_file: Path, path: Path, **changes: object) -> Path:
    """The certificate of `cheap` as if its judge were that of a file, with changes, and signed."""
    (kept,) = certificate.of_sheet(store, 1)
    body = json.loads(json.dumps(kept.document)) | changes
    definition = model.load(judge_file).model_dump(mode="json", exclude_defaults=True)
    body["judge"] |= {"definition": definition}
    covered = {key: value for key, value in body.items() if key not in ("id", "digest")}
    path.write_text(json.dumps(covered | {"digest": digest(covered)}), encoding="utf-8")
    return path
