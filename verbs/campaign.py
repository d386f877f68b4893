"""The verb `campaign`."""

import click

from verbs.frame import BY, Share, as_json, say, verb


@verb
@click.argument("name", metavar="SET")
@click.option("--people", multiple=True, metavar="NAME", help="Who grades; may be repeated.")
@click.option("--each", type=click.IntRange(1), help="People per shared answer, 2 without it.")
@click.option("--shared", type=click.FloatRange(0, 1), default=1.0, help="Share of the blocks.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The day to be done by.")
@click.option(
    "--move",
    nargs=3,
    metavar="BLOCK FROM TO",
    help="Give a block to somebody else. FROM - is nobody.",
)
@click.option("--leave", metavar="NAME", help="Share out again what somebody had not begun.")
@click.option("--pilot", is_flag=True, help="Say what the set tells as a pilot, with a plan.")
@click.option(
    "--half-width", type=Share(), default=0.05, help="Of people's agreement, for --pilot."
)
@click.option("--freeze", is_flag=True, help="Freeze the rubric as it is worded now.")
@click.option("--why", default="", help="Why a block is moved or somebody leaves.")
@as_json
def campaign(store, sheet_name, name, people, each, shared, until, move, leave, why, **options):
    """Share out a grading set among people, or see who is how far."""
    from data import campaigns, freezes, grading_sets, sheets
    from reports import frozen

    found = grading_sets.named(store, sheets.chosen(store, sheet_name).id, name)
    if people:
        _begin(store, found, people, each or min(2, len(people)), shared, until)
    if move:
        block, source, target = move
        holder = None if source == "-" else _person(store, source)
        campaigns.move(store, found, _block(block), holder, _person(store, target), BY, why)
    if leave:
        campaigns.leave(store, found, _person(store, leave), BY, why)
    if options["freeze"]:
        freezes.freeze(store, found, BY)
        found = grading_sets.get(store, found.id)
    listed, words = _listed(store, found), frozen.document(store, found)
    arranged, nobody = campaigns.find(store, found.id), campaigns.nobodys(store, found.id)
    document = {
        "people": listed,
        "nobody": [block + 1 for block in nobody],
        "until": arranged.deadline if arranged else None,
        "frozen": words,
        "pilot": None,
    }
    lines = [*map(_line, listed)] or ["Nobody yet."]
    lines += [f"Nobody any more: {_blocks(document['nobody'])}"] if nobody else []
    lines += [f"To be done by {document['until']}."] if document["until"] else []
    lines += [frozen.text(words)] if words["at"] or words["changed"] else []
    if options["pilot"]:
        document["pilot"], told = _pilot(store, sheet_name, found, options["half_width"])
        lines.append(told)
    say(document, options["json_out"], "\n".join(lines))


def _pilot(store, sheet_name, found, half_width) -> tuple[dict, str]:
    from data import rubric_versions
    from problems import Problem
    from reports import panel_reading, pilot, whole_answers
    from verbs.frame import sheet_of

    if not 0 < half_width < 1:
        raise Problem("--half-width must lie between 0 and 1, as in --half-width 0.05.")
    rubric = rubric_versions.get(store, found.rubric_id)
    whole_answers.of_answers(rubric, "A pilot is")
    panel = panel_reading.read(store, sheet_of(store, sheet_name), rubric, None)
    document = pilot.document(store, panel, found, half_width)
    return document, pilot.text(document)


def _begin(store, found, people, each, shared, until) -> None:
    from data import campaigns, graders

    ids = [graders.ensure(store, "person", one) for one in people]
    day = f"{until:%Y-%m-%d}" if until else None
    with store.write():
        campaigns.begin(store, found, ids, each, shared if each > 1 else 0.0, day, BY)


def _person(store, name) -> int:
    from data import graders

    return graders.named(store, "person", name).id


def _block(said: str) -> int:
    from problems import Problem

    if not said.isdecimal() or said == "0":
        raise Problem(f"{said} is not a block. Blocks are numbered from 1.")
    return int(said) - 1


def _listed(store, found) -> list[dict]:
    """Everyone with blocks, by name: never by how much or how fast they grade."""
    from data import campaigns, graders, queues, rubric_versions

    rubric = rubric_versions.get(store, found.rubric_id)
    versions = list(rubric.versions().values())
    own = {}
    for seat, person in campaigns.taken(store, found.id).items():
        if person is not None:
            own.setdefault(person, []).append(seat.block + 1)
    rows = []
    for person, blocks in own.items():
        done, total = queues.done(store, found, person, versions)
        named = graders.get(store, person).name
        rows.append({"name": named, "blocks": sorted(blocks), "done": done, "of": total})
    return sorted(rows, key=lambda row: row["name"].casefold())


def _line(row) -> str:
    return f"{row['name']}: {row['done']} of {row['of']}, {_blocks(row['blocks'])}"


def _blocks(numbers) -> str:
    return f"blocks {', '.join(map(str, numbers))}"
