"""Answers and grades of one file: repeats fold, and rows that contradict each other are left out.

Rows are on disk and hashes of them in memory; only rows that contradict each other are read back to
be compared as a whole.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from functools import partial
from itertools import compress
from operator import itemgetter
from typing import Any

import numpy as np

from concord.importing.columns import ColumnMap
from concord.importing.faults import GRADER, SCORE, ranges, score_name
from concord.importing.readers.table import BadRow, one_line
from concord.importing.scores import Words
from concord.messages import on_command_line, said
from concord.model import EXTRA_FIELDS, Grade, Item, answer_key, item_key
from concord.rubrics.model import Rubric
from concord.store.spool import Selected, Spool
from concord.text.normal_form import normalised

FAULTS = {
    "two_contents": "rows {rows} are the same item with a different {what}. Keep one of them, "
    "distinguish them by item_id or answering model, or number the answers{on_command_line}.",
    "two_questions": "rows {rows} have one question with another {what}. Make them equal, or give "
    "the questions different question_ids.",
    "two_grades": "{grader} grades {criterion} of the same answer or unit differently in rows "
    "{rows}. Keep one of them, or number them in a column “repeat”.",
    "off_scale": "the score {given} is not on the scale. Use {scores}, or, if the judge has its "
    "own range, import it as kind metric.",
}


class _Stage:
    """Answers or grades with their lines, and of each its row and a hash of its key.

    A key may occur once. Of a million keys two share a hash with a chance of 3 in 100 million.

    Attributes:
        bad: The rows that contradict each other, once they are compared.
    """

    def __init__(self):
        self.bad: list[BadRow] = []
        # Fields and line of each: plain tuples take half the time.
        self._spool: Spool[tuple[tuple, int | None]] = Spool()
        self._rows, self._keys = array("q"), array("q")

    def _chosen(self, mask: np.ndarray) -> Iterator[tuple[int, tuple]]:
        """The rows where a mask is true, with their places; none are read where it never is."""
        rows = enumerate((self._of(fields), line) for fields, line in self._spool)
        return compress(rows, mask.tobytes()) if mask.any() else iter(())

    def _kept(self, mask: np.ndarray, changed: Mapping[int, Any]) -> Selected:
        """The answers or grades where a mask is true, some of them changed, by their place."""

        def bodies() -> Iterator[Any]:
            plain = map(self._of, map(itemgetter(0), self._spool))
            return (changed.get(n, one) for n, one in enumerate(plain)) if changed else plain

        return Selected(bodies, mask.tobytes())

    def _compared(self, contents: Callable[[Any], tuple]) -> tuple[np.ndarray, ...]:
        """The place of each row's first of its key, and masks of its repeats and of torn keys.

        The rows of a key repeat the first where all have the same contents, and are torn else.
        """
        first = _firsts(self._keys)
        again = first != np.arange(len(first))
        if not again.any():
            return first, again, again.copy()
        repeated = again.copy()
        repeated[first[again]] = True
        hashes = np.zeros(len(first), np.int64)
        for place, (body, _) in self._chosen(repeated):
            hashes[place] = hash(repr(contents(body)))  # as printed: -1 and -2 have one hash
        torn = _torn(first, hashes)
        return first, again & ~torn, torn


def _firsts(keys: array) -> np.ndarray:
    """The place of the first row of each row's key."""
    if len(np.unique(keys)) == len(keys):
        return np.arange(len(keys))
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return first[group]


def _torn(first: np.ndarray, hashes: np.ndarray) -> np.ndarray:
    """True for all rows of the keys whose hashes differ."""
    torn = np.zeros(len(first), bool)
    torn[first[hashes != hashes[first]]] = True
    return torn[first]


