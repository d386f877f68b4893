"""Propose a column map from the first records of a file: from its values, not only from its names.

Columns that are recognised by name stay what they are, unless their values speak against it. Where
two readings are equally good, none is proposed and the doubt is named. Criteria that only metrics
and judges give are named for none of those that annotators graded.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from concord.importing import column_paths
from concord.importing.answer_grades import GradeLists
from concord.importing.columns import ColumnMap, column_map, head, opened
from concord.importing.fields import SEVERAL
from concord.importing.proposals import (
    column_profile,
    dictionaries,
    grades_by_value,
    grades_in_lists,
    proposal,
)
from concord.importing.proposals import name_words as known
from concord.importing.proposals.column_profile import (
    Profile,
    asks,
    is_constant_within,
    is_within,
    of_columns,
    without_templates,
)
from concord.importing.proposals.dictionaries import Answers
from concord.importing.proposals.grades_by_value import (
    are_all,
    criterion_of_rows,
    is_grades,
    is_grades_in_part,
    is_of_scores,
    kinds_of_rows,
    scores_of_rows,
)
from concord.importing.proposals.proposal import Doubt, GradeColumn, LeftOut, Proposal, Word
from concord.importing.readers.table import Table
from concord.importing.scores import kind_of
from concord.messages import joined, on_command_line, quoted, said

OVERALL = "overall"
# Pairs of criteria that are offered at most.
_OFFERED = 12


def compared(
    grades: Sequence[GradeColumn], keys: Mapping[str, Sequence[str]], also: str = ""
) -> tuple[list[GradeColumn], list[Doubt]]:
    """Propose the annotators' only criterion, or their overall one, for such metrics.

    So it is for a judge's scores in a column that names no criterion, for the only criterion. What
    a metric is compared with, or that it is compared with nothing, is stated in a doubt of the
    field `criterion`, which need not be settled.

    Args:
        grades: The columns of grades.
        keys: The keys under the paths with a placeholder.
        also: Another criterion that annotators graded; `''` for none.
    """
    theirs = {one.criterion for one in grades if one.kind in ("annotator", "mean")}
    theirs |= {also} if also else set()
    grades = [_of_annotators(one, theirs, grades) for one in grades]
    alone = [one for one in grades if one.kind == "metric" and _is_alone(one, keys, theirs)]
    if not theirs or any("{" in one for one in theirs):
        return [*grades], []
    judged = {one.criterion: one.column for one in grades if one.kind == "judge"}
    doubts = [] if any("{" in one for one in judged) else unshared(theirs, judged)
    if not alone:
        return [*grades], doubts
    only = OVERALL if len(theirs) > 1 else min(theirs)
    if only not in theirs:
        why = said(
            "no annotator graded what these metrics are named for, so they are compared with "
            "nothing. To compare one, give its column a criterion of theirs under "
            "Map{on_command_line}",
            on_command_line=_option(replace(alone[0], criterion=min(theirs)).text),
        )
        return [*grades], [*doubts, _doubt(alone, why)]
    why = said(
        "no annotator graded what these metrics are named for, so they are compared with {only}. "
        "To keep one apart, give its column a criterion of its own under "
        "Map{on_command_line}",
        only=only,
        on_command_line=_option(alone[0].text),
    )
    found = [replace(one, criterion=only) if one in alone else one for one in grades]
    return found, [*doubts, _doubt(alone, why)]


def _option(word: str) -> str:
    return on_command_line(f'--map "{word}"')


def unshared(theirs: Collection[str], judged: Mapping[str, str]) -> list[Doubt]:
    """Offer which criterion of a judge is one of the annotators, where they share none.

    Args:
        theirs: The criteria of the annotators.
        judged: Those of the judges, each with its column.
    """
    own, other = ({known.slug(known.words(one)) for one in names} for names in (judged, theirs))
    if not theirs or not judged or own & other:
        return []
    words = [f"criterion:{one}={to}" for one in judged for to in sorted(theirs)]
    why = said(
        "annotators graded {theirs} and judges {judged}, so they are not compared. If one is the "
        'same as another, choose the two under “Same criteria” (--map "{word}" on the command '
        "line)",
        theirs=joined(", ", sorted(theirs)),
        judged=joined(", ", sorted(judged)),
        word=words[0],
    )
    return [Doubt("criterion", tuple(dict.fromkeys(judged.values())), why, tuple(words[:_OFFERED]))]


def unshared_in_rows(criterion: Profile, kind: Profile) -> list[Doubt]:
    """The same for grades in long form, by the columns of criterion and kind of grader."""
    return _unshared_pairs(criterion.name, zip(criterion.values, kind.values, strict=True))


def unshared_in_lists(table: Table, words: Iterable[str], records: int) -> list[Doubt]:
    """The same for grades in lists, whose criterion and kind are read at the place of the score."""
    columns = column_map(table.columns, words)
    criterion, kind = columns.column("criterion"), columns.column("grader_kind")
    table = opened(table, columns)
    if criterion not in table.columns or kind not in table.columns:
        return []
    places = [table.columns.index(one) for one in (criterion, kind)]
    rows = GradeLists(table.columns, columns)
    cells = (row.cells for record in head(table, records) for row in rows.of(record))
    return _unshared_pairs(criterion, ([one[place] for place in places] for one in cells))


def _unshared_pairs(criterion: str, pairs: Iterable[Iterable[object]]) -> list[Doubt]:
    named = [
        (name.strip(), kind_of(word))
        for name, word in pairs
        if isinstance(name, str) and isinstance(word, str) and name.strip()
    ]
    theirs = {name for name, one in named if one in ("person", "mean")}
    return unshared(theirs, {name: criterion for name, one in named if one == "judge"})


def _of_annotators(one: GradeColumn, theirs: set[str], every: Sequence[GradeColumn]) -> GradeColumn:
    """A judge's column with the annotators' only criterion, where it names none of its own."""
    only = min(theirs, default="")
    is_named = one.kind != "judge" or one.criterion != OVERALL or OVERALL in known.words(one.column)
    if is_named or len(theirs) != 1 or "{" in only:
        return one
    if any((other.grader, other.criterion) == (one.grader, only) for other in every):
        return one
    why = joined("; ", [one.reason, said("annotators graded this criterion alone")])
    return replace(one, criterion=only, reason=why)


def _doubt(metrics: Sequence[GradeColumn], why: str) -> Doubt:
    return Doubt("criterion", tuple(one.column for one in metrics), why)


def _is_alone(metric: GradeColumn, keys: Mapping[str, Sequence[str]], theirs: set[str]) -> bool:
    """True where annotators graded nothing that a metric is called, under each of its keys."""
    names = keys.get(metric.column, (metric.criterion,))
    return not theirs.intersection(*[{*names, *(known.slug(known.words(n)) for n in names)}])


RECORDS = 200
# The placeholder of reasons next to scores whose keys are written out.
_GRADER = "grader"
_BY_NAME = said("the column's name")
_UNREAD = said("it seems to hold grades, in a shape that is not read")
FEW = said("the values are a few short ones, like labels")
DIFFERENT_SCALES = said("they are on different scales, and a rubric has one: import one of them")


def propose(table: Table, records: int = RECORDS) -> Proposal:
    """Propose what the columns of a file are; only the first records are looked at.

    A file without answers whose columns are those of grades is proposed as one of grades.
    """
    first = [record.cells for record in head(table, records)]
    profiles = of_columns(table.columns, first)
    grades = proposal.of_grades_file(table, len(first), profiles)
    if grades is not None:
        return grades
    finding = _Finding(table, profiles)
    finding.find()
    return Proposal(
        "answers",
        len(first),
        tuple(finding.words),
        tuple(finding.grades),
        tuple(finding.doubts),
        tuple(finding.left_out()),
    )


class _Finding:
    """What is found so far."""

    def __init__(self, table: Table, profiles: dict[str, Profile]):
        self._table, self._profiles = table, profiles
        self._base: ColumnMap = column_map(table.columns)
        self.words: list[Word] = []
        self.grades: list[GradeColumn] = []
        self.doubts: list[Doubt] = []
        self._used: dict[str, str] = {}
        self._why: dict[str, str] = {}
        # Keys of the scores under a path with a placeholder.
        self._keys: dict[str, tuple[str, ...]] = {}

    def find(self) -> None:
        """Find fields in the order in which they tell most about the others."""
        self._named_fields()
        self._settle_ambiguous()
        self._references_and_contexts()
        by_key = self._answers_by_key()
        self._question()
        if by_key is None:
            self._answer()
            self._answering_model()
        self._ids()
        self._without_other_talks()
        self._grades(by_key)
        theirs = ""
        if self._column("grader_kind") == ":=annotator":
            theirs = (self._column("criterion") or "").removeprefix(":=")
        grades = grades_by_value.told_apart(self.grades, self._keys)
        grades, doubts = compared(grades, self._keys, theirs)
        self.grades = grades_by_value.told_apart(grades, self._keys)
        self.doubts += [*doubts, *self._unshared(), *self._unread(by_key)]

    def _unread(self, by_key: Answers | None) -> list[Doubt]:
        """Columns that seem to hold grades: in part, or in a file of which none is read."""
        told = {doubt.field for doubt in self.doubts}
        left = [*self._free(), *(by_key.others.values() if by_key else ())]
        may_hold = grades_in_lists.may_hold_grades
        if self.grades or self._column("score") or told & {"score", "grader", "grader_kind"}:
            may_hold = is_grades_in_part
        names = tuple(one.name for one in left if may_hold(one))
        return [Doubt("score", names, _UNREAD)] if names else []

    def _unshared(self) -> list[Doubt]:
        """Criteria of annotators and judges in long form, where they share none."""
        columns = [self._column(field) for field in ("criterion", "grader_kind")]
        if any("{" in (column or "") for column in columns) and not self._column("answer_model"):
            words = [word.text for word in self.words if word.column]
            return unshared_in_lists(self._table, words, RECORDS)
        if not all(column in self._profiles for column in columns):
            return []
        return unshared_in_rows(*(self._profiles[one] for one in columns if one))

    def left_out(self) -> Iterable[LeftOut]:
        """Yield every column that is not mapped, and why."""
        question = self._column("question_id") or self._column("question")
        doubted = {name for doubt in self.doubts for name in doubt.columns}
        for name, one in self._profiles.items():
            if name in self._used or name in doubted:
                continue
            why = said("no field matches; kept as an extra column")
            if not one.filled:
                why = said("no values in the rows examined")
            elif question and self._is_of_question(name, question):
                why = said("the same for every answer to a question")
            yield LeftOut(name, self._why.get(name, why))

    def _free(self) -> list[Profile]:  # a column without a name, as in JSON, cannot be mapped
        return [one for n, one in self._profiles.items() if n.strip() and n not in self._used]

    def _column(self, field: str) -> str | None:
        found = (word.column for word in self.words if word.field == field and word.column)
        return next(found, None)

    def _take(self, field: str, column: str, reason: str) -> None:
        self.words.append(Word(field, column, reason))
        self._used[column] = field

    def _leave(self, field: str, column: str, reason: str) -> None:
        """Leave out a field that a column's name suggests."""
        self.words.append(Word(field, "", reason))
        self._why[column] = reason

    def _named_fields(self) -> None:
        for field, columns in self._base.fields.items():
            for column in columns:
                against = self._against(field, self._profiles[column])
                if against:
                    self._leave(field, column, against)
                else:
                    self._take(field, column, _BY_NAME)

    def _against(self, field: str, one: Profile) -> str:
        """Return what in the values speaks against a field; '' for nothing."""
        if field == "answer_model" and one.is_prose:
            return said("the texts are too long for model names")
        if field == "cluster" and one.is_prose and not one.is_few:
            return said("the texts are too long for cluster names")
        if field == "answer" and one.is_label:
            return FEW
        is_text = field in ("question", "answer", "contexts", "reference")
        if is_text and one.filled and is_grades(one) and not one.is_prose:
            if field != "answer" or not one.is_number:
                return ""
            return said("the values are numbers, like grades")
        return ""

    def _settle_ambiguous(self) -> None:
        """Several columns have the name of one field: the only one with fitting values counts."""
        for field, columns in self._base.ambiguous.items():
            fitting = [c for c in columns if self._profiles[c].filled]
            if field in ("question", "answer"):
                fitting = [c for c in fitting if self._profiles[c].is_prose] or fitting
                varied = [c for c in fitting if self._profiles[c].distinct > 1]
                fitting = varied or fitting
            own = [c for c in columns if self._profiles[c].is_unique] if field == "item_id" else []
            if own:
                self._take(field, min(own, key=len), said("each row has its own id"))
            elif len(fitting) == 1:
                self._take(
                    field,
                    fitting[0],
                    said("the other columns with such a name do not contain such texts"),
                )
            else:
                reason = said("several columns have a name that fits")
                self.doubts.append(Doubt(field, tuple(fitting or columns), reason))
                self._used |= dict.fromkeys(columns, "")

    def _references_and_contexts(self) -> None:
        talks: list[str] = []
        for one in self._free():
            parts = known.words(one.name)
            texts = one.is_prose or one.is_list or (one.texts and not one.is_few)
            is_id = known.has(parts, known.ID) or column_profile.is_id(one.name)
            if not texts or one.is_number or is_id or is_of_scores(one.name):
                continue
            if one.is_list and not one.has_texts:
                self._why[one.name] = said("its lists hold objects without a text")
            elif one.turns * 2 > len(one.values):
                talks.append(one.name)
            elif known.has(parts, known.REFERENCE) and known.has(parts, known.CONTEXT):
                self._once(
                    "reference_contexts", one, said("the name contains reference and context")
                )
            elif known.has(parts, known.REFERENCE) and not known.has(parts, known.QUESTION):
                self._once(
                    "reference", one, said("texts in a column named like the expected answer")
                )
            elif known.has(parts, known.CONTEXT) and (one.is_list or one.is_prose):
                self._once("contexts", one, said("texts or lists in a column named like contexts"))
        if len(talks) == 1 and not self._column("turns"):
            self._take("turns", talks[0], said("the cells are conversations"))
        elif talks:
            several = said("several columns contain conversations")
            self.doubts.append(Doubt("turns", tuple(talks), several))
            self._used |= dict.fromkeys(talks, "")

    def _without_other_talks(self) -> None:
        """Keep several conversations as they are where question and answer have columns."""
        if not (self._column("question") and self._column("answer")):
            return
        talks = [c for doubt in self.doubts if doubt.field == "turns" for c in doubt.columns]
        self.doubts = [doubt for doubt in self.doubts if doubt.field != "turns"]
        self._why |= dict.fromkeys(talks, said("one of several columns with conversations"))
        self._used = {column: of for column, of in self._used.items() if column not in talks}

    def _once(self, field: str, one: Profile, reason: str) -> None:
        """Take a column for a field that none is recognised as."""
        if field in self._base.fields or field in self._base.ambiguous:
            return
        same = (name for name, of in self._used.items() if of == field)
        if known_as := next((n for n in same if self._profiles[n].values == one.values), None):
            self._why[one.name] = said("the same as in {column}", column=known_as)
            return
        if self._column(field) is None or field in SEVERAL:
            self._take(field, one.name, reason)

    def _answers_by_key(self) -> Answers | None:
        """Answers under the names of answering models, where no column holds the answers."""
        if self._column("answer") or "answer" in self._base.ambiguous:
            return None
        free = {one.name: one for one in self._free()}
        found = dictionaries.answers_by_key(free)
        if len(found) != 1:
            if found:
                reason = said("several columns have values under each key")
                self.doubts.append(Doubt("answer", tuple(one.column for one in found), reason))
            return None
        one = found[0]
        reason = said("one answer under each key: {keys}", keys=quoted(one.keys, most=5))
        self.words = [word for word in self.words if word.field != "answer_model"]
        self._take("answer", one.answer, reason)
        self._take("answer_model", one.key, said("the key is the answering model"))
        self._used[one.column] = "answer"
        self._used |= {
            name: "answer" for name in free if dictionaries.fits(name, one.answer, one.key)
        }
        for path, inner in one.others.items():
            self._used |= {
                name: "answer" for name in free if dictionaries.fits(name, path, one.key)
            }
            parts = known.words(known.last(path).replace(one.key, ""))
            if known.has(parts, known.CONTEXT) and (inner.is_list or inner.is_prose):
                self._take("contexts", path, said("contexts next to each answer"))
        return one

    def _question(self) -> None:
        if self._column("question") or {"question", "turns"} & self._base.ambiguous.keys():
            return
        named = [
            one
            for one in self._free()
            if one.texts
            and not one.is_number
            and (one.is_prose or asks(one))
            and known.has(known.significant_words(one.name), known.QUESTION)
        ]
        named = without_templates(named)
        if named and all(one.texts == named[0].texts for one in named):
            first = min(named, key=lambda one: len(one.name))
            self._take("question", first.name, said("texts in a column named like a question"))
            same = said("the same as in {column}", column=first.name)
            self._why |= {one.name: same for one in named}
            return
        marked = [one for one in self._free() if one.texts and asks(one)]
        if not named and len(marked) == 1:
            self._take("question", marked[0].name, said("the texts end with question marks"))
        elif not self._column("turns"):
            several = tuple(
                one.name
                for one in named or marked or self._prose()
                if named or not known.has(known.words(one.name), known.ANSWER)
            )
            reason = said("no single column is named like questions or contains questions")
            self.doubts.append(Doubt("question", several, reason))

    def _answer(self) -> None:
        turns, question = self._column("turns"), self._column("question")
        if self._column("answer") or "answer" in self._base.ambiguous or (turns and not question):
            return
        named = self._prose(known.ANSWER) or dictionaries.named_answers(self._free())
        self._profiles |= {one.name: one for one in named}
        prose = [
            one
            for one in self._prose()
            if not (question and self._is_of_question(one.name, question))
            and not known.has(known.words(one.name), known.REASON)
        ]
        chosen = named or prose
        if len(chosen) == 1:
            reason = said("the only texts that could be answers")
            if named:
                reason = said("texts in a column named like an answer")
            self._take("answer", chosen[0].name, reason)
        else:
            chosen = chosen or dictionaries.short_texts_of_models(self._free())
            reason = said("no column is named like an answer or has texts that could be answers")
            if chosen:
                reason = said("each could be the answer, or the answers of one answering model")
            self.doubts.append(Doubt("answer", tuple(one.name for one in chosen), reason))
            self._used |= dict.fromkeys((one.name for one in chosen), "")

    def _prose(self, of: frozenset[str] = frozenset()) -> list[Profile]:
        """Free columns of prose, with one of these words in their name; of any name for none."""
        return [
            one
            for one in self._free()
            if one.is_prose
            and (not of or known.has(known.words(known.last(one.name)), of))
            and not (of and known.has(known.words(one.name), known.REASON))
            and not (of and is_of_scores(one.name))
        ]

    def _answering_model(self) -> None:
        if self._column("answer_model") or "answer_model" in self._base.ambiguous:
            return
        hits = [
            one
            for one in self._free()
            if one.is_few
            and not one.is_number
            and known.has(known.words(one.name), known.MODEL)
            and not known.has(known.words(one.name), known.GRADER | (known.SCORE - {"label"}))
            and (known.words(one.name)[-1:] == ("label",) or not is_grades(one))
        ]
        # What tells most apart, as the label that a user gave to the same provider twice.
        finest = max(hits, key=lambda one: one.distinct, default=None)
        if finest and all(is_within(finest.values, one.values) for one in hits):
            self._take("answer_model", finest.name, said("a few recurring names, like models"))

    def _of_one_model(self) -> str:
        """The prefix of all that is of the only answering model, whose name says nothing else."""
        prefix, model = dictionaries.only_model(self._column("answer") or "", [*self._profiles])
        if model and not self._column("answer_model"):
            self.words.append(Word("answer_model", f":={model}", said("the key above the answer")))
        return prefix

    def _ids(self) -> None:
        """An id that recurs with other answers is the question's; one per grade is no id here."""
        self._question_id()
        self._numbers()
        column, answer = self._column("item_id"), self._column("answer")
        if column is None or answer not in self._profiles:
            return
        ids, answers = self._profiles[column], self._profiles[answer]
        pairs = {
            (i, a) for i, a in zip(map(str, ids.values), map(str, answers.values), strict=True)
        }
        of_question = ids.distinct < len(pairs) and not self._column("question_id")
        question = self._column("question")
        if of_question and question and self._is_of_question(question, column):
            self.words = [word for word in self.words if word.field != "item_id"]
            self._take("question_id", column, said("each id has one question and several answers"))
            self.words.append(Word("item_id", "", said("the id is the question's")))

    def _numbers(self) -> None:
        """Take a column that is named only as a number, where its values number what is asked."""
        question = self._column("question") or ""
        named = [one for one in self._free() if column_profile.is_id(one.name)]
        if self._column("item_id") or question not in self._profiles or len(named) > 2:
            return
        answer = self._profiles.get(self._column("answer") or "")
        for one in named:
            answers = answer.values if answer else ()
            field = column_profile.id_field(one, self._profiles[question].values, answers)
            left_open = {*self._base.ambiguous, *(word.field for word in self.words)}
            if field and field not in left_open:
                self._take(field, one.name, said("numbers each answer") if field == "item_id" else
                           said("numbers each question"))  # fmt: skip

    def _question_id(self) -> None:
        """An id that most questions share, as that of a prompt, belongs to no question."""
        column, question = self._column("question_id"), self._column("question")
        if column not in self._profiles or question not in self._profiles:
            return
        if 2 * self._profiles[column].distinct <= self._profiles[question].distinct:
            self.words = [word for word in self.words if word.field != "question_id"]
            del self._used[column]
            self._leave("question_id", column, said("several questions have the same id"))

    def _grades(self, by_key: Answers | None) -> None:
        self._open_single_values()
        names = [one.name for one in self._free()]
        grader = grades_by_value.grader_of(self._profiles, names)
        grader = grader or grades_by_value.respondent_of(self._profiles, names, self._answers())
        question = self._column("question_id") or self._column("question")
        answer = self._column("answer")
        if question and answer in self._profiles and self._is_of_question(answer, question):
            question = None  # with one answer to each question nothing is the question's alone
        columns, never = [], {column for _, column in proposal.of_probabilities(names)}
        never |= {grader.column} if grader else set()
        for one in self._free():
            if one.name in never or not is_grades(one):
                continue
            if question and self._is_of_question(one.name, question):
                self._why[one.name] = said("the same for every answer to a question")
            else:
                columns.append(one)
        if by_key:
            self._grades_by_key(by_key)
            return
        if grader and columns:
            self._graded_by(grader, columns)
            return
        self._collect(*grades_by_value.by_name(columns, self._of_one_model()))
        for one in self._free():
            self._under_keys(one)
        keys = {name for grade in self.grades for name in column_paths.placeholders(grade.column)}
        for one in self._free():
            names = [self._profiles[key] for key in keys if key in self._profiles]
            path = dictionaries.reasons_by_key(one, names) if one.lists else ""
            if keys.issuperset(column_paths.placeholders(path)):
                self._reason(path)

    def _open_single_values(self) -> None:
        """Read a list with one score in each cell as the score."""
        for one in self._free():
            inner = dictionaries.only_values(one) if one.lists else None
            if inner and is_grades(inner):
                self._profiles[inner.name] = inner
                self._used[one.name] = "score"

    def _under_keys(self, one: Profile) -> None:
        """Take the scores in dictionaries, and in lists of objects."""
        scores = None
        if one.lists:
            names = known.WHO | known.CRITERION
            who = [o for o in self._free() if known.has(known.words(o.name), names)]
            scores = dictionaries.scores_by_key(one) or dictionaries.scores_in_lists(one, who)
        found = grades_by_value.by_key(one.name, scores) if scores else None
        if isinstance(found, list):
            self._collect(found, [])
            self._used[one.name] = "score"
            placeholder = column_paths.placeholder_beyond(one.name, found[0].column)
            if placeholder:
                self._keys |= {grade.column: scores.keys for grade in found}
            if self.grades:  # else nobody is named who gave them
                self._reason(scores.reason.replace("{}", f"{{{placeholder or _GRADER}}}"))
            return
        words = grades_in_lists.words(one) if one.lists else []
        if words and not self._column("score"):
            self.words += words
            self._used[one.name] = "score"
        elif words or found:
            again = said("the grades of another column are read in long form")
            self.doubts.append(found or Doubt("score", (one.name,), again))
        elif unlike := dictionaries.unlike_scores(one) if one.lists else []:
            names = tuple(each.name for each in unlike)
            self.doubts.append(Doubt("score", names, DIFFERENT_SCALES))
            self._used[one.name] = "score"

    def _reason(self, path: str) -> None:
        """Take the path to reasons under the keys of scores, where there is no other."""
        if path and not self._column("reason"):
            self._take("reason", path, said("texts in a column named like a reason"))

    def _collect(self, found: list[GradeColumn], doubts: list[Doubt]) -> None:
        made = [grades_by_value.judge_of_column(grade, self._profiles) for grade in found]
        self.grades += (one for one in made if one.grader)
        if unnamed := tuple(one.column for one in made if not one.grader):
            self.doubts.append(Doubt("grader", unnamed, grades_by_value.UNNAMED))
        self.doubts += doubts
        self._used |= {one.column: "score" for one in found}

    def _grades_by_key(self, by_key: Answers) -> None:
        """Take what is next to each answer; a score inside a dictionary of scores only once."""
        left = sorted(by_key.others.values(), key=lambda one: len(one.name))
        for one in left:
            if one in left:
                self._under_keys(one)
            if self._used.get(one.name) == "score":
                left = [o for o in left if not o.name.startswith(f"{one.name}.")]
        self._collect(*grades_by_value.by_name([one for one in left if is_grades(one)]))
        lists = [one for one in self._free() if one.lists]
        of_several = [one.name for one in lists if grades_in_lists.words(one)]
        if of_several:
            why = said("the row has several answers, and these grades do not belong to one of "
                       "them: store them with each answer")  # fmt: skip
            self.doubts.append(Doubt("score", tuple(of_several), why))

    def _graded_by(self, grader: grades_by_value.Grader, columns: list[Profile]) -> None:
        """One grade per row: the answer is repeated, and a column names who gave it."""
        self._used[grader.column] = "grader"
        item_id = self._column("item_id")
        if item_id and self._is_per_grade(item_id):
            self.words = [word for word in self.words if word.field != "item_id"]
            del self._used[item_id]
            self._leave("item_id", item_id, said("numbers grades, not answers"))
        of_rows, criterion = kinds_of_rows(self._free()), criterion_of_rows(self._free())
        reason = [one for one in self._free() if known.has(known.words(one.name), known.REASON)]
        if criterion:
            columns = scores_of_rows(columns)
        if len(columns) == 1 and (criterion or of_rows):
            self._long(grader, columns[0], of_rows, criterion)
        elif criterion or (of_rows and not are_all(self._profiles[of_rows], grader.kind)):
            several = said("several columns could be the scores of the rows")
            self.doubts.append(Doubt("score", tuple(one.name for one in columns), several))
        elif not grader.kind:
            why = said("contains annotators and judges; another column must distinguish them")
            self.doubts.append(Doubt("grader_kind", (grader.column,), why))
            return
        else:
            self._collect(grades_by_value.of_grader(columns, grader), [])
        if len(reason) == 1 and (len(columns) == 1 or self.grades):
            self._take("reason", reason[0].name, said("texts in a column named like a reason"))

    def _long(self, grader, score: Profile, of_rows: str | None, criterion: str | None) -> None:
        if not (of_rows or grader.kind):
            why = said("contains annotators and judges; another column must distinguish them")
            self.doubts.append(Doubt("grader_kind", (grader.column,), why))
            return
        self._take("grader", grader.column, said("a few short recurring names, like graders"))
        kind = of_rows or f":={grader.kind}"
        self._take("grader_kind", kind, said("as given by the column") if of_rows else _BY_NAME)
        if criterion:
            self._take("criterion", criterion, said("a few recurring names, like criteria"))
        else:
            self._take("criterion", ":=overall", said("the file does not name a criterion"))
        self._take("score", score.name, said("few distinct values, as on a scale"))
        for field, column in proposal.of_probabilities(one.name for one in self._free()):
            self._take(field, column, _BY_NAME)

    def _is_per_grade(self, item_id: str) -> bool:
        """True where each row has its own id although answers are repeated."""
        ids, answers = self._profiles[item_id], {*self._answers()}
        return ids.is_unique and bool(answers) and len(answers) < len(ids.values)

    def _answers(self) -> list[tuple[str, ...]]:
        """Which answer each row is about; empty where no column tells it."""
        fields = [self._column(field) for field in ("question", "answer", "answer_model")]
        columns = [self._profiles[c].values for c in fields if c in self._profiles]
        return [tuple(map(str, cells)) for cells in zip(*columns, strict=True)]

    def _is_of_question(self, name: str, question: str) -> bool:
        if question not in self._profiles:
            return False
        return is_constant_within(self._profiles[name].values, self._profiles[question].values)
