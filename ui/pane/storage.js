// What is kept in this browser: the keys that are not yet on disk.
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
}
