// Which key does what.

// The letter of each cause of a disagreement.
const CAUSE_KEYS = { overlooked: "l", rubric_unclear: "r", bad_question: "q", both_defensible: "d" };

// The keys with a button: name, cap, word, what it does. `unit` is what is graded, `null` for the
// criteria of whole answers. An adjudicator has fewer of them; the keys of causes are at the scores.
function buttons(unit, causes, locked) {
  if (causes) {
    const shown = [
      ["Backspace", "⌫", say("undo"), say("Undo the last score")],
      ["ArrowLeft", "←", say("back"), say("Previous answer")],
      ["ArrowRight", "→", say("next"), say("Next answer, without a score")],
      ["n", "N", say("note"), say("Write a note on this score")],
      ["/", "/", say("find"), say("Find in answer and contexts")],
      ["?", "?", say("keys"), say("Show all keys")],
    ];
    return locked ? shown.filter(([name]) => !["Backspace", "n"].includes(name)) : shown;
  }
  return [
    ["Backspace", "⌫", say("undo"), say("Undo the last grade")],
    ["ArrowLeft", "←", say("back"), say("Previous answer")],
    ["ArrowRight", "→", say("next"), say("Next answer, without grading")],
    ["u", "U", say("cannot grade"), unit ? say("This {unit} cannot be graded here", { unit }) : say("This criterion cannot be graded here")],
    ["s", "S", say("later"), say("Show this answer again at the end")],
    ["n", "N", say("note"), say("Write a note on this grade")],
    ["f", "F", say("flag"), say("Flag this answer for the lead, with a comment")],
    ["e", "E", say("evidence"), say("Mark the selected passage as evidence; inside a marked one, remove it; with nothing selected, remove the last one")],
    ["/", "/", say("find"), say("Find in answer and contexts")],
    ["?", "?", say("keys"), say("Show all keys")],
  ];
}

// The keys without a button: cap, what it does.
function further(unit, causes) {
  return [
    ["J", unit ? say("next {unit} of this answer", { unit }) : say("next criterion of this answer")],
    ["K", unit ? say("previous {unit}", { unit }) : say("previous criterion")],
    ["M", say("switch between formatted and raw answer")],
    ...(causes ? Object.entries(causes).map(([name, cause]) => [CAUSE_KEYS[name].toUpperCase(), say("Cause: {cause}", { cause })])
      : [["W", say("write a corrected answer")], ["T", say("first ungraded answer")]]),
    ["O", say("expand or collapse all contexts")],
    ["A", say("back from the contexts to the answer")],
    ["I", say("show or hide what the scores mean, on a narrow screen")],
    ["Z", say("undo, like ⌫")],
    ["⇧ → ←", say("extend or shorten the selected passage")],
    ["↑ ↓ Space", say("scroll")],
    ["Esc", say("close what is open")],
  ];
}

// The name of a key whatever the keyboard's layout or input method makes of it.
function keyName(event) {
  const { key, code = "" } = event;
  if (key === "/" || key === "?") return key;
  const typed = key.length === 1 ? key.normalize("NFKC").toLowerCase() : "";
  if (/^[a-z0-9 -]$/.test(typed)) return typed;
  if (key.length > 1 && !["Process", "Unidentified", "Dead"].includes(key)) return key;
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(code);
  if (digit && !event.shiftKey) return digit[1];
  const letter = /^Key([A-Z])$/.exec(code);
  return letter ? letter[1].toLowerCase() : key;
}

