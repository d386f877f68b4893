"""Composites in words: the finding of each, and the tables."""

from collections.abc import Sequence
from typing import Any

from concord.language.plurals import counted
from concord.messages import capital, joined, said
from concord.reports.composites import encoded_composite
from concord.reports.gates.regression_gate import BETTER, SAME, UNSURE, WORSE
from concord.reports.metrics.metric_records import edited_sentence, short
from concord.reports.panel.terminal_tables import UNDEFINED, number, plain_share, table

SIMULATED = said("The people here are simulated.")


def text(found: dict[str, Any]) -> str:
    """The whole report for a terminal."""
    parts = [
        SIMULATED if found["simulated"] else "",
        *("By the chosen weights", weighted(found["weighted"]), mapping(found["weighted"])),
        _models(found["weighted"]["models"]),
        *("By weights fitted to people", fitted(found["fitted"])),
        _fitted_weights(found["fitted"]["weights"]),
        *("By a cross-encoder", encoded(found["encoded"])),
        limits_of(found["encoded"]),
        _sensitivity(found["encoded"]["sensitivity"]),
        _models(found["encoded"]["models"]),
    ]
    return "\n\n".join(part for part in parts if part)


def weighted(found: dict[str, Any]) -> str:
    """What the composite by chosen weights says, with the judges where there are several."""
    judges = short(one["judge"] for one in found["weights"])
    weights = joined(
        ", ",
        (
            said(
                "{measure} by {judge} {weight:.0%}"
                if len(judges) > 1
                else "{measure} {weight:.0%}",
                measure=one["title"],
                judge=judges[one["judge"]],
                weight=one["weight"],
            )
            for one in found["weights"]
        ),
    )
    mean = found["mean"]
    answers = counted(found["n"], "answer")
    head = said(
        "{weights}: mean {mean} on {answers}", weights=weights, mean=number(mean), answers=answers
    )
    why = mean["why_none"] if mean["low"] is None else None
    told = [said("{mean} ({why}).", mean=head, why=why) if why else said("{mean}.", mean=head)]
    if found["left_out"]:
        out = joined(
            "; ", (said("{why} ({n:,})", why=why, n=n) for why, n in found["left_out"].items())
        )
        told.append(said("Left out: {why}.", why=out))
    if found["absent"]:
        absent = joined("; ", found["absent"])
        told.append(said("Not in it, as it has no number here: {measures}.", measures=absent))
    return joined(" ", [*told, _rank(said("It"), found["people"])])


def mapping(found: dict[str, Any]) -> str:
    """How each measure became a number from 0 to 1, in one sentence for all."""
    odd = [_mapped(one) for one in found["weights"]]
    return joined(" ", [said("Each measure is mapped to 0-1."), *odd])


def fitted(found: dict[str, Any]) -> str:
    """What fitted weights say out of fold, or why there are none."""
    if found["why_none"]:
        return said("No weights are fitted: {why}.", why=found["why_none"])
    told = said(
        "Rank correlation with people's composite {spearman}, and {mae} points from it on average, "
        "out of fold: by weights fitted to other questions ({answers}, {questions}, {folds} "
        "folds). The mean of people alone is {constant} points off.",
        spearman=number(found["spearman"]),
        mae=number(found["mae"]),
        answers=counted(found["n"], "answer"),
        questions=counted(found["questions"], "question"),
        folds=found["folds"],
        constant=number(found["constant_mae"]),
    )
    ahead = found["ahead"]
    if ahead["low"] is None:
        return told
    by = number(ahead, "+")
    if ahead["low"] <= 0 <= ahead["high"]:
        unsure = said(
            "Whether it ranks better than the chosen weights cannot be told yet ({by}).", by=by
        )
        return joined(" ", [told, unsure])
    ranks = said(
        "It ranks better than the chosen weights ({by})."
        if ahead["low"] > 0
        else "It ranks worse than the chosen weights ({by}).",
        by=by,
    )
    return joined(" ", [told, ranks])


def encoded(found: dict[str, Any]) -> str:
    """What the cross-encoder says, or why it says nothing."""
    if found["why_none"]:
        return found["why_none"]
    told = said(
        "{judge} over {measures}: mean logit {mean} on {answers}.",
        judge=found["judge"],
        measures=found["over"],
        mean=number(found["mean"]),
        answers=counted(found["n"], "answer"),
    )
    plain = said("The plain answer's: {figure}.", figure=number(found["plain_people"]))
    rank = _rank(said("Its score"), found["people"])
    return joined(" ", [told, rank, plain if found["people"]["n"] else ""])


