"""A judge for metrics that knows its work: the right reply to whatever a canary makes it ask."""

import json
import re

from concord import metrics
from concord.judges.checks import canary
from concord.judges.prompting.metric_request import Undefined

# (claim, what the request must hold besides for the claim to be supported by it)
SUPPORTED = [
    ("这家书店由王芳创立。", "1976年由王芳"),
    ("图书馆星期一不开放。", "图书馆星期一闭馆"),
    ("There are 80 seats in the small hall.", "The small hall has 80 seats"),
    ("The small hall has 80 seats.", "There are 80 seats"),
    ("주차장 요금은 한 시간에 이천 원입니다.", "주차장 이용 요금은 한 시간에 이천 원"),
]
SHOP = ["这家书店由王芳和赵明创立。", "这家书店在1976年创立。", "这家书店位于杭州。"]
LISTS = {
    "claims": {"位于杭州": SHOP},
    "facts": {"120メートル": ["この塔の高さは120メートルです。"], "bicycle": []},
    "entities": {"leaves from Turku": ["Turku"], "夏目漱石": ["夏目漱石", "1905年"]},
    "sentences": {
        "small hall has 80": ["The small hall has 80 seats."],
        "이천 원입니다": ["주차장 요금은 한 시간에 이천 원입니다."],
        "Copper": [],
    },
}
TOPICS = [
    ("copper", "铜", "why is it green"),
    ("race", "1967"),
    ("数据库", "database"),
    ("seats",),
    ("图书馆",),
    ("会議室",),
    ("猫", "cat", "고양이"),
    ("주차",),
    ("museum",),
    ("停车", "parking"),
]


class KnowingLine:
    """A line at whose other end sits a judge that knows; the bodies it was sent are kept."""

    def __init__(self, reply=None):
        self.sent, self._reply, self.cost = [], reply or reply_to, 0.0

    async def chat(self, body):
        self.sent.append(body)
        said = self._reply(body)
        if said is None:
            raise Undefined("failed", "Nobody is there.")
        return {"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}

    async def embed(self, texts):
        return [vector(text) for text in texts]


def vector(text):
    """One direction for each topic, and a little of its own for every text."""
    found = [float(any(word in text.lower() for word in topic)) for topic in TOPICS]
    return [*found, 0.1 + (len(text) % 7) / 100]


def reply_to(body):
    """The right reply."""
    form = body["response_format"]["json_schema"]["schema"]["properties"]
    asked = body["messages"][-1]["content"]
    if "verdicts" in form:
        said = {"verdicts": list(_verdicts(form["verdicts"], asked))}
    elif "questions" in form:
        avoids = "do not know" in asked or "不知道" in asked
        said = {"questions": [{"question": _guess(asked), "clear": True, "noncommittal": avoids}]}
    elif form.keys() <= LISTS.keys():
        (name,) = form
        said = {name: next((v for k, v in LISTS[name].items() if k in asked), [])}
    else:
        said = {key: _own(key, one, asked) for key, one in form.items()}
    return json.dumps(said, ensure_ascii=False)


def labels(form):
    """The labels of verdicts, by ascending score."""
    return form["items"]["properties"]["verdict"]["enum"]


def _verdicts(form, asked):
    for line in re.findall(r'^\{"u\d+": .*\}$', asked, re.MULTILINE):
        ((id_, text),) = json.loads(line).items()
        label = labels(form)[_place(text, asked.replace(line, ""), len(labels(form)))]
        yield {"id": id_, "reason": "So it is.", "quote": "", "verdict": label}


def _place(text, rest, count):
    known = canary.load()
    places = {"supported": -1, "contradicted": 0, "unsupported": min(1, count - 2)}
    for one in known.claim:
        if one.claim == text and one.evidence in rest:
            return places[one.right]
    for one in known.passage:
        if one.passage == text:
            return -1 if one.right == "useful" else 0
    held = any(claim == text and word in rest for claim, word in SUPPORTED) or text in SHOP
    return -1 if held or text.rstrip(".。") in rest else 0


def _guess(asked):
    topics = next((topic for topic in TOPICS if any(one in asked.lower() for one in topic)), [""])
    return f"What of {topics[0]}?"


def _own(key, form, asked):
    if form["type"] == "string":
        return "So it is."
    found = metrics.available().values()
    every = [one for m in found for one in m.canaries if one.right and not m.rubrics]
    one = next(one for one in every if f"{one.answer}\n" in asked and one.question in asked)
    if form["type"] == "boolean":
        return bool(one.right[0])
    least, most = form["enum"][0], form["enum"][-1]
    return round(least + one.right[0] * (most - least)) if one.rubric else int(one.right[1])
