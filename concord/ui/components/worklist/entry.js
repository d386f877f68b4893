// One entry: what was asked, answered and said of it, and next to it the texts it rests on.
class Entry {
  constructor(pane) {
    this.pane = pane;
    this.read = pane.root.querySelector(".read");
    this.beside = pane.root.querySelector(".texts");
    this.units = new Units(this.beside);
  }

  // Drawn again only where something changed, so that what was opened or chosen stays so.
  show(entry) {
    const { pane } = this;
    const more = entry && pane.data.more[entry.id];
    const drawn = JSON.stringify([entry, more, entry && pane.tagOf(entry.id), pane.refused]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    if (!entry) {
      this.read.replaceChildren(el("p", { class: "none" }, say("This list is empty.")));
      this.beside.replaceChildren();
      return;
    }
    this.read.replaceChildren(...this.answered(entry), ...(entry.scores ? this.scores(entry.scores) : []));
    this.beside.replaceChildren(...(more ? this.texts(entry, more) : [el("p", { class: "none" }, say("Loading…"))]));
    if (!more?.units) return;
    this.read.append(this.units.root);
    this.units.show(more.units, more.nothing);
  }

  answered(entry) {
    const by = entry.model ? say("Answer of {model}", { model: entry.model }) : say("Answer");
    const asked = section(say("Question"), foreign(el("p", { class: "question plain" }, entry.question)));
    const made = [...this.tag(entry), ...claim(entry), asked];
    if (entry.answer === null) { // it is among the texts
      if (entry.model) asked.append(el("p", { class: "source" }, by));
      return made;
    }
    const answer = entry.answer ? markdown(entry.answer) : el("p", { class: "none" }, say("(empty)"));
    answer.classList.add("answer");
    return [...made, section(by, answer)];
  }

  // They come with a second message and may be long.
  texts(entry, more) {
    const made = more.parts.length ? [this.folded("contexts", "o", say("The texts"), more.parts.map((one) => part(one, !more.units)))] : [];
    if (more.prompt !== undefined) made.push(this.folded("prompt", "p", say("Prompt as sent"), this.prompt(more.prompt)));
    return made;
  }

  prompt(prompt) {
    if (!prompt) return [el("p", { class: "none" }, say("Loading…"))];
    const messages = prompt.messages.map((one) => titled(one.role, foreign(el("p", { class: "plain" }, one.content))));
    const rest = prompt.rest ? [titled(say("Rest of the request"), foreign(el("p", { class: "plain" }, prompt.rest)))] : [];
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
  scores({ criterion: name, person, said, ...given }) {
    const criterion = this.pane.data.criteria[name];
    const annotators = given.annotators.map((one) => ({ ...one, score: person, kind: "person" }));
    const judge = { ...given.judge, score: said, kind: "judge" };
    const others = given.others.map((one) => ({ ...one, kind: "other" }));
    const levels = criterion.scale.map((score) => ({ score, meaning: criterion.meanings[score], fails: criterion.failing.includes(score) }));
    const means = (score) => levels.find((level) => level.score === score);
    const made = section(
      criterion.title,
      this.line(levels, [...others, ...annotators, judge]),
      card(annotators, means(person)),
      card([judge], means(said)),
      ...others.map((one) => side(one)),
      this.folded("scale", "", say("What each score means"), [
        el("p", { class: "asks" }, criterion.question),
        el("ol", { class: "levels" }, ...levels.map(level)),
      ]),
    );
    made.className = "given";
    return [made];
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
    const { decision, note, who } = this.pane.tagOf(entry.id);
    const said = [];
    const refused = this.pane.data.locked || say("Not saved: first choose “Your name” at the top.");
    if (this.pane.refused) said.push(el("p", { class: "tagged refused" }, refused));
    const by = who ? [` · ${who}`] : [];
    if (decision) said.push(el("p", { class: "tagged" }, el("b", {}, this.pane.name(decision)), ...by));
    if (note) said.push(foreign(el("p", { class: "plain noted" }, note)));
    return said;
  }
}

// A unit that a judge calls contradicted, with its reason.
function claim({ claim: one, row }) {
  if (!one) return [];
  const reason = one.reason ? foreign(el("p", { class: "plain" }, one.reason)) : el("p", { class: "none" }, say("no reason given"));
  const judge = el("div", { class: "side judge" }, el("p", { class: "by" }, say("Reason given by {judge}", { judge: one.judge })), reason);
  const title = say("{judge} calls it contradicted", { judge: one.judge });
  return [el("section", {}, el("h2", {}, title), foreign(el("p", { class: "question plain" }, row)), judge)];
}

// One text; where no unit can be chosen, its passages are marked from the beginning.
function part(one, isMarked) {
  const text = el("p", { class: "plain" });
  for (const piece of one.segments) {
    if (!piece.units.length) text.append(piece.text);
    else text.append(el("mark", { class: isMarked ? "here" : "", "data-units": ` ${piece.units.join(" ")} ` }, piece.text));
  }
  if (!one.segments.length) text.append(el("span", { class: "none" }, say("(empty)")));
  return titled(one.name, foreign(text));
}

// A rubric may lack meanings, and a score may lie between two of the scale.
function card(sides, level) {
  const made = el("div", { class: "card" }, ...sides.map(side));
  if (level?.meaning) made.append(el("p", { class: "meaning" }, el("b", {}, say("{score} means", { score: level.score }), " "), level.meaning));
  return made;
}

function side(one) {
  const text = one.score === null ? one.status : String(one.score);
  const mark = el("b", { class: `score ${one.kind === "judge" ? "judge" : "person"}` }, text);
  const reason = one.reason ? foreign(el("p", { class: "plain" }, one.reason)) : el("p", { class: "none" }, say("no reason given"));
  return el("div", { class: `side ${one.kind}` }, el("p", { class: "by" }, mark, " ", one.name), reason);
}

function level(one) {
  const fails = one.fails ? [" ", el("i", {}, say("fails"))] : [];
  return el("li", {}, el("b", { class: "at" }, String(one.score)), el("p", {}, one.meaning ?? "", ...fails));
}

function titled(title, text) {
  return el("div", { class: "titled" }, el("h3", {}, title), text);
}
