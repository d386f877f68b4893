// What is on screen. Everything is drawn from the state of the pane, which keeps none in the page.
class Screen extends Reading {
  arrive(focus = null) {
    this.find.shut();
    this.entry = "";
    this.clock.start();
    const open = this.criteria.findIndex((c) => !this.grade(this.cursor, c.version));
    this.focus = focus ?? Math.max(0, open);
    stand(this.cursor);
    this.showRead();
    this.refresh();
    for (const part of this.root.querySelectorAll(".read, .body, .rubric")) part.scrollTop = 0;
    const text = this.texts.get(this.cursor);
    const step = this.data.rubric.units && this.criteria[this.focus];
    if (text) this.say(`${this.place()}. ${step ? step.title : text.question}`);
  }

  // Where one is; practice is counted apart.
  place() {
    const practised = [...this.practice.keys()].indexOf(this.cursor) + 1;
    return practised ? `Answer ${practised} of ${this.data.practice} for practice` : `Answer ${this.number()} of ${this.data.total}`;
  }

  number() {
    return Math.min(this.data.total, this.progress() + (this.isDone(this.cursor) ? 0 : 1));
  }

  say(sentence) {
    this.root.querySelector(".said").textContent = sentence;
    const flash = this.root.querySelector(".state");
    flash.dataset.said = sentence.startsWith("Answer ") ? "" : sentence;
    clearTimeout(this.hush);
    this.hush = setTimeout(() => { flash.dataset.said = ""; this.showState(); }, 2500);
    this.showState();
  }

  // What scrolls: the texts, or everything on a narrow screen.
  scroller() {
    const body = this.root.querySelector(".body");
    return getComputedStyle(body).display === "block" ? body : body.querySelector(".read");
  }

  refresh() {
    this.root.classList.toggle("alone", this.cursor === null);
    this.root.classList.toggle("by-unit", Boolean(this.data.rubric.units));
    this.showStep();
    this.showTop();
    this.showNews();
    this.showRubric();
    this.agreed.show();
    this.showKeys();
    this.showState();
  }

  showClosed() {
    const open = this.unsaved.length;
    const kept = open === 1 ? "One key is not saved yet" : `${open} keys are not saved yet`;
    const lines = [el("h2", {}, this.closed)];
    if (open) lines.push(el("p", {}, `${kept}; this browser keeps them.`));
    lines.push(button("Try again", () => this.send()));
    this.root.classList.add("alone");
    this.root.querySelector(".read").replaceChildren(el("div", { class: "end" }, ...lines));
  }

  showTop() {
    const done = this.progress();
    const { total, pace, grader } = this.data;
    const steps = this.data.rubric.units ? this.whereIn() : this.criteria.map((criterion, index) => {
      const grade = this.cursor === null ? null : this.grade(this.cursor, criterion.version);
      const step = el("li", { class: grade ? "given" : "" }, criterion.title);
      if (index === this.focus && this.cursor !== null) step.setAttribute("aria-current", "step");
      return step;
    });
    const top = (name) => this.root.querySelector(`.top .${name}`);
    top("steps").replaceChildren(...steps);
    top("last").textContent = this.lastText ?? "";
    const practised = this.practice.has(this.cursor);
    top("count").textContent = practised ? this.place().replace("Answer ", "") : `${done} of ${total}`;
    top("bar").setAttribute("aria-valuemax", total);
    top("bar").setAttribute("aria-valuenow", done);
    top("bar").firstElementChild.style.width = `${(100 * done) / Math.max(1, total)}%`;
    top("left").textContent = pace && done < total && !practised ? duration(pace * (total - done)) : "";
    top("who").textContent = grader;
    top("who").href = elsewhere();
  }

  // Of many units only where one is: "claim 3 of 12".
  whereIn() {
    if (this.cursor === null) return [];
    const of = this.criteria.filter((step) => !step.isList).length;
    const { one, several } = this.data.rubric.units;
    const isList = this.criteria[this.focus]?.isList;
    const words = isList ? `the list of ${several}` : `${one} ${this.focus + 1} of ${of}`;
    return [el("li", { "aria-current": "step" }, words)];
  }

  showNews() {
    const news = this.root.querySelector(".news");
    const lines = [];
    if (this.data.problem && this.unsaved.length) {
      const again = button("Try again", () => this.send());
      lines.push(el("p", { class: "bad" }, `Not saved: ${this.data.problem} `, again));
    }
    if (this.lost) lines.push(el("p", { class: "bad" }, this.lost));
    if (this.stored === false) {
      lines.push(el("p", { class: "bad" }, "This browser keeps nothing: wait for “saved” before you close it."));
    }
    if (this.streak >= BREAK_AFTER) {
      const thanks = button("Go on", () => { this.streak = 0; this.refresh(); });
      lines.push(el("p", { class: "rest" }, `${this.streak} answers without a break. A few minutes away keep your grades steady. `, thanks));
    }
    news.replaceChildren(...lines);
  }

