"""What the columns of a file are: by their names (`fields`), and by five rules on their values.

Unique values are an id, prose is a text, few levels are a score, few names that tell the answers of
each question apart are answering models, lists of texts are contexts. A rule decides only where
exactly one column fits and no name says otherwise; every other column is undecided, and listed with
some values and the word of a column map that decides it. Who graded is read off names alone.
"""

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from concord.importing import column_paths, list_cells
from concord.importing.columns import ColumnMap, check_columns, column_map, head
from concord.importing.fields import (
    CRITERIA,
    GRADE_FIELDS,
    GRADER_WORDS,
    ITEM_FIELDS,
    METRIC_NAMES,
    SCORE_WORDS,
    folded,
)
from concord.importing.readers import cells as of_cell
from concord.importing.readers.cells import BadCell, Cell
from concord.importing.readers.table import Table, one_line
from concord.importing.scores import number
from concord.messages import Problem, joined
from concord.text import rating_words
from concord.text.display import one_line as short

_RECORDS, _SHOWN = 200, 5
# A level occurs again; a scale has so many at most, and so many answering models are named.
_LEVELS, _NAMES, _LETTERS, _CUT = 11, 20, 60, 24
# Words of a text on average; of CJK two characters count as one.
_PROSE = 3.5
# Paths that are listed of one column, and how deep they lead.
_PATHS, _DEPTH = 40, 5
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ID = re.compile(r"\S*\d\S*")
_TEXTS = ("question", "answer")
# Words that may stand above a grade in a path.
_ABOVE_GRADES = SCORE_WORDS | CRITERIA | GRADER_WORDS["annotator"] | GRADER_WORDS["judge"]
# Written without spaces; the longer of two comes first.
_CJK_WORDS = "|".join(sorted((w for w in _ABOVE_GRADES if not w.isascii()), reverse=True))
_ABOVE_GRADES |= {"metrics", "metric", "evaluation", "evaluations", "feedback", "annotations"}
_REFERENCE, _CONTEXT, _MODELS = (
    {folded(name) for one in fields for name in ITEM_FIELDS[one].split()}
    for fields in (
        ("reference", "reference_contexts"),
        ("contexts", "document_ids"),
        ("answer_model",),
    )
)
# Words in the name of a column by which a rule does not decide it.
_OTHERS = {"text": _REFERENCE | _CONTEXT, "contexts": _REFERENCE, "id": _CONTEXT}
# Fields that a column is most likely, by what it looks like.
_LIKELY = {"id": ["item_id"], "name": ["answer_model"]}
_LIKELY |= {"contexts": ["contexts"], "turns": ["turns"]}


