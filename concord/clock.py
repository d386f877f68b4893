"""The clock: the only module that reads the current time."""

from datetime import UTC, date, datetime, timedelta


def now() -> str:
    """The time in UTC as ISO 8601 with milliseconds, which sorts as text."""
    return _text(datetime.now(UTC))


def today() -> date:
    """The date in UTC."""
    return datetime.now(UTC).date()


def day_of(moment: str) -> date:
    """The date in UTC of a moment in the form of `now`."""
    return date.fromisoformat(moment[:10])


def seconds() -> float:
    """The time in seconds since 1970, UTC."""
    return datetime.now(UTC).timestamp()


def a_day_ago() -> str:
    """The time 24 hours ago, in the form of `now`."""
    return in_hours(-24)


def in_hours(hours: float) -> str:
    """Return the time some hours from now, or ago where negative, formatted as by `now`."""
    return _text(datetime.now(UTC) + timedelta(hours=hours))


def hours_since(since: float) -> float:
    """Return the hours since a moment given in Unix seconds, UTC."""
    return (datetime.now(UTC).timestamp() - since) / 3600


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
