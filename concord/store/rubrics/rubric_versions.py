"""Rubrics as the store knows them: presets, files and edits, and their criterion versions."""

from collections.abc import Sequence
from pathlib import Path

from concord.clock import now
from concord.definitions import canonical_json, digest
from concord.messages import Problem, joined, on_command_line, said
from concord.model import Sheet
from concord.rubrics.model import Rubric, counts_on, from_body, load, of_units, presets
from concord.store.database import LIVE_ITEM, Store, marks, open_store
from concord.store.permissions import LEAD

IMPORTED = "the scores had no meanings, so the grades were imported and not given by other words"


def register(store: Store, rubric: Rubric, source: str) -> int:
    """The id of a rubric's content, stored now where it is new; its criterion versions with it.

    `source` is 'preset', 'file', 'app', or 'import' where an import made it from grades. The same
    content is stored once.
    """
    body = rubric.body()
    with store.write():
        known = _known(store, rubric)
        if known:
            return known
        register_criteria(store, rubric)
        return store.insert(
            "rubrics",
            name=rubric.name,
            digest=digest(body),
            body=body,
            source=source,
            created_at=now(),
        )


def register_criteria(store: Store, rubric: Rubric) -> None:
    """Store a rubric's criterion versions where they are new; inside `write()`."""
    for criterion in rubric.criteria:
        store.execute(
            """insert into criteria (version, name, body, created_at) values (?, ?, ?, ?)
            on conflict (version) do nothing""",
            (rubric.version(criterion), criterion.name, _wording(rubric, criterion), now()),
        )


def named(store: Store, name: str) -> tuple[int, Rubric]:
    """A rubric's id and content by name: the newest edit or file, else the preset.

    A preset that a release rewords keeps its earlier wording in a database that has grades under
    it, so that an upgrade leaves no grade behind.
    """
    row = store.row(
        """select id, body from rubrics where name = ? and source <> 'preset'
        order by created_at desc, id desc""",
        (name,),
    )
    if row:
        return row["id"], from_body(row["body"])
    preset = presets().get(name) or of_units().get(name)
    if preset is None:
        raise Problem(
            "There is no rubric “{name}”. Known rubrics: {names}.",
            name=name,
            names=joined(", ", names(store)),
            fault_code="no_rubric",
        )
    graded = _graded_preset(store, preset)
    return graded or (_shipped(store, preset), preset)


def _graded_preset(store: Store, preset: Rubric) -> tuple[int, Rubric] | None:
    """The newest wording of a preset that has grades; None where that is the one that ships."""
    rows = store.rows(
        "select id, body from rubrics where name = ? and source = 'preset' order by id desc",
        (preset.name,),
    )
    earlier = [(row["id"], from_body(row["body"])) for row in rows if row["body"] != preset.body()]
    if not earlier or _has_grades(store, preset):
        return None
    return next((one for one in earlier if _has_grades(store, one[1])), None)


def _has_grades(store: Store, rubric: Rubric) -> bool:
    asked = f"select 1 from grades where version in ({marks(rubric.criteria)}) limit 1"
    return store.has(asked, tuple(rubric.versions().values()))


def _shipped(store: Store, preset: Rubric) -> int:
    """Return the id of a preset, stored on first use; not recorded as a change by the user.

    A preset that a read-only database does not hold has the id 0: no row there refers to it.
    """
    known = _known(store, preset)  # first, as whoever only reads waits for no writer
    if known or store.read_only:
        return known or 0
    if not store.who or store.who.role == LEAD:
        return register(store, preset, "preset")
    with open_store(store.path) as whole:
        return register(whole, preset, "preset")


def _known(store: Store, rubric: Rubric) -> int | None:
    return store.value(
        "select id from rubrics where name = ? and digest = ?",
        (rubric.name, rubric.digest()),
    )


def argument(store: Store, name_or_path: str) -> tuple[int, Rubric]:
    """A rubric by name, or by the path of a TOML file, which is registered with its content."""
    if name_or_path.endswith(".toml"):
        store.must_lead()  # the file lies on the server
        rubric = load(Path(name_or_path))
        if _known(store, rubric) is None and rubric.name in names(store):
            _, old = named(store, rubric.name)
            with store.write():
                rubric_id = register(store, rubric, "file")
                carry_imported(store, old, rubric)
            return rubric_id, rubric
        return register(store, rubric, "file"), rubric
    return named(store, name_or_path)


def get(store: Store, rubric_id: int) -> Rubric:
    """The rubric of that id."""
    return from_body(store.value("select body from rubrics where id = ?", (rubric_id,)))


