"""Contents of a certificate, from a sheet's grades and decisions; figures can be recomputed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from concord.exporting.reason_codes import with_reasons
from concord.judges.combined.run import freeze
from concord.messages import Problem, joined, on_command_line, said
from concord.model import BASELINE, HELD_OUT, Grader, Sheet
from concord.reports.agreement import agreement
from concord.reports.certificate.certificate import (
    DAYS,
    FORMAT,
    Annotators,
    CertifiedSheet,
    Contents,
    JudgeIdentity,
    Questions,
    QuotedDecision,
    RubricVersion,
)
from concord.reports.decision.document import sentence
from concord.reports.decision.results import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    JudgeFound,
    asked_of_reference,
    doubted,
    read,
)
from concord.reports.decision.terms import changed_text
from concord.reports.document import as_json
from concord.reports.panel.criterion_comparison import MEAN
from concord.reports.panel.panel import Panel
from concord.reports.panel.provenance import synthetic
from concord.rubrics.model import Rubric
from concord.sampling.holdout import Opening
from concord.store import certificates, decisions, runs
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def figures(panel: Panel, judge: Grader) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return everything in a certificate that is computed from grades, by its keys."""
    alone = replace(panel, judges={judge.id: judge})
    found = with_reasons(as_json(agreement.report(alone, by_answer_model=True)))
    rows = [row for row in found["rows"] if row["reference"] != MEAN]
    return {
        "rows": tuple(row for row in rows if not row["answer_model"]),
        "by_answer_model": tuple(row for row in rows if row["answer_model"]),
        "reliability": tuple(found["reliability"]),
    }


def decided(store: Store, sheet: Sheet, judge: Grader) -> tuple[Mapping[str, Any], ...]:
    """Return the newest look at every decision about a judge on a sheet, the newest first."""
    looks = [read(one.result) for one in decisions.newest_looks(store, sheet.id)]
    names = ("criterion", "rubric", "against", "margin", "minimum", "figure", "fixed_at")
    names += ("looked_at", "answers", "questions", "confirmatory")
    return tuple(
        {name: getattr(look, name) for name in names}
        | {"verdict": row.verdict, "estimate": dict(zip(_ENDS, row.value, strict=False))}
        for look in looks
        if (row := of_judge(look.judges, judge))
    )


_ENDS = ("value", "low", "high")


def of_judge(rows: Sequence[JudgeFound], judge: Grader) -> JudgeFound | None:
    """Return the row about a judge; a namesake with other settings is another judge."""
    names = (judge.name, judge.label())
    same = (row for row in rows if row.judge in names and row.fingerprint == judge.fingerprint)
    return next(same, None)


_CHOOSE = on_command_line("`choose`")
_WORST = [None, NOT, CANNOT_TELL, GOOD_ENOUGH]


def refuse(panel: Panel, judge: Grader) -> None:
    """Raise a Problem where nothing of this judge on this sheet can be certified."""
    if judge.name == BASELINE:
        raise Problem(
            "Judges are compared with the baseline, so it cannot be certified. Name another judge."
        )
    if all(panel.is_continuous(one.name, judge.id) for one in panel.rubric.criteria):
        raise Problem(
            "The grades of {judge} are continuous numbers, and a certificate rests on exact "
            "scores. Import its verdicts, such as pass and fail, as scores. Agreement shows its "
            "correlations{on_command_line}.",
            judge=judge.name,
            on_command_line=on_command_line("`agreement`"),
        )
    if judge.simulated:
        raise Problem(
            "{judge} is simulated and cannot be certified. Run your own judge with `judge`, and "
            "choose it with `choose`.",
            judge=judge.name,
        )
    simulated = [person.name for person in panel.annotators.values() if person.simulated]
    if simulated:
        raise Problem(
            "Simulated grades cannot be certified. Simulated annotators: {names}. Let annotators "
            "grade the sheet, or exclude these with `annotators --exclude NAME`.",
            names=joined(" and ", simulated),
        )
    if not panel.annotators:
        raise Problem(
            "No annotator has graded sheet “{sheet}” under rubric {rubric}. A certificate rests "
            "on annotators' grades: grade some answers first.",
            sheet=panel.sheet.name,
            rubric=panel.rubric.name,
        )


