// The rubric next to the texts, and its scores again as a pad for touch screens. A button is bound to the
// answer and criterion on screen when it was drawn, so that a late click cannot grade the next answer.
const MOST_WORDS = 6; // buttons in a row that have room for words

class Scores extends Reading {
  showRubric() {
    const rubric = this.root.querySelector(".rubric");
    if (this.cursor === null) return rubric.replaceChildren();
    const isStep = rubric.dataset.focus === String(this.focus);
    const opened = isStep && rubric.querySelector(".examples[open]:not(.original)") !== null;
    const drawn = this.drawn();
    if (rubric.dataset.drawn === drawn && rubric.childElementCount) return;
    const focused = this.focusIn(rubric);
    const isSame = isStep && rubric.dataset.place === String(this.cursor);
    Object.assign(rubric.dataset, { drawn, focus: this.focus, place: this.cursor });
    const steps = this.criteria.map((criterion, index) =>
      index === this.focus ? this.large(criterion, index, opened) : this.small(criterion, index));
    // Next to many units, the one in focus comes first in a single-column layout.
    const isColumn = this.data.rubric.units && this.isNarrow();
    const first = isColumn ? steps.splice(this.focus, 1) : [];
    const alike = this.data.causes ? this.causes.alike(isSame && rubric.querySelector(".alike[open]") !== null) : [];
    rubric.replaceChildren(...alike, ...first, ...steps);
    rubric.scrollTop = this.focus ? rubric.querySelector(".focused").offsetTop - rubric.offsetTop - 16 : 0;
    if (focused >= 0) ((isSame && this.stops(rubric)[focused]) || rubric.querySelector(".focused .score")).focus();
  }

  // What the rubric shows, to leave it as it is where nothing changed: a screen reader stays there.
  drawn() {
    const steps = this.criteria.map(({ version, title }) => {
      const grade = this.grade(this.cursor, version);
      const draft = this.drafts.get(`${this.cursor}|${version}`);
      return [version, title, grade?.status, grade?.score, grade?.note, draft, this.evidence.kept(this.cursor, version)];
    });
    return JSON.stringify([this.data.locked, this.cases.get(this.cursor), this.cursor, this.focus, this.entry, this.data.language, this.isNarrow(), steps]);
  }

  stops(rubric) {
    return [...rubric.querySelectorAll("button, summary")];
  }

  focusIn(rubric) {
    return this.stops(rubric).indexOf(this.root.getRootNode().activeElement);
  }

  large(criterion, index, opened) {
    const grade = this.grade(this.cursor, criterion.version);
    const made = el("section", { class: "criterion focused", "aria-current": "step" },
      foreign(el("h2", { class: criterion.isUnit ? "unit" : "" }, criterion.title)), foreign(el("p", { class: "asks" }, criterion.question)));
    const levels = el("div", { class: criterion.levels.length > 6 ? "levels dense" : "levels", role: "group", "aria-label": criterion.title });
    levels.append(...bands(criterion.levels).map((band) => this.band(criterion, index, band, grade)));
    made.append(levels);
    if (this.data.rubric.entry) made.append(el("p", { class: "entry" }, el("b", {}, this.entry || "…"), " ", say("type the score, then Enter")));
    else if (this.entry) made.append(el("p", { class: "entry" }, el("b", {}, this.entry), " ", say("press 0 for 10")));
    if (grade?.status === "cannot_grade") made.append(el("p", { class: "cannot" }, say("Marked as “cannot grade”.")));
    const waits = grade ? "" : ` ${say("(saved with the grade)")}`;
    const note = grade?.note || this.drafts.get(`${this.cursor}|${criterion.version}`);
    if (note) made.append(el("p", { class: "noted" }, say("Note: {note}", { note }), waits));
    if (this.data.causes) made.append(this.causes.pick(criterion), ...this.causes.voices(criterion));
    else made.append(...this.evidence.listed(criterion.version, waits));
    const examples = this.examples(criterion, opened);
    if (examples) made.append(examples);
    if (criterion.original) made.append(this.original(criterion));
    return made;
  }

  // A translated rubric as it was written. Who opened it once reads both on every criterion.
  original({ levels, original }) {
    const meanings = levels.flatMap((level, i) => [el("dt", {}, String(level.score)), foreign(el("dd", {}, original.meanings[i]))]);
    const made = el("details", { class: "examples original" }, el("summary", {}, say("Original wording")),
      foreign(el("p", {}, el("b", {}, original.title), ` ${original.question}`)), el("dl", {}, ...meanings));
    made.open = Boolean(this.showsOriginal);
    made.addEventListener("toggle", () => { this.showsOriginal = made.open; });
    return made;
  }

