"""Certification: whether a judge can be certified on a sheet, and what its certificate says.

Held-out questions are opened for it. Nothing simulated is certified, whatever the verdict. To
verify a certificate every figure of it is recomputed from an export.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from concord.clock import day_of, now
from concord.exporting.exported_tables import restored
from concord.exporting.reason_codes import with_reasons
from concord.judges.combined import freeze
from concord.messages import Problem, joined, on_command_line, said
from concord.model import BASELINE, HELD_OUT, Grader, Sheet
from concord.reports.agreement import agreement
from concord.reports.certificate.certificate import (
    CHANGED,
    DAYS,
    FORMAT,
    Certificate,
    read,
    signed,
    subject,
)
from concord.reports.decision import choose, verdict
from concord.reports.decision.document import changed_text, sentence
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    GOOD_ENOUGH,
    NOT,
    VERDICTS,
    Choice,
    Row,
    asked_of_reference,
    doubted,
)
from concord.reports.document import Document, as_json, table_of
from concord.reports.panel.choice import of_decision
from concord.reports.panel.criterion_comparison import MEAN
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel import read as read_panel
from concord.reports.panel.wording import synthetic
from concord.sampling import holdout, question_exposure
from concord.sampling.holdout import Opening
from concord.store import decisions, runs
from concord.store.database import Store
from concord.store.decisions import Decision
from concord.store.rubrics import rubric_versions

_CHOOSE = on_command_line("`choose`")
_STALE = said("grades or annotators changed since: look again under Decide{on}", on=_CHOOSE)
_LIMITS = (
    "Other answering models ({models}), questions, annotators ({people}), criteria or wordings, or "
    "a later model of the provider."
)
_WORST = [None, NOT, CANNOT_TELL, GOOD_ENOUGH]


def figures(panel: Panel, judge: Grader) -> dict[str, list[Mapping[str, Any]]]:
    """Return everything in a certificate that is computed from grades, by its keys."""
    alone = replace(panel, judges={judge.id: judge})
    found = with_reasons(as_json(agreement.report(alone, by_answer_model=True)))
    rows = [row for row in found["rows"] if row["reference"] != MEAN]
    return {
        "rows": [row for row in rows if not row["answer_model"]],
        "by_answer_model": [row for row in rows if row["answer_model"]],
        "reliability": found["reliability"],
    }


def decided(store: Store, sheet: Sheet, judge: Grader) -> list[dict[str, Any]]:
    """Return the newest look at every decision about a judge on a sheet, the newest first."""
    looks = [verdict.read(one.result) for one in decisions.newest_looks(store, sheet.id)]
    names = ("criterion", "rubric", "against", "margin", "minimum", "figure", "fixed_at")
    names += ("looked_at", "answers", "questions", "confirmatory")
    return [
        {name: look[name] for name in names}
        | {
            "verdict": row.verdict,
            "estimate": dict(zip(("value", "low", "high"), row.value, strict=False)),
        }
        for look in looks
        if (row := of_judge(look.judges, judge))
    ]


def of_judge(rows: Sequence[Row], judge: Grader) -> Row | None:
    """Return the row about a judge; a namesake with other settings is another judge."""
    names = (judge.name, judge.label())
    same = (row for row in rows if row.judge in names and row.fingerprint == judge.fingerprint)
    return next(same, None)


def refuse(panel: Panel, judge: Grader) -> None:
    """Raise a Problem where nothing of this judge on this sheet can be certified."""
    if judge.name == BASELINE or judge.simulated:
        raise Problem(
            "{judge} is simulated or the baseline, which cannot be certified. Run your own judge.",
            judge=judge.name,
        )
    if all(panel.is_continuous(one.name, judge.id) for one in panel.rubric.criteria):
        raise Problem(
            "The grades of {judge} are continuous numbers, and a certificate rests on exact "
            "scores. Import its verdicts, such as pass and fail, as scores.",
            judge=judge.name,
        )
    simulated = [person.name for person in panel.annotators.values() if person.simulated]
    if simulated or not panel.annotators:
        raise Problem(
            "A certificate rests on annotators' grades, and those of “{sheet}” under rubric "
            "{rubric} are missing or simulated. Simulated annotators: {names}. Let annotators "
            "grade the sheet, or exclude these with `annotators --exclude NAME`.",
            sheet=panel.sheet.name,
            rubric=panel.rubric.name,
            names=joined(" and ", simulated) or "none",
        )


def contents(
    store: Store,
    panel: Panel,
    judge: Grader,
    quoted: Sequence[Mapping[str, Any]],
    made_at: str,
    days: int = DAYS,
    held_out: Opening | None = None,
) -> dict[str, Any]:
    """Return what a certificate of a judge says, by the keys of `Certificate`.

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
    looks = [one["look"] for one in quoted]
    rows = [of_judge(look.judges, judge) for look in looks]
    why = next(filter(None, map(_not_certified, quoted, rows)), None)
    if not quoted:
        why = said("no margin was fixed: choose a judge under Decide first{on}", on=_CHOOSE)
    rubric, sheet = panel.rubric, panel.sheet
    versions = rubric_versions.criteria(store, rubric)
    weights, counting = rubric.weights(), {person.name for person in panel.graded_by}
    answers = panel.items["item_id"][panel.open].tolist()
    named = [
        dict(one)
        for one in decisions.blindness(store, answers, versions)
        if one["name"] in counting
    ]
    grades = sum(one["grades"] for one in named)
    blind, unknown = (
        sum(one[key] for one in named) / grades if grades else None for key in ("blind", "unknown")
    )
    body = {
        "format": FORMAT,
        "first_terms": {look.criterion: look.first_terms for look in looks},
        "certified": why is None,
        "verdict": min((row and row.verdict for row in rows), key=_WORST.index, default=None),
        "why_not": why,
        "criteria": [look.criterion for look in looks],
        "sentence": " ".join(
            sentence(look, row) for look, row in zip(looks, rows, strict=True) if row
        ),
        "decision": quoted[0] if quoted else None,
        "further_decisions": quoted[1:],
        "decisions": decided(store, sheet, judge),
        "judge": _identity(store, panel, judge),
        "rubric": {
            "name": rubric.name,
            "digest": rubric.digest(),
            "scale": rubric.scale,
            "criteria": [
                {"name": name, "version": version, "weight": str(weights[name])}
                for name, version in rubric.versions().items()
            ],
        },
        "sheet": {
            "name": sheet.name,
            "file": sheet.source_name,
            "sha256": sheet.sha256,
            "answers": len(panel.items),
        },
        "annotators": {
            "named": named,
            "uncounted": panel.uncounted,
            "blind_share": blind,
            "unknown_share": unknown,
        },
        "questions": _questions(store, panel, held_out),
        "tried": [
            {"name": one.name, "fingerprint": one.fingerprint}
            for one in panel.judges.values()
            if one.name != BASELINE
        ],
        **figures(panel, judge),
        "made_at": made_at,
        "expires_at": (date.fromisoformat(made_at[:10]) + timedelta(days=days)).isoformat(),
        "rests_on": decisions.last_rows(store),
    }
    people = [one["name"] for one in named if one["grades"] > one["seeing"]]
    return body | {
        "remarks": [*dict.fromkeys(remarks(panel, judge, body))],
        "does_not_show": [
            _LIMITS.format(
                models=", ".join(panel.answer_models) or "unknown",
                people=", ".join(people) or "unknown",
            )
        ],
    }


