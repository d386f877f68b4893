"""Answers with their grades in lists of objects, as annotation and tracing tools export them."""

QUESTIONS = [f"What is number {n} of all about?" for n in range(12)]
ANSWERS = [f"Number {n} is about the things that come {n} places behind." for n in range(12)]
REASON = "It leaves out what comes before."


def tasks() -> list[dict]:
    """Tasks as Label Studio exports them: a rating, a choice of no scale, and a comment."""

    def part(name, kind, value):
        return {"id": name, "from_name": name, "to_name": "text", "type": kind, "value": value}

    def result(n, at):
        comment = [part("comment", "textarea", {"text": [REASON]})] if n % 2 else []
        return [
            part("accuracy", "rating", {"rating": 1 + (n + at) % 5}),
            part("topic", "choices", {"choices": [("boats", "trains")[n % 2]]}),
            *comment,
        ]

    return [
        {
            "id": n,
            "data": {"question": QUESTIONS[n], "answer": ANSWERS[n]},
            "annotations": [
                {"id": 9 * n + at, "completed_by": who, "result": result(n, at), "lead_time": 3.5}
                for at, who in enumerate((3, 7))
            ],
            "predictions": [],
        }
        for n in range(12)
    ]


def scored_traces() -> list[dict]:
    """Traces as Langfuse has them: two annotators, and a judge without a name."""

    def score(n, author, source, value):
        return {
            "id": f"{n}{author}", "traceId": f"t{n}", "name": "tone", "source": source,
            "value": value, "stringValue": None, "comment": REASON, "authorUserId": author,
        }  # fmt: skip

    return [
        {
            "id": f"t{n}", "input": QUESTIONS[n], "output": ANSWERS[n],
            "scores": [score(n, "ana", "ANNOTATION", n % 4), score(n, "ben", "ANNOTATION", n % 3),
                       score(n, None, "EVAL", n % 4)],
        }
        for n in range(12)
    ]  # fmt: skip
