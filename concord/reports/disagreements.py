"""Disagreements: every answer that a judge and annotators score differently, as a work list.

One disagreement is an answer in one error cell of one judge and criterion: all annotators who gave
it that score form one entry, so the list is as long as the confusion matrix says. Held-out and
leaked questions are excluded. Data stay in arrays until a page of the list is shown.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from concord.grading import disagreement_causes
from concord.grading.disagreement_causes import CAUSES, Tag
from concord.judges import few_shot
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.prompting.request import messages, request, settings
from concord.messages import Conflict, Problem, counted, joined
from concord.model import BASELINE, Grader, Sheet
from concord.reports.document import Document, Part, listing
from concord.reports.panel.choice import judge_of
from concord.reports.panel.panel import Panel
from concord.rubrics.model import Rubric
from concord.store import graders, grades, items, runs
from concord.store.database import Row, Store
from concord.store.items import Stored
from concord.store.rubrics import rubric_versions
from concord.text.display import one_line

UNTAGGED, TAGGED = "untagged", "tagged"
NOTHING = "This list contains no disagreements."
NOT_COMPARED = "Nothing was compared: no answer has both a judge's and an annotator's score."
_SHORT = 48  # of a question in a column, in characters
_PORTION = 500
_KEYS = ["item", "criterion", "judge", "person", "said"]


class DisagreementFilter(NamedTuple):
    """Filters of the list; None for no filter.

    Attributes:
        cell: The annotator's score and the judge's.
    """

    criterion: str | None = None
    judge: int | None = None
    cell: tuple[int, int] | None = None


EVERYTHING = DisagreementFilter()


class Key(NamedTuple):
    """The lasting name of one disagreement, which ends when one of its grades is changed."""

    item_id: int
    criterion: str
    judge: int
    person: int
    said: int

    def text(self) -> str:
        """The key as a URL holds it; `read_key` reads it back."""
        return f"{self.item_id}.{self.judge}.{self.person}.{self.said}.{self.criterion}"


def read_key(text: str) -> Key | None:
    """Return the key in a URL; None where it is invalid."""
    parts = text.split(".", 4)
    if len(parts) < 5 or not all(part.removeprefix("-").isdecimal() for part in parts[:4]):
        return None
    item_id, *rest = map(int, parts[:4])
    return Key(item_id, parts[4], *rest)


class NewestTag(NamedTuple):
    """The newest tag of a disagreement; `tag` counts up with time."""

    tag: int
    cause: str
    note: str
    who: str
    when: str


NO_TAG = NewestTag(0, "", "", "", "")
Tags = Mapping[str, Sequence[NewestTag]]  # by the text of a key, oldest first


def wanted(
    store: Store, panel: Panel, judge: str | None, criterion: str | None, cell: str | None
) -> DisagreementFilter:
    """Return the filters; raise a Problem that lists the known names where one is unknown."""
    scores = {f"{a}:{b}": (a, b) for a in panel.rubric.scale for b in panel.rubric.scale if a != b}
    if cell and cell not in scores:
        raise Problem(
            "“{text}” names no error cell. Name one of: {known}.",
            text=cell,
            known=joined(", ", scores),
        )
    return DisagreementFilter(
        criterion and panel.rubric.criterion(criterion).name,
        judge_of(store, panel, judge).id if judge else None,
        scores[cell] if cell else None,
    )


def every(panel: Panel, wanted: DisagreementFilter = EVERYTHING) -> pd.DataFrame:
    """Return every disagreement that passes the filters other than cause, worst first.

    Worst is the largest difference; then what annotators failed and the judge passed, then what
    annotators passed and the judge failed; then the order of the sheet.

    Returns:
        Columns item (index in the panel), criterion (index in the rubric), judge (id), person and
        said (the two scores), annotators (how many gave that score), size (points apart), id (of
        the answer), key (the text of its `Key`).
    """
    criteria, parts = panel.rubric.criteria, [pd.DataFrame(columns=_KEYS, dtype=np.int64)]
    for place, criterion in enumerate(criteria):
        for judge in panel.judges if wanted.criterion in (None, criterion.name) else ():
            marks = panel.of(criterion.name, judge)
            for person in panel.annotators if wanted.judge in (None, judge) else ():
                theirs = panel.of(criterion.name, person).score
                both = panel.counted(criterion.name, person) & marks.scored
                differ = np.flatnonzero(both & (theirs != marks.score))
                scores = theirs[differ].astype(np.int64), marks.score[differ].astype(np.int64)
                cells = (differ, place, judge, *scores)
                parts.append(pd.DataFrame(dict(zip(_KEYS, cells, strict=True))))
    frame = pd.concat(parts).groupby(_KEYS).size().reset_index(name="annotators")
    if wanted.cell is not None:
        frame = frame[(frame["person"] == wanted.cell[0]) & (frame["said"] == wanted.cell[1])]
    frame["size"] = (frame["said"] - frame["person"]).abs()
    failing = [panel.rubric.failing(criterion) for criterion in criteria]
    sides = (zip(frame["criterion"], frame[name], strict=True) for name in ("person", "said"))
    person, said = (np.array([score in failing[n] for n, score in side], bool) for side in sides)
    frame["crossing"] = 2 * (person & ~said) + (~person & said)  # 2: the judge passed a failing one
    order = ["size", "crossing", "item", "criterion", "judge", "person"]
    rising = [name not in ("size", "crossing") for name in order]
    frame = frame.sort_values(order, ascending=rising, ignore_index=True).drop(columns="crossing")
    frame["id"] = panel.items["id"].to_numpy()[frame["item"]]
    frame["key"] = [
        Key(item_id, criteria[criterion].name, *rest).text()
        for item_id, criterion, *rest in frame[["id", *_KEYS[1:]]].itertuples(index=False)
    ]
    return frame


def is_compared(panel: Panel, wanted: DisagreementFilter = EVERYTHING) -> bool:
    """True where an answer has scores of a wanted judge and of an annotator.

    An empty list means nothing where none has.
    """
    return any(
        (panel.of(criterion.name, judge).scored & panel.counted(criterion.name, person)).any()
        for criterion in panel.rubric.criteria
        if wanted.criterion in (None, criterion.name)
        for judge in panel.judges
        if wanted.judge in (None, judge)
        for person in panel.annotators
    )


def tags_of(store: Store, sheet_id: int, rubric: Rubric) -> Tags:
    """Return every tag of the sheet under the rubric's criterion versions.

    A tag is of the disagreement its grades make up as they are now; where the judge's grade or all
    of the annotators' are no longer the current ones, it is of none.
    """
    versions = rubric_versions.criteria(store, rubric)
    frame = disagreement_causes.of_sheet(store, sheet_id, versions)
    found: dict[str, list[NewestTag]] = {}
    for tag, rows in frame.groupby("tag"):
        is_person = rows["kind"] == "person"
        if is_person.all() or (~is_person).sum() > 1 or not is_person.any():
            continue
        judge, person = rows[~is_person].iloc[0], rows[is_person].iloc[0]
        if person["score"] % 1 or judge["score"] % 1:  # continuous by now
            continue
        scores = int(person["score"]), int(judge["score"])
        key = Key(judge["item_id"], judge["criterion"], judge["grader_id"], *scores)
        told = person["cause"], person["note"], person["who"] or "", person["created_at"]
        found.setdefault(key.text(), []).append(NewestTag(int(tag), *told))
    return found


def with_cause(rows: pd.DataFrame, tags: Tags, cause: str | None, until: int) -> pd.DataFrame:
    """Return the rows with a cause, as of the tag `until`.

    While `until` is unchanged, a row tagged meanwhile stays in the list of untagged ones, so that
    the list does not shift during work.
    """
    if cause is None:
        return rows
    causes = _causes({key: [o for o in those if o.tag <= until] for key, those in tags.items()})
    meant = [key for key, one in causes.items() if cause in (one, TAGGED, UNTAGGED)]
    among = rows["key"].isin(meant)
    return rows[~among if cause == UNTAGGED else among]


def _causes(tags: Tags) -> dict[str, str]:
    """The newest cause by key; what has none, or no more, is left out."""
    return {key: those[-1].cause for key, those in tags.items() if those and those[-1].cause}


def counts(rows: pd.DataFrame, tags: Tags) -> Counter:
    """Count the rows by cause, without untagged ones."""
    causes = _causes(tags)
    return Counter(causes[key] for key in rows["key"] if key in causes)


def noted(tags: Tags, criterion: str, cause: str) -> list[NewestTag]:
    """The newest tags of a criterion's disagreements that name a cause, newest first."""
    newest = [those[-1] for key, those in tags.items() if read_key(key).criterion == criterion]
    return sorted((one for one in newest if one.cause == cause), reverse=True)


