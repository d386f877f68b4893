"""Mapping of columns to fields: recognised by common names, or chosen by the user.

Names are compared without case, spaces, underscores, hyphens, dots and width. Two columns that both
match one field are ambiguous, and the user decides. The user may also name a path into a column, a
pattern over several, or a constant (`column_paths`). Here are also the columns that a sheet of
answers needs, and a file of grades of answers or of units.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from concord.importing import column_paths, list_cells
from concord.importing.column_paths import CONSTANT, key_name, placeholders
from concord.importing.fields import (
    BESIDE_ANSWERS,
    GRADE_FIELDS,
    ITEM_FIELDS,
    NO_CONSTANT,
    OF_ANSWERS,
    OF_UNITS,
    SEVERAL,
    folded,
)
from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.table import Record, Table
from concord.importing.scores import KINDS
from concord.messages import Problem, joined, on_command_line
from concord.rubrics.model import Rubric

# What identifies a grade in a row of its own: a column, or one value for all rows.
OF_GRADES = ("grader", "grader_kind", "criterion")
_NUMBERED = re.compile(r"(.*?\D)(\d{1,9})")
# Fields that do as well.
_IN_PLACE = {"score": ("label", "probabilities"), "item_id": OF_ANSWERS, "unit": OF_UNITS}


class ScoreColumn(NamedTuple):
    """A column with scores of one criterion by one grader.

    The grader may be `{COLUMN}`, read in each row from that column. Grader or criterion may be the
    placeholder of the column, a path, and is then its key.
    """

    column: str
    kind: str
    grader: str
    criterion: str

    @property
    def field(self) -> str:
        """The field as the user writes it: `score:annotator:GRADER:CRITERION`."""
        kind = "annotator" if self.kind == "person" else self.kind
        return f"score:{kind}:{self.grader}:{self.criterion}"

    def named_by(self) -> tuple[str, ...]:
        """The columns that name the grader or the criterion in each row."""
        names, keys = map(key_name, (self.grader, self.criterion)), placeholders(self.column)
        return tuple(name for name in names if name and name not in keys)


class ColumnMap(NamedTuple):
    """Field -> its columns; answering model -> its column (wide sheets); columns of scores.

    `ambiguous` are the fields that several columns look like, which the user has not yet settled.
    A column may be a path, a key or a constant; `opened` gives the table that has them all.
    `placeholder` is the name in braces under which each key has an answer of its own; `criteria`
    has what criteria of the file are read as, '' for one that is left out.
    """

    fields: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, str]
    scores: tuple[ScoreColumn, ...]
    leftovers: tuple[str, ...]
    ambiguous: Mapping[str, tuple[str, ...]]
    placeholder: str | None = None
    criteria: Mapping[str, str] = MappingProxyType({})

    @property
    def without(self) -> tuple[str, ...]:
        """Criteria that are left out."""
        return tuple(name for name, to in self.criteria.items() if not to)

    def criterion(self, name: str) -> str:
        """The criterion that one of the file is read as: itself, or what it is mapped to."""
        same = (to for one, to in self.criteria.items() if folded(one) == folded(name))
        return next(same, "") or name

    def column(self, field: str) -> str | None:
        """Return the one column of a field, or None."""
        return next(iter(self.fields.get(field, ())), None)

    def pairs(self) -> list[tuple[str, str]]:
        """Each field with a column, as the user writes them."""
        plain = [(field, c) for field, columns in self.fields.items() for c in columns]
        wide = [(f"answer:{model}", column) for model, column in self.answers.items()]
        return [*plain, *wide, *((score.field, score.column) for score in self.scores)]

    def mapped(self) -> tuple[str, ...]:
        """Every column that is mapped, paths and constants among them."""
        names = (name for score in self.scores for name in score.named_by())
        return (*(column for _, column in self.pairs()), *names)

    def spoken(self) -> tuple[str, ...]:
        """The map as `FIELD=COLUMN` lines, which `column_map` reads back to the same map."""
        criteria = [f"criterion:{name}={to}" for name, to in self.criteria.items()]
        return (*(word_of(*pair) for pair in self.pairs()), *criteria)


def word_of(field: str, column: str) -> str:
    """The word of a map: `FIELD=COLUMN`, or `FIELD:=VALUE`."""
    return f"{field}{column}" if column.startswith(CONSTANT) else f"{field}={column}"


def column_map(
    columns: Sequence[str],
    mapped: Iterable[str] = (),
    fields: Mapping[str, str] = ITEM_FIELDS,
) -> ColumnMap:
    """Map `columns` to fields; the user's choices (`FIELD=COLUMN`) take precedence.

    `FIELD=` (no column) leaves a field out. `answer:MODEL=COLUMN` names an answering model's column
    and `score:annotator:GRADER:CRITERION=COLUMN` (or `score:judge:...`) a grader's scores.
    `FIELD:=VALUE` gives every row a constant; `criterion:NAME=` leaves a criterion out, and
    `criterion:NAME=OTHER` reads it as another one.

    Raises:
        Problem: a name that is not a column, an unknown field, or two columns for a single field.
    """
    of_answers, names = fields is ITEM_FIELDS, {*map(folded, columns)}
    words = [_parted(word, columns) for word in mapped]
    beside = {field: GRADE_FIELDS[field] for field in BESIDE_ANSWERS} if of_answers else {}
    meaning = {folded(n): field for field, of in (fields | beside).items() for n in of.split()}
    if of_answers and ("retrievalcontext" in names or {"actualoutput", "sourcefile"} <= names):
        meaning["context"] = "reference_contexts"  # as deepeval writes them
    named = {meaning.get(folded(name)) for name in (*columns, *(field for field, _ in words))}
    if named.isdisjoint(OF_UNITS):  # only parts of answers have labels
        meaning = {name: "score" if one == "label" else one for name, one in meaning.items()}
    # Of grades beside answers no name speaks.
    known = {name: field for name, field in meaning.items() if field in fields}
    plain: dict[str, tuple[str, ...]] = {}
    answers, scores, criteria = {}, {}, {}
    for field, column in words:
        kind, colon, name = map(str.strip, field.partition(":"))
        if kind == "criterion" and name:
            criteria[name] = column or ""
        elif colon and kind in ("answer", "score"):
            held, key = (answers, name) if kind == "answer" else (scores, column)
            if not (name and column):
                raise _no_map(field)
            if key in held:
                raise _twice(field, key, column)
            held[key] = column if kind == "answer" else _score_column(field, name, column)
        else:
            _add(plain, meaning, field, column)
    made = ColumnMap(plain, answers, tuple(scores.values()), (), {}, criteria=criteria)
    if placeholder := _placeholder(made, columns):
        plain.setdefault("answer_model", (f"{{{placeholder}}}",))
    paths = [path for c in made.mapped() if (path := column_paths.parse(c, columns))]
    taken = {*made.mapped(), *(c for path in paths for c in path.by_key.values())}
    free = [c for c in columns if c not in taken | {path.head for path in paths}]
    said = {*plain, *(["answer"] if answers else ()), *(("score", "label") if scores else ())}
    found, ambiguous = {}, {}
    for field, alike, is_ambiguous in _recognised(free, known):
        if field not in said:
            (ambiguous if is_ambiguous else found)[field] = alike
    chosen = {field: c for field, c in (found | plain).items() if c}
    used = taken.union(*chosen.values())
    return made._replace(
        fields={f: chosen[f] for f in dict.fromkeys(meaning.values()) if f in chosen},
        scores=tuple(one._replace(criterion=made.criterion(one.criterion)) for one in made.scores),
        leftovers=tuple(c for c in columns if c not in used),
        ambiguous=ambiguous,
        placeholder=placeholder,
    )


def _score_column(field: str, name: str, column: str) -> ScoreColumn:
    """The column of scores of `KIND:GRADER:CRITERION`; the grader's name may hold a colon."""
    who, _, rest = name.partition(":")
    grader, _, criterion = map(str.strip, rest.rpartition(":"))
    if who not in KINDS or not (grader and criterion):
        raise _no_map(field)
    return ScoreColumn(column, KINDS[who], grader, criterion)