def limits_of(found: dict[str, Any]) -> str:
    """What was cut, what is to be warned of, and what the score takes no heed of."""
    if found["why_none"]:
        return ""
    deaf = [response(one) for one in found["sensitivity"] if one["responds"] != "yes"]
    flags = encoded_composite.flag_words(found["flags"])
    return joined(" ", [encoded_composite.CAVEAT, *flags, *deaf])


def response(one: dict[str, Any]) -> str:
    """Whether the score heeds one measure."""
    figures = {"measure": one["title"], "share": plain_share(abs(one["ranks"]))}
    if one["responds"] == "yes":
        return said(
            "The score responds to {measure}: from worst to best an answer moves {share} of the "
            "list up.",
            **figures,
        )
    if one["responds"] == "no":
        return said(
            "The score does not respond to {measure}: from worst to best an answer moves {share} "
            "of the list.",
            **figures,
        )
    return said(
        "The score takes {measure} the wrong way: from worst to best an answer moves {share} of "
        "the list down.",
        **figures,
    )


def regression(found: dict[str, Any]) -> str:
    """What the regression gate says."""
    names = {"new": found["new"], "old": found["baseline"]}
    verdict = {
        WORSE: said("{new} is worse than {old}", **names),
        BETTER: said("{new} is better than {old}", **names),
        SAME: said("{new} is the same as {old} within {margin:g}", **names, margin=found["margin"]),
        UNSURE: said("Whether {new} is worse than {old} cannot be told", **names),
    }[found["verdict"]]
    told = said(
        "{verdict}: difference {difference} on {questions} that both answered ({only_new:,} only "
        "the new run, {only_old:,} only the baseline).",
        verdict=verdict,
        difference=number(found["difference"], "+"),
        questions=counted(found["n"], "question"),
        only_new=found["only_new"],
        only_old=found["only_baseline"],
    )
    why = said("{why}.", why=capital(found["why_none"])) if found["why_none"] else ""
    return joined(" ", [told, why, edited_sentence(found["list_edited"])])


def model_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per answering model."""
    return [
        {
            said("answering model"): one["answer_model"],
            said("mean"): one["value"],
            said("low"): one["low"],
            said("high"): one["high"],
            said("answers"): one["n"],
        }
        for one in rows
    ]


def fitted_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure: its fitted weight, and the least and most of the folds."""
    return [
        {
            said("measure"): one["title"],
            said("points from worst to best"): one["weight"],
            said("least of the folds"): one["least"],
            said("most"): one["most"],
        }
        for one in rows
    ]


def sensitivity_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure: what the score does when it goes from worst to best."""
    return [
        {
            said("measure"): one["title"],
            said("logit, worst to best"): one["change"],
            said("rises on"): one["right_way"],
            said("moves in the list"): one["ranks"],
            said("responds"): one["responds"],
        }
        for one in rows
    ]


def ranked_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per answer, the best first, with its place by the plain answer."""
    return [
        {
            said("place"): one["place"],
            said("without statements"): one["plain_place"],
            said("answer"): one["called"],
            said("answering model"): one["answer_model"],
            said("logit"): one["logit"],
            said("of the plain answer"): one["plain_logit"],
            said("as 0-1 (expit)"): one["expit"],
        }
        for one in rows
    ]


def _rank(who: str, people: dict[str, Any]) -> str:
    if people["value"] is None:
        return said("{who} is not held against people: {why}.", who=who, why=people["why_none"])
    return said(
        "{who} and people's composite: rank correlation {figure} on {answers}.",
        who=who,
        figure=number(people),
        answers=counted(people["n"], "answer"),
    )


def _mapped(one: dict[str, Any]) -> str:
    low, high = one["from"]
    how = [
        said("from {low:g}-{high:g}", low=low, high=high) if one["from"] != [0, 1] else "",
        said("less than 0 counts as 0") if one["range"][0] < low else "",
        said("turned, as less is better") if one["turned"] else "",
        said("{n:,} numbers outside clipped", n=one["clipped"]) if one["clipped"] else "",
    ]
    if not any(how):
        return ""
    return said("{measure}: {how}.", measure=one["title"], how=joined(", ", how))


def _models(rows: Sequence[dict[str, Any]]) -> str:
    return _table(model_rows(rows)) if len(rows) > 1 else ""


def _fitted_weights(rows: Sequence[dict[str, Any]]) -> str:
    return _table(fitted_rows(rows))


def _sensitivity(rows: Sequence[dict[str, Any]]) -> str:
    return _table(sensitivity_rows(rows))


def _table(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return ""
    return table(list(rows[0]), ([_cell(cell) for cell in row.values()] for row in rows))


def _cell(value: object) -> object:
    if value is None:
        return UNDEFINED
    return f"{value:.3f}" if isinstance(value, float) else value
