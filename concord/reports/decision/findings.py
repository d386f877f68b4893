"""Choose in words: the one sentence with the verdict, the difference, the price and the look."""

from concord.language.plurals import counted
from concord.messages import capital, joined, said
from concord.reports.decision.more_labels import would_tell
from concord.reports.decision.prices import alone, known_price, price, reference
from concord.reports.decision.reasons import clauses, confidence, margin, points, reason
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    FAILING_FLOOR,
    GOOD_ENOUGH,
    NOT,
    REFERENCE,
    VERDICTS,
)
from concord.reports.panel.simulated import named, people_sentence
from concord.reports.panel.terminal_tables import percent, share

_ORDINALS = (
    said("First"),
    said("Second"),
    said("Third"),
    said("Fourth"),
    said("Fifth"),
    said("Sixth"),
    said("Seventh"),
    said("Eighth"),
    said("Ninth"),
)


def sentence(found: dict) -> str:
    """The finding, what it is read beside, then the look; what is simulated is called so."""
    return joined(" ", [title(found), levels(found), look(found)])


def title(found: dict) -> str:
    """The finding in one sentence, from the document of `decision_document`."""
    row = _about(found)
    if row is None:
        return _nobody(found)
    parts = [_verdict(found, row), _caught(row), price(found, row), _more(found), _either(found)]
    return _ended(clauses(parts))


def headline(found: dict) -> str:
    """The finding at a glance: the verdict, with its difference or with what would tell."""
    row = _about(found)
    if row is None:
        return _nobody(found)
    if row["verdict"] != CANNOT_TELL or not found["more_labels"]:
        return _ended(_verdict(found, row))
    judge = named(row["judge"], found["simulated"])
    return said(
        "Cannot tell yet whether {judge} is good enough: {more}.", judge=judge, more=_more(found)
    )


def rest(found: dict) -> str:
    """What the headline leaves of the finding, and the look."""
    row = _about(found)
    if row is None:
        return look(found)
    open_still = row["verdict"] == CANNOT_TELL and found["more_labels"]
    why = _ended(capital(reason(found, row))) if open_still else ""
    parts = clauses([_caught(row), price(found, row)])
    return joined(" ", [why, levels(found), _ended(capital(parts)), look(found)])


def levels(found: dict) -> str:
    """The judge's estimate, the majority-class baseline and inter-annotator agreement."""
    row, level = _about(found), found["constant"]
    if row is None or row["exact"]["value"] is None or level is None:
        return ""
    exact = share(row["exact"])
    if row["exact"]["low"] is not None:
        exact = said("{figure}, {level} CI", figure=exact, level=confidence(found))
    return said(
        "Exact agreement {exact}; majority-class baseline {level}% (always {score}); {people}.",
        exact=exact,
        level=percent(level["exact"]),
        score=level["score"],
        people=_between(found),
    )


def _between(found: dict) -> str:
    """Inter-annotator agreement, and on how many of the answers it is known."""
    if found["ceiling"] is None:
        return said("inter-annotator agreement unknown")
    value = percent(found["ceiling"])
    if found["overlap"] == found["answers"]:
        return said("inter-annotator agreement {share}%", share=value)
    answers = counted(found["overlap"], "answer")
    return said("inter-annotator agreement {share}% on {answers}", share=value, answers=answers)


def look(found: dict) -> str:
    """Which look it was, and which decision where it is not the first."""
    place, fixed = found["looks"], found["decision"]["number"]
    beyond = place > found["looks_at_most"]
    number = ordinal(place)
    if beyond:
        number = said(
            "{ordinal} look, which is beyond the four that have an error to spend", ordinal=number
        )
    else:
        number = said("{ordinal} look", ordinal=number)
    this = _ended(number)
    if not found["new_look"]:
        this = said("{look} again: no grade is new.", look=number)
    other = said("{ordinal} decision on these answers.", ordinal=ordinal(fixed))
    return joined(" ", [this, "" if fixed == 1 else other])


