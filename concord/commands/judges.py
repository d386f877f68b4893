"""The command `judges`."""

import functools
from pathlib import Path

import click

from concord.commands import options
from concord.commands.frame import say, say_documents, verb, write_new
from concord.commands.graders import graded


@verb
@functools.partial(options.judge, required=False)
@options.text("--copy", "NAME", "Store an edited copy of this judge.")
@options.text("--as", "new", "NEW", "With --copy: its name; NAME-v2 and so on if left out.")
@options.text(
    "--prompt",
    click.Path(exists=True, path_type=Path),
    "With --copy: the text of its prompt. --judge prints the one there is.",
)
@options.many("--set", "changes", "KEY=VALUE", "With --copy: another value of a key.")
@options.text(
    "--freeze", options.FILE, "With --judge: write a combined judge with its fit to this file."
)
@options.text("--endpoint", "NAME", "Print a starter judge file for this server.")
def judges(store, sheet_name, name, copy, new, prompt, changes, freeze, endpoint):
    """List shipped judges, judges used, and known servers; show one, or copy and edit it.

    With --sheet, list only the judges that graded that sheet.
    """
    if not copy and (new or prompt or changes):
        raise click.UsageError("--as, --prompt and --set are of a copy: name the judge by --copy.")
    if copy:
        _copy(store, sheet_name, copy, new, prompt, changes)
        return
    if freeze:
        _freeze(store, name, freeze)
        return
    if name:
        _show(store, name)
        return
    from concord.judges.definition import providers
    from concord.judges.definition.model import presets
    from concord.reports import lists

    if endpoint:
        server = providers.named(endpoint)
        from concord.judges.definition.providers import beginning

        begun = beginning(server)
        say(server.model_dump(mode="json") | {"file": begun}, begun.rstrip())
        return
    shipped, known = list(presets().values()), list(providers.known().values())
    every = graded(store, sheet_name)
    used = [grader for grader in every if grader["kind"] not in ("annotator", "mean")]
    document = {
        "presets": [judge.model_dump(mode="json", exclude_none=True) for judge in shipped],
        "used": used,
        "endpoints": [server.model_dump(mode="json") for server in known],
    }
    say_documents(document, lists.judges(shipped, used, known))


def _copy(store, sheet_name, name, new, prompt, changes):
    """Store an edited copy of a judge."""
    from concord.judges.definition import registry
    from concord.reports.workflow import judges as workflow
    from concord.rubrics.model import read_text
    from concord.store import sheets

    store.must_lead()
    base = registry.named(store, name)
    values = registry.values_of(changes, base)
    if prompt:
        values["prompt"] = read_text(prompt)
    judge = registry.copied(store, base, new, values)
    label = workflow.save(store, sheets.chosen(store, sheet_name).name, judge)
    found = {"judge": label, "edited_from": judge.edited_from}
    say(found, judge.name)


def _show(store, name):
    """Print a judge's definition and the text of its prompt, to edit."""
    from concord.judges.definition import registry
    from concord.judges.definition.model import as_toml
    from concord.judges.prompting.prompt import as_text
    from concord.store.rubrics import rubric_versions

    judge = registry.named(store, name)
    asks = judge.chats and judge.asks_rubric
    text = as_text(judge, rubric_versions.argument(store, judge.rubric)[1]) if asks else None
    found = {"judge": judge.model_dump(mode="json", exclude_none=True), "prompt": text}
    said_of = as_toml(judge) if text is None else f"{as_toml(judge)}\n# Prompt\n{text}"
    say(found, said_of)


def _freeze(store, name, path):
    """Write a combined judge to a file that is not there yet."""
    from concord.judges.combined import freeze
    from concord.judges.definition.model import as_toml
    from concord.store import graders

    if not name or not path:
        raise click.UsageError("Name a combined judge and a file: --judge NAME --freeze FILE.")
    store.must_lead()
    judge = freeze(graders.named(store, "judge", name))
    write_new(path, as_toml(judge))
    found = {"file": str(path), "judge": judge.model_dump(mode="json", exclude_none=True)}
    say(found, str(path))
