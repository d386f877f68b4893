"""The verb `judges`."""

import click

from verbs.frame import as_json, say, verb
from verbs.graders import graded


@verb
@click.option("--endpoint", metavar="NAME", help="Print a judge file to begin with for a server.")
@as_json
def judges(store, sheet_name, endpoint, json_out):
    """List the judges that ship, those that have graded (with --sheet: it), and known servers."""
    from judges import endpoints
    from judges.model import presets
    from reports import lists

    if endpoint:
        server = endpoints.named(endpoint)
        begun = server.beginning()
        say(server.model_dump(mode="json") | {"file": begun}, json_out, begun.rstrip())
        return
    shipped, known = list(presets().values()), list(endpoints.known().values())
    used = [grader for grader in graded(store, sheet_name) if grader["kind"] != "person"]
    document = {
        "presets": [judge.model_dump(mode="json", exclude_none=True) for judge in shipped],
        "used": used,
        "endpoints": [server.model_dump(mode="json") for server in known],
    }
    say(document, json_out, f"{lists.judges(shipped, used)}\n\n{lists.endpoints(known)}")
