"""Builds the databases that are recorded, by commands and files, at fixed times and from seeds."""

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from concord import clock
from concord.grading import assignments, gold_items, grading_sets, workspace
from concord.model import Cell
from concord.reports import samples
from concord.reports.panel import panel
from concord.store import graders, runs, sheets
from concord.store import grades as stored_grades
from concord.store import items as store_items
from concord.store.database import Store, open_store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions
from concord.store.runs import Receipt
from concord.store.units import units
from tests.support import commandline, measured_sets, simulated_plans

BEGUN, READ = datetime(2026, 3, 2, 9, tzinfo=UTC), datetime(2026, 5, 4, 12, tzinfo=UTC)
RUBRIC = "doc-qa-0-3"
MODELS = ("atlas", "birch", "cobalt")
CRITERIA = ("correctness", "comprehensiveness", "readability")
GOOD = (0.8, 0.6, 0.35)  # how likely an answer of each model is a good one
GRADES = ("item_id", "criterion", "grader", "grader_kind", "score", "repeat", "seconds", "blind")
CERTIFICATE = "certificate.json"  # what `simulated` leaves beside its database

Scores = Mapping[tuple[str, str], int]  # by the item's id and the criterion


class Moment(datetime):
    """Stands in the clock's module for `datetime`: it is whatever time it was set to."""

    at = BEGUN

    @classmethod
    def now(cls, tz=None):
        return cls.at


