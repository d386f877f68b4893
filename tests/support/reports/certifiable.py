"""A sheet on which two judges nearly agree with the annotators, so that both can be certified."""

import json
import random
from pathlib import Path

from concord.definitions import digest
from concord.judges.definition import model
from concord.reports.certificate import certificate, certification
from concord.reports.decision.results import Terms
from concord.reports.document import as_json
from concord.reports.panel.named_judge import judge_of
from concord.rubrics.model import Rubric
from concord.store import additions
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give, panel
from tests.support.reports.choices import chosen

RUBRIC = "doc-qa-0-3"
QUESTIONS = 60
TERMS = Terms(0.15, 0.6, 0.5)
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


def look(store: Store, rubric: Rubric, criterion: str | None = None, terms: Terms = TERMS):
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
    body = json.loads(json.dumps(as_json(kept))) | changes
    definition = model.load(judge_file).model_dump(mode="json", exclude_defaults=True)
    body["judge"] |= {"definition": definition}
    covered = {key: value for key, value in body.items() if key not in ("id", "digest")}
    path.write_text(json.dumps(covered | {"digest": digest(covered)}), encoding="utf-8")
    return path
