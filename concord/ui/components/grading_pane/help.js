// All keys in one place, over the screen until it is closed; meanwhile no key grades.
class Help {
  constructor(pane) {
    this.pane = pane;
    this.root = pane.root.querySelector(".help");
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("click", (event) => event.target === this.root && this.root.close());
    this.root.addEventListener("close", () => this.giveBack());
  }

  // What closes it, does not open it again.
  key(event) {
    if (keyName(event) !== "?") return;
    event.stopPropagation();
    this.root.close();
  }

  isOpen() {
    return this.root.open;
  }

  open() {
    const close = el("button", { type: "button" }, say("Close"));
    close.addEventListener("click", () => this.root.close());
    const keys = this.rows().flatMap(([cap, words]) => [el("dt", {}, el("kbd", {}, cap)), el("dd", {}, words)]);
    this.root.replaceChildren(el("header", {}, el("h2", {}, say("Keys")), close), el("dl", {}, ...keys));
    this.root.showModal();
  }

  rows() {
    const { range, units, list, criteria } = this.pane.data.rubric;
    const { causes } = this.pane.data;
    const unit = units?.one;
    const named = criteria[0].levels.filter((level) => level.key && level.key !== String(level.score));
    return [
      [range, unit ? say("grade the current {unit} and continue", { unit }) : say("grade the current criterion and continue")],
      ...(list ? [[list.range, say("mark the list of {units} as correct, or report what is wrong", { units: units.several })]] : []),
      ...named.map((level) => [level.key.toUpperCase(), say("the score {score}", { score: level.score })]),
      ...buttons(unit, causes).map(([, cap, , words]) => [cap, words]),
      ...further(unit, causes),
    ];
  }

  // The browser gives the focus back to where it was; after a click it was nowhere.
  giveBack() {
    if (!this.pane.root.getRootNode().activeElement) this.pane.root.focus({ preventScroll: true });
  }
}
