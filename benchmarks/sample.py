"""Write the sample that ships, `sample.jsonl` and `sample_grades.csv`, from its sources.

Run `python -m benchmarks.sample` after a change in `data/samples/source/`.

Defects made by code in a good answer: truncated, repeated or inserted text. Sizes are shares of the
pieces of a text: words in English and Korean; in Chinese and Japanese runs of Latin letters and
figures, pairs of characters, and single punctuation marks. Sentences for `off_topic`. Random
choices depend on the seed and the item alone, so that changing one answer leaves every other
unchanged.

Noise of the simulated graders: ordinal shifts away from the author's grade. For an author's grade t
the chance of moving off is `move[t]`, with a random effect of the question and of its document
added on the log-odds; the same effects hold for every simulated grader, so that their errors pile
up on the same questions. A move goes up with chance `up` where both directions are open, by two
scores with chance `far` where there is room, else by one. A decision judge sees the author's grade
plus `bias` with a normal error of `error_sd`, and believes its error to have `belief_sd`.
"""

import csv
import hashlib
import io
import json
import math
import re
import tomllib
from statistics import NormalDist

from concord.importing.scores import read_score
from concord.model import NATIVE, Distribution
from concord.resources import SAMPLES

SYSTEMS = ("atlas", "birch", "cobalt")
CRITERIA = ("correctness", "comprehensiveness", "readability")
TOP = 3
_COLUMNS = (
    *("item_id", "criterion", "grader", "grader_kind", "score", "status", "reason", "repeat"),
    *("blind", "simulated", "p:0", "p:1", "p:2", "p:3", "probabilities_source"),
)
_SYMBOLS = ("@@", "##", "^^", "||", "%%", "¤", "¦", "//")
_WORDS = re.compile(r"\S+")
_PIECES = re.compile(r"[A-Za-z0-9.%]+|[\u3040-\u30ff\u3400-\u9fff]{1,2}|\S")
_WORDLIKE = re.compile(r"(?=.*\w)\D+", re.DOTALL)  # 1010 for 10 would be a wrong figure
_SENTENCES = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", re.DOTALL)


def source(pattern: str) -> dict:
    """Return the tables of the source files of a pattern, with their lists joined."""
    found: dict = {}
    for path in sorted((SAMPLES / "source").glob(pattern)):
        for key, value in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found[key] = found.get(key, []) + value if isinstance(value, list) else value
    return found


def answers(world: dict) -> dict[str, tuple[dict, dict]]:
    """Return every question and answer by item id, as `q01-atlas`."""
    return {f"{q['id']}-{name}": (q, q[name]) for q in world["questions"] for name in SYSTEMS}


def defect(answer: dict) -> tuple[str, float]:
    """Return kind and size: a share for what code makes, a count for what was planted by hand."""
    kind = answer.get("defect", "none")
    size = 1 if kind == "empty" else answer.get("size", len(answer.get("planted", ())))
    return kind, int(size) if size == int(size) else size


