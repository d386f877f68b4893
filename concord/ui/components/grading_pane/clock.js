// Seconds of attention: not while the tab is hidden, at most a minute without a sign of life.
const IDLE_MS = 60_000;
const SIGNS = ["pointermove", "pointerdown", "wheel", "touchmove"];

class Clock {
  constructor() {
    this.onSign = () => this.tick();
    this.onSeen = () => this.seen();
    for (const sign of SIGNS) document.addEventListener(sign, this.onSign, { passive: true });
    document.addEventListener("visibilitychange", this.onSeen);
    this.start();
  }

  close() {
    for (const sign of SIGNS) document.removeEventListener(sign, this.onSign);
    document.removeEventListener("visibilitychange", this.onSeen);
  }

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
