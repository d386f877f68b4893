"""Fixtures named for what they are."""

import gc
import json
import os
import shutil
import signal
import sys
from functools import cache
from pathlib import Path

import pytest
from babel.messages import Catalog
from hypothesis import HealthCheck, settings

from concord.grading import grading_sets
from concord.language import languages
from concord.store import additions, graders
from concord.store.database import READ_ONLY, open_store
from concord.store.rubrics import rubric_versions
from tests.offline.sitecustomize import close_network
from tests.support import browser, commandline, made_once
from tests.support.made_items import made_item
from tests.support.made_once import copied

# How long an example takes says more of the machine than of what is tested.
settings.register_profile("concord", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("concord")

# No test reads the price file of who runs the tests.
os.environ["CONCORD_PRICES"] = os.devnull


@pytest.fixture(scope="session")
def made_empty(tmp_path_factory):
    """An empty database, made once; copy it, do not write to it."""
    db = tmp_path_factory.mktemp("empty") / "concord.db"
    open_store(db).close()
    return db


@pytest.fixture
def store(made_empty, tmp_path):
    with open_store(shutil.copy(made_empty, tmp_path / "concord.db")) as opened:
        yield opened


@pytest.fixture
def say_in(monkeypatch):
    """Let a reader's language know these texts alone; a plural by both its forms."""

    def known(language: str, texts: dict[str | tuple[str, str], str]):
        catalogue = Catalog(locale=language)
        for english, other in texts.items():
            catalogue.add(english, other if isinstance(english, str) else (other,))
        monkeypatch.setattr(languages, "catalogue", lambda language: catalogue)
        monkeypatch.setattr(languages, "_languages", [lambda: language])

    return known


@pytest.fixture
def interrupts():
    """Ctrl-C interrupts, here and in what is started: a shell's background ignores it instead."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def sheet(store):
    """Twelve questions, each answered by three models."""
    made = [made_item(n, m) for n in range(12) for m in ("atlas", "birch", "cobalt")]
    return additions.add(store, "numbers", made, "numbers.csv", "0" * 64, {})


@pytest.fixture
def four(store):
    """Two questions, each answered by two models."""
    made = [made_item(n, m) for n in range(2) for m in ("atlas", "birch")]
    return additions.add(store, "four", made, "f.csv", "4" * 64, {})


@pytest.fixture
def one(store):
    """A single answer."""
    return additions.add(store, "one", [made_item(1)], "o.csv", "1" * 64, {})


@pytest.fixture
def team_set(store, sheet, rubric):
    """The sheet in six blocks of two questions, without hidden repeats."""
    return grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)


@pytest.fixture
def whole_set(store, sheet, rubric):
    """The whole sheet of 36 answers as a grading set."""
    return grading_sets.create(store, sheet.id, rubric[0], "Set 1", None, seed=1)


@pytest.fixture
def graded_sheet(store):
    """A sheet that one annotator has graded, for judges to be held against."""
    from tests.support import scales

    return scales.graded_sheet(store)


@pytest.fixture
def rubric(store):
    """The rubric doc-qa-0-3 with its id in the store, as (id, rubric)."""
    return rubric_versions.named(store, "doc-qa-0-3")


@pytest.fixture
def doc_qa(rubric):
    """The rubric doc-qa-0-3 alone."""
    return rubric[1]


@pytest.fixture
def version(doc_qa):
    """The version of correctness in doc-qa-0-3, under which its grades are stored."""
    return doc_qa.versions()["correctness"]


@pytest.fixture
def ana(store):
    """An annotator's grader id."""
    return graders.ensure(store, "person", "Ana")


@pytest.fixture(autouse=True)
def closed_network(tmp_path_factory, monkeypatch):
    """No test reaches beyond this machine, nor does any Python it starts; trying fails the test."""
    attempts = tmp_path_factory.getbasetemp() / "attempts.txt"
    attempts.write_text("")
    paths = [str(Path(__file__).parent / "offline"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("CONCORD_TEST_ATTEMPTS", str(attempts))
    close_network(monkeypatch.setattr)
    yield attempts
    assert not attempts.read_text(), "hosts beyond this machine that the test asked for"


@pytest.fixture(scope="session", autouse=True)
def app_tests():
    """What each AppTest does anew it does once; only where there are any, as the import lasts."""
    if "streamlit.testing.v1" not in sys.modules:
        yield
        return
    from tests.support import app_tests

    with app_tests.once():
        yield


@pytest.fixture(autouse=True)
def unbound(monkeypatch):
    """Each test begins where nobody has signed in, and keys are bound to no server."""
    monkeypatch.setenv("CONCORD_KEYS_BOUND", "")


@pytest.fixture(scope="session", autouse=True)
def walled():
    """Screens that are opened without a server have no walls around them, and need none."""
    if {"streamlit.testing.v1", "concord.ui.server.security_middleware"} & sys.modules.keys():
        from concord.ui.server import security_middleware

        security_middleware._active = True


@pytest.fixture
def serve(tmp_path, request):
    """Starts servers: serve(database file, VARIABLE=value...) gives a running `browser.Server`."""
    started = []

    def start(db: Path, **variables: str) -> browser.Server:
        server = browser.Server(db, tmp_path / f"server-{len(started)}.log", **variables)
        started.append(server)
        return server.start()

    yield start
    for server in started:
        server.end()
        request.node.add_report_section("teardown", "server", server.output())


@pytest.fixture
def server(serve, tmp_path):
    """A running app on the same database as the fixture `store`."""
    return serve(tmp_path / "concord.db")


@pytest.fixture
def db(tmp_path):
    """Where this test's database lies, or will lie."""
    return tmp_path / "concord.db"


@pytest.fixture
def run(db, monkeypatch):
    """Runs a verb in this process: run("sheets", "--json", code=0); the database stands before."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def verb(*words: object, code: int = 0, given: str | None = None):
        result = commandline.invoke(db, *words, given=given)
        assert result.exit_code == code, result.output
        return result

    return verb


@pytest.fixture
def sampled(sample_db, run):
    """`run` on a database with the sample."""
    return run


@pytest.fixture
def answers(tmp_path):
    """A sheet of twelve answers, six by each of two models, as a file."""
    rows = [
        f"{n}-{m},{n},Why {n}?,Because {n} {m}.,{m}" for n in range(6) for m in ("atlas", "birch")
    ]
    path = tmp_path / "meetings.csv"
    path.write_text(commandline.ANSWERS + "\n".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def filled(db, tmp_path):
    """A database with a sheet `s` of forty answers, whose file lies beside it."""
    path = tmp_path / "s.csv"
    rows = "".join(f"Why {n}?,So {n}.,m\n" for n in range(40))
    path.write_text(f"question,answer,model\n{rows}")
    assert commandline.invoke(db, "import", path).exit_code == 0
    return db


@pytest.fixture(scope="session")
def golden(tmp_path_factory):
    """golden("units") is the file of that database, made when it is first asked for."""
    from tests.golden import databases

    def built(name):
        with databases.steady():
            return databases.build(name, tmp_path_factory.mktemp(name))

    return cache(built)


@pytest.fixture
def steady():
    """No time passes."""
    from tests.golden import databases

    with databases.steady():
        yield


@pytest.fixture
def simulated_once(monkeypatch):
    """What was simulated for a plan is not simulated again, for tests of what is shown of it."""
    from tests.support import simulated_plans

    simulated_plans.once(monkeypatch)


@pytest.fixture
def half_of_sheets(monkeypatch):
    """Of a simulated power the words and places are held; its size has tests of its own."""
    from tests.support import simulated_plans

    simulated_plans.few_sheets(monkeypatch, 2)


@pytest.fixture
def few_sheets(monkeypatch):
    """Power is simulated on few sheets, where a test plans for something else."""
    from tests.support import simulated_plans

    simulated_plans.few_sheets(monkeypatch)


@pytest.fixture
def two_answers(db, tmp_path):
    """A database with two answers, of which one has contexts."""
    rows = [
        {"id": "q1", "question": "Why?", "answer": "So.", "contexts": ["It is so."]},
        {"id": "q2", "question": "Who?", "answer": "Me."},
    ]
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert commandline.invoke(db, "import", path).exit_code == 0
    return db


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and collected lasts: to look through it for garbage takes a third of it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)  # tests end soon, and garbage with them
        gc.enable()


def pytest_collection_modifyitems(items):
    """Tests of a real browser lie in one folder: Playwright's loop outlives each of them."""
    folder = Path(__file__).parent / "browser"
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker("browser")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session")
def made_sample(tmp_path_factory):
    """The database that `python cli.py demo` makes, made once; copy it, do not write to it."""
    db = made_once.folder(tmp_path_factory) / "sample.db"
    with made_once.locked(db):
        if not db.exists():
            making = db.with_name("making.db")
            assert commandline.invoke(making, "demo").exit_code == 0
            making.rename(db)
    return db


@pytest.fixture
def sample_db(made_sample, tmp_path):
    """The file of a database with the sample, this test's own."""
    return Path(shutil.copy(made_sample, tmp_path / "concord.db"))


@pytest.fixture
def sample_store(sample_db):
    """A database with the sample, this test's own; the fixture `server` serves it."""
    with open_store(sample_db) as opened:
        yield opened


@pytest.fixture
def read_only_sample(sample_db, monkeypatch):
    """The file of a database with the sample, which this process must not change."""
    monkeypatch.setenv(READ_ONLY, "1")
    return sample_db


# What reports need takes a while to import, and most tests do without it: so it is imported inside.
@pytest.fixture(scope="session")
def made_judges(made_empty, tmp_path_factory):
    """made_judges("decided") is that fixture's database, made once; copy, do not write to it."""
    from tests.support.reports.choices import MADE

    folder = tmp_path_factory.mktemp("judges")

    @cache
    def made(name: str) -> Path:
        before, change = MADE[name]
        db = shutil.copy(made(before) if before else made_empty, folder / f"{name}.db")
        with open_store(db) as opened:
            change(opened)
        return db

    return made


@pytest.fixture
def close_judges(store, made_judges):
    """Sixty questions by two models, graded by two annotators and two judges who nearly agree."""
    return copied(made_judges("close_judges"), store)


@pytest.fixture
def decided(store, made_judges):
    """The same, after a look at a decision."""
    return copied(made_judges("decided"), store)


@pytest.fixture
def written(store, made_judges):
    """The same, with the certificate of the judge that is good enough."""
    return copied(made_judges("written"), store)


@pytest.fixture
def half_good(store, made_judges):
    """The same: good enough on correctness, then found not good enough on readability."""
    return copied(made_judges("half_good"), store)


@pytest.fixture
def mind():
    """How the judge of `mind_server` grades."""
    from tests.support.reports.choices import Mind

    return Mind()


@pytest.fixture
def mind_server(mind):
    """A server that grades by `mind`."""
    from tests.support.endpoint import Endpoint

    with Endpoint(grade=mind) as running:
        yield running


@pytest.fixture
def judged_by_mine(store, mind_server, tmp_path):
    """A sheet that one annotator and the judge `mine` have graded; its rubric."""
    from tests.support.reports import choices

    return choices.judged(store, tmp_path, mind_server.url)
