"""The command `judges`."""

import click

from concord.commands import options
from concord.commands.frame import say, say_documents, verb
from concord.commands.graders import graded


@verb
@click.option("--endpoint", metavar="NAME", help="Print a starter judge file for this server.")
@options.as_json
def judges(store, sheet_name, endpoint, json_out):
    """List shipped judges, judges used, and known servers.

    With --sheet, list only the judges that graded that sheet.
    """
    from concord.judges.definition import providers
    from concord.judges.definition.model import presets
    from concord.reports import lists

    if endpoint:
        server = providers.named(endpoint)
        from concord.judges.definition.toml import beginning

        begun = beginning(server)
        say(server.model_dump(mode="json") | {"file": begun}, json_out, begun.rstrip())
        return
    shipped, known = list(presets().values()), list(providers.known().values())
    used = [grader for grader in graded(store, sheet_name) if grader["kind"] != "person"]
    document = {
        "presets": [judge.model_dump(mode="json", exclude_none=True) for judge in shipped],
        "used": used,
        "endpoints": [server.model_dump(mode="json") for server in known],
    }
    say_documents(document, json_out, lists.judges(shipped, used, known))
