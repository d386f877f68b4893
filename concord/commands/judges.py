"""The command `judges`."""

import functools
from pathlib import Path

import click

from concord.commands import options
from concord.commands.frame import say, say_documents, verb
from concord.commands.graders import graded


@verb
@functools.partial(options.judge, required=False)
@options.text(
    "--freeze",
    "FILE",
    "Write a combined judge that has run, with its fit, to this new judge file.",
    type=click.Path(path_type=Path),
)
@options.text("--endpoint", "NAME", "Print a starter judge file for this server.")
@options.as_json
def judges(store, sheet_name, name, freeze, endpoint, json_out):
    """List shipped judges, judges used, and known servers.

    With --sheet, list only the judges that graded that sheet. With --judge and --freeze, write
    a combined judge to a file.
    """
    if name or freeze:
        _freeze(store, name, freeze, json_out)
        return
    from concord.judges.definition import providers
    from concord.judges.definition.model import presets
    from concord.reports import lists

    if endpoint:
        server = providers.named(endpoint)
        from concord.judges.definition.providers import beginning

        begun = beginning(server)
        say(server.model_dump(mode="json") | {"file": begun}, json_out, begun.rstrip())
        return
    shipped, known = list(presets().values()), list(providers.known().values())
    every = graded(store, sheet_name)
    used = [grader for grader in every if grader["kind"] not in ("annotator", "mean")]
    document = {
        "presets": [judge.model_dump(mode="json", exclude_none=True) for judge in shipped],
        "used": used,
        "endpoints": [server.model_dump(mode="json") for server in known],
    }
    say_documents(document, json_out, lists.judges(shipped, used, known))


def _freeze(store, name, path, json_out):
    """Write a combined judge to a file that is not there yet."""
    from concord.judges.combined.run import freeze
    from concord.messages import said
    from concord.store import graders

    if not name or not path:
        raise click.UsageError("Name a combined judge and a file: --judge NAME --freeze FILE.")
    store.must_lead()
    judge = freeze(graders.named(store, "judge", name))
    write_judge(path, judge)
    found = {"file": str(path), "judge": judge.model_dump(mode="json", exclude_none=True)}
    say(found, json_out, said("{file} holds {judge}.", file=path, judge=judge.name))


def write_judge(path, judge):
    """Write a judge to a file that is not there yet; a Problem where that cannot be done."""
    from concord.judges.definition.model import as_toml
    from concord.messages import Problem, system_fault

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(as_toml(judge))
    except OSError as error:
        raise Problem(
            "{file} cannot be written: {error}.", file=path, error=system_fault(error)
        ) from None
