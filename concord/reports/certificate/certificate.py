"""Certificate: how far a judge may be trusted, by whose grades, on what, and until when.

One page that a reviewer can hold against the data: every figure in it can be made again from an
export (`concord/reports/certificate/verification.py`), and it says by itself when it is void
(`concord/reports/certificate/certificate_status.py`).
"""

from dataclasses import replace
from datetime import date, timedelta

from concord.language.plurals import counted
from concord.messages import joined, said
from concord.problems import Problem
from concord.reports.agreement import agreement
from concord.reports.cells import share
from concord.reports.decision.decisions_about import of_judge
from concord.reports.decision.verdict import CANNOT_TELL, GOOD_ENOUGH, NOT, VERDICTS
from concord.reports.document import as_json
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.rubrics.model import Rubric, digest
from concord.sampling.holdout import Opening
from concord.stats.core.tables import NEGLIGIBLE
from concord.store import certificates, runs
from concord.store.database import Store
from concord.store.graders import BASELINE, Grader
from concord.store.rubrics import rubric_versions

DAYS = 90
FORMAT = 2
BEFORE = (1,)  # formats whose digest can be checked, and whose figures had other names
FIGURES = ("rows", "by_answer_model", "worst_answer_model", "reliability")


def refuse(panel: Panel, judge: Grader) -> None:
    """A Problem where nothing of this judge on this sheet can be certified."""
    if judge.name == BASELINE:
        raise Problem(
            said(
                "The baseline is the floor that judges are held against and is never certified. "
                "Name another judge."
            )
        )
    if judge.simulated:
        raise Problem(
            said(
                "{judge} is simulated, and nothing simulated is certified. Run a judge of your own "
                "with `judge`, and choose it with `choose`.",
                judge=judge.name,
            )
        )
    simulated = [person.name for person in panel.annotators.values() if person.simulated]
    if simulated:
        raise Problem(
            said(
                "Nothing simulated is certified, and {names} are among the annotators. Let "
                "annotators "
                "grade the sheet, or name those who count with --annotators.",
                names=joined(" and ", simulated),
            )
        )
    if not panel.annotators:
        raise Problem(
            said(
                "Nobody has graded sheet “{sheet}” under rubric {rubric}. A certificate rests on "
                "annotators' grades: grade some answers first.",
                sheet=panel.sheet.name,
                rubric=panel.rubric.name,
            )
        )


def certificate(
    store: Store,
    panel: Panel,
    judge: Grader,
    quoted: list[dict],
    decisions: list[dict],
    made_at: str,
    days: int = DAYS,
    sealed: Opening | None = None,
    anchors: dict | None = None,
) -> dict:
    """A certificate as JSON.

    Args:
        store: The open store.
        panel: The questions it rests on.
        judge: The judge.
        quoted: What `decision.choose` found when it was last looked at, one per criterion to be
            certified; none where margin and minimum were never fixed, and then nothing is
            certified but the figures are said.
        decisions: Every decision about the judge on the sheet; see `decisions_about`.
        made_at: The moment, from the clock.
        days: After how many days it expires.
        sealed: The opening of the sealed questions it rests on, if it does.
        anchors: What `anchor_run.carried` gave, so that the judge can be asked again later.

    Raises:
        Problem: Nothing of this judge can be certified; see `refuse`.
    """
    refuse(panel, judge)
    found = figures(panel, judge, _criterion(panel, quoted))
    body = {
        "format": FORMAT,
        **_decided(quoted, judge),
        "decisions": decisions,
        "judge": identity(store, panel, judge),
        "rubric": _rubric(panel.rubric),
        "sheet": {"name": panel.sheet.name, "file": panel.sheet.source_name}
        | {"sha256": panel.sheet.sha256, "answers": len(panel.items)},
        "annotators": _annotators(store, panel),
        "questions": _questions(store, panel, sealed),
        "tried": [_named(other) for other in panel.judges.values() if other.name != BASELINE],
        **found,
        "anchors": anchors,
        "made_at": made_at,
        "expires_at": (date.fromisoformat(made_at[:10]) + timedelta(days=days)).isoformat(),
        "rests_on": certificates.ends(store),
    }
    body["remarks"] = _remarks(panel, body, quoted)
    body["does_not_show"] = _does_not_show(panel, body)
    return body | {"digest": digest(body)}


def figures(panel: Panel, judge: Grader, criterion: str) -> dict:
    """Everything in a certificate that is reckoned from grades, and can be reckoned again.

    Args:
        panel: The questions it rests on.
        judge: The judge.
        criterion: The one by which the worst answering model is found.

    Returns:
        `rows`, one per criterion and the composite; `by_answer_model`, the same for each answering
        model; `worst_answer_model`; and `reliability` of the annotators.
    """
    alone = replace(panel, judges={judge.id: judge})
    found = as_json(agreement.report(alone, by_answer_model=True))
    by_model = [row for row in found["rows"] if row["answer_model"]]
    return {
        "rows": [row for row in found["rows"] if not row["answer_model"]],
        "by_answer_model": by_model,
        "worst_answer_model": _worst(by_model, criterion),
        "reliability": found["reliability"],
    }