class AnswerStage(_Stage):
    """Answers: those of one identity must agree, and those of one question in text and cluster.

    Attributes:
        refused: The answers that are left out because rows contradict each other.
        folded: The rows that repeat an earlier one.
        respelled: The rows that spell a question in another way than its first row.
    """

    _of = partial(tuple.__new__, Item)

    def __init__(self):
        super().__init__()
        self._questions, self._asked = array("q"), array("q")
        self._contexts: tuple = ()
        self.refused: list[Item] = []
        self.folded: list[int] = []
        self.respelled: list[int] = []

    def add(self, item: Item, line: int | None) -> str:
        """Take an answer in; its identity is returned."""
        characters = len(item.answer)
        if item.contexts is not self._contexts:  # answers to one question share theirs
            self._contexts = item.contexts
            characters += sum([len(one.text) for one in item.contexts])
        self._spool.add((tuple(item), line), characters)
        question, own = item.question_key, item.own_id
        identity = answer_key(question, item.answer_model) if own is None else item_key(own)
        self._rows.append(item.row)
        self._keys.append(hash(identity))
        self._questions.append(hash(question))
        self._asked.append(hash((item.question, item.cluster)))
        return identity

    def compared(self, columns: ColumnMap) -> Selected[Item]:
        """Return the answers that contradict nothing, each once, with the cluster of the question.

        Of repeats, the metadata that all agree on is kept.
        """
        _, again, torn = self._compared(lambda item: item[:-1])
        torn |= _torn(_firsts(self._questions), np.asarray(self._asked))
        again &= ~torn
        self.folded += np.asarray(self._rows)[again].tolist()
        questions: dict[str, Item] = {}
        differing: dict[str, tuple[str, list[int]]] = {}
        alike: dict[str, list[tuple[int, Item, int | None]]] = defaultdict(list)
        for place, (item, line) in self._chosen(torn):
            key = item.question_key
            asked = questions.setdefault(key, item)
            if normalised(item.question) != normalised(asked.question):
                differing.setdefault(key, ("question", [asked.row]))[1].append(item.row)
            elif item.question != asked.question:
                self.respelled.append(item.row)
                item = item._replace(question=asked.question)
            if asked.cluster is None:
                questions[key] = asked._replace(cluster=item.cluster)
            elif item.cluster not in (None, asked.cluster):
                differing.setdefault(key, ("cluster", [asked.row]))[1].append(item.row)
            alike[item.identity].append((place, item, line))
        changed = {}
        for same in alike.values():
            place, first, _ = same[0]
            facts, rows = [_facts(one) for _, one, _ in same], [one.row for _, one, _ in same]
            what = next((f for f in facts[0] if any(one[f] != facts[0][f] for one in facts)), "")
            code, column = "two_contents", what if first.own_id is None else "item_id"
            if not what and (torn_question := differing.get(first.question_key)):
                code, (what, rows) = "two_questions", torn_question
                column = what
            if not what:
                agreed = [one.metadata.items() for _, one, _ in same]
                metadata = {k: v for k, v in agreed[0] if all((k, v) in one for one in agreed)}
                cluster = questions[first.question_key].cluster
                changed[place] = first._replace(cluster=cluster, metadata=metadata)
                self.folded += rows[1:]
                continue
            self.refused.append(first)
            problem = said(
                FAULTS[code],
                rows=ranges(rows),
                what=what.replace("_", " "),
                on_command_line=on_command_line("--number-answers"),
                fault_code=code,
            )
            for (_, one, line), of_row in zip(same, facts, strict=True):
                value, named = one_line(of_row[column]), columns.column(column)
                self.bad.append(BadRow(one.row, line, named, problem, value=value))
        kept = ~(torn | again)
        kept[[*changed]] = True
        return self._kept(kept, changed)


def _facts(item: Item) -> dict[str, Any]:
    """What must be equal in the records of one answer, the answer first."""
    extra = {field: item.metadata.get(field) for field in sorted(EXTRA_FIELDS)}
    same = {"item_id": item.own_id, "row": 0, "metadata": None}
    return {"answer": item.answer, **item._asdict(), **extra, **same}


