"""The rubric of a file's grades where none is named: one that fits, or one made from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from concord.importing import scores
from concord.importing.columns import ColumnMap
from concord.importing.proposals.grade_scales import grade_scales, shown_scale
from concord.importing.readers.cells import BadCell
from concord.importing.readers.table import Table
from concord.importing.scores import Words
from concord.messages import Problem, Said, joined, said
from concord.rubrics import fit
from concord.rubrics.fit import Fit
from concord.rubrics.model import Rubric
from concord.text import rating_words


class GradeRubric(NamedTuple):
    """The rubric and scale under which a file's grades are read.

    Attributes:
        fit: The rubric, whether it is new, and why it.
        columns: The column map, with the criteria as the rubric calls them.
        words: The score of each word that the grades are given in; also those of convention.
        assumed: Why a new rubric has this scale; '' where the user gave it.
    """

    fit: Fit
    columns: ColumnMap
    words: Words
    assumed: str = ""

    def sentence(self) -> str:
        """Say under which rubric the grades are read, on which scale, and why."""
        rubric, scale = self.fit.rubric.name, shown_scale(self.fit.rubric.scale)
        new = "a new rubric" if self.fit.is_new else "the rubric"
        of_scale = f". Scale {scale}: {self.assumed}. Another: --scale" if self.assumed else ""
        return f"the grades are read under {new} {rubric} ({scale}): {self.fit.reason}{of_scale}"


def grade_rubric(
    table: Table,
    columns: ColumnMap,
    rubrics: Iterable[Rubric],
    words: Words,
    scale: Sequence[int] = (),
    taken: Sequence[str] = (),
) -> GradeRubric | None:
    """Propose the rubric of a file's grades; None for a file without grades.

    Args:
        table: The file.
        columns: Its column map.
        rubrics: The rubrics of whole answers that may be proposed.
        words: Score by word, as the user gave them; convention adds what is missing.
        scale: The scale as the user gave it; else it is read off the grades.
        taken: The names of all rubrics.

    Raises:
        Problem: a word has no score, the grades show no scale, or several.
    """
    seen = grade_scales(table, columns)
    if not seen.criteria:
        return None
    words = {**_conventional(seen.words(), words), **words}
    if not scale and (different := seen.different(words)):
        rather = said("Or name the rubric of all with --rubric, or its scale, as in --scale 1-5.")
        raise Problem(joined(" ", [different, *_leaving_out(columns, seen.others(words)), rather]))
    found = seen.of(seen.criteria, words)
    whole = found.whole()
    fitting = [rubric for rubric in rubrics if not scale or rubric.scale == tuple(scale)]
    chosen = fit.proposed(
        fitting,
        seen.criteria,
        scale or found.scale,
        whole if found.kind != "continuous" else (),
        table.source.stem,
        taken,
    )
    assumed = found.reason if chosen.is_new and not scale else ""
    return GradeRubric(chosen, under(columns, chosen.rubric), words, assumed)


def under(columns: ColumnMap, rubric: Rubric, names: Mapping[str, str] | None = None) -> ColumnMap:
    """Return a map whose criteria are named as the rubric names them.

    `names` are the names of criteria whose titles the user has changed. A criterion that is read in
    each row is left as it is.

    Raises:
        Problem: the rubric has no such criterion.
    """
    found = []
    for score in columns.scores:
        if "{" in score.criterion:
            found.append(score)
            continue
        try:
            name = (names or {}).get(score.criterion) or scores.criterion(score.criterion, rubric)
        except BadCell as fault:
            raise Problem(
                "{fault} Map another criterion, or choose another rubric.",
                fault=str(fault),
                fault_code="no_criterion",
            ) from None
        found.append(score._replace(criterion=name))
    return columns._replace(scores=tuple(found))


def _leaving_out(columns: ColumnMap, criteria: Sequence[str]) -> Iterator[Said]:
    """Yield how criteria are left out of a file."""
    of_columns = [one.column for one in columns.scores if one.criterion in criteria]
    of_rows = [one for one in criteria if one not in {score.criterion for score in columns.scores}]
    options = [f'--map "criterion:{one}="' for one in of_rows]
    if options:
        yield said("{options} leaves out {names}.", options=" ".join(options),
                   names=joined(", ", of_rows))  # fmt: skip
    if of_columns:
        options = " ".join(f'--without "{one}"' for one in of_columns)
        yield said("With --as-proposed, {options} leaves them out.", options=options)


def _conventional(counts: Mapping[str, int], given: Words) -> dict[str, float | None]:
    """The conventional score of each word without a given one; a Problem without any."""
    open_words = [word for word in counts if rating_words.key(word) not in given]
    usual = rating_words.rated(open_words).scores if open_words else {}
    unknown = [word for word in open_words if usual.get(word) is None]
    if unknown:
        raise Problem(
            "These grades are words without a known score: {words}. Map each one to a score, as "
            'in --score "{one}=1", or to no grade with --score "{one}=".',
            words=joined(", ", unknown[:10]),
            one=unknown[0],
            fault_code="unknown_words",
        )
    return {rating_words.key(word): usual[word] for word in open_words}
