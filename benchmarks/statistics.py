"""How long the agreement page takes on a large sheet, beside the usual libraries on the same data.

    python benchmarks/statistics.py [--answers 100000] [--judges 6] [--database FILE]

Makes a graded sheet of 3 criteria (kept in FILE where one is named, and taken from there the next
time), reads it, computes everything the page shows, and prints seconds; then the same figures by
scikit-learn, scipy and krippendorff called the ordinary way, with how many times longer they take.
`benchmarks/requirements-oracles.txt` lists these libraries; what is missing is said and skipped.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # not this folder: this file's name is that of a standard module

import argparse  # noqa: E402
import importlib  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from functools import partial  # noqa: E402

import numpy as np  # noqa: E402

from benchmarks.large_sheet import RUBRIC, fill  # noqa: E402
from concord.reports import ranking  # noqa: E402
from concord.reports.agreement import agreement, bias_tests, document  # noqa: E402
from concord.reports.agreement.bias_tests import lengths  # noqa: E402
from concord.reports.panel.criterion_comparison import ground  # noqa: E402
from concord.reports.panel.panel import Panel, read  # noqa: E402
from concord.stats.agreement import coefficients as figures  # noqa: E402
from concord.stats.core.pairs import Pairs  # noqa: E402
from concord.stats.intervals.resampling import RESAMPLES, Draws  # noqa: E402
from concord.store import sheets  # noqa: E402
from concord.store.database import Store, open_store  # noqa: E402
from concord.store.rubrics import rubric_versions  # noqa: E402
from concord.store.sheets import state_key  # noqa: E402

LOOPED = 20  # calls of an ordinary loop that are measured; its 2,000 are reckoned from them


def main() -> None:
    """Measure and print."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(asked.database or Path(folder) / "concord.db")
        with open_store(path) as store:
            if not sheets.all_sheets(store):
                _timed("the sheet is made", lambda: fill(store, asked.answers, asked.judges))
            panel = _reading(store)
            _page(store, panel)
            _folds(store, panel)
    _oracles(panel)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--judges", type=int, default=6)
    parser.add_argument("--database")
    return parser.parse_args()


def _reading(store: Store) -> Panel:
    sheet = sheets.find(store, "large")
    _, rubric = rubric_versions.named(store, RUBRIC)
    print(f"\n{'':44}{'seconds':>9}{'CPU':>9}")
    _timed("has anything changed?", lambda: state_key(store, sheet))
    panel = _timed("the panel is read from the store", lambda: read(store, sheet, rubric))
    criteria = len(rubric.criteria)
    print(f"  ({len(panel.items):,} answers x {criteria} criteria x {len(panel.judges)} judges)")
    return panel


def _page(store: Store, panel: Panel) -> None:
    """Everything the agreement page computes when it opens, and the resamples of a choice."""
    name, judge = panel.rubric.heaviest().name, next(iter(panel.judges))
    one = partial(agreement.rows, judges=[judge])
    parts = {
        "the best judge": lambda: agreement.best(panel),
        "every judge and criterion": lambda: agreement.report(panel),
        "one judge by answering model": lambda: [
            one(panel.within(model), "each", [name]) for model in panel.answer_models
        ],
        "the confusion table": lambda: document.confusion(panel, judge, name),
    }
    begun = time.perf_counter(), time.process_time()
    for what, part in parts.items():
        _timed(f"  {what}", part)
    _say("the agreement page", *begun)
    _timed(f"{RESAMPLES:,} resamples of all judges and criteria", lambda: _resampled(panel))


def _folds(store: Store, panel: Panel) -> None:
    """What the page computes when a fold is opened, and the screen of the ranking."""
    words = _timed("fold: the lengths of the answers", lambda: lengths(store, panel))
    _timed("fold: bias tests", lambda: bias_tests.run(panel, words))
    _timed("the ranking of the answering models", lambda: ranking.report(panel))


def _resampled(panel: Panel) -> np.ndarray:
    """(resamples, judges x criteria) of exact, within one and quadratic kappa, the same draws."""
    scale, tables = panel.rubric.scale, []
    clusters = int(panel.cluster.max()) + 1
    for criterion in panel.rubric.criteria:
        on = ground(panel, criterion.name, "each")
        for judge in panel.judges.values():
            pairs = on.pairs(judge)
            table = np.zeros((clusters, len(scale), len(scale)))
            table[np.unique(pairs.cluster)] = pairs.tables(scale)
            tables.append(table)
    drawn = Draws().totals(np.stack(tables, axis=1))
    kappa = figures.cohen_kappa(drawn, scale, "quadratic")
    near = figures.differences(scale)
    exact, within = (
        (drawn * (near <= most)).sum((-2, -1)) / drawn.sum((-2, -1)) for most in (0, 1)
    )
    return np.stack([exact, within, kappa])


