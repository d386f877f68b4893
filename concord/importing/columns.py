"""Mapping of columns to fields: recognised by common names, or chosen by the user.

Names are compared without case, spaces, underscores, hyphens, dots and width. Two columns that both
match one field are ambiguous, and the user decides. The user may also name a path into a column, a
pattern over several, or a constant (`column_paths`). Here are also the columns that a sheet of
answers needs, and a file of grades of answers or of units.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from concord.importing import column_paths, list_cells
from concord.importing.column_paths import CONSTANT
from concord.importing.fields import (
    BESIDE_ANSWERS,
    GRADE_FIELDS,
    ITEM_FIELDS,
    NO_CONSTANT,
    OF_ANSWERS,
    OF_UNITS,
    OTHERWISE,
    REQUIRED,
    SEVERAL,
    folded,
)
from concord.importing.readers import cells as of_cell
from concord.importing.readers import safe_reading
from concord.importing.readers.table import Record, Table
from concord.importing.scores import KINDS
from concord.messages import Problem, joined, on_command_line, quoted, said
from concord.rubrics.model import Rubric

# What a grade in a row of its own needs besides the score: a column, or one value for all rows.
OF_GRADES = {
    "grader": said("grader"),
    "grader_kind": said("kind of grader"),
    "criterion": said("criterion"),
}
_SAME = re.compile(r"\s*criterion\s*:\s*([^=\s].*)=\s*(\S(?:.*\S)?)\s*", re.DOTALL)
_NUMBERED = re.compile(r"(.*?\D)(\d{1,9})")


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
    def kind_word(self) -> str:
        """The kind of grader as the user writes it."""
        return "annotator" if self.kind == "person" else self.kind

    @property
    def field(self) -> str:
        """The field as the user writes it: `score:annotator:GRADER:CRITERION`."""
        return f"score:{self.kind_word}:{self.grader}:{self.criterion}"

    def named_by(self) -> tuple[str, ...]:
        """The columns that name the grader or the criterion in each row."""
        names = map(column_paths.key_name, (self.grader, self.criterion))
        keys = column_paths.placeholders(self.column)
        return tuple(name for name in names if name and name not in keys)


class ColumnMap(NamedTuple):
    """Field -> its columns; answering model -> its column (wide sheets); columns of scores.

    `ambiguous` are the fields that several columns look like, which the user has not yet settled.
    A column may be a path, a key or a constant; `opened` gives the table that has them all.
    `placeholder` is the name in braces under which each key has an answer of its own, `without` are
    criteria of grades in long form that are left out, `same` pairs of a criterion of the file and
    the one that it is read as.
    """

    fields: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, str]
    scores: tuple[ScoreColumn, ...]
    leftovers: tuple[str, ...]
    ambiguous: Mapping[str, tuple[str, ...]]
    placeholder: str | None = None
    without: tuple[str, ...] = ()
    same: tuple[tuple[str, str], ...] = ()

    def criterion(self, name: str) -> str:
        """The criterion that one of the file is read as: itself, or what it is mapped to."""
        return next((to for one, to in self.same if folded(one) == folded(name)), name)

    def column(self, field: str) -> str | None:
        """Return the one column of a field, or None."""
        return next(iter(self.fields.get(field, ())), None)

    def mapped(self) -> tuple[str, ...]:
        """Every column that is mapped, paths and constants among them."""
        plain = [c for found in self.fields.values() for c in found]
        scored = [c for score in self.scores for c in (score.column, *score.named_by())]
        return (*plain, *self.answers.values(), *scored)

    def spoken(self) -> tuple[str, ...]:
        """The map as `FIELD=COLUMN` lines, which `column_map` reads back to the same map."""
        plain = [_word(field, c) for field, columns in self.fields.items() for c in columns]
        wide = [f"answer:{model}={column}" for model, column in self.answers.items()]
        scored = [f"{s.field}={s.column}" for s in self.scores]
        same = (f"criterion:{one}={to}" for one, to in self.same)
        return (*plain, *wide, *scored, *(f"criterion:{name}=" for name in self.without), *same)


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
    plain, answers, scores, without, same = {}, {}, [], [], []
    for word in mapped:
        if pair := _SAME.fullmatch(word):
            same.append((pair[1].strip(), pair[2]))
            continue
        field, column = _split(word, columns)
        if field.startswith("answer:"):
            _once(answers, field.removeprefix("answer:").strip(), column)
        elif field.startswith("score:"):
            scores.append(_score_column(field, column))
        elif field.startswith("criterion:") and column is None:
            without.append(field.removeprefix("criterion:").strip())
        else:
            _add(plain, _field(field, fields), column, several_graders=fields is ITEM_FIELDS)
    said_map = ColumnMap(plain, answers, tuple(scores), (), {})
    placeholder = _placeholder(said_map, columns)
    if placeholder:
        plain.setdefault("answer_model", (f"{{{placeholder}}}",))
    taken, heads = _real(said_map.mapped(), columns)
    found = recognised([c for c in columns if c not in taken | heads], fields)
    _two_sorts_of_contexts(found, plain, columns)
    if fields is GRADE_FIELDS:
        _otherwise(found, plain, [c for c in columns if c not in taken | heads])
        _labels_as_scores(found, plain)
    if answers:
        found.pop("answer", None)
    ambiguous = {f: c for f, c in found.items() if f not in plain and not _settled(f, c)}
    chosen = {f: c for f, c in found.items() if f not in ambiguous} | plain
    chosen = {f: chosen[f] for f in _sayable(fields) if chosen.get(f)}
    used = taken | {c for found in chosen.values() for c in found}
    leftovers = tuple(c for c in columns if c not in used)
    columns_map = ColumnMap(chosen, answers, tuple(scores), leftovers, ambiguous, placeholder)
    columns_map = columns_map._replace(without=tuple(without), same=tuple(same))
    read = (s._replace(criterion=columns_map.criterion(s.criterion)) for s in columns_map.scores)
    return columns_map._replace(scores=tuple(read))


def opened(table: Table, columns: ColumnMap) -> Table:
    """The table with a column of its own for every path, key and constant of its map.

    Where the answer is under a placeholder, each record becomes one per key.
    """
    return column_paths.with_paths(table, columns.mapped(), columns.column("answer"))


def recognised(columns: Iterable[str], fields: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Field -> the columns whose names mean it; numbered columns (`context_1`) in number order."""
    meaning = {folded(name): field for field, names in fields.items() for name in names.split()}
    found = {}
    for column in columns:
        field, number = _meaning(folded(column), meaning)
        if field:
            found.setdefault(field, []).append((number, column))
    return {field: tuple(c for _, c in sorted(hits)) for field, hits in found.items()}