def of_version(store: Store, rubric: Rubric, version: str) -> Rubric:
    """Return a rubric with the words of a criterion version: those it has, else earlier ones."""
    if version not in rubric.versions().values():
        for body in store.column("select body from rubrics where name = ?", (rubric.name,)):
            if version in (earlier := from_body(body)).versions().values():
                return earlier
    return rubric


def as_translated(store: Store, rubric: Rubric) -> Rubric:
    """Return a rubric with the newest translations of its name, where they are of the same words.

    A grading set keeps its rubric; a translation that is added later serves it too.
    """
    _, newest = named(store, rubric.name)
    if newest.versions() != rubric.versions():
        return rubric
    return rubric.model_copy(update={"translations": newest.translations})


def of_digest(store: Store, name: str, content: str) -> Rubric | None:
    """The rubric of that name with exactly that content; None where it is not stored."""
    body = store.value("select body from rubrics where name = ? and digest = ?", (name, content))
    return from_body(body) if body else None


def names(store: Store) -> list[str]:
    """The names of all rubrics of whole answers, presets and the user's own, in order."""
    own = store.column("select distinct name from rubrics")
    return sorted({*own, *presets()} - of_units().keys())


def of_import(store: Store, sheet: str) -> list[Rubric]:
    """The rubrics that imported grades of a sheet may be of without the user naming one.

    All of whole answers but those that an import made and other sheets are graded under: what is
    called the same there need not be the same criterion.
    """
    row = store.row("select id from sheets where name = ?", (sheet,))
    own = _graded(store, row["id"]) if row else []
    made = store.column("select distinct name from rubrics where source = 'import'")
    found = [named(store, name)[1] for name in names(store)]
    return [r for r in found if r.name not in made or r.name in own or not _has_grades(store, r)]


def graded(store: Store, sheet_id: int) -> list[str]:
    """The rubrics under which a sheet's answers have grades, the one that annotators use first."""
    found = _graded(store, sheet_id)
    if len(found) < 2:
        return found
    first = annotators_use(store, sheet_id)
    return sorted(found, key=lambda name: name != first)


def _graded(store: Store, sheet_id: int) -> list[str]:
    hit = _versions(store, sheet_id)
    rubrics = {name: named(store, name)[1] for name in names(store)}
    return [name for name, one in rubrics.items() if hit.intersection(criteria(store, one))]


def of_sheet(
    store: Store, sheet: Sheet, name_or_path: str | None = None, of_answers: bool = False
) -> tuple[int, Rubric]:
    """Return id and content of the rubric that the figures of a sheet are of.

    It is the one named, else the one under which annotators graded whole answers, or units where
    they graded no answer. Where no annotator has graded, it is the first that anybody graded under.

    With `of_answers` annotators' grades of units are passed over where whole answers are graded.

    Raises:
        Problem: Annotators used several rubrics, or nothing is graded.
    """
    if name_or_path:
        return argument(store, name_or_path)
    whole, parts = graded(store, sheet.id), units_graded(store, sheet.id)
    used = annotators_used(store, sheet.id, whole)
    if not used and not (of_answers and whole):
        used = annotators_used(store, sheet.id, parts)
    found = used or [*whole, *parts][:1]
    if not found:
        raise Problem(
            "Nothing in sheet “{sheet}” is graded yet. Grade some answers in the app, or "
            "import some under Data{on_command_line}.",
            sheet=sheet.name,
            on_command_line=on_command_line("`grades FILE`"),
        )
    if len(found) > 1:
        raise Problem(
            "Annotators graded “{sheet}” under several rubrics: {rubrics}. Name one with --rubric.",
            sheet=sheet.name,
            rubrics=joined(", ", found),
        )
    return named(store, found[0])


def annotators_use(store: Store, sheet_id: int) -> str | None:
    """The name of the rubric with most annotators' grades of a sheet, else that of its newest set.

    None where annotators have neither; grades of judges and metrics do not count.
    """
    used = annotators_used(store, sheet_id)
    if used:
        return used[0]
    newest = store.value(
        """select r.name from grading_sets s join rubrics r on r.id = s.rubric_id
        where s.sheet_id = ? order by s.id desc""",
        (sheet_id,),
    )
    return newest if newest not in of_units() else None


def of_parts(store: Store) -> dict[str, Rubric]:
    """Return every rubric of units by name, in the wording graded under here, else as shipped."""
    return {
        name: graded[1] if (graded := _graded_preset(store, preset)) else preset
        for name, preset in of_units().items()
    }


