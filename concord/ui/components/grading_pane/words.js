// How grades, scales and times are put into words.

// Neighbouring scores with one meaning are shown as one band.
function bands(levels) {
  const made = [];
  for (const level of levels) {
    const band = made.at(-1);
    if (band && band[0].meaning === level.meaning) band.push(level);
    else made.push([level]);
  }
  return made;
}

// The words before a colon say the level in short.
const SHORT = /^.{1,49}?(?:: |：)/;

function meaning(text) {
  const short = SHORT.exec(text)?.[0].trimEnd();
  return short ? [el("b", {}, short), text.slice(short.length)] : [text];
}

// What a level is called in short; "" where it is not.
function brief(level) {
  return level.short || level.label || SHORT.exec(level.meaning)?.[0].trimEnd().slice(0, -1) || "";
}

function label(grade, step) {
  if (grade?.status !== "scored") return say("cannot grade");
  return mark(step, step.levels.find((level) => level.score === grade.score)) ?? String(grade.score);
}

// A grade as the server tells it; `quote` are the passages marked as evidence, or the cause.
function graded(given) {
  if (!given) return null;
  const [order, status, score, note, marked] = given;
  const quote = typeof marked === "string" ? marked
    : marked.map(([part, number, occurrence, words]) => ({ part, number, occurrence, words }));
  return { order, status, score, note, quote };
}

// Whether two grades are the same, regardless of note and evidence.
function isSame(one, other) {
  return one?.status === other?.status && one?.score === other?.score;
}

// Whether they have the same passages as evidence, too; a cause goes with its score.
function isAlike(one, other) {
  const marked = (grade) => Array.isArray(grade?.quote) ? JSON.stringify(grade.quote.map(Object.values)) : "[]";
  return isSame(one, other) && marked(one) === marked(other);
}

// The label of a level's button: its score, or its key in a list, where scores mean nothing.
function mark(step, level) {
  return level && (step.isList ? level.key.toUpperCase() : String(level.score));
}

// The announcement of a grade, for screen readers.
function told(step, grade) {
  const level = step.levels.find((one) => grade.status === "scored" && one.score === grade.score);
  if (step.isUnit || step.isList) return `${level?.short || level?.label || label(grade, step)}.`;
  return say("{criterion}: {grade}.", { criterion: step.title, grade: label(grade, step) });
}

// Also of a text that has no spaces between them.
function countWords(text) {
  return [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].filter((part) => part.isWordLike).length;
}

function duration(seconds) {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 90) return say("~{n} min", { n: minutes });
  return say("~{n} h", { n: Math.round(minutes / 6) / 10 });
}

// The same page without the grader and the place: asks who grades, or who signed in which set.
function elsewhere(isSignedIn) {
  const query = new URLSearchParams(location.search);
  query.delete("grader");
  query.delete("item");
  if (isSignedIn || query.get("view") !== "grader") query.delete("set");
  return `?${query}`;
}

// Where the grader is, in the URL, without a new entry in the history for every answer.
function stand(place, param = "item") {
  const url = new URL(location.href);
  if (place === null) url.searchParams.delete(param);
  else url.searchParams.set(param, place);
  history.replaceState(history.state, "", url);
}