def _oracles(panel: Panel) -> None:
    """The same figures of one judge and criterion, here and the ordinary way."""
    judge = next(iter(panel.judges.values()))
    pairs = ground(panel, panel.rubric.heaviest().name, "each").pairs(judge)
    first = pairs.where(np.unique(pairs.item, return_index=True)[1])  # one annotator each
    first = first._replace(weight=np.ones(len(first.item)))
    print(f"\none judge, one criterion, {len(first.item):,} answers of one annotator; seconds")
    print(f"{'':44}{'Concord':>9}{'usual':>9}{'ratio':>8}")
    scale = panel.rubric.scale
    for what, ours, module, theirs in _rows(first, scale):
        here, own = _measured(lambda ours=ours: ours(first.tables(scale)))
        try:
            library = importlib.import_module(module)
        except ModuleNotFoundError:
            name = module.partition(".")[0]
            print(f"{what:44}{here:9.4f}        not installed: {name}")
            continue
        usual, other = _measured(lambda theirs=theirs, library=library: theirs(library))
        scale_up = RESAMPLES / LOOPED if "resamples" in what else 1
        print(f"{what:44}{here:9.4f}{usual * scale_up:9.3f}{usual * scale_up / here:8.0f}")
        if "resamples" not in what:
            assert abs(own - other) < 1e-9, (what, own, other)


def _rows(pairs: Pairs, scale: tuple[int, ...]) -> list[tuple[str, Callable, str, Callable]]:
    """What is compared: ours on question tables, the library, and its ordinary call."""
    one, two = pairs.annotator.astype(int), pairs.judge.astype(int)
    total = lambda of: lambda tables: float(of(tables.sum(axis=0)))  # noqa: E731
    labels = {"labels": list(scale), "weights": "quadratic"}
    data = np.stack([one, two]).astype(float)
    return [
        (
            "quadratic kappa: scikit-learn",
            total(lambda t: figures.cohen_kappa(t, scale, "quadratic")),
            "sklearn.metrics",
            lambda metrics: metrics.cohen_kappa_score(one, two, **labels),
        ),
        (
            "Spearman: scipy",
            total(figures.spearman),
            "scipy.stats",
            lambda stats: stats.spearmanr(one, two).statistic,
        ),
        (
            "Kendall's tau-b: scipy",
            total(figures.tau_b),
            "scipy.stats",
            lambda stats: stats.kendalltau(one, two).statistic,
        ),
        (
            "ordinal alpha: krippendorff",
            total(lambda t: figures.krippendorff_alpha(t, scale)),
            "krippendorff",
            lambda library: library.alpha(
                reliability_data=data, level_of_measurement="ordinal", value_domain=list(scale)
            ),
        ),
        (
            "2,000 resamples of kappa: scikit-learn, looped",
            lambda tables: figures.cohen_kappa(Draws().totals(tables), scale, "quadratic"),
            "sklearn.metrics",
            lambda metrics: _looped(
                pairs.cluster, lambda at: metrics.cohen_kappa_score(one[at], two[at], **labels)
            ),
        ),
        (
            "2,000 resamples of exact: scipy.stats.bootstrap",
            lambda tables: np.trace(Draws().totals(tables), axis1=-2, axis2=-1),
            "scipy.stats",
            lambda stats: stats.bootstrap(
                (one == two,), np.mean, n_resamples=LOOPED, batch=1, method="percentile"
            ),
        ),
    ]


def _looped(cluster: np.ndarray, figure: Callable) -> list[float]:
    """A figure on a few resamples of questions, row by row as a notebook would."""
    random = np.random.default_rng(1)
    rows = np.split(np.arange(len(cluster)), np.flatnonzero(np.diff(cluster)) + 1)
    draws = [random.integers(0, len(rows), len(rows)) for _ in range(LOOPED)]
    return [figure(np.concatenate([rows[question] for question in drawn])) for drawn in draws]


def _timed(what: str, work: Callable):
    begun = time.perf_counter(), time.process_time()
    found = work()
    _say(what, *begun)
    return found


def _say(what: str, wall: float, processor: float) -> None:
    print(
        f"{what:44}{time.perf_counter() - wall:9.2f}{time.process_time() - processor:9.2f}",
        flush=True,
    )


def _measured(work: Callable) -> tuple[float, object]:
    """Seconds of the quicker of two calls, and what it gave."""
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - begun)
    return min(times), found


if __name__ == "__main__":
    main()