def resolved(columns: ColumnMap, required: Iterable[str] = REQUIRED) -> ColumnMap:
    """Return the map, once nothing in it is ambiguous and nothing required is missing.

    Raises:
        Problem: Ambiguous or missing columns, listing those there are and how to map them.
    """
    for field, found in columns.ambiguous.items():
        raise Problem(
            "Several columns could be the {field}: {listed}. Say which one it is{option}.",
            field=field,
            listed=safe_reading.listed(found, " or "),
            option=on_command_line(f"--map {field}={found[0]}"),
            fault_code="several_columns",
        )
    wide = {"answer"} if columns.answers else set()
    missing = [f for f in required if f not in columns.fields and f not in wide]
    there = (*(c for found in columns.fields.values() for c in found), *columns.leftovers)
    if {"score", "grader"} <= {*missing}:
        raise Problem(
            "No column is recognised as the score or the grader. If each grader has a column, map "
            "each of them{by_column}. If each row is one grade, map {fields}{by_row}. {columns}",
            by_column=on_command_line('--map "score:annotator:NAME:CRITERION=COLUMN"'),
            fields=joined(", ", sorted(missing)),
            by_row=on_command_line("--map grader=COLUMN"),
            columns=_listed(there),
            fault_code="no_column",
        )
    for field in OF_GRADES:
        if field in missing:
            raise missing_of_grades(field)
    if missing:
        raise Problem(
            "No column is recognised as the {missing}. Say which one it is{option}. {columns}",
            missing=joined(" or ", sorted(missing)),
            field=sorted(missing)[0],
            option=on_command_line(
                f"--map {sorted(missing)[0]}=COLUMN; of several answering models --map "
                "answer:MODEL=COLUMN, once for each"
            ),
            columns=_listed(there),
            fault_code="no_column",
        )
    return columns


def missing_of_grades(field: str) -> Problem:
    """The problem that neither a column nor a constant gives the `field` of grades."""
    value = "annotator" if field == "grader_kind" else "VALUE"
    return Problem(
        "No column has the {field} of the scores. Say which one it is, or what it is in all "
        "rows{option}.",
        field=OF_GRADES[field],
        option=on_command_line(f"--map {field}=COLUMN, or --map {field}:={value}"),
        fault_code="no_column",
    )


