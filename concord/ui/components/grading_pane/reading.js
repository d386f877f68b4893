// The texts next to what is graded. A whole answer is shown once; next to units are the texts that their
// rubric shows, and next to a list also the text that it was extracted from.
const LONG = 1_500; // characters of a context that opens in a column of its own
const CLIPPED = 200; // characters that two lines may hold

class Reading {
  showRead() {
    this.inSources = false;
    const read = this.root.querySelector(".read");
    const text = this.texts.get(this.cursor);
    this.reading = this.readingOf(this.criteria[this.focus]);
    if (!text) return this.showNoText(read);
    if (this.data.rubric.units) {
      this.lay(read, this.besideUnit(text, this.criteria[this.focus]));
      this.unfoldWhatFits(read);
      return this.evidence.show();
    }
    const parts = [];
    if (this.data.rubric.shown.includes("turns")) parts.push(this.part("turns", text));
    if (text.question) parts.push(section(say("Question"), this.question(text)));
    parts.push(this.answer(text));
    if (text.reference.length) parts.push(this.part("reference", text));
    if (this.data.rubric.shown.includes("contexts")) parts.push(this.contexts(text.contexts));
    this.lay(read, parts);
    this.unfoldWhatFits(read);
  }

  // Asked every second: the same words stay, so that a screen reader and a focused link do too.
  showNoText(read) {
    const end = this.isFinished() ? this.ending() : el("p", { class: "end" }, say("Loading …"));
    read.classList.remove("split");
    if (read.textContent !== end.textContent) read.replaceChildren(end);
  }

  // Contexts follow the other texts; next to them they stand while a long one is open.
  lay(read, parts) {
    const isSources = (part) => part.querySelector(".context") !== null;
    const texts = el("div", { class: "texts" }, ...parts.filter((part) => !isSources(part)));
    const sources = el("div", { class: "sources" }, ...parts.filter(isSources));
    read.replaceChildren(texts, sources);
    for (const part of [texts, sources]) {
      part.addEventListener("pointerdown", () => { this.inSources = part === sources; });
    }
    this.arrange();
  }

  arrange() {
    const read = this.root.querySelector(".read");
    read.classList.toggle("split", read.querySelector(".context.long.open") !== null);
    this.nameFolds();
  }

  // Opened by hand it comes into view, and the keys scroll it; the answer stays where it is.
  toggle(context) {
    const isOpen = !context.classList.contains("open");
    fold(context, isOpen);
    this.inSources = isOpen;
    this.arrange();
    if (isOpen && this.isSplit()) context.scrollIntoView({ block: "start" });
  }

  // Whether there are two columns of texts: on a narrow screen there are not.
  isSplit() {
    return getComputedStyle(this.root.querySelector(".read")).display === "grid";
  }

  backToAnswer() {
    this.inSources = false;
    this.answerShown()?.scrollIntoView({ block: "start" });
  }

  // What opens below the texts leaves the first lines of the answer in sight.
  keepAnswer() {
    const read = this.root.querySelector(".read").getBoundingClientRect();
    const top = this.answerShown()?.getBoundingClientRect().top ?? 0;
    if (top > read.top + read.height / 2 && top < read.bottom + read.height) this.backToAnswer();
  }

  answerShown() {
    const answer = this.root.querySelector(".read .answer");
    return answer?.closest("section") ?? this.root.querySelector(".read section");
  }

  // Who expanded all has them expanded on the next answers too.
  unfoldWhatFits(read) {
    for (const context of read.querySelectorAll(".context")) {
      fold(context, true);
      this.arrange(); // a long one stands in a column of its own
      const isFull = [read, ...read.children].some((part) => part.scrollHeight > part.clientHeight + 1);
      if (!this.unfolds && isFull) fold(context, false);
    }
    this.arrange();
  }

  switchRaw() {
    this.raw = !this.raw;
    this.showRead();
    this.evidence.show();
  }

  unfold() {
    const all = [...this.root.querySelectorAll(".context")];
    const open = all.some((context) => !context.classList.contains("open"));
    for (const context of all) fold(context, open);
    this.unfolds = open;
    this.inSources = open;
    this.arrange();
  }

  nameFolds() {
    const back = this.root.querySelector(".back");
    if (back) back.hidden = !this.root.querySelector(".context.long.open");
    const all = this.root.querySelector(".folds");
    if (!all) return;
    const expands = this.root.querySelector(".context:not(.open)") !== null;
    all.textContent = expands ? say("expand all") : say("collapse all");
    all.title = expands ? say("Expand all contexts (O)") : say("Collapse all contexts (O)");
  }

