"""The list of a review: entries of several kinds, one kind after the other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from concord.definitions import digest
from concord.messages import said
from concord.model import Grader
from concord.reports.units.evidence import Part, segments
from concord.reports.work_list import Listed
from concord.store.database import Store
from concord.text.display import visible
from concord.ui.language import say
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
    return {"name": say(part.name), "segments": pieces}


class Source:
    """The entries of one kind, as they are now.

    Attributes:
        name: Which kind it is.
        mark: What a row of a list of several kinds calls its entry.
        prefix: What a key begins with in the URL; keys of one kind have none.
        decisions: What can be decided of an entry; without any it is only read.
        withdraw: What the key is called that takes a decision back.
        prompts: True where the prompt of an entry can be shown.
        token: Changes with the entries and their filters.
        criteria: What the scores of an entry mean, by criterion.
        listed: The entries in order, where all of them are in memory.
    """

    name: ClassVar[str]
    mark: str
    prefix: ClassVar[str] = ""
    decisions: ClassVar[tuple[Decision, ...]] = ()
    withdraw: ClassVar[str] = ""
    prompts: ClassVar[bool] = False
    token: str
    criteria: Mapping[str, dict] = {}
    listed: Listed

    def __len__(self) -> int:
        return len(self.listed)

    def place(self, key: str | None) -> int:
        """Return the index of an entry, else of the one to begin with."""
        return self.listed.place(key)

    def keys(self, begin: int, end: int) -> Sequence[str]:
        """Return the names of some entries."""
        return self.listed.keys[begin:end]

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

    def nothing(self) -> None:
        """Show in place of the pane why there are no entries."""
        empty(said("This list is empty"), said("Remove a filter above, or choose another judge."))

    def offer(self) -> None:
        """Add what the entries are as files to the download menu."""

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show below the pane what belongs to these entries, and to the current one."""

    def kind(self) -> dict[str, Any]:
        """Return what the browser has to know of every entry."""
        return {
            "mark": say(self.mark),
            "decisions": [replace(one, name=say(one.name)) for one in self.decisions],
            "withdraw": say(self.withdraw) if self.withdraw else "",
            "prompts": self.prompts,
        }


class ReviewList:
    """The entries of some sources, in their order; each is asked for its own entries only."""

    def __init__(self, sources: Sequence[Source]):
        self.sources = sources
        self.token = digest([one.token for one in sources])
        self.criteria = {name: words for one in sources for name, words in one.criteria.items()}

    def __len__(self) -> int:
        return sum(map(len, self.sources))

    def place(self, key: str | None) -> int:
        """Return the index of an entry, else of the one that the first entries begin with."""
        source = self.of(key)
        begin = next(begin for begin, one in self._begins() if one is source)
        return begin + source.place(key and key.removeprefix(source.prefix))

    def keys(self, begin: int, end: int) -> list[str]:
        """Return the names of some entries."""
        return [
            one.prefix + key
            for first, one in self._begins()
            for key in one.keys(max(0, begin - first), max(0, end - first))
        ]

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
        source = self.of(key)
        return _BARE | source.texts(store, key.removeprefix(source.prefix), prompt)

    def decide(self, store: Store, key: str, decision: str, grader_id: int, note: str) -> None:
        """Store a decision and a note."""
        source = self.of(key)
        source.decide(store, key.removeprefix(source.prefix), decision, grader_id, note)

    def nothing(self) -> None:
        """Show in place of the pane why there are no entries."""
        only = self.sources[0] if len(self.sources) == 1 else Source()
        only.nothing()

    def after(self, store: Store, key: str | None, grader: Grader | None) -> None:
        """Show below the pane what belongs to the kind of the current entry."""
        for one in self.sources:
            one.offer()
        if self.sources:
            source = self.of(key)
            source.after(store, key and key.removeprefix(source.prefix), grader)

    def of(self, key: str | None) -> Source:
        """Return the source of an entry, else the first that has any."""
        named = [one for one in self.sources if key and len(one) and key.startswith(one.prefix)]
        full = [*filter(len, self.sources), *self.sources]
        return max(named, key=lambda one: len(one.prefix), default=full[0])

    def _begins(self) -> Iterator[tuple[int, Source]]:
        begin = 0
        for one in self.sources:
            yield begin, one
            begin += len(one)

    def _shares(self, keys: Sequence[str]) -> Iterator[tuple[Source, list[str]]]:
        """Yield each source that some of the keys are of, with its own names of them."""
        for one in self.sources:
            own = [key.removeprefix(one.prefix) for key in keys if self.of(key) is one]
            if own:
                yield one, own
