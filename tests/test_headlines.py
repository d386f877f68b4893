"""Headlines on the worst data: each must be true when it is read alone, and in a hurry.

A case gives by rule what annotators and judges gave; `headlines.json` holds the headline of each
screen. After a change that is meant, record anew and read every sentence that differs:

    RECORD_HEADLINES=1 python -m pytest tests/test_headlines.py
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from concord.messages import Problem
from concord.reports import plan, ranking
from concord.reports.agreement import agreement
from concord.reports.agreement.document import document as agreement_document
from concord.reports.decision import choose
from concord.reports.panel import panel as sampling_weights
from concord.reports.panel.choice import judge_of
from concord.reports.panel.panel import read
from concord.reports.plan import headline as planned
from concord.reports.ranking import document as ranking_document
from concord.reports.reliability import reliability
from concord.reports.workflow.workflow import loop
from concord.rubrics.model import parse
from concord.store import additions, graders, items
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
from concord.ui.screens.overview import of_grades
from tests.support.made_items import made_item

# Cases whose plan differs; it takes as long as all the other screens together.
PLANNED = ("sound", "annotators without overlap", "three answers", "no grades", "single question")
TABLE = Path(__file__).with_name("headlines.json")
MODELS = ("atlas", "birch")
_LEVELS = "".join(f'[[criteria.levels]]\nscore = {n}\nmeaning = "It is {n}."\n' for n in range(4))
_CRITERION = '[[criteria]]\nname = "{}"\nweight = {}\nquestion = "How is it?"\n' + _LEVELS


def rubric(*names):
    """A rubric from 0 to 3 whose criteria weigh the same."""
    criteria = "".join(_CRITERION.format(name, 1 / len(names)) for name in names)
    return parse(f'name = "r"\ntitle = "R"\nscale = [0, 1, 2, 3]\n{criteria}', "r.toml")


def drawn(shares, n=120, seed=1):
    """Scores from 0 to 3, drawn with these shares; of every two the first is the better model's."""
    return np.random.default_rng(seed).choice(4, n, p=shares)


def off(scores, share, seed):
    """The same scores, a share of them one point off, towards the middle of the scale."""
    hit = np.random.default_rng(seed).random(len(scores)) < share
    return np.where(hit, scores + np.where(scores < 2, 1, -1), scores)


MIXED = drawn([0.2, 0.15, 0.25, 0.4])
MIXED[::2] = np.minimum(3, MIXED[::2] + (drawn([0.7, 0.3, 0, 0], 60, 2)))
GOOD = np.where(np.arange(120) % 30 == 7, 0, 3)  # four answers of 120 fail
ANA, BEN = off(MIXED, 0.1, 3), off(MIXED, 0.1, 4)
PEOPLE = {"person Ana": ANA, "person Ben": BEN}
DEAR, CHEAP = off(MIXED, 0.15, 5), off(MIXED, 0.2, 6)
JUDGES = {"judge dear": DEAR, "judge cheap": CHEAP}
RANDOM = drawn([0.25] * 4, seed=7)
NONE = np.full(120, np.nan)
FLAT = np.where(np.arange(120) == 5, 2, 3)

# What each grader gave, by "KIND NAME" or "KIND NAME CRITERION"; nan: no score.
CASES = {
    "sound": PEOPLE | JUDGES,
    "near-constant judge": PEOPLE | {"judge dear": FLAT, "judge cheap": CHEAP},
    "near-constant judge on easy answers": {
        "person Ana": GOOD, "person Ben": off(GOOD, 0.03, 8), "judge dear": FLAT,
        "judge cheap": np.full(120, 3),
    },
    "random annotator": PEOPLE | JUDGES | {"person Ben": RANDOM},
    "annotators turned round": PEOPLE | {"person Ben": 3 - ANA, "judge dear": DEAR},
    "annotators without overlap": {
        "person Ana": np.where(np.arange(120) < 60, ANA, np.nan),
        "person Ben": np.where(np.arange(120) < 60, np.nan, BEN),
        "judge dear": DEAR, "judge cheap": CHEAP,
    },
    "failed reference": PEOPLE | {"judge dear": RANDOM, "judge cheap": CHEAP},
    "reference without a reply": PEOPLE | {"judge dear": NONE, "judge cheap": CHEAP},
    "reference replied to a tenth": PEOPLE
    | {"judge dear": np.where(np.arange(120) < 12, DEAR, np.nan), "judge cheap": CHEAP},
    "copied judge": PEOPLE | {"person Ben": DEAR} | JUDGES,
    "lone annotator equal to a judge": {"person Ana": DEAR} | JUDGES,
    "tied judges": PEOPLE | {"judge dear": DEAR, "judge cheap": DEAR},
    "judge turned round": PEOPLE | {"judge dear": 3 - MIXED},
    "judge below the majority baseline": PEOPLE
    | {"person Ana": off(FLAT, 0.2, 9), "person Ben": off(FLAT, 0.2, 10), "judge dear": RANDOM,
       "judge cheap": off(RANDOM, 0.5, 11)},
    "judge that misses every failing answer": {
        "person Ana": GOOD, "person Ben": GOOD, "judge dear": GOOD, "judge cheap": np.full(120, 3),
    },
    "judge one point too high": PEOPLE | {"judge dear": np.minimum(3, MIXED + 1)},
    "all grades equal": {name: np.full(120, 3) for name in (*PEOPLE, *JUDGES)},
    "answering models equal": {
        "person Ana": np.repeat(ANA[::2], 2), "person Ben": np.repeat(BEN[::2], 2),
        "judge dear": np.repeat(DEAR[::2], 2),
    },
    "one criterion good and one bad": PEOPLE
    | {f"{name} clear": scores for name, scores in PEOPLE.items()}
    | {"judge dear": DEAR, "judge dear clear": RANDOM, "judge cheap": CHEAP,
       "judge cheap clear": CHEAP},
    "three answers": {name: ANA[:3] for name in (*PEOPLE, *JUDGES)},
    "no annotators": JUDGES,
    "no judges": dict(PEOPLE),
    "no grades": {},
    "single question": PEOPLE | JUDGES,
    "annotators abstained": dict.fromkeys(PEOPLE, NONE) | JUDGES,
    "everything abstained": dict.fromkeys([*PEOPLE, *JUDGES], NONE),
    "simulated": {"person sim-a": ANA, "person sim-b": BEN, "judge sim-dear": DEAR},
}  # fmt: skip


