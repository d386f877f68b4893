"""How long one file takes from the command to its answer, and what of that is imports.

    python benchmarks/start.py [--rounds 5]

Runs `calibrate` on 500 rows in a process of its own, as often as there are rounds, and once more
with -X importtime, whose dearest packages it prints. Both are the best of the rounds.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROWS, LIMIT_S, SHOWN = 500, 1.5, 8
_IMPORTED = re.compile(r"import time:\s*(\d+) \|\s*\d+ \|\s*([^\s.]+)(\.[^\s.]+)?")


def main() -> None:
    """Measure and print; exit 1 above the limit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "verdicts.csv")
        pairs = ((draw.randint(0, 3), draw.randint(0, 3)) for _ in range(ROWS))
        file.write_text("human,judge\n" + "".join(f"{a},{b}\n" for a, b in pairs))
        words = ["-m", "concord", "calibrate", str(file)]
        seconds = min(_timed(words) for _ in range(rounds))
        imported = _run(["-X", "importtime", *words]).stderr
    of_package = Counter()
    for own, package, part in _IMPORTED.findall(imported):
        of_package[package + part * (package == "concord")] += int(own) / 1e6
    for package, took in of_package.most_common(SHOWN):
        print(f"{package:24}{took:6.2f} s of imports")
    print(f"load {os.getloadavg()[0]:.1f}")
    print(f"{ROWS} rows: {seconds:.2f} s, at most {LIMIT_S} s")
    sys.exit(seconds > LIMIT_S)


def _timed(words: list[str]) -> float:
    start = time.perf_counter()
    _run(words)
    return time.perf_counter() - start


def _run(words: list[str]) -> subprocess.CompletedProcess:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)


if __name__ == "__main__":
    main()
