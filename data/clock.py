"""The clock: the only place that asks what time it is."""

from datetime import UTC, datetime


def now() -> str:
    """The time in UTC as ISO 8601 with milliseconds, which sorts as text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def today() -> str:
    """The date in UTC as ISO 8601."""
    return now()[:10]