def identity(store: Store, panel: Panel, judge: Grader) -> dict:
    """Everything that makes the judge the same judge, as far as it is known."""
    definition = judge.definition.get("judge") or {}
    rows = runs.reported(store, panel.sheet.id, judge.id)
    told = ("model", "system_fingerprint", "replies", "since", "until")
    reported = [{key: row[key] for key in told} for row in rows]
    return {
        "name": judge.name,
        "kind": judge.kind,
        "fingerprint": judge.fingerprint,
        "model": definition.get("model"),
        "reported": reported,
        "definition": definition,
    }


def _criterion(panel: Panel, quoted: list[dict]) -> str:
    return quoted[0]["criterion"] if quoted else max(panel.weights, key=panel.weights.get)


def _decided(quoted: list[dict], judge: Grader) -> dict:
    """The verdict on this judge in words, and why nothing is certified where it is not."""
    if not quoted:
        why = said("no margin was fixed: `choose` has not been asked about this sheet")
        return {
            "certified": False,
            "verdict": None,
            "why_not": why,
            "criteria": [],
            "sentence": "",
            "decision": None,
            "further_decisions": [],
        }
    rows = [of_judge(decision, judge) for decision in quoted]
    verdicts = [row and row["verdict"] for row in rows]
    whys = list(filter(None, map(_why_not, quoted, rows)))
    return {
        "certified": not whys,
        "verdict": min(verdicts, key=_WORST.index),
        "why_not": whys[0] if whys else None,
        "criteria": [decision["criterion"] for decision in quoted],
        "sentence": " ".join(map(_sentence, quoted, rows)),
        "decision": quoted[0],
        "further_decisions": quoted[1:],
    }


_WORST = [None, NOT, CANNOT_TELL, GOOD_ENOUGH]


def _why_not(decision: dict, row: dict | None) -> str | None:
    why = _not_certified(decision, row)
    return why and said("{criterion}: {why}", criterion=decision["criterion"], why=why)


def _not_certified(decision: dict, row: dict | None) -> str | None:
    if row is None:
        return said("it was not among the judges that the choice was between")
    if decision["stale"]:
        return said(
            "the grades or the annotators are others than when the decision was looked at; "
            "`choose` "
            "takes another look"
        )
    if row["is_reference"] and not _asked_of_reference(decision, row):
        return said(
            "it is the reference judge, and nothing was asked of it: fix a minimum, or let a "
            "second annotator grade the same answers"
        )
    if row["verdict"] == GOOD_ENOUGH and _no_assay(decision, row):
        return said(
            "the decision was looked at before a failed reference judge and the majority-class "
            "baseline were heeded, and it does not stand; name a minimum, or another reference "
            "judge"
        )
    return {
        "good_enough": None,
        "not": said("it is not good enough"),
        "cannot_tell": said("the grades do not tell yet whether it is good enough"),
    }[row["verdict"]]


def _no_assay(decision: dict, row: dict) -> bool:
    """Whether a stored verdict rests on a comparison that shows nothing; see `verdict`."""
    reference = next(one for one in decision["judges"] if one["is_reference"])
    least = (decision["majority_baseline"] or {}).get("exact", 0) - NEGLIGIBLE
    below = [one for one in (row, reference) if (one["exact"]["value"] or 0) < least]
    return not decision["minimum"] and bool(below or reference["verdict"] == NOT)


def _asked_of_reference(decision: dict, row: dict) -> bool:
    """Whether there was a minimum above 0 or annotators' own agreement to reach."""
    return bool(decision["minimum"]) or row["judge_minus_ceiling"]["low"] is not None


def _sentence(decision: dict, row: dict | None) -> str:
    """The finding of the look where it is about this judge, else what it says of this one."""
    if row is None:
        return ""
    if decision["about"] == row["judge"]:
        return f"On {decision['criterion']}: {decision['sentence']}"
    role = "the reference judge" if row["is_reference"] else f"held against {decision['against']}"
    told = f"{row['judge']}, {role}, gives an annotator's exact {decision['criterion']} score on "
    return f"{told}{share(row['exact'])} of {counted(decision['answers'], 'answer')}."


def _rubric(rubric: Rubric) -> dict:
    weights = rubric.weights()
    return {
        "name": rubric.name,
        "digest": digest(rubric.body()),
        "scale": list(rubric.scale),
        "criteria": [
            {"name": name, "version": version, "weight": str(weights[name])}
            for name, version in rubric.versions().items()
        ],
    }


def _annotators(store: Store, panel: Panel) -> dict:
    """Who graded, by name, and how many of their scores were given blind."""
    versions = rubric_versions.criteria(store, panel.rubric)
    counting = {person.name for person in panel.annotators.values()}
    rows = certificates.blindness(store, panel.sheet.id, versions)
    named = [dict(row) for row in rows if row["name"] in counting]
    total = sum(row["grades"] for row in named)
    return {
        "named": named,
        "uncounted": panel.uncounted,
        "blind_share": sum(row["blind"] for row in named) / total if total else None,
        "unknown_share": sum(row["unknown"] for row in named) / total if total else None,
    }