  ending() {
    const { total, waiting } = this.data;
    const title = total ? `All ${total} answers are graded. Thank you.` : "There is nothing to grade yet";
    const saved = "Everything is saved; you may close this window. ← goes back to change a grade.";
    const lines = total ? [this.unsaved.length ? "The last grades are being saved …" : saved] : [];
    return el("div", { class: "end" }, el("h2", {}, title),
      ...[...lines, waiting].filter(Boolean).map((line) => el("p", {}, line)));
  }

  showRubric() {
    const rubric = this.root.querySelector(".rubric");
    if (this.cursor === null) return rubric.replaceChildren();
    const opened = rubric.querySelector("details[open]") !== null && rubric.dataset.focus === String(this.focus);
    rubric.dataset.focus = this.focus;
    rubric.replaceChildren(...this.criteria.map((criterion, index) =>
      index === this.focus ? this.large(criterion, index, opened) : this.small(criterion, index)));
    rubric.scrollTop = this.focus ? rubric.querySelector(".focused").offsetTop - rubric.offsetTop - 16 : 0;
  }

  large(criterion, index, opened) {
    const place = this.cursor;
    const grade = this.grade(place, criterion.version);
    const made = el("section", { class: "criterion focused", "aria-current": "step" },
      el("h3", { class: criterion.isUnit ? "unit" : "" }, criterion.title), el("p", { class: "asks" }, criterion.question));
    const levels = el("div", { class: criterion.levels.length > 6 ? "levels dense" : "levels", role: "group", "aria-label": criterion.title });
    for (const band of bands(criterion.levels)) {
      const chosen = grade?.status === "scored" && band.some((level) => level.score === grade.score);
      const keys = band.map((level) => {
        const chosenOne = grade?.status === "scored" && level.score === grade.score;
        const one = el("button", { type: "button", class: "score", "aria-pressed": String(chosenOne) }, mark(criterion, level));
        one.setAttribute("aria-label", `${criterion.title} ${mark(criterion, level)}: ${level.meaning}`);
        if (level.key) one.setAttribute("aria-keyshortcuts", level.key);
        if (level.key && level.key !== mark(criterion, level).toLowerCase()) one.append(el("kbd", {}, level.key.toUpperCase()));
        one.addEventListener("click", (event) => {
          event.stopPropagation();
          this.give(place, index, "scored", level.score);
          if (event.detail === 0) this.root.querySelector(".focused .score")?.focus();
        });
        return one;
      });
      const row = el("div", { class: chosen ? "level chosen" : "level" }, el("span", { class: "scores" }, ...keys), el("span", { class: "meaning" }, ...meaning(band[0].meaning)));
      if (band.length === 1) row.addEventListener("click", () => this.give(place, index, "scored", band[0].score));
      levels.append(row);
    }
    made.append(levels);
    if (this.data.rubric.entry) made.append(el("p", { class: "entry" }, el("b", {}, this.entry || "…"), " type the score, then Enter"));
    if (grade?.status === "cannot_grade") made.append(el("p", { class: "cannot" }, "Marked as “cannot grade”."));
    const note = grade?.note || this.drafts.get(`${place}|${criterion.version}`);
    if (note) made.append(el("p", { class: "noted" }, `Note: ${note}`, grade ? "" : " (is saved with the grade)"));
    const quote = this.evidence.of(place, criterion.version);
    if (quote) made.append(el("p", { class: "noted" }, `Evidence: “${quote}”`, grade ? "" : " (is saved with the grade)"));
    const examples = this.examples(criterion, opened);
    if (examples) made.append(examples);
    return made;
  }

  small(criterion, index) {
    const grade = this.grade(this.cursor, criterion.version);
    const level = grade?.status === "scored" && criterion.levels.find((one) => one.score === grade.score);
    const made = el("button", { type: "button", class: "criterion small" },
      el("b", {}, criterion.title), el("span", { class: grade ? "mark" : "mark none" }, grade ? label(grade, criterion) : "–"));
    const says = level ? level.label || level.meaning : grade ? "Cannot be graded." : criterion.isUnit ? "" : criterion.question;
    const of = criterion.isUnit && criterion.chunk !== null ? `Context ${criterion.chunk + 1}` : "";
    const small = [of, says].filter(Boolean).join(": ");
    if (small) made.append(el("small", {}, small));
    made.addEventListener("click", () => this.turn(index - this.focus));
    return made;
  }

