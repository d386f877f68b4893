"""Render a document as text for a terminal."""

from concord.reports.cells import shown
from concord.reports.document import Document, Table
from concord.reports.panel.terminal_tables import table


def text(document: Document) -> str:
    """Return the headline, facts and notes as lines and the tables as aligned columns."""
    parts = ["\n".join(filter(None, (document.headline, *document.facts)))]
    parts += [table_text(one) for one in document.tables if one.rows]
    parts += ["\n".join(filter(None, document.notes)), document.provenance]
    return "\n\n".join(filter(None, parts))


def table_text(one: Table) -> str:
    """Return a table as aligned columns under its title."""
    return "\n".join(filter(None, (one.title, table(*shown(one)))))
