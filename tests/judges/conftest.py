"""Fixtures of the tests of judges."""

from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from concord import clock
from concord.judges.definition import prices
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Price
from concord.judges.run import rubric as jobs
from concord.judges.transport import cross_encoder
from concord.judges.transport.client import Client
from concord.model import Distribution
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, grades, items, runs
from concord.store.grades import Press
from tests.support.commandline import judge_file
from tests.support.endpoint import BatchEndpoint, Endpoint
from tests.support.fakejudge import judge, run_rubric
from tests.support.judges import exported
from tests.support.judges.building import PRICE
from tests.support.judges.rubric_runs import prepared, reader
from tests.support.made_items import made_item
from tests.support.metric_runs import MetricEndpoint


@pytest.fixture
def sixty(store):
    """A sheet of sixty answers."""
    made = [made_item(n, m) for n in range(20) for m in ("atlas", "birch", "cobalt")]
    return additions.add(store, "sixty", made, "s.csv", "6" * 64, {})


@pytest.fixture
def api_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")


class Graded(NamedTuple):
    """Grader ids, and the (36,) scores of each on every criterion."""

    ana: int
    one: int
    two: int
    score: np.ndarray
    by_one: np.ndarray
    by_two: np.ndarray


@pytest.fixture
def give(store, sheet, rubric):
    """A function that stores a grader's scores of all answers, on every criterion or some."""

    def given(grader_id, scores, criteria=None, likely=None, statuses=None):
        versions = rubric[1].versions()
        presses = [
            Press(
                item_id,
                versions[name],
                grader_id,
                statuses[place] if statuses else "scored",
                None if statuses and statuses[place] != "scored" else float(scores[place]),
                distribution=likely and likely(scores[place]),
            )
            for place, item_id in enumerate(items.item_ids(store, sheet.id))
            for name in criteria or versions
        ]
        grades.record(store, presses)

    return given


@pytest.fixture
def graded(store, sheet, give, ana):
    """Two judges that err on some answers, and an annotator who graded all 36."""
    random = np.random.default_rng(4)
    score = np.arange(36) * 7 % 4
    err = [np.clip(score + random.choice([-1, 0, 0, 0, 1], 36), 0, 3) for _ in range(2)]
    one, two = (graders.ensure(store, "judge", name) for name in ("one", "two"))
    for grader, given in ((ana, score), (one, err[0]), (two, err[1])):
        give(grader, given)
    return Graded(ana, one, two, score, *err)


@pytest.fixture
def jury():
    """A function that makes a combined judge of two members."""

    def made(rule="ordinal", members=("one", "two"), **more):
        keys = {"name": "jury", "kind": "combined", "rubric": "doc-qa-0-3"}
        return Judge.model_validate(keys | more | {"rule": rule, "members": members})

    return made


@pytest.fixture
def harsh():
    """A distribution whose expected score is .6 below a score."""

    def likely(score):
        lower = max(0, int(score) - 1)
        shares = {int(score): 0.4, lower: 0.6} if lower < score else {0: 1.0}
        every = tuple((float(one), shares.get(one, 0.0)) for one in range(4))
        return Distribution("native", every, None)

    return likely


