"""deepeval: `evaluate` with G-Eval, whose steps are given, and `max_concurrent`."""

REPLY = '{"reason": "The answer names the valve and when it is closed.", "score": 7}'
SCORE = 0.7


def judge(asked) -> list[float | None]:
    """A score for every answer; one failed answer does not end the run (`ignore_errors`)."""
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import GEval
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase, SingleTurnParams

    metric = GEval(
        name="filter",
        evaluation_steps=[f"Rate how far this holds: {asked.criterion}"],
        evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
        model=LocalModel(model="m", base_url=asked.url, api_key="none"),
    )
    cases = [LLMTestCase(input=a["question"], actual_output=a["answer"]) for a in asked.answers]
    result = evaluate(
        cases,
        [metric],
        async_config=AsyncConfig(max_concurrent=asked.in_flight),
        display_config=DisplayConfig(
            show_indicator=False, print_results=False, inspect_after_run=False
        ),
        cache_config=CacheConfig(write_cache=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    return [data.score for case in result.test_results for data in case.metrics_data or ()]
