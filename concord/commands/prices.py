"""The command `prices`."""

from concord.commands import options
from concord.commands.frame import say_documents, verb


@verb
@options.many("--model", "models", "NAME", options.ONLY)
def prices(store, sheet_name, models):
    """List the prices of models that apply today, in USD per million tokens.

    Your price file is prices.toml in the folder of the default database, or what CONCORD_PRICES
    names. It is read after the prices that ship; the newest entry counts, and of the same date
    yours.
    """
    from concord import clock
    from concord.judges.definition import prices as known
    from concord.reports import lists

    found = known.current(known.load(), clock.today())
    found = [price for price in found if not models or price.model in models]
    say_documents({"prices": [_plain(price) for price in found]}, lists.prices(found))


def _plain(price):
    """Return a price as JSON values; what was not given is null."""
    numbers = ("input", "output", "cached", "cache_write", "batch_share")
    days = ("since", "until", "date")
    given = {key: getattr(price, key) for key in type(price).model_fields}
    given |= {key: None if given[key] is None else float(given[key]) for key in numbers}
    return given | {key: given[key] and given[key].isoformat() for key in days}
