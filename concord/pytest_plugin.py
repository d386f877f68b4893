"""A pytest fixture that fails a build whose judge is not certified.

Every pytest run of an environment that has Concord imports this file, so it imports nothing else
until a test asks for the fixture.
"""

from collections.abc import Callable
from os import PathLike

import pytest

_Path = str | PathLike[str]


@pytest.fixture
def certified_judge(tmp_path: object) -> Callable[..., None]:
    """Return a function that fails the test unless a certificate holds for a judge's file.

    `certified_judge(certificate, judge_file, *, criterion=None, export=None, **minimums)`

    Args of the function:
        certificate: The file that `concord certificate JUDGE --json` wrote.
        judge_file: The judge's file (.toml) that the build uses.
        criterion: The only criterion that counts; default: every certified one.
        export: What `concord export DIR --all` wrote; every figure is then recomputed from it.
        minimums: Minimum lower 95% confidence limit by statistic, in [0, 1], such as `exact=0.7`;
            of `false_alarm_rate` the maximum of the upper limit. An undefined limit does not pass.

    The test fails with one sentence where the certificate was edited, has expired, certifies
    nothing or another judge, does not reach a minimum or is not reproduced by the export, and where
    a file cannot be read. Relative paths are relative to the folder pytest was started in. No API
    calls are made and no database of yours is opened.
    """

    def check(
        certificate: _Path,
        judge_file: _Path,
        *,
        criterion: str | None = None,
        export: _Path | None = None,
        **minimums: float,
    ) -> None:
        from concord.reports.gate import fault

        database = tmp_path / "certified_judge.db"
        why = fault(database, certificate, judge_file, minimums, criterion, export)
        if why:
            pytest.fail(why, pytrace=False)

    return check
