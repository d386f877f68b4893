"""Offline packages: one grader's work in a set as a file, for annotators without access.

A row is identified outside by its code alone: the package's token, and a keyed hash of its place.
The key never leaves the database, not even in an export, so a file reveals neither which answer a
row is, nor its answering model, nor that it is a hidden repeat.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from concord.clock import now
from concord.grading import assignments, campaigns, item_view
from concord.grading.assignments import Assigned
from concord.grading.grading_sets import GradingSet
from concord.importing.fields import folded
from concord.messages import Problem, joined, said
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

CODE, NOTE = "row_code", "note"
CANNOT = "cannot grade"
ANSWERS = "Answers"  # the worksheet to fill in
# The texts in the order in which they are read.
TEXTS = ("turns", "question", "contexts", "reference", "answer")
HEADINGS = {
    CODE: "Row code",
    "turns": "Conversation so far",
    "question": "Question",
    "contexts": "Contexts",
    "reference": "Reference answer",
    "answer": "Answer",
    NOTE: "Note",
}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_NO_CHARACTER = re.compile("[\ud800-\udfff\ufffe\uffff]")


class Pack(NamedTuple):
    """A pack: its set, whose it is by now, the token of its row codes, its rubric's words."""

    id: int
    set_id: int
    grader_id: int
    grader: str
    token: str
    made_by: str
    created_at: str
    rubric_id: int


class SentRow(NamedTuple):
    """A row of a package: its position, its answer, and the digests of its texts as sent.

    `item_id`: None if the answer has since been deleted. `repeat` is 2 for a hidden repeat.
    """

    place: int
    item_id: int | None
    repeat: int
    texts: Mapping[str, str]


class RowToGrade(NamedTuple):
    """One row to grade: its code, which reveals nothing, and its texts by part.

    `given` holds the grader's earlier grades, as cells.
    """

    code: str
    texts: Mapping[str, str]
    given: Mapping[str, str | int] = MappingProxyType({})


class Blank(NamedTuple):
    """A pack as it goes out: the rubric, and the rows in order."""

    rubric: Rubric
    rows: Sequence[RowToGrade]


def score_key(criterion: str) -> str:
    """Return the machine-readable key of a criterion's score cell."""
    return f"score_{criterion}"


def score_headings(rubric: Rubric) -> dict[str, str]:
    """Return the displayed heading of each criterion's score column."""
    titles = Counter(folded(one.heading()) for one in rubric.criteria)
    return {
        one.name: f"Score: {one.name if titles[folded(one.heading())] > 1 else one.heading()}"
        for one in rubric.criteria
    }


def part_heading(name: str, part: int) -> str:
    """Return the heading of a text's column, and of its continuation columns."""
    return HEADINGS[name] if part == 0 else f"{HEADINGS[name]}, part {part + 1}"


def allowed(rubric: Rubric) -> list[str]:
    """Return the permitted contents of a score cell."""
    return [*map(str, rubric.scale), CANNOT]


def clean(text: str) -> str:
    """Return the text with what a spreadsheet cannot hold made visible: ␀ for NUL, � for others."""
    seen = _CONTROL.sub(lambda found: chr(0x2400 + ord(found[0])), text)
    return _NO_CHARACTER.sub("\ufffd", seen)


def text_digest(text: str) -> str:
    """Return a hash that ignores line breaks, and changes with every word."""
    plain = " ".join(unicodedata.normalize("NFC", clean(text)).split())
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def guide(rubric: Rubric) -> list[str]:
    """Return the instructions for filling in a package, in sentences."""
    return [
        f"Scores: {', '.join(map(str, rubric.scale))}",
        "Where an answer cannot be graded, choose “cannot grade”, and say why in the note.",
        "Grade the texts as they are. Change neither the texts nor the row codes.",
        "Some answers may come twice. Grade them as if you had not seen them.",
    ]


_AT_ONCE = 500
_PACK = """select p.id, p.set_id, r.id as grader_id, r.name as grader, p.token, p.made_by,
    p.created_at, p.rubric_id
    from packs p join graders o on o.id = p.grader_id
    join graders r on r.id = coalesce(o.merged_into, o.id)"""


def annotators(store: Store, grading_set: GradingSet, names: Sequence[str]) -> list[int]:
    """Return the graders to make packages for: by name, else the campaign's.

    A Problem where a name has no part in the set's campaign, and where no grader is given.
    """
    own = {one for one in campaigns.taken(store, grading_set.id).values() if one is not None}
    if not (names or own):
        raise Problem("Say who grades: --grader NAME for each.")
    ids = [graders.ensure(store, "person", name) for name in dict.fromkeys(names)]
    idle = [graders.get(store, one).name for one in ids if own and one not in own]
    if idle:
        raise Problem(
            "{names} has no block of “{set}”, which is assigned to annotators. Move a block "
            "with `campaign --move`, or name another annotator.",
            names=joined(", ", idle),
            set=grading_set.name,
        )
    return ids or sorted(own)