class Profile(NamedTuple):
    """A column, or a path into one, in the first records.

    `cells` has one cell per record. `looks` is `text`, `contexts`, `score`, `id`, `name`, `number`,
    `turns`, `short` for other texts, `nested` for other lists and objects, or '' for blank cells.
    `word` is the word of a map that would decide it.
    """

    column: str
    cells: tuple[Cell, ...]
    looks: str
    word: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells that are not blank, as texts."""
        filled = (cell for cell in self.cells if not of_cell.is_blank(cell))
        return tuple(of_cell.shown(cell).strip() for cell in filled)

    @property
    def values(self) -> tuple[str, ...]:
        """Up to five different values, each on one short line."""
        return tuple(dict.fromkeys(map(one_line, self.texts)))[:_SHOWN]

    def sentence(self) -> str:
        """The column with its values and the option that maps it."""
        values = ", ".join(short(value, _CUT) for value in self.values[:3])
        return f'{self.column} ({values}): --map "{self.word}"'


class Proposal(NamedTuple):
    """Words of a column map beyond what names say; words of grades; and what is undecided.

    `words` may leave out a field whose column is named so and holds something else.
    """

    words: tuple[str, ...]
    grades: tuple[str, ...]
    undecided: tuple[Profile, ...]

    def as_json(self) -> dict[str, Any]:
        """The proposal for `--json`."""
        listed = [
            {"column": one.column, "values": one.values, "map": one.word} for one in self.undecided
        ]
        return {"map": [*self.words, *self.grades], "undecided": listed}


def profiles(table: Table) -> list[Profile]:
    """Every column of a table, and the paths into lists and objects, in the order of the file."""
    rows = [record.cells for record in head(table, _RECORDS)]
    found = []
    for place, column in enumerate(table.columns):
        cells = tuple(column_paths.structured(row[place]) for row in rows)
        found.append(Profile(column, cells, _looks(cells)))
        if found[-1].looks == "nested" and column.strip():
            for path in [*dict.fromkeys(path for cell in cells for path in _paths(cell))][:_PATHS]:
                values = (column_paths.follow(cell, path, {"n": "0"}) for cell in cells)
                inner = tuple(map(column_paths.as_cell, values))
                found.append(Profile(f"{column}.{path}", inner, _looks(inner)))
    return found


def propose(table: Table, words: Sequence[str] = ()) -> Proposal:
    """Propose the map of a sheet of answers beside the `words` of the user."""
    known = {one.column: one for one in profiles(table)}
    columns = column_map(table.columns, words)
    there = {word.partition("=")[0].partition(":")[0].strip() for word in words}
    # A column that has the name of a field and holds something else.
    dropped = {
        column: field
        for field, names in columns.fields.items()
        for column in names
        if field not in there and column in known and _contradicts(field, known[column])
    }
    found = dict.fromkeys(dropped.values(), "")
    columns = column_map(table.columns, (*words, *(f"{field}=" for field in found)))
    paths = [column_paths.parse(column, table.columns) for column in columns.mapped()]
    used = {*columns.mapped(), *(path.head for path in paths if path)}
    free = [one for one in known.values() if one.column.strip() and one.column not in used]
    free = [one for one in free if one.looks not in ("", "nested")]
    of_grades = {*chain(*column_map(table.columns, fields=GRADE_FIELDS).fields.values())}
    unnamed = [one for one in free if one.column not in of_grades]

    def only(what: str) -> str | None:
        fitting = [one.column for one in unnamed if one.looks == what]
        is_one = len(fitting) == 1 and fitting[0] in table.columns
        return fitting[0] if is_one and _OTHERS[what].isdisjoint(_words(fitting[0])) else None

    there |= {*columns.fields, *columns.ambiguous}
    there |= {"answer", "answer_model"} if columns.answers else set()
    missing = [field for field in _TEXTS if field not in there and "turns" not in there]
    rules = {missing[0]: only("text")} if len(missing) == 1 else {}
    rules |= {"contexts": only("contexts")}
    rules |= {} if "question_id" in there else {"item_id": only("id")}
    rules |= {"answer_model": _telling_apart(columns, known, unnamed)}
    found |= {field: column for field, column in rules.items() if column and field not in there}
    proposed = tuple(f"{field}={column}" for field, column in found.items())
    columns = column_map(table.columns, (*words, *proposed))
    left = [one for one in free if one.column not in columns.mapped()]
    # Of several answers in a row no name says which one a score is of.
    is_of_one = not (columns.answers or columns.placeholder)
    is_open = is_of_one and not (columns.scores or columns.column("score"))
    scored = [one.column for one in left if one.looks in ("score", "number")]
    whose = {column: grader_of(column) for column in scored if is_open and column in table.columns}
    grades = {c: f"score:{':'.join(who)}={c}" for c, who in whose.items() if who[0]}
    undecided = [
        one._replace(word=f"{dropped.get(one.column) or _field(one, there)}={one.column}")
        for one in left
        if one.column not in grades
    ]
    return Proposal(proposed, tuple(grades.values()), tuple(undecided))


def decided(
    table: Table, words: Sequence[str], with_grades: bool = False
) -> tuple[tuple[str, ...], Proposal]:
    """The words of a file's map, and the proposal they come from.

    What is proposed is taken, of grades with `with_grades` alone.

    Raises:
        Problem: question or answer cannot be told; it lists what is undecided, and how to map it.
            Or grades are taken, and another column may hold some.
    """
    proposal = propose(table, words)
    listed = [one.sentence() for one in proposal.undecided]
    if with_grades and any(one.looks == "score" for one in proposal.undecided):
        raise Problem(
            "{file} has columns whose names do not say whose scores they hold, or whether any:\n"
            "{columns}\nMap them, and the others in place of --as-proposed: {others}",
            file=table.source.name,
            columns=joined("\n", listed),
            others=" ".join(f'--map "{word}"' for word in proposal.grades) or "-",
            field="score",
            fault_code="undecided",
        )
    mapped = (*proposal.words, *(proposal.grades if with_grades else ()), *words)
    try:
        check_columns(table, column_map(table.columns, mapped))
    except Problem as problem:
        values = {**problem.args[0].values, "lines": joined("\n", [str(problem), *listed])}
        raise Problem(
            "{lines}\nGrades of answers that are stored already come in with `grades`.",
            on_screen=problem.on_screen,
            fault_code=problem.code,
            **values,
        ) from None
    return mapped, proposal


def _looks(cells: Sequence[Cell]) -> str:
    """What the cells of a column look like, as `Profile.looks` says."""
    filled = [cell for cell in cells if not of_cell.is_blank(cell)]
    lists = [cell for cell in filled if isinstance(cell, list | dict)]
    if not filled:
        return ""
    if 2 * len(lists) > len(filled):
        if all(map(list_cells.is_conversation, lists)):
            return "turns"
        parts = [part for cell in lists for part in cell if isinstance(part, dict)]
        if any(folded(str(key)) in _MODELS for part in parts for key in part):
            return "nested"  # answers, each with its model
        passages: list[str] = []
        for cell in lists:
            with suppress(BadCell):
                passages += list_cells.texts([cell]) if isinstance(cell, list) else ()
        return "contexts" if passages and _is_prose(passages) else "nested"
    texts = [of_cell.shown(cell).strip() for cell in filled]
    numbers, distinct = [number(text.replace(",", ".")) for text in texts], {*texts}
    recurs = len(distinct) < len(texts) or len(texts) == 1
    if None not in numbers:
        if recurs and len(distinct) <= _LEVELS:
            return "score"
        counted = [numbers[0] + place for place in range(len(numbers))]
        return "id" if numbers == counted and len(numbers) > _LEVELS else "number"
    if _is_prose(texts):
        return "text" if len(distinct) > 1 or len(texts) == 1 else "short"
    is_short = max(map(len, texts)) <= _LETTERS
    if is_short and len(distinct) == len(texts) > 1 and all(map(_ID.fullmatch, texts)):
        return "id"
    if not is_short or len(distinct) > max(2, len(texts) // 2) or not recurs:
        return "short"
    if len(distinct) > 1 and None not in rating_words.rated(texts).scores.values():
        return "score"
    return "name" if len(distinct) <= _NAMES else "short"


def _is_prose(texts: Sequence[str]) -> bool:
    words = sum(len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) / 2 for text in texts)
    return words > _PROSE * len(texts)


def _paths(cell: object, depth: int = _DEPTH) -> Iterator[str]:
    """Yield paths to what an object holds, or the first part of a list: `0`, `{n}` of several."""
    if isinstance(cell, list):
        is_several = len(cell) > 1 and isinstance(cell[0], dict)
        cell = {"{n}" if is_several else "0": part for part in cell[:1]}
    for key, part in cell.items() if isinstance(cell, dict) else ():
        if isinstance(part, list | dict) and part and depth and _looks([part]) == "nested":
            yield from (f"{key}.{path}" for path in _paths(part, depth - 1))
        elif key.strip() and not of_cell.is_blank(part if isinstance(part, str) else str(part)):
            yield key


def _contradicts(field: str, one: Profile) -> bool:
    """True where a column has the name of a field and holds something else.

    A few recurring labels and objects are never the answer; prose is no answering model or cluster.
    """
    if field == "answer" and one.looks in ("score", "name"):
        few = len({*one.texts}) <= min(_SHOWN, len(one.texts) / 2) and len(one.texts) > _SHOWN
        return few and all(len(text.split()) <= 2 and text[-1].isalnum() for text in one.texts)
    if field in _TEXTS:
        return one.looks in ("nested", "contexts")
    return field in ("answer_model", "cluster") and one.looks == "text"


def _telling_apart(
    columns: ColumnMap, known: Mapping[str, Profile], free: Sequence[Profile]
) -> str | None:
    """The only column of names that differ wherever the answers of a question differ, as all do."""
    answer = known.get(columns.column("answer") or "")
    question = known.get(columns.column("question_id") or columns.column("question") or "")
    if question is None or answer is None:
        return None
    asked = [*map(of_cell.shown, question.cells)]

    def tells(one: Profile) -> bool:
        return len({*zip(asked, map(of_cell.shown, one.cells), strict=True)}) == len(asked)

    if not tells(answer) or len({*asked}) == len(asked):
        return None
    found = [
        one.column for one in free if one.looks == "name" and "{n}" not in one.column and tells(one)
    ]
    return found[0] if len(found) == 1 else None


def _words(name: str) -> list[str]:
    """The words of a name in lower case, parted by marks, a change of case and known CJK words."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name))
    return re.findall(rf"{_CJK_WORDS}|[^\W_]+", plain.casefold())


