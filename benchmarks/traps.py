"""What eight files with a trap look like: plain figures, two other tools, and `calibrate`.

    python benchmarks/traps.py

Prints accuracy, scikit-learn's kappa (quadratic on more than two levels), the verdicts of judgegate
and judgekeeper, and the headline and first caveat of `calibrate`. The figures and the other tools
take one judge and one human label: of several judges they get the one that agrees most often, of
several annotators a row for each. judgekeeper is pass / fail only: it gets scores below the middle
of the scale as fail. Both are installed into an environment of their own, in a temporary folder.
"""

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pandas as pd
from sklearn.metrics import accuracy_score, cohen_kappa_score

ROOT = Path(__file__).parent.parent
PEERS = ("judgegate==0.1.0", "judgekeeper==0.1.3")
WORDS = {"fail": 0, "pass": 1}


def main() -> None:
    """Print what each says of each file."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "peers")
        venv.create(environment, with_pip=True)
        scripts = environment / "bin"
        subprocess.run([scripts / "pip", "install", "-qq", *PEERS], check=True)
        for file in sorted((ROOT / "benchmarks" / "traps").glob("*.csv")):
            table = pd.read_csv(file).filter(regex="^(judge|human)").replace(WORDS).astype(int)
            judges, humans = ([*table.filter(like=kind)] for kind in ("judge", "human"))
            best = max(
                judges, key=lambda one: sum((table[one] == table[human]).sum() for human in humans)
            )
            rows = table.melt(best, humans, value_name="label")
            top = int(rows["label"].max())
            pairs = rows["label"], rows[best]
            kappa = cohen_kappa_score(*pairs, weights="quadratic" if top > 1 else None)
            print(f"\n{file.stem}\n  accuracy    {accuracy_score(*pairs):.2f}")
            print(f"  kappa       {kappa:.2f}")
            print("  judgegate  ", _judgegate(scripts, Path(folder), *pairs, top))
            print("  judgekeeper", _judgekeeper(scripts, Path(folder), *pairs, top))
            named = [f"--{one.partition('_')[0]}={one}" for one in (*judges, *humans)]
            told = _told([sys.executable, ROOT / "cli.py", "calibrate", file, *named])
            print("  calibrate  ", "; ".join(told.splitlines()[1:3]))


def _told(command: list) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _judgegate(
    scripts: Path, folder: Path, labels: pd.Series, verdicts: pd.Series, top: int
) -> str:
    rows, config = folder / "labels.jsonl", folder / "judge.yaml"
    columns = {"human_label": labels, "judge_label": verdicts, "input": "-", "output": "-"}
    frame = pd.DataFrame(columns).rename_axis("id").reset_index().astype(str)
    frame.to_json(rows, orient="records", lines=True)
    settings = {
        "judge": {"model": "none", "prompt": "none"},
        "labels": {"values": [*map(str, range(top + 1))], "ordinal": top > 1},
        "gate": {"weighting": "quadratic" if top > 1 else "none", "seed": 1},
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    command = [scripts / "judgegate", "verify", rows, "--config", config, "--format", "json"]
    found = json.loads(_told([*command, "--no-probes"]))
    return "{verdict}, kappa {kappa:.2f} [{low:.2f}, {high:.2f}]".format(
        **found | found["interval"]
    )


def _judgekeeper(
    scripts: Path, folder: Path, labels: pd.Series, verdicts: pd.Series, top: int
) -> str:
    words = {score: "pass" if 2 * score > top else "fail" for score in range(top + 1)}
    file = folder / "verdicts.csv"
    columns = {"verdict": verdicts.map(words), "label": labels.map(words)}
    pd.DataFrame(columns).to_csv(file, index_label="id")
    told = _told([scripts / "judgekeeper", "check", file, "--out", folder / "report"])
    return told.splitlines()[1]


if __name__ == "__main__":
    main()
