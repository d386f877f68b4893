"""Usual scores of the words in a file of grades, where they are on the scale of its rubric."""

from collections.abc import Sequence

from concord.importing import grade_columns
from concord.importing.columns import ColumnMap
from concord.importing.proposals.grade_scales import grade_scales
from concord.importing.readers.table import Table
from concord.importing.scores import Words
from concord.messages import Said, joined, said
from concord.rubrics.model import Rubric
from concord.text.rating_words import key, rated_on


def with_usual(
    table: Table, columns: ColumnMap, rubrics: Sequence[Rubric], words: Words
) -> tuple[Words, list[Said]]:
    """The scores by word, with the usual ones of the other words of a file, and what to say of it.

    Args:
        table: The file of grades.
        columns: Its column map.
        rubrics: Whose scale the grades are on; verdicts on units are words of their own.
        words: Scores by word that the user gave.
    """
    if rubrics[0].units:
        return words, []
    seen = grade_scales(table, grade_columns.prepared(columns, rubrics)).words()
    usual = rated_on(seen, rubrics[0].scale, words)
    if not usual:
        return words, []
    by_score = sorted(usual.items(), key=lambda one: one[1])
    pairs = [said("{word} = {score}", word=word, score=score) for word, score in by_score]
    note = joined("", [said("the usual scores of these words"), ": ", joined(", ", pairs), "."])
    return {**words, **{key(word): score for word, score in by_score}}, [note]