def units_graded(store: Store, sheet_id: int) -> list[str]:
    """The names of the rubrics of units under which parts of a sheet's answers have grades."""
    hit = _versions(store, sheet_id)
    return [name for name, one in of_parts(store).items() if hit & {*one.versions().values()}]


def annotators_used(store: Store, sheet_id: int, among: Sequence[str] | None = None) -> list[str]:
    """Return the rubrics by which annotators graded a sheet, most grades first.

    `among` are the rubrics to look at, by default those of whole answers. A rubric of whose
    criteria all those graded are of an earlier one too is left out.
    """
    among = _graded(store, sheet_id) if among is None else among
    counts = {
        row["version"]: row["n"]
        for row in store.rows(
            """select g.version, count(*) as n from grades g join items i on i.id = g.item_id
            join graders r on r.id = g.grader_id where i.sheet_id = ? and r.kind = 'person'
            group by g.version""",
            (sheet_id,),
        )
    }
    of = {name: {*criteria(store, named(store, name)[1])} & counts.keys() for name in among}
    used, seen = [], set()
    for name in sorted(among, key=lambda one: -sum(counts[version] for version in of[one])):
        if of[name] - seen:
            used.append(name)
            seen |= of[name]
    return used


def without_annotators(store: Store, sheet: Sheet, name: str) -> str | None:
    """Return that annotators graded a sheet under other rubrics alone; None otherwise."""
    used = annotators_used(store, sheet.id)
    if not used or annotators_used(store, sheet.id, [name]):
        return None
    return said(
        "No annotator has graded “{sheet}” under rubric {rubric}. Annotators graded it under: "
        "{graded}.",
        sheet=sheet.name,
        rubric=name,
        graded=joined(", ", used),
    )


def _versions(store: Store, sheet_id: int) -> set[str]:
    """The criterion versions under which a sheet has any grade."""
    return set(
        store.column(
            """select distinct c.version from criteria c where exists (select 1 from grades g
            join items i on i.id = g.item_id where g.version = c.version and i.sheet_id = ?)""",
            (sheet_id,),
        )
    )


def carry(store: Store, old: Rubric, new: Rubric, criterion: str, why: str) -> None:
    """Record that an edit changed wording only, so the old version's grades count for the new."""
    old_version = old.version(old.criterion(criterion))
    new_version = new.version(new.criterion(criterion))
    if old_version == new_version:
        return
    same = old.scale == new.scale and set(old.shown) == set(new.shown)
    if not (same or counts_on(old, new, criterion)):
        raise Problem(
            "{criterion}: the scale or the shown fields changed, not only the wording. Regrade it "
            "under the new version.",
            criterion=criterion,
        )
    with store.write():
        store.execute(
            """insert into carried_versions (old_version, new_version, why, created_at)
            values (?, ?, ?, ?) on conflict (old_version, new_version) do nothing""",
            (old_version, new_version, why, now()),
        )


def carry_imported(store: Store, old: Rubric, new: Rubric) -> None:
    """Carry over the grades of criteria that had no meanings (`counts_on`)."""
    for criterion in old.criteria:
        if counts_on(old, new, criterion.name):
            carry(store, old, new, criterion.name, IMPORTED)


def counting(store: Store, version: str) -> list[str]:
    """The versions whose grades count under this one: itself and what was carried into it."""
    return store.column(
        """with recursive counting (version) as (select ? union
        select old_version from carried_versions c join counting on version = new_version)
        select version from counting""",
        (version,),
    )


def criteria(store: Store, rubric: Rubric) -> dict[str, str]:
    """Criterion name by every version whose grades count; a criterion's own version is its last."""
    return {
        version: name
        for name, own in rubric.versions().items()
        for version in [*(v for v in counting(store, own) if v != own), own]
    }


def names_of_versions(store: Store) -> dict[str, str]:
    """Return the name of every criterion version of every rubric."""
    stored = map(from_body, store.column("select body from rubrics order by id"))
    every = [*presets().values(), *of_units().values(), *stored]
    return {version: name for one in every for name, version in one.versions().items()}


def grades_under(store: Store, version: str) -> int:
    """Return the number of grades under a criterion version."""
    sql = f"select count(*) from grades where version = ? and item_id {LIVE_ITEM}"
    return store.value(sql, (version,))


def _wording(rubric: Rubric, criterion) -> str:
    return canonical_json(
        {
            "name": criterion.name,
            "question": criterion.question,
            "scale": rubric.scale,
            "meanings": [level.meaning for level in criterion.levels],
            "shown": sorted(rubric.shown),
        }
    )
