"""Fixtures of the tests of commands."""

import json
import os
import random

import pytest

from concord.grading import assignments, grading_sets, workspace
from concord.store import additions, graders, sheets
from concord.store.database import open_store
from concord.store.rubrics import rubric_versions
from tests.support.commandline import ANSWERS, grades_file
from tests.support.endpoint import Endpoint
from tests.support.files import HARBOUR, ROWS
from tests.support.judges.building import HEAD, rows, write, writer
from tests.support.made_items import made_item
from tests.support.metric_runs import MetricEndpoint


@pytest.fixture
def started(monkeypatch):
    """The command that takes the place of the process, and nothing starts."""
    commands = []
    monkeypatch.setattr(os, "execv", lambda program, command: commands.append(command))
    monkeypatch.setenv("CONCORD_DB", "")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    return commands


@pytest.fixture
def writing_server():
    with Endpoint(write=writer) as running:
        yield running


@pytest.fixture
def graded_in_a_file(run, tmp_path):
    """A sheet of two answers, graded by a judge in a file."""
    sheet = tmp_path / "s.csv"
    sheet.write_text(f"{ANSWERS}1,q1,Who?,Ana.,m\n2,q2,When?,Now.,m\n", encoding="utf-8")
    run("import", sheet)
    rows = ["1,correctness,ours,judge,2", "2,correctness,ours,judge,3"]
    run("grades", grades_file(tmp_path, rows), "--rubric", "doc-qa-0-3")
    return run


@pytest.fixture
def unnamed(store):
    """Two questions answered by two models, and one by one, without ids of their own."""
    made = [
        *(
            made_item(n, m, own_id=None, question_id=f"q{n}")
            for n in (1, 2)
            for m in ("atlas", "birch")
        ),
        made_item(3, own_id=None, question_id="q3"),
        made_item(4, own_id=None, question_id=None),
    ]
    return additions.add(store, "unnamed", made, "u.csv", "c" * 64, {})


@pytest.fixture
def three_blocks(run, answers, tmp_path):
    """A sheet of twelve answers with a set of three blocks."""
    run("import", answers)
    with open_store(tmp_path / "concord.db") as store:
        sheet = sheets.find(store, "meetings")
        rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
        grading_sets.create(store, sheet.id, rubric_id, "Team", None, 1, 4)


@pytest.fixture
def share_out(run, three_blocks):
    """Shares three blocks of the set out between two people, one annotator for each answer."""
    command = [
        "campaign",
        "Team",
        "--annotators",
        "Ann",
        "--annotators",
        "Bo",
        "--each",
        "1",
        "--blocks",
        "3",
    ]
    return lambda *more: run(*command, *more)


@pytest.fixture
def begun(run, share_out, tmp_path):
    """The set shared out between Ann and Bo, one each; Ann has graded all of the own first block.

    Gives the number of that block.
    """
    share_out()
    with open_store(tmp_path / "concord.db") as store:
        _, rubric = rubric_versions.named(store, "doc-qa-0-3")
        made = grading_sets.named(store, sheets.find(store, "meetings").id, "Team")
        ann = graders.find(store, "person", "Ann").id
        versions = rubric.versions().values()
        queue = assignments.queue(store, made, ann, [*versions], 1)
        block = queue[0].block
        keys = [
            workspace.Key(f"{place.id}-{version}", place.id, version, "scored", 2)
            for place in queue
            for version in versions
            if place.block == block
        ]
        assert workspace.save(store, made, ann, rubric, keys).refused == {}
    return str(block + 1)


@pytest.fixture
def metric_server():
    with MetricEndpoint() as running:
        yield running


@pytest.fixture
def metric_judge(metric_server, tmp_path):
    """The file of a judge for one metric."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\nkind = "metric"\nmodel = "m"\nprice = 0\nmetrics = ["faithfulness"]\n'
        f'[endpoint]\nbase_url = "{metric_server.url}"\n'
    )
    return path


@pytest.fixture
def twelve_in_a_set(run, answers, tmp_path):
    """A sheet of twelve answers with a set of them all."""
    run("import", answers)
    with open_store(tmp_path / "concord.db") as store:
        sheet = sheets.find(store, "meetings")
        rubric_id, _ = rubric_versions.named(store, "doc-qa-0-3")
        grading_sets.create(store, sheet.id, rubric_id, "Team", None, 1)


@pytest.fixture
def documents(tmp_path):
    """Two documents, and a file that is none."""
    made = tmp_path / "port"
    made.mkdir()
    (made / "a.md").write_text(HARBOUR * 3)
    (made / "b.txt").write_text(
        "会议决定。预算共计四千欧元，由王小明负责。" * 4, encoding="gb18030"
    )
    (made / "c.png").write_bytes(b"png")
    return made


@pytest.fixture
def nested_file(tmp_path):
    path = tmp_path / "rag.json"
    path.write_text(json.dumps({"results": {"rows": ROWS}}))
    return path


@pytest.fixture
def own_prices(tmp_path, monkeypatch):
    """Where the user's price file is, which does not exist yet."""
    path = tmp_path / "mine.toml"
    monkeypatch.setenv("CONCORD_PRICES", str(path))
    return path


@pytest.fixture
def two_sheets(run, tmp_path):
    """Sheets `pilot` and `new`, graded by an annotator and four judges; 10 questions in both."""
    chance = random.Random(5)
    for name, questions in (("pilot", range(40)), ("new", range(30, 110))):
        asked = [f"{name}{q},q{q},What is {q}?,It is {q}.,m" for q in questions]
        write(tmp_path / f"{name}.csv", ANSWERS, asked)
        write(tmp_path / f"{name}-grades.csv", HEAD, rows(name, questions, chance))
        run("import", tmp_path / f"{name}.csv", "--map", "answer_model=model")
        words = ("--sheet", name, "--rubric", "doc-qa-0-3")
        run("grades", tmp_path / f"{name}-grades.csv", *words)
    return tmp_path
