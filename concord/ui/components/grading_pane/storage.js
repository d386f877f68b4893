// What is kept in this browser: the keys that are not yet on disk, and apart from them those that
// the server refused, until that was read.
const MEANINGS = "concord.meanings";

class Storage {
  constructor(name) {
    this.prefix = `concord.1.${name}.`;
    this.refusedPrefix = `concord.refused.1.${name}.`;
    this.repliesPrefix = `concord.replies.1.${name}.`;
    this.tabName = `concord.tab.1.${name}`;
  }

  keys() {
    return this.all(this.prefix).sort((a, b) => a.t - b.t || a.n - b.n);
  }

  refused() {
    return this.all(this.refusedPrefix);
  }

  // What cannot be read holds up nothing of the rest.
  all(prefix) {
    const found = [];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const name = localStorage.key(i);
        const kept = name.startsWith(prefix) && parsed(localStorage.getItem(name));
        if (kept?.press_id) found.push(kept);
      }
    } catch { /* a browser without storage keeps nothing */ }
    return found;
  }

  isKey(name) {
    return Boolean(name?.startsWith(this.prefix));
  }

  keep(key) {
    return this.put(this.prefix + key.press_id, key);
  }

  drop(pressId) {
    try { localStorage.removeItem(this.prefix + pressId); } catch { /* nothing was kept */ }
  }

  setAside(key) {
    this.put(this.refusedPrefix + key.press_id, key);
    this.drop(key.press_id);
  }

  forgetRefused() {
    for (const { press_id } of this.refused()) localStorage.removeItem(this.refusedPrefix + press_id);
  }

  // Whether the rubric was last open on a narrow screen; null where nobody chose.
  meanings() {
    try { return parsed(localStorage.getItem(MEANINGS)); } catch { return null; }
  }

  keepMeanings(open) {
    this.put(MEANINGS, open);
  }

  seeReply(place, reply) {
    if (this.replySeen(place) < reply) this.put(this.repliesPrefix + place, reply);
  }

  // The newest reply at a place that was read in this browser; 0 for none.
  replySeen(place) {
    try { return Number(localStorage.getItem(this.repliesPrefix + place)); } catch { return Infinity; }
  }

  // What is begun and no key yet: for this tab alone, over a reload.
  leave(begun) {
    try { sessionStorage.setItem(this.tabName, JSON.stringify(begun)); } catch { /* nothing is kept */ }
  }

  left() {
    try {
      const begun = parsed(sessionStorage.getItem(this.tabName));
      sessionStorage.removeItem(this.tabName);
      return begun;
    } catch {
      return null;
    }
  }

  put(name, value) {
    try {
      localStorage.setItem(name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}
