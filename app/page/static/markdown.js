// Text of a model, a person or a tool as a safe piece of the page: nothing in it runs, loads or leaves unasked.

import { marked } from "./vendor/marked/marked.esm.js";
import DOMPurify from "./vendor/dompurify/purify.es.mjs";

const TAGS = [
  "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
  "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
];
const OPTIONS = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ["href", "start", "align"],
  ALLOWED_URI_REGEXP: /^https?:\/\//i,
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};
const LONGEST = 60_000; // characters; what is longer is shown as it is

marked.use({
  gfm: true,
  breaks: true,
  renderer: {
    // HTML is shown as the text that it is, and a picture as its description with its address.
    html: ({ text }) => escaped(text),
    image: ({ text, href }) => escaped(text ? `${text} (${href})` : href),
  },
});

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  if (!node.hasAttribute("href")) return;
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("target", "_blank");
});

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

const made = new WeakMap();

// Gives an element with the text as Markdown; `holder` keeps it while the text stays the same.
export function markdown(text, holder) {
  const before = made.get(holder);
  if (before?.text === text) return before.element;
  const element = document.createElement("div");
  element.className = "prose";
  element.dir = "auto";
  if (text.length > LONGEST) {
    element.classList.add("plain");
    element.textContent = text;
  } else {
    element.append(DOMPurify.sanitize(marked.parse(text), OPTIONS));
  }
  made.set(holder, { text, element });
  return element;
}