@pytest.fixture
def no_endpoint(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def unpriced_judge(store):
    graders.ensure(store, "judge", "gpt=mini")
    return lambda: graders.named(store, "judge", "gpt=mini")


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The judge of a kind as a module, its setup and its server."""
    monkeypatch.setenv("MY_KEY", "sk-exported-0123456789")
    servers = []

    def made(kind, name="python"):
        server = exported.server(kind)
        servers.append(server.__enter__())
        of = exported.setup(kind, server.url)
        path = exported.written(name, exported.exported(of, tmp_path), tmp_path)
        return exported.module(path), of, server

    yield made
    for one in servers:
        one.stop()


@pytest.fixture
def server():
    """A local server that answers every ask of a metric."""
    with MetricEndpoint() as running:
        yield running


@pytest.fixture
def batch_server():
    with BatchEndpoint() as running:
        yield running


@pytest.fixture
def batch_judge(batch_server, tmp_path):
    return judge_file(tmp_path, batch_server.url)


@pytest.fixture
def half_price(monkeypatch, batch_judge):
    """Half of 2 in, 1 cached and 10 out a million from the local server."""
    found = Price(
        model="m",
        host="127.0.0.1",
        input=2,
        cached=1,
        output=10,
        date=clock.today(),
        source="a test",
    )
    path = Path(batch_judge)
    path.write_text(path.read_text().replace("price = 0\n", ""))
    monkeypatch.setattr(prices, "load", lambda: (found,))


@pytest.fixture
def shown(store, sheet, rubric, ana):
    """The items of two questions, shown as examples, with Ana's grades 0 to 3."""
    rows = [row for row in splits.of_sheet(store, sheet.id) if row["own_id"] in ("000", "001")]
    split_assignment.assign(store, [row["id"] for row in rows], "few-shot", "shown")
    ids = items.item_ids(store, sheet.id)[:6]
    versions = rubric[1].versions().values()
    presses = [
        Press(item_id, version, ana, score=place % 4, reason=f"Because {place}.")
        for place, item_id in enumerate(ids)
        for version in versions
    ]
    grades.record(store, presses)
    return ids


@pytest.fixture
def priced(monkeypatch):
    monkeypatch.setattr(prices, "load", lambda: (PRICE,))


@pytest.fixture
def asked(store, sheet, rubric):
    """A function that runs a judge against a server; returns the number of requests it saw."""
    with Endpoint() as server:

        def run(rule, **more):
            before = len(server.seen)
            job = prepared(store, sheet, rubric, reader(rule, server.url), **more)
            run_rubric(store, job, Client)
            return len(server.seen) - before

        yield run


@pytest.fixture
def job(store, sheet, rubric):
    return jobs.prepare(store, judge(), *rubric, sheet)


@pytest.fixture
def run_of_job(store, job):
    return job.begin(store, {"calls": 1}, 2.0)


@pytest.fixture
def run_of_three(store):
    """A run of a judge over a sheet of three answers."""
    sheet = additions.add(store, "s", [made_item(n) for n in range(3)], "s.csv", "1" * 64, {})
    judge = graders.ensure(store, "judge", "j", "f")
    return runs.start(store, {}, [], {}, None, grader_id=judge, sheet_id=sheet.id)


WORDS = """[PAD] [UNK] [CLS] [SEP] [MASK] tea is grown in assam where the it rains a lot score of
faithfulness retrieval precision for this question and answer measured from to good bad how much
was ! " # $ % & ' ( ) * + , - . / : ; < = > ? what comes by 0 1 2 3 4 5 6 7 8 9 number says
un ##aff ##able ##s atlas contexts statement statements every one"""


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory):
    """A folder with a randomly initialised BERT of one layer and a vocabulary of a few words."""
    pytest.importorskip("sentence_transformers")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    place = tmp_path_factory.mktemp("model")
    words = WORDS.split()
    (place / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(str(place / "vocab.txt"), model_max_length=512).save_pretrained(place)
    torch.manual_seed(1)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = BertConfig(vocab_size=len(words), intermediate_size=16, num_labels=1, **shape)
    BertForSequenceClassification(config).save_pretrained(place)
    return str(place)


@pytest.fixture(scope="module")
def encoder(encoder_folder):
    return cross_encoder.load(encoder_folder)


@pytest.fixture
def dask():
    """Start a cluster of processes with threads here; returns its address."""
    from distributed import LocalCluster

    with ExitStack() as stack:

        def started(processes, threads):
            of = {"n_workers": processes, "threads_per_worker": threads}
            of |= {"host": "127.0.0.1", "dashboard_address": ":0"}
            return stack.enter_context(LocalCluster(**of)).scheduler_address

        yield started
