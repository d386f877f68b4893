// The note on a grade: digits typed here do not grade.
class Note {
  constructor(pane) {
    this.pane = pane;
    this.form = pane.root.querySelector(".note");
    this.area = this.form.querySelector("textarea");
    this.area.addEventListener("keydown", (event) => this.key(event));
    const [save, cancel] = this.form.querySelectorAll("button");
    save.addEventListener("click", () => this.end(true));
    cancel.addEventListener("click", () => this.end(false));
    this.form.addEventListener("submit", (event) => event.preventDefault());
  }

  open(begun = null) {
    const { pane } = this;
    this.leave();
    this.onward = pane.settle(true);
    if (pane.cursor === null) return pane.refuse();
    if (pane.data.locked) return pane.tell(pane.data.locked);
    const { version } = pane.criteria[pane.focus];
    this.place = pane.cursor;
    this.version = version;
    this.area.value = begun ?? (pane.grade(this.place, version)?.note || pane.drafts.get(this.id()) || "");
    this.form.hidden = false;
    this.name();
    this.area.focus();
  }

  name() {
    const { pane } = this;
    const title = pane.criteria.find(({ version }) => version === this.version)?.title;
    if (this.form.hidden || !title) return;
    this.form.querySelector("label").textContent = pane.ofPlace(pane.data.rubric.units
      ? say("Note on “{title}”", { title })
      : say("Note on {criterion}", { criterion: title.toLowerCase() }));
  }

  id() {
    return `${this.place}|${this.version}`;
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    const isSave = event.key === "Enter" && !event.shiftKey;
    if (event.key !== "Escape" && !isSave) return;
    event.preventDefault();
    event.stopPropagation();
    this.end(isSave);
  }

  // A score that was given with the key that opened the box leads on now.
  end(isSaved) {
    if (isSaved) this.leave();
    else this.shut();
    this.pane.root.focus({ preventScroll: true });
    this.onward?.();
  }

  // What is written and not saved; null where nothing is.
  begun() {
    return this.form.hidden ? null : { place: this.place, version: this.version, text: this.area.value };
  }

  // Whatever is written is kept when the pane moves on.
  leave() {
    if (this.form.hidden) return;
    const { pane, place, version } = this;
    const text = this.area.value.trim();
    const grade = pane.grade(place, version);
    this.shut();
    if (!grade) pane.drafts.set(this.id(), text);
    else if (grade.note !== text) pane.press(place, version, grade.status, grade.score, text, grade.quote);
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
