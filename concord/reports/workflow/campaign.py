"""Campaign progress: blocks of annotators, what is graded or reassigned, and the frozen rubric."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from concord.clock import day_of
from concord.grading import annotators, assignments, campaigns, regrades
from concord.grading.assignments import SetAnswer
from concord.grading.campaigns import LeftBlocks
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, counted, joined, said
from concord.reports.document import OPTIONAL, Cell, Column, Document, Table, table_of
from concord.reports.planning import pilot
from concord.reports.planning.pilot import Pilot
from concord.reports.workflow import regrade
from concord.rubrics.model import OF_ANSWERS, Rubric
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text.display import end_cut


@dataclass(frozen=True)
class Wording:
    """A criterion version: question, meaning of each score, what is shown with the answer."""

    question: str
    meanings: Mapping[str, str]
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A criterion that was changed, added (without `old`) or removed (without `new`).

    After a freeze `grades` are those that the new wording leaves behind, also as a `sentence`.
    """

    criterion: str
    old: Wording | None
    new: Wording | None
    grades: int | None = field(default=None, metadata=OPTIONAL)
    sentence: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class Freeze:
    """The freeze of a set's rubric; `at` and `by` are None where it is not frozen.

    `changed` are criteria until the freeze, or until now, and `since` those after it.
    """

    rubric: str
    at: str | None
    by: str | None
    changed: tuple[Change, ...]
    since: tuple[Change, ...]


def freeze(store: Store, grading_set: GradingSet) -> Freeze:
    """Return the freeze of a set, or what one would change."""
    held = rubric_versions.freeze_of(store, grading_set.id)
    own = rubric_versions.get(store, grading_set.rubric_id)
    newest = own
    if not regrades.is_one(store, grading_set.id):  # such a set has one criterion of a rubric
        _, newest = rubric_versions.named(store, own.name)
    later = rubric_versions.changes(own, newest)
    since = []
    for one in _changed_versions(store, later, newest, own) if held else ():
        left = ()
        # A criterion that is there no more has no grades to be given again.
        if one.criterion in newest.versions():
            left = regrade.outstanding(store, newest, one.criterion)
        since.append(replace(one, grades=len(left), sentence=regrade.sentence(left)))
    return Freeze(
        rubric=own.name,
        at=held and held.created_at,
        by=held and held.frozen_by,
        changed=_changed_versions(store, held.changed if held else later, newest, own),
        since=tuple(since),
    )


def document(found: Freeze) -> Document:
    """Return what is shown of a freeze: every change before it, and what later edits leave."""
    changed = map(Column, ("criterion", "part", "before", "after"))
    since = (
        (Column("criterion"), "criterion"),
        (Column("grades to regrade", "count"), "grades"),
    )
    same = "No change of the wording since the set was made."
    return Document(
        said(
            "The rubric {rubric} was frozen on {day} by {name}."
            if found.at
            else "The rubric {rubric} is not frozen yet.",
            rubric=found.rubric,
            day=found.at and day_of(found.at),
            name=found.by,
        ),
        facts=() if found.changed else (same,),
        tables=(
            Table(
                "changed",
                tuple(changed),
                tuple(row for one in found.changed for row in difference(one)),
                "Changes of the wording",
            ),
            table_of("since", found.since, since, "Reworded after the freeze"),
        ),
    )


def difference(one: Change) -> list[tuple[Cell, ...]]:
    """Return the rows of a changed criterion: its name, the part, old and new wording."""
    name, old, new = one.criterion, one.old, one.new
    if old is None or new is None:
        return [(name, "question", old and old.question, new and new.question)]
    parts = {"question": (old.question, new.question)}
    parts |= {
        score: (old.meanings.get(score), new.meanings.get(score))
        for score in {**old.meanings, **new.meanings}
    }
    parts["what is shown with the answer"] = _shown(old), _shown(new)
    changed = [(name, part, *words) for part, words in parts.items() if words[0] != words[1]]
    return changed or [(name, None, None, None)]  # the words for the scores of units


def _shown(wording: Wording) -> Said | None:
    return joined(", ", (OF_ANSWERS.get(part, part) for part in wording.shown)) or None


def _changed_versions(
    store: Store, changed: rubric_versions.Changed, *rubrics: Rubric
) -> tuple[Change, ...]:
    """Return the changes; the first of the rubrics that has a criterion names it."""
    found = []
    for name, versions in changed.items():
        old, new = (rubric_versions.wording_of(store, version) for version in versions)
        title = next((rubric.named(name) for rubric in rubrics if name in rubric.versions()), name)
        found.append(Change(title, old and Wording(**old), new and Wording(**new)))
    return tuple(found)


