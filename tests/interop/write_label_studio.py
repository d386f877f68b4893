"""Write Label Studio's JSON-MIN and CSV exports of label_studio.json with the SDK's converter.

Usage: write_label_studio.py FOLDER
"""

import shutil
import sys
import tempfile
from pathlib import Path

from label_studio_sdk.converter import Converter

CONFIG = """<View>
  <Text name="text" value="$prompt"/>
  <Rating name="correctness" toName="text"/>
  <Choices name="verdict" toName="text"><Choice value="correct"/><Choice value="wrong"/></Choices>
  <TextArea name="comment" toName="text"/>
</View>"""


def main(folder):
    tasks = folder / "label_studio.json"
    with tempfile.TemporaryDirectory() as place:
        converter = Converter(config=CONFIG, project_dir=None)
        converter.convert_to_json_min(str(tasks), place, is_dir=False)
        converter.convert_to_csv(str(tasks), place, is_dir=False, sep=",")
        shutil.copy(Path(place, "result.json"), folder / "label_studio_min.json")
        shutil.copy(Path(place, "result.csv"), folder / "label_studio.csv")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
