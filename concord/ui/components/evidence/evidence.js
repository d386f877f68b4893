// One answer's units with the verdicts on each, next to the texts; selecting a unit highlights its
// evidence. Nothing is sent back: the selection only guides the eye.
const PANES = new WeakMap();

export default function ({ data, parentElement }) {
  let pane = PANES.get(parentElement);
  if (!pane) {
    pane = new Witness(parentElement);
    PANES.set(parentElement, pane);
  }
  pane.receive(data);
  return () => PANES.delete(parentElement);
}

class Witness {
  constructor(parent) {
    this.root = parent.querySelector("#evidence");
    this.list = this.root.querySelector(".units");
    this.texts = this.root.querySelector(".texts");
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  receive(data) {
    const shown = JSON.stringify(data);
    if (shown === this.shown) return;
    this.shown = shown;
    this.data = data;
    WORDS = data.words;
    sayAll(this.root);
    this.list.replaceChildren(...data.units.map((unit) => this.unit(unit)));
    if (!data.units.length) this.list.append(el("p", { class: "nothing" }, data.nothing));
    this.texts.replaceChildren(...data.parts.map((part) => this.part(part)));
    const kept = data.units.some((unit) => unit.id === this.at);
    if (data.units.length) this.choose(kept ? this.at : data.units[0].id, false);
  }

  unit(unit) {
    const text = unit.again ? [] : [el("i", {}, `${unit.number}.`), unit.text];
    const head = el("button", { type: "button" }, ...text);
    head.addEventListener("click", () => this.choose(unit.id, true));
    const made = el("div", { class: `unit${unit.again ? " again" : ""}`, "data-unit": unit.id }, head);
    if (unit.where) head.append(el("span", { class: "where" }, unit.where));
    if (unit.differs) head.append(el("span", { class: "differ" }, say("graders differ")));
    const chips = el("div", { class: "chips" }, ...unit.said.map((said) => this.chip(said)));
    made.append(chips);
    const reasons = unit.said.filter((said) => said.reason || said.quote);
    if (reasons.length) made.append(this.reasons(reasons));
    return made;
  }

  chip(said) {
    const kind = said.kind === "person" ? "person" : "judge";
    const made = el("span", { class: `chip ${kind}${said.fails ? " fails" : ""}` });
    made.append(el("b", {}, said.label), el("span", {}, said.who));
    return made;
  }

  reasons(said) {
    const lines = said.flatMap((one) => {
      const line = el("p", {}, el("b", {}, `${one.who}: `), one.reason || say("no reason"));
      return one.quote ? [line, el("blockquote", {}, one.quote)] : [line];
    });
    return el("details", {}, el("summary", {}, say("Why")), ...lines);
  }

  part(part) {
    const text = el("div", { class: "plain" });
    for (const piece of part.segments) {
      if (!piece.units.length) text.append(piece.text);
      else text.append(el("mark", { "data-units": ` ${piece.units.join(" ")} ` }, piece.text));
    }
    if (!part.segments.length) text.append(el("span", { class: "none" }, say("(empty)")));
    return el("section", {}, el("h3", {}, part.name), text);
  }

  choose(id, scrolls) {
    this.at = id;
    for (const unit of this.list.querySelectorAll(".unit")) {
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
    const place = this.data.units.findIndex((unit) => unit.id === this.at) + step;
    const next = this.data.units[place];
    if (!next) return;
    this.choose(next.id, true);
    this.list.querySelector(`[data-unit="${next.id}"] > button`).focus();
  }
}
