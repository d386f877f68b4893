"""Gatherings of items and of grades: repeats fold, contradictions are kept out and named.

Rows are on disk, and hashes of them in memory. Only rows that contradict each other are read back
to be compared as a whole.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import compress, takewhile
from typing import NamedTuple, TypeVar

import numpy as np

from concord.importing.faults import ranges, score_name
from concord.importing.readers.table import one_line
from concord.importing.spool import GradeSpool, ItemSpool, Spooled
from concord.messages import Numeral, joined, on_command_line, said
from concord.model import EXTRA_FIELDS, Grade, Item, answer_key, item_key
from concord.rubrics.model import Rubric
from concord.text.normal_form import normalised

One = TypeVar("One")
_COMPARED = tuple(f for f in Item._fields if f not in ("row", "metadata", "own_id"))


class Fault(NamedTuple):
    """A contradicting row: the field it differs in, and what to do about it.

    `column` is that of a grade; '' where the field tells it.
    """

    row: int
    line: int | None
    field: str
    problem: str
    value: str = ""
    column: str = ""


class ItemGathering:
    """Items by identity, and questions by key, as the rows of one sheet come in."""

    def __init__(self):
        self.folded_rows = array("q")
        self.respelled_rows: list[int] = []
        self._items: dict[str, tuple[Item, int | None]] = {}
        self._repeats: dict[str, list[tuple[Item, int | None]]] = {}
        self._questions: dict[str, Item] = {}
        self._torn_questions: dict[str, tuple[str, int]] = {}

    def add(self, item: Item, line: int | None) -> str:
        """Take an item in; its identity is returned."""
        item = self._with_known_question(item)
        identity = item.identity
        first = self._items.setdefault(identity, (item, line))
        if first[0] is not item:
            self._add_again(identity, first, item, line)
        return identity

    def items(self) -> list[Item]:
        """Return every item without contradictions; a cluster given once holds for its question."""
        good = (item for key, (item, _) in self._items.items() if key not in self._repeats)
        return [self._with_cluster(i) for i in good if i.question_key not in self._torn_questions]

    def faults(self) -> Iterator[Fault]:
        """Yield every row that contradicts another, both sides of each contradiction."""
        for identity, repeats in self._repeats.items():
            alike = [self._items[identity], *repeats]
            differs = _difference(alike[0][0], alike[1][0])
            problem = _contradiction(differs, ranges([item.row for item, _ in alike]))
            field = differs if alike[0][0].own_id is None else "item_id"
            for item, line in alike:
                yield Fault(item.row, line, field, problem, _value(item, field))
        for key, (item, line) in self._items.items():
            if item.question_key in self._torn_questions and key not in self._repeats:
                field, row = self._torn_questions[item.question_key]
                first = self._questions[item.question_key].row
                other = row if item.row == first else first
                problem = _question_contradiction(field, other)
                yield Fault(item.row, line, field, problem, _value(item, field))

    def left_out(self) -> Iterator[Item]:
        """Yield the items that contradictions leave out, each once."""
        for key, (item, _) in self._items.items():
            if key in self._repeats or item.question_key in self._torn_questions:
                yield item

    def _add_again(self, identity, first, item, line):
        known, at = first
        if identity in self._repeats or _difference(known, item):
            self._repeats.setdefault(identity, []).append((item, line))
            return
        self.folded_rows.append(item.row)
        if item.metadata != known.metadata:
            # What the repeats do not agree on is not a fact about the item.
            agreed = item.metadata.items()
            kept = {k: v for k, v in known.metadata.items() if (k, v) in agreed}
            self._items[identity] = (known._replace(metadata=kept), at)

    def _with_known_question(self, item):
        """The item under the first spelling of its question, which all its answers share."""
        known = self._questions.setdefault(item.question_key, item)
        if known.cluster is None and item.cluster is not None:
            known = self._questions[item.question_key] = known._replace(cluster=item.cluster)
        if item.cluster not in (None, known.cluster):
            self._torn_questions.setdefault(item.question_key, ("cluster", item.row))
        if item.question == known.question:
            return item
        if normalised(item.question) != normalised(known.question):
            self._torn_questions.setdefault(item.question_key, ("question", item.row))
            return item
        self.respelled_rows.append(item.row)
        return item._replace(question=known.question)

    def _with_cluster(self, item):
        cluster = self._questions[item.question_key].cluster
        return item if item.cluster == cluster else item._replace(cluster=cluster)


class StreamedItems:
    """Items in the order of the file, with three hashes of each in memory.

    Items need each other only where an identity occurs twice, or a question in two spellings or
    clusters. Of an identity whose items are all the same, the first is kept. The others are read
    back and compared as a whole (`ItemGathering`); two that only share a hash are found there to
    differ.
    """

    def __init__(self):
        self._spool = ItemSpool()
        self._identities, self._questions, self._spellings = (array("q") for _ in range(3))

    def add(self, item: Item, line: int | None) -> str:
        """Take an item in; its identity is returned."""
        question = item.question_key
        own = item.own_id
        identity = answer_key(question, item.answer_model) if own is None else item_key(own)
        self._identities.append(hash(identity))
        self._questions.append(hash(question))
        self._spellings.append(hash((item.question, item.cluster)))
        self._spool.add(item, line)
        return identity

    def gathered(self) -> tuple[Spooled[Item], ItemGathering]:
        """Every item without contradictions, and the comparison of those that repeat."""
        compared = ItemGathering()
        torn = _torn(self._questions, self._spellings)
        repeats = _Repeats(self._identities, lambda: (row[0][:-1] for row in self._spool.rows()))
        doubtful = torn | repeats.differ
        kept = bytearray(~(doubtful | repeats.again))
        firsts: dict[str, int] = {}
        for place, (item, line) in _chosen(self._spool.rows(), doubtful | repeats.again):
            if doubtful[place]:
                firsts.setdefault(compared.add(item, line), place)
            else:
                compared.folded_rows.append(item.row)
        changed = {firsts[item.identity]: item for item in compared.items()}
        for place in changed:
            kept[place] = 1
        return Spooled(self._spool, kept, changed), compared


class StreamedGrades:
    """Grades in the order of the file, with a hash of the slot of each in memory.

    A judge's whole numbers off the scale of a rubric of whole answers are refused (`off_scale`).
    Faults name the criteria of the `rubrics` in the reader's language.

    Attributes:
        lost: The number of refused grades by grader.
        left_out: The number of refused grades by score, once they are gathered.
        folded: How many grades repeat an earlier one, once they are gathered.
        criteria: The criteria of the grades by kind of grader.
        doubled: Rows in which a grader gives one answer the same score twice, once per repeat.
        highest: How far the numbers of a judge or metric are from 0.5 at most, by grader.
        highest_of_annotators: The same of all annotators together; 0 without scores.
    """

    def __init__(self, rubrics: Collection[Rubric] = ()):
        self.lost: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.folded = 0
        self.criteria: dict[str, set[str]] = defaultdict(set)
        self.highest: dict[str, float] = {}
        self.highest_of_annotators = 0.0
        self._scales = {
            str.__str__(criterion.name): rubric.scale
            for rubric in rubrics
            for criterion in (() if rubric.units else rubric.criteria)
        }
        # A name of a rubric carries its translations, the same name in a file does not.
        self._names = {one.name: one.name for rubric in rubrics for one in rubric.criteria}
        self._spool = GradeSpool()
        self._slots = array("q")
        self._whole: dict[tuple, set[float] | None] = {}
        self.doubled = array("q")
        self._row: tuple[int, dict[int, tuple]] = (0, {})

    def add(self, grade: Grade, line: int | None, item: Hashable = None) -> None:
        """Take a grade in; `item` is what its key names, the key itself where left out."""
        named = grade.item_key if item is None else item
        slot = hash(_slot(grade, named))
        self._slots.append(slot)
        if self._row[0] != grade.row:
            self._row = (grade.row, {})
        given = _given(grade)
        first = self._row[1].setdefault(slot, given)
        if first == given and first is not given:
            self.doubled.append(grade.row)
        self._spool.add(grade, line, named)
        self.criteria[grade.grader_kind].add(grade.criterion)
        if grade.score is None:
            return
        if grade.grader_kind in ("judge", "metric"):
            self._number(grade)
        else:
            beyond = abs(grade.score - 0.5)
            self.highest_of_annotators = max(self.highest_of_annotators, beyond)

    def gathered(self, refused: Collection[str] = ()) -> tuple[Spooled[Grade], list[Fault]]:
        """Every good grade, but none of the items `refused`; and the rows that are no good.

        Those are rows in which a grader contradicts itself, or a judge is off the scale.
        """
        repeats = _Repeats(self._slots, self._contents)
        self.folded = int(repeats.again.sum())
        kept = bytearray(~(repeats.differ | repeats.again))
        faults = [*self._contradictions(repeats.differ, kept), *self._refusals(refused, kept)]
        return Spooled(self._spool, kept), faults

    def _number(self, grade: Grade) -> None:
        """Note the number of a judge or metric."""
        beyond = abs(grade.score - 0.5)
        self.highest[grade.grader] = max(self.highest.get(grade.grader, 0), beyond)
        if not (grade.criterion in self._scales and grade.grader_kind == "judge"):
            return
        if float(grade.score) % 1:
            self._whole[_judge(grade)] = None
        elif (numbers := self._whole.setdefault(_judge(grade), set())) is not None:
            numbers.add(grade.score)

    def _contents(self) -> Iterator[tuple]:
        return ((*_slot(grade, named), *_given(grade)) for grade, _, named in self._spool.rows())

    def _contradictions(self, differ: np.ndarray, kept: bytearray) -> Iterator[Fault]:
        """Refuse the grades of one slot that differ; those that only share a hash are kept."""
        slots: dict[tuple, list[tuple[int, Grade, int | None]]] = defaultdict(list)
        for place, (grade, line, named) in _chosen(self._spool.rows(), differ):
            slots[_slot(grade, named)].append((place, grade, line))
        for (place, *first), *others in slots.values():
            given = _given(first[0])
            same = sum(1 for _ in takewhile(given.__eq__, (_given(one[1]) for one in others)))
            repeats = others[same:]
            self.folded += same
            if not repeats:
                kept[place] = 1
                continue
            criterion = self._names.get(first[0].criterion, first[0].criterion)
            yield _grade_fault(first, repeats[0][1], criterion)
            yield from (_grade_fault(repeat, first[0], criterion) for _, *repeat in repeats)
            self._refuse(first[0], *(grade for _, grade, _ in repeats))

    def _refusals(self, refused: Collection[str], kept: bytearray) -> Iterator[Fault]:
        """Refuse numbers off their scale, and grades of items that are refused."""
        off = {
            one: off_scale(numbers or (), self._scales[one[0]])
            for one, numbers in self._whole.items()
        }
        if not refused and not any(off.values()):
            return
        for place, (grade, line, _) in _chosen(self._spool.rows(), kept):
            if grade.score in off.get(_judge(grade), ()):
                problem = _off_scale_problem(grade.score, self._scales[grade.criterion])
                yield Fault(grade.row, line, "score", problem, column=grade.column)
            elif grade.item_key not in refused:
                continue
            kept[place] = 0
            self._refuse(grade)

    def _refuse(self, *grades: Grade) -> None:
        self.lost.update(grade.grader for grade in grades)
        self.left_out.update(score_name(grade.score) for grade in grades)


class _Repeats:
    """Which rows share a hash with another row; `contents` reads what of them must be the same.

    Attributes:
        differ: True for rows of a hash whose contents differ.
        again: True for those of all others that share a hash, but for the first of each.
    """

    def __init__(self, hashes: array, contents: Callable[[], Iterable[tuple]]):
        given = np.asarray(hashes)
        self.differ = self.again = np.zeros(len(given), bool)
        ordered = np.sort(given)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if not len(twice):
            return
        repeated = np.isin(given, twice)
        read = array("q", bytes(8 * len(given)))
        for place, content in _chosen(contents(), repeated):
            read[place] = hash(repr(content))
        self.differ = _torn(hashes, read)
        places = np.flatnonzero(repeated & ~self.differ)
        firsts = np.unique(given[places], return_index=True)[1]
        self.again = np.zeros(len(given), bool)
        self.again[np.delete(places, firsts)] = True


def _chosen(rows: Iterable[One], mask: np.ndarray | bytearray) -> Iterator[tuple[int, One]]:
    """The rows where a mask is true, with their places; none are read where it never is."""
    chosen = bytes(mask)
    return compress(enumerate(rows), chosen) if 1 in chosen else iter(())


def _torn(groups: array, hashes: array) -> np.ndarray:
    """True for the members of a group whose hashes differ."""
    given, within = np.asarray(groups), np.asarray(hashes)
    order = np.argsort(given, kind="stable")
    ordered, differs = given[order], within[order]
    apart = (ordered[1:] == ordered[:-1]) & (differs[1:] != differs[:-1])
    return np.isin(given, ordered[1:][apart]) if apart.any() else np.zeros(len(given), bool)


def _difference(one, other):
    """The first field in which two records of one item differ, '' where they agree."""
    fields = ("answer", *_COMPARED)
    extra = (f for f in sorted(EXTRA_FIELDS) if one.metadata.get(f) != other.metadata.get(f))
    return next((f for f in fields if getattr(one, f) != getattr(other, f)), next(extra, ""))


def _value(item, field):
    """Return the value of a field of an item, as an example of a fault."""
    if field == "item_id":
        return one_line(item.own_id)
    known = getattr(item, field) if field in Item._fields else item.metadata.get(field)
    return one_line(known)


def _contradiction(field, rows):
    what = said(field.replace("_", " "))
    return said(
        "rows {rows} are the same item with a different {what}. Keep one of them, distinguish them "
        "by item_id or answering model, or number the answers{on_command_line}.",
        on_command_line=on_command_line("--number-answers"),
        rows=rows,
        what=what,
        fault_code="two_contents",
    )


def _question_contradiction(field, row):
    return said(
        "the same question has another text in row {row}. Make them equal, or give the questions "
        "different question_ids."
        if field == "question"
        else "the same question has another cluster in row {row}. Make them equal, or give the "
        "questions different question_ids.",
        row=row,
        fault_code="two_questions",
    )


def off_scale(scores: Collection[float], scale: Sequence[int]) -> set[float]:
    """The numbers of one judge on one criterion that are refused.

    Whole numbers alone are scores of the scale, so that one off it is an error. Where fractions
    occur, the judge gives numbers of its own, and none is refused.
    """
    if any(float(one) % 1 for one in scores):
        return set()
    return {one for one in scores if one not in scale}


def _off_scale_problem(score: float, scale: Sequence[int]) -> str:
    """Say what to do about a judge's whole number off the scale."""
    return said(
        "the score {given} is not on the scale. Use {scores}, or, if the judge has its own range, "
        "import it as kind metric.",
        given=Numeral(f"{score:g}"),
        scores=joined(", ", [*map(str, scale[:12]), "…" * (len(scale) > 12)]),
        fault_code="off_scale",
    )


