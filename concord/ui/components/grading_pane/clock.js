// Seconds of attention on each answer until it is graded: not while the tab is hidden, at most a
// minute without a sign of life.
const IDLE_MS = 60_000;
const SIGNS = ["pointermove", "pointerdown", "wheel", "touchmove"];

class Clock {
  constructor() {
    this.onSign = () => this.tick();
    this.onSeen = () => this.seen();
    for (const sign of SIGNS) document.addEventListener(sign, this.onSign, { passive: true });
    document.addEventListener("visibilitychange", this.onSeen);
    this.read = {};
    this.place = null;
    this.at = performance.now();
  }

  close() {
    for (const sign of SIGNS) document.removeEventListener(sign, this.onSign);
    document.removeEventListener("visibilitychange", this.onSeen);
  }

  // To an answer; what was read of it before counts on.
  turn(place) {
    this.tick();
    this.place = place;
  }

  tick() {
    this.move(!document.hidden);
  }

  seen() {
    this.move(document.hidden);
  }

  move(counts) {
    const now = performance.now();
    if (counts) this.read[this.place] = (this.read[this.place] ?? 0) + Math.min(now - this.at, IDLE_MS);
    this.at = now;
  }

  take(place) {
    this.tick();
    const seconds = Math.round((this.read[place] ?? 0) / 10) / 100;
    delete this.read[place];
    return seconds;
  }
}
