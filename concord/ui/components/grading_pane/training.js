// Training round: once an answer is graded and on disk, its agreed scores next to the annotator's own,
// and all comments on it. Comments are stored and sent like keys.
class Agreed {
  constructor(pane) {
    this.pane = pane;
    this.root = pane.root.querySelector(".agreed");
    this.area = this.root.querySelector("textarea");
    this.drafts = new Map();
    this.area.addEventListener("input", () => this.drafts.set(this.place, this.area.value));
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); this.add(); }
    else if (event.key !== "Escape") return;
    event.stopPropagation();
    this.pane.root.focus({ preventScroll: true });
  }

  add() {
    const text = this.area.value.trim();
    if (!text) return;
    this.area.value = "";
    this.drafts.delete(this.place);
    this.pane.press(this.place, "", "comment", null, text);
    this.show();
  }

  show() {
    const { pane } = this;
    const place = pane.cursor;
    const training = pane.training.get(place);
    this.root.hidden = !training || !pane.isDone(place);
    if (this.root.hidden) return;
    if (this.place !== place) { this.place = place; this.told = false; this.area.value = this.drafts.get(place) ?? ""; }
    const { revealed } = training;
    this.root.querySelector("form").hidden = !revealed;
    const settled = this.root.querySelector(".settled");
    const comments = this.root.querySelector(".comments");
    comments.replaceChildren(...(revealed ? this.comments(place, revealed[1]) : []));
    if (!revealed) return settled.replaceChildren(el("p", {}, say("Saving. The agreed scores come next.")));
    settled.replaceChildren(this.beside(place, revealed[0]),
      button(say("Next answer (→)"), () => pane.step(1)));
    if (!this.told) this.announce(place, revealed[0]);
  }

  beside(place, agreed) {
    const { pane } = this;
    const hasReasons = Object.values(agreed).some(([, reason]) => reason);
    const titles = ["", say("you"), say("agreed"), say("why")].slice(0, hasReasons ? 4 : 3);
    const head = titles.map((word) => el("th", { scope: "col" }, word));
    const rows = pane.criteria.filter((one) => agreed[one.version]).map((one) => {
      const [score, reason] = agreed[one.version];
      const own = pane.grade(place, one.version);
      const differs = own?.status !== "scored" || own.score !== score;
      return el("tr", { class: differs ? "differs" : "" }, el("th", { scope: "row" }, one.title),
        el("td", {}, label(own, one)), el("td", {}, `${score}${differs ? " ≠" : ""}`),
        hasReasons ? foreign(el("td", {}, reason)) : "");
    });
    return el("table", {}, el("tr", {}, ...head), ...rows);
  }

  comments(place, saved) {
    const unsaved = this.pane.unsaved
      .filter((key) => key.status === "comment" && key.place === place)
      .map((key) => [this.pane.data.grader, key.note]);
    return [...saved, ...unsaved].map(([who, text]) => foreign(el("li", {}, el("b", {}, who), ` ${text}`)));
  }

  announce(place, agreed) {
    this.told = true;
    const asked = this.pane.criteria.filter((one) => agreed[one.version]);
    const same = asked.filter((one) => this.pane.grade(place, one.version)?.score === agreed[one.version][0]);
    this.pane.tell(say("Criteria on which your grade matches the agreed score: {n} of {total}.", { n: same.length, total: asked.length }));
  }
}
