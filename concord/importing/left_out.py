"""Exclusions of a partial import: answers and grades left out, by whom and of which kind."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from concord.importing.scores import Words, number
from concord.messages import Said, counted, joined, said
from concord.model import Grade, Item
from concord.text.rating_words import key

# Most groups named in the sentence, and most rows of the table.
NAMED = 3
SHOWN = 20


class Group(NamedTuple):
    """The answers of one model, or the grades with one score: how many are taken and left out.

    `name`: None for answers whose model the file does not name.
    """

    name: str | None
    taken: int
    left_out: int

    @property
    def share(self) -> float:
        """The share of the group that is left out, 0 to 1."""
        return self.left_out / (self.taken + self.left_out)


class Lost(NamedTuple):
    """Invalid rows of a file: answers by model, grades by score as written."""

    answers: Counter[str | None]
    grades: Counter[str]


class LeftOut(NamedTuple):
    """Answers and grades that importing the rest leaves out, by answering model and by score."""

    models: tuple[Group, ...]
    scores: tuple[Group, ...]

    @property
    def answers(self) -> int:
        """Number of answers left out."""
        return sum(group.left_out for group in self.models)

    @property
    def grades(self) -> int:
        """Number of grades left out."""
        return sum(group.left_out for group in self.scores)

    def sentence(self) -> Said:
        """Return how much is left out, and which groups lose more; '' where nothing is."""
        lost = [
            self.answers and _of(self.models, "answer"),
            self.grades and _of(self.scores, "grade"),
        ]
        if not any(lost):
            return said("")
        named = [
            *(_named(group, "answer", said("of {name}", name=_model(group)))
              for group in _uneven(self.models)),
            *(_named(group, "grade", said("with score {name}", name=group.name or ""))
              for group in _uneven(self.scores)),
        ]  # fmt: skip
        whole = joined(said(" and "), [one for one in lost if one])
        if not named:
            return said("Importing the rest leaves out {whole}.", whole=whole)
        return said(
            "Importing the rest leaves out {whole}. The import may be biased, because some "
            "groups lose more than others: {named}.",
            whole=whole,
            named=joined(", ", named),
        )

    def as_json(self) -> dict[str, Any]:
        """The counts for `--json`."""
        return {
            "answers": self.answers,
            "grades": self.grades,
            "by_answering_model": _json(self.models),
            "by_score": _json(self.scores),
        }

    def tables(self) -> list[tuple[str, Sequence[Group]]]:
        """Return the groups that lose something and the others, by heading; the largest first.

        A single group shows no bias, so it has no table. Of many groups, as of a judge's continuous
        scores, only those that lose something are shown.
        """
        named = ((said("answering model"), self.models), (said("score"), self.scores))
        return [
            (
                heading,
                sorted(
                    (one for one in groups if one.left_out or len(groups) <= SHOWN),
                    key=lambda one: -one.left_out,
                )[:SHOWN],
            )
            for heading, groups in named
            if len(groups) > 1 and any(one.left_out for one in groups)
        ]


def of(
    items: Iterable[Item],
    grades: Iterable[Grade],
    lost: Lost,
    conflicting: Collection[int] = (),
) -> LeftOut:
    """Count what is left out of a file.

    Args:
        items: The good answers of the file.
        grades: Its good grades.
        lost: What the reader could not take.
        conflicting: Rows that contradict what is stored, which are left out too.
    """
    answers = Counter(item.answer_model for item in items if item.row not in conflicting)
    refused = Counter(item.answer_model for item in items if item.row in conflicting)
    kept = Counter(score_name(grade.score) for grade in grades if grade.row not in conflicting)
    gone = Counter(score_name(grade.score) for grade in grades if grade.row in conflicting)
    return LeftOut(_groups(answers, lost.answers + refused), _groups(kept, lost.grades + gone))


def score_name(given: object, words: Words | None = None) -> str:
    """A score as it is counted, "2" for 2.0 as for "2"; what is no number is counted as written.

    A word that `words` give a score is counted as that.
    """
    text = "" if given is None else str(given).strip()
    mapped = words.get(key(text)) if words else None
    found = number(text) if mapped is None else mapped
    return text if found is None else f"{found:g}"


def _groups(taken: Counter, left: Counter) -> tuple[Group, ...]:
    names = sorted({*taken, *left}, key=lambda name: (name is None, str(name)))
    return tuple(Group(name, taken[name], left[name]) for name in names)


def _of(groups: Sequence[Group], noun: str) -> Said:
    left = sum(group.left_out for group in groups)
    every = left + sum(group.taken for group in groups)
    return said("{n:,} of {things}", n=left, things=counted(every, noun))


def _uneven(groups: Sequence[Group]) -> list[Group]:
    """The groups that lose a larger share than all groups together, the largest share first."""
    total = sum(group.taken + group.left_out for group in groups)
    share = sum(group.left_out for group in groups) / max(1, total)
    more = [group for group in groups if group.share > share]
    return sorted(more, key=lambda group: (-group.share, -group.left_out))[:NAMED]


def _named(group: Group, noun: str, of_what: str) -> Said:
    every = group.taken + group.left_out
    if not group.taken:
        return said("all {things} {of_what}", things=counted(every, noun), of_what=of_what)
    things, n = counted(every, noun), group.left_out
    return said("{n:,} of {things} {of_what}", n=n, things=things, of_what=of_what)


def _model(group: Group) -> str:
    return group.name if group.name is not None else said("an unknown model")


def _json(groups: Sequence[Group]) -> list[dict[str, Any]]:
    return [group._asdict() | {"share_left_out": group.share} for group in groups]