// Whether a field takes a key. A box to tick does nothing with a digit.
function takes(target, name) {
  if (/^(checkbox|radio)$/.test(target.type)) return !/^[0-9]$/.test(name);
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

// Hears the keyboard, but neither what is typed into a field nor what is pressed while the keyboard has the
// focus on a control outside the pane. A key held down counts once.
class Keyboard {
  constructor(pane) {
    this.pane = pane;
    this.onKey = (event) => this.key(event);
    this.onFocus = () => this.follow();
    document.addEventListener("keydown", this.onKey);
    document.addEventListener("focusin", this.onFocus);
    if (document.activeElement?.matches("a:focus-visible")) pane.root.focus({ preventScroll: true }); // it led here
    this.follow();
  }

  // A focus that a pointer left on a control is no wish to use the keyboard there. The browser calls it
  // visible from the next key on, so it is asked before.
  follow() {
    const { activeElement } = document;
    this.outside = activeElement?.matches(":focus-visible") && activeElement.tabIndex >= 0 ? activeElement : null;
  }

  close() {
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("focusin", this.onFocus);
  }

  key(event) {
    const { pane } = this;
    if (!pane.isReady() || event.defaultPrevented || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    const name = keyName(event);
    if (this.isElsewhere(event, name)) return;
    if (target.tagName === "SELECT" && name === "Escape") return pane.listen();
    if (takes(target, name)) return;
    if (event.shiftKey && name.startsWith("Arrow") && pane.evidence.isSelecting()) return;
    const isPress = name === "Enter" || name === " ";
    if (isPress && /^(BUTTON|A|SUMMARY)$/.test(target.tagName)) return;
    pane.clock.tick();
    const does = this.scrolling(name, event.shiftKey) ?? this.meaning(name, event.repeat);
    if (!does) return;
    event.preventDefault();
    does();
  }

  // A link or a button does nothing with a digit.
  isElsewhere(event, name) {
    const { root } = this.pane;
    if (/^[0-9]$/.test(name) && this.outside?.matches("a, button")) return false;
    if (event.target !== this.outside || event.composedPath().includes(root)) return false;
    return !this.outside.contains(root.getRootNode().host ?? root); // what scrolls the page has the pane in it
  }

  meaning(name, repeat = false) {
    const does = this.scoring(name, repeat) ?? this.doing(name);
    return does && (repeat ? () => {} : does);
  }

  scoring(name, repeat) {
    const { pane } = this;
    if (!repeat && /^[1-9ux]$/.test(name) && pane.entry && pane.following(pane.focus) !== undefined) pane.settle();
    const place = pane.cursor;
    const index = pane.focus;
    const isDigit = /^[0-9]$/.test(name);
    if (pane.data.rubric.entry && !pane.criteria[index]?.isList) return this.entering(name, isDigit);
    if (place === null) return isDigit ? () => pane.refuse() : undefined;
    const { levels } = pane.criteria[index];
    const isTen = levels.some((one) => one.score === 10 && ["10", "x"].includes(one.key));
    if (isTen && name === "1") return () => pane.begin();
    if (isTen && name === "0" && pane.entry) return () => pane.give(place, index, "scored", 10);
    const level = levels.find((one) => one.key === name);
    if (level) return () => pane.give(place, index, "scored", level.score);
    if (isTen && name === "0") return () => pane.tell(say("For 10, press 1 and then 0."));
    if (!isDigit) return undefined;
    const { isList, range } = pane.criteria[index];
    return () => pane.tell(isList ? say("Digits cannot grade a list. Press {keys}.", { keys: range }) : say("{score} is not on this scale.", { score: name }));
  }

  // Scales with many scores: the score is typed and entered.
  entering(name, isDigit) {
    const { pane } = this;
    if (isDigit || name === "-") return () => pane.type(name);
    if (name === "Enter") return () => pane.enter();
    if (name === "Backspace" && pane.entry) return () => pane.type("");
    return undefined;
  }

  doing(name) {
    const { pane } = this;
    if (pane.data.causes && ["u", "s", "f", "w", "e", "t"].includes(name)) return undefined;
    const cause = Object.keys(pane.data.causes ?? {}).find((one) => CAUSE_KEYS[one] === name);
    if (cause) return () => pane.causes.choose(cause);
    return {
      Backspace: () => pane.undo(),
      z: () => pane.undo(),
      ArrowLeft: () => pane.step(-1),
      ArrowRight: () => pane.step(1),
      u: () => pane.give(pane.cursor, pane.focus, "cannot_grade"),
      s: () => pane.later(),
      t: () => pane.toUngraded(),
      n: () => pane.note.open(),
      f: () => pane.remarks.open("flag"),
      w: () => pane.remarks.open("correction"),
      j: () => pane.turn(1),
      k: () => pane.turn(-1),
      e: () => pane.evidence.name(),
      m: () => pane.switchRaw(),
      o: () => pane.unfold(),
      a: () => pane.backToAnswer(),
      i: () => pane.showMeanings(),
      "/": () => pane.find.open(),
      "?": () => pane.help.open(),
      Escape: () => pane.escape(),
    }[name];
  }

  scrolling(name, shift) {
    const parts = this.pane.scrolledByKeys();
    const page = parts[0].clientHeight * 0.85;
    const by = {
      ArrowDown: 60,
      ArrowUp: -60,
      PageDown: page,
      PageUp: -page,
      " ": shift ? -page : page,
      Home: -1e7,
      End: 1e7,
    }[name];
    return by === undefined ? undefined : () => this.scroll(parts, by);
  }

  // Down: first the page, until the pane is whole on screen; then the parts in turn. Up: the other way round.
  scroll(parts, by) {
    const { root } = this.pane;
    const main = (root.getRootNode().host ?? root).closest('[data-testid="stMain"]');
    const below = Math.max(0, Math.min(by, root.getBoundingClientRect().bottom - innerHeight));
    main?.scrollBy(0, below);
    if (by === below) return;
    const moves = (part) => (by < 0 ? part.scrollTop > 0 : part.scrollTop + part.clientHeight < part.scrollHeight - 1);
    const part = by < 0 ? parts.findLast(moves) ?? main : parts.find(moves);
    part?.scrollBy(0, by - below);
  }
}
