// A passage marked as evidence: its words, the text it is in (the part and its number), and which of
// the places in that text with these words it is. White space and Markdown's signs do not count, so
// that the place is the same in the formatted and in the raw answer; `marked_passages.py` counts the
// same way.
const COUNTED = /[^\s*_`~#>|\\+\-•]/g;
const MOST_PASSAGES = 20;
const SHOWN = 90; // characters of a passage in the list

// The characters of a text that count, and where each stands.
function counted(text) {
  const found = [...text.matchAll(COUNTED)];
  return { letters: found.map((one) => one[0]).join(""), places: found.map((one) => one.index) };
}

// Where a passage begins and ends in its text; null where it does not occur.
function spanOf({ words, occurrence }, text) {
  const { letters, places } = counted(text);
  const wanted = counted(words);
  let at = -1;
  for (let n = 0; wanted.letters && n < occurrence; n++) {
    at = letters.indexOf(wanted.letters, at + 1);
    if (at < 0) break;
  }
  if (at < 0) return null;
  let from = places[at];
  let to = places[at + wanted.letters.length - 1] + 1;
  const [before, after] = [words.slice(0, wanted.places[0]), words.slice(wanted.places.at(-1) + 1)];
  if (text.slice(0, from).endsWith(before)) from -= before.length;
  if (text.startsWith(after, to)) to += after.length;
  return [from, to];
}

// Which of the places with these words begins at a character of the text; 0 where nothing counts.
function occurrenceAt(words, text, from) {
  const { letters, places } = counted(text);
  const wanted = counted(words).letters;
  if (!wanted) return 0;
  let n = 0;
  for (let at = letters.indexOf(wanted); at >= 0; at = letters.indexOf(wanted, at + 1)) {
    n += 1;
    if (places[at] >= from) break;
  }
  return n;
}

// Without its middle where it is long.
function short(words) {
  const characters = [...words.replace(/\s+/g, " ")];
  if (characters.length <= SHOWN) return characters.join("");
  const part = (from, to) => characters.slice(from, to).join("").trim();
  return `${part(0, (SHOWN * 2) / 3)} … ${part(-SHOWN / 3)}`;
}

// What a text is called; "" where that is not known.
function textName({ part, number }) {
  return {
    question: () => say("Question"),
    turns: () => say("Earlier turns"),
    answer: () => say("Answer"),
    reference: () => say("Reference {n}", { n: number }),
    context: () => say("Context {n}", { n: number }),
    document: () => say("Document {n}", { n: number }),
  }[part]?.() ?? "";
}

// Marks the element of a text with which one it is.
function textOf(made, part, number = 1) {
  Object.assign(made.dataset, { part, number });
  return made;
}