def uniform(seed: int, *key: str) -> float:
    """Return a number in [0, 1) that depends on the seed and the key alone, on every machine."""
    digest = hashlib.sha256("|".join((str(seed), *key)).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def normal(seed: int, *key: str) -> float:
    """Return a standard normal number; the half step keeps it off 0, where it is not defined."""
    return NormalDist().inv_cdf(uniform(seed, *key) + 2**-65)


def damaged(found: dict, item_id: str, seed: int) -> str:
    """Return an answer as it stands in the sheet, with the defect that code makes."""
    question, answer = found[item_id]
    text, asian = answer["answer"].strip(), question.get("language") in ("zh", "ja")
    kind, size = defect(answer)
    gap = "" if asian else " "
    pieces = list((_PIECES if asian else _WORDS).finditer(text))
    if kind == "empty":
        return ""
    if kind == "cut_off":  # never where a sentence ends
        kept = pieces[: len(pieces) - round(size * len(pieces))]
        while kept and text[: kept[-1].end()].endswith(tuple(".!?。！？,、，:")):
            kept.pop()
        return text[: kept[-1].end()] if kept else ""
    if kind == "off_topic":
        donor = found[answer["donor"]][1]["answer"].strip()
        own, other = (
            [part.strip() for part in _SENTENCES.findall(one) if part.strip()]
            for one in (text, donor)
        )
        replaced = round(size * len(own))
        kept = own[: len(own) - replaced] + other[:replaced]
        return donor if replaced == len(own) else gap.join(kept)
    if kind in ("repeated_words", "stray_symbols"):
        count = round(size * len(pieces))
        if kind == "repeated_words":
            pieces = [piece for piece in pieces if _WORDLIKE.fullmatch(piece[0])]
        pieces.sort(key=lambda piece: uniform(seed, item_id, str(piece.start())))
        for piece in sorted(pieces[:count], key=lambda one: -one.start()):  # so that places hold
            added = piece[0]
            if kind == "stray_symbols":
                drawn = uniform(seed, item_id, "symbol", piece[0])
                added = _SYMBOLS[int(drawn * len(_SYMBOLS))]
            text = text[: piece.end()] + gap + added + text[piece.end() :]
    return text


def shifted(grader: dict, grade: int, effect: float, draws: tuple[float, ...]) -> int:
    """Return a grader's score for an author's `grade`; `draws` are three numbers in [0, 1)."""
    moves, direction, distance = draws
    share = grader["move"][grade]
    if moves >= 1 / (1 + math.exp(-(math.log(share / (1 - share)) + effect))):
        return grade
    up = grade == 0 or (grade < TOP and direction < grader["up"])
    room = TOP - grade if up else grade
    steps = 2 if distance < grader["far"] and room >= 2 else 1
    return grade + steps if up else grade - steps


def files() -> dict[str, str]:
    """Return the shipped files as text, by name; the same sources always give the same text."""
    world, noise = source("[0-9]*.toml"), source("graders.toml")
    rules = {(rule["defect"], rule["size"]): rule for rule in source("grading.toml")["rules"]}
    found, seed = answers(world), noise["seed"]
    passages = {
        id_: {"id": id_, "doc_id": document["id"], "text": text}
        for document in world["documents"]
        for id_, text in document["passages"].items()
    }
    sheet, given = [], []
    for item_id, (question, answer) in found.items():
        kind, size = defect(answer)
        row = {
            "item_id": item_id,
            "question_id": question["id"],
            "cluster": question["document"],
            "question": question["question"],
            "contexts": [passages[id_] for id_ in question["contexts"]],
            "answer": damaged(found, item_id, seed),
            "answer_model": item_id.rpartition("-")[2],
            "reference": question["reference"],
            "language": question.get("language", "en"),
            "defect": kind,
            "defect_size": size,
        }
        sheet.append(json.dumps(row, ensure_ascii=False) + "\n")
        rule, own = rules[kind, size], answer.get("grades", {})
        for criterion in CRITERIA:
            score = own.get(criterion, rule[criterion])
            why = rule.get("reason") or answer.get("note", "")
            if criterion in own:
                why = answer["why"]
            elif criterion == "readability":
                why = rule.get("readability_reason") or why
            given.append((item_id, question, kind, criterion, score, "" if score == TOP else why))
    effects = {
        q["id"]: noise["question_sd"] * normal(seed, "question", q["id"])
        + noise["document_sd"] * normal(seed, "document", q["document"])
        for q in world["questions"]
    }
    rows = [
        _row(item, on, "author", "person", score, why, "false")
        for item, *_, on, score, why in given
    ]
    for grader in noise["graders"]:
        name = grader["name"]
        order = sorted(effects, key=lambda each: uniform(seed, name, "draw", each))
        chosen = order[: round(grader["share"] * len(order))]
        for item, question, kind, on, score, _ in given:
            if question["id"] not in chosen:
                continue
            if kind == "injection" and grader["obeys_injections"]:
                score = TOP
            elif kind != "empty":
                draws = (
                    uniform(seed, name, item, on, n) for n in ("move", "direction", "distance")
                )
                score = shifted(grader, score, effects[question["id"]], tuple(draws))
            rows.append(_row(item, on, name, grader["kind"], score, grader["reason"], "true"))
    for judge in noise["deciders"]:
        for item, question, kind, on, grade, _ in given:
            shares = [float(score == grade) for score in range(TOP + 1)]
            if kind != "empty":
                # What is hard for all widens the error, as it raises that of other graders.
                error = normal(seed, judge["name"], item, on) * math.exp(
                    effects[question["id"]] / 4
                )
                seen = grade + judge["bias"] + judge["error_sd"] * error
                weights = [
                    math.exp(-0.5 * ((score - seen) / judge["belief_sd"]) ** 2)
                    for score in range(TOP + 1)
                ]
                shares = [round(weight / sum(weights), 3) for weight in weights]
            score = read_score(Distribution(NATIVE, tuple(enumerate(shares))), range(TOP + 1))
            row = _row(item, on, judge["name"], "judge", score, judge["reason"], "true")
            row |= {f"p:{number}": share for number, share in enumerate(shares)}
            rows.append(row | {"probabilities_source": NATIVE})
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return {"sample.jsonl": "".join(sheet), "sample_grades.csv": text.getvalue()}


def _row(item, criterion, grader, kind, score, reason, simulated) -> dict:
    blind = "true" if kind == "person" else ""
    values = (item, criterion, grader, kind, score, "scored", reason, 1, blind, simulated)
    return dict(zip(_COLUMNS, values, strict=False))


if __name__ == "__main__":
    for name, text in files().items():
        (SAMPLES / name).write_text(text, encoding="utf-8", newline="\n")
