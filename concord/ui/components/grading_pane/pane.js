// The grading pane. Every key is bound to the place and criterion on screen when it is pressed and
// carries an id of its own. It is kept in this browser until the server says that it is on disk;
// a key that is sent twice is saved once. The server's list of places is the truth, the keys not
// yet saved are laid over it.

const PANES = new WeakMap();
const PATIENCE_MS = 4_000;
const PROBLEM_MS = 15_000;
const BREAK_AFTER = 50; // answers without a pause of
const BREAK_MS = 300_000;
const HASTY_AFTER = 3; // answers in a row that were read faster than
const HASTY_WORDS = 10; // a second
const SECOND_DIGIT_MS = 1_000;

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

class Pane extends Screen {
  constructor(parent) {
    super();
    this.root = parent.querySelector("#pane");
    this.find = new Find(this);
    this.note = new Note(this);
    this.remarks = new Remarks(this);
    this.causes = new Causes(this);
    this.agreed = new Agreed(this);
    this.evidence = new Evidence(this);
    this.help = new Help(this);
    onPress(this.root.querySelector(".first"), () => this.toUngraded());
    const menu = this.root.querySelector(".menu");
    this.root.querySelector(".ways").addEventListener("beforetoggle", ({ target }) => {
      const { bottom, right } = menu.getBoundingClientRect();
      Object.assign(target.style, { top: `${bottom}px`, right: `${document.documentElement.clientWidth - right}px` });
    });
    this.clock = new Clock();
    this.outage = new Outage();
    this.data = null;
    this.texts = new Map();
    this.unsaved = [];
    this.losses = [];
    this.history = [];
    this.drafts = new Map();
    this.cursor = null;
    this.focus = 0;
    this.entry = "";
    this.raw = false;
    this.unfolds = false;
    this.goal = null;
    this.seq = Date.now();
    this.inFlight = 0;
    this.sentAt = 0;
    this.streak = 0;
    this.hasty = 0;
    this.completedAt = Date.now();
    this.counter = 0;
    this.keyboard = new Keyboard(this);
    this.beat = setInterval(() => this.tick(), 1000);
    this.onLeave = () => this.leave();
    window.addEventListener("pagehide", this.onLeave);
    this.onOther = ({ key, newValue }) => newValue === null && this.storage?.isKey(key) && this.wish();
    window.addEventListener("storage", this.onOther); // another tab has saved a key: what is there now?
  }

  close() {
    this.leave();
    window.removeEventListener("pagehide", this.onLeave);
    window.removeEventListener("storage", this.onOther);
    this.keyboard.close();
    this.clock.close();
    this.outage.close();
    this.evidence.close();
    clearInterval(this.beat);
    clearTimeout(this.soon);
  }

  // ---- what the server says ----

  receive(data, setStateValue) {
    this.set = setStateValue;
    const stood = this.data && this.cursor !== null ? this.criteria[this.focus]?.version : undefined;
    const wasClosed = this.closed;
    const isOther = this.language !== data.language;
    if (isOther) this.turnTo(data);
    this.closed = data.closed;
    if (data.closed) {
      this.inFlight = 0;
      return this.showClosed(data);
    }
    this.root.classList.remove("closed");
    const first = !this.storage;
    const fresh = first || this.data.session !== data.session;
    this.data = data;
    this.places = data.places.map((place) => place.id);
    this.slots = new Map(data.places.map((place) => [place.id, place.slots]));
    this.given = new Map(data.places.map((place) => [place.id, place.given]));
    this.training = new Map(data.places.filter((place) => place.training).map((place) => [place.id, place]));
    this.cases = new Map(data.places.filter((place) => place.seen).map((place) => [place.id, place]));
    this.own = new Map(data.places.filter((place) => place.own).map((place) => [place.id, { thread: place.own[0], correction: place.own[1] }]));
    for (const [id, text] of Object.entries(data.texts)) this.texts.set(Number(id), text);
    if (first) this.recall();
    this.acknowledge();
    this.forget();
    if (fresh || data.heard >= this.inFlight) this.inFlight = 0;
    const shown = this.cursor;
    const goal = this.texts.has(this.goal) ? this.goal : null;
    if (first) this.cursor = this.entrance();
    else if (goal !== null) [this.cursor, this.goal] = [goal, null];
    else if (this.cursor === null || !this.texts.has(this.cursor)) this.cursor = this.upcoming(null);
    if (this.cursor === shown) this.stay(stood);
    if (isOther) for (const box of [this.note, this.remarks]) box.name();
    if (first || wasClosed || shown !== this.cursor) this.arrive();
    else {
      if (isOther) this.showRead();
      this.refresh();
    }
    if (first) this.resume();
    // Drawn anew in the same session the pane has no texts, but the server believes what the last one had.
    if (first && this.places.some((place) => !this.texts.has(place))) this.wanted = true;
    if (!this.inFlight && (this.wanted || (fresh && this.unsaved.length))) this.send();
  }

