"""Gold file: a table of agreed scores, one row per answer and criterion.

Columns item_id, criterion, score, and optionally reason; other columns are for the reader.
"""

from collections.abc import Sequence
from typing import NamedTuple

from concord.grading import gold_items
from concord.grading.gold_items import AgreedScore, PoolAnswer, Purpose
from concord.grading.grading_sets import GradingSet
from concord.importing import scores
from concord.importing.import_errors import faults
from concord.importing.readers import cells as readers_cells
from concord.importing.readers import formula_escaping
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import BadRow, Record, Table
from concord.messages import Problem, counted, joined, said
from concord.rubrics.model import Criterion, Rubric
from concord.store import items
from concord.store.database import Store
from concord.store.items import AnswerNames
from concord.store.rubrics import rubric_versions

_NEEDED = ("item_id", "criterion", "score")
COLUMNS = (
    *(*_NEEDED, "reason", "meanings", "question", "answer"),
    *("reference", "reference_contexts", "contexts"),
)


class GoldFile(NamedTuple):
    """The agreed scores of a file, and its rows that cannot be taken.

    `rows` counts the rows with a score; those without one were not filled in, and are left out.
    """

    name: str
    scores: tuple[AgreedScore, ...]
    bad_rows: tuple[BadRow, ...]
    rows: int

    def taken(self) -> tuple[AgreedScore, ...]:
        """Return the scores; a Problem that names each kind of fault once where a row is bad."""
        bad = len({row.row for row in self.bad_rows})
        if not bad:
            return self.scores
        refused = said(
            "{count:,} of {rows} of {name} cannot be taken, so nothing was imported.",
            count=bad,
            rows=counted(self.rows, "row"),
            name=self.name,
        )
        remedy = said("Correct the file and import it again.")
        raise Problem(joined("\n", [refused, *faults(self.bad_rows), remedy]))


def read(store: Store, grading_set: GradingSet, table: Table, purpose: Purpose) -> GoldFile:
    """Check every row of a file of gold or training items; a Problem where a column is missing."""
    missing = [name for name in _NEEDED if name not in table.columns]
    if missing:
        raise Problem(
            "{path} has no column {names}. Add it."
            if len(missing) == 1
            else "{path} has none of the columns {names}. Add them.",
            path=table.source.name,
            names=joined(", ", missing),
        )
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    known = items.answer_names(store, grading_set.sheet_id)
    found: list[tuple[AgreedScore, Record]] = []
    bad, unsure, rows = [], set(), 0
    for record in table.records():
        cells = dict(zip(table.columns, record.cells, strict=False))
        if not record.fault and readers_cells.is_blank(cells["score"]):
            continue
        rows += 1
        one = _row(table, record, cells, rubric, known)
        if isinstance(one, BadRow):
            bad.append(one)
            unsure.add(known.ids.get(str(cells.get("item_id"))))
        else:
            found.append((one, record))
    given = [one for one, _ in found]
    # By identity: two rows that say the same are two rows.
    places = {id(one): record for one, record in found}
    # An answer with a bad row is not also said to lack the score of that row.
    sure = [one for one in given if one.item_id not in unsure]
    for one, why_not in gold_items.faults(store, grading_set, sure, purpose.other):
        bad.append(table.bad(places[id(one)], "item_id", why_not))
    bad.sort(key=lambda row: row.row)
    return GoldFile(table.source.name, tuple(given), tuple(bad), rows)


def _row(
    table: Table, record: Record, cells: dict, rubric: Rubric, known: AnswerNames
) -> AgreedScore | BadRow:
    """The agreed score of a row, or why it cannot be taken."""
    column = None
    try:
        if record.fault:
            raise BadCell(record.fault)
        column = "item_id"
        own_id = readers_cells.text(cells[column]).strip()
        item_id = known.find(own_id)
        if item_id is None:
            raise BadCell("The sheet has no answer {answer}. Correct item_id.", answer=own_id)
        column = "criterion"
        name = scores.criterion(cells[column], rubric)
        column = "score"
        score = scores.score(cells[column], rubric.scale)
        column = "reason"
        reason = readers_cells.text(cells.get(column) or "")
    except (BadCell, Problem) as wrong:
        return table.bad(record, getattr(wrong, "column", None) or column, wrong.args[0])
    return AgreedScore(item_id, name, score, reason)


def template(
    store: Store,
    grading_set: GradingSet,
    purpose: Purpose,
    count: int | None,
    own_ids: Sequence[str] = (),
) -> str:
    """Return a CSV to fill in: the answers named, and `count` more sampled by the set's seed.

    Score and reason are filled in for answers that are examples of the rubric.
    """
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    candidates = gold_items.candidates(store, grading_set, purpose)
    if not candidates:
        if not gold_items.offered(store, grading_set, purpose):
            raise Problem(gold_items.why_none(store, grading_set))
        raise Problem(
            "The few-shot pool of the sheet has no answer left. Move some questions to the "
            "few-shot pool first."
        )
    asked = _asked(store, grading_set, candidates, own_ids)
    rest = [row for row in candidates if row not in asked]
    asked += gold_items.choose(rest, count or 0, grading_set.seed)
    stored = items.items(store, [row.id for row in asked])
    rows = []
    for row, one in zip(asked, stored, strict=True):
        example = gold_items.example_scores(rubric, row.question, row.answer)
        item = one.item
        texts = (
            *(item.question, item.answer, *map(_listed, (item.reference, item.reference_contexts))),
            _listed([context.text for context in item.contexts]),
        )
        for criterion in rubric.criteria:
            known = example.get(criterion.name, ("", ""))
            rows.append([row.name, criterion.name, *known, _meanings(criterion), *texts])
    return formula_escaping.to_csv(COLUMNS, rows)


def _asked(
    store: Store, grading_set: GradingSet, candidates: Sequence[PoolAnswer], own_ids: Sequence[str]
) -> list[PoolAnswer]:
    names = items.answer_names(store, grading_set.sheet_id)
    by_name = {row.name: row for row in candidates}
    for own_id in own_ids:
        names.find(own_id)  # a Problem where it stands for several
        if own_id not in by_name:
            raise Problem(
                "Answer {answer} is not in the few-shot pool, or is in this set already. Move its "
                "question to the few-shot pool, or name another answer.",
                answer=own_id,
            )
    return [by_name[own_id] for own_id in dict.fromkeys(own_ids)]


def _meanings(criterion: Criterion) -> str:
    return "\n".join(f"{level.score}: {level.meaning.strip()}" for level in criterion.levels)


def _listed(texts: Sequence[str]) -> str:
    return "\n\n".join(texts)
