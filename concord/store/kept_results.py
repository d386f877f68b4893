"""Kept results: what one process computed from the store, for the next process that needs it.

A result is a file in a folder next to the database, under a key that names the state of the store
it was computed from (`state_key`). It only saves time: a file that is missing, damaged, forged, of
other code or of another key counts as none, and nothing is kept where the folder cannot be written.
No backup and no export contains it. A result is kept as data (JSON and numpy arrays), never as a
pickle, which could run code when it is read.

The folder is bounded (`MOST_FILES`, `MOST_BYTES`), and `Store.forget_results` deletes it where
something is deleted from the store. Some connections reach a part of the store alone; a result of
the whole is neither read nor kept through these.
"""

import hashlib
import json
import os
import sys
from contextlib import suppress
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
import pandas as pd

from concord.messages import Coded
from concord.model import Sheet
from concord.resources import PACKAGE
from concord.stats.core.estimate import Reason
from concord.store.database import Store

MOST_FILES, MOST_BYTES = 32, 256_000_000
_DIGEST = hashlib.sha256
_DIGEST_BYTES = 32
_MESSAGES = (Coded, Reason)
_INTEGERS = (np.int8, np.int16, np.int32)

Shapes = tuple[type, ...]


class NotKept(TypeError):
    """A value of a type that is not among the shapes."""


def recall(store: Store, key: tuple, shapes: Shapes) -> Any:
    """Return the result kept under a key; None without one.

    `shapes` are the dataclasses and named tuples it may be made of besides messages.
    """
    if not _applies(store):
        return None
    name = _name(key)
    path = store.results / name
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        held = path.read_bytes()
        digest, content = held[:_DIGEST_BYTES], held[_DIGEST_BYTES:]
        found = unpacked(content, shapes) if digest == _seal(name, content) else None
        os.utime(path)  # the least recently used goes first
    except Exception:  # whatever a file makes numpy or the shapes raise, it is none of ours
        return None
    return found


def keep(store: Store, key: tuple, result: Any, shapes: Shapes) -> None:
    """Keep a result under a key, in place of those not used for longest."""
    if not _applies(store):
        return
    try:
        content = packed(result, shapes)
    except NotKept:
        return
    name, place = _name(key), store.results
    with suppress(OSError):
        place.mkdir(mode=0o700, exist_ok=True)
        written = place / f"{token_hex(8)}.part"
        try:
            written.write_bytes(_seal(name, content) + content)
            # A reader sees a whole file or none.
            written.replace(place / name)
        finally:
            written.unlink(missing_ok=True)
        _make_room(place)


def discard(store: Store, key: tuple) -> None:
    """Delete the result under a key."""
    if _applies(store):
        with suppress(OSError):
            (store.results / _name(key)).unlink(missing_ok=True)


def _applies(store: Store) -> bool:
    """True for a connection that sees all grades of a database in a file."""
    reach = store.connection.reach
    return not (reach and "grades" in reach.rows) and os.path.isfile(store.path)


def _name(key: tuple) -> str:
    return _DIGEST(f"{_code()}{key!r}".encode()).hexdigest()


def _seal(name: str, content: bytes) -> bytes:
    """Return the digest a file begins with: of its content, and of the key it was kept under."""
    return _DIGEST(name.encode() + content).digest()


@cache
def _code() -> str:
    """Return a digest of all that computes: other code may give another result."""
    found = _DIGEST(f"{sys.version} {np.__version__} {pd.__version__}".encode())
    for path in sorted(PACKAGE.rglob("*.*")):
        if path.suffix in (".py", ".toml"):
            found.update(path.read_bytes())
    return found.hexdigest()


def _make_room(place: Path) -> None:
    files = [(path, path.stat()) for path in place.iterdir()]
    files.sort(key=lambda one: one[1].st_mtime_ns, reverse=True)
    total = 0
    for number, (path, about) in enumerate(files, 1):
        total += about.st_size
        if number > MOST_FILES or total > MOST_BYTES:
            path.unlink(missing_ok=True)


