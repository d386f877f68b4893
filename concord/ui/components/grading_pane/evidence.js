// The decisive passages: selected in the texts, stored with the grade, and highlighted there.
const LONGEST = 100_000;
// A letter of a script that has spaces between its words.
const LETTER = "(?:(?![\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}])[\\p{L}\\p{M}\\p{N}])";
const WORD_BEGINS = new RegExp(`^${LETTER}*`, "u");
const WORD_ENDS = new RegExp(`${LETTER}*$`, "u");

class Evidence {
  constructor(pane) {
    this.pane = pane;
    this.drafts = new Map();
    this.marks = [];
    this.selected = null;
    this.onSelect = () => this.remember();
    document.addEventListener("selectionchange", this.onSelect);
    pane.root.addEventListener("pointerdown", (event) => {
      if (event.target.closest(".read")) this.selected = null; // another selection begins
    });
  }

  close() {
    document.removeEventListener("selectionchange", this.onSelect);
  }

  // A tap on a button may end the selection, so the last one within one text is remembered.
  remember() {
    if (this.isSelecting()) this.selected = this.passageOf(this.selection().getRangeAt(0));
  }

  // Three clicks select a text and the beginning of the next: what counts is where letters are.
  passageOf(range) {
    const pieces = this.texts().filter((text) => range.intersectsNode(text)).map((text) => {
      const [from, to] = [[range.startContainer, range.startOffset], [range.endContainer, range.endOffset]].map((end) => placeIn(text, ...end));
      return { text, from, to, words: text.textContent.slice(from, to) };
    }).filter(({ words }) => words.trim());
    if (pieces.length !== 1) return null;
    const [{ text, from, words }] = pieces;
    return this.passage(text, from + words.length - words.trimStart().length, words.trim());
  }

  // With the whole of the words that were selected in part.
  passage(text, from, selected) {
    const all = text.textContent;
    const to = from + selected.length;
    const left = WORD_BEGINS.exec(selected)[0] && WORD_ENDS.exec(all.slice(0, from))[0];
    const right = WORD_ENDS.exec(selected)[0] && WORD_BEGINS.exec(all.slice(to))[0];
    const words = whole(left + selected + right);
    const occurrence = occurrenceAt(words, all, from - left.length);
    const { part, number } = text.dataset;
    return occurrence && words.length <= LONGEST ? { part, number: Number(number), occurrence, words } : null;
  }

  // Selects a text that is in a part of the page from a character on, and brings it into view.
  select(part, from, text) {
    this.selected = this.passage(part, from, text);
    const range = rangeOf(part, from, text.length);
    const selection = this.selection();
    selection?.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
    const scrolled = scrolledWith(part);
    const [here, seen] = [range.getBoundingClientRect(), scrolled.getBoundingClientRect()];
    if (here.top < seen.top || here.bottom > seen.bottom) scrolled.scrollBy(0, here.top - seen.top - seen.height / 2);
  }

  // Whether something in the texts is selected, which Shift and an arrow extend.
  isSelecting() {
    const selection = this.selection();
    const ends = selection && !selection.isCollapsed ? [selection.anchorNode, selection.focusNode] : [];
    return ends.some((node) => node && this.pane.root.contains(node));
  }

  selection() {
    const root = this.pane.root.getRootNode();
    return (root.getSelection ? root : document).getSelection();
  }

  texts() {
    return [...this.pane.root.querySelectorAll(".read [data-part]")];
  }

  // Where a passage stands on screen: its text, and from which character to which; null where it
  // does not. One of which only the words are known stands where they occur first.
  located(passage) {
    const { part, number } = passage;
    const texts = this.texts().filter(({ dataset }) => !part || (dataset.part === part && dataset.number === String(number)));
    for (const text of texts) {
      const span = spanOf(passage, text.textContent);
      if (span) return { text, from: span[0], to: span[1] };
    }
    return null;
  }

  id(place, version) {
    return `${place}|${version}`;
  }

  // What goes with a grade: the marked passages, or the cause of an adjudication.
  kept(place, version) {
    return this.drafts.get(this.id(place, version)) ?? this.pane.grade(place, version)?.quote ?? "";
  }

  // The marked passages.
  of(place, version) {
    const kept = this.kept(place, version);
    return typeof kept === "string" ? [] : kept;
  }

  // What goes with a grade given now.
  taken(place, version) {
    const kept = this.kept(place, version);
    this.drafts.delete(this.id(place, version));
    this.selected = null;
    return kept;
  }

  keep(place, version, kept) {
    if (kept.length) this.drafts.set(this.id(place, version), kept);
  }

