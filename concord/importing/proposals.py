"""What the columns of a file are: by their names (`fields`), and by five rules on their values.

Unique values are an id, prose is a text, few levels are a score, few names that tell the answers of
each question apart are answering models, lists of texts are contexts. A rule decides only where
exactly one column fits and no name says otherwise; every other column is undecided, and listed with
some values and the word of a column map that decides it. Who graded is read off names alone.
"""

import re
import unicodedata
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from concord.importing import column_paths, list_cells
from concord.importing.columns import ColumnMap, check_columns, column_map, head
from concord.importing.fields import (
    CRITERIA,
    GRADE_FIELDS,
    GRADER_WORDS,
    ITEM_FIELDS,
    METRIC_NAMES,
    OF_PROBABILITIES,
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

RECORDS, SHOWN = 200, 5
# A level occurs again; a scale has so many at most, and so many answering models are named.
_LEVELS, _NAMES, _LETTERS, _CUT = 11, 20, 60, 24
# Words of a text on average; of CJK two characters count as one.
_PROSE = 3.5
# Paths that are listed of one column, and how deep they lead.
_PATHS, _DEPTH = 40, 5
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TEXTS = ("question", "answer")
# Words that may stand above a grade in a path.
_ABOVE_GRADES = SCORE_WORDS | CRITERIA | GRADER_WORDS["annotator"] | GRADER_WORDS["judge"]
_ABOVE_GRADES |= {"metrics", "metric", "evaluation", "evaluations", "feedback", "annotations"}
_REFERENCE, _CONTEXT = (
    {folded(name) for one in fields for name in ITEM_FIELDS[one].split()}
    for fields in (("reference", "reference_contexts"), ("contexts", "document_ids"))
)
# Words in the name of a column by which a rule does not decide it.
_OTHERS = {"text": _REFERENCE | _CONTEXT, "contexts": _REFERENCE, "id": _CONTEXT}
_MODELS = {folded(name) for name in ITEM_FIELDS["answer_model"].split()}


class Profile(NamedTuple):
    """A column, or a path into one, in the first records.

    `cells` has one cell per record. `looks` is `text`, `contexts`, `score`, `id`, `name`, `number`,
    `turns`, `short` for other texts, `nested` for other lists and objects, or '' for blank cells.
    """

    column: str
    cells: tuple[Cell, ...]
    looks: str

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells that are not blank, as texts."""
        return tuple(
            of_cell.shown(cell).strip() for cell in self.cells if not of_cell.is_blank(cell)
        )

    def values(self) -> tuple[str, ...]:
        """Up to five different values, each on one short line."""
        return tuple(dict.fromkeys(map(one_line, self.texts[:RECORDS])))[:SHOWN]


class Undecided(NamedTuple):
    """A column that no rule decides: some values, and the word of a map that would decide it."""

    column: str
    values: tuple[str, ...]
    word: str
    looks: str

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
    undecided: tuple[Undecided, ...]

    def as_json(self) -> dict[str, Any]:
        """The proposal for `--json`."""
        listed = [
            {"column": one.column, "values": one.values, "map": one.word} for one in self.undecided
        ]
        return {"map": [*self.words, *self.grades], "undecided": listed}


def profiles(table: Table, records: int = RECORDS) -> list[Profile]:
    """Every column of a table, and the paths into lists and objects, in the order of the file."""
    rows = [record.cells for record in head(table, records)]
    found = []
    for place, column in enumerate(table.columns):
        cells = tuple(column_paths.structured(row[place]) for row in rows)
        found.append(Profile(column, cells, _looks(cells)))
        if found[-1].looks != "nested" or not column.strip():
            continue
        paths = dict(path for cell in cells for path in _paths(cell))
        for path, first in [*paths.items()][:_PATHS]:
            inner = tuple(column_paths.as_cell(column_paths.follow(c, first, {})) for c in cells)
            found.append(Profile(f"{column}.{path}", inner, _looks(inner)))
    return found


def propose(table: Table, words: Sequence[str] = ()) -> Proposal:
    """Propose the map of a sheet of answers beside the `words` of the user."""
    known = {one.column: one for one in profiles(table)}
    columns = column_map(table.columns, words)
    said_fields = {word.partition("=")[0].partition(":")[0].strip() for word in words}
    found: list[str] = []

    def looks(column: str) -> str:
        return known[column].looks if column in known else "text"

    dropped = {
        column: field
        for field, names in columns.fields.items()
        for column in names
        if field not in said_fields and column in known and _contradicts(field, known[column])
    }
    found += (f"{field}=" for field in dict.fromkeys(dropped.values()))
    for field, names in columns.ambiguous.items():
        wanted = ("text",) if field in _TEXTS else ("id",) if field == "item_id" else ()
        fitting = [c for c in names if looks(c) in wanted]
        found += [f"{field}={fitting[0]}"] if len(fitting) == 1 else []
    columns = column_map(table.columns, (*words, *found))
    used = {*columns.mapped()}
    heads = {path.head for c in used if (path := column_paths.parse(c, table.columns))}
    grade_names = column_map(table.columns, fields=GRADE_FIELDS).fields
    of_grades = {column for names in grade_names.values() for column in names}
    free = [one for c, one in known.items() if one.looks and c.strip() and c not in used]
    free = [one for one in free if one.looks != "nested" and one.column not in heads]
    unnamed = [one for one in free if one.column not in of_grades]

    def only(what: str) -> str | None:
        fitting = [one.column for one in unnamed if one.looks == what]
        if any("{n}" in column for column in fitting):
            return None  # a place in a list is no answering model, and which one is not said
        if len(fitting) != 1 or (what != "text" and fitting[0] not in table.columns):
            return None
        return None if _OTHERS[what].intersection(_words(fitting[0])) else fitting[0]

    there = {*columns.fields, *columns.ambiguous, *said_fields}
    there |= {"answer", "answer_model"} if columns.answers else set()
    missing = [field for field in _TEXTS if field not in there and "turns" not in there]
    rules = [(missing[0], only("text"))] if len(missing) == 1 else []
    rules += [("contexts", only("contexts"))]
    rules += [("item_id", only("id"))] if "question_id" not in there else []
    rules += [("answer_model", _telling_apart(columns, known, unnamed))]
    found += [f"{field}={c}" for field, c in rules if c and field not in there]
    taken = {word.partition("=")[0] for word in found if not word.endswith("=")}
    found = [word for word in found if not (word.endswith("=") and word[:-1] in taken)]
    decided = {word.partition("=")[2] for word in found}
    columns = column_map(table.columns, (*words, *found))
    decided |= {*columns.mapped()}  # two columns of one name's field may be one by now
    left = [one for one in free if one.column not in decided]
    grades = tuple(_grades(columns, grade_names, left))
    decided |= {word.rpartition("=")[2] for word in grades}
    undecided = []
    for one in free:
        if one.column not in decided:
            field = dropped.get(one.column)
            word = f"{field}={one.column}" if field else _word(one, there)
            undecided.append(Undecided(one.column, one.values(), word, one.looks))
    return Proposal(tuple(found), grades, tuple(undecided))


def decided(
    table: Table, words: Sequence[str], with_grades: bool = False
) -> tuple[tuple[str, ...], Proposal]:
    """The words of a file's map, and the proposal they come from.

    What is proposed is taken, of grades with `with_grades` alone.

    Raises:
        Problem: question or answer cannot be told; it lists what is undecided, and how to map it.
    """
    proposal = propose(table, words)
    mapped = (*proposal.words, *words)
    if with_grades:
        _check_scores(table, proposal)
        mapped = (*proposal.words, *proposal.grades, *words)
    try:
        check_columns(table, column_map(table.columns, mapped))
    except Problem as problem:
        lines = [str(problem), *(one.sentence() for one in proposal.undecided)]
        if {"score", "grader"} <= column_map(table.columns, fields=GRADE_FIELDS).fields.keys():
            lines.append("Grades of answers that are imported already come in with `grades`.")
        values = {**problem.args[0].values, "lines": joined("\n", lines)}
        raise Problem(
            "{lines}", on_screen=problem.on_screen, fault_code=problem.code, **values
        ) from None
    return mapped, proposal


def _check_scores(table: Table, proposal: Proposal) -> None:
    """Refuse to take some grades of a file, and leave out a column that looks like more."""
    left = [one for one in proposal.undecided if one.looks == "score"]
    if left:
        raise Problem(
            "{file} has columns that may hold scores, and their names do not say whose:\n"
            "{columns}\nMap them. To leave them out, map the others in place of --as-proposed: "
            "{others}",
            file=table.source.name,
            columns=joined("\n", [one.sentence() for one in left]),
            others=" ".join(f'--map "{word}"' for word in proposal.grades) or "-",
            field="score",
            fault_code="undecided",
        )


def _looks(cells: Sequence[Cell]) -> str:
    """What the cells of a column look like, as `Profile.looks` says."""
    filled = [cell for cell in cells if not of_cell.is_blank(cell)]
    if not filled:
        return ""
    lists = [cell for cell in filled if isinstance(cell, list | dict)]
    if 2 * len(lists) > len(filled):
        if all(list_cells.is_conversation(cell) for cell in lists):
            return "turns"
        passages: list[str] = []
        objects = [part for cell in lists for part in cell if isinstance(part, dict)]
        if any(folded(str(key)) in _MODELS for part in objects for key in part):
            return "nested"  # answers, each with its model
        for cell in (cell for cell in lists if isinstance(cell, list)):
            with suppress(BadCell):
                passages += list_cells.texts([cell])
        return "contexts" if passages and _is_prose(passages) else "nested"
    texts = [of_cell.shown(cell).strip() for cell in filled]
    numbers, distinct = [number(text.replace(",", ".")) for text in texts], {*texts}
    recurs = len(distinct) < len(texts) or len(texts) == 1
    if None not in numbers:
        if len(distinct) <= _LEVELS and recurs:
            return "score"
        counts = numbers == [*range(int(numbers[0] or 0), int(numbers[0] or 0) + len(numbers))]
        return "id" if counts and len(numbers) > _LEVELS else "number"
    if _is_prose(texts):
        return "text" if len(distinct) > 1 or len(texts) == 1 else "short"
    if len(distinct) == len(texts) > 1 and all(map(_is_id, texts)):
        return "id"
    if max(map(len, texts)) <= _LETTERS and 2 * len(distinct) <= max(4, len(texts)) and recurs:
        rated = rating_words.rated(texts).scores.values()
        few = len(distinct) <= min(_NAMES, max(2, len(texts) // 2))
        return "score" if None not in rated and len(distinct) > 1 else "name" if few else "short"
    return "short"


def _is_prose(texts: Sequence[str]) -> bool:
    words = sum(len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) / 2 for text in texts)
    return words > _PROSE * len(texts)


def _is_id(text: str) -> bool:
    return len(text) <= _LETTERS and not re.search(r"\s", text) and bool(re.search(r"\d", text))


def _paths(cell: object, depth: int = _DEPTH) -> Iterator[tuple[str, str]]:
    """Yield paths to what an object holds, or the first part of a list, as shown and as followed.

    They differ where objects of one shape lie under each key, `{model}.text` and `gpt-4.text`, and
    in lists of several objects: `{n}.text` and `0.text`.
    """
    if isinstance(cell, list) and len(cell) > 1 and isinstance(cell[0], dict):
        for path, real in _paths(cell[0], depth):
            yield f"{{n}}.{path}", f"0.{real}"
        return
    parts = [*cell.items()] if isinstance(cell, dict) else [("0", cell[0])] if cell else []
    shapes = [sorted(part) for _, part in parts if isinstance(part, dict)]
    alike = len(shapes) == len(parts) > 1 and all(shapes[0] == shape for shape in shapes)
    for key, part in parts[:1] if alike else parts:
        if not isinstance(key, str) or not key.strip() or "{" in key:
            continue
        shown = "{model}" if alike else key
        if isinstance(part, list | dict) and part and depth and _looks([part]) == "nested":
            for path, real in _paths(part, depth - 1):
                yield f"{shown}.{path}", f"{key}.{real}"
        elif not of_cell.is_blank(part if isinstance(part, str) else str(part)):
            yield shown, key


def _contradicts(field: str, one: Profile) -> bool:
    """True where a column has the name of a field and holds something else.

    A few recurring labels and objects are never the answer; prose is no answering model or cluster.
    """
    if field == "answer" and one.looks in ("score", "name"):
        few = len({*one.texts}) <= min(SHOWN, len(one.texts) / 2) and len(one.texts) > SHOWN
        return few and all(len(text.split()) <= 2 and text[-1].isalnum() for text in one.texts)
    if field in _TEXTS:
        return one.looks in ("nested", "contexts")
    return field in ("answer_model", "cluster") and one.looks == "text"


def _telling_apart(
    columns: ColumnMap, known: dict[str, Profile], free: Sequence[Profile]
) -> str | None:
    """The only column of names that differ wherever the answers of a question differ, as all do."""
    answer = known.get(columns.column("answer") or "")
    question = known.get(columns.column("question_id") or columns.column("question") or "")
    if question is None or answer is None:
        return None
    asked = [of_cell.shown(cell) for cell in question.cells]
    pairs = {*zip(asked, map(of_cell.shown, answer.cells), strict=True)}
    if not len(pairs) == len(asked) > len({*asked}):
        return None

    def tells(one: Profile) -> bool:
        named = {*zip(asked, map(of_cell.shown, one.cells), strict=True)}
        return one.looks == "name" and len(named) == len(asked)

    found = [one.column for one in free if tells(one)]
    return found[0] if len(found) == 1 else None


def _grades(
    columns: ColumnMap, names: dict[str, tuple[str, ...]], free: Sequence[Profile]
) -> Iterator[str]:
    """Yield the words of grades whose graders the names of columns say."""
    if columns.scores or columns.column("score") or columns.answers:
        return
    there = {one.column: one for one in free}
    long = {field: names[field][0] for field in ("grader", "score") if field in names}
    if len(long) == 2 and {*long.values()} <= {*there}:
        kinds, criterion = names.get("grader_kind", ()), names.get("criterion", ())
        kind = [f"grader_kind={kinds[0]}"] if kinds else []
        who = next((k for k, w in GRADER_WORDS.items() if {*_words(long["grader"])} & w), "")
        kind = kind or ([f"grader_kind:={who}"] if who else [])
        if kind:
            yield from (f"{field}={column}" for field, column in long.items())
            yield from kind
            yield f"criterion={criterion[0]}" if criterion else "criterion:=overall"
            yield from (f"reason={column}" for column in names.get("reason", ())[:1])
            yield from (f"{f}={c}" for f in OF_PROBABILITIES for c in names.get(f, ()))
        return
    # Of several answers in a row, the grades of each are beside it.
    before, found, _ = (columns.column("answer") or "").rpartition("}.")
    for one in free:
        if not one.column.startswith(before + found):
            continue
        kind, grader, criterion = _who(one.column.removeprefix(before + found))
        if one.looks in ("score", "number") and kind:
            yield f"score:{kind}:{grader}:{criterion}={one.column}"


def _words(name: str) -> list[str]:
    """The words of a name in lower case, parted by marks and by a change of case."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name))
    return [word.casefold() for word in re.findall(r"[^\W_]+", plain)]


def _who(name: str) -> tuple[str, str, str]:
    """The kind of grader, grader and criterion that a column's name says; '' for what it does not.

    An annotator's name is a known word with its number; what else stands there may be a person or
    a criterion, so that nothing is said.
    """
    words = _words(name)
    above = _words(name.rpartition(".")[0])
    if not all(word.isdigit() or word in _ABOVE_GRADES for word in above):
        return "", "", ""
    if "_".join(word for word in words if word not in SCORE_WORDS) in METRIC_NAMES:
        return "metric", name, name
    plain = [word.rstrip("0123456789") for word in words]
    kinds = [kind for kind, known in GRADER_WORDS.items() if known & {*plain, *words}]
    if len(kinds) != 1:
        return "", "", ""
    criteria = [word for word in words if word in CRITERIA]
    rest = [word for word in words if word not in SCORE_WORDS | {*criteria}]
    people = GRADER_WORDS["annotator"]
    named = (word.isdigit() or word.rstrip("0123456789") in people for word in rest)
    if kinds == ["annotator"] and not all(named):
        return "", "", ""
    return kinds[0], " ".join(rest), "_".join(criteria) or "overall"


def _word(one: Profile, there: Container[str]) -> str:
    """The word of a map by which a column is most likely decided; `there` are fields with one."""
    column = one.column
    if one.looks in ("score", "number"):
        kind, grader, criterion = _who(column)
        grader = grader or ("{n}" if "{n}." in column else "NAME")
        return f"score:{kind or 'annotator'}:{grader}:{criterion or 'CRITERION'}={column}"
    fields = {
        "id": ("item_id",),
        "name": ("answer_model",),
        "contexts": ("contexts",),
        "turns": ("turns",),
    }.get(one.looks, ("answer", "question"))
    return f"{next((field for field in fields if field not in there), 'FIELD')}={column}"