def packed(value: Any, shapes: Shapes) -> bytes:
    """Return a value as bytes; `NotKept` where it is made of anything but data and the shapes.

    It is JSON, and arrays in the same file. Numbers, texts, booleans and None are themselves.
    Anything else is a list that begins with the kind of value.
    """
    names = {shape: shape.__name__ for shape in (*_MESSAGES, *shapes)}
    arrays: dict[str, np.ndarray] = {}

    def plain(value: Any) -> Any:
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        if isinstance(value, np.generic):
            return plain(value.item())
        if kind in names:
            if isinstance(value, tuple):
                parts = value
            elif isinstance(value, str):
                parts = value.__getnewargs__()
            else:
                parts = [getattr(value, name) for name in _names_of(kind)]
            return ["made", names[kind], *map(plain, parts)]
        if kind in (list, tuple):
            return [kind.__name__, *map(plain, value)]
        if kind is dict:
            return ["dict", *([plain(k), plain(v)] for k, v in value.items())]
        if kind is Fraction:
            return ["Fraction", value.numerator, value.denominator]
        if kind is np.ndarray:
            return objects(value) if value.dtype == object else array(value)
        if kind is pd.DataFrame:
            columns = ([plain(name), column(value[name])] for name in value.columns)
            return ["frame", array(value.index.to_numpy()), *columns]
        raise NotKept(kind.__name__)

    def array(values: np.ndarray) -> list:
        name = str(len(arrays))
        arrays[name] = _small(values)
        return ["array", name, values.dtype.str]

    def objects(values: np.ndarray) -> list:
        """An array of texts, of which most are alike: each once, and an index per entry."""
        if {*map(type, values)} == {str}:  # quicker, and messages are not among them
            codes, texts = pd.factorize(values)
            return ["objects", array(codes), *texts.tolist()]
        places: dict[tuple, int] = {}
        codes = np.empty(len(values), np.int64)
        for n, one in enumerate(values.tolist()):
            if not isinstance(one, str | float | None):
                raise NotKept(type(one).__name__)
            codes[n] = places.setdefault((type(one), one), len(places))
        return ["objects", array(codes), *(plain(one) for _, one in places)]

    def column(values: pd.Series) -> list:
        dtype = values.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            every = [*map(plain, dtype.categories)]
            return ["categories", dtype.ordered, array(values.cat.codes.to_numpy()), every]
        if isinstance(dtype, np.dtype):
            return plain(values.to_numpy())
        if isinstance(dtype, pd.StringDtype):
            return ["words", objects(values.to_numpy(object))]
        raise NotKept(str(dtype))

    text = json.dumps(plain(value), ensure_ascii=False)
    arrays["text"] = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    whole = BytesIO()
    np.savez(whole, **arrays)
    return whole.getvalue()


def unpacked(content: bytes, shapes: Shapes) -> Any:
    """Return the value that was `packed` with the same shapes."""
    made = {shape.__name__: shape for shape in (*_MESSAGES, *shapes)}

    def value(plain: Any) -> Any:
        if not isinstance(plain, list):
            return plain
        kind, *parts = plain
        if kind == "array":
            return arrays[parts[0]].astype(np.dtype(parts[1]))
        if kind == "categories":
            ordered, codes, every = parts
            names = [*map(value, every)]
            return pd.Categorical.from_codes(value(codes), names, ordered=ordered)
        if kind == "dict":
            return {value(k): value(v) for k, v in parts}
        if kind == "frame":
            frame = pd.DataFrame(index=value(parts[0]))
            for name, column in parts[1:]:
                values = value(column)
                alone = isinstance(values, np.ndarray)
                frame[value(name)] = (
                    pd.Series(values, frame.index, values.dtype) if alone else values
                )
            return frame
        parts = [*map(value, parts)]
        if kind == "made":
            shape, *fields_of = parts
            shape = made[shape]
            if is_dataclass(shape):
                return shape(**dict(zip(_names_of(shape), fields_of, strict=True)))
            return shape(*fields_of)
        if kind == "objects":
            every = np.empty(len(parts) - 1, object)
            every[:] = parts[1:]
            return every[parts[0]]
        if kind == "words":
            return pd.array(*parts, dtype="str")
        return (
            {"list": list, "tuple": tuple}[kind](parts) if kind != "Fraction" else Fraction(*parts)
        )

    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        if sum(one.file_size for one in arrays.zip.infolist()) > MOST_BYTES:
            raise ValueError("more than a result may hold")
        return value(json.loads(arrays["text"].tobytes().decode("utf-8", "surrogatepass")))