def _split(word, columns):
    """Field and column around the `=` that leaves a column; names of models may hold a `=` too."""
    if "=" not in word:
        raise Problem(
            "“{word}” maps nothing. Write FIELD=COLUMN, as in --map question=Prompt",
            word=word,
            fault_code="not_a_map",
        )
    constant = re.match(r"\s*(?!answer\s*:|score\s*:)(\w+)\s*:=(.*\S)", word, re.DOTALL)
    if constant:
        return constant[1], f"{CONSTANT}{constant[2].strip()}"
    for place in (match.start() for match in re.finditer("=", word)):
        column = _column(word[place + 1 :], columns)
        if column is not None:
            return word[:place].strip(), column
    field, _, column = word.partition("=")
    if not column.strip():
        return field.strip(), None
    raise Problem(
        "There is no column “{column}” to map to {field}. {columns}",
        column=column,
        field=field,
        columns=_listed(columns),
        fault_code="not_a_column",
    )


def _column(name, columns):
    """Return the column of exactly this name, else the only one that differs in spelling alone.

    A blank name is no column, though JSON may have one so named: `FIELD=` leaves the field out.
    """
    if not name.strip():
        return None
    if name in columns:
        return name
    alike = [column for column in columns if folded(column) == folded(name)]
    if len(alike) == 1:
        return alike[0]
    name = name.strip()
    return name if column_paths.key_name(name) or column_paths.parse(name, columns) else None


def _sayable(fields):
    """The fields that the user may name: of answers, some of grades too, which no name suggests."""
    if fields is not ITEM_FIELDS:
        return fields
    return {**fields, **{field: GRADE_FIELDS[field] for field in BESIDE_ANSWERS}}


def _real(mapped, columns):
    """The columns that are mapped, or fit a pattern; and those that paths start from."""
    paths = [column_paths.parse(c, columns) for c in mapped if c not in columns]
    heads = {path.head for path in paths if path and path.head}
    patterns = {c for path in paths if path and not path.head for c in path.columns}
    return {*mapped} & {*columns} | patterns, heads


def _placeholder(columns, names):
    """The placeholder of the answer, which every other path of an item may use, and no other."""
    keys = _keys(columns.column("answer") or "", names)
    if len(keys) > 1:
        raise Problem(
            "A path to answers may have only one placeholder. Write out the other keys.",
            fault_code="bad_placeholder",
        )
    of_answers = [
        c for f, found in columns.fields.items() if f not in BESIDE_ANSWERS for c in found
    ]
    for column in (*of_answers, *columns.answers.values()):
        if {*_keys(column, names)} - {*keys}:
            raise Problem(
                "“{path}” has a placeholder that is not in the path to the answer. Use it there "
                "too, as in answer=answers.{{model}}.text",
                path=column,
                fault_code="bad_placeholder",
            )
    _check_lists(columns, keys, names)
    for score in columns.scores:
        _check_score(score, keys, names)
    twice = [column for column, n in Counter(s.column for s in columns.scores).items() if n > 1]
    if twice:
        raise Problem(
            "“{column}” is mapped to the scores of two graders or criteria. Map it once.",
            column=twice[0],
            fault_code="mapped_twice",
        )
    graded = [score.column for score in columns.scores] + [*columns.fields.get("score", ())]
    if keys and not all(keys[0] in _keys(column, names) for column in graded):
        raise Problem(
            "A score does not say which answering model it is for. Use {{{name}}} in its path, as "
            "in the path to the answers.",
            name=keys[0],
            fault_code="bad_placeholder",
        )
    return keys[0] if keys else None


def _check_lists(columns, keys, names):
    """In lists, what belongs to a grade is at the place of its score, or of an object around it."""

    def lists(column):
        return tuple(name for name in _keys(column, names) if name not in keys)

    score = lists(columns.column("score") or "")
    own = {lists(one.column) for one in columns.scores}
    for field in BESIDE_ANSWERS:
        for column in columns.fields.get(field, ()):
            found = lists(column)
            is_scored = any(column_paths.key_in(column, one.column) for one in columns.scores)
            is_theirs = field == "reason" and (found in own or (len(found) == 1 and is_scored))
            if found != score[: len(found)] and not is_theirs:
                raise Problem(
                    "The placeholders of “{path}” are not those of the score. Begin both paths "
                    "alike, as in {field}=notes.{{n}}.name and score=notes.{{n}}.score",
                    path=column,
                    field=field,
                    fault_code="bad_placeholder",
                )


def _keys(column, names):
    """The placeholders of a path; a real column or a constant has none."""
    is_plain = column in names or column.startswith(CONSTANT)
    return () if is_plain else column_paths.placeholders(column)


