// Collections: documents are chosen or dropped, taken one after another, read, and each says how far it is.

import { call, put, remove } from "./api.js";
import { complain, duration, el, show } from "./dom.js";

const STATES = { uploaded: "not read yet", waiting: "waiting", ready: "ready", failed: "no text found" };
const AT_ONCE = 3;
const LOOK = 1000;

export async function collections(opened) {
  const list = el("div");
  const told = el("div");
  const name = el("input", { id: "name", maxlength: 60, required: true, placeholder: "Papers on tides" });
  const make = async (event) => {
    event.preventDefault();
    try {
      const made = await call("collections", { name: name.value.trim() });
      name.value = "";
      location.hash = `collections=${encodeURIComponent(made.name)}`;
    } catch (error) {
      complain(told, error);
    }
  };
  const found = await call("collections");
  show("Files",
    el("h1", {}, "Your files"),
    el("form", { class: "row", onsubmit: make }, el("label", { for: "name" }, "New collection"), name, el("button", { class: "main" }, "Create")),
    told,
    found.length ? el("ul", { class: "runs" }, found.map((one) => el("li", {},
      el("a", { href: `#collections=${encodeURIComponent(one.name)}`, "aria-current": one.name === opened ? "true" : null }, one.name),
      el("span", { class: "soft" }, summary(one))))) : el("p", { class: "soft" }, "A collection is a set of documents that you can ask about. Create one, and add files to it."),
    list);
  return opened ? collection(opened, list) : null;
}

const summary = ({ counts, reading }) =>
  Object.entries(counts).map(([state, count]) => `${count} ${STATES[state]}`).join(", ").concat(reading ? " · being read" : "") || "empty";

function collection(name, where) {
  const path = `collections/${encodeURIComponent(name)}`;
  const told = el("div", { "aria-live": "polite" });
  const state = el("p", { class: "doing", role: "status" });
  const rows = el("ul", { class: "runs" });
  const chosen = el("input", { type: "file", id: "documents", multiple: true, onchange: () => take([...chosen.files]) });
  const drop = el("div", { class: "drop" }, el("label", { for: "documents" }, "Add documents here"), chosen);
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
  let timer = null;

  async function take(files) {
    const [refused, waiting] = [[], [...files]];
    told.replaceChildren();
    const work = async () => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        state.textContent = `Uploading ${file.name}; ${waiting.length} more to come …`;
        try {
          await put(`${path}/documents/${encodeURIComponent(file.name)}`, file);
        } catch (error) {
          refused.push(error.message);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    chosen.value = "";
    if (refused.length) told.replaceChildren(el("div", { class: "trouble", role: "alert" }, [...new Set(refused)].map((why) => el("p", {}, why))));
    await read();
  }

  async function act(work) {
    try {
      await work();
    } catch (error) {
      complain(told, error);
    }
    await look();
  }

  const read = (documents) => act(() => call(`${path}/index`, documents ? { documents } : {}));

  async function look() {
    clearTimeout(timer);
    const now = await call(path);
    const unread = (now.counts.uploaded || 0) + (now.counts.waiting || 0);
    const left = now.seconds_left === null ? "" : `, about ${duration(now.seconds_left)} left`;
    state.textContent = now.problem || (now.reading ? `Reading ${unread} documents${left} …` : summary(now));
    rows.replaceChildren(...now.documents.map((one) => el("li", {},
      el("span", {}, one.name),
      el("span", { class: "badge", "data-state": one.state }, STATES[one.state]),
      el("span", { class: "soft" }, [size(one.bytes), one.why, one.seconds_left === null ? "" : `about ${duration(one.seconds_left)} left`].filter(Boolean).join(" · ")),
      one.state === "failed" ? el("button", { type: "button", "aria-label": `Try ${one.name} again`, onclick: () => read([one.name]) }, "Try again") : "",
      el("button", { type: "button", "aria-label": `Delete ${one.name}`, onclick: () => act(() => remove(`${path}/documents/${encodeURIComponent(one.name)}`)) }, "×"))));
    if (now.reading) timer = setTimeout(look, LOOK);
  }

  const forget = async () => {
    if (!confirm(`Delete “${name}” and all of its documents?`)) return;
    try {
      await remove(path);
      location.hash = "collections";
    } catch (error) {
      complain(told, error);
    }
  };
  where.replaceChildren(el("section", { class: "sheet", "aria-label": name },
    el("h2", {}, name), drop, told, state, rows,
    el("p", { class: "row" }, el("a", { href: `#ask=${encodeURIComponent(name)}` }, "Ask about these"), el("button", { type: "button", onclick: forget }, "Delete the collection"))));
  look().catch((error) => complain(told, error));
  return () => clearTimeout(timer);
}

const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
