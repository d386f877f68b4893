"""Render a document as text for a terminal."""

from concord.reports.cells import shown
from concord.reports.document import Document, Table
from concord.reports.panel.terminal_tables import table


def text(document: Document) -> str:
    """Return the headline, facts and notes as lines and the tables as aligned columns."""
    parts = ["\n".join(filter(None, (document.headline, *document.facts)))]
    parts += [_table(one) for one in document.tables if one.rows]
    parts += ["\n".join(filter(None, document.notes)), document.provenance]
    return "\n\n".join(filter(None, parts))


def _table(one: Table) -> str:
    return "\n".join(filter(None, (one.title, table(*shown(one)))))