@contextmanager
def steady() -> Iterator[None]:
    """The time stands still at `Moment.at`, and nothing of this machine's surroundings shows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "datetime", Moment)
        patch.setattr(Moment, "at", READ)
        patch.setenv("TZ", "UTC")
        patch.setenv("COLUMNS", "80")
        for name in os.environ.keys() - commandline.without_keys().keys():
            patch.delenv(name)
        for name in ("CONCORD_METRICS", "CONCORD_DB"):
            patch.delenv(name, raising=False)
        yield


def build(name: str, folder: Path) -> Path:
    """The database of that name, in a folder of its own."""
    db = folder / "concord.db"
    Moment.at = BEGUN
    with pytest.MonkeyPatch.context() as patch:
        simulated_plans.few_sheets(patch)  # what `plan --draw` says beside the draw is not kept
        BUILDERS[name](db)
    with open_store(db) as store, store.write():
        store.execute("update settings set value = 'golden' where name = 'identity'")
    Moment.at = READ
    return db


def say(db: Path, *words: object):
    """A command that must succeed; gives its JSON document."""
    result = commandline.invoke(db, *words, "--json")
    assert result.exit_code == 0, (words, result.output)
    return json.loads(result.stdout)


def empty(db: Path) -> None:
    """No sheet at all."""
    say(db, "sheets")


def sample(db: Path) -> None:
    """The bundled sample."""
    say(db, "demo")


def unequal(db: Path) -> None:
    """A set that was drawn with unequal chances, graded in part, and judges with prices."""
    name, random = "unequal", np.random.default_rng(11)
    items = answers(db, name, 80)
    truth = truth_of(items, random)
    judged = {"lenient": off(truth, random, 0.3, up=True), "strict": off(truth, random, 0.15)}
    give(db, name, "judge", judged)
    for judge, cost in (("lenient", 0.4), ("strict", 2.5)):
        ran(db, name, judge, cost)
    with open_store(db) as store:
        rubric_id, rubric = rubric_versions.named(store, RUBRIC)
        read = panel.read(store, sheets.find(store, name), rubric)
        strict = {i: one for i, one in read.judges.items() if one.name == "strict"}
        suspects = samples.request(replace(read, judges=strict), CRITERIA[0], 30, 1, 0.33)
        samples.create(store, read, rubric_id, "First", suspects)
    for person, wrong, most in (("Ana", 0.1, 60), ("Ben", 0.2, 40)):
        on_screen(db, name, "First", person, off(truth, random, wrong), most)


def units_(db: Path) -> None:
    """Claims graded by annotators and a judge, some contradicted, and numbers of metrics."""
    name, random = "units", np.random.default_rng(12)
    items = with_contexts(db, name, 24)
    say(db, "judge", "computed", "--sheet", name, "--yes")
    with open_store(db) as store:
        sheet = sheets.find(store, name)
        for metric, low in (("faithfulness", 0.4), ("response_relevancy", 0.6)):
            values = [round(float(v), 3) for v in random.uniform(low, 1, len(items))]
            measured_sets.give(store, sheet.id, metric, values, judge="rag-metrics")
        verdicts = claims(store, sheet, random)
    rows = [("item_id", "claim", "grader", "grader_kind", "verdict", "quote")]
    for person, wrong in (("Ana", 0.1), ("Ben", 0.25)):
        for (item, claim), verdict in verdicts.items():
            told = str(random.choice(VERDICTS)) if random.random() < wrong else verdict
            quote = f"Pump {item[1:4]} starts at" if told == "supported" else ""
            rows.append((item, claim, person, "person", told, quote))
    taken = ("grades", written(db, "claims.csv", rows), "--sheet", name)
    say(db, *taken, "--rubric", "claims-in-contexts")
    listed = say(db, "disagreements", "--contradicted", "--sheet", name)["refutations"]
    grade = [one["id"] for one in listed]
    said = [("--confirm", one) for one in grade[:8]] + [("--overturn", one) for one in grade[8:10]]
    say(db, "disagreements", "--sheet", name, *(w for pair in said for w in pair), "--by", "Ana")


def simulated(db: Path) -> None:
    """Annotators over weeks and judges of known quality, and every decision on them."""
    name, random = "simulated", np.random.default_rng(13)
    items = answers(db, name, 60)
    truth = truth_of(items, random)
    known = ("--question", "q058", "--question", "q059")
    say(db, "splits", "--sheet", name, "--set", "few-shot", *known, "--why", "to practise")
    say(db, "splits", "--sheet", name, "--hold-out", 0.15, "--seed", 7, "--yes")
    careful, lenient = off(truth, random, 0.1), off(truth, random, 0.4, up=True)
    constant = {key: 3 if random.random() < 0.98 else 2 for key in truth}
    judged = {"careful": careful, "lenient": lenient, "constant": constant}
    give(db, name, "judge", judged)
    give(db, name, "judge", {"careful": off(careful, random, 0.05)}, repeat=2)
    for judge, cost in (("careful", 4.0), ("lenient", 0.5), ("constant", 0.1)):
        ran(db, name, judge, cost)
    say(db, "plan", "--sheet", name, "--draw", 40, "--name", "Set 1", "--yes")
    shared = ("--annotators", "Ana", "--annotators", "Ben", "--each", 2, "--blocks", 4)
    shared += ("--until", "2026-04-01")
    say(db, "campaign", "Set 1", "--sheet", name, *shared)
    known_answers(db, name, "Set 1")
    on_screen(db, name, "Set 1", "Ana", off(truth, random, 0.08))
    on_screen(db, name, "Set 1", "Ben", off(truth, random, 0.15), 110)
    at_random = {key: int(random.integers(0, 4)) for key in truth}
    give(db, name, "person", {"Rand": at_random})
    settled(db, name)


def settled(db: Path, name: str) -> None:
    """What is decided on `simulated`: differences, a choice of a judge and its certificate."""
    of = ("--sheet", name)
    apart = say(db, "adjudicate", *of)["answers"]
    for case in [one["at"] for one in apart if "correctness" in one["points_apart"]][:5]:
        settle = ("--score", "correctness", 2, "--cause", "overlooked", "--by", "Lea")
        say(db, "adjudicate", *of, "--at", case, *settle)
    terms = ("--against", "careful", "--margin", 0.15, "--minimum", 0.2, "--failure-recall", 0.2)
    say(db, "choose", *of, *terms)
    body = say(db, "certificate", "careful", *of)
    text = json.dumps(body, ensure_ascii=False, indent=2)
    (db.parent / CERTIFICATE).write_text(text, encoding="utf-8")
    listed = say(db, "disagreements", *of, "--judge", "lenient", "--by", "Ana")
    for one in listed["disagreements"][:3]:
        cell = f"{one['annotator_score']}:{one['judge_score']}"
        tag = (one["key"], "judge_wrong", "--criterion", one["criterion"], "--cell", cell)
        say(db, "disagreements", *of, "--judge", "lenient", "--by", "Ana", "--tag", *tag)


BUILDERS: dict[str, Callable[[Path], None]] = {
    "sample": sample,
    "unequal": unequal,
    "units": units_,
    "empty": empty,
    "simulated": simulated,
}
DATABASES = tuple(BUILDERS)


def written(db: Path, name: str, rows: list[tuple]) -> Path:
    """A CSV beside the database."""
    path = db.parent / name
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def answers(db: Path, name: str, questions: int) -> list[str]:
    """A sheet of questions, each answered by three models; gives the ids of its items."""
    rows = [("item_id", "question_id", "question", "contexts", "answer", "model")]
    for n in range(questions):
        for place, model in enumerate(MODELS):
            words = " ".join(
                ["It starts at", f"{n + place} °C."] + ["Wait."] * ((n * 7 + place) % 9)
            )
            about = (f"{name}: when does pump {n} start?", f"Pump {n} starts at {n} °C.")
            rows.append((f"q{n:03}-{model}", f"q{n:03}", *about, words, model))
    say(db, "import", written(db, f"{name}.csv", rows), "--sheet", name)
    return [row[0] for row in rows[1:]]


def with_contexts(db: Path, name: str, questions: int) -> list[str]:
    """A sheet with contexts, references and relevant ids, in two sets of questions."""
    rows = []
    for n in range(questions):
        texts = [
            f"Pump {n:03} starts at {n + 20} °C.",
            f"Valve {n} is of brass.",
            "It is in a hall.",
        ]
        for model in MODELS[:2]:
            answer = f"Pump {n:03} starts at {n + 20} °C. " + "It is of brass. " * (
                model == "birch"
            )
            rows.append(
                {
                    "item_id": f"q{n:03}-{model}",
                    "question_id": f"q{n:03}",
                    "question": f"When does pump {n} start, and where is it?",
                    "contexts": texts if n % 3 else texts[::-1],
                    "context_ids": ["a", "b", "c"] if n % 3 else ["c", "b", "a"],
                    "relevant_ids": ["a", "c"] if n % 2 else ["a"],
                    "answer": answer.strip(),
                    "model": model,
                    "reference": f"It starts at {n + 20} °C, in the hall.",
                    "set": "pumps" if n < questions // 2 else "others",
                }
            )
    path = db.parent / f"{name}.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    say(db, "import", path, "--sheet", name)
    return [row["item_id"] for row in rows]


VERDICTS = ("supported", "not enough information", "contradicted")


def claims(store: Store, sheet, random) -> dict[tuple[str, str], str]:
    """Three claims of each answer with a judge's verdicts; gives them by item and claim."""
    judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
    rubric = rubric_versions.named(store, "claims-in-contexts")[1]
    [version] = rubric.versions().values()
    meant = {level.label: level.score for level in rubric.criteria[0].levels}
    found = {}
    for item_id in store_items.item_ids(store, sheet.id):
        own_id = store.value("select own_id from items where id = ?", (item_id,))
        texts = [f"Claim {n} of {own_id}." for n in range(3)]
        cells = [Cell(text, place) for place, text in enumerate(texts)]
        for unit in units.keep(store, item_id, "claim", cells, judge).units:
            verdict = str(random.choice(VERDICTS, p=(0.6, 0.2, 0.2)))
            said = {"score": meant[verdict], "label": verdict, "unit_id": unit.id}
            stored_grades.record(store, [Press(item_id, version, judge, **said, reason="So.")])
            found[own_id, unit.text] = verdict
    return found


