"""The command `export-grades`."""

from pathlib import Path

import click

from concord.commands import options
from concord.commands.frame import say_documents, sheet_of, verb


@verb
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@options.text(
    "--for",
    "tool",
    "TOOL",
    "csv, mlflow, langfuse, phoenix, inspect or huggingface.",
    required=True,
)
@options.many("--grader", "graders", "NAME", options.ONLY)
@options.rubric
def export_grades(store, sheet_name, file, tool, graders, rubric):
    """Export annotators' grades and judges' verdicts as CSV, or for another tool.

    CSV has every grade, and `grades` reads it back. Any other file is in the form that the tool
    reads; sending it is up to you. Answers are named by the tool's own ids, from the columns
    trace_id or span_id, or from an import of its files.
    """
    from concord.exporting import exported_tables, tool_grades
    from concord.reports import lists
    from concord.store.rubrics import rubric_versions

    sheet = sheet_of(store, sheet_name)
    named = rubric_versions.argument(store, rubric)[1] if rubric else None
    with exported_tables.reading_all(store):
        written = tool_grades.write(store, sheet, tool, graders, named)
    with exported_tables.naming(file):
        file.write_bytes(written.content)
    result = {"tool": tool, "file": str(file), **written._asdict()}
    del result["content"]
    shown = lists.exported_grades(written.grades, tool_grades.reasons(written.left_out), file)
    say_documents(result, shown)
