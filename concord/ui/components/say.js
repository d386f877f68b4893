// What a component says, in the language of who reads it: the server sends the words with the data.
let WORDS = {};
const OWN = new WeakMap();

// The English is the key; `{name}` in it is a place for a value.
function say(template, values = {}) {
  return (WORDS[template] ?? template).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

// Translates the texts and labels of a component's own HTML. The first call collects them, so it must run
// before any of the user's data is in the HTML; later calls translate the same texts again.
function sayAll(root) {
  if (!OWN.has(root)) OWN.set(root, [...own(root)]);
  for (const [english, put] of OWN.get(root)) put(say(english));
}

function* own(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const english = text.data.trim().replace(/\s+/g, " ");
    if (english) yield [english, (said) => { text.data = said; }];
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const one of [root, ...root.querySelectorAll(`[${name}]`)]) {
      if (!one.hasAttribute(name)) continue;
      yield [one.getAttribute(name), (said) => one.setAttribute(name, said)];
    }
  }
}
