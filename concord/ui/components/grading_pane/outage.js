// While the server is away Streamlit opens an English box of its own that makes the whole page
// inert. The pane says in its own words what is not saved and goes on by key, mouse and touch: the
// box is hidden (concord/ui/components/grading_pane.py), so that it takes no focus, and closed as soon as it is there.
class Outage {
  constructor() {
    this.watch = new MutationObserver(() => this.closeBox());
    this.watch.observe(document.body, { childList: true });
  }

  close() {
    this.watch.disconnect();
  }

  closeBox() {
    const app = document.querySelector("[data-test-connection-state]");
    if (!app || app.dataset.testConnectionState === "CONNECTED") return;
    document.querySelector('body > [data-testid="stDialog"] [aria-label="Close"]')?.click();
  }
}
