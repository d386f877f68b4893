"""Beside: which other judges ask the same server at this moment.

Each run keeps its own pace, caps included, so two at one server ask it twice as much.
"""

from urllib.parse import urlsplit

from concord.judges.definition import registry
from concord.judges.running.run_lock import is_running, of_judge
from concord.messages import joined, said
from concord.store import graders, runs
from concord.store.database import Store
from concord.store.graders import Grader


def at_the_same_server(store: Store, run_id: int, grader: Grader) -> list[str]:
    """The names of judges that other runs ask at this run's server, on any sheet."""
    host = _host(grader)
    return [
        other.name
        for run in runs.going_on(store)
        if run["id"] != run_id and is_running(store, of_judge(run["sheet_id"], run["grader_id"]))
        if host and _host(other := graders.get(store, run["grader_id"])) == host
    ]


def sentence(names: list[str]) -> str:
    """What it means, in words; '' where there are none."""
    if not names:
        return ""
    who = sorted(set(names))
    return said(
        "{who} asks the same server now. Each run keeps its own pace and caps, so the server gets "
        "the requests of all of them."
        if len(who) == 1
        else "{who} ask the same server now. Each run keeps its own pace and caps, so the server "
        "gets the requests of all of them.",
        who=joined(", ", who),
    )


def _host(grader: Grader) -> str | None:
    """Where a judge is asked; None for one that asks nobody or of which only grades are known."""
    judge = registry.stored(grader)
    return urlsplit(judge.url()).netloc if judge and judge.model else None
