"""A pack that came back, held against what was sent: complete, untouched, its own, on the scale.

Pure. A row that is bad in one cell gives its first fault. Grades come only of rows that say for
every criterion a score, or that there can be none.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from data.counted import counted
from data.files import cell as of_cell
from data.files import score as of_score
from data.files.columns import ColumnMap, folded
from data.files.pack_back import Back, Returned
from data.files.pack_columns import CANNOT, CODE, HEADINGS, score_key, text_digest
from data.files.refusal import faults
from data.files.table import BadCell, BadRow
from data.gradesheet import GradeSheet
from data.model import Grade
from data.packs import Pack, Place
from problems import Problem
from rubrics.model import Criterion, Rubric
from words.said import joined, said

PACKED = "packed row"
_CANNOT = {folded(CANNOT), folded("cannot_grade")}


class Known(NamedTuple):
    """A pack and every row of it by code."""

    pack: Pack
    places: Mapping[str, Place]


@dataclass(frozen=True)
class PackSheet(GradeSheet):
    """What reading a pack that came back gave; `packs` are those it is of."""

    packs: tuple[Pack, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def refused(self) -> int:
        """How many rows cannot be taken, those that are gone included."""
        return len({(bad.where, bad.row) for bad in self.bad_rows})

    def refusal(self) -> Problem | None:
        """Why the file is not taken whole; None where every row of its packs is there and good."""
        if not self.bad_rows:
            return None
        gone = sum(bad.where == PACKED for bad in self.bad_rows)
        rows = counted(self.refused(), "row")
        bad = f"{rows} of {self.rows + gone:,} of {self.table.source.name} cannot be taken, so"
        remedy = "Complete and correct the file, or take the other rows alone with --partial."
        told = [*faults(self.bad_rows), *self.warnings()]
        return Problem("\n".join([f"{bad} nothing was.", *told, remedy]))

    def beside(self) -> list[str]:
        """What was left aside without being wrong, in sentences."""
        if not self.folded:
            return list(self.notes)
        rows = counted(self.folded, "row repeats another", "rows repeat others")
        return [*self.notes, said("{rows} word for word.", rows=rows)]


def main_packs(back_codes: Sequence[str], known: Mapping[str, Known], several: bool) -> list[Known]:
    """The packs a file is of: all that occur in a platform's export, else that of the most rows."""
    found = Counter(one.partition("-")[0] for one in back_codes if _is_of(one, known))
    tokens = [*found] if several else [token for token, _ in found.most_common(1)]
    return [known[token] for token in tokens]


def names(back: Returned, packs: Sequence[Known], who: Mapping[str, str]) -> dict[tuple, str]:
    """Who is meant by (token, who the file knows them as): where it is one, the pack's grader.

    Raises:
        Problem: several people worked on a pack, and nobody said who is who.
    """
    people: dict[str, Counter[str]] = {one.pack.token: Counter() for one in packs}
    for row in back.rows:
        token = row.code.partition("-")[0]
        if token in people:
            people[token][row.who] += 1
    found = {}
    for one in packs:
        held = people[one.pack.token]
        unnamed = [name for name in held if name not in who]
        if len(held) > 1 and unnamed:
            answers = {name: counted(held[name], "answer") for name in unnamed}
            raise Problem(
                said(
                    "Several people worked on {grader}'s pack: {people}. Say who each one is with "
                    '--who, as in --who "{first}={grader}".',
                    grader=one.pack.grader,
                    people=joined(
                        ", ",
                        [said("{name} ({n})", name=name, n=n) for name, n in answers.items()],
                    ),
                    first=unnamed[0],
                )
            )
        found |= {(one.pack.token, name): who.get(name, one.pack.grader) for name in held}
    return found


