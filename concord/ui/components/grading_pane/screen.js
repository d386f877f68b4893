// What is on screen. Everything is drawn from the state of the pane, which keeps none in the page.
class Screen extends Scores {
  arrive(focus = null) {
    const had = this.root.getRootNode().activeElement;
    this.find.shut();
    this.entry = "";
    this.clock.turn(this.cursor);
    const open = this.criteria.findIndex((c) => !this.grade(this.cursor, c.version));
    this.focus = focus ?? Math.max(0, open);
    stand(this.cursor, this.data.param);
    for (const part of [this.agreed, this.remarks]) part.show(); // first: they leave room for contexts
    this.showRead();
    this.refresh();
    for (const part of this.root.querySelectorAll(".body, .read, .texts, .sources, .rubric")) part.scrollTop = 0;
    if (had && !had.isConnected && !this.root.getRootNode().activeElement) this.root.focus({ preventScroll: true });
    this.announce();
  }

  // To who does not see it: what was done, and what is on screen now.
  announce(next = this.whatIsHere()) {
    this.hear([this.done, next].filter(Boolean).join(" "));
    this.done = "";
  }

  whatIsHere() {
    const text = this.texts.get(this.cursor);
    if (!text) return this.isFinished() ? say("There is no answer left to grade.") : "";
    const step = this.data.rubric.units && this.criteria[this.focus];
    return `${this.place()}. ${step ? step.title : text.question}`;
  }

  // Where the language was picked outside the pane, it hears keys again.
  turnTo({ language, words }) {
    if (this.language && document.activeElement?.role === "combobox") this.listen();
    this.language = language;
    document.documentElement.lang = language;
    WORDS = words;
    sayAll(this.root);
  }

  // Keys go to the box that is open, else they grade.
  listen() {
    const box = this.root.querySelector(":is(.find, .note, .remark):not([hidden]) :is(input, textarea)");
    (box ?? this.root).focus({ preventScroll: true });
  }

  // Where one is; training is counted apart.
  place() {
    const trained = this.trained();
    const { training, total } = this.data;
    return trained
      ? say("Training answer {n} of {total}", { n: trained, total: training })
      : say("Answer {n} of {total}", { n: this.figure(this.number()), total: this.figure(total) });
  }

  // The name of a box with the answer it is of, for who opened it a moment too late.
  ofPlace(text) {
    return say("{title}: {text}", { title: this.place(), text });
  }

  figure(n) {
    return n.toLocaleString(this.language);
  }

  number() {
    const number = this.data.places.find((place) => place.id === this.cursor)?.number ?? 0;
    return number && number - this.overtaken();
  }

  // The number of a training answer among these; 0 for another answer.
  trained() {
    const number = [...this.training.keys()].indexOf(this.cursor) + 1;
    return number && number - this.overtaken();
  }

  // Whether another answer than the first ungraded one is on screen. Training leads on by itself.
  isAway() {
    const first = this.upcoming(null);
    return first !== null && first !== this.cursor && !this.training.has(this.cursor) && !this.data.causes;
  }

  // How many answers before this one were put off, which the server does not say yet.
  overtaken() {
    const list = this.list();
    const before = this.places.slice(0, Math.max(0, this.places.indexOf(this.cursor)));
    const isTraining = this.training.has(this.cursor);
    return before.filter((id) => !list.includes(id) && this.training.has(id) === isTraining).length;
  }

  // Read aloud by a screen reader, and not shown.
  hear(sentence) {
    if (sentence) this.root.querySelector(".said").textContent = sentence;
  }

  tell(sentence) {
    this.hear(sentence);
    this.show(sentence);
  }

  // For a moment, above the line that says what is saved.
  show(sentence) {
    const flash = this.root.querySelector(".flash");
    flash.textContent = sentence;
    clearTimeout(this.hush);
    this.hush = setTimeout(() => { flash.textContent = ""; }, 2500);
  }