def _identity(store: Store, panel: Panel, judge: Grader) -> dict[str, Any]:
    definition = judge.definition.get("judge") or {}
    if judge.definition.get("members"):
        # What is certified is the file that can be used elsewhere, with its fit.
        definition = freeze(judge).model_dump(mode="json", exclude_defaults=True)
    reported = ("model", "system_fingerprint", "replies", "since", "until")
    return {
        "name": judge.name,
        "kind": judge.kind,
        "fingerprint": judge.fingerprint,
        "model": definition.get("model"),
        "reported": [
            {key: row[key] for key in reported}
            for row in runs.reported(store, panel.sheet.id, judge.id)
        ],
        "definition": definition,
    }


def _questions(store: Store, panel: Panel, held_out: Opening | None) -> dict[str, Any]:
    found = {"split": "evaluation", "fixed_at": panel.sheet.imported_at, "opening": None}
    if held_out:
        opening = {
            "id": held_out.id,
            "purpose": held_out.purpose,
            "at": held_out.created_at,
            "questions": len(held_out.questions),
            "before": len(held_out.opened_before),
        }
        fixed_at = decisions.held_out_at(store, held_out.questions)
        found = {"split": HELD_OUT, "fixed_at": fixed_at, "opening": opening}
    seen = question_exposure.looked_at(store, panel.sheet.id)
    return found | {"answer_models": panel.answer_models, "seen": seen}


