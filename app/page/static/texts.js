// The page's own words, one file for each language.

let texts = {};
let language = "en";

export async function load(wanted) {
  const response = await fetch(`/static/texts/${wanted}.json`);
  texts = await response.json();
  language = wanted;
  document.documentElement.lang = wanted === "zh" ? "zh-CN" : "en";
}

export function current() {
  return language;
}

export function t(key, values = {}) {
  return texts[key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export function number(value) {
  return new Intl.NumberFormat(language === "zh" ? "zh-CN" : "en").format(value);
}

export function when(iso) {
  const moment = new Date(iso);
  if (!iso || Number.isNaN(moment.getTime())) return "";
  const today = moment.toDateString() === new Date().toDateString();
  const shape = today ? { hour: "2-digit", minute: "2-digit" } : { month: "short", day: "numeric" };
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en", shape).format(moment);
}