  examples(criterion, opened) {
    const all = criterion.levels.flatMap((level) => level.examples.map((example) => [level.score, example]));
    if (!all.length) return null;
    const made = el("details", { class: "examples" }, el("summary", {}, "Examples"));
    made.open = opened;
    for (const [score, example] of all) {
      const parts = [["Question", example.question], ["Context", example.context], ["Answer", example.answer], ["Why", example.why]];
      made.append(el("dl", {}, el("dt", { class: "mark" }, String(score)), ...parts.filter(([, text]) => text)
        .map(([name, text]) => el("dd", {}, el("b", {}, name), ` ${text}`))));
    }
    return made;
  }

  showKeys() {
    const pad = this.root.querySelector(".pad");
    const does = this.root.querySelector(".does");
    const units = Boolean(this.data.rubric.units);
    if (!does.childElementCount) {
      const buttons = [...DOES, ...(units ? [EVIDENCE] : [])].map(([name, cap, word, title]) => {
        const one = button("", () => this.keyboard.doing(name)(), this.worded(title));
        one.append(el("kbd", {}, cap), el("span", {}, word));
        one.dataset.key = name;
        one.setAttribute("aria-keyshortcuts", name);
        one.setAttribute("aria-label", this.worded(title));
        return one;
      });
      does.append(el("span", { class: "range" }, el("kbd", {}, ""), " grade"), ...buttons);
    }
    const { range } = this.criteria[this.focus] ?? this.data.rubric;
    does.querySelector(".range kbd").textContent = range ?? this.data.rubric.range;
    if (this.cursor === null) return pad.replaceChildren();
    const place = this.cursor;
    const index = this.focus;
    const criterion = this.criteria[index];
    const grade = this.grade(place, criterion.version);
    const count = criterion.levels.length;
    pad.style.setProperty("--columns", count > 6 ? Math.ceil(count / 2) : count);
    pad.setAttribute("aria-label", criterion.title);
    const where = criterion.isUnit ? `${this.focus + 1} of ${this.criteria.filter((step) => step.isUnit).length}: ` : "";
    pad.replaceChildren(el("b", {}, `${where}${criterion.title}`), ...criterion.levels.map((level) => {
      const one = button(mark(criterion, level), () => this.give(place, index, "scored", level.score), level.meaning);
      const word = criterion.isList ? level.meaning.split(":")[0] : criterion.isUnit ? level.label : "";
      if (word) one.append(el("small", {}, word));
      one.setAttribute("aria-pressed", String(grade?.status === "scored" && grade.score === level.score));
      return one;
    }));
  }

  showState() {
    const state = this.root.querySelector(".state");
    const open = this.unsaved.length;
    const slow = open && Date.now() - this.unsaved[0].t > 3000;
    const kept = `${open} not saved yet, kept in this browser`;
    const saved = this.savedAt ? `saved ${this.savedAt.toLocaleTimeString("en-GB")}` : "";
    state.className = slow ? "state slow" : "state";
    state.textContent = state.dataset.said || (open ? (slow ? kept : "saving …") : saved);
    state.dataset.unsaved = open;
    if (this.isFinished() && !open) this.showRead();
  }

  // What a key does, in the words of what is graded: a criterion, or a claim.
  worded(does) {
    const { units } = this.data.rubric;
    return units ? does.replace("criterion", units.one) : does;
  }

  showHelp() {
    const help = this.root.querySelector(".help");
    help.hidden = !help.hidden;
    const scores = this.data.rubric.criteria[0].levels.filter((level) => level.key && level.key !== String(level.score));
    const { units, list } = this.data.rubric;
    const rows = [[this.data.rubric.range, `grade the ${units ? units.one : "criterion"} in focus and go on`],
      ...(list ? [[list.range, `say of the list of ${units.several} that it is right, or what is wrong`]] : []),
      ...scores.map((level) => [level.key.toUpperCase(), `the score ${level.score}`]),
      ...[...DOES, ...(units ? [EVIDENCE] : []), ...MORE.map((row) => ["", ...row])].map(([, cap, ...words]) => [cap, this.worded(words.at(-1))])];
    help.replaceChildren(el("h3", {}, "Keys"),
      el("dl", {}, ...rows.flatMap(([cap, words]) => [el("dt", {}, el("kbd", {}, cap)), el("dd", {}, words)])),
      button("Close", () => this.showHelp()));
  }
}
