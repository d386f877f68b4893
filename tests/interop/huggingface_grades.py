"""Read exported grades by `load_dataset`; needs `datasets`.

In a folder with grades.jsonl, which is a Parquet file here; the rows are in found.json.
"""

import json
from pathlib import Path

from datasets import load_dataset

if __name__ == "__main__":
    found = load_dataset("parquet", data_files="grades.jsonl", split="train", cache_dir="cache")
    Path("found.json").write_text(json.dumps(list(found)), encoding="utf-8")
