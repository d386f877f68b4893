"""The grading screen in a real Chromium where its steps are the claims of answers."""

from playwright.sync_api import expect

from concord.grading import workspace
from concord.store.rubrics import rubric_versions
from concord.store.units import units
from tests.support.grading_room import begin, given, saved


def steps(store, labelling, ana):
    """(item id, unit id) of Ana's steps in order; no unit where the list itself is the step."""
    rubric = rubric_versions.get(store, labelling.rubric_id)
    places = workspace.window(store, labelling, ana, rubric, None).places
    numbered = [(place.item_id, step) for place in places for step in place.steps]
    return [
        (item_id, int(step.slot.split("/")[1]) if step.text else None) for item_id, step in numbered
    ]


def test_ten_claims_by_keys_through_a_killed_server_with_a_double_press_and_an_undo(
    page, server, store, labelling, ana
):
    wanted = steps(store, labelling, ana)
    begin(page, server, labelling)
    expect(page.locator(".steps")).to_have_text("claim 1 of 3")
    for key in "321":
        page.keyboard.press(key)
    page.keyboard.press("3")
    expect(page.locator(".said")).to_have_text("Digits cannot grade a list. Press Y B C D G H L P.")
    for key in "y":
        page.keyboard.press(key)
    saved(page)
    server.kill()
    page.evaluate(
        """() => { const send = (key, repeat) => document.dispatchEvent(new KeyboardEvent(
            'keydown', {key, repeat, bubbles: true, composed: true}));
          send('1', false); send('1', true); send('1', true); }"""
    )
    page.keyboard.press("2")
    page.keyboard.press("3")
    expect(page.locator(".state")).to_have_attribute("data-unsaved", "3")
    page.keyboard.press("Backspace")
    server.start()
    saved(page)
    for key in "uh301":
        page.keyboard.press(key)
    saved(page)
    found = [(row["item_id"], row["unit_id"], row["score"], row["label"]) for row in given(store)]
    said = [
        *(
            (3, "supported"),
            (2, "strongly implied"),
            (1, "not enough information"),
            (None, "right"),
        ),
        *((1, "not enough information"), (2, "strongly implied"), (None, None)),
        *((None, "missing, not atomic"), (3, "supported"), (0, "contradicted")),
        (1, "not enough information"),
    ]
    assert found == [(*step, *words) for step, words in zip(wanted, said, strict=False)]
    assert len(found) == len(said)
    expect(page.locator(".done")).to_have_text("2 done")
    assert {row["blind"] for row in given(store)} == {1}


def test_an_edit_of_the_list_meanwhile_leaves_one_at_the_same_claim(
    page, server, store, labelling, ana
):
    item_id, first = steps(store, labelling, ana)[0]
    begin(page, server, labelling)
    page.keyboard.press("j")
    expect(page.locator(".criterion.focused h2")).to_have_text(f"Claim 1 of {item_id}.")
    old = units.current(store, [item_id], "claim")[item_id]
    assert old.units[0].id == first
    units.edit(store, old, [(unit.id, unit.text) for unit in old.units[1:]], ana)
    page.keyboard.press("3")
    saved(page)
    expect(page.locator(".steps")).to_have_text("claim 2 of 2")
    expect(page.locator(".criterion.focused h2")).to_have_text(f"Claim 2 of {item_id}.")
    page.keyboard.press("0")
    saved(page)
    found = [(row["unit_id"], row["score"]) for row in given(store)]
    assert found == [(old.units[1].id, 3), (old.units[2].id, 0)]
    expect(page.locator(".done")).to_have_text("1 done")