def _names_of(shape: type) -> list[str]:
    """The fields of a dataclass that are part of its value, not of what it has computed."""
    return [field.name for field in fields(shape) if field.compare]


def _small(array: np.ndarray) -> np.ndarray:
    """The same numbers in the smallest type that holds each of them exactly."""
    if array.dtype == np.float64:
        with np.errstate(over="ignore"):
            half = array.astype(np.float16)
        return half if np.array_equal(half.astype(np.float64), array, equal_nan=True) else array
    if array.dtype == np.int64 and array.size:
        low, high = array.min(), array.max()
        for kind in _INTEGERS:
            if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
                return array.astype(kind)
    return array


_NEWEST = (
    *("grades", "question_roles", "carried_versions", "rubrics", "grading_sets", "decompositions"),
    "annotator_states",
    "adjudications where triggered_by <> 'judge'",  # a cause alone is in no figure
)

# Of what defines a grader only a stated price may change, which is in the cost of a judge, and
# whether an annotator is accepted.
_GRADERS = (
    "select id, kind, name, simulated, merged_into, created_at, accepted,"
    " json_extract(definition, '$.stated_price') from graders"
)
# A set can be withdrawn, emptied, or put under a newer wording of its rubric.
_SETS = "select id, name, kind, rubric_id, emptied, created_at from grading_sets where sheet_id = ?"
# What else a panel is read from.
_COUNTED = (
    *("items", "questions", "question_roles", "grades", "adjudications", "regrade_requests"),
    *("rubrics", "carried_versions", "grading_set_items", "draw_probabilities", "runs"),
    *("units", "decompositions", "decomposition_units", "annotator_states"),
)


def state_key(store: Store, sheet: Sheet) -> str:
    """Return the state key of a sheet's reports, from a handful of index lookups.

    Rows are only ever added, so the newest identifies all; undoing an import, which moves them, is
    counted with the sheet; graders, who may be renamed, merged or
    deleted, and the sheet's grading sets are compared as a whole. Deleting another sheet takes its
    splits along, which may have closed questions of this one.
    """
    newest = [
        tuple(store.row(f"select id, created_at from {table} order by id desc") or ())
        for table in _NEWEST
    ]
    graders = store.rows(_GRADERS)
    # Counting a sheet's answers would visit every one. Ids of deleted ones are given again.
    newest.append((store.value("select max(id) from items"),))
    newest.append((store.value("select max(id) from imports where sheet_id = ?", (sheet.id,)),))
    approved = store.row("select count(*), max(approved_at) from decomposition_approvals")
    moves = store.value("select moves from sheets where id = ?", (sheet.id,))
    splits = store.value("select count(*) from question_roles")
    sets = store.rows(_SETS, (sheet.id,))
    named = (store.identity(), store.path, sheet.id, sheet.imported_at, moves, splits)
    whole = map(tuple, (*graders, *sets))
    return repr((*named, *newest, *whole, tuple(approved)))


def extent(store: Store, sheet: Sheet) -> str:
    """Return what tells states apart that one process does not see both of.

    A state key is enough for a process: rows are only added while it runs. What outlives it may
    meet a database that was restored from a backup, and went another way from there, or that lost
    rows by hand. So the rows of every table a panel is read from are counted, which takes a
    hundredth of a second for millions, and the sheet's imports have the time they were undone. A
    grade that is overwritten by hand is in neither.
    """
    counts = store.row(
        "select " + ", ".join(f"(select count(*) from {table})" for table in _COUNTED)
    )
    imports = store.rows(
        "select id, imported_at, undone_at from imports where sheet_id = ?", (sheet.id,)
    )
    return repr((tuple(counts), *map(tuple, imports)))
