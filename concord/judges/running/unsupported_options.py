"""Unsupported options: run options that a kind of judge cannot follow, rejected before any request.

Pure. Options not listed here apply to every kind of judge.
"""

from collections.abc import Iterator
from typing import Any, Literal

from concord.judges.definition.model import Judge
from concord.messages import Problem, said

Sort = Literal["rubric", "decision", "metrics", "embeds", "computed", "baseline", "combined"]

_NO_CALLS = said("makes no API calls")
_SAME = said("makes no API calls and always gives the same")
_ROUNDS = said(
    "computes metrics, whose requests depend on earlier replies, so they cannot be submitted at "
    "once"
)
_DECISIONS = said("asks a decision model, which batch modes do not offer")
_VECTORS = said("requests only embeddings, which are deterministic")
_OWN_RUBRICS = said("computes metrics, which have their own rubrics")
_BY_RUBRIC = said("grades by a rubric")
_ALL = said("grades all answers again in one pass")
_BATCH = {
    "decision": _DECISIONS,
    "metrics": _ROUNDS,
    "embeds": _ROUNDS,
    "computed": _NO_CALLS,
    "baseline": _NO_CALLS,
    "combined": _NO_CALLS,
}
# Option -> why judges of a sort cannot follow it; where a sort is not named, it can.
WHY: dict[str, dict[str, str]] = {
    "--metrics": dict.fromkeys(("rubric", "decision", "baseline", "combined"), _BY_RUBRIC),
    "--rubric": dict.fromkeys(("metrics", "embeds", "computed"), _OWN_RUBRICS),
    "--batch": _BATCH,
    "--cancel-batch": _BATCH,
    "--scheduler": {sort: why for sort, why in _BATCH.items() if sort != "decision"},
    "--model": {"computed": _NO_CALLS, "baseline": _NO_CALLS, "combined": _NO_CALLS},
    "--base-url": {"computed": _NO_CALLS, "baseline": _NO_CALLS, "combined": _NO_CALLS},
    "--repeat": {"embeds": _VECTORS, "computed": _SAME, "baseline": _SAME, "combined": _SAME},
    "--limit": {"baseline": _ALL, "combined": _ALL},
    "--retry-unscored": {"baseline": _ALL, "combined": _ALL},
}


def sort(judge: Judge) -> Sort:
    """Return the sort of judge, as far as options are concerned."""
    if judge.kind == "metric":
        asks = "embeds" if judge.embedding else "computed"
        return "metrics" if judge.model else asks
    return judge.kind if judge.kind in ("baseline", "combined", "decision") else "rubric"


def check(judge: Judge, options: Any) -> None:
    """A Problem where options (`running.job.Options`) were given that cannot be followed."""
    of = sort(judge)
    for option in _given(options):
        why = WHY.get(option, {}).get(of)
        if why:
            raise Problem(
                "{judge} {why}. Leave {option} out.", judge=judge.name, why=why, option=option
            )


def _given(options: Any) -> Iterator[str]:
    """The options that were given, by their names on the command line."""
    values = {
        "--metrics": options.metrics,
        "--rubric": options.rubric,
        "--batch": options.batch,
        "--cancel-batch": options.cancel_batch,
        "--model": options.model,
        "--base-url": options.base_url,
        "--repeat": options.repeats > 1,
        "--limit": options.limit,
        "--retry-unscored": options.retry_unscored,
        "--scheduler": options.scheduler,
    }
    yield from (name for name, value in values.items() if value)
