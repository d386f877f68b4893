"""Gold items: answers to questions of the few-shot pool, with scores agreed before grading.

The few-shot pool is excluded from every figure, so grades of these answers never count. Those mixed
into the queues of a grading set lie among the answers of a block: nothing that a grader can reach
tells them apart, and a grader's connection sees only which are still to be mixed in, never a score
(`permissions`). Those of the training round are graded before the set's own answers. Their agreed
scores and reasons are adjudications triggered by `practice`, which enter no consensus, and are
shown with all comments once all criteria of the answer are on disk.

A file of them has a row per answer and criterion, with the columns item_id, criterion, score, and
optionally reason; other columns are for the reader.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from concord.clock import now
from concord.grading import comments, grading_sets
from concord.grading.grading_sets import GradingSet
from concord.importing import scores
from concord.importing.faults import faults
from concord.importing.readers import cells as readers_cells
from concord.importing.readers import formula_escaping
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Table
from concord.messages import N_, Problem, joined, said
from concord.model import FEW_SHOT, BadRow
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import items
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT
from concord.store.rubrics import rubric_versions

NEWEST = """not exists (select 1 from {table} later where later.set_id = t.set_id
    and later.item_id = t.item_id and later.id > t.id{same})"""

NONE_LEFT = N_(
    "No answer of the few-shot pool is left for this set. Move questions to the pool under Splits, "
    "then create a new set if this one has them already: it leaves the pool out."
)
_NOT_LEFT = (
    "Answer {answer} is not in the few-shot pool, or is in this set already. Move its question to "
    "the pool, or name another answer."
)


GOLD_TABLE, TRAINING_TABLE = "gold_answers", "practice_answers"


class AgreedScore(NamedTuple):
    """The agreed score of one criterion of one answer, and why."""

    item_id: int
    criterion: str
    score: int
    reason: str = ""


class Purpose(NamedTuple):
    """The purpose of answers with known scores: gold items, or the training round.

    Attributes:
        other: The table of the other purpose, which may hold none of the answers.
        add: Adds answers with their scores, or changes the scores of some.
        take_out: Removes an answer.
        chosen: The scores of the answers chosen so far, under the current wording.
    """

    other: str
    add: Callable[[Store, GradingSet, Sequence[AgreedScore], str], None]
    take_out: Callable[[Store, GradingSet, int, str], None]
    chosen: Callable[[Store, GradingSet], list[AgreedScore]]


class PoolAnswer(NamedTuple):
    """An answer that may become a gold or training item; its name does not tell the model."""

    id: int
    name: str
    question_id: int
    question: str
    answer: str


def offered(store: Store, grading_set: GradingSet, other: str) -> list[PoolAnswer]:
    """Return the answers of the few-shot pool to choose from, in the order of the sheet.

    Those chosen for this purpose are among them, and those that were and are removed; none of the
    set, and none in `other`, the table of the other purpose.
    """
    pool = [
        row["id"]
        for row in splits.of_sheet(store, grading_set.sheet_id)
        if row["split"] == FEW_SHOT
    ]
    rows = store.rows(
        f"""select i.id, i.question_id, q.text as question, i.answer from items i
        join questions q on q.id = i.question_id
        where q.id in ({marks(pool)}) and i.id not in (select item_id from {other}
        where set_id = ? union select item_id from grading_set_items where set_id = ?)
        order by i.id""",
        (*pool, grading_set.id, grading_set.id),
    )
    names = items.names_of(store, grading_set.sheet_id, [row["id"] for row in rows])
    return [PoolAnswer(row["id"], names[row["id"]], *row[1:]) for row in rows]


def proposed(store: Store, grading_set: GradingSet, purpose: Purpose) -> list[PoolAnswer]:
    """Return the answers to propose for a purpose, as they would be sampled: never for both.

    Of all that either may have, in the seeded order, every second one is for gold items.
    """
    either = (offered(store, grading_set, table) for table in (TRAINING_TABLE, GOLD_TABLE))
    every = sorted({row for rows in either for row in rows}, key=lambda row: row.id)
    order = choose(every, len(every), grading_set.seed)[purpose is not GOLD :: 2]
    chosen = {one.item_id for one in purpose.chosen(store, grading_set)}
    free = {row.id for row in offered(store, grading_set, purpose.other)} - chosen
    return [row for row in order if row.id in free]


def check(
    store: Store, grading_set: GradingSet, known: Sequence[AgreedScore], other: str
) -> Rubric:
    """Return the set's rubric; a Problem that names each answer that cannot be taken, and why.

    Each answer has to belong to a question of the few-shot pool and needs every criterion once,
    with a score of the scale. `other` is the table of the other kind (gold or training), which may
    hold none of them.
    """
    if grading_sets.kind_of(store, grading_set):
        raise Problem(
            "Gold and training items are whole answers, but this set is graded unit by unit."
        )
    if not known:
        raise Problem("No agreed score is given. Give one for each criterion of each answer.")
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    free = {row.id for row in offered(store, grading_set, other)}
    given: dict[int, list[AgreedScore]] = {}
    for one in known:
        given.setdefault(one.item_id, []).append(one)
    names, wrong = items.names_of(store, grading_set.sheet_id, [*given]), []
    for item_id, own in given.items():
        if item_id not in free:
            wrong.append(said(_NOT_LEFT, answer=names.get(item_id)))
        elif sorted(one.criterion for one in own) != sorted(rubric.versions()):
            text = "Answer {answer} must have exactly one agreed score for each criterion."
            wrong.append(said(text, answer=names[item_id]))
        elif off := [one.score for one in own if one.score not in rubric.scale]:
            text = "{score} for answer {answer} is not on the scale {scale}."
            scale = joined(", ", map(str, rubric.scale))
            wrong.append(said(text, score=off[0], answer=names[item_id], scale=scale))
    if wrong:
        raise Problem(joined("\n", wrong))
    return rubric


def named(store: Store, grading_set: GradingSet, name: str) -> int:
    """The id of an answer of a set's sheet by name; a Problem where none or several have it."""
    found = items.answer_names(store, grading_set.sheet_id).find(name)
    if found is None:
        raise Problem("The sheet has no answer {answer}. Correct item_id.", answer=name)
    return found


