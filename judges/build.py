"""Build: from documents to drafts, and from questions to the answers of models.

Both are run by `judges.asking`; what is stored is made from the replies on disk, so that a run that
was killed loses nothing and repeating it adds only what is missing.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from data import asked, contents, drafts, sheets
from data.counted import counted
from data.questions import Question
from data.store import Store
from judges import answering, ask, asking, drafting
from judges.ask import Asker
from judges.asking import Options, Outcome, Work
from judges.model import Judge
from judges.price import Band
from problems import Problem
from rubrics.model import digest

# About how many tokens a drafted question with its quote takes, and an answer.
DRAFT_TOKENS, ANSWER_TOKENS = Band(60, 350), Band(30, 500)

Confirm = Callable[[str], bool]
Progress = Callable[[str], None]


class Answered(NamedTuple):
    """A model's run and how many of its answers the sheet took."""

    outcome: Outcome
    added: int
    there: int

    def sentence(self) -> str:
        """Both, in words."""
        if not self.outcome.asked:
            return self.outcome.sentence()
        there = f"; {self.there:,} stood there before" if self.there else ""
        return f"{self.outcome.sentence()} {counted(self.added, 'answer')} added{there}."


def drafting_work(store: Store, sheet_name: str, judge: Judge, count: int) -> Work:
    """Up to `count` questions about every document of a sheet being built, from a model."""

    def land(opened: Store, document_id: int, asked_id: int) -> None:
        written = drafting.words(_completion(opened, asked_id))
        drafts.add(opened, document_id, asked_id, judge.model, written)

    asker = Asker(
        judge,
        "drafts",
        lambda id_: drafting.request(judge, drafts.document(store, id_), count),
        drafting.fault,
        sheet_name,
        land,
    )
    output = Band(DRAFT_TOKENS.low, DRAFT_TOKENS.high * count)
    scope = {**_whose(judge), "questions": count}
    return Work(asker, drafts.document_ids(store, sheet_name), output, scope)


def answering_work(
    store: Store, sheet_name: str, judge: Judge, questions: Sequence[Question]
) -> Work:
    """Answers of a model to questions, but those that the sheet has from it already."""
    by_key = {question.key: question for question in questions}
    sheet = sheets.find(store, sheet_name)
    known = contents.identities(store, sheet.id) if sheet else set()
    keys = [key for key, q in by_key.items() if q.identity(judge.model) not in known]
    asker = Asker(
        judge,
        "answers",
        lambda key: answering.request(judge, by_key[key]),
        answering.fault,
        sheet_name,
    )
    return Work(asker, keys, ANSWER_TOKENS, _whose(judge))


def untaken(store: Store, work: Work) -> int:
    """How many good replies have not become drafts, or answers, of the sheet."""
    return len(_untaken(store, work))


def _untaken(store: Store, work: Work) -> list[tuple[Any, int]]:
    """The keys whose good replies have not become drafts, or answers, with these replies."""
    good = ask.left(store, work.asker, work.keys).good.items()
    if work.asker.purpose == "answers":  # its keys are those that the sheet has no answer to
        return list(good)
    known = drafts.taken(store, work.asker.sheet_name)
    new = [pair for pair in good if pair not in known]
    return [pair for pair in new if drafting.words(_completion(store, pair[1]))]


def draft(
    store: Store,
    sheet_name: str,
    judge: Judge,
    count: int,
    options: Options,
    confirm: Confirm,
    progress: Progress,
) -> Outcome:
    """Have a model draft up to `count` questions about every document of a sheet being built.

    Drafts are kept with the reply that brought them, so that a person can read them meanwhile.
    """
    work = drafting_work(store, sheet_name, judge, count)
    outcome = asking.carry_out(store, work, options, confirm, progress)
    if outcome.asked:
        # A reply to the same text in another sheet was stored before, and is none of this run.
        for document_id, asked_id in _untaken(store, work):
            work.asker.land(store, document_id, asked_id)
    return outcome._replace(missing=[_of_document(store, gap) for gap in outcome.missing])


def answer(
    store: Store,
    sheet_name: str,
    judge: Judge,
    questions: Sequence[Question],
    options: Options,
    confirm: Confirm,
    progress: Progress,
) -> Answered:
    """Have a model answer questions from their contexts; its answers join the sheet.

    A question that the sheet has this model's answer to is not asked again. What came before the
    run ended joins the sheet however it ended.
    """
    by_key = {question.key: question for question in questions}
    work = answering_work(store, sheet_name, judge, questions)
    try:
        outcome = asking.carry_out(store, work, options, confirm, progress)
    except (Problem, KeyboardInterrupt):
        _take(store, sheet_name, work, by_key)
        raise
    added = _take(store, sheet_name, work, by_key) if outcome.asked else 0
    missing = [{**gap, "key": by_key[gap["key"]].text} for gap in outcome.missing]
    return Answered(outcome._replace(missing=missing), added, len(by_key) - len(work.keys))


def _take(store: Store, sheet_name: str, work: Work, by_key: dict[str, Question]) -> int:
    """Put the good answers into the sheet; returns how many are new."""
    good = ask.left(store, work.asker, work.keys).good
    model = work.asker.judge.model
    items = [
        by_key[key].answered(answering.answer(_completion(store, asked_id)), model)
        for key, asked_id in good.items()
    ]
    with store.write():
        compared = sheets.compare(store, sheets.find(store, sheet_name), items)
        if compared.conflicts:
            raise Problem(
                f"“{sheet_name}” holds other questions under the same ids. "
                f"{compared.conflicts[0].problem} Or name another sheet with --sheet."
            )
        if compared.new:
            counts = {"rows": len(items), "added": len(compared.new), "bad": 0}
            made = digest([item.answer for item in compared.new])
            source = f"answers of {model}"
            sheets.add(store, sheet_name, compared.new, source, made, {}, None, counts)
    return len(compared.new)


def _whose(judge: Judge) -> dict[str, Any]:
    """Whose model is asked, as it is kept with a run: no key, no credentials."""
    return {"judge": judge.name, "model": judge.model, "base_url": judge.url()}


def _completion(store: Store, asked_id: int) -> Any:
    return json.loads(asked.raw(store, asked_id))


def _of_document(store: Store, gap: dict) -> dict:
    return {**gap, "key": drafts.document(store, gap["key"]).name}
