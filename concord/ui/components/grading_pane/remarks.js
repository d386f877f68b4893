// What an annotator writes on an answer besides grades: a flag for the lead, and a corrected answer.
// Both are stored and sent like keys; only the lead and this annotator read them.
class Remarks {
  constructor(pane) {
    this.pane = pane;
    this.back = null; // where the annotator was before a reply was shown
    this.shown = pane.root.querySelector(".remarks");
    this.form = pane.root.querySelector(".remark");
    this.area = this.form.querySelector("textarea");
    this.area.addEventListener("keydown", (event) => this.key(event));
    const [save, cancel] = this.form.querySelectorAll("button");
    save.addEventListener("click", () => this.end());
    cancel.addEventListener("click", () => { this.shut(); this.end(); });
    this.form.addEventListener("submit", (event) => event.preventDefault());
  }

  open(kind, begun = null) {
    const { pane } = this;
    pane.note.leave();
    this.leave();
    this.onward = pane.settle(true);
    if (pane.cursor === null || !pane.texts.has(pane.cursor)) return pane.refuse();
    this.place = pane.cursor;
    this.kind = kind;
    const isFlag = kind === "flag";
    this.before = isFlag ? "" : this.correction(this.place) || pane.texts.get(this.place).answer;
    this.area.value = begun ?? this.before;
    this.area.rows = isFlag ? 2 : 6;
    this.name();
    this.form.hidden = false;
    this.area.focus();
  }

  name() {
    const isFlag = this.kind === "flag";
    const text = isFlag ? say("Flag for the lead") : say("Corrected answer");
    this.form.querySelector("label").textContent = this.pane.ofPlace(text);
    this.form.querySelector("p").textContent = isFlag
      ? say("Enter sends the flag, Shift+Enter starts a new line, Escape discards it. Only leads read it.")
      : say("Ctrl+Enter saves the corrected answer, Escape discards the change. Leave it empty to withdraw it.");
    this.form.querySelector("button").textContent = isFlag ? say("Send") : say("Save");
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    const isSave = event.key === "Enter" && (this.kind === "flag" ? !event.shiftKey : event.ctrlKey || event.metaKey);
    if (event.key === "Escape") this.shut();
    else if (isSave) event.preventDefault();
    else return;
    this.end();
    event.stopPropagation();
  }

  // A score that was given with the key that opened the box leads on now.
  end() {
    this.onward?.();
    this.leave();
  }

  // What is written and not saved; null where nothing is.
  begun() {
    return this.form.hidden ? null : { place: this.place, kind: this.kind, text: this.area.value };
  }

  // Whatever is written is kept when the pane moves on.
  leave() {
    if (this.form.hidden) return;
    const { pane, place, kind, before } = this;
    const text = this.area.value.trim();
    this.shut();
    if (text === before.trim()) return;
    pane.press(place, "", kind, null, text);
    this.show();
    const saved = text ? say("Corrected answer saved.") : say("Corrected answer withdrawn.");
    pane.tell(kind === "flag" ? say("Flag sent to the lead.") : saved);
  }

  shut() {
    if (this.form.hidden) return;
    const had = this.form.contains(this.pane.root.getRootNode().activeElement);
    this.form.hidden = true;
    if (had) this.pane.root.focus({ preventScroll: true }); // so that digits grade again
  }

  unsaved(place, kind) {
    return this.pane.unsaved.filter((key) => key.place === place && key.status === kind);
  }

  correction(place) {
    return this.unsaved(place, "correction").at(-1)?.note ?? this.pane.own.get(place)?.correction ?? "";
  }

  // Flags with the lead's replies, oldest first, as [kind, who, text].
  thread(place) {
    const sent = this.unsaved(place, "flag").map((key) => ["flag", this.pane.data.grader, key.note]);
    return [...(this.pane.own.get(place)?.thread ?? []), ...sent];
  }

  show() {
    const place = this.pane.cursor;
    const lines = this.thread(place).map(([kind, who, text]) => {
      const name = kind === "flag" ? say("Flagged") : who === "local" ? say("Lead") : who;
      return el("li", { class: kind }, el("b", {}, name), " ", foreign(el("span", {}, text)));
    });
    const correction = this.correction(place);
    if (correction) {
      const change = button(say("edit"), () => this.open("correction"), say("Write a corrected answer (W)"));
      lines.push(el("li", {}, el("b", {}, say("Corrected answer")), " ", foreign(el("span", {}, correction)), " ", change));
    }
    this.shown.hidden = !lines.length;
    const drawn = JSON.stringify([place, this.pane.data.language, lines.map((line) => line.textContent)]);
    if (drawn !== this.drawn) this.shown.firstElementChild.replaceChildren(...lines);
    this.drawn = drawn;
    const reply = this.pane.data.answered.find(([at]) => at === place);
    if (reply) this.pane.storage.seeReply(...reply);
  }

  // Places where a lead replied and the annotator has not read it yet.
  unread() {
    const { storage, data } = this.pane;
    return data.answered.filter(([place, reply]) => storage.replySeen(place) < reply).map(([place]) => place);
  }

  // What a lead replied to may be far from the answer on screen.
  visit(place) {
    const { pane } = this;
    const isNew = !this.back && pane.cursor !== null && pane.cursor !== place;
    if (isNew) this.back = { place: pane.cursor, n: pane.figure(pane.number()) };
    pane.visit(place);
  }

  news() {
    const { pane } = this;
    const places = this.unread();
    if (this.back?.place === pane.cursor) this.back = null;
    if (!places.length) {
      if (!this.back) return [];
      const { place, n } = this.back;
      return [el("p", {}, button(say("Back to answer {n}", { n }), () => pane.visit(place)))];
    }
    const words = places.length === 1 ? say("A lead replied to your flag.") : say("A lead replied to {n} of your flags.", { n: places.length });
    return [el("p", {}, words, " ", button(say("Show"), () => this.visit(places[0])))];
  }
}