def _questions(store: Store, panel: Panel, sealed: Opening | None) -> dict:
    """Which questions the figures are of, and since when they were set apart."""
    found = {"split": "evaluation", "fixed_at": panel.sheet.imported_at, "opening": None}
    if sealed:
        opening = {"id": sealed.id, "purpose": sealed.purpose, "at": sealed.created_at}
        opening |= {"questions": len(sealed.questions), "before": len(sealed.opened_before)}
        at = certificates.sealed_at(store, sealed.questions)
        found = {"split": "sealed", "fixed_at": at, "opening": opening}
    return found | {"answer_models": panel.answer_models}


def _named(grader: Grader) -> dict:
    return {"name": grader.name, "fingerprint": grader.fingerprint}


def _worst(rows: list[dict], criterion: str) -> dict | None:
    """The answering model on whose answers the judge agrees least often, by exact agreement."""
    known = [r for r in rows if r["criterion"] == criterion and r["exact"]["value"] is not None]
    if not known:
        return None
    worst = min(known, key=lambda row: row["exact"]["value"])
    return {key: worst[key] for key in ("answer_model", "criterion", "n", "exact", "failing")}


def _spoken(row: dict, panel: Panel) -> str:
    """The criterion of a decision, with its rubric where that is another one."""
    other = "" if row["rubric"] == panel.rubric.name else f" ({row['rubric']})"
    return row["criterion"] + other


def _remarks(panel: Panel, body: dict, quoted: list[dict]) -> list[str]:
    """What a reader must know before trusting the figures."""
    judge, annotators, told = body["judge"], body["annotators"], []
    if len(panel.annotators) == 1:
        told.append(_one_person(body["reliability"]))
    if annotators["unknown_share"]:
        told.append(
            f"For {annotators['unknown_share']:.0%} of the annotators' scores it is not known "
            f"whether "
            "they were given before seeing what judges said."
        )
    if not judge["fingerprint"]:
        told.append(
            "The judge's grades came from a file, so that nothing but its name is known of it; a "
            "change of its prompt or model cannot be noticed here."
        )
    elif not any(row["model"] for row in judge["reported"]):
        told.append("The server did not say which model answered.")
    if len(judge["reported"]) > 1:
        names = ", ".join(str(row["model"]) for row in judge["reported"])
        told.append(f"The server named more than one model behind the replies: {names}.")
    told += [
        f"Not certified: {_spoken(row, panel)}, {VERDICTS[row['verdict']]} on "
        f"{row['looked_at'][:10]}."
        for row in body["decisions"]
        if row["verdict"] != GOOD_ENOUGH
        and (row["rubric"] != panel.rubric.name or row["criterion"] not in body["criteria"])
    ]
    if any(decision["fixed_after_sight"] for decision in quoted):
        told.append("The margin was fixed after agreement on these answers could be seen.")
    told += [_other_terms(other) for decision in quoted for other in decision["others"]]
    opening = body["questions"]["opening"]
    if opening and opening["before"]:
        told.append(
            f"{opening['before']} of the {opening['questions']} sealed questions had been opened "
            "before, so they were not unseen."
        )
    return told


def _other_terms(other: dict) -> str:
    """Terms that were looked at as well: whoever tries several finds some that suit."""
    minimum = "no minimum" if other["minimum"] is None else f"minimum {other['minimum']:.0%}"
    brought = ", ".join(
        f"{judge} {VERDICTS[verdict]}" for judge, verdict in other["verdicts"].items()
    )
    return (
        f"Other terms were looked at as well, fixed on {other['fixed_at'][:10]}: against "
        f"{other['against']}, margin {100 * other['margin']:g} points, {minimum}. They said: "
        f"{brought}."
    )


def _one_person(again: list[dict]) -> str:
    alone = "One annotator graded, so how well annotators agree with one another is unknown"
    if not again:
        return (
            f"{alone}, and without repeated grades so is how well that annotator agrees with them."
        )
    repeats = "; ".join(
        f"{row['criterion']}: the same score again on {row['exact']['value']:.0%} of {row['n']}"
        for row in again
    )
    return f"{alone}. That annotator's own repeats: {repeats}."


def _does_not_show(panel: Panel, body: dict) -> list[str]:
    """What the figures say nothing about."""
    models = ", ".join(panel.answer_models) or "one that the sheet does not name"
    exact = next(row for row in body["rows"] if row["criterion"] != COMPOSITE)
    return [
        f"Answers of other answering models than: {models}.",
        f"Other kinds of questions than the {exact['questions']} of sheet “{panel.sheet.name}”.",
        f"Other periods: {_period(body['judge']['reported'])}",
        f"Other annotators: the reference is what {len(panel.annotators)} named here would say.",
        "Other criteria, or the same under other words: the versions are named above.",
    ]


def _period(reported: list[dict]) -> str:
    if not reported:
        return "when the judge graded is not known."
    since, until = (f(row[k] for row in reported)[:10] for f, k in ((min, "since"), (max, "until")))
    return f"the judge graded between {since} and {until}, and a provider may change a model."