def _judge(grade):
    return grade.grader_kind == "judge" and (grade.criterion, grade.grader)


def _slot(grade: Grade, item: Hashable) -> tuple:
    """What one grader grades once, `item` being what the key of the grade names."""
    return item, *grade.slot[1:]


def _given(grade: Grade) -> tuple:
    """Return the fields that must be equal where a grade is repeated."""
    return grade.score, grade.status, grade.reason, grade.distribution


def _grade_fault(entry, other, criterion):
    grade, line = entry
    if (grade.score, grade.status) == (other.score, other.status):
        what = said("the same score with another reason")
    else:
        what = said(
            "{there} instead of {here}",
            there=other.status if other.score is None else other.score,
            here=grade.status if grade.score is None else grade.score,
        )
    problem = said(
        "{grader} also grades {criterion} of the same item in row {row}: {what}. Keep one of them, "
        "or number them in a column “repeat”."
        if grade.unit is None
        else "{grader} also grades {criterion} of the same unit in row {row}: {what}. Keep one of "
        "them, or number them in a column “repeat”.",
        grader=grade.grader,
        criterion=criterion,
        row=other.row,
        what=what,
        fault_code="two_grades",
    )
    value = one_line(grade.status if grade.score is None else grade.score)
    return Fault(grade.row, line, "score", problem, value, grade.column)