@dataclass(frozen=True)
class AnnotatorBlocks:
    """An annotator's blocks, from 1, and how many of the assigned answers are graded.

    `removed` is true for one who was removed from the set, `paused` is since when, or None.
    """

    name: str
    blocks: tuple[int, ...]
    done: int
    of: int
    removed: bool
    paused: str | None


@dataclass(frozen=True)
class BlockMove:
    """A block that was reassigned.

    Attributes:
        block: The block, from 1.
        from_: Who had it; None for an unassigned place.
        to: Who has it now.
        graded: How many of its answers the former annotator graded; these grades are kept.
        sentence: The move, in one sentence.
    """

    block: int
    from_: str | None
    to: str
    graded: int
    sentence: Said


@dataclass(frozen=True)
class BlocksGiven:
    """The blocks that went from an annotator who left to another one."""

    to: str
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Departure:
    """An annotator who left, and what became of their blocks.

    Attributes:
        name: The annotator.
        moved: The blocks that others grade now.
        unassigned: The blocks that no other annotator could take.
        begun: The blocks begun and not finished, whose ungraded answers are unassigned.
        sentence: The departure, in one sentence.
    """

    name: str
    moved: tuple[BlocksGiven, ...]
    unassigned: tuple[int, ...]
    begun: tuple[int, ...]
    sentence: Said


@dataclass(frozen=True)
class AnswerAssignment:
    """One answer that was assigned to an annotator, or taken back (`taken_back`)."""

    item: str
    name: str
    taken_back: bool
    sentence: Said


@dataclass(frozen=True)
class CampaignProgress:
    """The assignment of a grading set.

    Attributes:
        annotators: Everyone with blocks, single answers or grades in the set, by name.
        unassigned: The blocks with an unassigned place.
        until: The due date; None without one.
        frozen: The freeze of the set's rubric.
        pilot: The set read as a pilot, where that was asked for.
        moved: The block that was reassigned in this step.
        left: The annotator who left in this step.
        assigned: The answer that was assigned or taken back in this step.
    """

    annotators: tuple[AnnotatorBlocks, ...]
    unassigned: tuple[int, ...]
    until: str | None
    frozen: Freeze
    pilot: Pilot | None
    moved: BlockMove | None
    left: Departure | None
    assigned: AnswerAssignment | None


def progress(
    store: Store,
    grading_set: GradingSet,
    piloted: Pilot | None = None,
    moved: BlockMove | None = None,
    left: Departure | None = None,
    assigned: AnswerAssignment | None = None,
) -> CampaignProgress:
    """Return the assignment of a set, with what was just changed."""
    arranged = campaigns.find(store, grading_set.id)
    return CampaignProgress(
        annotators=_annotators(store, grading_set),
        unassigned=_from_one(campaigns.unassigned(store, grading_set.id)),
        until=arranged.deadline if arranged else None,
        frozen=freeze(store, grading_set),
        pilot=piloted,
        moved=moved,
        left=left,
        assigned=assigned,
    )


def single(item: str, name: str, taken_back: bool) -> AnswerAssignment:
    """Return an answer that was assigned to an annotator one by one, or taken back."""
    sentence = (
        said("Answer {answer} taken back from {name}.", answer=item, name=name)
        if taken_back
        else said("Answer {answer} assigned to {name}.", answer=item, name=name)
    )
    return AnswerAssignment(item, name, taken_back, sentence)


def move(block: int, source: str | None, target: str, graded: int) -> BlockMove:
    """Return a move of a block, counted from 1."""
    return BlockMove(block, source, target, graded, assigned((block,), target))


def assigned(blocks: Sequence[int], to: str) -> Said:
    """Return the sentence on who has blocks now, counted from 1."""
    return said("Now assigned to {to}: block {blocks}.", blocks=_listed(sorted(blocks)), to=to)


def departure(store: Store, name: str, left: LeftBlocks) -> Departure:
    """Return what became of the blocks of an annotator who left."""
    given: dict[str, list[int]] = {}
    for seat, person in left.given.items():
        given.setdefault(graders.get(store, person).name, []).append(seat.block)
    return Departure(
        name=name,
        moved=tuple(BlocksGiven(to, _from_one(blocks)) for to, blocks in given.items()),
        unassigned=_from_one(left.unassigned),
        begun=_from_one(left.begun),
        sentence=said("{name} has left the set.", name=name),
    )


