"""The command `sheets`."""

from concord.commands import options
from concord.commands.frame import UNCHANGED, confirm, say, say_documents, verb
from concord.messages import said


@verb
@options.text("--delete", "gone", "NAME", "Delete a sheet with all its grades.")
@options.flag("--imports", "listed", "List the files a sheet came from.")
@options.text("--undo", "number", int, "Undo an import, by its number in --imports.")
@options.yes
def sheets(store, sheet_name, gone, listed, number, yes):
    """List the sheets, delete one, or undo an import.

    Undoing takes out the answers and grades that only this import brought. Grades given on these
    answers since stay in the export and come back when the same answers are imported again.
    """
    from concord.reports import lists
    from concord.store import imports
    from concord.store import sheets as stored

    if gone:
        return _delete(store, gone, yes)
    if number is not None:
        return _undo(store, stored.ever(store, sheet_name), number, yes)
    if listed:
        sheet = stored.ever(store, sheet_name)
        found = imports.of_sheet(store, sheet.id)
        listed = {"sheet": sheet.name, "imports": [one._asdict() for one in found]}
        return say_documents(listed, lists.imports(found))
    found = [stored.chosen(store, sheet_name)] if sheet_name else stored.all_sheets(store)
    listed = {"sheets": [sheet._asdict() for sheet in found]}
    return say_documents(listed, lists.sheets(found))


def _delete(store, name, yes):
    from concord.store import sheets as stored

    sheet = stored.ever(store, name)
    going = stored.deletion_counts(store, sheet)
    what = stored.deletion_text(going)
    if not (yes or confirm(said("Deleting “{name}” removes {what}.", name=name, what=what))):
        return say({"deleted": None}, UNCHANGED)
    stored.delete(store, sheet)
    say(
        {"deleted": name, "went": going}, said("“{name}” is deleted: {what}.", name=name, what=what)
    )


def _undo(store, sheet, number, yes):
    from concord.judges.run import lock as run_lock
    from concord.store import import_undo

    run_lock.close_dead(store, sheet.id)
    going = import_undo.preview(store, sheet, number)
    what = said(
        "Undoing import {number} of “{name}” takes out {what}.",
        number=number,
        name=sheet.name,
        what=going.sentence(),
    )
    if not (yes or confirm(what)):
        return say({"undone": None}, UNCHANGED)
    going = import_undo.undo(store, sheet, number)
    text = going.done(sheet.name, number)
    say({"undone": number, "sheet": sheet.name, **going._asdict()}, text)
