"""Studies: four questions about judges, each answered on the user's own sheets.

They are the questions of a published study of LLM judges for answers about documents (Databricks,
2023), asked again here.
"""

from data import sheets
from data.sheets import Sheet
from data.store import Store
from problems import Problem
from reports import study_agreement, study_examples, study_scales, study_transfer, variants
from reports.cost import costs
from reports.reference import EACH
from reports.study import Study
from words.said import joined, said

QUESTIONS = {
    study_agreement.NAME: study_agreement.QUESTION,
    study_examples.NAME: study_examples.QUESTION,
    study_scales.NAME: study_scales.QUESTION,
    study_transfer.NAME: study_transfer.QUESTION,
}


def run(
    store: Store,
    sheet: Sheet,
    name: str,
    judges: tuple[str, ...] = (),
    kind: str = EACH,
    rubric: str | None = None,
    people: tuple[str, ...] = (),
) -> Study:
    """One study on a sheet.

    Args:
        store: The open store.
        sheet: The sheet.
        name: One of `QUESTIONS`.
        judges: The variants by name; all where there is none.
        kind: `each` or `consensus`.
        rubric: The name of the rubric under which people graded.
        people: Who counts as people, by name.
    """
    if name not in QUESTIONS:
        known = joined(", ", QUESTIONS)
        raise Problem(
            said("There is no study “{name}”. There are: {known}.", name=name, known=known)
        )
    found = variants.read(store, sheet)
    panel = found.people(rubric, people)
    chosen = found.named(judges) if judges else list(found.every)
    if name == study_agreement.NAME:
        return study_agreement.study(chosen, panel, kind)
    if name == study_transfer.NAME:
        others = [s for s in sheets.all_sheets(store) if s.id != sheet.id]
        read = [variants.read(store, other) for other in others]
        return study_transfer.study(found, read, chosen, panel.rubric.name)
    priced = costs(store, sheet, [variant.judge for variant in chosen])
    study = study_examples.study if name == study_examples.NAME else study_scales.study
    return study(chosen, panel, kind, priced, bool(judges))