def choose(rows: list[PoolAnswer], count: int, seed: int) -> list[PoolAnswer]:
    """Return `count` candidates by seed, from as many different questions as possible. Pure."""
    shuffled = random.Random(f"known {seed}").sample(rows, len(rows))
    taken: dict[int, int] = {}
    rounds = []
    for row in shuffled:
        rounds.append(taken.get(row.question_id, 0))
        taken[row.question_id] = rounds[-1] + 1
    order = sorted(range(len(rows)), key=lambda place: rounds[place])
    return [shuffled[place] for place in order[:count]]


_SAME = " and later.version = t.version"
_IN = f"t.is_in and {NEWEST.format(table='gold_answers', same=_SAME)}"


def mix_in(store: Store, grading_set: GradingSet, known: Sequence[AgreedScore], by: str) -> None:
    """Mix gold items into a set's queues, or change the scores of some.

    A Problem for an answer that cannot be one (`check`). Assigned parts of a queue are
    unchanged; they appear in later blocks.
    """
    with store.write():
        rubric = check(store, grading_set, known, GOLD.other)
        for one in known:
            version = rubric.versions()[one.criterion]
            _put(store, grading_set, one.item_id, version, one.score, one.reason, True, by)


def take_out(store: Store, grading_set: GradingSet, item_id: int, by: str) -> None:
    """Mix an answer into no more queues and count it no more; its grades stay."""
    with store.write():
        for row in _rows(store, grading_set.id):
            if row["item_id"] == item_id:
                _put(store, grading_set, item_id, row["version"], row["score"], "", False, by)