class GradeStage(_Stage):
    """Grades: a grader grades a criterion of an answer once per repeat.

    A judge's whole numbers off the scale of a rubric of whole answers are refused, unless it gives
    fractions on that criterion: it then has numbers of its own.

    Attributes:
        lost: How many grades are left out, by grader and by score.
        folded: How many grades repeat an earlier one, once they are compared.
        doubled: The rows in which a grader gives one answer the same score twice.
        criteria: The criteria of the grades by kind of grader.
        beyond: How far the numbers of a judge or metric are from 0.5 at most, by grader; those of
            all annotators under "".
    """

    _of = partial(tuple.__new__, Grade)

    def __init__(self, rubrics: Collection[Rubric] = ()):
        super().__init__()
        self.lost: Counter[tuple[str, str]] = Counter()
        self.folded = 0
        self.doubled: list[int] = []
        self.criteria: dict[str, set[str]] = defaultdict(set)
        self.beyond: dict[str, float] = {}
        whole = [rubric for rubric in rubrics if not rubric.units]
        self._scales = {str.__str__(c.name): one.scale for one in whole for c in one.criteria}
        self._off: set[tuple[str, str]] = set()
        self._fractional: set[tuple[str, str]] = set()

    def add(self, grade: Grade, line: int | None, item: Hashable = None) -> None:
        """Take a grade in; `item` is what its key names, the key itself where left out."""
        self._spool.add((tuple(grade), line), len(grade.reason) + len(grade.quote))
        self._rows.append(grade.row)
        kind, score, grader = grade.grader_kind, grade.score, grade.grader
        key = grade.item_key if item is None else item
        slot = key, grade.criterion, kind, grader, grade.repeat, grade.unit
        self._keys.append(hash(slot))
        self.criteria[kind].add(grade.criterion)
        if score is None:
            return
        if kind == "judge" and (scale := self._scales.get(grade.criterion)):
            if score % 1:
                self._fractional.add((grade.criterion, grader))
            elif score not in scale:
                self._off.add((grade.criterion, grader))
        name = grader if kind in ("judge", "metric") else ""
        beyond = score - 0.5 if score > 0.5 else 0.5 - score
        if beyond >= self.beyond.get(name, 0):
            self.beyond[name] = beyond

    def lose(self, grader: str, score: object, words: Words | None = None) -> None:
        """Count a grade that is left out, as far as its row says whose it is."""
        self.lost[SCORE, score_name(score, words)] += 1
        if grader:
            self.lost[GRADER, grader] += 1

    def compared(self, columns: ColumnMap, refused: Collection[str] = ()) -> Selected[Grade]:
        """Return the grades that contradict nothing, each once, but none of the items `refused`."""
        first, again, torn = self._compared(_given)
        self.folded = int(again.sum())
        if self.folded:
            rows, order = np.asarray(self._rows), np.argsort(first, kind="stable")
            same = (np.diff(first[order]) == 0) & (np.diff(rows[order]) == 0)
            self.doubled = rows[order[1:][same & again[order[1:]]]].tolist()
        alike: dict[int, list[tuple[Grade, int | None]]] = defaultdict(list)
        for place, row in self._chosen(torn):
            alike[first[place]].append(row)
        for grades in alike.values():
            numbers = ranges([grade.row for grade, _ in grades])
            for grade, line in grades:
                problem = said(
                    FAULTS["two_grades"],
                    grader=grade.grader,
                    criterion=grade.criterion,
                    rows=numbers,
                    fault_code="two_grades",
                )
                self._refuse(columns, grade, line, problem)
        kept, off = ~(torn | again), self._off - self._fractional
        for place, (grade, line) in self._chosen(kept) if off or refused else ():
            is_off = grade.grader_kind == "judge" and (grade.criterion, grade.grader) in off
            scale = self._scales[grade.criterion] if is_off else ()
            if scale and grade.score is not None and grade.score not in scale:
                problem = said(
                    FAULTS["off_scale"],
                    given=f"{grade.score:g}",
                    scores=", ".join([*map(str, scale[:12]), *["…"] * (len(scale) > 12)]),
                    fault_code="off_scale",
                )
                self._refuse(columns, grade, line, problem)
            elif grade.item_key in refused:
                self.lose(grade.grader, grade.score)
            else:
                continue
            kept[place] = False
        return self._kept(kept, {})

    def _refuse(self, columns: ColumnMap, grade: Grade, line: int | None, problem: str) -> None:
        value = one_line(grade.status if grade.score is None else grade.score)
        column = grade.column or columns.column("score")
        self.bad.append(BadRow(grade.row, line, column, problem, value=value))
        self.lose(grade.grader, grade.score)


def _given(grade: Grade) -> tuple:
    """Return what must be equal where a grade is repeated; 2 and 2.0 are."""
    score = None if grade.score is None else grade.score.as_integer_ratio()
    return score, grade.status, grade.reason, grade.distribution
