"""The verb `judge` in this process, as a session."""

from concord.judges.rubric_runs import session
from concord.judges.running.job import Options


def never(sentence):
    """Fail where a run asks whether it may cost money."""
    raise AssertionError(f"asked about money: {sentence}")


def judged(store, judge, **options):
    """The outcome of the verb, which must not ask about money."""
    return session.judge(store, judge, Options(**options), never)
