// Building blocks of the screen.

function fold(context, open) {
  context.classList.toggle("open", open);
  context.querySelector("button").setAttribute("aria-expanded", String(open));
}

function section(title, ...children) {
  return el("section", {}, el("h2", {}, title), ...children);
}

// A section with buttons next to its heading.
function headed(made, ...buttons) {
  const heading = made.firstChild;
  const head = el("div", { class: "head" });
  heading.replaceWith(head);
  head.append(heading, ...buttons);
  return made;
}

// Rendered and made safe on the server.
function markdown(html) {
  const made = el("div", { class: "markdown" });
  made.innerHTML = html;
  return foreign(made);
}

// What the user's data says is in a language of its own, which its letters tell: a screen reader
// takes the voice and the browser the shapes of letters from it. Latin letters tell nothing.
function foreign(made) {
  const text = made.textContent;
  const kana = /[\u3041-\u30ff]/.test(text);
  const hangul = /[\uac00-\ud7a3]/.test(text);
  made.lang = kana ? "ja" : hangul ? "ko" : /\p{Script=Han}/u.test(text) ? "zh" : "";
  made.dir = "auto";
  return made;
}

function button(text, does, title = "") {
  const made = el("button", { type: "button" }, text);
  if (title) made.title = title;
  return onPress(made, does);
}

function onPress(button, does) {
  button.addEventListener("click", (event) => {
    if (event.detail > 0) button.blur(); // so that Space scrolls after a click
    does();
  });
  return button;
}

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// The characters of a part that stand before an element in it.
function before(part, element) {
  const range = document.createRange();
  range.setStart(part, 0);
  range.setEndBefore(element);
  return range.toString().length;
}

// How many characters of a part stand before a place in the page; all or none where it is outside.
function placeIn(part, node, offset) {
  const range = document.createRange();
  range.selectNodeContents(part);
  const side = range.comparePoint(node, offset);
  if (side < 0) return 0;
  if (side > 0) return part.textContent.length;
  range.setEnd(node, offset);
  return range.toString().length;
}

// A stretch of the text of a part, whatever elements it runs through.
function rangeOf(part, from, length) {
  const range = document.createRange();
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  let at = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const next = at + node.length;
    if (from >= at && from < next) range.setStart(node, from - at);
    if (from + length > at && from + length <= next) range.setEnd(node, from + length - at);
    at = next;
  }
  return range;
}

// What scrolls a part of the texts: its column, or all of them; on a small screen of adjudication also what is below them.
function scrolledWith(part) {
  const read = part.closest(".read");
  return part.closest(".split > div") ?? (getComputedStyle(read).overflowY === "visible" ? read.parentElement : read);
}

// Half a character, which can be copied out of a text, can be neither sent nor stored.
function whole(text) {
  return text.toWellFormed?.() ?? text;
}

// crypto.randomUUID is only there on localhost and https.
function uuid() {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0"));
  return hex.join("");
}
