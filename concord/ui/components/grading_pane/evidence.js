// The decisive passage: selected in the texts, stored with the grade, and highlighted in the text.
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
    this.selected = "";
    this.onSelect = () => this.remember();
    document.addEventListener("selectionchange", this.onSelect);
  }

  close() {
    document.removeEventListener("selectionchange", this.onSelect);
  }

  // A tap on a button may end the selection, so the last one within one passage is remembered.
  // Three clicks select a passage and the beginning of the next: what counts is the text.
  remember() {
    const selection = this.selection();
    if (!selection || selection.isCollapsed) return;
    const within = [selection.anchorNode, selection.focusNode].some((node) => node && this.pane.root.contains(node));
    const text = selection.toString().trim();
    if (within && text) this.selected = text.length <= LONGEST && this.passage(text) ? this.inWords(selection.getRangeAt(0), text) : "";
  }

  // With the whole of the words that were selected in part.
  inWords(range, text) {
    const part = this.passages().find((passage) => passage.contains(range.startContainer));
    if (!part) return text;
    const before = document.createRange();
    before.setStart(part, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const all = part.textContent;
    const from = all.indexOf(text, before.toString().length);
    if (from < 0) return text;
    const left = WORD_BEGINS.exec(text)[0] && WORD_ENDS.exec(all.slice(0, from))[0];
    const right = WORD_ENDS.exec(text)[0] && WORD_BEGINS.exec(all.slice(from + text.length))[0];
    return left + text + right;
  }

  // Selects a text that is in a part of the page from a character on, and brings it into view.
  select(part, from, text) {
    this.selected = text;
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
    return Boolean(selection && !selection.isCollapsed && this.pane.root.contains(selection.anchorNode));
  }

  selection() {
    const root = this.pane.root.getRootNode();
    return (root.getSelection ? root : document).getSelection();
  }

  passages() {
    return [...this.pane.root.querySelectorAll(".read :is(.plain, .markdown, .raw)")];
  }

  passage(text) {
    return this.passages().find((passage) => passage.textContent.includes(text));
  }

  id(place, version) {
    return `${place}|${version}`;
  }

  of(place, version) {
    return this.drafts.get(this.id(place, version)) ?? this.pane.grade(place, version)?.quote ?? "";
  }

  // What goes with a grade given now.
  taken(place, version) {
    const quote = this.of(place, version);
    this.drafts.delete(this.id(place, version));
    this.selected = "";
    return quote;
  }

  keep(place, version, quote) {
    if (quote) this.drafts.set(this.id(place, version), quote);
  }

  // E: the selected passage is the evidence; without a selection it is taken away.
  name() {
    const { pane } = this;
    const step = pane.cursor === null ? null : pane.criteria[pane.focus];
    if (!step) return pane.refuse();
    if (step.isList) return pane.tell(say("Evidence belongs to a verdict on a single unit."));
    const before = this.of(pane.cursor, step.version);
    this.remember(); // what was selected just now
    if (!this.selected && !before) return pane.tell(say("Select the passage that decides, or find it with /, then press E."));
    const quote = this.selected;
    this.selected = "";
    if (quote) this.selection()?.removeAllRanges();
    const grade = pane.grade(pane.cursor, step.version);
    if (grade) pane.press(pane.cursor, step.version, grade.status, grade.score, grade.note, quote);
    else this.drafts.set(this.id(pane.cursor, step.version), quote);
    pane.refresh();
    pane.tell(quote ? say("Passage marked as evidence.") : say("Evidence removed."));
  }

  show() {
    const { pane } = this;
    const step = pane.cursor === null ? null : pane.criteria[pane.focus];
    if (pane.data.causes) return; // there it is the cause
    const quote = step && !step.isList ? this.of(pane.cursor, step.version) : "";
    // What is marked already stays, so that one can go on selecting.
    if (quote && quote === this.shown && this.marks.length && this.marks.every((mark) => mark.isConnected)) return;
    this.shown = quote;
    for (const mark of this.marks.splice(0)) {
      const { parentNode } = mark;
      mark.replaceWith(...mark.childNodes);
      parentNode?.normalize();
    }
    const passage = quote && this.passage(quote);
    if (passage) this.mark(passage, quote);
  }

  // A passage may run over several text nodes, as where the search has marked a part of it.
  mark(passage, quote) {
    let from = passage.textContent.indexOf(quote);
    let left = quote.length;
    const walker = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT);
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
    const context = passage.closest(".context");
    if (!context || context.classList.contains("open")) return;
    fold(context, true);
    this.pane.arrange();
  }
}