def contents(
    store: Store,
    panel: Panel,
    judge: Grader,
    quoted: Sequence[QuotedDecision],
    made_at: str,
    days: int = DAYS,
    held_out: Opening | None = None,
) -> Contents:
    """Return what a certificate of a judge says.

    Args:
        store: The open store.
        panel: The questions it rests on.
        judge: The judge.
        quoted: The decisions to be certified, one per criterion; none where no margin and minimum
            were fixed, and then nothing is certified but the figures are given.
        made_at: The moment, from the clock.
        days: After how many days it expires.
        held_out: The opening of the held-out questions it rests on, if it does.

    Raises:
        Problem: Nothing of this judge can be certified; see `refuse`.
    """
    refuse(panel, judge)
    rows = [of_judge(decision.look.judges, judge) for decision in quoted]
    why = why_not(quoted, rows)
    judges = (one for one in panel.judges.values() if one.name != BASELINE)
    body = Contents(
        format=FORMAT,
        first_terms={one.look.criterion: one.look.first_terms for one in quoted},
        certified=why is None,
        verdict=min((row and row.verdict for row in rows), key=_WORST.index, default=None),
        why_not=why,
        criteria=tuple(decision.look.criterion for decision in quoted),
        sentence=joined(
            " ",
            [
                sentence(decision.look, row)
                for decision, row in zip(quoted, rows, strict=True)
                if row
            ],
        ),
        decision=quoted[0] if quoted else None,
        further_decisions=tuple(quoted[1:]),
        decisions=decided(store, panel.sheet, judge),
        judge=_identity(store, panel, judge),
        rubric=_rubric(panel.rubric),
        sheet=_sheet(panel),
        annotators=_annotators(store, panel),
        questions=_questions(store, panel, held_out),
        tried=tuple({"name": one.name, "fingerprint": one.fingerprint} for one in judges),
        **figures(panel, judge),
        made_at=made_at,
        expires_at=(date.fromisoformat(made_at[:10]) + timedelta(days=days)).isoformat(),
        rests_on=certificates.last_rows(store),
    )
    return replace(
        body,
        remarks=(*dict.fromkeys(remarks(panel, body)), *_combined(judge)),
        does_not_show=_does_not_show(panel, body),
    )


def _identity(store: Store, panel: Panel, judge: Grader) -> JudgeIdentity:
    definition = judge.definition.get("judge") or {}
    if judge.definition.get("members"):
        # What is certified is the file that can be used elsewhere, with its fit.
        definition = freeze(judge).model_dump(mode="json", exclude_defaults=True)
    return JudgeIdentity(
        name=judge.name,
        kind=judge.kind,
        fingerprint=judge.fingerprint,
        model=definition.get("model"),
        reported=tuple(
            {key: row[key] for key in _REPORTED}
            for row in runs.reported(store, panel.sheet.id, judge.id)
        ),
        definition=definition,
    )


_REPORTED = ("model", "system_fingerprint", "replies", "since", "until")


def why_not(quoted: Sequence[QuotedDecision], rows: Sequence[JudgeFound | None]) -> str | None:
    """Return why nothing is certified; None where the judge is good enough in every decision."""
    if not quoted:
        return said(
            "no margin was fixed: choose a judge under Decide first{on_command_line}",
            on_command_line=_CHOOSE,
        )
    for decision, row in zip(quoted, rows, strict=True):
        why = _not_certified(decision, row)
        if why:
            return said("{criterion}: {why}", criterion=decision.look.criterion, why=why)
    return None


def _not_certified(decision: QuotedDecision, row: JudgeFound | None) -> str | None:
    look = decision.look
    if row is None:
        return "the judge was not among those that were compared"
    if decision.stale:
        return said(
            "the grades or the annotators have changed since the last interim look; take another "
            "one under Decide{on_command_line}",
            on_command_line=_CHOOSE,
        )
    if row.is_reference and not asked_of_reference(look):
        return (
            "it is the reference judge, and no condition applies to it: fix a minimum, or let "
            "two annotators grade the same answers"
        )
    if not look.confirmatory:
        return said(
            "the verdict is exploratory: the look did not keep the first terms ({changed})",
            changed=changed_text(look.changed_terms),
        )
    if row.verdict == GOOD_ENOUGH and doubted(look):
        return said(
            "an alert on {annotators} is open: exclude the annotator or accept the alert with a "
            "reason, and choose again",
            annotators=joined(", ", doubted(look)),
        )
    if not row.confirmed:
        return "the present grades do not confirm the verdict"
    return {
        GOOD_ENOUGH: None,
        NOT: "it is not good enough",
        CANNOT_TELL: "the verdict is inconclusive",
    }[row.verdict]


def _sheet(panel: Panel) -> CertifiedSheet:
    sheet = panel.sheet
    return CertifiedSheet(sheet.name, sheet.source_name, sheet.sha256, len(panel.items))


def _rubric(rubric: Rubric) -> RubricVersion:
    weights = rubric.weights()
    criteria = (
        {"name": name, "version": version, "weight": str(weights[name])}
        for name, version in rubric.versions().items()
    )
    return RubricVersion(rubric.name, rubric.digest(), tuple(rubric.scale), tuple(criteria))


