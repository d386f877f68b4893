// Adjudication in the pane: what annotators gave, by letter, and why they differ. The cause goes with
// the score, as a passage marked as evidence does with a grade, and is kept in its place.
class Causes {
  constructor(pane) {
    this.pane = pane;
    this.just = null;
    this.spread = new Set();
  }

  of(version) {
    return this.pane.evidence.kept(this.pane.cursor, version);
  }

  // A score was given. A cause pressed next is its own where it has none, or only that of the score
  // before, after which the cause was pressed: who presses it after one score does so after the next.
  scored(place, step) {
    const isOwn = this.pane.grade(place, step.version).quote && !this.spread.has(this.pane.evidence.id(place, step.version));
    this.just = isOwn ? null : { place, step, cause: "" };
  }

  // It holds from the criterion in focus on: most answers are disputed for one reason. Pressed right
  // after a score without one of its own it is that score's, too, and where that was the last of its
  // answer that score's alone. The same key again removes it.
  choose(cause) {
    const { pane } = this;
    if (pane.data.locked) return pane.tell(pane.data.locked);
    const just = this.ofJust(cause);
    if (just && just.place !== pane.cursor) return this.chooseLate(just, cause);
    const place = pane.cursor;
    const step = place === null ? null : pane.criteria[pane.focus];
    if (!step) return pane.refuse();
    const chosen = (just ? just.cause : this.of(step.version)) === cause ? "" : cause;
    const ahead = pane.criteria.slice(just ? pane.focus : pane.focus + 1);
    const open = ahead.filter(({ version }) => !pane.grade(place, version));
    const steps = [just ? just.step : step, ...open];
    for (const { version } of steps) this.set(place, version, chosen);
    this.spread = new Set(just ? open.map(({ version }) => pane.evidence.id(place, version)) : []);
    if (just) this.just = chosen ? { ...just, cause } : null;
    const titles = [pane.place(), ...new Set(steps.map(({ title }) => title))].join(" · ");
    return pane.tell(chosen ? say("Cause: {cause}", { cause: `${pane.data.causes[cause]} (${titles})` }) : say("No cause."));
  }

  // The score given just now, where it has no cause, or has this one: but the same key beside the next
  // answer is that answer's.
  ofJust(cause) {
    const { just } = this;
    if (!just || !this.pane.cases.has(just.place)) return null;
    const isNext = this.pane.cursor !== null && this.pane.cursor !== just.place;
    return !just.cause || (just.cause === cause && !isNext) ? just : null;
  }

  chooseLate(just, cause) {
    const { pane } = this;
    const chosen = just.cause ? "" : cause;
    this.set(just.place, just.step.version, chosen);
    this.just = chosen ? { ...just, cause } : null;
    const words = () => chosen ? pane.data.causes[cause] : say("No cause.");
    pane.lastText = () => say("Last answer: {grades}", { grades: `${just.step.title} · ${words()}` });
    pane.refresh();
    return pane.tell(pane.lastText());
  }

  set(place, version, cause) {
    const { pane } = this;
    const grade = pane.grade(place, version);
    if (grade) pane.press(place, version, grade.status, grade.score, grade.note, cause);
    else pane.evidence.drafts.set(pane.evidence.id(place, version), cause);
    pane.refresh();
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

  // The criteria on which annotators gave the same score, folded. An adjudicator does not get what
  // they gave on criteria that were not assigned, and those are left out.
  alike(open) {
    const { rubric } = this.pane.data;
    const decided = this.pane.criteria.map((criterion) => criterion.version);
    const rest = rubric.criteria.filter((one) => !decided.includes(one.version) && this.isAlike(one));
    if (!rest.length) return [];
    const head = rest.length === 1
      ? say("Hidden: 1 criterion on which annotators do not differ")
      : say("Hidden: {n} criteria on which annotators do not differ", { n: rest.length });
    const parts = rest.flatMap((criterion) => [foreign(el("h2", {}, criterion.title)), ...this.voices(criterion)]);
    const made = el("details", { class: "alike" }, el("summary", {}, head), ...parts);
    made.open = open;
    return [made];
  }

  isAlike({ version, levels }) {
    const given = (this.pane.cases.get(this.pane.cursor)?.voices[version] ?? []).map(([, score]) => score);
    const scores = given.filter((score) => levels.some((level) => String(level.score) === score));
    return given.length > 0 && new Set(scores).size < 2;
  }

  // Who gave a score, next to its meaning; the table says the same to a screen reader.
  letters(criterion, band) {
    const voices = this.pane.cases.get(this.pane.cursor)?.voices[criterion.version] ?? [];
    const here = voices.filter(([, score]) => band.some((level) => String(level.score) === score)).map(([letter]) => letter);
    return here.length ? [el("span", { class: "letters", "aria-hidden": "true" }, here.join(" "))] : [];
  }

  pick({ version, title }) {
    const held = this.of(version);
    const keys = Object.entries(this.pane.data.causes).map(([name, words]) => {
      const one = button("", () => { this.just = null; this.choose(name); }); // of the criterion it is shown at
      one.append(el("kbd", {}, CAUSE_KEYS[name].toUpperCase()), words);
      one.setAttribute("aria-pressed", String(name === held));
      one.setAttribute("aria-keyshortcuts", CAUSE_KEYS[name]);
      one.disabled = Boolean(this.pane.data.locked);
      one.title = this.pane.data.locked;
      return one;
    });
    return el("div", { class: "cause", role: "group", "aria-label": say("Cause, {criterion}", { criterion: title }) }, el("b", {}, say("Cause")), ...keys);
  }
}
