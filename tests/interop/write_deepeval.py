"""Write a DeepEval test run with metrics of its own kind, without a model.

Usage: write_deepeval.py FOLDER
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
os.environ["DEEPEVAL_DISABLE_PROGRESS_BAR"] = "YES"

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

CASES = [
    ("When does the pump start?", "At 40 °C.", "At 40 °C.", "The pump starts at 40 °C."),
    ("Which colour is the pump?", "Blue.", "Green.", "The pump is green."),
    ("When does the pump stop?", "I cannot say.", "At 90 °C.", "The pump stops at 90 °C."),
]


class Graded(BaseMetric):
    """A metric that a named model is said to have graded."""

    threshold, evaluation_model, async_mode, strict_mode = 0.5, "local-grader", False, False

    def measure(self, case, *args, **kwargs):
        if "cannot" in case.actual_output:
            raise ValueError("no reply")
        self.score = 0.9 if case.actual_output == case.expected_output else 0.2
        self.success = self.score >= self.threshold
        self.reason = "As expected." if self.success else "Not as expected."
        return self.score

    async def a_measure(self, case, *args, **kwargs):
        return self.measure(case)

    def is_successful(self):
        return bool(self.success)

    @property
    def __name__(self):
        return "Correctness"


class Length(Graded):
    """A metric without a model."""

    evaluation_model = None

    def measure(self, case, *args, **kwargs):
        self.score, self.reason = min(len(case.actual_output) / 20, 1), None
        self.success = self.score >= self.threshold
        return self.score

    @property
    def __name__(self):
        return "Length"


def main(folder):
    target = Path(folder).resolve() / "deepeval.json"
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        cases = [
            LLMTestCase(input=asked, actual_output=said, expected_output=expected,
                        retrieval_context=[context])
            for asked, said, expected, context in CASES
        ]  # fmt: skip
        evaluate(
            cases, [Graded(), Length()],
            async_config=AsyncConfig(run_async=False),
            cache_config=CacheConfig(write_cache=True, use_cache=False),
            display_config=DisplayConfig(print_results=False, show_indicator=False),
            error_config=ErrorConfig(ignore_errors=True),
        )  # fmt: skip
        shutil.copy(Path(place) / ".deepeval" / ".latest_run_full.json", target)


if __name__ == "__main__":
    main(sys.argv[1])
