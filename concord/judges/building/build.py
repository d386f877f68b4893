"""Build a sheet: from documents to drafts, and from questions to the answers of models.

Both are plans of the run engine. What is stored is made from the replies on disk, so a run that was
killed loses nothing and repeating it adds only what is missing.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.building import drafts
from concord.definitions import digest
from concord.judges.building import answering, drafting
from concord.judges.building.requests import RequestOutcome, RequestPlan
from concord.judges.definition.model import Judge
from concord.judges.definition.prices import Band
from concord.judges.running import engine
from concord.judges.running.engine import Confirm, Options, Progress
from concord.messages import Problem, counted
from concord.model import Question
from concord.store import additions, request_log
from concord.store import items as store_items
from concord.store.database import Store

# About how many tokens a drafted question with its quote takes, and an answer.
DRAFT_TOKENS, ANSWER_TOKENS = Band(60, 350), Band(30, 500)


@dataclass(frozen=True)
class Answered:
    """A model's run and how many of its answers the sheet took."""

    outcome: RequestOutcome
    added: int
    there: int

    def sentence(self) -> str:
        """Both, in words."""
        if not self.outcome.may_be_used:
            return self.outcome.sentence()
        there = f"; {self.there:,} stood there before" if self.there else ""
        return f"{self.outcome.sentence()} {counted(self.added, 'answer')} added{there}."


def drafting_plan(store: Store, sheet_name: str, judge: Judge, count: int) -> RequestPlan:
    """Up to `count` questions about every document of a sheet being built, from a model."""

    def land(opened: Store, document_id: int, asked_id: int) -> None:
        written = drafting.words(_completion(opened, asked_id))
        drafts.add(opened, document_id, asked_id, judge.model, written)

    return RequestPlan(
        judge,
        "drafts",
        drafts.document_ids(store, sheet_name),
        lambda id_: drafting.request(judge, drafts.document(store, id_), count),
        drafting.words,
        Band(DRAFT_TOKENS.low, DRAFT_TOKENS.high * count),
        {**_whose(judge), "questions": count},
        sheet_name,
        land,
    )


def answering_plan(
    store: Store, sheet_name: str, judge: Judge, questions: Sequence[Question]
) -> RequestPlan:
    """Answers of a model to questions, except those that the sheet has from it already."""
    by_key = {question.key: question for question in questions}
    known = store_items.identities(store, sheet_name)
    return RequestPlan(
        judge,
        "answers",
        [key for key, q in by_key.items() if q.identity(judge.model) not in known],
        lambda key: answering.request(judge, by_key[key]),
        answering.answer,
        ANSWER_TOKENS,
        _whose(judge),
        sheet_name,
    )


def count_unused(store: Store, plan: RequestPlan) -> int:
    """Count the usable replies that have not become drafts, or answers, of the sheet."""
    return len(_unused(store, plan))


def _unused(store: Store, plan: RequestPlan) -> list[tuple[Any, int]]:
    """The keys whose usable replies have not become drafts, or answers, with these replies."""
    good = plan.read_left(store).good.items()
    if plan.purpose == "answers":  # its keys are those that the sheet has no answer to
        return list(good)
    known = drafts.taken(store, plan.sheet_name)
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
) -> RequestOutcome:
    """Have a model draft up to `count` questions about every document of a sheet being built.

    Drafts are kept with the reply that brought them, so that an annotator can read them meanwhile.
    """
    plan = drafting_plan(store, sheet_name, judge, count)
    plan = replace(plan, again=options.retry_unscored)
    outcome = engine.carry_out(store, plan, options, confirm, progress)
    if outcome.may_be_used:
        # A reply to the same text in another sheet was stored before, not by this run.
        for document_id, asked_id in _unused(store, plan):
            plan.land(store, document_id, asked_id)
    return _named(outcome, lambda key: drafts.document(store, key).name)


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
    plan = answering_plan(store, sheet_name, judge, questions)
    plan = replace(plan, again=options.retry_unscored)
    try:
        outcome = engine.carry_out(store, plan, options, confirm, progress)
    except (Problem, KeyboardInterrupt):
        _add_answers(store, plan, by_key)
        raise
    added = _add_answers(store, plan, by_key) if outcome.may_be_used else 0
    outcome = _named(outcome, lambda key: by_key[key].text)
    return Answered(outcome, added, len(by_key) - len(plan.keys))


def _add_answers(store: Store, plan: RequestPlan, by_key: dict[str, Question]) -> int:
    """Add the usable answers to the sheet; returns how many are new."""
    good, model = plan.read_left(store).good, plan.judge.model
    items = [
        by_key[key].answered(answering.answer(_completion(store, asked_id)), model)
        for key, asked_id in good.items()
    ]
    name = plan.sheet_name
    with store.write():
        compared = additions.compare(store, name, items)
        if compared.conflicts:
            raise Problem(
                "“{name}” holds other questions under the same ids. {problem} Or name another "
                "sheet with --sheet.",
                name=name,
                problem=compared.conflicts[0].problem,
            )
        if compared.new:
            counts = {"rows": len(items), "added": len(compared.new), "bad": 0}
            made = digest([item.answer for item in compared.new])
            source = f"answers of {model}"
            additions.add(store, name, compared.new, source, made, {}, None, counts)
    return len(compared.new)


def _whose(judge: Judge) -> dict[str, Any]:
    """Return the model's identity as stored with a run: no key, no credentials."""
    return {"judge": judge.name, "model": judge.model, "base_url": judge.url()}


def _completion(store: Store, asked_id: int) -> Any:
    return json.loads(request_log.raw(store, asked_id))


def _named(outcome: RequestOutcome, name: Callable[[Any], str]) -> RequestOutcome:
    """The outcome with what is missing under names for annotators."""
    missing = tuple(replace(gap, key=name(gap.key)) for gap in outcome.missing)
    return replace(outcome, missing=missing)