def _not_certified(quoted: Mapping[str, Any], row: Row | None) -> str | None:
    """Return why a decision certifies nothing; None where the judge is good enough in it."""
    look = quoted["look"]
    why = None
    if row is None:
        why = "the judge was not among those that were compared"
    elif quoted["stale"]:
        why = _STALE
    elif row.is_reference and not asked_of_reference(look):
        why = "it is the reference judge, and no condition applies to it: fix a minimum"
    elif not look.confirmatory:
        changed = changed_text(look.changed_terms)
        why = said("the look did not keep the first terms ({changed})", changed=changed)
    elif row.verdict == GOOD_ENOUGH and look.alerts:
        why = said("exclude {name} or accept the open alert", name=", ".join(doubted(look)))
    elif not row.confirmed:
        why = "the present grades do not confirm the verdict"
    elif row.verdict != GOOD_ENOUGH:
        why = VERDICTS[row.verdict]
    return why and f"{look.criterion}: {why}"


def remarks(panel: Panel, judge: Grader, body: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a reader must know before relying on the figures."""
    opening, definition = body["questions"]["opening"], judge.definition
    quoted = [one["look"] for one in (body["decision"], *body["further_decisions"]) if one]
    for look in quoted:
        of = next(row["n"] for row in body["rows"] if row["criterion"] == look.criterion)
        answers, every = of if opening else min(of, look.answers), body["sheet"]["answers"]
        if answers < every:
            yield said(
                "{criterion}: decided on {n} of {every} answers; this holds for the others only if "
                "these were chosen at random.",
                criterion=look.criterion,
                n=answers,
                every=every,
            )
    if definition.get("fit") and not definition["judge"].get("fit"):
        yield "Certified is one full refit; its figures are cross-fitted."
    if not definition.get("members") and not any(one["model"] for one in body["judge"]["reported"]):
        yield "It is unknown which model answered, so that a change of it cannot be seen."
    for row in body["decisions"]:
        other = row["rubric"] != panel.rubric.name
        if row["verdict"] != GOOD_ENOUGH and (other or row["criterion"] not in body["criteria"]):
            name = f"{row['criterion']} ({row['rubric']})" if other else row["criterion"]
            verdict = f"{VERDICTS[row['verdict']]} on {row['looked_at'][:10]}"
            yield said("Not certified: {name}, {verdict}.", name=name, verdict=verdict)
    yield from synthetic(panel).values()
    if any(look.fixed_after_sight for look in quoted):
        yield "The terms were fixed after agreement could be seen."
    if not opening and (seen := body["questions"]["seen"]):
        yield said("Questions of the sheet looked at while tuning: {seen:,}.", seen=seen)
    if opening and opening["before"]:
        yield said("Held-out questions opened before: {before} of {questions}.", **opening)


def certify(
    store: Store,
    panel: Panel,
    judge: Grader,
    days: int = DAYS,
    why: str | None = None,
    who: str = "",
    criteria: Sequence[str] = (),
) -> Certificate:
    """Write a certificate and store it.

    Args:
        store: The open store.
        panel: The sheet under a rubric, with the annotators who count.
        judge: The judge.
        days: After how many days it expires.
        why: What the held-out questions are opened for; None leaves them closed.
        who: Who opens them.
        criteria: The criteria to certify; every one with a verdict of good enough otherwise.

    Raises:
        Problem: Nothing of this judge can be certified, or it is not good enough on a criterion and
            none was named; then nothing is opened either.
    """
    refuse(panel, judge)
    found = _chosen(store, panel, judge, criteria, bool(why))
    named = [decision.annotators for decision, _ in found]
    panel = of_decision(panel, None if None in named or not named else set().union(*named))
    opening = holdout.open_held_out(store, panel.sheet, why, who) if why else None
    if opening:
        annotators = [person.name for person in panel.annotators.values()]
        panel = read_panel(store, panel.sheet, panel.rubric, annotators, held_out=opening.questions)
    quoted = []
    for decision, _ in found:
        if opening:  # on held-out questions the judges are compared again
            number, stale = len(holdout.openings(store, panel.sheet)), False
            look = choose.compare(store, panel, decision, number)
        else:
            stand = choose.standing(store, panel, decision)
            look, stale = stand.result, not stand.current
        against = choose.reference_of(panel, decision)
        held = choose.replayed(store, panel, decision, against, judge, look)
        quoted.append({"look": look, "stale": stale, "robustness": held})
    made = signed(contents(store, panel, judge, quoted, now(), days, opening)).document
    first = found[0][0].id if found else None
    kept = decisions.keep_certificate(store, made, panel.sheet.id, judge.id, first)
    if opening:
        holdout.certified(store, opening, kept)
    return read({**made, "id": kept})


def _looks(store: Store, panel: Panel) -> list[tuple[Decision, Choice]]:
    """Return the sheet's decisions under this rubric with their newest looks, the newest first."""
    looks = (
        (decisions.get(store, one.decision_id), verdict.read(one.result))
        for one in decisions.newest_looks(store, panel.sheet.id)
    )
    rubric = panel.rubric.name
    return [one for one in looks if one[1].rubric == rubric and one[1].criterion in panel.weights]


def _chosen(
    store: Store, panel: Panel, judge: Grader, criteria: Sequence[str], held_out: bool
) -> list[tuple[Decision, Choice]]:
    """Return the looks a certificate is based on, one per criterion, in the rubric's order.

    That is the newest confirmatory one that compared the judge, else the newest that did, else the
    newest at all, which then explains why nothing is certified.

    Raises:
        Problem: A named criterion is not in the rubric or has no look; or none was named, and the
            judge is good enough on one and not on another.
    """
    names, every = [panel.rubric.criterion(name).name for name in criteria], _looks(store, panel)
    about = [one for one in every if of_judge(one[1].judges, judge)]
    looks = {one[1].criterion: one for one in every[:1]} if not about else {}
    # An exploratory look is never certified, so one that came later replaces no confirmatory one.
    for one in sorted(about, key=lambda one: not one[1].confirmatory):
        looks.setdefault(one[1].criterion, one)
    missing = [name for name in names if name not in looks]
    if missing:
        raise Problem(
            "No interim look was taken at a decision on {criterion} on sheet “{sheet}”. Take one "
            "under Decide{on_command_line}, or leave that criterion out.",
            criterion=missing[0],
            sheet=panel.sheet.name,
            on_command_line=_CHOOSE,
        )
    ordered = [name for name in panel.weights if name in looks]
    if names:
        return [looks[name] for name in ordered if name in names]
    verdicts = {name: of_judge(looks[name][1].judges, judge) for name in ordered if about}
    good = [name for name, row in verdicts.items() if row.verdict == GOOD_ENOUGH]
    failed = [name for name, row in verdicts.items() if row.verdict == NOT]
    if failed and (good or held_out):
        raise Problem(
            "{judge} is not good enough on {criteria} (looked at on {day}), so it is not "
            "certified as a whole. Choose the criteria to certify{on_command_line}, which are then "
            "part of the title.",
            judge=judge.name,
            criteria=joined(", ", failed),
            day=day_of(looks[failed[0]][1].looked_at),
            on_command_line=on_command_line("`--criterion C`"),
        )
    return [looks[name] for name in good] or list(looks.values())[:1]


# Sums may be added in another order on another machine, so the last digits can differ.
CLOSE = 1e-9
_COMPARED = ("rows", "by_answer_model", "reliability", "decisions")


def verify(certificate: Certificate, folder: str | Path) -> dict[str, Any]:
    """Recompute every figure of a certificate from an export.

    The export is read as it was when the certificate was written; later grades do not matter.

    Args:
        certificate: The certificate.
        folder: What `export` wrote.

    Returns:
        holds: It is unchanged, and no figure differs.
        unchanged: It is as it was written, by its digest.
        judge, sheet, certified, criteria, decisions: As in the certificate.
        figures: How many values were compared.
        differences: Those found to be other ones: `figure` (the place in the JSON), `certified`
            and `found`.

    Raises:
        Problem: The folder is no export, or lacks the sheet, the rubric or the judge.
    """
    with restored(folder, certificate.rests_on) as store:
        found = _recomputed(store, certificate)
    written = certificate.document
    pairs = [pair for name in _COMPARED for pair in _pairs(name, written.get(name), found[name])]
    differences = [
        {"figure": place, "certified": then, "found": now}
        for place, then, now in pairs
        if not _same(then, now)
    ]
    kept = ("format", "certified", "criteria", "decisions")
    return {
        "holds": certificate.unchanged and not differences,
        "unchanged": certificate.unchanged,
        "judge": certificate.judge.name,
        "sheet": certificate.sheet.name,
        **{name: written[name] for name in kept},
        "figures": len(pairs),
        "differences": differences,
    }


def verification_document(found: Mapping[str, Any]) -> Document:
    """Return what is shown of a verification."""
    text = "All {figures:,} values of the certificate of {judge} are reproduced."
    if found["differences"]:
        text = "Values that differ in the certificate of {judge}: {differ:,} of {figures:,}."
    headline = text.format(**found, differ=len(found["differences"]))
    parts = (
        ("figure", "figure"),
        ("certified value", lambda one: str(one["certified"])),
        ("recomputed value", lambda one: str(one["found"])),
    )
    changed = () if found["unchanged"] else (CHANGED,)
    return Document(headline, changed, (table_of("differences", found["differences"], parts),))


def _recomputed(store: Store, certificate: Certificate) -> Mapping[str, object]:
    """The figures and decisions found now, as JSON, by their keys in a certificate."""
    of = subject(store, certificate)
    opening = certificate.questions.opening
    every = holdout.openings(store, of.sheet) if opening else ()
    questions = next((one.questions for one in every if one.id == opening["id"]), None)
    names = [one["name"] for one in certificate.annotators.named]
    panel = read_panel(store, of.sheet, of.rubric, names, held_out=questions)
    found = figures(panel, of.judge) | {"decisions": decided(store, of.sheet, of.judge)}
    return json.loads(json.dumps(as_json(found)))


def _pairs(place: str, certified: object, now: object) -> Iterator[tuple[str, object, object]]:
    """Yield every value of a certificate with the one found and its place.

    Of a reason the code is compared, where the certificate has one, and of a warning that there is
    one: versions word them differently.
    """
    if isinstance(certified, Mapping) and isinstance(now, Mapping):
        # A later version may find more; what was taken out fails the digest.
        for key, value in certified.items():
            if key == "note":
                yield f"{place}.{key}", value is not None, now.get(key) is not None
            elif key != "why_none":
                yield from _pairs(f"{place}.{key}", value, now.get(key))
    elif isinstance(certified, list) and isinstance(now, list) and len(certified) == len(now):
        for number, (one, other) in enumerate(zip(certified, now, strict=True)):
            label = one.get("criterion", number) if isinstance(one, Mapping) else number
            yield from _pairs(f"{place}[{label}]", one, other)
    else:
        yield place, certified, now


def _same(certified: object, now: object) -> bool:
    if isinstance(certified, float) and isinstance(now, float | int):
        return math.isclose(certified, now, rel_tol=CLOSE, abs_tol=CLOSE)
    return certified == now
