// Streamlit leaves the focus of a keyboard behind in two places. A popover opens at the end of the page,
// after every other control, and the focus stays outside. A run that removes or disables the pressed button
// leaves the focus nowhere. Here the popover gets the focus, and so does the button or else the heading.

const POPOVER = '[data-testid="stPopoverBody"]';
const HEADINGS = '[data-testid="stMain"] :is(h1, h2)'; // one of two is hidden where a title is long
let pressed = null; // the control that the keyboard pressed last; null after the pointer

function begin() {
  document.addEventListener("pointerdown", () => { pressed = null; }, true);
  document.addEventListener("keydown", ({ key, target }) => {
    const isPress = key === "Enter" || key === " ";
    pressed = isPress ? target.closest("button, a, summary") ?? target : null;
  }, true);
  new MutationObserver(follow).observe(document.body, {
    childList: true, subtree: true, attributeFilter: ["data-test-script-state", "disabled"],
  });
}

function follow(changes) {
  const added = changes.flatMap((change) => [...change.addedNodes]).filter((one) => one.querySelector);
  const popover = added.map((one) => one.matches(POPOVER) ? one : one.querySelector(POPOVER)).find(Boolean);
  if (popover) {
    popover.tabIndex = 0; // a long one scrolls
    if (pressed?.closest('[data-testid="stPopover"]')) focus(popover);
  } else if (pressed && document.activeElement === document.body) {
    if (pressed.isConnected) pressed.focus(); // it was disabled for a moment, as while a file is made
    else if (hasEnded()) focus([...document.querySelectorAll(HEADINGS)].find((one) => one.offsetParent));
  }
}

function hasEnded() {
  return document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "notRunning";
}

function focus(part) {
  if (!part) return;
  pressed = null;
  if (!part.hasAttribute("tabindex")) part.tabIndex = -1;
  part.focus({ preventScroll: part.matches(POPOVER) }); // a popover is not in its place yet
}

if (!window.concordFocus) begin();
window.concordFocus = true;

export default () => {};
