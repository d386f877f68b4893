// What a component says, in the language of who reads it: the server sends the words with the data.
let WORDS = {};

// The English is the key; `{name}` in it is a place for a value.
function say(template, values = {}) {
  return (WORDS[template] ?? template).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

// Puts what stands in a component's own HTML, texts and labels, into the language; once, before
// anything of the user's data is in it.
function sayAll(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const said = WORDS[texts.currentNode.data.trim().replace(/\s+/g, " ")];
    if (said) texts.currentNode.data = said;
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const one of root.querySelectorAll(`[${name}]`)) one.setAttribute(name, say(one.getAttribute(name)));
  }
}
