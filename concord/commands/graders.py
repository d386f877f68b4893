"""The command `graders`."""

from concord.commands import options
from concord.commands.frame import confirm, say_documents, verb


@verb
@options.text("--rename", "OLD NEW", "Rename.", nargs=2)
@options.text("--merge", "FROM INTO", "Merge.", nargs=2)
@options.text("--delete", "gone", "NAME", "Delete an annotator with all their grades.")
@options.many(
    "--price", "prices", "JUDGE=PRICE", "USD per 1,000 answers of an imported judge, or none."
)
@options.yes
def graders(store, sheet_name, rename, merge, gone, prices, yes):
    """List annotators and judges; rename, merge or delete one, or state a judge's price.

    An annotator who typed their own name is pending until they have graded 10 answers: their
    grades are stored and enter no figure. `annotators --include NAME` lets them count at once.
    """
    from concord.reports import lists
    from concord.store import graders as stored

    if rename:
        stored.rename(store, stored.named(store, "person", rename[0]).id, rename[1])
    if merge:
        source, target = (stored.named(store, "person", name) for name in merge)
        stored.merge(store, source.id, target.id)
    if gone:
        grader = stored.named(store, "person", gone)
        if yes or confirm("All their grades are deleted too."):
            stored.delete(store, grader.id)
    for text in prices:
        _state_price(store, text)
    found = graded(store, sheet_name)
    say_documents({"graders": found}, lists.graders(found))


def _state_price(store, text):
    """Record the price of a judge from JUDGE=PRICE."""
    from concord.commands.frame import BY
    from concord.judges.definition import stated_price
    from concord.messages import Problem

    name, equals, price = text.rpartition("=")
    if not equals or not name.strip():
        raise Problem("“{text}” is not of the form JUDGE=2.50.", text=text)
    stated_price.state(store, name.strip(), price, BY)


def graded(store, sheet_name) -> list[dict]:
    """Return all graders, or those of a sheet, with counts and the price stated for a judge."""
    from concord.grading import annotators
    from concord.judges.definition import stated_price
    from concord.store import graders as stored
    from concord.store import grades, sheets

    sheet = sheets.chosen(store, sheet_name) if sheet_name else None
    rows = [dict(row) for row in grades.by_grader(store, sheet.id if sheet else None)]
    for row in rows:
        price = stated_price.stated(stored.get(store, row["id"]))
        row["kind"] = "annotator" if row["kind"] == "person" else row["kind"]
        row["pending"] = stored.get(store, row["id"]).pending
        row["paused"] = annotators.paused_since(store, row["id"])
        row["stated_price"] = price and {
            "per_1000": float(price.usd),
            "on": price.on,
            "by": price.by,
        }
    return rows