class Disagreement(NamedTuple):
    """An answer that a judge and some annotators score differently, with their grades.

    Attributes:
        annotators: Everyone who gave the score in question.
        others: The other annotators who count, whatever they gave.
    """

    key: Key
    stored: Stored
    judge: Row
    annotators: list[Row]
    others: list[Row]


def read(store: Store, panel: Panel, wanted: Sequence[Key]) -> list[Disagreement]:
    """Some disagreements in the order asked for.

    One is left out where the judge or all annotators have changed the score.
    """
    versions = rubric_versions.criteria(store, panel.rubric)
    answers = {one.id: one for one in items.items(store, [key.item_id for key in wanted])}
    given = {
        item_id: sorted(grades.of_item(store, item_id, [*versions]), key=lambda row: row["id"])
        for item_id in answers
    }
    made = []
    for key in wanted:
        mine = {
            row["grader_id"]: row
            for row in given.get(key.item_id, ())
            if row["repeat"] == 1 and versions[row["version"]] == key.criterion
        }
        judge = mine.get(key.judge)
        theirs = [mine[i] for i in panel.annotators if i in mine and mine[i]["blind"] != 0]
        same = [row for row in theirs if row["score"] == key.person]
        others = [row for row in theirs if row["score"] != key.person]
        if judge is not None and judge["score"] == key.said and same:
            made.append(Disagreement(key, answers[key.item_id], judge, same, others))
    return made


