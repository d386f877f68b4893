"""Time and memory of importing a large sheet, beside `pandas.read_csv` with a bare insert.

    python benchmarks/import_sheet.py [ANSWERS [GRADES]]

Both run in a process of their own, on the same file in the same run, and their processor time is
measured, so that their ratio tells something on any machine, however busy. The bare insert reads
the file with pandas and puts its rows into a table of five columns with `executemany`: it checks
nothing and keeps no questions. With GRADES each answer has scores of so many annotators in columns
of their own, which the bare insert puts into a second table.

On a busy machine with two cores the import of 100,000 answers took 4.3 s (median of five, 4.2 to
4.3) and 85 MB; the bare insert 1.2 s (1.1 to 1.3) and 278 MB.
"""

import csv
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODELS = ("atlas", "birch", "cobalt")
ANSWERS = 100_000
RUBRIC, GRADED = "doc-qa-0-3", "annotator "


def main() -> None:
    """Make the file, measure both, and print a row for each."""
    if len(sys.argv) == 4:
        measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
        return
    answers = int(sys.argv[1]) if len(sys.argv) > 1 else ANSWERS
    grades = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder) / "sheet.csv"
        write(sheet, answers, grades)
        print(f"{answers:,} answers, {grades} grades each, {sheet.stat().st_size / 2**20:.0f} MB")
        bare = told("bare", sheet, Path(folder) / "bare")
        ours, again = (told("import", sheet, Path(folder) / "import") for _ in range(2))
    for name, (seconds, memory) in (("bare", bare), ("import", ours), ("again", again)):
        print(f"{name:8} {seconds:7.2f} s {memory:7.0f} MB")
    print(f"ratio    {ours[0] / bare[0]:7.2f}   {ours[1] / bare[1]:7.2f}")


def write(path: Path, answers: int, grades: int = 0) -> None:
    """Write a sheet of questions with contexts, each answered by three models."""
    words = random.Random(1)
    vocabulary = [f"word{n}" for n in range(2000)]

    def text(length: int) -> str:
        return " ".join(words.choices(vocabulary, k=length))

    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        graders = [f"{GRADED}{number}" for number in range(1, grades + 1)]
        rows.writerow(("question", "answer", "contexts", "answer_model", *graders))
        for number in range(answers // len(MODELS) + 1):
            question, contexts = f"{text(8)} {number}?", f'["{text(20)}", "{text(20)}"]'
            left = answers - number * len(MODELS)
            rows.writerows(
                (question, text(12), contexts, model, *words.choices(range(4), k=grades))
                for model in MODELS[:left]
            )


def told(which: str, sheet: Path, database: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of one way to import, in a process of its own."""
    command = [sys.executable, __file__, which, str(sheet), str(database)]
    root = str(Path(__file__).parent.parent)
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": root}
    )
    seconds, memory = done.stdout.split()[-2:]
    return float(seconds), float(memory)


def measure(which: str, sheet: Path, database: Path) -> None:
    """Import the file one way and print what it took."""
    begun = time.process_time()
    {"bare": bare_insert, "import": import_sheet}[which](sheet, database)
    seconds = time.process_time() - begun
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def bare_insert(sheet: Path, database: Path) -> None:
    """Read the file with pandas and insert its rows into one table."""
    import pandas as pd

    rows = pd.read_csv(sheet, dtype=str, keep_default_na=False)
    graders = [name for name in rows.columns if name.startswith(GRADED)]
    answers = rows.drop(columns=graders)
    with sqlite3.connect(database) as connection:
        connection.execute("create table items (id integer primary key, q, a, c, m)")
        connection.execute("create table grades (id integer primary key, item, grader, score)")
        connection.executemany(
            "insert into items (q, a, c, m) values (?, ?, ?, ?)", answers.itertuples(index=False)
        )
        for name in graders:
            given = ((number, name, score) for number, score in enumerate(rows[name], 1))
            connection.executemany(
                "insert into grades (item, grader, score) values (?, ?, ?)", given
            )


def import_sheet(sheet: Path, database: Path) -> None:
    """Import the file as the command line does."""
    from concord.importing import answer_file, sheet_import
    from concord.store.database import open_store
    from concord.store.rubrics import rubric_versions

    with sheet.open(encoding="utf-8", newline="") as file:
        graders = [name for name in next(csv.reader(file)) if name.startswith(GRADED)]
    mapped = [f"score:annotator:{name}:correctness={name}" for name in graders]
    with open_store(database) as store:
        rubric = rubric_versions.named(store, RUBRIC)[1] if mapped else None
        read = answer_file.load(sheet, mapped=mapped, rubric=rubric)
        sheet_import.take_sheet(store, read, "sheet", rubric)


if __name__ == "__main__":
    main()
