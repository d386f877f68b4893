// The grading pane. Every key is bound to the place and criterion on screen when it is pressed and
// carries an id of its own. It is kept in this browser until the server says that it is on disk;
// a key that is sent twice is saved once. The server's list of places is the truth, the keys not
// yet saved are laid over it.

const PANES = new WeakMap();
const IDLE_MS = 60_000;
const PATIENCE_MS = 4_000;
const PROBLEM_MS = 15_000;
const BREAK_AFTER = 50;
const DOES = [
  ["Backspace", "⌫", "undo", "Take the last grade back"],
  ["ArrowLeft", "←", "back", "One answer back"],
  ["ArrowRight", "→", "next", "One answer on, without a grade"],
  ["u", "U", "cannot grade", "This criterion cannot be graded here"],
  ["s", "S", "later", "Show this answer again at the end"],
  ["n", "N", "note", "Write a note on this grade"],
  ["/", "/", "find", "Find in answer and contexts"],
  ["?", "?", "keys", "Show all keys"],
];
const MORE = [
  ["J", "to the next criterion of this answer"],
  ["K", "to the criterion before"],
  ["M", "the answer as plain text, and back"],
  ["O", "unfold all contexts, and fold them"],
  ["Z", "undo, like ⌫"],
  ["↑ ↓ Space", "scroll"],
  ["Esc", "close what is open"],
];

export default function ({ data, setStateValue, parentElement }) {
  let pane = PANES.get(parentElement);
  if (!pane) {
    pane = new Pane(parentElement);
    PANES.set(parentElement, pane);
  }
  pane.receive(data, setStateValue);
  return () => {
    pane.close();
    PANES.delete(parentElement);
  };
}

class Pane {
  constructor(parent) {
    this.root = parent.querySelector("#pane");
    this.find = new Find(this);
    this.note = new Note(this);
    this.clock = new Clock();
    this.data = null;
    this.texts = new Map();
    this.unsaved = [];
    this.history = [];
    this.drafts = new Map();
    this.cursor = null;
    this.focus = 0;
    this.entry = "";
    this.raw = false;
    this.seq = Date.now();
    this.inFlight = 0;
    this.sentAt = 0;
    this.streak = 0;
    this.counter = 0;
    this.listen();
  }

  // ---- what the server says ----

  receive(data, setStateValue) {
    this.set = setStateValue;
    const first = this.data === null;
    const fresh = first || this.data.session !== data.session;
    this.data = data;
    if (data.closed) return this.showClosed(data.closed);
    this.criteria = data.rubric.criteria;
    this.places = data.places.map((place) => place.id);
    this.given = new Map(data.places.map((place) => [place.id, place.given]));
    for (const [id, text] of Object.entries(data.texts)) this.texts.set(Number(id), text);
    if (first) this.recall();
    this.acknowledge();
    this.forget();
    if (fresh || data.heard >= this.inFlight) this.inFlight = 0;
    const shown = this.cursor;
    if (first) this.cursor = this.entrance();
    else if (this.cursor === null || !this.texts.has(this.cursor)) this.cursor = this.upcoming(null);
    if (first || shown !== this.cursor) this.arrive();
    else this.refresh();
    if (!this.inFlight && (this.wanted || (fresh && this.unsaved.length))) this.send();
  }

  acknowledge() {
    const settled = new Set([...this.data.saved, ...Object.keys(this.data.refused)]);
    const before = this.unsaved.length;
    this.unsaved = this.unsaved.filter((key) => !settled.has(key.press_id));
    for (const id of settled) this.storage.drop(id);
    if (this.unsaved.length < before) this.savedAt = new Date();
    const lost = Object.values(this.data.refused);
    if (before > this.unsaved.length && lost.length) {
      this.lost = `${lost.length === 1 ? "One key was" : `${lost.length} keys were`} not saved: ${lost[0]}.`;
    }
  }

  // Texts outside the window are let go of, but for the one on screen.
  forget() {
    const kept = new Set([...this.places, this.cursor, ...this.history.slice(-3).map((h) => h.place)]);
    for (const id of this.texts.keys()) if (!kept.has(id)) this.texts.delete(id);
  }