  // On a narrow screen the rubric is opened over the keys; elsewhere it is next to the texts.
  isNarrow() {
    return getComputedStyle(this.root.querySelector(".pad")).display !== "none";
  }

  // I: the rubric on a narrow screen. What was chosen last holds for the next answers, too.
  showMeanings(open = !this.root.classList.contains("meanings")) {
    if (!this.isNarrow()) return;
    this.root.classList.toggle("meanings", open);
    this.storage.keepMeanings(open);
    this.refresh();
    if (open) this.keepAnswer();
  }

  // What the keys scroll: of two columns of texts the one that was opened, found or clicked last, or
  // the other where that one is whole on screen. In adjudication it is followed by what annotators gave.
  scrolledByKeys() {
    const read = this.root.querySelector(".read");
    const isSplit = read.classList.contains("split") && this.isSplit();
    const part = isSplit ? this.columnToScroll(read) : scrolledWith(read);
    return this.data.causes ? [part, this.root.querySelector(".rubric")] : [part];
  }

  columnToScroll(read) {
    const [texts, sources] = [read.querySelector(".texts"), read.querySelector(".sources")];
    const [chosen, other] = this.inSources ? [sources, texts] : [texts, sources];
    return chosen.scrollHeight > chosen.clientHeight + 1 ? chosen : other;
  }

  refresh() {
    this.root.classList.toggle("alone", this.cursor === null);
    this.root.classList.toggle("by-unit", Boolean(this.data.rubric.units));
    this.showStep();
    this.showTop();
    this.remarks.show(); // before the news, which leaves out a reply that is on screen
    this.showNews();
    this.showRubric();
    this.agreed.show();
    this.showKeys();
    this.showState();
  }

  showClosed(data) {
    const open = this.unsaved.length;
    const lines = [el("h2", {}, this.closed)];
    if (open === 1) lines.push(el("p", {}, say("One keystroke is not saved yet; this browser stores it.")));
    else if (open) lines.push(el("p", {}, say("{n} keystrokes are not saved yet; this browser stores them.", { n: open })));
    lines.push(button(say("Try again"), () => this.send()));
    this.root.classList.add("alone", "closed"); // nothing but why: no break, reply or key
    this.root.querySelector(".read").replaceChildren(el("div", { class: "end" }, ...lines));
    this.showMenu(data);
  }

  showTop() {
    const done = this.progress();
    const { total, pace, until } = this.data;
    const steps = this.data.rubric.units ? this.whereIn() : this.criteria.map((criterion, index) => {
      const grade = this.cursor === null ? null : this.grade(this.cursor, criterion.version);
      const step = foreign(el("li", { class: grade ? "given" : "" }, criterion.title));
      if (grade) step.append(el("span", { class: "unseen" }, say("graded")));
      if (index === this.focus && this.cursor !== null) step.setAttribute("aria-current", "step");
      return step;
    });
    const top = (name) => this.root.querySelector(`.top .${name}`);
    top("steps").replaceChildren(...steps);
    this.root.querySelector(".last").textContent = this.lastText?.() ?? "";
    const trained = this.trained();
    const isEnd = this.cursor === null;
    top("count").textContent = isEnd ? say("{n} of {total}", { n: this.figure(done), total: this.figure(total) }) : this.place();
    top("done").textContent = isEnd || trained ? "" : say("{n} done", { n: this.figure(done) });
    this.root.classList.toggle("away", this.isAway());
    top("bar").setAttribute("aria-valuemax", total);
    top("bar").setAttribute("aria-valuenow", done);
    top("bar").firstElementChild.style.width = `${(100 * done) / Math.max(1, total)}%`;
    const left = done < total && !trained ? [pace && duration(pace * (total - done)), until] : [];
    top("left").replaceChildren(...left.filter(Boolean).flatMap((part, index) => [index ? " · " : "", el("span", {}, part)]));
    this.showMenu(this.data);
  }

