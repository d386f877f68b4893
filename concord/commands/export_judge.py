"""The command `export-judge`."""

from concord.commands import options
from concord.commands.frame import is_json, say, say_documents, tell_document, verb


@verb
@options.judge
@options.text("--for", "tool", "TOOL", "The tool, such as python or promptfoo.", required=True)
@options.text("--out", options.FILE, "File.")
@options.rubric
def export_judge(store, sheet_name, name, tool, out, rubric):
    """Export a judge as a file that another tool runs.

    The file has the judge's model, settings, prompt and rubric, and the digest and expiry of its
    newest certificate. It holds no key. Without --out it is printed, and what is said of it goes to
    standard error. --sheet is needed only for a judge with examples from a sheet.
    """
    from concord.exporting import exported_tables
    from concord.judges.checks.endpoint_check import setup
    from concord.judges.definition import registry
    from concord.judges.exporting import targets
    from concord.judges.exporting.targets import carried
    from concord.reports.certificate.certificate_status import exported, exported_document

    wanted = targets.named(tool)
    found = carried(store, *setup(store, registry.named(store, name), rubric, sheet_name))
    text = wanted.write(found)
    if out:
        exported_tables.write(out, text)
    result = exported(store, wanted, found, text, out)
    if out or is_json():
        say_documents(result, exported_document(result))
        return
    tell_document(exported_document(result))
    say(result, text.rstrip("\n"))