def documents(found: CampaignProgress) -> tuple[Document, ...]:
    """Return what is shown: the progress, the freeze where there is any, the pilot if asked for."""
    froze = found.frozen.at or found.frozen.changed
    return (
        _document(found),
        *([document(found.frozen)] if froze else []),
        *([pilot.document(found.pilot)] if found.pilot else []),
    )


def _document(found: CampaignProgress) -> Document:
    done, of = (sum(getattr(one, key) for one in found.annotators) for key in ("done", "of"))
    parts = (
        (Column("annotator"), "name"),
        (Column("graded", "count"), "done"),
        (Column("assigned", "count"), "of"),
        (Column("blocks"), lambda one: _listed(one.blocks)),
        *([(Column("state"), _state)] if any(map(_state, found.annotators)) else []),
    )
    gone = found.left
    left = [_left(gone)] if gone and (gone.moved or gone.unassigned) else []
    return Document(
        said("{done:,} of {of:,} assigned answers are graded.", done=done, of=of)
        if found.annotators
        else "No block of this set is assigned to an annotator.",
        facts=tuple(_facts(found)),
        tables=(*left, table_of("annotators", found.annotators, parts)),
    )


def _state(one: AnnotatorBlocks) -> Said | None:
    """Return that an annotator was removed or is paused; None for one who grades."""
    if one.removed:
        return "left the set"
    return said("paused since {day}", day=day_of(one.paused)) if one.paused else None


def _facts(found: CampaignProgress) -> Iterator[Said]:
    moved = found.moved
    if moved:
        yield moved.sentence
    if moved and moved.graded:
        yield said(
            "{name} graded {answers} of it. These grades are kept and count.",
            name=moved.from_,
            answers=counted(moved.graded, "answer"),
        )
    if found.left:
        yield found.left.sentence
    if found.left and found.left.begun:
        yield said(
            "{name}: {blocks}. Removed; ungraded answers there are unassigned until you move the "
            "block.",
            name=found.left.name,
            blocks=_listed(found.left.begun),
        )
    if found.assigned:
        yield found.assigned.sentence
    if found.until:
        yield said("Due on {day}.", day=day_of(found.until))
    left = found.unassigned or any(one.done < one.of for one in found.annotators)
    if campaigns.is_past(found.until) and left:
        yield "That date has passed."
    if found.unassigned:
        blocks = _listed(found.unassigned)
        yield said("Blocks with an unassigned place: {blocks}.", blocks=blocks)


def _left(left: Departure) -> Table:
    """Return the outcome of each block that an annotator who left had not begun."""
    columns = (Column("blocks"), Column("now assigned to"))
    rows = [(_listed(one.blocks), one.to) for one in left.moved]
    rows += [(_listed(left.unassigned), "unassigned")] if left.unassigned else []
    return Table("left", columns, tuple(rows), said("Blocks of {name}", name=left.name))


def _annotators(store: Store, grading_set: GradingSet) -> tuple[AnnotatorBlocks, ...]:
    """Return who grades the campaign by name, so that the order says nothing about speed."""
    versions = list(rubric_versions.get(store, grading_set.rubric_id).versions().values())
    arranged = campaigns.find(store, grading_set.id)
    everyone = assignments.everyone(store, grading_set.id) if arranged else ()
    own: dict[int, list[int]] = {person: [] for person in everyone}
    for seat, person in campaigns.taken(store, grading_set.id).items():
        if person is not None:
            own[person].append(seat.block)
    rows = [
        AnnotatorBlocks(
            graders.get(store, person).name,
            _from_one(sorted(blocks)),
            *assignments.done(store, grading_set, person, versions),
            campaigns.has_left(store, grading_set, person),
            annotators.paused_since(store, person),
        )
        for person, blocks in own.items()
    ]
    return tuple(sorted(rows, key=lambda row: row.name.casefold()))


def _from_one(blocks: Sequence[int]) -> tuple[int, ...]:
    return tuple(block + 1 for block in blocks)


def _listed(blocks: Sequence[int]) -> str:
    return joined(", ", map(str, blocks))


# Columns of text in the table: a cell cuts what is too long for it through a letter.
_QUESTION, _ANSWER = 25, 47


def table(found: Sequence[SetAnswer]) -> Table:
    """Return the answers of a set, with who has each and who graded it."""
    parts = (
        (Column("item"), "own_id"),
        (Column("block", "count"), lambda one: one.block + 1),
        (Column("assigned to"), lambda one: joined(", ", one.assigned)),
        (Column("graded by"), lambda one: joined(", ", one.graded)),
        (Column("question"), lambda one: end_cut(one.question, _QUESTION)),
        (Column("answer"), lambda one: end_cut(one.answer, _ANSWER)),
    )
    return table_of("answers", found, parts)
