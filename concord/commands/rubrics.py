"""The command `rubrics`."""

import json

from concord.commands.frame import say_documents, verb


@verb
def rubrics(store, sheet_name):
    """List the rubrics; with --sheet, those of its grades."""
    from concord.reports import lists
    from concord.store import sheets as stored
    from concord.store.rubrics import rubric_versions

    sheet = stored.chosen(store, sheet_name) if sheet_name else None
    names = rubric_versions.graded(store, sheet.id) if sheet else rubric_versions.names(store)
    found = [rubric_versions.named(store, name)[1] for name in names]
    document = {"rubrics": [json.loads(rubric.body()) for rubric in found]}
    say_documents(document, lists.rubrics(found))
