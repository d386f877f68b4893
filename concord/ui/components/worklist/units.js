// The units of an answer with the verdicts on each; choosing one marks its passages in the texts.
class Units {
  constructor(texts) {
    this.texts = texts;
    this.root = el("div", { class: "units", role: "group" });
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  show(units, nothing) {
    this.units = units;
    this.root.setAttribute("aria-label", say("Units, disagreements first")); // made before the words came
    this.root.replaceChildren(...units.map((unit) => this.unit(unit)));
    if (!units.length) this.root.append(el("p", { class: "none" }, nothing));
    const kept = units.some((unit) => unit.id === this.at);
    if (units.length) this.choose(kept ? this.at : units[0].id, false);
  }

  unit(unit) {
    const text = unit.again ? [] : [el("i", {}, `${unit.number}.`), unit.text];
    const head = el("button", { type: "button" }, ...text);
    head.addEventListener("click", () => this.choose(unit.id, true));
    const made = el("div", { class: `unit${unit.again ? " again" : ""}`, "data-unit": unit.id }, head);
    if (unit.where) head.append(el("span", { class: "where" }, unit.where));
    if (unit.differs) head.append(el("span", { class: "differ" }, say("graders differ")));
    made.append(el("div", { class: "chips" }, ...unit.said.map(chip)));
    const reasons = unit.said.filter((said) => said.reason || said.quotes.length);
    if (reasons.length) made.append(why(reasons));
    return made;
  }

  choose(id, scrolls) {
    this.at = id;
    for (const unit of this.root.querySelectorAll(".unit")) {
      if (unit.dataset.unit === String(id)) unit.setAttribute("aria-current", "true");
      else unit.removeAttribute("aria-current");
    }
    const marks = [...this.texts.querySelectorAll("mark")];
    const mine = marks.filter((mark) => mark.dataset.units.includes(` ${id} `));
    for (const mark of marks) mark.classList.toggle("here", mine.includes(mark));
    const top = (box, inner) => inner.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (scrolls && mine.length) {
      this.texts.scrollTop += top(this.texts, mine[0]) - this.texts.clientHeight / 3;
    }
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = this.units[this.units.findIndex((unit) => unit.id === this.at) + step];
    if (!next) return;
    this.choose(next.id, true);
    this.root.querySelector(`[data-unit="${next.id}"] > button`).focus();
  }
}

function chip(said) {
  const kind = said.kind === "person" ? "person" : "judge";
  const made = el("span", { class: `chip ${kind}${said.fails ? " fails" : ""}` });
  made.append(el("b", {}, said.label), el("span", {}, said.who));
  return made;
}

function why(said) {
  const lines = said.flatMap((one) => {
    const line = el("p", {}, el("b", {}, `${one.who}: `), one.reason || say("no reason"));
    return [line, ...one.quotes.map(quotation)];
  });
  return el("details", {}, el("summary", {}, say("Why")), ...lines);
}

function quotation([name, words]) {
  return el("blockquote", {}, ...(name ? [el("b", {}, name), " "] : []), words);
}
