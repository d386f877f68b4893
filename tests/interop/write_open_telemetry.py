"""Write OpenTelemetry evaluation results as the SDK's OTLP JSON file exporters do.

Usage: write_open_telemetry.py FOLDER
"""

import io
import sys
from pathlib import Path

from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.json.file import FileSpanExporter
from opentelemetry.exporter.otlp.json.file._log_exporter import FileLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import IdGenerator, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import NonRecordingSpan, SpanContext, set_span_in_context

EVENT, OF = "gen_ai.evaluation.result", "gen_ai.evaluation."
NAMED = {f"{OF}name": "relevance"}
GIVEN = [  # trace, span, attributes
    (1, 11, {f"{OF}score.value": 0.8, f"{OF}score.label": "relevant",
             f"{OF}explanation": "On topic.", "gen_ai.response.id": "resp-1"}),
    (2, 12, {f"{OF}score.label": "not_relevant"}),
    (2, 12, {"error.type": "timeout"}),
]  # fmt: skip


class Ids(IdGenerator):
    """Of the third trace and its span."""

    def generate_trace_id(self):
        return 3

    def generate_span_id(self):
        return 13


def main(folder):
    logged, traced = io.StringIO(), io.StringIO()
    logs = LoggerProvider(resource=Resource({}))
    logs.add_log_record_processor(SimpleLogRecordProcessor(FileLogExporter(stream=logged)))
    logger = logs.get_logger("evals")
    for number, (trace, span, given) in enumerate(GIVEN, 1):
        at = set_span_in_context(NonRecordingSpan(SpanContext(trace, span, is_remote=False)))
        record = LogRecord(
            timestamp=number, observed_timestamp=number, context=at, event_name=EVENT,
            attributes=NAMED | given,
        )  # fmt: skip
        logger.emit(record)
    logger.emit(LogRecord(timestamp=4, observed_timestamp=4, event_name="other"))
    logs.shutdown()
    traces = TracerProvider(id_generator=Ids(), resource=Resource({}))
    traces.add_span_processor(SimpleSpanProcessor(FileSpanExporter(stream=traced)))
    span = traces.get_tracer("chat").start_span("chat", start_time=1)
    span.add_event(EVENT, NAMED | {f"{OF}score.value": 1}, timestamp=2)
    span.end(3)
    traces.shutdown()
    text = logged.getvalue() + traced.getvalue()
    (Path(folder) / "open_telemetry.jsonl").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
