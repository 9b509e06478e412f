// Calls of the service; what it refuses is an Error with the service's own words.

export class Locked extends Error {}

export const call = (path, body) =>
  asked(path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const put = (path, file) => asked(path, { method: "PUT", body: file });

export const remove = (path) => asked(path, { method: "DELETE" });

const pause = (seconds) => new Promise((go) => setTimeout(go, 1000 * seconds));

async function asked(path, sent) {
  let response;
  try {
    response = await fetch(path, sent);
  } catch {
    throw new Error("The service does not answer. Is it still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.status === 429 && sent.method === "PUT") { // there are many of them: each waits for its turn
    await pause(Number(response.headers.get("Retry-After")) || 5);
    return asked(path, sent);
  }
  if (response.status === 401) throw new Locked(answer.error);
  if (!response.ok) throw new Error(answer.error || `The service answered ${response.status}.`);
  return answer;
}

// The events of a run from one on; a connection that is cut goes on by itself where it was. Returns what ends it.
// How the run stands comes first and last: the browser would connect anew after the last.
export function follow(id, after, hear) {
  const slices = new Map();
  let states = 0;
  const source = new EventSource(`runs/${id}/events?after=${after}`);
  const take = (message) => {
    let [name, data] = [message.type, JSON.parse(message.data)];
    if (name === "_delta_sse") {
      const parts = slices.get(data.id) || slices.set(data.id, []).get(data.id);
      parts[data.index] = data.slice;
      if (parts.filter((part) => part !== undefined).length < data.total) return;
      slices.delete(data.id);
      ({ event: name, data } = JSON.parse(parts.join("")));
    }
    if (name === "run" && ++states > 1 && !MAY_GO_ON.includes(data.outcome)) source.close();
    hear(name, data, Number(message.lastEventId) || after);
  };
  source.addEventListener("open", () => { states = 0; });
  for (const name of NAMES) source.addEventListener(name, take);
  return () => source.close();
}

const MAY_GO_ON = ["running", "planned", "interrupted"];

const NAMES = [
  "run", "_delta_sse", "tool_update", "RunStarted", "Planned", "TaskStarted", "TaskEnded", "Searched", "EngineChanged",
  "PageRead", "FileSkipped", "IngestProgress", "Ingested", "ModelCalled", "Retrying", "TextDelta", "SectionDrafted",
  "SectionWritten", "Noticed", "RunEnded",
];
