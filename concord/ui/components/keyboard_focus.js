// Streamlit leaves the focus of a keyboard behind in three places. A popover opens at the end of the page,
// after every other control, and the focus stays outside; after its last control comes nothing. A run that
// removes or disables the pressed button leaves the focus nowhere. Here the popover gets the focus, and Tab
// leaves it as Escape does; a button that is gone or disabled leaves it to its form, to the fold it stood in
// or to the heading. A screen also stays scrolled where the button was; what is said to be done scrolls it.
// The field of a screen or popover that asks one thing has the focus from the start.

const POPOVER = '[data-testid="stPopoverBody"]';
const OPENED = '[data-testid="stPopover"] button[aria-expanded="true"]';
const CONTROLS = ':is(a[href], button, input, textarea, [tabindex="0"]):not(:disabled)';
const FORM = '[class*="st-key-opened-"] input';
const ASKED = document.getElementsByClassName("st-key-asked");
const HEADINGS = '[data-testid="stMain"] :is(h1:not(.concord-title), h2)';
const UPLOAD = '[data-testid="stFileUploaderDropzone"][role="presentation"]';
const FOLD = '[data-testid="stExpander"]';
const DONE = '[class*="st-key-done-"]';
let pressed = null; // the control that the keyboard pressed last; null after the pointer
let fold = null; // what opens the fold that it stands in
let asked = null; // the field of what asks one thing
let done = null; // the notice of what was done, until the run that shows it has ended

function begin() {
  document.addEventListener("pointerdown", () => { pressed = null; }, true);
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const isPress = key === "Enter" || key === " ";
    pressed = isPress ? target.closest("button, a, summary") ?? target : null;
    fold = pressed?.closest(FOLD)?.querySelector("summary");
    if (key === "Tab" && target.closest(POPOVER)) leave(target.closest(POPOVER), event);
  }, true);
  new MutationObserver(follow).observe(document.body, {
    childList: true, subtree: true, attributeFilter: ["data-test-script-state", "disabled"],
  });
  ask();
}

// Once, so that whoever leaves the field is not led back.
function ask() {
  const field = ASKED[0]?.querySelector("input");
  if (field && field !== asked && !document.activeElement.matches("input, textarea")) focus(field);
  asked = field;
}

function follow(changes) {
  ask();
  const added = changes.flatMap((change) => [...change.addedNodes]).filter((one) => one.querySelector);
  // Streamlit says that the field of a file only decorates, and gives it a name and a place for Tab.
  for (const one of added) one.querySelectorAll(UPLOAD).forEach((field) => field.removeAttribute("role"));
  const popover = among(added, POPOVER);
  done = among(added, DONE) ?? done;
  if (popover) {
    popover.tabIndex = 0; // a long one scrolls
    if (pressed?.closest('[data-testid="stPopover"]')) focus(popover);
  } else if (pressed && document.activeElement === document.body) {
    if (pressed.isConnected && !pressed.disabled) pressed.focus(); // it was disabled for a moment
    else if (hasEnded()) focus(shown(FORM)[0] ?? (fold?.isConnected ? fold : shown(HEADINGS)[0]));
  }
  if (done && hasEnded()) reveal();
}

function among(added, selector) {
  return added.map((one) => one.matches(selector) ? one : one.querySelector(selector)).find(Boolean);
}

function reveal() {
  const { top, bottom } = done.getBoundingClientRect();
  if (top < 0 || bottom > window.innerHeight) done.scrollIntoView({ block: "center" });
  done = null;
}

function leave(popover, event) {
  const controls = [popover, ...shown(CONTROLS, popover).filter((one) => one.tabIndex >= 0)];
  const opener = document.querySelector(OPENED);
  if (!opener || event.target !== controls.at(event.shiftKey ? 0 : -1)) return;
  const isFilling = !event.shiftKey && !hasEnded(); // the popover is there before what it holds
  if (event.shiftKey || isFilling) event.preventDefault();
  if (isFilling) return;
  opener.focus(); // forward, the browser goes on from here
  opener.click(); // closes it: it would cover what comes next
}

function shown(selector, within = document) {
  return [...within.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
}

function hasEnded() {
  return document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "notRunning";
}

function focus(part) {
  if (!part) return;
  pressed = null;
  if (part.tabIndex < 0) part.tabIndex = -1; // a heading takes none by itself
  part.focus({ preventScroll: part.matches(POPOVER) }); // a popover is not in its place yet
}

if (!window.concordFocus) begin();
window.concordFocus = true;

export default () => {};
