"""Write the sample that ships, `sample.jsonl` and `sample_grades.csv`, from its sources.

Run `python -m concord.samples.build` after a change in `source/`.
"""

import csv
import io
import json

from concord.definitions import Frozen
from concord.importing.readers.probabilities import read_score
from concord.messages import Problem
from concord.model import NATIVE, Distribution
from concord.resources import SAMPLES
from concord.rubrics.model import read_text, validated
from concord.samples import defects, noise, sources
from concord.samples.noise import Decider, Noise, Simulated
from concord.samples.sources import Answer, Question, World

FOLDER = SAMPLES
CRITERIA = ("correctness", "comprehensiveness", "readability")
COLUMNS = (
    "item_id",
    "criterion",
    "grader",
    "grader_kind",
    "score",
    "status",
    "reason",
    "repeat",
    "blind",
    "simulated",
    *(f"p:{score}" for score in range(noise.TOP + 1)),
    "probabilities_source",
)


class Rule(Frozen):
    """The author's rule for one kind and size of defect, and why it is below 3."""

    defect: str
    size: float
    correctness: int
    comprehensiveness: int
    readability: int
    reason: str = ""
    readability_reason: str = ""


class Rules(Frozen):
    """The grading table."""

    rules: tuple[Rule, ...]


def main() -> None:
    """Write both files of the sample."""
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")


def files() -> dict[str, str]:
    """The shipped files as text, by name; the same sources always give the same text."""
    source = sources.load()
    table = validated(Rules, read_text(sources.FOLDER / "grading.toml"), "grading.toml")
    model = validated(Noise, read_text(sources.FOLDER / "graders.toml"), "graders.toml")
    sheet = items(source, model.seed)
    return {
        "sample.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in sheet),
        "sample_grades.csv": _csv(grades(source, table, model)),
    }


def items(source: World, seed: int) -> list[dict]:
    """The sheet in long form: one row per answer."""
    return [
        _item(source, f"{question.id}-{system}", question, system, answer, seed)
        for question in source.questions
        for system, answer in question.answers().items()
    ]


def grades(source: World, table: Rules, model: Noise) -> list[dict]:
    """The author's grades, then those of each simulated grader, in the order of the sheet."""
    rows = [
        _row(item_id, criterion, "author", "person", score, reason, False)
        for item_id, (_, answer) in source.answers().items()
        for criterion, (score, reason) in authored(answer, table).items()
    ]
    for grader in model.graders:
        rows += _simulated(source, table, model, grader)
    for decider in model.deciders:
        rows += _decided(source, table, model, decider)
    return rows


def authored(answer: Answer, table: Rules) -> dict[str, tuple[int, str]]:
    """The author's score and reason by criterion; a grade of 3 needs no reason."""
    rule = _rule(answer, table)
    found = {}
    for criterion in CRITERIA:
        score = answer.grades.get(criterion, getattr(rule, criterion))
        found[criterion] = score, "" if score == 3 else _reason(answer, rule, criterion)
    return found


def damaged(source: World, item_id: str, seed: int) -> str:
    """Return the answer of the sheet with the defect that code makes."""
    question, answer = source.answers()[item_id]
    text, language, size = answer.answer.strip(), question.language, answer.defect_size
    match answer.defect:
        case "cut_off":
            return defects.cut_off(text, language, size)
        case "repeated_words":
            return defects.repeated_words(text, language, size, seed, item_id)
        case "stray_symbols":
            return defects.stray_symbols(text, language, size, seed, item_id)
        case "off_topic":
            donor = source.answers()[answer.donor][1].answer.strip()
            return defects.off_topic(text, language, size, donor)
        case "empty":
            return ""
    return text


def _item(source, item_id, question: Question, system: str, answer: Answer, seed: int) -> dict:
    """One line of the sheet; the last three columns are for reports, graders never see them."""
    contexts = [(passage, *source.passage(passage)) for passage in question.contexts]
    return {
        "item_id": item_id,
        "question_id": question.id,
        "cluster": question.document,
        "question": question.question,
        "contexts": [{"id": each, "doc_id": doc, "text": text} for each, doc, text in contexts],
        "answer": damaged(source, item_id, seed),
        "answer_model": system,
        "reference": question.reference,
        "language": question.language,
        "defect": answer.defect,
        "defect_size": answer.defect_size,
    }


def _rule(answer: Answer, table: Rules) -> Rule:
    for rule in table.rules:
        if (rule.defect, rule.size) == (answer.defect, answer.defect_size):
            return rule
    raise Problem(
        f"grading.toml has no rule for {answer.defect} of size {answer.defect_size}. Add one."
    )


def _reason(answer: Answer, rule: Rule, criterion: str) -> str:
    if criterion in answer.grades:
        return answer.why
    if criterion == "readability" and rule.readability_reason:
        return rule.readability_reason
    return rule.reason or answer.note


def _simulated(source: World, table: Rules, model: Noise, grader: Simulated) -> list[dict]:
    chosen = noise.graded(model, grader, [question.id for question in source.questions])
    return [
        _row(
            item_id,
            criterion,
            grader.name,
            grader.kind,
            _noisy(model, grader, item_id, question, answer, criterion, score),
            grader.reason,
            True,
        )
        for item_id, (question, answer) in source.answers().items()
        if question.id in chosen
        for criterion, (score, _) in authored(answer, table).items()
    ]


def _decided(source: World, table: Rules, model: Noise, decider: Decider) -> list[dict]:
    """The grades of a decision judge with its probabilities; the score is their rounded mean."""
    rows = []
    for item_id, (question, answer) in source.answers().items():
        effect = noise.effect(model, question.id, question.document)
        for criterion, (grade, _) in authored(answer, table).items():
            if answer.defect == "empty":  # never misgraded
                shares = tuple(float(score == grade) for score in range(noise.TOP + 1))
            else:
                shares = noise.believed(model, decider, grade, effect, item_id, criterion)
            found = Distribution(NATIVE, tuple(enumerate(shares)))
            score = read_score(found, range(noise.TOP + 1))
            row = _row(item_id, criterion, decider.name, "judge", score, decider.reason, True)
            by_score = {f"p:{number}": share for number, share in enumerate(shares)}
            rows.append(row | by_score | {"probabilities_source": NATIVE})
    return rows


def _noisy(model, grader, item_id, question, answer, criterion, score) -> int:
    """Return the simulated score.

    Empty answers are never misgraded, and some graders obey an injection.
    """
    if answer.defect == "empty":
        return score
    if answer.defect == "injection" and grader.obeys_injections:
        return noise.TOP
    effect = noise.effect(model, question.id, question.document)
    return noise.shifted(grader, score, effect, noise.draws(model, grader, item_id, criterion))


def _row(item_id, criterion, grader, kind, score, reason, simulated) -> dict:
    """One line of the grades; annotators' are blind, of judges the column says nothing."""
    blind = "true" if kind == "person" else ""
    simulated = "true" if simulated else "false"
    values = (item_id, criterion, grader, kind, score, "scored", reason, 1, blind, simulated)
    return dict(zip(COLUMNS, values, strict=False))  # probabilities follow, where there are any


def _csv(rows: list[dict]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


if __name__ == "__main__":
    main()
