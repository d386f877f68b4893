"""Write Phoenix annotations as a frame of its client, which asks a server of a few lines.

Usage: write_phoenix.py FOLDER
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from phoenix.client import Client


def annotation(number, span, kind, label, score, identifier, metadata=None):
    at = "2026-11-01T10:00:00Z"
    return {
        "id": str(number), "span_id": span, "name": "correctness", "annotator_kind": kind,
        "result": {"label": label, "score": score, "explanation": "By the manual."},
        "identifier": identifier, "metadata": metadata or {}, "source": "APP", "user_id": None,
        "created_at": at, "updated_at": at,
    }  # fmt: skip


GIVEN = [
    annotation(1, "a1", "HUMAN", "correct", 1, "ana"),
    annotation(2, "a1", "LLM", "correct", 1, "", {"model": "gpt-4.1-mini"}),
    annotation(3, "a2", "HUMAN", "incorrect", None, "bo"),
    annotation(4, "a2", "HUMAN", None, None, "cem"),
]


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"data": GIVEN, "next_cursor": None}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main(folder):
    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = Client(base_url=f"http://127.0.0.1:{server.server_port}")
    frame = client.spans.get_span_annotations_dataframe(span_ids=["a1", "a2"])
    frame.to_csv(Path(folder) / "phoenix_annotations.csv")
    server.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
