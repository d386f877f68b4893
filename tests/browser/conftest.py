"""The one Chromium, its profiles, and the servers that tests in it share."""

import shutil
import sys
import sysconfig
from pathlib import Path

import pytest

from concord.grading import grading_sets
from concord.model import Cell, Context
from concord.store import additions, graders, sheets
from concord.store.database import READ_ONLY, open_store
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from concord.team import members, sessions
from tests.support import browser
from tests.support.browser import clean_environment, finished
from tests.support.endpoint import KEY, Endpoint
from tests.support.evidence_room import RUBRIC, cut, number, say
from tests.support.hostile import spoil
from tests.support.made_items import made_item
from tests.support.source import ROOT

HEADER = "item_id,question,answer,answer_model\n"

CONTEXTS = (
    Context("", "", "Tea is grown in Assam. It rains a lot there.", 1),
    Context("", "", "东京是日本的首都。大阪很大。<b>bold</b>", 2),
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The server of `kept_server`, before the first test of the module has started it."""
    folder = tmp_path_factory.mktemp("kept")
    server = browser.Server(folder / "concord.db", folder / "server.log")
    yield server
    server.end()


@pytest.fixture
def kept_server(kept):
    """A running app for all tests of a module: it takes a second or two to start one."""
    if kept.process is None or not kept.process.is_alive():
        kept.start()
    return kept


@pytest.fixture
def kept_store(kept):
    """The database of `kept_server` without the sheets that the test before left in it."""
    with open_store(kept.db) as opened:
        for sheet in sheets.all_sheets(opened):
            sheets.delete(opened, sheet)
        yield opened


@pytest.fixture
def shown(serve, sample_db):
    """A running read-only app on the sample."""
    return serve(sample_db, **{READ_ONLY: "1"})


@pytest.fixture(scope="session")
def chromium_browser():
    """The one Chromium of the session."""
    with browser.launched() as launched:
        yield launched


@pytest.fixture(scope="session")
def profiles(chromium_browser):
    """The one browser profile that lies here between tests; gone where a test has failed in it."""
    return []


@pytest.fixture
def noticed(profile):
    """What the browser asked for and what went wrong in it; any fault fails the test at its end."""
    return profile.noticed


@pytest.fixture
def profile(chromium_browser, profiles, request):
    """A browser profile with no cookies and nothing stored."""
    found = profiles.pop() if profiles else browser.Profile(chromium_browser)
    found.noticed.begin()
    yield found
    browser.picture_failure(found.context, request.node)
    if request.node.stash.get(browser.FAILED, False) or found.noticed.faults:
        found.context.close()
    else:
        found.clean()
        profiles.append(found)
    assert not found.noticed.faults, "\n".join(found.noticed.faults)


@pytest.fixture
def context(profile):
    """What tabs are opened in."""
    return profile.context


@pytest.fixture
def page(context):
    """An empty tab; `browser.visit(page, server, "/grade?sheet=numbers")` opens a screen in it."""
    return context.new_page()


@pytest.fixture
def sampled_server(kept, made_sample):
    """A running app with the sample, for all tests of a module that only look."""
    if kept.process is None:
        shutil.copy(made_sample, kept.db)
        kept.start()
    return kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.stash.setdefault(browser.FAILED, False)
    item.stash[browser.FAILED] |= report.failed
    return report


@pytest.fixture
def judged_claims(kept_store):
    """Two answers; of the first one Ana and the judge differ on its last claim."""
    rubric_versions.register(kept_store, RUBRIC, "preset")
    made = [made_item(n, contexts=CONTEXTS, question=f"What is <i>{n}</i>?") for n in range(2)]
    sheet = additions.add(kept_store, "tea", made, "t.csv", "2" * 64, {})
    mine = graders.ensure(kept_store, "metric", "mine", "f1")
    ana = graders.ensure(kept_store, "person", "Ana")
    ids = [row["id"] for row in kept_store.rows("select id from items order by id desc limit 2")]
    for item_id in ids:
        a, b, c = cut(kept_store, item_id, "Tea grows there.", "东京是首都。", "It never rains.")
        say(kept_store, item_id, mine, {a: 3}, quote="grown in Assam")
        say(kept_store, item_id, mine, {b: 3}, quote="日本的首都")
        say(kept_store, item_id, mine, {c: 0}, quote="It rains a lot there.", why="It denies it.")
        number(kept_store, mine, item_id, 0.25)
    say(kept_store, ids[-1], ana, {c: 3})
    return sheet


@pytest.fixture
def patient_endpoint():
    """A server that keeps all but the first forty requests waiting and accepts one key only."""
    with Endpoint(key=KEY, holds_from=41) as server:
        yield server


@pytest.fixture
def sample_at_endpoint(serve, sample_db, patient_endpoint):
    """The app on the sample, pointed at the server."""
    return serve(sample_db, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=patient_endpoint.url)


@pytest.fixture
def hostile_server(made_sample, tmp_path, serve):
    """A running app whose every text is an image on another host."""
    db = shutil.copy(made_sample, tmp_path / "concord.db")
    spoil(db)
    return serve(db)


@pytest.fixture
def spring_answers(tmp_path) -> Path:
    """A CSV file of thirty answers by three models."""
    path = tmp_path / "spring answers.csv"
    rows = [f"{n:03}-{m},Why {n}?,Because of {n}.,{m}\n" for n in range(10) for m in "abc"]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def rubric_name():
    return "doc-qa-0-3"


@pytest.fixture
def joined(sample_db, serve, rubric_name):
    """A server for a team with a set that is open to Ann, and her link's path."""
    with open_store(sample_db) as store:
        members.add(store, "Lea", "lead", "test")
        ann = members.add(store, "Ann", "grader", "Lea")
        rubric_id, rubric = rubric_versions.named(store, rubric_name)
        sheet = sheets.find(store, "sample")
        made = grading_sets.create(store, sheet.id, rubric_id, "Team", 2, 1)
        if rubric.units:
            judge = graders.ensure(store, "metric", "rag-metrics", "f" * 16)
            for (item_id,) in store.rows("select id from items order by id"):
                units.keep(store, item_id, rubric.units, [Cell("A claim.", 0)], judge)
        grading_sets.join(store, made, ann.grader_id, "Lea")
        link = f"/join/{sessions.invite(store, ann, 'Lea')}"
    return serve(sample_db, script="server.py"), link


@pytest.fixture(scope="session")
def empty_folder(tmp_path_factory):
    """An empty folder, with a home of its own beside it."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel, built from the source archive that `make wheel` writes."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", folder, "--target"]
    finished([*build, "sdist"], ROOT)
    (archive,) = folder.glob("concord_judges-*.tar.gz")
    shutil.unpack_archive(archive, folder, filter="data")
    finished([*build, "wheel"], folder / archive.name.removesuffix(".tar.gz"))
    (built,) = folder.glob("concord_judges-*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """The folder of the scripts of an environment that holds the wheel."""
    place = tmp_path_factory.mktemp("environment")
    finished([sys.executable, "-m", "venv", "--without-pip", place], place)
    (site,) = place.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", place / "bin" / "python"]
    finished([*pip, "install", "--quiet", "--no-index", "--no-compile", wheel], place)
    return place / "bin"


@pytest.fixture(scope="session")
def installed_sample(installed, empty_folder):
    """The database with the sample that the installed `concord demo` has made."""
    finished(
        [installed / "concord-judges", "demo"], empty_folder, env=clean_environment(empty_folder)
    )
    (db,) = empty_folder.with_name("home").rglob("concord.db")
    return db
