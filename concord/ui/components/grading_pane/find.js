// The search in answer and contexts.
class Find {
  constructor(pane) {
    this.pane = pane;
    this.marks = [];
    this.unfolded = [];
    this.box = pane.root.querySelector(".find");
    this.input = this.box.querySelector("input");
    this.count = this.box.querySelector("span");
    this.box.querySelector("button").addEventListener("click", () => this.leave());
    this.input.addEventListener("input", () => this.mark());
    this.input.addEventListener("keydown", (event) => this.key(event));
  }

  open() {
    this.pane.settle(true);
    this.box.hidden = false;
    this.input.focus();
    this.input.select();
  }

  // What was found last is selected, so that the keyboard alone can extend it and mark it as evidence.
  leave() {
    const here = this.marks[this.at];
    const part = here?.closest(".plain, .markdown, .raw");
    const found = here && [part, before(part, here), here.textContent];
    this.unfolded = this.unfolded.filter((context) => !context.contains(here ?? null));
    this.shut();
    this.pane.root.focus({ preventScroll: true });
    if (found) this.pane.evidence.select(...found);
  }

  shut() {
    this.unfolded = [];
    this.clear();
    this.box.hidden = true;
    this.input.value = "";
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") this.leave();
    else if (event.key === "Enter") this.to(this.at + (event.shiftKey ? -1 : 1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  clear() {
    for (const context of this.unfolded.splice(0)) fold(context, false);
    this.pane.arrange();
    for (const mark of this.marks) {
      const { parentNode } = mark;
      mark.replaceWith(...mark.childNodes);
      parentNode.normalize();
    }
    this.marks = [];
    this.count.textContent = "";
  }

  mark() {
    this.clear();
    if (!this.input.value.trim()) return;
    const wanted = new RegExp(this.input.value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "iu");
    const read = this.pane.root.querySelector(".read");
    for (const part of read.querySelectorAll(".answer, .context .plain, .passage .plain, .self")) this.markIn(part, wanted);
    for (const mark of this.marks) {
      const context = mark.closest(".context");
      if (!context || context.classList.contains("open")) continue;
      fold(context, true);
      this.unfolded.push(context);
    }
    this.pane.arrange();
    this.to(0);
  }

  markIn(part, wanted) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const start of nodes) {
      let node = start;
      let found = wanted.exec(node.data);
      while (found && this.marks.length < 2000) {
        const hit = node.splitText(found.index);
        node = hit.splitText(found[0].length);
        const mark = el("mark", {});
        hit.replaceWith(mark);
        mark.append(hit);
        this.marks.push(mark);
        found = wanted.exec(node.data);
      }
    }
  }

  to(index) {
    const count = this.marks.length;
    this.at = count ? (index + count) % count : 0;
    this.count.textContent = count ? say("{n} of {total}", { n: this.at + 1, total: count }) : say("not found");
    this.marks.forEach((mark, i) => mark.classList.toggle("here", i === this.at));
    const hit = this.marks[this.at];
    hit?.scrollIntoView({ block: "center" });
    if (hit) this.pane.inSources = hit.closest(".sources") !== null; // the keys scroll on from it
  }
}