  // Where the list of units was edited meanwhile one goes on at the same unit, or at the first open.
  stay(version) {
    if (this.criteria[this.focus]?.version === version) return;
    const same = this.criteria.findIndex((step) => step.version === version);
    const open = this.criteria.findIndex((step) => !this.grade(this.cursor, step.version));
    this.focus = same < 0 ? Math.max(0, open) : same;
    if (same < 0 && version) this.tell(say("The list was edited. This is the next ungraded item."));
  }

  acknowledge() {
    const { saved, refused } = this.data;
    const settled = new Set([...saved, ...Object.keys(refused)]);
    const before = this.unsaved.length;
    for (const key of this.unsaved) if (refused[key.press_id]) this.setAside(key, refused[key.press_id]);
    this.unsaved = this.unsaved.filter((key) => !settled.has(key.press_id));
    for (const id of settled) this.storage.drop(id);
    if (this.unsaved.length < before) this.savedAt = new Date();
    if (this.leaving && !this.unsaved.length) location.assign(this.leaving);
  }

  // A refused key does not block the keys after it. Its message stays until it is acknowledged: a fast
  // annotator would miss one that the next key clears. Its note is restored when the grade is repeated.
  setAside(key, why) {
    const told = { ...key, why };
    this.losses.push(told);
    this.storage.setAside(told);
    const id = `${key.place}|${key.version}`;
    if (key.note && key.version && !this.drafts.has(id)) this.drafts.set(id, key.note);
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
      set: this.data?.set ?? "",
      at: this.goal ?? this.cursor,
      language: this.picked,
      have: [...this.texts.values()].map((text) => text.token),
      keys: this.unsaved.map(({ n, t, ...key }) => key),
    });
  }

  // One batch is under way at a time; what is pressed meanwhile goes with the next.
  wish() {
    this.wanted = true;
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.wanted && !this.inFlight && this.send(), 0);
  }

  // Sent again after a while without an answer, less often where the answer was a problem.
  tick() {
    const patience = this.closed || this.data?.problem ? PROBLEM_MS : PATIENCE_MS;
    const waiting = this.unsaved.length || this.inFlight;
    if (waiting && Date.now() - this.sentAt > patience) this.send();
    if (this.storage && !this.closed) this.showState();
  }

  // ---- what was kept in this browser ----

  recall() {
    const { database, set, grader_id } = this.data;
    this.storage = new Storage(`${database}.${set}.${grader_id}`);
    this.unsaved = this.storage.keys();
    this.losses = this.storage.refused();
    this.root.classList.toggle("meanings", Boolean(this.storage.meanings()));
    this.recovered = this.unsaved.length;
    const { read = {}, notes = [], quotes = [], comments = [], writing = null } = this.storage.left() ?? {};
    this.clock.read = read;
    this.drafts = new Map(notes);
    this.evidence.drafts = new Map(quotes);
    this.agreed.drafts = new Map(comments);
    this.writing = writing;
  }

  // What is not stored yet waits in this tab, as for a reload.
  leave() {
    this.settle();
    this.clock.tick();
    const writing = this.note.begun() ?? this.remarks.begun();
    const comments = [...this.agreed.drafts];
    this.storage?.leave({ read: this.clock.read, notes: [...this.drafts], quotes: [...this.evidence.drafts], comments, writing });
  }

  // Where a reload goes on: where something was being written, else where it was, unless keys
  // recovered here settle that answer.
  entrance() {
    const at = this.writing?.place ?? this.data.at;
    const isSettled = !this.writing && this.recovered && this.isDone(at);
    return this.texts.has(at) && !isSettled ? at : this.upcoming(null);
  }

  // What was being written is open again, as it was.
  resume() {
    const { place, version, kind, text } = this.writing ?? {};
    this.writing = null;
    if (place === undefined || place !== this.cursor) return;
    const index = this.criteria.findIndex((step) => step.version === version);
    if (kind) this.remarks.open(kind, text);
    else if (index >= 0) {
      this.turn(index - this.focus);
      this.note.open(text);
    }
  }

  // ---- grades: the server's, with the unsaved keys over them ----

  grade(place, version) {
    for (let i = this.unsaved.length - 1; i >= 0; i--) {
      const key = this.unsaved[i];
      if (key.place === place && key.version === version) {
        return key.status === "withdrawn" ? null : key;
      }
    }
    return graded(this.given.get(place)?.[version]);
  }

  // What stood there one after the other, null for no grade; an undo goes back by one.
  stood(place, version) {
    const given = this.given.get(place)?.[version];
    const stack = given ? [null, ...given[5].map(graded), graded(given)] : [null];
    this.unsaved.forEach((key, index) => {
      if (key.place !== place || key.version !== version) return;
      const now = key.status === "withdrawn" ? null : { ...key, order: 1e12 + index };
      if (key.undo && stack.length > 1) stack.pop();
      if (!isAlike(stack.at(-1), now)) stack.push(now);
      else if (!key.undo) stack[stack.length - 1] = now;
    });
    return stack;
  }

  // What is graded at the place on screen: the rubric's criteria, or the units of the answer.
  get criteria() {
    const { criteria, units, list } = this.data.rubric;
    const toDecide = this.data.causes && this.slots.get(this.cursor);
    if (toDecide) return criteria.filter((criterion) => toDecide.includes(criterion.version));
    if (!units) return criteria;
    const text = this.texts.get(this.cursor);
    if (!text) return [];
    text.made ??= text.steps.map((step) => ({
      ...(step.list ? list : criteria[0]),
      ...(step.list ? {} : { title: step.title }),
      version: step.slot, chunk: step.chunk, self: step.self, isList: step.list, isUnit: !step.list,
    }));
    return text.made;
  }

  // What is graded at a place, also where its texts are not here; of units only within the window.
  slotsOf(place) {
    return this.slots.get(place) ?? this.data.rubric.criteria.map((criterion) => criterion.version);
  }

  isDone(place) {
    return this.slotsOf(place).every((version) => this.grade(place, version));
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
      if (!given || this.training.has(place)) continue;
      const before = this.slotsOf(place).every((version) => given[version]);
      done += this.isDone(place) - before;
    }
    return done;
  }

  // ---- what the person does ----

  press(place, version, status, score = null, note = "", quote = "", undo = false) {
    if (this.data.locked) return this.tell(this.data.locked);
    const key = { press_id: crypto.randomUUID?.() ?? uuid(), place, version, status, score };
    Object.assign(key, { note: whole(note), quote, undo });
    const read = [...this.criteria, ...this.data.rubric.criteria].find((criterion) => criterion.version === version);
    if (read?.original) key.language = this.data.language;
    if (this.data.causes) key.seen = this.cases.get(place)?.seen;
    if (version) key.seconds = this.clock.take(place); // a flag, a correction and “later” leave the time to the grade
    const text = this.texts.get(place);
    if (text) text.seconds = (text.seconds ?? 0) + (key.seconds ?? 0);
    if (version) Object.assign(key, this.seen(place, version));
    key.t = Date.now();
    key.n = this.counter++;
    this.unsaved.push(key);
    this.stored = this.storage.keep(key);
    this.showState();
    this.wish();
  }

  // What was on screen: a grade given meanwhile in another window is not replaced unseen.
  seen(place, version) {
    const last = this.unsaved.findLast((key) => key.place === place && key.version === version);
    return { since: this.data.newest, after: last?.press_id };
  }

  // What follows a grade is returned where the answer is to stay on screen first.
  give(place, index, status, score = null, stays = false) {
    if (place === null || place !== this.cursor || !this.texts.has(place)) return this.refuse();
    if (this.data.locked) return this.tell(this.data.locked);
    const step = this.criteria[index];
    const { version } = step;
    const wasDone = this.isDone(place);
    const note = this.note.taken(place, version);
    this.press(place, version, status, score, note, this.evidence.taken(place, version));
    this.history.push({ place, version });
    this.lastText = null;
    this.done = told(step, this.grade(place, version));
    const onward = () => place === this.cursor && this.advance(place, index, wasDone);
    if (!stays) onward();
    else this.refresh();
    if (this.data.causes) this.causes.scored(place, step);
    return onward;
  }

  advance(place, index, wasDone) {
    clearTimeout(this.waiting);
    this.entry = "";
    const next = this.following(index, wasDone);
    if (next === undefined) return this.complete(place, wasDone);
    this.focus = next;
    this.refresh();
    this.announce(this.criteria[this.focus].title);
  }

  // Where a grade leads to on this answer; undefined where it leads away from it.
  following(index, wasDone = this.isDone(this.cursor)) {
    const count = this.criteria.length;
    const open = [...Array(count - 1).keys()]
      .map((step) => (index + 1 + step) % count)
      .find((i) => !this.grade(this.cursor, this.criteria[i].version));
    return open ?? (wasDone && index + 1 < count ? index + 1 : undefined);
  }

  // Of training what was agreed is shown first; a key leads on.
  complete(place, wasDone) {
    if (this.training.has(place)) return this.refresh();
    if (!wasDone) this.lengthenStreak(this.texts.get(place));
    const time = wasDone ? null : this.timeOfBlock(place);
    const given = this.criteria.map((step) => [this.grade(place, step.version), step]);
    const more = given.length > 12 ? " …" : "";
    const marks = () => given.slice(0, 12).map((one) => label(...one)).join(" · ");
    this.lastText = () => [
      say("Last answer: {grades}", { grades: `${marks()}${more}` }),
      ...(time === null ? [] : [say("Block done: {time}", { time: duration(time) }), "■"]),
    ].join(" ");
    this.go(this.upcoming(place));
  }

  // The seconds that its block took, where this was the last answer of it.
  timeOfBlock(place) {
    const of = ({ id }) => this.data.places.find((one) => one.id === id)?.block;
    const block = of({ id: place });
    const spent = this.data.spent?.[block];
    if (spent === undefined || this.places.some((id) => of({ id }) === block && !this.isDone(id))) return null;
    return this.unsaved.reduce((sum, key) => sum + (of({ id: key.place }) === block ? key.seconds ?? 0 : 0), spent);
  }

  // Who paused has had the break.
  lengthenStreak({ answer, seconds }) {
    this.hasty = countWords(answer) > HASTY_WORDS * seconds ? this.hasty + 1 : 0;
    const now = Date.now();
    this.streak = now - this.completedAt > BREAK_MS ? 1 : this.streak + 1;
    this.completedAt = now;
  }

  undo() {
    if (this.forgetDigit()) return;
    this.note.leave();
    const later = this.history.at(-1);
    if (later && later.version === null) {
      this.history.pop();
      return this.go(later.place);
    }
    if (this.evidence.undo()) return;
    const last = this.latest();
    if (!last) return this.tell(say("Nothing to undo here."));
    const { place, version } = last;
    const [before, taken] = this.stood(place, version).slice(-2);
    this.cursor = place;
    const step = this.criteria.find((one) => one.version === version);
    if (before) {
      const isMark = isSame(before, taken); // the note stays as it is
      this.press(place, version, before.status, before.score, (isMark ? taken : before).note, before.quote, true);
      this.done = isMark ? say("Undone.") : say("Previous grade restored: {grade}", { grade: step ? told(step, before) : before.score });
    } else {
      if (taken.note) this.drafts.set(`${place}|${version}`, taken.note);
      this.evidence.keep(place, version, taken.quote);
      this.press(place, version, "withdrawn", null, "", "", true);
      this.done = say("Undone.");
    }
    this.lastText = null;
    const said = this.done;
    this.go(place, Math.max(0, this.slotsOf(place).indexOf(version)));
    this.show(said);
  }

  // The last grade given here, else the newest one the server knows of.
  latest() {
    while (this.history.length) {
      const last = this.history.pop();
      if (last.version !== null && this.grade(last.place, last.version)) return last;
    }
    // The newest adjudication may be another adjudicator's, which one press must not withdraw.
    if (this.data.causes) return null;
    let newest = null;
    for (const place of this.places) {
      for (const version of this.slotsOf(place)) {
        const grade = this.stood(place, version).at(-1);
        if (grade && (!newest || grade.order > newest.order)) {
          newest = { place, version, order: grade.order };
        }
      }
    }
    return newest;
  }

  later() {
    this.settle(true);
    if (this.cursor === null) return this.refuse();
    const place = this.cursor;
    if (this.isDone(place)) return this.step(1); // there is nothing left to show it again for
    this.press(place, "", "later");
    this.history.push({ place, version: null });
    const said = say("This answer will be shown again at the end.");
    this.done = said;
    this.go(this.upcoming(place));
    this.show(said);
  }

  step(by) {
    this.settle(true);
    const list = this.list();
    const here = list.indexOf(this.cursor);
    const next = here < 0 ? (by < 0 ? list.length - 1 : -1) : here + by;
    const ends = by > 0 && this.training.has(this.cursor) && !this.training.has(list[next]);
    const first = ends ? this.upcoming(this.cursor) : null; // some may be graded where training came later
    if (first !== null) return this.go(first);
    if (list[next] !== undefined && this.texts.has(list[next])) return this.go(list[next]);
    if (by > 0) {
      const open = this.upcoming(this.cursor);
      const isEnd = open === null && this.data.whole && this.isDone(this.cursor);
      return open === null && !isEnd ? this.refuse() : this.go(open);
    }
    return this.tell(say("This is the first answer."));
  }

  toUngraded() {
    this.settle(true);
    const first = this.upcoming(null);
    return first === null && !this.data.whole ? this.refuse() : this.go(first);
  }

  turn(by) {
    this.settle(true);
    if (this.cursor === null) return this.refuse();
    this.note.leave();
    this.entry = "";
    this.causes.just = null;
    this.focus = (this.focus + by + this.criteria.length) % this.criteria.length;
    this.refresh();
  }

  go(place, focus = null) {
    this.show(""); // what was said is of the answer before
    this.note.leave();
    this.remarks.leave();
    this.goal = null;
    this.causes.just = null;
    this.cursor = place;
    this.arrive(focus);
    this.wish();
  }

  // A place anywhere in the queue; where its texts are not here they are asked for first.
  visit(place) {
    this.settle();
    if (this.texts.has(place)) return this.go(place);
    this.goal = place;
    this.wish();
  }

  // A score that is typed digit by digit; "" takes the last digit away.
  type(character) {
    if (this.cursor === null) return this.refuse();
    this.entry = character ? (this.entry + character).slice(0, 6) : this.entry.slice(0, -1);
    this.refresh();
  }

  // Where 10 is a score, a 1 waits a moment for a 0. Two presses are never two grades.
  begin() {
    this.forgetDigit();
    this.entry = "1";
    this.waiting = setTimeout(() => this.settle(), SECOND_DIGIT_MS);
    this.refresh();
    this.hear(say("1, or press 0 for 10"));
  }

  // The digit that waits is the score: its moment is over, or something else is done. What is done
  // belongs to the answer on screen, which stays until then.
  settle(stays = false) {
    if (!this.forgetDigit()) return undefined;
    const isThere = this.criteria[this.focus].levels.some((level) => level.score === 1);
    if (isThere) return this.give(this.cursor, this.focus, "scored", 1, stays);
    return this.tell(say("{score} is not on this scale.", { score: "1" }));
  }

  // Whether a digit waited, which now does not.
  forgetDigit() {
    clearTimeout(this.waiting);
    if (!this.entry || this.data.rubric.entry) return false;
    this.entry = "";
    this.refresh();
    return true;
  }

  enter() {
    const typed = this.entry;
    const scores = this.criteria[this.focus].levels.map((level) => level.score);
    if (typed && scores.includes(Number(typed))) {
      return this.give(this.cursor, this.focus, "scored", Number(typed));
    }
    this.entry = "";
    this.tell(typed ? say("{score} is not on this scale.", { score: typed }) : say("Type a score, then Enter."));
    this.refresh();
  }

  refuse() {
    this.root.classList.remove("refused");
    void this.root.offsetWidth;
    this.root.classList.add("refused");
    this.tell(this.isFinished() ? say("There is no answer left to grade.") : say("Loading the next answers …"));
  }

  isFinished() {
    return this.cursor === null && this.data.whole && this.places.every((place) => this.isDone(place));
  }

  // Whether keys are heard: not behind the list of keys.
  isReady() {
    return this.storage && !this.closed && this.root.isConnected && !this.help.isOpen();
  }

  escape() {
    clearTimeout(this.waiting);
    this.entry = "";
    this.root.querySelector(".ways").hidePopover();
    this.find.shut();
    this.remarks.shut();
    this.showMeanings(false);
    this.heed();
  }
}