def grader_of(name: str) -> tuple[str, str, str]:
    """Return the kind of grader, grader and criterion that a name says, each '' where it does not.

    An annotator's name is a known word with its number; what else stands there may be a person or
    a criterion, so that nothing is said.
    """
    words, nobody = _words(name), ("", "", "")
    if not all(w.isdigit() or w in _ABOVE_GRADES for w in _words(name.rpartition(".")[0])):
        return nobody
    if "_".join(word for word in words if word not in SCORE_WORDS) in METRIC_NAMES:
        return "metric", name, name
    plain = {*words, *(word.rstrip("0123456789") for word in words)}
    kinds = [kind for kind, known in GRADER_WORDS.items() if known & plain]
    criteria = [word for word in words if word in CRITERIA]
    rest = [word for word in words if word not in SCORE_WORDS | {*criteria}]
    people = {
        word for word in rest if word.rstrip("0123456789") in {"", *GRADER_WORDS["annotator"]}
    }
    if len(kinds) != 1 or (kinds == ["annotator"] and not {*rest} <= people):
        return nobody
    return kinds[0], " ".join(rest), "_".join(criteria) or "overall"


def _field(one: Profile, there: Container[str]) -> str:
    """What a column most likely is, as a word of a map says it; `there` are fields with one."""
    if one.looks in ("score", "number"):
        kind, grader, criterion = grader_of(one.column)
        grader = grader or ("{n}" if "{n}." in one.column else "NAME")
        return f"score:{kind or 'annotator'}:{grader}:{criterion or 'CRITERION'}"
    likely = _LIKELY.get(one.looks, ("answer", "question"))
    return next((field for field in likely if field not in there), "FIELD")
