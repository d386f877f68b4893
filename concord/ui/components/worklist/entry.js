// One disagreement: what was asked and answered, and both scores on one scale with their reasons.
class Entry {
  constructor(pane) {
    this.pane = pane;
    this.read = pane.root.querySelector(".read");
    this.scale = pane.root.querySelector(".rubric");
  }

  show(entry) {
    if (!entry) {
      this.read.replaceChildren(el("p", { class: "none" }, say("This list is empty.")));
      this.scale.replaceChildren();
      return;
    }
    this.read.replaceChildren(...this.texts(entry));
    this.scale.replaceChildren(...this.scores(entry));
    this.more(entry);
  }

  texts(entry) {
    const by = entry.model ? say("Answer of {model}", { model: entry.model }) : say("Answer");
    const answer = entry.answer ? markdown(entry.answer) : el("p", { class: "none" }, say("(empty)"));
    answer.classList.add("answer");
    this.below = el("div", { class: "below" });
    return [
      section(say("Question"), el("p", { class: "question plain" }, entry.question)),
      section(by, answer),
      this.below,
    ];
  }

  // Contexts, reference and prompt come with a second message and may be long.
  more(entry) {
    const more = this.pane.data.more[entry.id];
    if (!more) {
      const waits = entry.contexts ? say("Loading contexts…") : "";
      this.below.replaceChildren(el("p", { class: "none" }, waits));
      return;
    }
    const parts = [];
    if (more.contexts.length) {
      const title = say("Contexts ({n})", { n: more.contexts.length });
      parts.push(this.folded("contexts", "o", title, more.contexts.map((one) => titled(one.label, one.text))));
    }
    if (more.reference.length) {
      parts.push(this.folded("reference", "", say("Reference answer"), more.reference.map((text) => el("p", { class: "plain" }, text))));
    }
    parts.push(this.folded("prompt", "p", say("Prompt as sent"), this.prompt(more.prompt)));
    this.below.replaceChildren(...parts);
  }

  prompt(prompt) {
    if (!prompt) return [el("p", { class: "none" }, say("Loading…"))];
    const messages = prompt.messages.map((one) => titled(one.role, one.content));
    const rest = prompt.rest ? [titled(say("the rest of the request"), prompt.rest)] : [];
    return [el("p", { class: "source" }, prompt.source), ...messages, ...rest];
  }

  folded(name, key, title, children) {
    const made = el("details", { class: `folded ${name}` });
    made.open = Boolean(this.pane.open[name]);
    const hint = key ? [" ", el("kbd", {}, key)] : [];
    made.append(el("summary", {}, title, ...hint), ...children);
    made.addEventListener("toggle", () => this.pane.unfolded(name, made.open));
    return made;
  }

  // Both scores on one line, each with its reason and what the rubric says of it; then the rest.
  scores(entry) {
    const criterion = this.pane.data.criteria[entry.criterion];
    const annotators = entry.annotators.map((one) => ({ ...one, score: entry.person, kind: "person" }));
    const judge = { ...entry.judge, score: entry.said, kind: "judge" };
    const others = entry.others.map((one) => ({ ...one, kind: "other" }));
    const said = (score) => criterion.levels.find((level) => level.score === score);
    return [
      ...this.tag(entry),
      el("h3", {}, criterion.title),
      this.line(criterion.levels, [...others, ...annotators, judge]),
      card(annotators, said(entry.person)),
      card([judge], said(entry.said)),
      ...others.map((one) => side(one)),
      this.folded("scale", "", say("What every score means"), [
        el("p", { class: "asks" }, criterion.question),
        el("ol", { class: "levels" }, ...criterion.levels.map(level)),
      ]),
    ];
  }

  line(levels, given) {
    const spoken = given.map((one) => `${one.name} ${one.score ?? one.status}`).join(", ");
    const made = el("div", { class: "line", role: "img", "aria-label": spoken });
    for (const { score } of levels) {
      const kinds = given.filter((one) => one.score === score).map((one) => one.kind);
      made.append(el("span", { class: [...new Set(kinds)].join(" ") }, el("b", {}, String(score))));
    }
    return made;
  }

  tag(entry) {
    const { cause, note, who } = this.pane.tagOf(entry.id);
    const said = [];
    const refused = say("Not tagged: first choose “Your name” at the top.");
    if (this.pane.refused) said.push(el("p", { class: "tagged refused" }, refused));
    const by = who ? [" ", say("tagged by {who}", { who })] : [];
    if (cause) said.push(el("p", { class: "tagged" }, el("b", {}, this.pane.name(cause)), ...by));
    if (note) said.push(el("p", { class: "plain noted" }, note));
    return said;
  }
}

function card(sides, said) {
  const means = el("p", { class: "meaning" }, el("b", {}, say("{score} means", { score: said.score }), " "), said.meaning);
  return el("div", { class: "card" }, ...sides.map(side), means);
}

function side(one) {
  const text = one.score === null ? one.status : String(one.score);
  const mark = el("b", { class: `score ${one.kind === "judge" ? "judge" : "person"}` }, text);
  const reason = one.reason ? el("p", { class: "plain" }, one.reason) : el("p", { class: "none" }, say("no reason given"));
  return el("div", { class: `side ${one.kind}` }, el("p", { class: "by" }, mark, " ", one.name), reason);
}

function level(one) {
  const fails = one.fails ? [" ", el("i", {}, say("fails"))] : [];
  return el("li", {}, el("b", { class: "at" }, String(one.score)), el("p", {}, one.meaning, ...fails));
}

function titled(title, text) {
  return el("div", { class: "titled" }, el("h4", {}, title), el("p", { class: "plain" }, text));
}