  // E: the selected passage is evidence; in a marked one this, and without a selection the last one
  // is removed.
  name() {
    const { pane } = this;
    const step = pane.cursor === null ? null : pane.criteria[pane.focus];
    if (!step) return pane.refuse();
    if (step.isList) return pane.tell(say("Evidence can only be marked for a verdict on a single unit."));
    if (pane.data.locked) return pane.tell(pane.data.locked);
    const before = this.of(pane.cursor, step.version);
    this.remember(); // what was selected just now
    const { selected } = this;
    if (!selected && !before.length) return pane.tell(say("Select the passage that decides, or find it with / and press Esc; then press E."));
    const there = this.touched(before, selected ? this.located(selected) : this.caret());
    const adds = selected && !there.length;
    if (adds && !this.hasRoom(before, selected)) return pane.tell(say("A grade has at most {n} passages as evidence.", { n: MOST_PASSAGES }));
    const gone = there.length ? there : before.slice(-1);
    this.set(step.version, adds ? [...before, selected] : before.filter((one) => !gone.includes(one)), before);
    return pane.tell(adds ? say("Passage marked as evidence.") : say("Evidence removed."));
  }

  hasRoom(before, added) {
    const length = [...before, added].reduce((sum, { words }) => sum + words.length + 5, 0);
    return before.length < MOST_PASSAGES && length <= LONGEST;
  }

  // Undo takes back a mark before the grade that it goes with.
  set(version, passages, before) {
    const { pane } = this;
    const place = pane.cursor;
    if (this.selected) this.selection()?.removeAllRanges();
    this.selected = null;
    const grade = pane.grade(place, version);
    if (grade) pane.press(place, version, grade.status, grade.score, grade.note, passages);
    else this.drafts.set(this.id(place, version), passages);
    pane.history.push(grade ? { place, version } : { place, version, marked: before });
    pane.refresh();
  }

  // Undo of a mark without a grade yet; false where the last thing done is another.
  undo() {
    const { pane } = this;
    const { place, version, marked } = pane.history.at(-1) ?? {};
    if (!marked || pane.grade(place, version) || !pane.texts.has(place)) return false;
    pane.history.pop();
    this.drafts.set(this.id(place, version), marked);
    pane.go(place, Math.max(0, pane.slotsOf(place).indexOf(version)));
    pane.tell(say("Undone."));
    return true;
  }

  // Where the cursor stands in a text without a selection; null for nowhere.
  caret() {
    const { anchorNode, anchorOffset } = this.selection() ?? {};
    const text = anchorNode && this.texts().find((one) => one.contains(anchorNode));
    if (!text) return null;
    const from = placeIn(text, anchorNode, anchorOffset);
    return { text, from, to: from };
  }

  // Those of some passages that a stretch of a text overlaps.
  touched(passages, stretch) {
    if (!stretch) return [];
    const { text, from, to } = stretch;
    return passages.filter((one) => {
      const there = this.located(one);
      return there?.text === text && (from === to ? there.from <= from && from <= there.to : there.from < to && from < there.to);
    });
  }

  show() {
    const { pane } = this;
    const step = pane.cursor === null ? null : pane.criteria[pane.focus];
    if (pane.data.causes) return; // there it is the cause
    const passages = step && !step.isList ? this.of(pane.cursor, step.version) : [];
    const shown = JSON.stringify(passages);
    // What is marked already stays, so that one can go on selecting.
    if (shown === this.shown && this.marks.length && this.marks.every((mark) => mark.isConnected)) return;
    this.shown = shown;
    for (const mark of this.marks.splice(0)) {
      const { parentNode } = mark;
      mark.replaceWith(...mark.childNodes);
      parentNode?.normalize();
    }
    for (const there of passages.map((one) => this.located(one))) if (there) this.mark(there);
  }

  // A passage may run over several text nodes, as where the search has marked a part of it.
  mark({ text, from: begin, to }) {
    let from = begin;
    let left = to - begin;
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const node of nodes) {
      const { length } = node.data;
      if (left > 0 && from < length) {
        const hit = from > 0 ? node.splitText(from) : node;
        if (hit.length > left) hit.splitText(left);
        left -= hit.length;
        const mark = el("mark", { class: "evidence" });
        hit.replaceWith(mark);
        mark.append(hit);
        this.marks.push(mark);
      }
      from = Math.max(0, from - length);
    }
    const context = text.closest(".context");
    if (!context || context.classList.contains("open")) return;
    fold(context, true);
    this.pane.arrange();
  }

  // The list below the scores of a criterion.
  listed(version, waits) {
    const lines = this.of(this.pane.cursor, version).map((one) => {
      const name = textName(one);
      return foreign(el("li", {}, ...(name ? [el("b", {}, name), " "] : []), `“${short(one.words)}”`));
    });
    return lines.length ? [el("div", { class: "noted" }, el("p", {}, say("Evidence"), waits), el("ul", {}, ...lines))] : [];
  }
}
