// Requests to the page's own server; what it refuses comes back as words for the person.

export class Refused extends Error {
  constructor(answer) {
    super(answer.words);
    this.kind = answer.error;
  }
}

export async function get(name, values = {}) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== null && value !== ""));
  return answerOf(await fetch(`/api/${name}?${query}`));
}

export async function post(name, values = {}) {
  const headers = { "content-type": "application/json" };
  return answerOf(await fetch(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(values) }));
}

async function answerOf(response) {
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  const answer = isJson ? await response.json() : { words: await response.text() };
  if (!response.ok) throw new Refused(answer);
  return answer;
}

// Gives each event of the turn that runs, from its beginning.
export async function* watch(thread, signal) {
  const response = await fetch(`/api/watch?${new URLSearchParams({ thread })}`, { signal });
  if (!response.ok) throw new Refused({ words: await response.text() });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield JSON.parse(line);
  }
}