def _check_score(score, keys, names):
    inside = _keys(score.column, names)
    named = {column_paths.key_name(one) for one in (score.grader, score.criterion)}
    free = [name for name in inside if name not in (*keys, *named)]
    if free or len({*inside} - {*keys}) > 1:
        raise Problem(
            "The placeholder in “{path}” is neither the grader nor the criterion. Use it as one "
            "of them, as in score:annotator:{{name}}:correctness=PATH",
            path=score.column,
            fault_code="bad_placeholder",
        )
    for name in score.named_by():
        if name not in names and column_paths.parse(name, names) is None:
            raise Problem(
                "“{field}” reads a name from a column “{name}”, which does not exist. {listed}",
                field=score.field,
                name=name,
                listed=_listed(names),
                fault_code="not_a_column",
            )


def _word(field, column):
    return f"{field}{column}" if column.startswith(CONSTANT) else f"{field}={column}"


def _field(name, fields):
    fields = _sayable(fields)
    meaning = {folded(alias): field for field, names in fields.items() for alias in names.split()}
    field = meaning.get(folded(name))
    if field is None:
        more = ("answer:MODEL", "score:annotator:GRADER:CRITERION") if "answer" in fields else ()
        raise Problem(
            "“{name}” is not a field. Fields are: {fields}.",
            name=name,
            fields=joined(", ", [*fields, *more]),
            fault_code="not_a_field",
        )
    return field


def _add(plain, field, column, several_graders):
    several = SEVERAL | {"grader"} if several_graders else SEVERAL
    columns = plain.get(field, ())
    if column is None:
        plain[field] = ()
    elif column.startswith(CONSTANT) and field in NO_CONSTANT:
        raise Problem(
            "Each row needs its own {field}. Name its column.", field=field, fault_code="constant"
        )
    elif columns and field not in several:
        raise Problem(
            "{field} is mapped to “{first}” and to “{column}”. It takes one column; keep one.",
            field=field,
            first=columns[0],
            column=column,
            fault_code="mapped_twice",
        )
    else:
        plain[field] = (*columns, column)


def _once(answers, model, column):
    if not model or column is None:
        raise Problem(
            "Write answer:MODEL=COLUMN with the answering model's name and its column.",
            fault_code="not_a_map",
        )
    if model in answers:
        raise Problem(
            "answer:{model} is mapped twice. Give each answering model one column.",
            model=model,
            fault_code="mapped_twice",
        )
    answers[model] = column


def _score_column(field, column):
    parts = field.split(":")
    kind = KINDS.get(parts[1])
    if len(parts) < 4 or kind is None or column is None or not all(map(str.strip, parts)):
        raise Problem(
            "“{field}” does not name a grader's scores. Write "
            "score:annotator:GRADER:CRITERION=COLUMN or score:judge:GRADER:CRITERION=COLUMN.",
            field=field,
            fault_code="not_a_map",
        )
    return ScoreColumn(column, kind, ":".join(parts[2:-1]).strip(), parts[-1].strip())


def _meaning(name, meaning):
    """(field, number): a plain name, or one of a numbered series of a field that takes several."""
    if name in meaning:
        return meaning[name], 0
    numbered = _NUMBERED.fullmatch(name)
    field = meaning.get(numbered[1]) if numbered else None
    return (field, int(numbered[2])) if field in SEVERAL else (None, 0)


def _two_sorts_of_contexts(found, plain, columns):
    """Map a column `context` to the reference contexts in files of deepeval.

    Such files are recognised by a column `retrieval_context`, or without retrieval by the columns
    that deepeval writes with every case.
    """
    by_name = {folded(column): column for column in found.get("contexts", ())}
    is_golden = by_name.keys() == {"context"} and {"actualoutput", "sourcefile"} <= {
        folded(column) for column in columns
    }
    if "contexts" in plain or not (is_golden or by_name.keys() == {"context", "retrievalcontext"}):
        return
    context = by_name.pop("context")
    found["reference_contexts"] = (*found.get("reference_contexts", ()), context)
    del found["contexts"]
    if by_name:
        found["contexts"] = tuple(by_name.values())


def _otherwise(found, plain, columns):
    """Take a weaker name for a field that neither the user nor another column names."""
    for field, names in recognised(columns, OTHERWISE).items():
        rivals = OF_ANSWERS if field == "item_id" else (field,)
        if not any(rival in found or rival in plain for rival in rivals):
            found[field] = names


