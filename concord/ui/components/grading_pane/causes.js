// Adjudication in the pane: what annotators gave, by letter, and why they differ. The cause goes with
// the score, as a passage marked as evidence does with a grade, and is kept in its place.
class Causes {
  constructor(pane) {
    this.pane = pane;
  }

  of(version) {
    return this.pane.evidence.of(this.pane.cursor, version);
  }

  // X: the next cause, and after the last one none.
  next() {
    const { pane } = this;
    const step = pane.cursor === null ? null : pane.criteria[pane.focus];
    if (!step) return pane.refuse();
    const all = ["", ...Object.keys(pane.data.causes)];
    this.set(step.version, all[(all.indexOf(this.of(step.version)) + 1) % all.length]);
  }

  set(version, cause) {
    const { pane } = this;
    if (pane.data.locked) return pane.tell(pane.data.locked);
    const place = pane.cursor;
    const grade = pane.grade(place, version);
    if (grade) pane.press(place, version, grade.status, grade.score, grade.note, cause);
    else pane.evidence.drafts.set(pane.evidence.id(place, version), cause);
    pane.refresh();
    pane.tell(cause ? say("Cause: {cause}", { cause: pane.data.causes[cause] }) : say("No cause."));
  }

  voices(criterion) {
    const shown = this.pane.cases.get(this.pane.cursor);
    const head = [say("Annotator"), say("Score"), say("Reason")].map((word) => el("th", { scope: "col" }, word));
    const rows = (shown?.voices[criterion.version] ?? []).map(([letter, score, reason]) =>
      el("tr", {}, el("th", { scope: "row" }, letter), el("td", {}, score), foreign(el("td", {}, reason))));
    const made = [el("table", { class: "voices" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows))];
    const before = shown?.before[criterion.version];
    if (before) made.push(el("p", { class: "before" }, before));
    return made;
  }

  // The criteria that are not to be decided, folded, with what annotators gave.
  alike(open) {
    const { rubric } = this.pane.data;
    const decided = this.pane.criteria.map((criterion) => criterion.version);
    const rest = rubric.criteria.filter((criterion) => !decided.includes(criterion.version));
    if (!rest.length) return [];
    const head = rest.length === 1
      ? say("Hidden: 1 criterion on which annotators do not differ")
      : say("Hidden: {n} criteria on which annotators do not differ", { n: rest.length });
    const parts = rest.flatMap((criterion) => [foreign(el("h3", {}, criterion.title)), ...this.voices(criterion)]);
    const made = el("details", { class: "alike" }, el("summary", {}, head), ...parts);
    made.open = open;
    return [made];
  }

  // Who gave a score, next to its meaning; the table says the same to a screen reader.
  letters(criterion, band) {
    const voices = this.pane.cases.get(this.pane.cursor)?.voices[criterion.version] ?? [];
    const here = voices.filter(([, score]) => band.some((level) => String(level.score) === score)).map(([letter]) => letter);
    return here.length ? [el("span", { class: "letters", "aria-hidden": "true" }, here.join(" "))] : [];
  }

  pick({ version, title }) {
    const select = el("select", { "aria-label": say("Cause, {criterion}", { criterion: title }) }, el("option", { value: "" }, say("None")),
      ...Object.entries(this.pane.data.causes).map(([name, words]) => el("option", { value: name }, words)));
    select.value = this.of(version);
    select.disabled = Boolean(this.pane.data.locked);
    select.addEventListener("change", () => { this.set(version, select.value); this.pane.root.focus({ preventScroll: true }); });
    return el("div", { class: "cause" }, el("kbd", {}, "X"), say("Cause"), select);
  }
}
