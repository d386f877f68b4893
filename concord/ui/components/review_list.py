"""The list of a review: entries of several kinds, one kind after the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from concord.definitions import digest
from concord.messages import Said
from concord.model import Grader, Sheet
from concord.reports.units.evidence import Part, segments
from concord.store.database import Store
from concord.text.display import visible
from concord.ui.widgets import empty


@dataclass(frozen=True)
class Decision:
    """A decision that an entry can get: its name in the table, its words and its key cap."""

    key: str
    name: str
    cap: str


# Of an entry that was not decided on, and of long texts without units or a prompt.
_UNDECIDED = {"decision": "", "note": "", "who": ""}
_BARE = {"nothing": "", "prompt": None}


def shown_text(part: Part) -> dict[str, Any]:
    """Return a text in pieces with its name, cut where its marked passages begin and end.

    Each piece has the ids of the units it is evidence of.
    """
    pieces = [{"text": visible(one.text), "units": list(one.units)} for one in segments(part)]
    return {"name": part.name, "segments": pieces}


class Chosen(NamedTuple):
    """The filters that all kinds share; None for no restriction.

    Attributes:
        criterion: A criterion of the rubric, or a rubric of units, by name.
        judge: A judge's label.
        model: An answering model.
        found: The answers that hold the words searched for.
    """

    criterion: str | None = None
    judge: str | None = None
    model: str | None = None
    found: set[int] | None = None

    def passes(self, item_id: int, model: str | None) -> bool:
        """True for an answer that the last two let pass."""
        return self.model in (None, model) and (self.found is None or item_id in self.found)


class Kind:
    """The entries of one kind on a sheet.

    Attributes:
        name: The kind in the URL.
        title: What the screen calls it.
        mark: What a row of a list of several kinds calls its entry.
        prefix: What a key begins with in the URL; keys of one kind have none.
        decisions: What can be decided of an entry; without any it is only read.
        withdraw: What the key is called that takes a decision back.
        prompts: True where the prompt of an entry can be shown.
        criterion: What entries are about: a name in the URL -> its words.
        judge: Whose grades they are: a label -> its words.
        first: The criterion and the judge to begin with where no other kind is shown.
        params: What its own filters are called in the URL.
        keys: The names of the entries that pass the filters, in order.
        criteria: What the scores of an entry mean, by criterion.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    mark: str = ""
    prefix: ClassVar[str] = ""
    decisions: ClassVar[tuple[Decision, ...]] = ()
    withdraw: ClassVar[str] = ""
    prompts: ClassVar[bool] = False
    criterion: Mapping[str, str]
    judge: Mapping[str, str]
    first: Mapping[str, str | None] = {}
    params: tuple[str, ...] = ()
    keys: Sequence[str] = ()
    criteria: Mapping[str, dict] = {}

    def __init__(self, store: Store, sheet: Sheet):
        self._store, self._sheet = store, sheet

    @staticmethod
    def is_on(store: Store, sheet: Sheet) -> bool:
        """Return True where a sheet has what entries are made of."""
        raise NotImplementedError

    def is_missing(self) -> bool:
        """Return True where there is nothing to find entries in."""
        return not self.is_on(self._store, self._sheet)

    def lead_on(self) -> None:
        """Show what is missing, and lead to it."""
        raise NotImplementedError

    def own_filters(self, chosen: Chosen) -> bool:
        """Show the filters that no other kind has; return True where one restricts the list."""
        return False

    def narrow(self, chosen: Chosen) -> None:
        """Keep the filters, and find the entries that pass them."""
        raise NotImplementedError

    def refresh(self, store: Store) -> None:
        """Read what was decided of the entries since."""

    @property
    def token(self) -> str:
        """Changes with the entries and their filters."""
        return digest([self.name, str(self._sheet.id), digest([*self.keys])])

    def counted(self) -> Said:
        """Return how many entries pass the filters, as in “35 disagreements”."""
        raise NotImplementedError

    def headline(self) -> tuple[str, str]:
        """Return what these entries say, and the line below it."""
        return self.counted(), ""

    def place(self, key: str | None) -> int:
        """Return the index of an entry, else of the one to begin with."""
        return self.keys.index(key) if key in self.keys else 0

    def item_ids(self, keys: Sequence[str]) -> Iterable[int]:
        """Return the answers of entries, which count as seen once they are shown."""
        raise NotImplementedError

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict[str, Any]]:
        """Return entries in full; one that is no more is left out.

        `id`, `row`, `about` and `marks` (`text`, `kind`, `title`) are for the list; `model`,
        `question`, the `answer` as safe HTML (absent if it is among the side texts), `scores` or
        `claim`, `decision`, `note` and `who` decided for the reader. All else is plain text.
        """
        raise NotImplementedError

    def texts(self, store: Store, key: str, prompt: bool) -> dict[str, Any]:
        """Return the long texts of one of the entries that were read last.

        The side texts as `parts`, the `units` with their verdicts (`nothing` is shown if there are
        none), and the `prompt` as it was sent if it is asked for.
        """
        raise NotImplementedError

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Store a decision ('' withdraws it) and a note; a Problem where it cannot be."""
        raise NotImplementedError

    def offer(self) -> None:
        """Add what the entries are as files to the download menu."""

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show below the pane what belongs to these entries, and to the current one."""

    def kind(self) -> dict[str, Any]:
        """Return what the browser has to know of every entry."""
        return {
            "mark": self.mark,
            "decisions": [*self.decisions],
            "withdraw": self.withdraw,
            "prompts": self.prompts,
        }


