"""Names of statistics in tables, sentences and axes, as their declarations give them."""

from collections.abc import Mapping
from typing import Any


class Term(str):
    """An English name that keeps its template and values, so that it can be translated.

    It has the interface of `concord.messages.Said`, which this package does not import.
    """

    template: str
    values: Mapping[str, Any]
    between, plural = "", ""

    def __new__(cls, template: str, values: Mapping[str, Any]) -> "Term":
        """The template, filled."""
        made = super().__new__(cls, template.format(**values) if values else template)
        made.template, made.values = template, values
        return made

    def with_values(self, values: Mapping[str, Any]) -> "Term":
        """Return the same text with other values."""
        return Term(self.template, values)

    def __getnewargs__(self) -> tuple[str, Mapping[str, Any]]:
        return self.template, self.values

    def __str__(self) -> str:
        return self


def term(template: str, /, **values: Any) -> Term:
    """Return a name or title of a statistic."""
    return Term(template, values)
