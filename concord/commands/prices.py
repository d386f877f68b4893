"""The command `prices`."""

import click

from concord.commands import options
from concord.commands.frame import confirm, say_documents, tell_document, verb


@verb
@click.option(
    "--from",
    "source",
    type=click.Choice(["genai-prices"]),
    help="Add prices from this installed package to your price file.",
)
@options.many(
    "--model",
    "models",
    "NAME",
    "Only this model; repeatable. With --from, by default the models of all judges.",
)
@options.flag("--yes", "Write without asking.")
@options.as_json
def prices(store, sheet_name, source, models, yes, json_out):
    """List the prices of models that apply today, or add some to your price file.

    In USD per million tokens. Your price file is prices.toml in the folder of the default database,
    or what CONCORD_PRICES names. It is read after the prices that ship; the newest entry counts,
    and of the same date yours.
    """
    from concord import clock
    from concord.judges.definition import prices as known
    from concord.reports import lists

    if not source:
        found = known.current(known.load(), clock.today())
        found = [price for price in found if not models or price.model in models]
        say_documents({"prices": [_plain(price) for price in found]}, json_out, lists.prices(found))
        return
    found = _changes(store, models)
    new = [one.new for one in found if one.differs]
    shown = lists.price_changes(found)
    if new and not yes:
        tell_document(shown)
        if not confirm(f"{len(new)} prices are added to {known.own_file()}."):
            new = []
    path = str(known.append(new)) if new else None
    document = {"changes": [_change(one) for one in found], "written": len(new), "file": path}
    say_documents(document, json_out, shown)


def _changes(store, models):
    """Return what the package says of the models of the judges that ship and that are stored."""
    from concord import clock
    from concord.judges.definition import price_source, registry
    from concord.judges.definition import prices as known
    from concord.judges.definition.model import presets
    from concord.store import graders

    kept = [registry.stored(one) for one in graders.of_kind(store, "judge")]
    judges = [*presets().values(), *filter(None, kept)]
    return price_source.changes(judges, models, known.load(), clock.today())


def _plain(price):
    """Return a price as JSON values; what was not given is null."""
    if price is None:
        return None
    numbers = ("input", "output", "cached", "cache_write", "batch_share")
    days = ("since", "until", "date")
    given = {key: getattr(price, key) for key in type(price).model_fields}
    given |= {key: None if given[key] is None else float(given[key]) for key in numbers}
    return given | {key: given[key] and given[key].isoformat() for key in days}


def _change(one):
    """Return a change as JSON values."""
    place = {"model": one.model, "host": one.host, "decisions": one.decisions}
    return place | {
        "old": _plain(one.old),
        "new": _plain(one.new),
        "changed": one.differs,
        "why_none": one.why,
    }