def _annotators(store: Store, panel: Panel) -> Annotators:
    """Return who scored an answer that may count, and how many of these scores were blind."""
    versions = rubric_versions.criteria(store, panel.rubric)
    counting = {person.name for person in panel.graded_by}
    rows = certificates.blindness(store, panel.items["item_id"][panel.open].tolist(), versions)
    named = tuple(one for one in map(dict, rows) if one["name"] in counting)
    total = sum(one["grades"] for one in named)
    return Annotators(
        named,
        panel.uncounted,
        sum(one["blind"] for one in named) / total if total else None,
        sum(one["unknown"] for one in named) / total if total else None,
    )


def _questions(store: Store, panel: Panel, opening: Opening | None) -> Questions:
    models = tuple(panel.answer_models)
    if opening is None:
        return Questions("evaluation", panel.sheet.imported_at, None, models)
    held_out = {
        "id": opening.id,
        "purpose": opening.purpose,
        "at": opening.created_at,
        "questions": len(opening.questions),
        "before": len(opening.opened_before),
    }
    fixed_at = certificates.held_out_at(store, opening.questions)
    return Questions(HELD_OUT, fixed_at, held_out, models)


def remarks(panel: Panel, body: Contents) -> Iterator[str]:
    """Yield what a reader must know before relying on the figures."""
    judge, unknown, quoted = body.judge, body.annotators.unknown_share, body.quoted
    if len(panel.graded_by) == 1:
        yield "One annotator graded, so inter-annotator agreement is unknown."
        for row in body.reliability:
            same = f"{row['exact']['value']:.0%} of {row['n']}"
            yield f"Same score on repeated grading of {row['criterion']}: {same}."
    if unknown:
        yield f"It is unknown of {unknown:.0%} of the annotators' scores whether they were blind."
    for row in body.compared:
        looks = [one.look for one in quoted if one.look.criterion == row["criterion"]]
        answers = min([row["n"], *(one.answers for one in looks if not body.questions.opening)])
        if answers < body.sheet.answers:
            yield (
                f"{row['criterion']}: decided on {answers} of the sheet's {body.sheet.answers} "
                "answers; this holds for the others only if these were chosen at random."
            )
    if not judge.fingerprint:
        yield (
            "The judge's grades came from a file: a change of its prompt or model cannot be seen."
        )
    elif not judge.definition.get("members") and not any(one["model"] for one in judge.reported):
        yield "The server did not report which model answered."
    if len(judge.reported) > 1:
        names = ", ".join(str(one["model"]) for one in judge.reported)
        yield f"The server reported more than one model: {names}."
    for row in body.decisions:
        other = row["rubric"] != panel.rubric.name
        if row["verdict"] != GOOD_ENOUGH and (other or row["criterion"] not in body.criteria):
            name = f"{row['criterion']} ({row['rubric']})" if other else row["criterion"]
            yield f"Not certified: {name}, {VERDICTS[row['verdict']]} on {row['looked_at'][:10]}."
    yield from synthetic(panel).values()
    if any(one.look.fixed_after_sight for one in quoted):
        yield "The terms were fixed after agreement could be seen."
    if len(body.decisions) > len(quoted) > 0:  # trying several finds some that suit
        yield f"Decisions about this judge, under these or other terms: {len(body.decisions)}."
    opening = body.questions.opening
    if opening and opening["before"]:
        yield f"Held-out questions opened before: {opening['before']} of {opening['questions']}."


def _combined(judge: Grader) -> Iterator[str]:
    """Yield what a combined judge is made of, and what of a fitted rule is certified."""
    members = judge.definition.get("members")
    if not members:
        return
    own = judge.definition["judge"]
    yield f"The judge combines the grades of {joined(', ', members)} ({own['rule']})."
    fit = judge.definition.get("fit")
    if fit and own.get("fit"):
        yield f"Its rule is one full refit, frozen ({fit['digest']}), to questions not among these."
    elif fit:
        yield (
            f"Certified is one full refit, frozen ({fit['digest']}). Its figures are cross-fitted: "
            "each question was scored by a fit to other questions."
        )


def _does_not_show(panel: Panel, body: Contents) -> tuple[str, ...]:
    annotators = [one["name"] for one in body.annotators.named if one["grades"] > one["seeing"]]
    models, people = (", ".join(names) or "unknown" for names in (panel.answer_models, annotators))
    others = f"answering models ({models}), questions, annotators ({people})"
    since = min((one["since"][:10] for one in body.judge.reported), default="an unknown time")
    until = max((one["until"][:10] for one in body.judge.reported), default="")
    period = f"graded {since} to {until}" if until else f"graded at {since}"
    return (f"Other {others}, criteria or wordings, or a later model of the provider ({period}).",)