class ReviewList:
    """The entries of some kinds, in their order; each is asked for its own entries only."""

    def __init__(self, kinds: Sequence[Kind]):
        self.kinds = kinds
        self.token = digest([one.token for one in kinds])
        self.criteria = {name: words for one in kinds for name, words in one.criteria.items()}
        self.keys = [one.prefix + key for one in kinds for key in one.keys]

    def place(self, key: str | None) -> int:
        """Return the index of an entry, else of the one that the first entries begin with."""
        kind = self.of(key)
        begin = sum(len(one.keys) for one in self.kinds[: self.kinds.index(kind)])
        return begin + kind.place(key and key.removeprefix(kind.prefix))

    def item_ids(self, keys: Sequence[str]) -> set[int]:
        """Return the answers of entries."""
        return {item for one, own in self._shares(keys) for item in one.item_ids(own)}

    def entries(self, store: Store, keys: Sequence[str]) -> list[dict[str, Any]]:
        """Return entries in full."""
        return [
            _UNDECIDED | entry | {"id": one.prefix + entry["id"], "kind": one.name}
            for one, own in self._shares(keys)
            for entry in one.entries(store, own)
        ]

    def texts(self, store: Store, key: str, prompt: bool) -> dict[str, Any]:
        """Return the long texts of one of the entries that were read last."""
        kind = self.of(key)
        return _BARE | kind.texts(store, key.removeprefix(kind.prefix), prompt)

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Store a decision and a note."""
        kind = self.of(key)
        kind.decide(store, key.removeprefix(kind.prefix), decision, grader_id, note)

    def nothing(self) -> None:
        """Show in place of the pane why there are no entries."""
        empty("This list is empty", "Remove a filter above, or choose another judge.")

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show below the pane what belongs to the kind of the current entry."""
        for one in self.kinds:
            one.offer()
        if self.kinds:
            kind = self.of(key)
            kind.after(store, key and key.removeprefix(kind.prefix), grader)

    def of(self, key: str | None) -> Kind:
        """Return the kind of an entry, else the first that has any."""
        full = [one for one in self.kinds if one.keys]
        named = [one for one in full if key and key.startswith(one.prefix)]
        return max(named, key=lambda one: len(one.prefix), default=[*full, *self.kinds][0])

    def _shares(self, keys: Sequence[str]) -> Iterator[tuple[Kind, list[str]]]:
        """Yield each kind that some of the keys are of, with its own names of them."""
        for one in self.kinds:
            own = [key.removeprefix(one.prefix) for key in keys if self.of(key) is one]
            if own:
                yield one, own
