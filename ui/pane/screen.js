// What is on screen. Everything is drawn from the state of the pane, which keeps none in the page.
class Screen {
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
    if (text) this.say(`Answer ${this.number()} of ${this.data.total}. ${text.question}`);
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
    this.showTop();
    this.showNews();
    this.showRubric();
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
    const steps = this.criteria.map((criterion, index) => {
      const grade = this.cursor === null ? null : this.grade(this.cursor, criterion.version);
      const step = el("li", { class: grade ? "given" : "" }, criterion.title);
      if (index === this.focus && this.cursor !== null) step.setAttribute("aria-current", "step");
      return step;
    });
    const top = (name) => this.root.querySelector(`.top .${name}`);
    top("steps").replaceChildren(...steps);
    top("last").textContent = this.lastText ?? "";
    top("count").textContent = `${done} of ${total}`;
    top("bar").setAttribute("aria-valuemax", total);
    top("bar").setAttribute("aria-valuenow", done);
    top("bar").firstElementChild.style.width = `${(100 * done) / Math.max(1, total)}%`;
    top("left").textContent = pace && done < total ? duration(pace * (total - done)) : "";
    top("who").textContent = grader;
    top("who").href = elsewhere();
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

  showRead() {
    const read = this.root.querySelector(".read");
    const text = this.texts.get(this.cursor);
    if (!text) return read.replaceChildren(this.isFinished() ? this.ending() : el("p", { class: "end" }, "Loading …"));
    const parts = [];
    if (text.question) parts.push(section("Question", el("p", { class: "question plain" }, text.question)));
    parts.push(this.answer(text));
    if (text.reference.length) parts.push(section("Reference", ...text.reference.map(markdown)));
    if (this.data.rubric.shown.includes("contexts")) parts.push(this.contexts(text.contexts));
    read.replaceChildren(...parts);
    if (this.scroller() === read) this.unfoldWhatFits(read);
  }

  unfoldWhatFits(read) {
    for (const context of read.querySelectorAll(".context")) {
      fold(context, true);
      if (read.scrollHeight > read.clientHeight) {
        fold(context, false);
        break;
      }
    }
    this.nameFolds();
  }

  nameFolds() {
    const all = this.root.querySelector(".folds");
    if (all) all.textContent = this.root.querySelector(".context:not(.open)") ? "unfold all" : "fold all";
  }

  answer(text) {
    const raw = button(this.raw ? "formatted" : "raw", () => this.switchRaw(), "The answer as it was written (M)");
    raw.classList.add("switch");
    const find = button("find", () => this.find.open(), "Find in answer and contexts (/)");
    find.classList.add("switch");
    if (!text.answer.trim()) return section("Answer", el("p", { class: "none" }, "The answer is empty."));
    const body = this.raw ? el("pre", { class: "raw" }, text.answer) : markdown(text.html);
    body.classList.add("answer");
    const made = section("Answer", body);
    made.firstChild.append(raw, find);
    return made;
  }

  contexts(contexts) {
    if (!contexts.length) return section("Contexts", el("p", { class: "none" }, "There is no context."));
    const folded = contexts.map((text, index) => {
      const body = el("p", { class: "plain", id: `context-${index}` }, text);
      const head = el("button", { type: "button", "aria-expanded": "false", "aria-controls": body.id }, `${index + 1}`);
      head.setAttribute("aria-label", `Context ${index + 1}`);
      const context = el("div", { class: "context" }, head, body);
      const toggle = () => fold(context, !context.classList.contains("open"));
      head.addEventListener("click", toggle);
      body.addEventListener("click", () => context.classList.contains("open") || toggle());
      return context;
    });
    const made = section(`Contexts (${contexts.length})`, ...folded);
    const all = button("unfold all", () => this.unfold(), "Unfold all contexts (O)");
    all.classList.add("switch", "folds");
    made.firstChild.append(all);
    return made;
  }

  ending() {
    return el("div", { class: "end" },
      el("h2", {}, `All ${this.data.total} answers are graded. Thank you.`),
      el("p", {}, this.unsaved.length ? "The last grades are being saved …" : "Everything is saved; you may close this window. ← goes back to change a grade."));
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
      el("h3", {}, criterion.title), el("p", { class: "asks" }, criterion.question));
    const levels = el("div", { class: criterion.levels.length > 6 ? "levels dense" : "levels", role: "group", "aria-label": criterion.title });
    for (const band of bands(criterion.levels)) {
      const chosen = grade?.status === "scored" && band.some((level) => level.score === grade.score);
      const keys = band.map((level) => {
        const chosenOne = grade?.status === "scored" && level.score === grade.score;
        const one = el("button", { type: "button", class: "score", "aria-pressed": String(chosenOne) }, String(level.score));
        one.setAttribute("aria-label", `${criterion.title} ${level.score}: ${level.meaning}`);
        if (level.key) one.setAttribute("aria-keyshortcuts", level.key);
        if (level.key && level.key !== String(level.score)) one.append(el("kbd", {}, level.key.toUpperCase()));
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
    const examples = this.examples(criterion, opened);
    if (examples) made.append(examples);
    return made;
  }

  small(criterion, index) {
    const grade = this.grade(this.cursor, criterion.version);
    const level = grade?.status === "scored" && criterion.levels.find((one) => one.score === grade.score);
    const made = el("button", { type: "button", class: "criterion small" },
      el("b", {}, criterion.title), el("span", { class: grade ? "mark" : "mark none" }, grade ? label(grade) : "–"),
      el("small", {}, level ? level.meaning : grade ? "Cannot be graded." : criterion.question));
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
    const { range } = this.data.rubric;
    if (!does.childElementCount) {
      const buttons = DOES.map(([name, cap, word, title]) => {
        const one = button("", () => this.keyboard.doing(name)(), title);
        one.append(el("kbd", {}, cap), el("span", {}, word));
        one.dataset.key = name;
        one.setAttribute("aria-keyshortcuts", name);
        one.setAttribute("aria-label", title);
        return one;
      });
      does.append(el("span", { class: "range" }, el("kbd", {}, range), " grade"), ...buttons);
    }
    if (this.cursor === null) return pad.replaceChildren();
    const place = this.cursor;
    const index = this.focus;
    const criterion = this.criteria[index];
    const grade = this.grade(place, criterion.version);
    const count = criterion.levels.length;
    pad.style.setProperty("--columns", count > 6 ? Math.ceil(count / 2) : count);
    pad.setAttribute("aria-label", criterion.title);
    pad.replaceChildren(el("b", {}, criterion.title), ...criterion.levels.map((level) => {
      const one = button(String(level.score), () => this.give(place, index, "scored", level.score), level.meaning);
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

  showHelp() {
    const help = this.root.querySelector(".help");
    help.hidden = !help.hidden;
    const scores = this.criteria[0].levels.filter((level) => level.key && level.key !== String(level.score));
    const rows = [[this.data.rubric.range, "grade the criterion in focus and go on"],
      ...scores.map((level) => [level.key.toUpperCase(), `the score ${level.score}`]),
      ...DOES.map(([, cap, , title]) => [cap, title]), ...MORE];
    help.replaceChildren(el("h3", {}, "Keys"),
      el("dl", {}, ...rows.flatMap(([cap, words]) => [el("dt", {}, el("kbd", {}, cap)), el("dd", {}, words)])),
      button("Close", () => this.showHelp()));
  }
}