def remaining(store: Store, grading_set: GradingSet, grader_id: int) -> list[Assigned]:
    """Assign an annotator's whole queue, as the screen would; return what is left to grade.

    The training round is left out, since its feedback needs the screen; gold items are mixed in.
    """
    store.must_lead()
    versions = list(of_answers(store, grading_set).versions().values())
    assignments.lay_out(store, grading_set, grader_id)
    queue = assignments.queue(store, grading_set, grader_id, versions, 0)
    return [place for place in queue if not (place.done or place.is_training)]


def keep(
    store: Store, grading_set: GradingSet, grader_id: int, laid: Sequence[Assigned], by: str
) -> tuple[Pack, list[RowToGrade]]:
    """Store places of an annotator's queue, from `left`, as a package; return its rows.

    Earlier grades of an answer are included.
    """
    store.must_lead()
    rubric = of_answers(store, grading_set)
    texts = _texts(store, [place.item_id for place in laid], rubric)
    digests = {
        item: json.dumps({key: text_digest(text) for key, text in sent.items()})
        for item, sent in texts.items()
    }
    with store.write():
        pack_id = store.insert(
            "packs",
            set_id=grading_set.id,
            grader_id=grader_id,
            token=_spelled(secrets.token_bytes(5)),
            made_by=by,
            created_at=now(),
            rubric_id=grading_set.rubric_id,
        )
        # In a table of its own, which no export holds and no annotator or viewer can read.
        store.insert("pack_keys", pack_id=pack_id, secret=secrets.token_hex(32))
        pack = Pack(*store.row(f"{_PACK} where p.id = ?", (pack_id,)))
        store.insert_many(
            "pack_rows",
            ("pack_id", "place", "item_id", "repeat", "texts"),
            [
                (pack.id, n, one.item_id, one.repeat, digests[one.item_id])
                for n, one in enumerate(laid, 1)
            ],
        )
        key = _key(store, pack)
        given = earlier_grades(store, pack, rubric)
    return pack, [
        RowToGrade(
            _code(pack.token, key, n), texts[one.item_id], given.get((one.item_id, one.repeat), {})
        )
        for n, one in enumerate(laid, 1)
    ]


def rubric_of(store: Store, pack: Pack) -> Rubric:
    """Return the rubric that a pack was made with, whatever words its set has by now."""
    return rubric_versions.get(store, pack.rubric_id)


def earlier_grades(
    store: Store, pack: Pack, rubric: Rubric
) -> dict[tuple[int, int], dict[str, str | int]]:
    """Return the grader's earlier grades as cells, by (item, repeat) and criterion."""
    names = {version: name for name, version in rubric.versions().items()}
    # As of the time when the file was made: what it held then is no new grade when it comes back,
    # and what was given since is a conflict.
    rows = store.rows(
        """select g.item_id, g.repeat, g.version, g.score from grades g join pack_rows w
        on w.pack_id = :pack and w.item_id = g.item_id and w.repeat = g.repeat
        where g.grader_id in (select id from graders where id = :grader or merged_into = :grader)
        and g.version in (select value from json_each(:versions)) and g.unit_id is null
        and g.status <> 'withdrawn' and g.created_at <= :made and not exists (select 1
        from grades later where later.supersedes = g.id and later.created_at <= :made)
        order by g.id""",
        {
            "pack": pack.id,
            "grader": pack.grader_id,
            "versions": json.dumps([*names]),
            "made": pack.created_at,
        },
    )
    found: dict[tuple[int, int], dict[str, str | int]] = {}
    for row in rows:
        score = CANNOT if row["score"] is None else int(row["score"])
        found.setdefault((row["item_id"], row["repeat"]), {})[names[row["version"]]] = score
    return found


