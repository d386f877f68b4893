"""The verb `rubrics`."""

import json

from verbs.frame import as_json, say, verb


@verb
@as_json
def rubrics(store, sheet_name, json_out):
    """List the rubrics; with --sheet, those the sheet is graded under."""
    from data import rubric_versions
    from data import sheets as stored
    from reports import lists

    sheet = stored.chosen(store, sheet_name) if sheet_name else None
    names = rubric_versions.graded(store, sheet.id) if sheet else rubric_versions.names(store)
    found = [rubric_versions.named(store, name)[1] for name in names]
    document = {"rubrics": [json.loads(rubric.body()) for rubric in found]}
    say(document, json_out, lists.rubrics(found))