  answer(text) {
    const raw = button(this.raw ? say("formatted") : say("raw text"), () => this.switchRaw(), say("Raw answer (M)"));
    raw.classList.add("switch");
    const find = button(say("find"), () => this.find.open(), say("Find in answer and contexts (/)"));
    find.classList.add("switch");
    const correct = button(say("rewrite"), () => this.remarks.open("correction"), say("Write a corrected answer (W)"));
    correct.classList.add("switch");
    const flag = button(say("flag"), () => this.remarks.open("flag"), say("Flag this answer for the lead, with a comment"));
    flag.classList.add("switch", "flag");
    const corrects = this.data.causes ? [] : [correct, flag];
    if (!text.answer.trim()) return headed(section(say("Answer"), el("p", { class: "none" }, say("The answer is empty."))), ...corrects);
    const body = this.raw ? foreign(el("pre", { class: "raw" }, text.answer)) : markdown(text.html);
    textOf(body, "answer").classList.add("answer");
    const made = section(say("Answer"), body);
    return headed(made, raw, find, ...corrects);
  }

  contexts(contexts) {
    if (!contexts.length) return section(say("Contexts"), el("p", { class: "none" }, say("There is no context.")));
    const folded = contexts.map((text, index) => {
      const body = foreign(el("p", { class: "plain", id: `context-${index}` }, text));
      textOf(body, "context", index + 1);
      const head = el("button", { type: "button", "aria-expanded": "false", "aria-controls": body.id }, `${index + 1}`);
      head.setAttribute("aria-label", say("Context {n}", { n: index + 1 }));
      const context = el("div", { class: text.length > LONG ? "context long" : "context" }, head, body);
      if (text.length > CLIPPED) context.append(el("small", { class: "length" }, say("{n} characters", { n: text.length.toLocaleString(this.language) })));
      head.addEventListener("click", () => this.toggle(context));
      body.addEventListener("click", () => context.classList.contains("open") || this.toggle(context));
      return context;
    });
    const made = section(say("Contexts ({n})", { n: contexts.length }), ...folded);
    const all = button("", () => this.unfold()); // nameFolds says what it does
    all.classList.add("switch", "folds");
    const back = button(say("back to the answer"), () => this.backToAnswer(), say("Back to the answer (A)"));
    back.classList.add("switch", "back");
    back.hidden = true;
    return headed(made, back, all);
  }

  // Steps with the same texts leave the page as it is, so that one can go on reading.
  showStep() {
    if (this.cursor === null) return;
    if (!this.data.rubric.units) return this.evidence.show();
    if (this.reading === this.readingOf(this.criteria[this.focus])) return this.evidence.show();
    this.showRead();
    this.root.querySelector(".read").scrollTop = 0;
  }

  readingOf(step) {
    if (!step?.isUnit && !step?.isList) return String(this.cursor);
    const { token } = this.texts.get(this.cursor);
    return [token, step.isList, step.chunk, step.self === undefined ? "" : step.version].join("|");
  }

  besideUnit(text, step) {
    const { shown, units } = this.data.rubric;
    const parts = step.isList ? new Set([units.source, ...shown.filter((part) => part === "question")]) : shown;
    const made = [...parts].filter((part) => part !== "chunk").map((part) => this.part(part, text));
    if (step.chunk !== undefined) made.push(this.passages(say("Context {n}", { n: step.chunk + 1 }), [text.contexts[step.chunk] ?? ""], "context", step.chunk + 1));
    if (step.self !== undefined) made.push(section(step.title, step.self ? textOf(foreign(el("p", { class: "plain self" }, step.self)), "unit") : el("p", { class: "none self" }, say("It is empty."))));
    if (step.isList) made.unshift(this.listed());
    if (text.date) made.push(el("p", { class: "none" }, say("Assumed date: {date}.", { date: text.date })));
    return made.filter(Boolean);
  }

  part(name, text) {
    if (name === "question") return section(say("Question"), this.question(text));
    if (name === "answer") return this.answer(text);
    if (name === "contexts") return this.contexts(text.contexts);
    if (name === "reference") return section(say("Reference"), ...text.reference.map((html, index) => textOf(markdown(html), "reference", index + 1)));
    if (name === "turns") return this.turns(text.turns);
    return this.passages(text.reference_contexts.length > 1 ? say("Documents") : say("Document"), text.reference_contexts, "document");
  }

  question(text) {
    return textOf(foreign(el("p", { class: "question plain" }, text.question)), "question");
  }

  turns(said) {
    const body = said ? textOf(foreign(el("p", { class: "turns plain" }, said)), "turns") : el("p", { class: "none" }, say("There are no earlier turns."));
    return section(say("Earlier turns"), body);
  }

  // Passages in full, for a unit that is checked against few.
  passages(title, texts, part, first = 1) {
    if (!texts.length) return section(title, el("p", { class: "none" }, say("There is none.")));
    return section(title, ...texts.map((text, index) =>
      el("div", { class: "passage" }, textOf(foreign(el("p", { class: "plain" }, text)), part, first + index))));
  }

  // The units of the answer as a list, to be checked as a whole.
  listed() {
    const { several } = this.data.rubric.units;
    const entries = this.criteria.filter((step) => step.isUnit).map((step) => foreign(el("li", {}, step.title)));
    const body = entries.length ? el("ol", { class: "entries" }, ...entries) : el("p", { class: "none" }, say("The list is empty."));
    return section(say("The list of {units}", { units: several }), body);
  }
}