def tag(
    store: Store, panel: Panel, key: Key | None, cause: str, grader_id: int, note: str = ""
) -> bool:
    """Tag the cause of a disagreement; a Problem where it no longer matches the key."""
    found = read(store, panel, [key] if key else [])
    if not found:
        raise Conflict("One of these grades has changed since. Reload the list.")
    version = panel.rubric.versions()[key.criterion]
    grade_ids = tuple(row["id"] for row in (found[0].judge, *found[0].annotators))
    given = Tag(key.item_id, version, grade_ids, cause, grader_id, note)
    return disagreement_causes.tag(store, given)


def in_full(store: Store, panel: Panel, rows: pd.DataFrame, tags: Tags) -> list[dict[str, Any]]:
    """Return rows of the list in full, as `--json` and CSV have them; read in portions.

    cause, note, tagged_by, tagged_at: Its tag; None without one.
    """
    names = items.item_names(store, panel.sheet.id)
    made = []
    for start in range(0, len(rows), _PORTION):
        wanted = [*map(read_key, rows["key"].iloc[start : start + _PORTION])]
        for one in read(store, panel, wanted):
            tag = (tags.get(one.key.text()) or [NO_TAG])[-1]
            item, question, answer_model = names[one.key.item_id]
            sides = (one.judge, *one.annotators)
            line = {
                "key": one.key.text(),
                "item": item,
                "question": question,
                "answer_model": answer_model or None,
                "criterion": one.key.criterion,
                "judge": panel.labels[one.key.judge],
                "judge_score": one.key.said,
                "judge_reason": one.judge["reason"],
                "annotator_score": one.key.person,
                "annotators": ", ".join(row["name"] for row in one.annotators),
                "annotator_reasons": "\n".join(filter(None, (r["reason"] for r in one.annotators))),
                "points_apart": abs(one.key.said - one.key.person),
                "simulated": any(row["simulated"] for row in sides),
                "question_text": one.stored.item.question,
                "answer": one.stored.item.answer,
                "cause": tag.cause or None,
                "note": tag.note or None,
                "tagged_by": tag.who or None,
                "tagged_at": tag.when or None,
            }
            made.append(line)
    return made


def sentence(found: Counter, total: int) -> str:
    """Return how many are tagged and with what.

    Working worst first does not tag a random sample, so no share of the total is claimed.
    """
    if not total:
        return NOTHING
    if not found:
        return counted(total, "disagreement") + ", none tagged yet."
    causes = ", ".join(f"{n} {CAUSES[cause]}" for cause, n in found.most_common())
    return f"{found.total()} of {total:,} tagged: {causes}."


