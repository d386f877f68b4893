"""Near judges in their tools: `python -m tests.interop.near_judges [TARGET ...] [KIND ...]`.

promptfoo and MLflow write part of these requests. What the server was sent is compared, key by key
and sign by sign, with Concord's request changed as the docs say, and the scores with the replies'.
"""

import ast
import sys
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path

from concord.judges.prompting.request import encoded
from tests.interop.judges import environment, graded
from tests.support.judges import exported, near

TOOLS = {"promptfoo-llm-rubric": "promptfoo", "mlflow-make-judge": "mlflow"}


def run(target: str, place: Path, kind: str) -> list[str]:
    """Run a judge of a kind in its tool; returns how it differed from what the docs say."""
    with exported.server(kind) as server, tempfile.TemporaryDirectory() as name:
        server.behaviour.write = near.reply
        folder, of = Path(name), exported.setup(kind, server.url)
        what = exported.exported(of, folder)
        file = exported.written(target, what, folder)
        given = [exported.arguments(item) for item in near.ITEMS.values()]
        try:
            scores = graded(TOOLS[target], place, folder, given)
        except RuntimeError as error:
            return [str(error)]
        if target == "mlflow-make-judge":
            wanted = [_make_judge(of, file, number, one) for number, one in enumerate(given)]
        else:
            wanted = [near.llm_rubric(of, what.fingerprint, one) for one in near.ITEMS.values()]
        replied = [{name: near.score(body) for name, body in one.items()} for one in wanted]
        found = [] if scores == replied else [f"{scores} instead of {replied}"]
        bodies = [body for one in wanted for body in one.values()]
        asked = Counter(sha256(encoded(body)).hexdigest()[:16] for body in bodies)
        # MLflow writes the same JSON with other spaces and escapes.
        sent = Counter(sha256(encoded(one.body)).hexdigest()[:16] for one in server.seen)
        if sent != asked:
            found.append(f"{(sent - asked).total()} of {sent.total()} requests differ")
        return found


def _make_judge(of, file: Path, number: int, given: dict) -> dict:
    """Return the requests of MLflow for an item, by the instructions in the file."""
    assigned = {
        ast.unparse(node.targets[0]): node.value
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
    }
    inputs = {"number": number, **{key: given[key] for key in ("question", "contexts", "turns")}}
    expected = {"reference": given["reference"]}
    parts = {"inputs": inputs, "outputs": given["answer"], "expectations": expected}
    return near.make_judge(of, ast.literal_eval(assigned["INSTRUCTIONS"]), parts)


def main() -> None:
    """Run every near judge in its tool; ends with 1 where one differs."""
    failed = False
    kinds = [kind for kind in near.KINDS if kind in sys.argv] or near.KINDS
    for target in [target for target in TOOLS if target in sys.argv] or TOOLS:
        place = environment(TOOLS[target])
        for kind in kinds:
            apart = run(target, place, kind)
            failed = failed or bool(apart)
            print(f"{target}, {kind}: {'; '.join(apart) or 'requests as documented, same scores'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
