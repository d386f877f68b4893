// The work list of a review. Every key is bound to the entry that this component shows when it is
// pressed; it is laid over the list at once and kept until the server says it is on disk.
const LISTS = new WeakMap();
const PATIENCE_MS = 4_000;

export default function ({ data, setStateValue, parentElement }) {
  let pane = LISTS.get(parentElement);
  if (!pane) {
    pane = new Worklist(parentElement);
    LISTS.set(parentElement, pane);
  }
  pane.receive(data, setStateValue);
  return () => {
    pane.close();
    LISTS.delete(parentElement);
  };
}

class Worklist {
  constructor(parent) {
    this.root = parent.querySelector("#worklist");
    this.list = new List(this);
    this.entry = new Entry(this);
    this.clock = { tick() {} };
    this.open = { contexts: true };
    this.pending = [];
    this.given = [];
    this.counter = Date.now();
    this.seq = Date.now();
    this.inFlight = 0;
    this.keyboard = new Keys(this);
    this.form = this.root.querySelector("form.note");
    this.form.addEventListener("keydown", (event) => this.noteKey(event));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.beat = setInterval(() => this.tick(), 1000);
    this.sizes = new ResizeObserver(() => this.list.reveal());
    this.sizes.observe(this.list.root);
  }

  close() {
    this.keyboard.close();
    this.sizes.disconnect();
    clearInterval(this.beat);
  }

  // ---- what the server says ----

  receive(data, setStateValue) {
    this.set = setStateValue;
    const isOther = data.token !== this.data?.token;
    const isNew = isOther || data.page !== this.data?.page;
    const isNamed = this.data && data.who && data.who !== this.data.who;
    this.data = data;
    if (data.who) this.refused = false;
    this.entries = data.entries;
    this.pending = this.pending.filter((press) => press.n > data.done);
    if (data.heard >= this.inFlight) this.inFlight = 0;
    if (isNew || !this.entries.some((entry) => entry.id === this.at)) this.at = data.at;
    if (isNew) this.shut();
    if (isOther) this.given = [];
    this.paint(isNew);
    if (isNamed) this.root.focus({ preventScroll: true }); // the keys are heard again
    if (!this.inFlight && this.wanted) this.send();
  }

  isReady() {
    return Boolean(this.data);
  }

  current() {
    return this.entries.find((entry) => entry.id === this.at);
  }

  tagOf(id) {
    const waiting = this.pending.findLast((press) => press.id === id);
    if (waiting) return { decision: waiting.decision, note: waiting.note, who: this.data.who };
    return this.entries.find((entry) => entry.id === id) ?? { decision: "", note: "", who: "" };
  }

  // What can be done with an entry; nothing where there is none.
  kind(entry = this.current()) {
    return this.data.kinds[entry?.kind] ?? { decisions: [] };
  }

  pages() {
    return Math.ceil(this.data.total / this.data.size);
  }

  name(decision) {
    const every = Object.values(this.data.kinds).flatMap((one) => one.decisions);
    return every.find((one) => one.key === decision).name;
  }

  // ---- what the person does ----

  tag(decision) {
    const entry = this.current();
    if (!entry || !this.mayTag()) return;
    const before = this.tagOf(entry.id);
    this.given.push({ id: entry.id, decision: before.decision, note: before.note });
    this.press(entry.id, decision, before.note);
    this.say(decision ? this.name(decision) : say("withdraw"));
    if (decision) this.goOn();
    else this.paint();
  }

  // After a decision: to the next entry of the page without one, else to the next.
  goOn() {
    const rest = this.entries.slice(this.entries.indexOf(this.current()) + 1);
    const open = rest.find((one) => this.kind(one).decisions.length && !this.tagOf(one.id).decision);
    if (open) this.go(open.id);
    else this.step(1);
  }

  mayTag() {
    if (!this.kind().decisions.length) return false;
    if (this.data.who) return true;
    this.refused = true;
    this.paint();
    return false;
  }

  press(id, decision, note) {
    this.pending.push({ n: ++this.counter, id, decision, note: note ?? "", grader: this.data.grader_id });
    this.send();
  }