def check(
    back: Returned,
    rubric: Rubric,
    known: Mapping[str, Known],
    packs: Sequence[Known],
    named: Mapping[tuple, str],
    identities: Mapping[int, str],
    is_blind: Callable[[str, int], bool],
) -> PackSheet:
    """Every row held against its pack.

    Args:
        back: The file.
        rubric: The rubric of the set.
        known: Every pack that a row code of the file may be of, by token.
        packs: Those the file is of (`main_packs`); a row of another one is foreign.
        named: As `names` gives it.
        identities: Item identity by item id.
        is_blind: Whether a grade of a person for an item is blind.
    """
    _must_have_texts(back, packs)
    checking = _Checking(back, rubric, known, packs, named, identities, is_blind)
    for row in back.rows:
        checking.take(row)
    return checking.finished()


class _Checking:
    """What has been checked so far."""

    def __init__(self, back, rubric, known, packs, named, identities, is_blind):
        self._back, self._rubric, self._named = back, rubric, named
        self._known, self._packs = known, packs
        self._identities, self._is_blind = identities, is_blind
        self._bad = list(back.bad)
        self._seen: set[str] = set()
        self._good: dict[tuple[str, str], list[tuple[Back, list[Grade]]]] = {}
        self._lost: Counter[str] = Counter()

    def take(self, row: Back) -> None:
        try:
            place = self._place(row)
            self._check_texts(row, place)
            grades = [self._grade(row, place, one) for one in self._scored(row)]
        except BadCell as fault:
            self._refuse(row, fault)
            return
        self._good.setdefault((row.who, row.code), []).append((row, grades))

    def finished(self) -> PackSheet:
        grades, repeated = [], 0
        for told in self._good.values():
            if len({_said(each) for _, each in told}) == 1:
                grades += told[0][1]
                repeated += len(told) - 1
                continue
            for n, (row, _) in enumerate(told):
                self._refuse(row, BadCell(_differently(told), CODE), counts=n == 0)
        self._bad += self._missing()
        return PackSheet(
            table=self._back.table,
            columns=ColumnMap({CODE: (self._back.columns[CODE],)}, {}, (), (), {}),
            rows=self._back.records,
            grades=sorted(grades, key=lambda grade: grade.row),
            bad_rows=sorted(self._bad, key=lambda bad: (bad.where == PACKED, bad.row)),
            folded=repeated,
            lost=dict(self._lost),
            sha256=self._back.table.source.sha256(),
            packs=tuple(one.pack for one in self._packs),
            notes=tuple(self._back.notes),
        )

    def _place(self, row: Back) -> Place:
        """Which row of its pack a row is."""
        if not row.code:
            none = said("there is no row code. Copy it from the file that was sent.")
            raise BadCell(none, CODE)
        token = row.code.partition("-")[0]
        code = of_cell.short(row.code)
        if token not in self._known:
            raise BadCell(
                said("the row code “{code}” is of no pack that was made here.", code=code), CODE
            )
        one = self._known[token]
        if row.code not in one.places:
            raise BadCell(
                said(
                    "the row code “{code}” was altered. Copy it from the file that was sent.",
                    code=code,
                ),
                CODE,
            )
        if one not in self._packs:
            raise BadCell(
                said(
                    "the row is of the pack that was made for {name}. Take it in with that file, "
                    "and delete it here.",
                    name=one.pack.grader,
                ),
                CODE,
            )
        self._seen.add(row.code)
        place = one.places[row.code]
        if place.item_id not in self._identities:
            raise BadCell(said("its answer was deleted here since. Delete the row."), CODE)
        return place

    def _check_texts(self, row: Back, place: Place) -> None:
        for name, text in row.texts.items():
            if text_digest(text) != place.texts.get(name, text_digest("")):
                raise BadCell(
                    said(
                        "the text is not the one that was sent under this row code. Copy both from "
                        "the file that was sent; where that helps nothing, save in UTF-8."
                    ),
                    name,
                )

    def _scored(self, row: Back) -> list[tuple[str, int | None]]:
        """Each criterion with its score, None where it cannot be graded."""
        blank = [name for name, cell in row.said.items() if of_cell.is_blank(cell)]
        if len(blank) == len(row.said):
            raise BadCell(
                said("nothing is graded yet. Give scores, or choose “{cannot}”.", cannot=CANNOT)
            )
        return [(one.name, self._score(row, one)) for one in self._rubric.criteria]

    def _score(self, row: Back, criterion: Criterion) -> int | None:
        key = score_key(criterion.name)
        try:
            word = of_cell.text(row.said[criterion.name]).strip()
            if folded(word) in _CANNOT:
                return None
            in_words = {folded(f"{one.score}: {one.meaning}"): one for one in criterion.levels}
            level = in_words.get(folded(word))
            score = level.score if level else of_score.score(word, self._rubric.scale)
        except BadCell as fault:
            else_ = said("Or choose “{cannot}”.", cannot=CANNOT)
            raise BadCell(joined(" ", [str(fault), else_]), key) from None
        if score is None:
            raise BadCell(
                said("there is no score. Give one, or choose “{cannot}”.", cannot=CANNOT), key
            )
        return score

    def _grade(self, row: Back, place: Place, scored: tuple[str, int | None]) -> Grade:
        criterion, score = scored
        grader = self._named[row.code.partition("-")[0], row.who]
        return Grade(
            item_id=None,
            question_id=None,
            answer_model=None,
            criterion=criterion,
            grader=grader,
            grader_kind="person",
            score=score,
            status="cannot_grade" if score is None else "scored",
            reason=row.note,
            repeat=place.repeat,
            blind=self._is_blind(grader, place.item_id),
            seconds=None if row.seconds is None else row.seconds / len(row.said),
            row=row.record.row,
            column=self._back.columns[score_key(criterion)],
            item_key=self._identities[place.item_id],
        )

    def _missing(self) -> list[BadRow]:
        """Rows that went out and came back of nobody."""
        gone = said(
            "the answer is not in the export, or nobody finished it. Finish it there."
            if self._back.is_of_people
            else "the row is not in the file. Copy it back from the file that was sent."
        )
        several = len(self._packs) > 1

        def of(pack: Pack) -> str:
            return said("{name}: {what}", name=pack.grader, what=gone) if several else gone

        return [
            BadRow(n, n, None, of(one.pack), PACKED)
            for one in self._packs
            for code, place in one.places.items()
            if code not in self._seen and place.item_id in self._identities
            for n in (place.place,)
        ]

    def _refuse(self, row: Back, fault: BadCell, counts: bool = True) -> None:
        column = self._back.columns.get(fault.column, fault.column)
        self._bad.append(self._back.table.bad(row.record, column, str(fault)))
        given = sum(not of_cell.is_blank(cell) for cell in row.said.values())
        name = self._named.get((row.code.partition("-")[0], row.who))
        if given and name and counts:
            self._lost[name] += given