def chosen(store: Store, grading_set: GradingSet) -> list[AgreedScore]:
    """Return the scores of a set's gold items under the current wording, oldest first."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    criteria = {version: name for name, version in rubric.versions().items()}
    return [
        AgreedScore(row["item_id"], criteria[row["version"]], int(row["score"]), row["why"])
        for row in _rows(store, grading_set.id)
        if row["version"] in criteria
    ]


GOLD = Purpose(TRAINING_TABLE, mix_in, take_out, chosen)


def not_yet_queued(store: Store, set_id: int, grader_id: int) -> list[int]:
    """Return the gold items not yet in an annotator's queue."""
    return store.column(
        f"""select distinct t.item_id from gold_answers t where t.set_id = ? and {_IN}
        and not exists (select 1 from assignments a where a.set_id = t.set_id
        and a.item_id = t.item_id and a.grader_id = ?) order by t.item_id""",
        (set_id, grader_id),
    )


def due(left: Sequence[int], blocks_left: int, seed: int, grader: str) -> list[int]:
    """Return the gold items for the next block: an even part of those left, by seed. Pure.

    `blocks_left` are the annotator's blocks still to come, the next one included; `grader` makes
    the order differ between annotators.
    """
    if not left or blocks_left < 1:
        return []
    ordered = list(left)
    random.Random(f"gold {seed} {grader}").shuffle(ordered)
    return ordered[: -(-len(ordered) // blocks_left)]


def gold_scores(store: Store, set_id: int, versions: Sequence[str]) -> dict[tuple[int, str], float]:
    """The known score by answer and criterion version, of the versions that annotators grade by."""
    return {
        (row["item_id"], row["version"]): row["score"]
        for row in _rows(store, set_id)
        if row["version"] in versions
    }


def answers(store: Store, set_id: int) -> set[int]:
    """Return the gold items of a set, whatever the wording their scores are given under."""
    return {row["item_id"] for row in _rows(store, set_id)}


def outdated(store: Store, set_id: int, versions: Sequence[str]) -> int:
    """Return the number of gold items without a gold score under one of these versions."""
    held: dict[int, set[str]] = {}
    for row in _rows(store, set_id):
        held.setdefault(row["item_id"], set()).add(row["version"])
    return sum(not set(versions) <= own for own in held.values())


def current_grades(store: Store, set_id: int, versions: Sequence[str]) -> list[Row]:
    """The current first grades of a set's gold items by annotators who have them in their queues.

    Rows of item_id, question_id, version, annotator, name, status and score, by name.
    """
    items = [*answers(store, set_id)]
    return store.rows(
        f"""select g.item_id, i.question_id, g.version, p.id as person, p.name, g.status, g.score
        from grades g join items i on i.id = g.item_id join graders r on r.id = g.grader_id
        join graders p on p.id = coalesce(r.merged_into, r.id) where p.kind = 'person'
        and g.unit_id is null and g.repeat = 1 and g.item_id in ({marks(items)})
        and g.version in ({marks(versions)}) and g.status <> 'withdrawn' and {CURRENT}
        and exists (select 1 from assignments a where a.set_id = ? and a.item_id = g.item_id
          and a.grader_id = g.grader_id) order by p.name, g.item_id""",
        (*items, *versions, set_id),
    )


def _rows(store: Store, set_id: int) -> list[Row]:
    return store.rows(
        f"""select t.item_id, t.version, t.score, t.why from gold_answers t
        where t.set_id = ? and {_IN} order by t.id""",
        (set_id,),
    )


def _put(store, grading_set, item_id, version, score, why, is_in, by) -> None:
    store.insert(
        "gold_answers",
        set_id=grading_set.id,
        item_id=item_id,
        version=version,
        score=score,
        why=why.strip(),
        is_in=int(is_in),
        given_by=by,
        created_at=now(),
    )


TRIGGER = "practice"
_NEWEST_TRAINING = NEWEST.format(table="practice_answers", same="")
IN_TRAINING = f"t.is_in and {_NEWEST_TRAINING}"


class Agreed(NamedTuple):
    """The agreed score of one criterion version of an answer, and why."""

    score: float
    reason: str


class Comment(NamedTuple):
    """A comment on an answer of the training round, with its author and time."""

    said_by: str
    text: str
    at: str


class Revealed(NamedTuple):
    """Feedback on a graded training answer: agreed scores by version, and the comments."""

    agreed: dict[str, Agreed]
    comments: list[Comment]


def agree(store: Store, grading_set: GradingSet, known: Sequence[AgreedScore], by: str) -> None:
    """Add answers to the training round, or change their agreed scores; a Problem where invalid.

    `known` has one agreed score per answer and criterion of the set's rubric.
    """
    with store.write():
        rubric = check(store, grading_set, known, TRAINING_ITEMS.other)
        versions = rubric.versions()
        for one in known:
            store.insert(
                "adjudications",
                item_id=one.item_id,
                version=versions[one.criterion],
                score=one.score,
                triggered_by=TRIGGER,
                blind=1,
                note=one.reason.strip(),
                created_at=now(),
            )
        for item_id in dict.fromkeys(one.item_id for one in known):
            _put_training(store, grading_set, item_id, list(versions.values()), by)


def take_out_of_training(store: Store, grading_set: GradingSet, item_id: int, by: str) -> None:
    """Remove an answer from the training round; grades and comments stay."""
    _put_training(store, grading_set, item_id, [], by)


def training_answers(
    store: Store, set_id: int, versions: Sequence[str], outdated: bool = False
) -> list[int]:
    """The answers of the training round under some criterion versions, as they were chosen.

    Where `outdated`, those whose scores were agreed under an earlier wording instead.
    """
    return store.column(
        f"""select t.item_id from practice_answers t where t.set_id = ? and (t.versions <> ?) = ?
        and {IN_TRAINING} order by t.id""",
        (set_id, json.dumps(list(versions)), outdated),
    )


def agreed(
    store: Store, item_ids: Sequence[int], versions: Sequence[str]
) -> dict[int, dict[str, Agreed]]:
    """The agreed scores of some answers, by answer and criterion version; the newest counts."""
    rows = store.rows(
        f"""select a.item_id, a.version, a.score, a.note from adjudications a
        where a.triggered_by = '{TRIGGER}' and a.unit_id is null
        and a.item_id in ({marks(item_ids)}) and a.version in ({marks(versions)}) order by a.id""",
        (*item_ids, *versions),
    )
    found: dict[int, dict[str, Agreed]] = {}
    for row in rows:
        found.setdefault(row["item_id"], {})[row["version"]] = Agreed(row["score"], row["note"])
    return found


def training_chosen(store: Store, grading_set: GradingSet) -> list[AgreedScore]:
    """Return the agreed scores of a set's training items under the current wording."""
    versions = rubric_versions.get(store, grading_set.rubric_id).versions()
    item_ids = training_answers(store, grading_set.id, [*versions.values()])
    scores = agreed(store, item_ids, [*versions.values()])
    return [
        AgreedScore(item_id, name, int(own[version].score), own[version].reason)
        for item_id in item_ids
        for name, version in versions.items()
        if version in (own := scores.get(item_id, {}))
    ]


TRAINING_ITEMS = Purpose(GOLD_TABLE, agree, take_out_of_training, training_chosen)


def save(
    store: Store,
    grading_set: GradingSet,
    purpose: Purpose,
    wanted: Mapping[int, Sequence[AgreedScore]],
    by: str,
) -> tuple[int, int]:
    """Give answers these scores, and remove those with none; return how many changed, and went."""
    held: dict[int, list[AgreedScore]] = {}
    with store.write():
        for one in purpose.chosen(store, grading_set):
            held.setdefault(one.item_id, []).append(one)
        own = {item: scores for item, scores in wanted.items() if scores}
        changed = [scores for item, scores in own.items() if {*scores} != {*held.get(item, ())}]
        gone = [item for item in held if item in wanted and item not in own]
        if changed:
            purpose.add(store, grading_set, [one for scores in changed for one in scores], by)
        for item in gone:
            purpose.take_out(store, grading_set, item, by)
    return len(changed), len(gone)


def revealed(
    store: Store, set_id: int, done: Sequence[int], versions: Sequence[str]
) -> dict[int, Revealed]:
    """Return the feedback on training answers that an annotator has graded, by answer."""
    given: dict[int, list[Comment]] = {}
    for row in store.rows(
        f"""select item_id, said_by, text, created_at from comments where set_id = ?
        and kind = '{comments.TRAINING}' and item_id in ({marks(done)}) order by id""",
        (set_id, *done),
    ):
        given.setdefault(row["item_id"], []).append(Comment(*row[1:]))
    return {
        item_id: Revealed(scores, given.get(item_id, []))
        for item_id, scores in agreed(store, done, versions).items()
    }


def training_history(
    store: Store, set_id: int, item_ids: Sequence[int], versions: Sequence[str]
) -> list[Row]:
    """Return every key press of annotators in a set's training round, oldest first.

    Rows of item_id, version, annotator (the merged one where merged), status and score; a changed
    grade has one row per key press.
    """
    return store.rows(
        f"""select g.item_id, g.version, coalesce(r.merged_into, r.id) as person, g.status, g.score
        from grades g join graders r on r.id = g.grader_id where r.kind = 'person'
        and g.unit_id is null and g.repeat = 1 and g.item_id in ({marks(item_ids)})
        and g.version in ({marks(versions)}) and exists (select 1 from assignments a
          where a.set_id = ? and a.item_id = g.item_id and a.grader_id = g.grader_id)
        order by g.id""",
        (*item_ids, *versions, set_id),
    )


def _put_training(store, grading_set, item_id: int, versions: list[str], by: str) -> None:
    """Choose an answer under some criterion versions; under none it is taken out."""
    store.insert(
        "practice_answers",
        set_id=grading_set.id,
        item_id=item_id,
        versions=json.dumps(versions),
        is_in=int(bool(versions)),
        given_by=by,
        created_at=now(),
    )


_NEEDED = ("item_id", "criterion", "score")
COLUMNS = (
    *(*_NEEDED, "reason", "meanings", "question", "answer"),
    *("reference", "reference_contexts", "contexts"),
)


def read(store: Store, grading_set: GradingSet, table: Table) -> list[AgreedScore]:
    """Return the agreed scores of a file; rows without a score were not filled in.

    A Problem where a column is missing, or that names each kind of bad row.
    """
    path = table.source.name
    if missing := [name for name in _NEEDED if name not in table.columns]:
        raise Problem("{path} lacks columns. Add {names}.", path=path, names=joined(", ", missing))
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    known = items.answer_names(store, grading_set.sheet_id)
    found, bad = [], []
    for record in table.records():
        cells = dict(zip(table.columns, record.cells, strict=False))
        if not record.fault and readers_cells.is_blank(cells["score"]):
            continue
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
            name, _ = scores.criterion(cells[column], rubric)
            column = "score"
            score = scores.score(cells[column], rubric.scale)
            column = "reason"
            reason = readers_cells.text(cells.get(column) or "")
            found.append(AgreedScore(item_id, name, score, reason))
        except (BadCell, Problem) as wrong:
            named = getattr(wrong, "column", None) or column
            bad.append(BadRow(record.row, named, wrong.args[0]))
    if bad:
        refused = said("Nothing of {name} was imported. Correct the file.", name=path)
        raise Problem(joined("\n", [refused, *faults(bad)]))
    return found


def template(
    store: Store,
    grading_set: GradingSet,
    purpose: Purpose,
    count: int,
) -> str:
    """Return a CSV to fill in, with up to `count` of the answers that are `proposed`."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    asked = proposed(store, grading_set, purpose)[:count]
    if not asked:
        raise Problem(NONE_LEFT)
    rows = []
    for row in asked:
        item = items.item(store, row.id).item
        contexts = [context.text for context in item.contexts]
        listed = map("\n\n".join, (item.reference, item.reference_contexts, contexts))
        texts = (item.question, item.answer, *listed)
        for criterion in rubric.criteria:
            meanings = (f"{level.score}: {level.meaning.strip()}" for level in criterion.levels)
            rows.append([row.name, criterion.name, "", "", "\n".join(meanings), *texts])
    return formula_escaping.to_csv(COLUMNS, rows)
