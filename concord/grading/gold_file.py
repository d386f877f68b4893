"""Gold file: a table of agreed scores, one row per answer and criterion.

Columns item_id, criterion, score, and optionally reason; other columns are for the reader.
"""

from pathlib import Path

from concord.grading import gold_answers
from concord.grading.gold_answers import AgreedScore
from concord.grading.grading_sets import GradingSet
from concord.importing import scores
from concord.importing.readers import cells as readers_cells
from concord.importing.readers import formula_escaping
from concord.importing.readers.cells import BadCell
from concord.importing.readers.formats import open_table
from concord.messages import Problem
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

COLUMNS = ("item_id", "criterion", "score", "reason", "question", "answer")
_NEEDED = COLUMNS[:3]


def read(store: Store, grading_set: GradingSet, path: str | Path) -> list[AgreedScore]:
    """The agreed scores of a file; a Problem names the first row that cannot be taken.

    Rows without a score are left out: they were not filled in.
    """
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    table = open_table(path)
    missing = [name for name in _NEEDED if name not in table.columns]
    if missing:
        raise Problem(
            "{path} has no column {names}. Add it.",
            path=path,
            names=" and no column ".join(missing),
        )
    found = []
    for record in table.records():
        cells = dict(zip(table.columns, record.cells, strict=True))
        try:
            if record.fault:
                raise BadCell(record.fault)
            if readers_cells.is_blank(cells["score"]):
                continue
            item_id = gold_answers.named(store, grading_set, readers_cells.text(cells["item_id"]))
            name = scores.criterion(cells["criterion"], rubric)
            given = scores.score(cells["score"], rubric.scale)
            found.append(
                AgreedScore(item_id, name, given, readers_cells.text(cells.get("reason") or ""))
            )
        except (BadCell, Problem) as wrong:
            column = getattr(wrong, "column", None)
            raise Problem(table.bad(record, column, str(wrong)).sentence()) from None
    return found


def template(store: Store, grading_set: GradingSet, count: int) -> str:
    """Return a CSV to fill in, with `count` candidate gold items sampled by the set's seed.

    Score and reason are filled in for answers that are examples of the rubric.
    """
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    candidates = gold_answers.candidates(store, grading_set)
    if not candidates:
        raise Problem(
            "The few-shot pool of the sheet has no answer left. Move some questions to the "
            "few-shot pool first."
        )
    rows = []
    for row in gold_answers.choose(candidates, count, grading_set.seed):
        told = gold_answers.told_by_rubric(rubric, row["question"], row["answer"])
        for criterion in rubric.criteria:
            said = told.get(criterion.name, ("", ""))
            rows.append([row["own_id"], criterion.name, *said, row["question"], row["answer"]])
    return formula_escaping.to_csv(COLUMNS, rows)
