"""Compare prompts and scales: variants of a judge side by side on the same answers."""

from reports.reference import EACH
from ui.compare_flips import what_flips
from ui.compare_pick import FLIPS, SIDE, pick_comparison, pick_variants, pick_view
from ui.compare_side import side_by_side
from ui.compare_studies import four_questions
from ui.frame import enter

store = enter(__file__)
found = pick_comparison(store)
if found is not None:
    view = pick_view()
    if view == SIDE:
        side_by_side(found, pick_variants(found))
    elif view == FLIPS:
        what_flips(store, found, EACH)
    else:
        four_questions(store, found, EACH)