  // Neighbouring scores that mean the same, on one row.
  band(criterion, index, band, grade) {
    const place = this.cursor;
    const isGiven = (level) => grade?.status === "scored" && level.score === grade.score;
    const keys = band.map((level) => {
      const shown = mark(criterion, level);
      const one = el("button", { type: "button", class: "score", "aria-pressed": String(isGiven(level)) }, shown);
      one.setAttribute("aria-label", say("{title}: {text}", { title: `${criterion.title} ${shown}`, text: level.meaning }));
      one.disabled = Boolean(this.data.locked);
      one.title = this.data.locked ?? "";
      if (level.key.length === 1) one.setAttribute("aria-keyshortcuts", level.key);
      if (level.key && level.key !== shown.toLowerCase()) one.append(el("kbd", {}, level.key.toUpperCase()));
      one.addEventListener("click", (event) => {
        event.stopPropagation();
        if (event.detail > 0) one.blur(); // so that Space scrolls after a click
        this.give(place, index, "scored", level.score);
      });
      return one;
    });
    const row = el("div", { class: band.some(isGiven) ? "level chosen" : "level" },
      el("span", { class: "scores" }, ...keys), foreign(el("span", { class: "meaning" }, ...meaning(band[0].meaning))), ...this.causes.letters(criterion, band));
    if (band.length === 1 && !this.data.locked) row.addEventListener("click", () => this.give(place, index, "scored", band[0].score));
    return row;
  }

  small(criterion, index) {
    const grade = this.grade(this.cursor, criterion.version);
    const level = grade?.status === "scored" && criterion.levels.find((one) => one.score === grade.score);
    const made = button("", () => this.turn(index - this.focus));
    made.className = "criterion small";
    made.append(foreign(el("b", {}, criterion.title)),
      el("span", { class: grade ? "mark" : "mark none" }, grade ? label(grade, criterion) : "–"));
    const says = level ? level.label || level.meaning : grade ? say("Cannot be graded.") : criterion.isUnit ? "" : criterion.question;
    const of = criterion.isUnit && criterion.chunk !== undefined ? say("Context {n}", { n: criterion.chunk + 1 }) : "";
    const small = [of, says].filter(Boolean).join(": ");
    if (small) made.append(foreign(el("small", {}, small)));
    return made;
  }

  examples(criterion, opened) {
    const all = criterion.levels.flatMap((level) => level.examples.map((example) => [level.score, example]));
    if (!all.length) return null;
    const made = el("details", { class: "examples" }, el("summary", {}, say("Examples")));
    made.open = opened;
    for (const [score, example] of all) {
      const parts = [[say("Question"), example.question], [say("Context"), example.context],
        [say("Answer"), example.answer], [say("Why"), example.why]];
      made.append(el("dl", {}, el("dt", { class: "mark" }, String(score)), ...parts.filter(([, text]) => text)
        .map(([name, text]) => el("dd", {}, el("b", {}, name), " ", foreign(el("span", {}, text))))));
    }
    return made;
  }

  // The buttons stay from step to step, so that neither a thumb nor a screen reader loses them.
  showPad() {
    const pad = this.root.querySelector(".pad");
    const step = this.cursor === null ? null : this.criteria[this.focus];
    if (!step) return pad.replaceChildren();
    const levels = this.data.locked ? [] : step.levels;
    pad.style.setProperty("--all", levels.length);
    pad.style.setProperty("--columns", levels.length > 6 ? Math.ceil(levels.length / 2) : levels.length);
    pad.classList.toggle("dense", levels.length > MOST_WORDS);
    pad.setAttribute("aria-label", step.title);
    if (pad.childElementCount !== levels.length + 1) {
      const opens = button("", () => this.showMeanings(), say("What each score means (I)"));
      opens.className = "opens";
      pad.replaceChildren(el("p", {}, el("b", {}), opens), ...levels.map(() => el("button", { type: "button" })));
    }
    const [head, ...all] = pad.children;
    const of = this.criteria.filter((one) => !one.isList).length;
    const isOne = step.isList || of === 1;
    head.firstChild.textContent = isOne ? step.title : say("{n} of {total}: {title}", { n: this.focus + 1, total: of, title: step.title });
    head.lastChild.textContent = say("meanings");
    head.lastChild.setAttribute("aria-expanded", String(this.root.classList.contains("meanings")));
    levels.forEach((level, i) => this.padded(all[i], step, level));
  }

  padded(one, step, level) {
    const place = this.cursor;
    const index = this.focus;
    const grade = this.grade(place, step.version);
    const isEnd = level === step.levels[0] || level === step.levels.at(-1); // says which way the scale runs
    const word = step.levels.length > MOST_WORDS && !isEnd ? "" : brief(level);
    one.replaceChildren(mark(step, level), ...(word ? [foreign(el("small", {}, word))] : []));
    one.title = level.meaning;
    one.setAttribute("aria-pressed", String(grade?.status === "scored" && grade.score === level.score));
    one.onclick = (event) => {
      if (event.detail > 0) one.blur(); // so that Space scrolls after a click
      this.give(place, index, "scored", level.score);
    };
  }
}