  // Who grades, in which language, and the ways to other sets and out: one menu.
  showMenu({ grader, languages, language, leave, sets, causes }) {
    for (const one of this.root.querySelectorAll(".who")) one.textContent = grader ?? "";
    const menu = this.root.querySelector(".ways");
    const ways = { sets: leave && sets > 1 && !causes && elsewhere(true), over: !leave && !causes && elsewhere(false), out: leave };
    for (const [name, href] of Object.entries(ways)) {
      const way = menu.querySelector(`.${name}`);
      way.hidden = !href;
      way.href = href || "";
      way.onclick = (event) => this.leaves(event, href);
    }
    const pick = menu.querySelector(".tongues");
    pick.hidden = !languages;
    if (languages && !pick.childElementCount) {
      pick.append(...Object.entries(languages).map(([code, name]) => el("option", { value: code, lang: code }, name)));
      pick.addEventListener("pointerdown", () => { this.pointed = true; });
      pick.addEventListener("keydown", () => { this.pointed = false; });
      pick.addEventListener("change", () => {
        this.picked = pick.value;
        this.wish();
        if (this.pointed) this.listen();
      });
    }
    pick.value = language;
  }

  // Leaving waits for unsaved keys. A second click leaves at once: this browser keeps the keys.
  leaves(event, to) {
    if (!this.unsaved.length || this.leaving) return;
    event.preventDefault();
    this.leaving = to;
    this.tell(say("Saving your last grades. Press again to leave now; this browser stores them."));
    this.send();
  }

  // Of many units only where one is: "claim 3 of 12".
  whereIn() {
    if (this.cursor === null) return [];
    const of = this.criteria.filter((step) => !step.isList).length;
    const { one, several } = this.data.rubric.units;
    const isList = this.criteria[this.focus]?.isList;
    const words = isList ? say("the list of {units}", { units: several }) : say("{unit} {n} of {total}", { unit: one, n: this.focus + 1, total: of });
    return [el("li", { "aria-current": "step" }, words)];
  }

  showNews() {
    const news = this.root.querySelector(".news");
    const lines = [];
    if (this.data.problem && this.unsaved.length) {
      const again = button(say("Try again"), () => this.send());
      lines.push(el("p", { class: "bad" }, say("Not saved: {why}", { why: this.data.problem }), " ", again));
    }
    if (this.losses.length) {
      const n = this.losses.length;
      const said = n === 1 ? say("One keystroke was not saved: {why}.", { why: this.losses[0].why }) : say("{n} keystrokes were not saved: {why}.", { n, why: this.losses.at(-1).why });
      const read = button(say("Continue"), () => { this.losses = []; this.storage.forgetRefused(); this.refresh(); });
      const { place } = this.losses.at(-1);
      const there = this.given.has(place) && place !== this.cursor ? [button(say("Show"), () => this.visit(place)), " "] : [];
      lines.push(el("p", { class: "bad" }, said, " ", ...there, read));
    }
    lines.push(...this.remarks.news());
    if (this.data.locked && !this.data.read_only) lines.push(el("p", {}, this.data.locked));
    const warning = this.cases?.get(this.cursor)?.warning;
    if (warning) lines.push(el("p", { class: "bad" }, warning));
    if (this.stored === false) {
      lines.push(el("p", { class: "bad" }, say("This browser cannot store data. Wait for “saved” before you close it.")));
    }
    for (const advice of this.advice()) {
      lines.push(el("p", { class: "rest" }, advice, " ", button(say("Continue"), () => this.heed())));
    }
    if (news.textContent !== lines.map((line) => line.textContent).join("")) news.replaceChildren(...lines);
  }

  // A break is advised on one answer, and not again before as many more.
  advice() {
    const { streak, hasty } = this;
    return [
      streak && streak % BREAK_AFTER === 0 && say("{n} answers without a break. A short break keeps your grades consistent.", { n: streak }),
      hasty >= HASTY_AFTER && say("{n} answers in a row faster than 600 words a minute. Read each one to its end.", { n: hasty }),
    ].filter(Boolean);
  }

