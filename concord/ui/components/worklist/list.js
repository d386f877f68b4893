// The list on the left: every disagreement of the page with its two scores and its cause.
class List {
  constructor(pane) {
    this.pane = pane;
    this.root = pane.root.querySelector(".list");
  }

  show() {
    const { pane } = this;
    const rows = pane.entries.map((entry) => this.row(entry));
    const scrolled = this.root.scrollTop;
    this.root.replaceChildren(el("ol", {}, ...rows), this.pager());
    this.root.scrollTop = scrolled;
    const row = this.root.querySelector("[aria-current]");
    if (row) this.reveal(row);
  }

  // Scrolls the list alone: scrollIntoView would move the whole page.
  reveal(row) {
    const list = this.root.getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    if (top < list.top) this.root.scrollTop -= list.top - top;
    else if (bottom > list.bottom) this.root.scrollTop += bottom - list.bottom;
  }

  row(entry) {
    const { pane } = this;
    const { cause } = pane.tagOf(entry.id);
    const scores = el("span", { class: "scores" }, score(entry.person, "person"), score(entry.said, "judge"));
    const about = [pane.data.many.criteria && entry.title, pane.data.many.judges && entry.judge.name, entry.model];
    const made = button("", () => pane.go(entry.id));
    made.className = "row";
    made.append(
      scores,
      el("span", { class: "asked" }, entry.question),
      el("span", { class: "about" }, about.filter(Boolean).join(" · ")),
      el("span", { class: `cause ${cause || "none"}` }, cause ? pane.name(cause) : ""),
    );
    const { person, said: judge, question } = entry;
    const spoken = say("Annotator {person}, judge {judge}: {question}", { person, judge, question });
    made.setAttribute("aria-label", cause ? say("{entry}. {cause}", { entry: spoken, cause: pane.name(cause) }) : spoken);
    if (entry.id === pane.at) made.setAttribute("aria-current", "true");
    return el("li", {}, made);
  }

  pager() {
    const { page, pages } = this.pane.data;
    if (pages < 2) return el("div", {});
    const back = button("‹", () => this.pane.turn(-1), say("Previous page"));
    const on = button("›", () => this.pane.turn(1), say("Next page"));
    back.disabled = page <= 1;
    on.disabled = page >= pages;
    const place = say("page {page} of {pages}", { page, pages: pages.toLocaleString("en") });
    return el("div", { class: "pager" }, back, el("span", {}, place), on);
  }
}

// An annotator's score is in a circle and a judge's in a square, so that colour is not the only cue.
function score(value, kind) {
  const title = kind === "judge" ? say("judge") : say("annotator");
  return el("b", { class: `score ${kind}`, title }, String(value));
}
