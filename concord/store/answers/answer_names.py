"""Display names of answers, unique within a sheet."""

from collections import Counter

from concord.store.database import Store

LONG = 40  # of a question that names its answer, in characters


def of_sheet(store: Store, sheet_id: int) -> dict[int, str]:
    """Return the display name of each answer of a sheet, by item id.

    The answer's own id; else its question's id with the answering model, as `q7 (beta)`; else the
    beginning of the question, as `“Where is the tower?” (beta)`. An unknown model is left out.
    Duplicate names get the item's number appended.
    """
    rows = store.rows(
        "select i.id, i.own_id, q.own_id as q_own, substr(q.text, 1, ?) as text, i.answer_model"
        " from items i join questions q on q.id = i.question_id where i.sheet_id = ?",
        (4 * LONG, sheet_id),  # more than is shown, for blanks count once
    )
    names = {row["id"]: _name(*row[1:]) for row in rows}
    often = Counter(names.values())
    return {id_: name if often[name] == 1 else f"{name}, no. {id_}" for id_, name in names.items()}


def one_line(text: str, most: int) -> str:
    """A text on one line, cut to `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _name(own: str | None, question: str | None, text: str, model: str | None) -> str:
    if own:
        return own
    return (question or f"“{one_line(text, LONG)}”") + (f" ({model})" if model else "")