def _must_have_texts(back: Returned, packs: Sequence[Known]) -> None:
    """A Problem where a column of texts is gone: a row could be anything then."""
    sent = {name for one in packs for place in one.places.values() for name in place.texts}
    there = {name for row in back.rows for name in row.texts}
    gone = [HEADINGS[name] for name in HEADINGS if name in sent - there]
    if back.rows and gone:
        raise Problem(
            said(
                "{file} has no column “{column}”, so nobody can tell whether its rows are what was "
                "sent. Put the column back as it was.",
                file=back.table.source.name,
                column=gone[0],
            )
        )


def _is_of(code: str, known: Mapping[str, Known]) -> bool:
    token = code.partition("-")[0]
    return token in known and code in known[token].places


def _differently(told: Sequence[tuple[Back, list[Grade]]]) -> str:
    """What is wrong where one person said different things under one row code."""
    rows = list(dict.fromkeys(str(row.record.row) for row, _ in told))
    if len(rows) == 1:
        return said("one person graded it twice there, differently. Keep one of them.")
    return said(
        "the row code is in rows {rows}, with different grades. Keep one of them.",
        rows=joined(" and ", rows),
    )


def _said(grades: Sequence[Grade]) -> tuple:
    return tuple((grade.criterion, grade.score, grade.reason) for grade in grades)
