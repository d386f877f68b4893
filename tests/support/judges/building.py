"""Documents and their drafts, and the judge that a sheet is built with.

The price of a model.

Files of two sheets that the same judges graded, and of a combined judge of these.
"""

import json

from concord.building import drafts
from concord.clock import today
from concord.judges.definition import model
from concord.judges.definition.prices import Price
from concord.model import Document
from concord.store import runs
from concord.store.runs import AskedReply
from tests.support.commandline import GRADES

DEAR = "price = { input = 1000, output = 1000 }"
HARBOUR = "The harbour opens at six in the morning. Boats wait until the signal is green."
MINISTRY = "新的港口将于六月一日开放。\n预算共计四千欧元，由王小明负责。"
KOREAN = "항구는 오전 여섯 시에 열립니다. 배는 신호가 녹색이 될 때까지 기다립니다. " * 3


def judge(url, more="price = 0", name="mine"):
    """A judge at a server that is free, unless `more` says otherwise."""
    return model.parse(
        f'name = "{name}"\nkind = "metric"\nmodel = "m"\n{more}\n[endpoint]\nbase_url = "{url}"\n',
        "mine.toml",
    )


def proposal(quote, question="When?", reference="At six."):
    """A draft as a model proposes it."""
    return {"quote": quote, "question": question, "reference": reference}


def writer(body):
    """Draft a true quote of the document in the request; answer questions in words."""
    asked_for = body["messages"][-1]["content"]
    if "Answer the question." in asked_for:
        return f"<think>hm</think>It is {body['model']}'s answer."
    quote = "预算共计四千欧元，由王小明负责。" if "预算" in asked_for else HARBOUR[:40]
    return json.dumps({"drafts": [proposal(quote)]}, ensure_ascii=False)


def filled(store, *texts):
    """Documents with these texts, for the sheet port."""
    made = [Document(f"{n}.md", text) for n, text in enumerate(texts)]
    drafts.add_documents(store, "port", made)


def local(server, **more):
    """A query by which both boxes ask the judge `local` at a server."""
    at = {"drafts_by": "local", "drafts_at": server.url}
    return at | {"answers_by": "local", "answers_at": server.url, "sheet": "port"} | more


def proposed(store, name, text, *written):
    """Drafts about one document, as a model's reply left them."""
    drafts.add_documents(store, name, [Document("port.md", text)])
    reply = AskedReply("drafts", "a", Document("", text).sha256, 1, "{}", "{}", "good")
    runs.add_asked(store, reply)
    (reply_id,) = store.row("select max(id) from asked")
    drafts.add(store, drafts.document_ids(store, name)[-1], reply_id, "m", written)


# 2 USD a million in, a tenth of it from the server's cache, 10 out.
PRICE = Price(model="m", input=2, cached="0.2", output=10, date=today(), source="a test")


HEAD = GRADES.rstrip("\n") + ",p:0,p:1,p:2,p:3\n"
RULES = {"ordinal": '["one", "two"]', "cut_points": '["likely"]'}


def rows(name, questions, chance):
    """A grade of each grader on each answer; `likely` gives probabilities that lie too low."""
    for q in questions:
        score = chance.randrange(4)
        yield f"{name}{q},correctness,Ana,person,{score},,,,"
        for judge, error in (("one", 0.1), ("two", 0.15), ("worse", 0.6)):
            yield f"{name}{q},correctness,{judge},judge,{_off(score, error, chance)},,,,"
        seen = _off(score, 0.12, chance)
        shares = [0.0] * 4
        shares[seen] += 0.55
        shares[max(0, seen - 1)] += 0.45
        yield f"{name}{q},correctness,likely,judge,{seen}," + ",".join(map(str, shares))


def _off(score, error, chance):
    return min(3, max(0, score + (chance.choice([-1, 1]) if chance.random() < error else 0)))


def judge_file(folder, rule):
    """The path of a new file of the judge `jury` with this rule."""
    path = folder / "jury.toml"
    write(
        path,
        'name = "jury"\nkind = "combined"\nrubric = "doc-qa-0-3"\n',
        [f'rule = "{rule}"', f"members = {RULES[rule]}"],
    )
    return path


def write(path, head, lines):
    """Write a head and further lines."""
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
