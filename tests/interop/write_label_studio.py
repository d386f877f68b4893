"""Write Label Studio's exports of a project that its server holds, with all ids and times fixed.

label_studio.json is a snapshot with users and predictions, the others what the page exports.

Usage: write_label_studio.py FOLDER
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

from label_studio_sdk import LabelStudio

KEY = "0123456789abcdef"
# The server must not call its makers.
QUIET = {"SENTRY_DSN": "", "COLLECT_ANALYTICS": "false", "LATEST_VERSION_CHECK": "false"}
CONFIG = """<View>
  <Text name="answer" value="$response"/>
  <Rating name="correctness" toName="answer"/>
  <Choices name="verdict" toName="answer" choice="multiple">
    <Choice value="correct"/><Choice value="wrong"/>
  </Choices>
  <TextArea name="comment" toName="answer"/>
  <Labels name="span" toName="answer"><Label value="wrong"/></Labels>
</View>"""
TASKS = [
    {"prompt": "When does the pump start?", "response": "At 40 °C.", "topic": "pump"},
    {"prompt": "When does the pump stop?", "response": "Never.", "topic": "pump"},
    {"response": "No question."},
]
WHOLE = {"annotations__completed_by": {"only_id": False}, "predictions": {"only_id": False}}


@contextmanager
def served():
    """Yield a client of a server of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen(
            [
                Path(sys.executable).with_name("label-studio"), "start", "--no-browser",
                "--internal-host", "127.0.0.1", "--port", port, "--data-dir", data,
                "--username", "ana@example.org", "--password", KEY, "--user-token", KEY,
                "--enable-legacy-api-token",
            ],
            env=os.environ | QUIET,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while server.poll() is None:
                with suppress(OSError), urlopen(address):
                    break
                time.sleep(1)
            yield LabelStudio(base_url=address, api_key=KEY)
        finally:
            server.terminate()
            server.wait()


def result(name, kind, **value):
    return {"id": name, "from_name": name, "to_name": "answer", "type": kind, "value": value}


def graded(studio):
    """Make a project with grades by two people and a model; return its id."""
    bo = studio.users.create(username="bo", email="bo@example.org").id
    project = studio.projects.create(title="pump", label_config=CONFIG).id
    made = studio.projects.import_tasks(project, request=TASKS, return_task_ids=True)
    for task, person, *results in (
        (0, 1, result("correctness", "rating", rating=4),
         result("verdict", "choices", choices=["correct"]),
         result("comment", "textarea", text=["By the manual.", "Page 3."])),
        (0, bo, result("correctness", "rating", rating=2),
         result("span", "labels", start=0, end=2, text="At", labels=["wrong"])),
        (1, 1),
        (1, bo, result("correctness", "rating", rating=1),
         result("verdict", "choices", choices=["correct", "wrong"])),
    ):  # fmt: skip
        studio.annotations.create(
            made.task_ids[task],
            completed_by=person,
            result=results,
            was_cancelled=not results,
            lead_time=4.2,
        )
    studio.predictions.create(
        task=made.task_ids[0],
        model_version="judge-2",
        score=0.8,
        result=[result("correctness", "rating", rating=5)],
    )
    return project


def fixed(parts):
    """The text of an export, with its random ids and its times replaced."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-11-01T10:00:00Z", b"".join(parts).decode())
    return re.sub(r"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}", f"{0:08}-0000-4000-8000-{1:012}", text)


def main(folder):
    with served() as studio:
        project, exports = graded(studio), studio.projects.exports
        whole = exports.create(project, serialization_options=WHOLE)
        tasks = json.loads(fixed(exports.download(project, whole.id)))
        text = json.dumps(tasks, indent=1, ensure_ascii=False) + "\n"
        (folder / "label_studio.json").write_text(text, encoding="utf-8")
        for kind, name in (("JSON_MIN", "label_studio_min.json"), ("CSV", "label_studio.csv")):
            parts = exports.download_sync(project, export_type=kind, download_all_tasks=True)
            (folder / name).write_text(fixed(parts), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