def _recognised(
    columns: Iterable[str], meaning: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Yield each field, the columns whose names mean it, and whether these are ambiguous.

    Numbered columns (`context_1`) of a field that takes several are in number order.
    """
    found = defaultdict(list)
    for column in columns:
        name, number = folded(column), 0
        series = _NUMBERED.fullmatch(name)
        if name not in meaning and series and meaning.get(series[1]) in SEVERAL:
            name, number = series[1], int(series[2])
        if name in meaning:
            found[meaning[name]].append((name, number, column))
    for field, hits in found.items():
        is_series = field in SEVERAL and len({name for name, _, _ in hits}) == 1
        yield field, tuple(c for *_, c in sorted(hits)), len(hits) > 1 and not is_series


def _parted(word: str, columns: Sequence[str]) -> tuple[str, str | None]:
    """Field and column around the `=` that leaves a column; names of models may hold a `=` too."""
    if found := re.fullmatch(r"\s*(criterion\s*:\s*[^=\s].*)=(.*)", word, re.DOTALL):
        return found[1], found[2].strip()
    if found := re.fullmatch(r"\s*(\w+)\s*:=(.*\S)\s*", word, re.DOTALL):
        return found[1], f"{CONSTANT}{found[2].strip()}"
    for equals in re.finditer("=", word):
        column = _column(word[equals.end() :], columns)
        if column is not None:
            return word[: equals.start()].strip(), column
    field, equals, column = word.partition("=")
    if not equals:
        raise _no_map(word)
    if column.strip():
        raise _no_column(field, column, columns)
    return field.strip(), None


def _column(name: str, columns: Sequence[str]) -> str | None:
    """Return the column of this name, or a path or a key.

    A blank name is no column, though JSON may have one so named: `FIELD=` leaves the field out.
    """
    plain = name.strip()
    if not plain or name in columns:
        return name if plain else None
    is_known = plain in columns or key_name(plain) or column_paths.parse(plain, columns)
    return plain if is_known else None


def _add(
    plain: dict[str, tuple[str, ...]], meaning: Mapping[str, str], name: str, column: str | None
) -> None:
    """Add a plain field; a sheet of answers may have several columns of graders."""
    field = meaning.get(folded(name))
    if field is None:
        raise Problem(
            "“{name}” is not a field. Fields are: {fields}, score:annotator:GRADER:CRITERION.",
            name=name,
            fields=joined(", ", dict.fromkeys(meaning.values())),
            fault_code="not_a_field",
        )
    columns = plain.get(field, ())
    if column and column.startswith(CONSTANT) and field in NO_CONSTANT:
        raise Problem(
            "Each row needs its own {field}. Name its column.", field=field, fault_code="constant"
        )
    several = field in SEVERAL or (field == "grader" and "answer" in meaning)
    if column and columns and not several:
        raise _twice(field, columns[0], column)
    plain[field] = (*columns, column) if column else ()


def _placeholder(columns: ColumnMap, names: Sequence[str]) -> str | None:
    """The placeholder of the answer, which every other path of an item may use, and no other.

    That of a column of scores is its grader or criterion. In lists, what belongs to a grade is at
    the place of its score, or of an object around it.
    """

    def keys(column: str | None, but: Sequence[str] = ()) -> list[str]:
        is_path = column and column not in names and not column.startswith(CONSTANT)
        return [name for name in placeholders(column) if name not in but] if is_path else []

    answer = columns.column("answer")
    own, scores = keys(answer), columns.scores
    lists = keys(columns.column("score"), own)
    wrong = [answer] if len(own) > 1 else []
    for field, column in columns._replace(scores=()).pairs():
        free = keys(column, own)
        fits = not free
        if field in BESIDE_ANSWERS:
            is_theirs = field == "reason" and any(free == keys(one.column, own) for one in scores)
            fits = is_theirs or free == lists[: len(free)]
        if not fits or (field == "score" and not {*own} <= {*keys(column)}):
            wrong.append(column)
    for one in scores:
        free, named = keys(one.column, own), {key_name(one.grader), key_name(one.criterion)}
        is_column = not {*names}.isdisjoint(free)  # as of a list of graders
        if not {*own} <= {*keys(one.column)} or not {*free} <= named or len(free) > 1 or is_column:
            wrong.append(one.column)
        for name in one.named_by():
            if name not in names and column_paths.parse(name, names) is None:
                raise _no_column(one.field, name, names)
    if wrong:
        raise Problem(
            "The placeholders in “{path}” do not fit. The path to answers may have one, as in "
            "answer=answers.{{model}}.text, which every score of these has too; one more is the "
            "grader or the criterion, as in score:annotator:{{name}}:correctness=PATH; those of a "
            "list begin like those of the score.",
            path=wrong[0],
            fault_code="bad_placeholder",
        )
    return own[0] if own else None


def _no_map(word: str) -> Problem:
    return Problem(
        "“{word}” maps nothing. Write FIELD=COLUMN, FIELD:=VALUE, answer:MODEL=COLUMN or "
        "score:annotator:GRADER:CRITERION=COLUMN.",
        word=word,
        fault_code="not_a_map",
    )


def _twice(field: str, first: str, column: str) -> Problem:
    return Problem(
        "{field} is mapped to “{first}” and to “{column}”, or two fields to one column. Keep one.",
        field=field,
        first=first,
        column=column,
        fault_code="mapped_twice",
    )


def _no_column(field: str, column: str, columns: Iterable[str]) -> Problem:
    return Problem(
        "There is no column “{column}” to map to {field}. The columns are: {listed}.",
        column=column,
        field=field,
        listed=safe_reading.listed(columns),
        fault_code="not_a_column",
    )


def opened(table: Table, columns: ColumnMap) -> Table:
    """The table with a column of its own for every path, key and constant of its map.

    Where the answer is under a placeholder, each record becomes one per key.
    """
    return column_paths.with_paths(table, columns.mapped(), columns.column("answer"))


def head(table: Table, rows: int = 50) -> list[Record]:
    """The first records that can be read."""
    records = table.records()
    found = list(islice(records, rows))
    records.close()
    return [record for record in found if record.fault is None]


def resolved(columns: ColumnMap, required: Iterable[str]) -> ColumnMap:
    """Return the map, once nothing in it is ambiguous and nothing required is missing.

    Raises:
        Problem: Ambiguous or missing columns, listing those there are and how to map them.
    """
    for field, names in columns.ambiguous.items():
        raise Problem(
            "Several columns could be the {field}: {listed}. Say which one it is{option}.",
            field=field,
            listed=safe_reading.listed(names, " or "),
            option=on_command_line(f"--map {field}={names[0]}"),
            fault_code="several_columns",
        )
    there = {*columns.fields, *(["answer"] if columns.answers else [])}
    missing = [f for f in required if there.isdisjoint((f, *_IN_PLACE.get(f, ())))]
    if missing:
        raise Problem(
            "No column is recognised as the {missing}. Say which one it is{option}. The columns "
            "are: {listed}.",
            missing=joined(" or ", missing),
            field=missing[0],
            option=on_command_line(", ".join(f"--map {field}=COLUMN" for field in missing)),
            listed=safe_reading.listed((*columns.mapped(), *columns.leftovers)),
            fault_code="no_column",
        )
    return columns


def check_columns(table: Table, columns: ColumnMap) -> None:
    """Check that a sheet of answers has what it needs; a conversation holds question and answer.

    Raises:
        Problem: naming the columns there are, and how to say which is which.
    """
    question, needed = columns.column("question"), ["answer", "question"]
    if question is not None:
        table = opened(table, columns)
        cells = (record.cells[table.columns.index(question)] for record in head(table))
        first = next((cell for cell in cells if not of_cell.is_blank(cell)), None)
        needed = ["question"] if list_cells.is_conversation(first) else needed
    elif "turns" in columns.fields:
        needed = []
    resolved(columns, needed)


def prepared(columns: ColumnMap, rubrics: Sequence[Rubric]) -> ColumnMap:
    """The map of grades under which every row can be read; several rubrics are all of units.

    Raises:
        Problem: a needed column is missing or ambiguous, or speaks of units where none are graded.
    """
    if columns.scores and "probabilities" in columns.fields:
        raise Problem(
            "Probabilities need one row per grade, and this file has a column per grader. Leave "
            "them out{option}.",
            option=on_command_line("--map probabilities="),
            fault_code="probabilities_alone",
        )
    units = [field for field in OF_UNITS if field in columns.fields]
    if units and not rubrics[0].units:
        raise Problem(
            "The column “{column}” names parts of answers, and {rubric} is for whole answers. "
            "Name a rubric of units, such as claims-in-contexts, or leave the column out{option}.",
            column=columns.column(units[0]),
            rubric=rubrics[0].name,
            option=on_command_line(f"--map {units[0]}="),
            fault_code="rubric_of_answers",
        )
    needed = ["item_id", *(["unit"] if rubrics[0].units else [])]
    if not columns.scores:
        criteria = sum(len(one.criteria) for one in rubrics)
        needed += ["score", *OF_GRADES[: 2 if criteria == 1 else 3]]
    return resolved(columns, needed)