def report(
    store: Store,
    panel: Panel,
    filters: DisagreementFilter,
    cause: str | None,
    limit: int,
    by: str | None = None,
) -> dict[str, Any]:
    """Return the list, after recording who now sees it.

    `total` is how many there are; `disagreements` has the first. `compared` is false where no
    answer has scores of both sides; `causes` counts the tags.
    """
    tags, whole = tags_of(store, panel.sheet.id, panel.rubric), every(panel, filters)
    found = counts(whole, tags)
    rows = with_cause(whole, tags, cause, disagreement_causes.newest(store))
    listed = rows.iloc[:limit]
    reader = by and graders.ensure_annotator(store, by).id
    grades.open_items(store, {*map(int, listed["id"])}, reader)
    return {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "total": len(rows),
        "compared": is_compared(panel, filters),
        "left_out": panel.continuous_note(filters.judge) or "",
        "causes": dict(found),
        "sentence": sentence(found, len(whole)),
        "disagreements": in_full(store, panel, listed, tags),
        "synthetic": panel.sheet.synthetic,
    }


_PARTS: tuple[Part, ...] = (
    ("key", "key"),
    ("item", "item"),
    ("judge", "judge"),
    ("annotator", "annotator_score"),
    ("judge's", "judge_score"),
    ("given by", "annotators"),
    ("cause", lambda one: CAUSES.get(one["cause"], "")),
    ("question", lambda one: one_line(one["question_text"], _SHORT)),
)


def document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of the list."""
    headline = found["sentence"] if found["compared"] else NOT_COMPARED
    rows, total = found["disagreements"], found["total"]
    return listing("disagreements", rows, _PARTS, headline, total, (found["left_out"],))


def sent(store: Store, panel: Panel, one: Disagreement) -> dict[str, Any]:
    """Return the prompt for an answer and a criterion: its `messages`, the `rest` as JSON.

    `source` says where it comes from, or why there is none.
    """
    grader, none = panel.judges[one.key.judge], {"messages": [], "rest": ""}
    bodies, source = stored_requests(store, one.stored.id, grader.id), "As it was sent."
    if not bodies:
        if why := why_no_prompt(grader):
            return none | {"source": "No prompt: " + why}
        source = "No reply is stored; this is what the judge would be sent now."
        try:
            judge = registry.stored(grader)
            bodies = requests_now(store, judge, panel.rubric, panel.sheet, one.stored.id)
        except Problem as problem:
            return none | {"source": str(problem)}
    body = bodies.get(one.key.criterion) or next(iter(bodies.values()))
    rest = json.dumps(settings(body), ensure_ascii=False, indent=2)
    return {"messages": messages(body), "rest": rest, "source": source}


def why_no_prompt(grader: Grader) -> str | None:
    """Return why a judge has no prompt or an unknown one; None where it has one."""
    if grader.name == BASELINE:
        return "the baseline reads no prompt"
    if grader.definition.get("members"):
        return "a combined judge reads no prompt"
    if registry.stored(grader):
        return None
    return "its grades came from a file, so its prompt is not known"


def stored_requests(store: Store, item_id: int, judge_id: int) -> dict[str, dict]:
    """Return the stored request of each part as it was first sent, without what re-asks added."""
    rows = runs.of_item(store, item_id, judge_id)
    first = [row for row in rows if row["repeat"] == 1]
    found = {row["part"]: _read(row["request"]) for row in reversed(first)}
    return {part: body for part, body in found.items() if body}


def requests_now(
    store: Store, judge: Judge, rubric: Rubric, sheet: Sheet, item_id: int
) -> dict[str, dict]:
    """Return the request of each part as a run would make it now."""
    item = items.item(store, item_id).item
    shown = tuple(few_shot.gather(store, judge, rubric, sheet))
    return {part: request(judge, rubric, item, part, shown) for part in judge.parts(rubric)}


def _read(text: str) -> dict[str, Any] | None:
    try:
        body = json.loads(text)
    except ValueError:
        return None
    return body if isinstance(body, dict) and {"messages", "questions"} & body.keys() else None