  undo() {
    const last = this.given.pop();
    if (!last) return this.news(say("Nothing to undo here."));
    if (!this.entries.some((entry) => entry.id === last.id)) this.wantedAt = last.id;
    this.press(last.id, last.decision, last.note);
    if (!this.wantedAt) this.go(last.id);
  }

  step(by) {
    const at = this.entries.findIndex((entry) => entry.id === this.at) + by;
    if (at >= 0 && at < this.entries.length) return this.go(this.entries[at].id);
    this.paint();
    const { page } = this.data;
    if (by > 0 && page < this.pages()) this.turn(1);
    else if (by < 0 && page > 1) this.turn(-1);
    else this.news(by > 0 ? say("This is the end of the list.") : say("This is the beginning of the list."));
  }

  go(id) {
    if (id !== this.at) this.shut();
    this.at = id;
    this.paint(true);
    this.send();
  }

  turn(by) {
    this.wantedPage = this.data.page + by;
    this.send();
  }

  unfold(name) {
    const part = this.root.querySelector(`details.${name}`);
    if (!part) return;
    part.open = !part.open;
    const texts = this.root.querySelector(".texts");
    if (part.open) texts.scrollTop += part.getBoundingClientRect().top - texts.getBoundingClientRect().top - 12;
  }

  unfolded(name, isOpen) {
    if (Boolean(this.open[name]) === isOpen) return;
    this.open[name] = isOpen;
    if (name === "prompt" && isOpen) this.send();
  }

  openNote() {
    const entry = this.current();
    if (!entry || !this.mayTag()) return;
    this.noteOf = entry.id;
    this.form.hidden = false;
    this.field().value = this.tagOf(entry.id).note;
    this.field().focus();
  }

  field() {
    return this.form.querySelector("textarea");
  }

  noteKey(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") this.shut();
    else if (event.key === "Enter" && !event.shiftKey) this.keepNote();
    else return;
    this.root.focus({ preventScroll: true });
    event.preventDefault();
    event.stopPropagation();
  }

  keepNote() {
    const before = this.tagOf(this.noteOf);
    const note = this.field().value.trim();
    if (note !== before.note) {
      this.given.push({ id: this.noteOf, decision: before.decision, note: before.note });
      this.press(this.noteOf, before.decision, note);
    }
    this.shut();
    this.paint();
  }

  shut() {
    this.form.hidden = true;
    this.noteOf = null;
  }

  // ---- to the server ----

  send() {
    if (this.inFlight) {
      this.wanted = true;
      return;
    }
    this.wanted = false;
    this.inFlight = ++this.seq;
    this.sentAt = Date.now();
    this.set("batch", {
      seq: this.seq,
      token: this.data.token,
      ...this.place(),
      prompt: Boolean(this.open.prompt),
      presses: this.pending,
    });
    this.wantedPage = this.wantedAt = null;
  }

  // The position to show: an entry of another page, another page, or the present one.
  place() {
    const { page } = this.data;
    if (this.wantedAt) return { page: null, at: this.wantedAt };
    if (this.wantedPage) return { page: this.wantedPage, at: this.wantedPage < page ? "last" : "first" };
    return { page, at: this.at };
  }

  tick() {
    const waiting = this.inFlight || this.pending.length;
    if (!waiting || Date.now() - this.sentAt <= PATIENCE_MS) return;
    this.inFlight = 0;
    this.send();
  }

  // ---- on screen ----

  paint(isMoved = false) {
    const entry = this.current();
    const columns = [...this.root.querySelectorAll(".read, .texts")];
    const scrolled = columns.map((one) => one.scrollTop);
    const held = this.held();
    this.list.show();
    this.entry.show(entry);
    columns.forEach((one, place) => { one.scrollTop = isMoved ? 0 : scrolled[place]; });
    this.pad(entry);
    this.news(this.data.problem);
    this.root.querySelector(".state").textContent = this.state();
    if (held) this.giveBack(held);
    stand(entry ? entry.id : null);
  }