def detail(found: dict) -> str:
    """What must stand beside the finding: on what it rests, and what weakens it."""
    people = found["people"]
    simulated = sum(person["simulated"] for person in people)
    return joined(
        " ",
        [
            said(
                "Compared on the {answers} to {questions} that people and all judges scored for "
                "{criterion}.",
                answers=counted(found["answers"], "answer"),
                questions=_questions(found),
                criterion=found["criterion"],
            ),
            _instead(found),
            _itself(found),
            people_sentence(simulated, len(people)),
            said("The terms were fixed after agreement on these answers could be seen.")
            if found["fixed_after_sight"]
            else "",
            *_weak(found),
            *_without(found),
            _others(found),
        ],
    )


def _questions(found: dict) -> str:
    """How many questions, and how many documents they share, which is what is resampled."""
    questions = counted(found["questions"], "question")
    if found["clusters"] == found["questions"]:
        return questions
    documents = counted(found["clusters"], "document")
    return said("{questions} of {documents}", questions=questions, documents=documents)


def ordinal(number: int) -> str:
    """`First`, `Second`, and so on; beyond the ninth a figure."""
    return _ORDINALS[number - 1] if number <= len(_ORDINALS) else said("{n}th", n=number)


def _about(found: dict) -> dict | None:
    return next((row for row in found["judges"] if row["judge"] == found["about"]), None)


def _ended(text: str) -> str:
    return said("{text}.", text=text)


def _nobody(found: dict) -> str:
    sparse = [row for row in found["judges"] if not row["is_reference"]]
    if sparse:
        return said(
            "Cannot tell yet: {judge} cannot be compared, {why}.",
            judge=sparse[0]["judge"],
            why=said(sparse[0]["why"][0]),
        )
    return said(
        "There is no judge to choose yet: none but {judge} has graded these answers.",
        judge=named(found["against"], found["simulated"]),
    )


def _verdict(found: dict, row: dict) -> str:
    judge = named(row["judge"], found["simulated"])
    if row["verdict"] == GOOD_ENOUGH:
        return said("{judge} is good enough: {why}", judge=judge, why=_difference(found, row))
    why = reason(found, row)
    if row["verdict"] == CANNOT_TELL:
        return said("Cannot tell yet whether {judge} is good enough: {why}", judge=judge, why=why)
    others = sum(not r["is_reference"] for r in found["judges"]) - 1
    if others:
        return said(
            "No judge is good enough; {judge}, which agrees most, is not: {why}",
            judge=judge,
            why=why,
        )
    return said("{judge} is not good enough: {why}", judge=judge, why=why)


def _difference(found: dict, row: dict) -> str:
    return said(
        "not worse than {against} by more than {margin} (difference {difference}, {level} CI, "
        "simultaneous over {judges})",
        against=named(found["against"], found["simulated"]),
        margin=margin(found),
        difference=points(row["difference"]),
        level=confidence(found),
        judges=counted(sum(r["n"] > 0 for r in found["judges"]), "judge"),
    )


def _caught(row: dict) -> str:
    failing = row["failure_recall"]["failing"]
    if row["failure_recall"]["value"] is None and row["n"] == 0:
        return ""
    if failing < FAILING_FLOOR:
        return said("too few failing answers to vouch ({n})", n=failing)
    if row["failure_recall"]["count"] is not None:
        return said(
            "catches {n} of {failing} failing answers",
            n=row["failure_recall"]["count"],
            failing=failing,
        )
    return said(
        "catches {share}% of the {failing} failing answers",
        share=percent(row["failure_recall"]["value"]),
        failing=failing,
    )


def _more(found: dict) -> str:
    if found["verdict"] != CANNOT_TELL or not found["more_labels"]:
        return ""
    return would_tell(found["more_labels"], found)


def _either(found: dict) -> str:
    """Whether the reference judge could be used, where no other can."""
    if found["verdict"] != NOT:
        return ""
    return {
        GOOD_ENOUGH: said("and the reference judge itself is good enough"),
        NOT: said("and the reference judge itself is not either"),
        CANNOT_TELL: said("and of the reference judge itself it cannot be told yet"),
    }[reference(found)["verdict"]]