def truth_of(items: list[str], random) -> dict[tuple[str, str], int]:
    """What every answer deserves in every criterion."""
    found = {}
    for place, item in enumerate(items):
        good = random.random() < GOOD[place % 3]
        for criterion in CRITERIA:
            found[item, criterion] = int(random.integers(2, 4) if good else random.integers(0, 2))
    return found


def off(scores: Scores, random, wrong: float, up: bool = False) -> dict[tuple[str, str], int]:
    """The same scores, of which some are a point or two off, upwards only if so said."""
    found = {}
    for key, score in scores.items():
        step = int(random.integers(1, 3)) * (1 if up or random.random() < 0.5 else -1)
        found[key] = min(3, max(0, score + step)) if random.random() < wrong else score
    return found


def give(db: Path, sheet: str, kind: str, said: Mapping[str, Scores], repeat: int = 1) -> None:
    """Grades that come in a file."""
    rows = [GRADES]
    for name, scores in said.items():
        for (item, criterion), score in scores.items():
            more = (repeat, "", "") if kind == "judge" else (repeat, 30, "true")
            rows.append((item, criterion, name, kind, score, *more))
    path = written(db, f"{sheet}-{kind}-{repeat}.csv", rows)
    say(db, "grades", path, "--sheet", sheet, "--rubric", RUBRIC)