def _labels_as_scores(found, plain):
    """Read labels as scores where no column names a part of an answer: of units alone are labels.

    A column that the user maps to the score leaves no label to be recognised.
    """
    if any(found.get(field) or plain.get(field) for field in OF_UNITS):
        return
    labels = found.pop("label", ())
    if labels and plain.keys().isdisjoint(("score", "label")):
        found["score"] = (*found.get("score", ()), *labels)
    for column in plain.pop("label", ()):
        if column not in plain.get("score", ()):
            _add(plain, "score", column, several_graders=False)


def _settled(field, columns):
    """Several columns are one field only where they are a numbered series of it."""
    if len(columns) == 1:
        return True
    stems = {_NUMBERED.sub(r"\1", folded(column)) for column in columns}
    return field in SEVERAL and len(stems) == 1


def _listed(columns):
    return said("The columns are: {columns}.", columns=safe_reading.listed(columns))


def check_columns(table: Table, columns: ColumnMap) -> None:
    """Check that every needed column is there, and that none is ambiguous.

    Raises:
        Problem: naming the columns there are, and how to say which is which.
    """
    resolved(columns, required(table, columns))


def head(table: Table, rows: int = 50) -> list[Record]:
    """The first records that can be read."""
    records = table.records()
    found = list(islice(records, rows))
    records.close()
    return [record for record in found if record.fault is None]


def required(table: Table, columns: ColumnMap) -> set[str]:
    """The fields without which the file is no answer sheet; a conversation holds both."""
    table = opened(table, columns)
    question, turns = columns.column("question"), columns.column("turns")
    if question is None:
        return REQUIRED if turns is None else set()
    place = table.columns.index(question)
    cells = (record.cells[place] for record in head(table))
    first = next((cell for cell in cells if not of_cell.is_blank(cell)), None)
    return {"question"} if list_cells.is_conversation(first) else REQUIRED


def prepared(columns: ColumnMap, rubrics: Sequence[Rubric]) -> ColumnMap:
    """The map under which every row can be read; several rubrics are all of units.

    Raises:
        Problem: a needed column is missing or ambiguous, or speaks of units where none are graded.
    """
    _check_scores(columns)
    _check_unit_columns(columns, rubrics[0])
    columns = resolved(columns, needed(columns, rubrics))
    _check_item_columns(columns)
    return columns


def needed(columns: ColumnMap, rubrics: Sequence[Rubric]) -> set[str]:
    """Return the fields a file must have, besides those that identify an item or a unit."""
    if columns.scores:
        return set()
    one = len(rubrics) == 1 and len(rubrics[0].criteria) == 1
    verdict = {"score"} if columns.fields.keys().isdisjoint(("label", "probabilities")) else set()
    return {"grader", "grader_kind"} | verdict | (set() if one else {"criterion"})


def _check_scores(columns):
    if columns.scores and "probabilities" in columns.fields:
        raise Problem(
            "Probabilities need one row per grade, and this file has a column per grader. Leave "
            "them out{option}.",
            option=on_command_line("--map probabilities="),
            fault_code="probabilities_alone",
        )
    for score in columns.scores:
        if column_paths.placeholders(f"{score.column} {score.criterion}"):
            raise Problem(
                "“{field}” reads a name from a column. In a file of grades map that column itself "
                "to the grader or the criterion, and “{column}” to the score{option}.",
                field=score.field,
                column=score.column,
                option=on_command_line("--map grader=COLUMN --map score=COLUMN"),
                fault_code="not_a_map",
            )


def _check_unit_columns(columns, rubric):
    there = [field for field in OF_UNITS if field in columns.fields]
    if rubric.units and not there:
        raise Problem(
            "No column says which of an answer's {units} a verdict is on. Say which one holds its "
            "text or its id{option}. Columns left: {listed}.",
            units=said(rubric.plural),
            option=on_command_line("--map unit=COLUMN"),
            listed=quoted(columns.leftovers) or said("none"),
            fault_code="no_column",
        )
    if there and not rubric.units:
        raise Problem(
            "The column “{column}” names parts of answers, and {rubric} is for whole answers. "
            "Name a rubric of units, such as claims-in-contexts, or leave the column out{option}.",
            column=columns.column(there[0]),
            rubric=rubric.name,
            option=on_command_line(f"--map {there[0]}="),
            fault_code="rubric_of_answers",
        )


def _check_item_columns(columns):
    if columns.fields.keys().isdisjoint(OF_ANSWERS):
        raise Problem(
            "No column says which answer a grade is for. Say which one holds the item_id or the "
            "question_id{option}. Columns left: {listed}.",
            option=on_command_line("--map item_id=COLUMN"),
            listed=quoted(columns.leftovers) or said("none"),
            fault_code="no_column",
        )
