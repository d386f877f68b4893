"""Campaign progress: the blocks of each annotator, what is graded, and what was reassigned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from concord.clock import day_of
from concord.grading import annotators, assignments, campaigns
from concord.grading.campaigns import LeftBlocks
from concord.grading.grading_sets import GradingSet
from concord.messages import Said, counted, joined, said
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.planning import pilot
from concord.reports.planning.pilot import Pilot
from concord.reports.workflow import rubric_freeze
from concord.reports.workflow.rubric_freeze import Freeze
from concord.store import graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


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
        frozen=rubric_freeze.freeze(store, grading_set),
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
    if len(blocks) == 1:
        return said("Block {n} is now assigned to {to}.", n=blocks[0], to=to)
    return said("Blocks {blocks} are now assigned to {to}.", blocks=_listed(sorted(blocks)), to=to)


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
        *([rubric_freeze.document(found.frozen)] if froze else []),
        *([pilot.document(found.pilot)] if found.pilot else []),
    )


def _document(found: CampaignProgress) -> Document:
    done, of = (sum(getattr(one, key) for one in found.annotators) for key in ("done", "of"))
    parts = (
        (Column(said("annotator")), lambda one: one.name),
        (Column(said("graded"), "count"), lambda one: one.done),
        (Column(said("assigned"), "count"), lambda one: one.of),
        (Column(said("blocks")), lambda one: _listed(one.blocks)),
        *([(Column(said("state")), _state)] if any(map(_state, found.annotators)) else []),
    )
    gone = found.left
    left = [_left(gone)] if gone and (gone.moved or gone.unassigned) else []
    return Document(
        said("{done:,} of {of:,} assigned answers are graded.", done=done, of=of)
        if found.annotators
        else said("No block of this set is assigned to an annotator."),
        facts=tuple(_facts(found)),
        tables=(*left, table_of("annotators", found.annotators, parts)),
    )


def _state(one: AnnotatorBlocks) -> Said | None:
    """Return that an annotator was removed or is paused; None for one who grades."""
    if one.removed:
        return said("left the set")
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
        yield said("That date has passed.")
    if found.unassigned:
        blocks = _listed(found.unassigned)
        yield said("Blocks with an unassigned place: {blocks}.", blocks=blocks)


def _left(left: Departure) -> Table:
    """Return the outcome of each block that an annotator who left had not begun."""
    columns = (Column(said("blocks")), Column(said("now assigned to")))
    rows = [(_listed(one.blocks), one.to) for one in left.moved]
    rows += [(_listed(left.unassigned), said("unassigned"))] if left.unassigned else []
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