def ran(db: Path, sheet: str, judge: str, per_1000: float) -> None:
    """What a judge's replies cost and took; in their midst the server changes its model."""
    with open_store(db) as store:
        of = sheets.find(store, sheet)
        grader, rubric = (
            graders.find(store, "judge", judge),
            rubric_versions.named(store, RUBRIC),
        )
        run = runs.start(
            store, {}, [], {}, None, grader_id=grader.id, sheet_id=of.id, rubric_id=rubric[0]
        )
        rows = store.rows(
            "select id, content_hash from items where sheet_id = ? order by id", (of.id,)
        )
        for place, half in enumerate((rows[: len(rows) // 2], rows[len(rows) // 2 :])):
            Moment.at += timedelta(minutes=10)
            took = Receipt(tokens_in=900, tokens_out=60, cost=per_1000 / 1000, latency=1.5)
            took = took._replace(model=f"m-{place}", system_fingerprint="s")
            answered = ("joint", 1, 1, "{}", "{}", "scored", took)
            runs.add_replies(
                store,
                run,
                [runs.Reply(grader.id, row["id"], row["content_hash"], *answered) for row in half],
            )
        runs.finish(store, run, "done", "", {})


def known_answers(db: Path, sheet: str, grading_set: str) -> None:
    """Answers to train on, and others with a known score that are mixed into the queues."""
    with open_store(db) as store:
        made = grading_sets.named(store, sheets.find(store, sheet).id, grading_set)
        rubric = rubric_versions.get(store, made.rubric_id)
        pool = gold_items.offered(store, made, gold_items.TRAINING_ITEMS.other)
        chosen = gold_items.choose(pool, 6, made.seed)
    head = ["item_id", "criterion", "score"]
    filled = [[one.name, each.name, "2"] for one in chosen for each in rubric.criteria]
    practised, mixed = filled[: len(filled) // 3], filled[len(filled) // 3 :]
    agreed = written(db, "agreed.csv", [head, *practised])
    say(db, "gold", grading_set, "--training", "--sheet", sheet, "--add", agreed)
    gold = written(db, "gold.csv", [head, *mixed])
    say(db, "gold", grading_set, "--sheet", sheet, "--add", gold)


def on_screen(
    db: Path, sheet: str, name: str, person: str, scores: Scores, most: int | None = None
) -> None:
    """An annotator grades the queue of a set on the screen, thirty answers a day, some in haste."""
    begun = Moment.at
    with open_store(db) as store:
        store.wait_for_no_disk()
        of = grading_sets.named(store, sheets.find(store, sheet).id, name)
        rubric = rubric_versions.get(store, of.rubric_id)
        who = graders.ensure(store, "person", person)
        versions = rubric.versions()
        own = dict(map(tuple, store.rows("select id, own_id from items")))
        queue = assignments.queue(store, of, who, list(versions.values()), 10_000)
        for n, place in enumerate(queue[:most]):
            Moment.at = begun + timedelta(days=n // 30, minutes=2 * (n % 30))
            keys = [
                workspace.Key(
                    f"{person}-{place.id}-{criterion}",
                    place.id,
                    version,
                    "scored",
                    scores[own[place.item_id], criterion],
                    seconds=3.0 + (n * 5 + len(criterion)) % 40,
                )
                for criterion, version in versions.items()
            ]
            assert workspace.save(store, of, who, rubric, keys).refused == {}
    Moment.at = max(Moment.at, begun) + timedelta(hours=1)