def of_answers(store: Store, grading_set: GradingSet) -> Rubric:
    """The rubric of a set, which must be of whole answers."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    if rubric.units:
        raise Problem(
            "“{set}” is graded by {parts}, which files do not support. Send a link to its screen, "
            "or export a set of whole answers.",
            set=grading_set.name,
            parts=said(rubric.plural),
        )
    return rubric


def of_codes(store: Store, codes: Collection[str]) -> dict[str, Pack]:
    """The packs that row codes may be of, by token."""
    tokens = sorted({code.partition("-")[0] for code in codes})
    rows = store.rows(
        f"{_PACK} where p.token in (select value from json_each(?))", (json.dumps(tokens),)
    )
    return {row["token"]: Pack(*row) for row in rows}


def of_set(store: Store, set_id: int) -> list[tuple[Pack, int, int]]:
    """Return the packages of a set, oldest first, each with its rows and returned answers."""
    return [
        (Pack(*row[:8]), row[8], row[9])
        for row in store.rows(
            f"""select *, (select count(*) from pack_rows w where w.pack_id = m.id),
            (select count(*) from (select distinct g.item_id, g.repeat from pack_grades b
            join grades g on g.id = b.grade_id where b.pack_id = m.id))
            from ({_PACK} where p.set_id = ?) m order by m.id""",
            (set_id,),
        )
    ]


def rows_by_code(store: Store, pack: Pack) -> dict[str, SentRow]:
    """Return every row of a package by its code, in the order sent."""
    key = _key(store, pack)
    return {
        _code(pack.token, key, row["place"]): SentRow(
            row["place"], row["item_id"], row["repeat"], json.loads(row["texts"])
        )
        for row in store.rows(
            "select place, item_id, repeat, texts from pack_rows where pack_id = ? order by place",
            (pack.id,),
        )
    }


def note(store: Store, pack: Pack, since: int) -> None:
    """Record that the grades stored after `since` came from a package; inside `write()`.

    Graded places that had left the annotator's queue meanwhile are in it again, so that grades
    count the same whether a package came back before a block was moved or after.
    """
    store.execute(
        """insert into pack_grades (grade_id, pack_id) select g.id, :pack from grades g
        where g.id > :since and exists (select 1 from pack_rows w where w.pack_id = :pack
        and w.item_id = g.item_id and w.repeat = g.repeat) on conflict do nothing""",
        {"pack": pack.id, "since": since},
    )
    _put_back(store, pack)


def _put_back(store: Store, pack: Pack) -> None:
    """Assign the graded places of a package that its annotator was taken since."""
    own = "in (select id from graders where id = :grader or merged_into = :grader)"
    store.execute(
        f"""insert into assignments (set_id, item_id, grader_id, block, position, repeat,
        inclusion_probability, created_at) select s.id, w.item_id, :grader,
        coalesce(m.block, 0), (select coalesce(max(position), -1) from assignments
          where set_id = s.id and grader_id = :grader) + row_number() over (order by w.place),
        w.repeat, case when w.repeat > 1 then s.repeat_share
          else coalesce(m.inclusion_probability, 1) end, :now
        from pack_rows w join grading_sets s on s.id = :set
        left join grading_set_items m on m.set_id = s.id and m.item_id = w.item_id
        where w.pack_id = :pack and exists (select 1 from pack_grades b join grades g
          on g.id = b.grade_id where b.pack_id = w.pack_id and g.item_id = w.item_id
          and g.repeat = w.repeat and g.grader_id {own})
        and not exists (select 1 from assignments a where a.set_id = s.id
          and a.item_id = w.item_id and a.repeat = w.repeat and a.grader_id {own})""",
        {
            "grader": pack.grader_id,
            "set": pack.set_id,
            "pack": pack.id,
            "now": now(),
        },
    )


def _key(store: Store, pack: Pack) -> bytes:
    secret = store.value("select secret from pack_keys where pack_id = ?", (pack.id,))
    return bytes.fromhex(secret)


def _code(token: str, key: bytes, place: int) -> str:
    """The code of a place: letters and digits that no spreadsheet takes for a number or a date."""
    # Keyed, since a plain hash of a small number can be tried out: it would show the order of the
    # queue, and with it the hidden repeats.
    hashed = hmac.digest(key, str(place).encode(), hashlib.sha256)
    return f"{token}-{_spelled(hashed[:10])}"


def _spelled(raw: bytes) -> str:
    return base64.b32encode(raw).decode().lower()


def _texts(store: Store, item_ids: Sequence[int], rubric: Rubric) -> dict[int, dict[str, str]]:
    """Return the non-empty texts the rubric shows of items, by part."""
    found = {}
    wanted = list(dict.fromkeys(item_ids))
    for start in range(0, len(wanted), _AT_ONCE):
        shown = item_view.shown(store, wanted[start : start + _AT_ONCE], rubric)
        for item, one in shown.items():
            contexts = "\n\n".join(f"[{n}] {text}" for n, text in enumerate(one.contexts, 1))
            texts = {
                "turns": one.turns,
                "question": one.question,
                "contexts": contexts,
                "reference": "\n\n".join(one.reference),
                "answer": one.answer,
            }
            found[item] = {key: text for key, text in texts.items() if text or key == "answer"}
    return found