def made(store, case):
    """The panel of a sheet on which the graders of a case graded."""
    given = CASES[case]
    names = ("right", "clear") if any(name.endswith("clear") for name in given) else ("right",)
    made_of = rubric(*names)
    one = {"question_id": "q", "question": "Why?"} if case == "single question" else {}
    number = max([len(scores) for scores in given.values()], default=120)
    added = [made_item(n // 2, MODELS[n % 2], own_id=str(n), **one) for n in range(number)]
    sheet = additions.add(store, "sheet", added, "sheet.csv", "0" * 64, {})
    rubric_versions.register(store, made_of, "file")
    ids, versions = items.item_ids(store, sheet.id), made_of.versions()
    for name, scores in given.items():
        kind, grader, *criterion = name.split()
        simulated = grader.startswith("sim")
        who = graders.ensure(store, kind, grader, simulated=simulated)
        version = versions[criterion[0] if criterion else "right"]
        lost = "cannot_grade" if kind == "person" else "unparsable"
        record(store, [
            Press(item, version, who, lost if np.isnan(score) else "scored",
                  None if np.isnan(score) else int(score), blind=kind == "person" or None)
            for item, score in zip(ids, scores, strict=False)
        ])  # fmt: skip
    return read(store, sheet, made_of, None)


def headlines(store, case):
    """The headline of each screen; of a screen that has none, what it says in its place."""
    panel = made(store, case)
    state = loop(store, panel.sheet, *of_grades(store, panel.sheet))
    said = {
        "overview": lambda: f"{state.headline} -> {state.next.label()}",
        "agreement": lambda: _agreed(store, panel),
        "ranking": lambda: _ranked(store, panel),
        "decide": lambda: _decided(store, panel, case),
        "plan": lambda: planned(plan.plan(store, panel)),
        "annotators": lambda: _of_annotators(store, panel),
    }
    if case not in PLANNED:
        del said["plan"]
    return {screen: _said(headline) for screen, headline in said.items()}


def _agreed(store, panel):
    found = agreement.with_alerts(store, panel, agreement.report(panel))
    return agreement_document(found, panel.rubric).headline


def _ranked(store, panel):
    found = ranking.whole(panel, sampling_weights.drawn(store, panel), "draw")
    return ranking_document(found).headline


def _of_annotators(store, panel):
    (found, *_) = reliability.report(panel)["criteria"]
    return reliability.document(found, panel.rubric, 0).headline


def _decided(store, panel, case):
    against = judge_of(store, panel, "sim-dear" if case == "simulated" else "dear")
    terms = choose.default_terms(store, panel, against)
    return choose.look(store, panel, choose.fix(store, panel, against, terms, None)).headline


def _said(headline):
    try:
        return str(headline())
    except Problem as problem:
        return str(problem)


@pytest.mark.parametrize("case", CASES)
def test_the_headlines_are_true_read_alone(case, store):
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    found = headlines(store, case)
    if os.environ.get("RECORD_HEADLINES"):
        table[case] = found
        text = json.dumps(table, ensure_ascii=False, indent=1)
        TABLE.write_text(text + "\n", encoding="utf-8")
    assert found == table.get(case)
