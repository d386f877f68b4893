// The list on the left: every entry of the page with its scores and what was decided.
class List {
  constructor(pane) {
    this.pane = pane;
    this.root = pane.root.querySelector(".list");
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  // The list is one stop for Tab. In it the arrows move, and the focus goes along.
  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches(".row")) return;
    event.preventDefault();
    this.pane.step(step);
  }

  show() {
    const { pane } = this;
    const rows = pane.entries.map((entry) => this.row(entry));
    const scrolled = this.root.scrollTop;
    this.root.replaceChildren(el("ol", {}, ...rows), this.pager());
    this.root.scrollTop = scrolled;
    this.reveal();
  }

  // Scrolls the list alone: scrollIntoView would move the whole page.
  reveal() {
    const row = this.root.querySelector("[aria-current]");
    if (!row) return;
    const list = this.root.getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    if (top < list.top) this.root.scrollTop -= list.top - top;
    else if (bottom > list.bottom) this.root.scrollTop += bottom - list.bottom;
  }

  row(entry) {
    const { pane } = this;
    const { decision } = pane.tagOf(entry.id);
    const made = button("", () => pane.go(entry.id));
    made.className = "row";
    made.append(
      el("span", { class: "scores" }, ...marks(entry).map(score)),
      foreign(el("span", { class: "asked" }, entry.row ?? entry.question)),
      el("span", { class: "about" }, ...this.mark(entry), [...entry.about, entry.model].filter(Boolean).join(" · ")),
      el("span", { class: `cause ${decision || "none"}` }, decision ? pane.name(decision) : ""),
    );
    if (entry.id === pane.at) made.setAttribute("aria-current", "true");
    else made.tabIndex = -1;
    return el("li", {}, made);
  }

  // The kind of an entry in words, where the list has several.
  mark({ kind }) {
    const { kinds } = this.pane.data;
    return Object.keys(kinds).length > 1 ? [el("b", { class: "kind" }, kinds[kind].title), " "] : [];
  }

  pager() {
    const { page } = this.pane.data;
    const pages = this.pane.pages();
    if (pages < 2) return el("div", {});
    const back = button("‹", () => this.pane.turn(-1), say("Previous page"));
    const on = button("›", () => this.pane.turn(1), say("Next page"));
    back.disabled = page <= 1;
    on.disabled = page >= pages;
    const place = say("page {page} of {pages}", { page, pages: pages.toLocaleString("en") });
    return el("div", { class: "pager" }, back, el("span", {}, place), on);
  }
}

// Both scores of a disagreement, or on how many units graders differ.
function marks({ scores, differ }) {
  if (differ) return [{ text: differ, kind: "differ", title: say("Units on which graders differ") }];
  if (!scores) return [];
  const given = [["person", scores.person, say("annotator")], ["judge", scores.said, say("judge")]];
  return given.map(([kind, text, title]) => ({ kind, text: String(text), title }));
}

// An annotator's score is in a circle and a judge's in a square, so that colour is not the only cue.
function score({ text, kind, title }) {
  return el("b", { class: `score ${kind}`, title }, el("span", { class: "unseen" }, `${title} `), text);
}