  heed() {
    this.hasty = 0;
    if (this.streak % BREAK_AFTER === 0) this.streak = 0;
    this.refresh();
  }

  ending() {
    const { total, waiting } = this.data;
    if (this.data.causes) return this.adjudicated();
    const title = total ? say("All answers are graded. Thank you.") : say("There is nothing to grade yet");
    const { adjudicate } = this.data;
    const saved = adjudicate ? say("Everything is saved. Press ← to change a grade.") : say("Everything is saved; you can close this window. Press ← to change a grade.");
    const lines = total ? [this.unsaved.length ? say("The last grades are being saved …") : saved] : [];
    const { leave, sets, agreement } = this.data;
    const more = leave && sets > 1 ? [el("a", { href: elsewhere(leave), target: "_self" }, say("Choose another grading set"))]
      : agreement ? [el("a", { href: agreement, target: "_self" }, say("See agreement"))] : [];
    return el("div", { class: "end" }, el("h2", {}, title),
      ...[...lines, adjudicate, waiting].filter(Boolean).map((line) => el("p", {}, line)), ...more);
  }

  adjudicated() {
    const lines = [say("All {total} answers are adjudicated.", { total: this.data.total }), say("Press ← to change a score.")];
    return el("div", { class: "end" }, el("h2", {}, lines[0]), el("p", {}, lines[1]));
  }

  showKeys() {
    const does = this.root.querySelector(".does");
    const unit = this.data.rubric.units?.one;
    const isLocked = Boolean(this.data.locked);
    const drawn = `${this.data.language} ${isLocked}`;
    if (does.dataset.drawn !== drawn) {
      does.dataset.drawn = drawn;
      const made = buttons(unit, this.data.causes, isLocked).map(([name, cap, word, title]) => {
        const one = button("", () => this.keyboard.doing(name)(), title);
        one.append(el("kbd", {}, cap), " ", el("span", {}, word));
        one.dataset.key = name;
        one.setAttribute("aria-keyshortcuts", name);
        one.setAttribute("aria-label", say("{title}: {text}", { title: `${/^[A-Z]$/.test(cap) ? `${cap} ` : ""}${word}`, text: title }));
        return one;
      });
      const range = el("span", { class: "range" }, el("kbd", {}, ""), ` ${say("grade")}`);
      const caps = Object.values(CAUSE_KEYS).join(" ").toUpperCase();
      const causes = this.data.causes && !isLocked ? [el("span", { class: "caps" }, el("kbd", {}, caps), ` ${say("cause")}`)] : [];
      does.replaceChildren(range, ...causes, ...made);
    }
    does.querySelector(".range").hidden = isLocked;
    const { range } = this.criteria[this.focus] ?? this.data.rubric;
    does.querySelector(".range kbd").textContent = range ?? this.data.rubric.range;
    this.showPad();
  }

  showState() {
    const state = this.root.querySelector(".state");
    const isTyping = this.entry && !this.data.rubric.entry; // a digit that waits for a second one
    const open = this.unsaved.length + (isTyping ? 1 : 0);
    const slow = this.unsaved.length > 0 && Date.now() - this.unsaved[0].t > 3000;
    const kept = say("{n} not saved yet, kept in this browser", { n: open });
    const saved = this.savedAt ? say("saved {time}", { time: this.savedAt.toLocaleTimeString("en-GB") }) : "";
    state.className = slow ? "state slow" : "state";
    state.textContent = open ? (slow ? kept : say("saving …")) : saved;
    if (slow && !this.isSlow) this.hear(kept);
    if (!open && this.isSlow) this.hear(saved);
    this.isSlow = slow || (this.isSlow && open > 0);
    state.dataset.unsaved = open;
    if (this.isFinished() && !open) this.showRead();
  }
}