  send() {
    this.wanted = false;
    this.inFlight = ++this.seq;
    this.sentAt = Date.now();
    this.set("batch", {
      seq: this.seq,
      set: this.data.set,
      at: this.cursor,
      have: [...this.texts.keys()],
      keys: this.unsaved.map(({ n, t, ...key }) => key),
    });
  }

  // One batch is under way at a time; what is pressed meanwhile goes with the next.
  wish() {
    this.wanted = true;
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.wanted && !this.inFlight && this.send(), 0);
  }

  tick() {
    const patience = this.data?.problem ? PROBLEM_MS : PATIENCE_MS;
    const waiting = this.unsaved.length || this.inFlight;
    if (waiting && Date.now() - this.sentAt > patience && !this.data.closed) this.send();
    if (this.data && !this.data.closed) this.showState();
  }

  // ---- what was kept in this browser ----

  recall() {
    const { database, set, grader_id } = this.data;
    this.storage = new Storage(`concord.1.${database}.${set}.${grader_id}.`);
    this.unsaved = this.storage.keys();
    this.recovered = this.unsaved.length;
  }

  // Where a reload goes on: where it was, unless keys recovered here settle that answer.
  entrance() {
    for (const id of [this.storage.place(), this.data.at]) {
      if (this.texts.has(id) && !(this.recovered && this.isDone(id))) return id;
    }
    return this.upcoming(null);
  }

  // ---- grades: the server's, with the unsaved keys over them ----

  grade(place, version) {
    for (let i = this.unsaved.length - 1; i >= 0; i--) {
      const key = this.unsaved[i];
      if (key.place === place && key.version === version) {
        return key.status === "withdrawn" ? null : { ...key, order: Infinity };
      }
    }
    const given = this.given.get(place)?.[version];
    return given ? { order: given[0], status: given[1], score: given[2], note: given[3] } : null;
  }

  isDone(place) {
    return this.criteria.every((criterion) => this.grade(place, criterion.version));
  }

  list() {
    const later = new Set(this.unsaved.filter((k) => k.status === "later").map((k) => k.place));
    return this.places.filter((id) => !later.has(id) || this.isDone(id));
  }

  upcoming(after) {
    const list = this.list();
    const from = list.indexOf(after) + 1;
    const left = [...list.slice(from), ...list.slice(0, from)];
    return left.find((id) => id !== after && this.texts.has(id) && !this.isDone(id)) ?? null;
  }

  progress() {
    let done = this.data.done;
    for (const place of new Set(this.unsaved.map((key) => key.place))) {
      const given = this.given.get(place);
      if (!given) continue;
      const before = this.criteria.every((criterion) => given[criterion.version]);
      done += this.isDone(place) - before;
    }
    return done;
  }

  // ---- what the person does ----

  press(place, version, status, score = null, note = "") {
    const key = { press_id: crypto.randomUUID?.() ?? uuid(), place, version, status, score, note };
    key.seconds = this.clock.take();
    key.t = Date.now();
    key.n = this.counter++;
    this.unsaved.push(key);
    this.stored = this.storage.keep(key);
    this.lost = "";
    this.wish();
  }

  give(place, index, status, score = null) {
    if (place === null || place !== this.cursor || !this.texts.has(place)) return this.refuse();
    const { version } = this.criteria[index];
    const wasDone = this.isDone(place);
    const note = this.note.taken(place, version);
    this.press(place, version, status, score, note);
    this.history.push({ place, version });
    this.advance(place, index, wasDone);
  }

  advance(place, index, wasDone) {
    this.entry = "";
    const count = this.criteria.length;
    const open = [...Array(count).keys()]
      .map((step) => (index + 1 + step) % count)
      .find((i) => !this.grade(place, this.criteria[i].version));
    if (open !== undefined) this.focus = open;
    else if (wasDone && index + 1 < count) this.focus = index + 1;
    else return this.complete(place, wasDone);
    this.refresh();
  }

  complete(place, wasDone) {
    if (!wasDone) this.streak += 1;
    const marks = this.criteria.map((c) => label(this.grade(place, c.version)));
    this.lastText = `Last answer: ${marks.join(" · ")}`;
    this.go(this.upcoming(place));
  }

  undo() {
    this.note.leave();
    const later = this.history.at(-1);
    if (later && later.version === null) {
      this.history.pop();
      return this.go(later.place);
    }
    const last = this.latest();
    if (!last) return this.say("There is nothing to take back here.");
    const { note } = this.grade(last.place, last.version);
    if (note) this.drafts.set(`${last.place}|${last.version}`, note);
    this.press(last.place, last.version, "withdrawn");
    this.lastText = "";
    this.go(last.place, this.criteria.findIndex((c) => c.version === last.version));
    this.say("Taken back.");
  }

  // The last grade given here, else the newest one the server knows of.
  latest() {
    while (this.history.length) {
      const last = this.history.pop();
      if (last.version !== null && this.grade(last.place, last.version)) return last;
    }
    let newest = null;
    for (const place of this.places) {
      for (const { version } of this.criteria) {
        const grade = this.grade(place, version);
        if (grade && (!newest || grade.order > newest.order)) {
          newest = { place, version, order: grade.order };
        }
      }
    }
    return newest;
  }

  later() {
    if (this.cursor === null) return this.refuse();
    const place = this.cursor;
    this.press(place, "", "later");
    this.history.push({ place, version: null });
    this.go(this.upcoming(place));
    this.say("This answer comes back at the end.");
  }

  step(by) {
    const list = this.list();
    const here = list.indexOf(this.cursor);
    const next = here < 0 ? (by < 0 ? list.length - 1 : -1) : here + by;
    if (list[next] !== undefined && this.texts.has(list[next])) return this.go(list[next]);
    if (by > 0) {
      const open = this.upcoming(this.cursor);
      return open === null ? this.refuse() : this.go(open);
    }
    return this.say("This is the first answer.");
  }

  turn(by) {
    this.note.leave();
    this.entry = "";
    this.focus = (this.focus + by + this.criteria.length) % this.criteria.length;
    this.refresh();
  }

  go(place, focus = null) {
    this.note.leave();
    this.cursor = place;
    this.arrive(focus);
    this.wish();
  }

  refuse() {
    this.root.classList.remove("refused");
    void this.root.offsetWidth;
    this.root.classList.add("refused");
    this.say(this.isFinished() ? "There is no answer left to grade." : "Loading the next answers …");
  }

  isFinished() {
    return this.cursor === null && this.data.whole && !this.unsaved.some((k) => k.status === "later");
  }

  type(character) {
    if (this.cursor === null) return this.refuse();
    if (this.entry.length < 6) this.entry += character;
    this.refresh();
  }

  enter() {
    const scores = this.criteria[this.focus].levels.map((level) => level.score);
    const score = Number(this.entry);
    if (this.entry === "" || !scores.includes(score)) {
      this.say(`${this.entry || "Nothing"} is not on the scale.`);
      this.entry = "";
      return this.refresh();
    }
    return this.give(this.cursor, this.focus, "scored", score);
  }

  // ---- keys ----

  listen() {
    this.onKey = (event) => this.key(event);
    this.onActive = () => this.clock.tick();
    this.onSeen = () => this.clock.seen();
    document.addEventListener("keydown", this.onKey);
    for (const name of ["pointermove", "pointerdown", "wheel", "touchmove"]) {
      document.addEventListener(name, this.onActive, { passive: true });
    }
    document.addEventListener("visibilitychange", this.onSeen);
    this.beat = setInterval(() => this.tick(), 1000);
  }

  close() {
    document.removeEventListener("keydown", this.onKey);
    for (const name of ["pointermove", "pointerdown", "wheel", "touchmove"]) {
      document.removeEventListener(name, this.onActive);
    }
    document.removeEventListener("visibilitychange", this.onSeen);
    clearInterval(this.beat);
    clearTimeout(this.soon);
  }

  key(event) {
    if (!this.data || this.data.closed || !this.root.isConnected || event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.composedPath()[0];
    if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    const name = keyName(event);
    const pressed = target.tagName === "BUTTON" || target.tagName === "A" || target.tagName === "SUMMARY";
    if (pressed && (name === "Enter" || name === " ")) return;
    this.clock.tick();
    if (this.scroll(name, event)) return event.preventDefault();
    const does = this.meaning(name);
    if (!does) return;
    event.preventDefault();
    if (!event.repeat) does();
  }

  meaning(name) {
    const { entry } = this.data.rubric;
    if (entry && /^[0-9-]$/.test(name)) return () => this.type(name);
    if (entry && name === "Enter") return () => this.enter();
    if (entry && this.entry && name === "Backspace") {
      return () => { this.entry = this.entry.slice(0, -1); this.refresh(); };
    }
    const level = this.criteria[this.focus].levels.find((one) => one.key === name);
    if (level && !entry) return () => this.give(this.cursor, this.focus, "scored", level.score);
    if (/^[0-9]$/.test(name)) {
      return () => this.say(`${name} is not on this scale.`);
    }
    return {
      Backspace: () => this.undo(),
      z: () => this.undo(),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      u: () => this.give(this.cursor, this.focus, "cannot_grade"),
      s: () => this.later(),
      n: () => this.note.open(),
      j: () => this.turn(1),
      k: () => this.turn(-1),
      m: () => this.switchRaw(),
      o: () => this.unfold(),
      "/": () => this.find.open(),
      "?": () => this.showHelp(),
      Escape: () => this.escape(),
    }[name];
  }

  scroll(name, event) {
    const read = this.root.querySelector(".read");
    const page = read.clientHeight * 0.85;
    const by = {
      ArrowDown: 60, ArrowUp: -60, PageDown: page, PageUp: -page,
      " ": event.shiftKey ? -page : page, Home: -1e7, End: 1e7,
    }[name];
    if (by !== undefined) (this.isNarrow() ? this.root.querySelector(".body") : read).scrollBy(0, by);
    return by !== undefined;
  }

  isNarrow() {
    return getComputedStyle(this.root.querySelector(".body")).display === "block";
  }

  escape() {
    this.entry = "";
    this.root.querySelector(".help").hidden = true;
    this.find.shut();
    this.refresh();
  }

  switchRaw() {
    this.raw = !this.raw;
    this.showRead();
  }

  unfold() {
    const all = [...this.root.querySelectorAll(".context")];
    const open = all.some((context) => !context.classList.contains("open"));
    for (const context of all) fold(context, open);
  }

  // ---- what is on screen ----

  arrive(focus = null) {
    this.find.shut();
    this.entry = "";
    this.clock.start();
    const open = this.criteria.findIndex((c) => !this.grade(this.cursor, c.version));
    this.focus = focus ?? Math.max(0, open);
    this.storage.stand(this.cursor);
    this.showRead();
    this.refresh();
    for (const part of this.root.querySelectorAll(".read, .body, .rubric")) part.scrollTop = 0;
    if (this.cursor === null) return;
    const question = this.texts.get(this.cursor).question;
    this.say(`Answer ${this.number()} of ${this.data.total}. ${question}`);
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

  refresh() {
    this.showTop();
    this.showNews();
    this.showRubric();
    this.showKeys();
    this.showState();
  }

  showClosed(sentence) {
    this.root.querySelector(".read").replaceChildren(el("div", { class: "end" }, el("h2", {}, sentence)));
    for (const part of [".rubric", ".pad", ".does", ".steps"]) this.root.querySelector(part).replaceChildren();
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
    all.classList.add("switch");
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
  }

  large(criterion, index, opened) {
    const place = this.cursor;
    const grade = this.grade(place, criterion.version);
    const made = el("section", { class: "criterion focused", "aria-current": "step" },
      el("h3", {}, criterion.title), el("p", { class: "asks" }, criterion.question));
    const levels = el("div", { class: "levels", role: "group", "aria-label": criterion.title });
    for (const band of bands(criterion.levels)) {
      const chosen = grade?.status === "scored" && band.some((level) => level.score === grade.score);
      const keys = band.map((level) => {
        const chosenOne = grade?.status === "scored" && level.score === grade.score;
        const one = el("button", { type: "button", class: "score", "aria-pressed": String(chosenOne) }, String(level.score));
        one.setAttribute("aria-label", `${criterion.title} ${level.score}: ${level.meaning}`);
        if (level.key) one.setAttribute("aria-keyshortcuts", level.key);
        if (level.key && level.key !== String(level.score)) one.append(el("kbd", {}, level.key.toUpperCase()));
        one.addEventListener("click", (event) => { event.stopPropagation(); this.give(place, index, "scored", level.score); });
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
        const one = button("", () => this.meaning(name)?.(), title);
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

// Seconds of attention: not while the tab is hidden, at most a minute without a sign of life.
class Clock {
  start() {
    this.active = 0;
    this.at = performance.now();
  }

  tick() {
    const now = performance.now();
    if (!document.hidden) this.active += Math.min(now - this.at, IDLE_MS);
    this.at = now;
  }

  seen() {
    const now = performance.now();
    if (document.hidden) this.active += Math.min(now - this.at, IDLE_MS);
    this.at = now;
  }

  take() {
    this.tick();
    const seconds = Math.round(this.active / 10) / 100;
    this.active = 0;
    return seconds;
  }
}

class Storage {
  constructor(prefix) {
    this.prefix = prefix;
  }

  keys() {
    const found = [];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const name = localStorage.key(i);
        if (name.startsWith(this.prefix)) found.push(JSON.parse(localStorage.getItem(name)));
      }
    } catch { /* a browser without storage keeps nothing */ }
    return found.sort((a, b) => a.t - b.t || a.n - b.n);
  }

  keep(key) {
    try {
      localStorage.setItem(this.prefix + key.press_id, JSON.stringify(key));
      return true;
    } catch {
      return false;
    }
  }

  drop(pressId) {
    try { localStorage.removeItem(this.prefix + pressId); } catch { /* nothing was kept */ }
  }

  stand(place) {
    try { sessionStorage.setItem(`${this.prefix}at`, place ?? ""); } catch { /* the URL knows */ }
  }

  place() {
    try { return Number(sessionStorage.getItem(`${this.prefix}at`)) || null; } catch { return null; }
  }
}

class Note {
  constructor(pane) {
    this.pane = pane;
    this.form = pane.root.querySelector(".note");
    this.area = this.form.querySelector("textarea");
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.form.addEventListener("submit", (event) => event.preventDefault());
  }

  open() {
    const { pane } = this;
    if (pane.cursor === null) return pane.refuse();
    const { version, title } = pane.criteria[pane.focus];
    this.place = pane.cursor;
    this.version = version;
    this.area.value = pane.grade(this.place, version)?.note || pane.drafts.get(this.id()) || "";
    this.form.querySelector("label").textContent = `Note on ${title.toLowerCase()}`;
    this.form.hidden = false;
    this.area.focus();
  }

  id() {
    return `${this.place}|${this.version}`;
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") this.shut();
    else if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); this.leave(); }
    else return;
    event.stopPropagation();
    this.pane.root.focus({ preventScroll: true });
  }

  // Whatever is written is kept when the pane moves on.
  leave() {
    if (this.form.hidden) return;
    const { pane, place, version } = this;
    const text = this.area.value.trim();
    const grade = pane.grade(place, version);
    this.shut();
    if (!grade) pane.drafts.set(this.id(), text);
    else if (grade.note !== text) pane.press(place, version, grade.status, grade.score, text);
    pane.refresh();
  }

  // The note that goes with a grade given now.
  taken(place, version) {
    if (!this.form.hidden && this.place === place && this.version === version) {
      this.pane.drafts.set(this.id(), this.area.value.trim());
      this.shut();
    }
    const id = `${place}|${version}`;
    const text = this.pane.drafts.get(id) ?? this.pane.grade(place, version)?.note ?? "";
    this.pane.drafts.delete(id);
    return text;
  }

  shut() {
    this.form.hidden = true;
  }
}

class Find {
  constructor(pane) {
    this.pane = pane;
    this.marks = [];
    this.input = el("input", { type: "search", placeholder: "Find", "aria-label": "Find in answer and contexts" });
    this.count = el("span", {});
    const close = button("Close", () => { this.shut(); this.pane.root.focus({ preventScroll: true }); });
    this.box = el("div", { class: "find", role: "search" }, this.input, this.count, close);
    this.input.addEventListener("input", () => this.mark());
    this.input.addEventListener("keydown", (event) => this.key(event));
  }

  open() {
    this.pane.root.querySelector(".body").before(this.box);
    this.input.focus();
    this.input.select();
  }

  shut() {
    this.clear();
    this.box.remove();
    this.input.value = "";
  }

  key(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") { this.shut(); this.pane.root.focus({ preventScroll: true }); }
    else if (event.key === "Enter") this.to(this.at + (event.shiftKey ? -1 : 1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  clear() {
    for (const mark of this.marks) {
      const { parentNode } = mark;
      mark.replaceWith(mark.firstChild);
      parentNode.normalize();
    }
    this.marks = [];
    this.count.textContent = "";
  }

  mark() {
    this.clear();
    if (!this.input.value.trim()) return;
    const wanted = new RegExp(this.input.value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "iu");
    const read = this.pane.root.querySelector(".read");
    for (const part of read.querySelectorAll(".answer, .context .plain")) this.markIn(part, wanted);
    for (const mark of this.marks) {
      const context = mark.closest(".context");
      if (context) fold(context, true);
    }
    this.to(0);
  }

  markIn(part, wanted) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const start of nodes) {
      let node = start;
      let found = wanted.exec(node.data);
      while (found && this.marks.length < 2000) {
        const hit = node.splitText(found.index);
        node = hit.splitText(found[0].length);
        const mark = el("mark", {});
        hit.replaceWith(mark);
        mark.append(hit);
        this.marks.push(mark);
        found = wanted.exec(node.data);
      }
    }
  }

  to(index) {
    const count = this.marks.length;
    this.at = count ? (index + count) % count : 0;
    this.count.textContent = count ? `${this.at + 1} of ${count}` : "not found";
    this.marks.forEach((mark, i) => mark.classList.toggle("here", i === this.at));
    this.marks[this.at]?.scrollIntoView({ block: "center" });
  }
}

// The name of a key whatever the keyboard's layout or input method makes of it.
function keyName(event) {
  const { key, code = "" } = event;
  if (key === "/" || key === "?") return key;
  const typed = key.length === 1 ? key.normalize("NFKC").toLowerCase() : "";
  if (/^[a-z0-9 -]$/.test(typed)) return typed;
  if (key.length > 1 && !["Process", "Unidentified", "Dead"].includes(key)) return key;
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(code);
  if (digit && !event.shiftKey) return digit[1];
  const letter = /^Key([A-Z])$/.exec(code);
  return letter ? letter[1].toLowerCase() : key;
}

// Neighbouring scores with one meaning are shown as one band.
function bands(levels) {
  const made = [];
  for (const level of levels) {
    const band = made.at(-1);
    if (band && band[0].meaning === level.meaning) band.push(level);
    else made.push([level]);
  }
  return made;
}

// The words before a colon say the level in short.
function meaning(text) {
  const at = text.indexOf(": ");
  return at > 0 && at < 50 ? [el("b", {}, text.slice(0, at + 1)), text.slice(at + 1)] : [text];
}

function label(grade) {
  return grade?.status === "scored" ? String(grade.score) : "cannot grade";
}

function duration(seconds) {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 90) return `~${minutes} min`;
  return `~${Math.round(minutes / 6) / 10} h`;
}

// The same page without the grader and the place: asks who grades.
function elsewhere() {
  const query = new URLSearchParams(location.search);
  query.delete("grader");
  query.delete("item");
  if (query.get("view") !== "grader") query.delete("set");
  return `?${query}`;
}

function fold(context, open) {
  context.classList.toggle("open", open);
  context.querySelector("button").setAttribute("aria-expanded", String(open));
}

function section(title, ...children) {
  return el("section", {}, el("h3", {}, title), ...children);
}

// Rendered and made safe on the server.
function markdown(html) {
  const made = el("div", { class: "markdown" });
  made.innerHTML = html;
  return made;
}

function button(text, does, title = "") {
  const made = el("button", { type: "button" }, text);
  if (title) made.title = title;
  made.addEventListener("click", does);
  return made;
}

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// crypto.randomUUID is only there on localhost and https.
function uuid() {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0"));
  return hex.join("");
}
