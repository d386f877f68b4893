"""A run of a judge over a sheet."""

from concord.judges.definition import registry
from concord.judges.run import judging
from concord.judges.run.job import CONCURRENCY, Options, Outcome
from concord.library import arguments
from concord.messages import Problem
from concord.store.database import Store


@arguments.checked
def judge(
    store: Store,
    name: str,
    sheet: str | None = None,
    *,
    rubric: str | None = None,
    budget: float | None = None,
    yes: bool = False,
    limit: int | None = None,
    repeats: int = 1,
    concurrency: int = CONCURRENCY,
    retry_unscored: bool = False,
) -> Outcome:
    """Run a judge on a sheet; called again it resumes, and pays for no reply twice.

    Args:
        store: From `open_store`.
        name: A judge's name, or the path of its file (.toml). `baseline` is free.
        sheet: The sheet; required if there are several.
        rubric: The name or file of the rubric; default: the judge's own.
        budget: The most the run may cost, in USD. Needed, or `yes`, where it costs anything.
        yes: Run without a budget, for instance where no price is known.
        limit: Only the first so many answers.
        repeats: Replies per answer, at least 1.
        concurrency: Requests at a time, at least 1.
        retry_unscored: Ask again where a reply gave no score.

    Returns:
        The outcome. `status` is `done`, or `stopped` with what was stored until then; `failed` is
        True where a request got no reply; `counts` are the replies by status. An answer without a
        score is counted with its reason and is no zero.

    Raises:
        Problem: There is no such judge, sheet or rubric; a number is too small; the run costs
            money and neither `budget` nor `yes` allows it; no price is known for a budget; the key
            is missing or the server refuses. Replies that had arrived stay stored.
    """
    _in_range("budget", budget, 0)
    for argument, value in (("limit", limit), ("repeats", repeats), ("concurrency", concurrency)):
        _in_range(argument, value, 1)
    options = Options(
        sheet_name=sheet,
        rubric=rubric,
        budget=budget,
        yes=yes or budget is not None,
        limit=limit,
        repeats=repeats,
        concurrency=concurrency,
        retry_unscored=retry_unscored,
    )
    options.check(registry.named(store, name))
    return judging.judge(store, name, options, _no_confirmation)


def _in_range(argument: str, value: float | None, least: int) -> None:
    # A comparison with NaN is false, so that it does not pass.
    if value is not None and not value >= least:
        raise Problem(
            "{argument} is {value}. Give {least} or more.",
            argument=argument,
            value=value,
            least=least,
        )


def _no_confirmation(sentence: str) -> bool:
    raise Problem(
        "{sentence} Allow it with budget=, the most it may cost in USD, or with yes=True.",
        sentence=sentence,
    )
