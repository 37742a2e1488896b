// The language and the colours that the person switched to; the server reads both, so that the page comes right at once.

import { t } from "./texts.js";

const YEAR = 31_536_000;
const THEMES = ["system", "light", "dark"];

function keep(name, value) {
  document.cookie = `ninefold-${name}=${value}; path=/; max-age=${YEAR}; samesite=strict`;
}

export function theme() {
  return document.documentElement.dataset.theme;
}

export function switchTheme() {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  document.documentElement.dataset.theme = next;
  keep("theme", next);
  return t(`theme.${next}`);
}

export function switchLanguage(to) {
  keep("language", to);
  location.reload();
}
