"""Import preview: the first answers of a file as they would be taken."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from concord.importing.preview import PreviewAnswer
from concord.messages import joined, said
from concord.reports.document import Column, Table, table_of
from concord.text.display import one_line

_NO_TITLES: Mapping[str, str] = MappingProxyType({})


def grades_of(answer: PreviewAnswer, titles: Mapping[str, str] = _NO_TITLES) -> str:
    """The grades of an answer by grader, with the criterion where there are several."""
    several = len({criterion for _, criterion, _ in answer.grades}) > 1
    return joined(
        "; ",
        (
            f"{grader}{f' {titles.get(criterion, criterion)}' if several else ''}: "
            f"{'–' if score is None else f'{score:g}'}"
            for grader, criterion, score in answer.grades
        ),
    )


def first_answers(
    found: Sequence[PreviewAnswer], most: int = 0, titles: Mapping[str, str] = _NO_TITLES
) -> Table:
    """Return the first answers; texts are cut to `most` characters, 0 for whole ones.

    `titles` are those of the criteria by name.
    """

    def cut(text: str) -> str:
        return one_line(text, most) if most else text

    parts = (
        (Column(said("row"), "count"), lambda one: one.row),
        (Column(said("question")), lambda one: cut(one.question)),
        (Column(said("grades")), lambda one: grades_of(one, titles)),
        (Column(said("answer")), lambda one: cut(one.answer)),
        (Column(said("answering model")), lambda one: one.answer_model or ""),
        (Column(said("contexts"), "count"), lambda one: one.contexts),
        (Column(said("references"), "count"), lambda one: one.references),
        (Column(said("also kept")), lambda one: joined(", ", one.metadata)),
    )
    filled = [part for part in parts if not found or any(map(part[1], found))]
    return table_of("first-answers", found, filled)  # an empty column says nothing