  // The focused element, by its part and index there, because it is about to be redrawn.
  held() {
    const one = this.root.getRootNode().activeElement;
    const part = one?.closest(".list, .read, .texts, .causes, .does");
    const place = part ? stops(part).indexOf(one) : -1;
    return place < 0 ? null : { part, place, isRow: one.matches(".row") };
  }

  // The focus goes along with the row that is chosen, and stays where it was on everything else.
  giveBack({ part, place, isRow }) {
    const one = isRow ? part.querySelector("[aria-current]") : stops(part)[place];
    (one && !one.disabled ? one : this.root).focus({ preventScroll: true });
  }

  pad(entry) {
    const { page } = this.data;
    const { decisions: every } = this.kind(entry);
    const decisions = this.data.locked ? [] : every;
    const held = entry ? this.tagOf(entry.id).decision : "";
    const may = Boolean(entry && this.data.who);
    const at = this.entries.indexOf(entry);
    const causes = decisions.map((one) => {
      const made = key(one.cap, one.name, () => this.tag(one.key));
      made.setAttribute("aria-pressed", String(one.key === held));
      made.disabled = !may;
      return made;
    });
    this.root.querySelector(".causes").replaceChildren(...causes);
    const unnamed = this.root.querySelector(".unnamed");
    unnamed.hidden = Boolean(this.data.who) || !every.length;
    if (this.data.locked) unnamed.textContent = this.data.locked;
    unnamed.classList.toggle("refused", Boolean(this.refused));
    const tagging = [
      key("N", say("note"), () => this.openNote(), may),
      key("0", say("withdraw"), () => this.tag(""), may && Boolean(held)),
      key("⌫", say("undo"), () => this.undo(), this.given.length > 0),
    ];
    this.root.querySelector(".does").replaceChildren(
      key("←", say("back"), () => this.step(-1), at > 0 || page > 1),
      key("→", say("next"), () => this.step(1), at < this.entries.length - 1 || page < this.pages()),
      ...(decisions.length ? tagging : []),
    );
  }

  state() {
    if (!this.entries.length) return "";
    const { page, size, total } = this.data;
    const at = (page - 1) * size + this.entries.findIndex((entry) => entry.id === this.at) + 1;
    const place = say("{at} of {total}", { at: at.toLocaleString("en"), total: total.toLocaleString("en") });
    if (this.pending.length) return say("{place} · {n} not saved yet", { place, n: this.pending.length });
    return this.data.who ? say("{place} · saved as {who}", { place, who: this.data.who }) : place;
  }

  news(text) {
    this.root.querySelector(".news").textContent = text ?? "";
  }

  say(text) {
    this.root.querySelector(".said").textContent = text;
  }

  scrolledByKeys() {
    return [this.scroller()];
  }

  scroller() {
    const at = this.root.getRootNode().activeElement?.closest(".texts");
    const column = at ?? this.root.querySelector(".read");
    return column.scrollHeight > column.clientHeight ? column : this.root.querySelector(".body");
  }
}

class Keys extends Keyboard {
  scoring(name) {
    const { pane } = this;
    const one = pane.kind().decisions.find(({ cap }) => cap.toLowerCase() === name);
    return one && (() => pane.tag(one.key));
  }

  doing(name) {
    const { pane } = this;
    return {
      0: () => pane.tag(""),
      Backspace: () => pane.undo(),
      z: () => pane.undo(),
      ArrowLeft: () => pane.step(-1),
      ArrowRight: () => pane.step(1),
      k: () => pane.step(-1),
      j: () => pane.step(1),
      n: () => pane.openNote(),
      o: () => pane.unfold("contexts"),
      p: () => pane.unfold("prompt"),
    }[name];
  }
}

function key(name, text, does, works = true) {
  const made = button("", does);
  made.disabled = !works;
  made.append(el("kbd", {}, name), ` ${text}`);
  return made;
}

function stops(part) {
  return [...part.querySelectorAll("button, summary")];
}

// Where the reader is, in the URL, without a new entry in the history for every step.
function stand(id) {
  const url = new URL(location.href);
  if (id === null) url.searchParams.delete("entry");
  else url.searchParams.set("entry", id);
  history.replaceState(history.state, "", url);
}