def _instead(found: dict) -> str:
    """What to use, or to do, as long as no judge beside the reference is good enough."""
    candidates = [row for row in found["judges"] if not row["is_reference"]]
    if any(row["verdict"] == GOOD_ENOUGH for row in candidates) or not candidates:
        return ""
    verdict, settled = reference(found)["verdict"], found["verdict"] == NOT
    if verdict == GOOD_ENOUGH:
        judge = named(found["against"], found["simulated"])
        return said(
            "{judge}, the reference judge, is the one to use ({price})."
            if settled
            else "Until that is told, {judge}, the reference judge, is the one to use ({price}).",
            judge=judge,
            price=alone(found),
        )
    if any(_open(row, REFERENCE) for row in candidates):
        return said(
            "To be as good as this reference judge shows nothing: name a minimum of agreement, or "
            "another reference judge."
        )
    if verdict == NOT and settled:
        return said("No judge is good enough yet: try another model or another prompt.")
    return said(
        "No judge is known to be good enough yet: grade more answers, or try another model or "
        "another prompt."
    )


def _open(row: dict, condition: str) -> bool:
    """Whether a condition of a judge is open; stored documents may not know it."""
    return row["conditions"].get(condition, {}).get("state") == "open"


def _itself(found: dict) -> str:
    """How the reference judge stands under the same terms."""
    row = reference(found)
    if row["verdict"] == GOOD_ENOUGH:
        return said("The reference judge itself is good enough.")
    why = reason(found, row)
    if row["verdict"] == NOT:
        if why:
            return said("The reference judge itself is not good enough: {why}.", why=why)
        return said("The reference judge itself is not good enough.")
    why = would_tell(row["more_labels"], found) if row["more_labels"] else why
    if why:
        return said("The reference judge itself: cannot tell yet, {why}.", why=why)
    return said("The reference judge itself: cannot tell yet.")


def _weak(found: dict) -> list[str]:
    """What the finding does not rest on, or rests on badly."""
    weak = []
    unknown = reference(found)["judge_minus_ceiling"]["why_none"]
    if unknown:
        weak.append(_ended(capital(said(unknown))))
    for row in found["judges"]:
        if row.get("failed"):
            weak.append(
                said(
                    "{judge} gave no score to {answers}, which are left out.",
                    judge=named(row["judge"], row["simulated"]),
                    answers=counted(row["failed"], "answer"),
                )
            )
    return weak


def _without(found: dict) -> list[str]:
    """Where the verdict differs without one of the annotators."""
    return [
        said(
            "Without {annotator}, the verdict on {judge} is “{without}” instead of “{verdict}”.",
            annotator=row["annotator"],
            judge=judge["judge"],
            without=VERDICTS[judge["without"]],
            verdict=VERDICTS[judge["verdict"]],
        )
        for row in found.get("without_annotators", [])
        for judge in row["judges"]
    ]


def _others(found: dict) -> str:
    """The candidates beside the one it is about that a lead would ask about."""
    if found["winner_by"] == "agreement":
        return said(
            "No price is known of those that are good enough, so the one that agrees most is named."
        )
    rest = [r for r in found["judges"] if not r["is_reference"] and r["judge"] != found["about"]]
    told = []
    if names := _listed(rest, GOOD_ENOUGH):
        told.append(said("Good enough too: {judges}.", judges=names))
    about = _about(found)
    if about and found["verdict"] == GOOD_ENOUGH:
        ours = about["cost_per_1000"]
        cheaper = [r for r in rest if ours is None or (r["cost_per_1000"] or 0) < ours]
        if names := _listed(cheaper, CANNOT_TELL):
            told.append(said("Cheaper, and cannot be told yet: {judges}.", judges=names))
    return joined(" ", told)


def _listed(rows: list[dict], verdict: str) -> str:
    return joined(
        ", ",
        [
            said("{judge} ({price})", judge=r["judge"], price=known_price(r))
            for r in rows
            if r["verdict"] == verdict
        ],
    )
