"""Required columns of a file of grades, for whole answers or for units."""

from collections.abc import Sequence

from concord.importing import column_paths
from concord.importing.columns import ColumnMap, resolved
from concord.importing.fields import OF_ANSWERS, OF_UNITS
from concord.messages import Problem, quoted, said
from concord.rubrics.model import Rubric


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
            "them out with --map probabilities=",
            on_screen=said(
                "Probabilities need one row per grade, and this file has a column per grader. "
                "Deselect them under “Other fields”.",
            ),
            fault_code="probabilities_alone",
        )
    for score in columns.scores:
        names = column_paths.placeholders(f"{score.grader} {score.criterion}")
        if names and score.grader_column is None:
            raise Problem(
                "“{field}” reads a name from a column. In a file of grades map that column "
                "itself, as in --map grader=COLUMN --map criterion=COLUMN --map score=COLUMN",
                field=score.field,
                on_screen=said(
                    "The table takes a name from a column for “{column}”. In a file of grades, "
                    "choose that column under Grader or Criterion instead, and “{column}” as the "
                    "score.",
                    column=score.column,
                ),
                fault_code="not_a_map",
            )


def _check_unit_columns(columns, rubric):
    there = [field for field in OF_UNITS if field in columns.fields]
    if rubric.units and not there:
        listed = quoted(columns.leftovers)
        raise Problem(
            "No column says which of an answer's {units} a verdict is on. Say which one holds its "
            "text or its id, as in --map unit=COLUMN. Columns left: {listed}.",
            units=said(rubric.plural),
            listed=listed or said("none"),
            on_screen=said(
                "No column says which of an answer's {units} a verdict is on. Under “Part of the "
                "answer” choose the one that holds its text, or under “Id of the part” its id.",
                units=said(rubric.plural),
            ),
            fault_code="no_column",
        )
    if there and not rubric.units:
        raise Problem(
            "The column “{column}” names parts of answers, and {rubric} is for whole answers. "
            "Name a rubric of units, such as claims-in-contexts, or leave the column out with "
            "--map {field}=",
            column=columns.column(there[0]),
            rubric=rubric.name,
            field=there[0],
            on_screen=said(
                "The column “{column}” names parts of answers, and {rubric} is for whole answers. "
                "Choose a rubric of units above, such as claims-in-contexts, or deselect the "
                "column under “Other fields”.",
                column=columns.column(there[0]),
                rubric=rubric.name,
            ),
            fault_code="rubric_of_answers",
        )


def _check_item_columns(columns):
    if columns.fields.keys().isdisjoint(OF_ANSWERS):
        listed = quoted(columns.leftovers)
        raise Problem(
            "No column says which item a grade is for. Say which one holds the item_id or the "
            "question_id, as in --map item_id=COLUMN. Columns left: {listed}.",
            listed=listed or said("none"),
            on_screen=said(
                "No column says which answer a grade is for. Choose it above under “Item id”."
            ),
            fault_code="no_column",
        )
