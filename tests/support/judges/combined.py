"""Files of two sheets that the same judges graded, and of a combined judge of these."""

from tests.support.commandline import GRADES

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
