// One box for the question, with where to look, how thoroughly, and what it may cost.

import { call } from "./api.js";
import { complain, el, show, submits } from "./dom.js";

export async function ask(chosen) {
  const [offered, collections] = await Promise.all([call("health"), call("collections")]);
  const question = el("textarea", {
    id: "question", rows: 2, required: true, maxlength: 4000, placeholder: "What do you want to know?", onkeydown: submits,
  });
  const told = el("div");
  const form = el("form", { class: "ask", onsubmit: (event) => begin(event, question.value.trim(), told) },
    el("h1", {}, "Ask, and check every sentence"),
    el("label", { for: "question", class: "hidden" }, "Your question"),
    question,
    choices(offered, collections.map((one) => one.name), chosen),
    el("div", { class: "row" }, el("button", { class: "main" }, "Ask"),
      el("label", {}, el("input", { type: "checkbox", name: "ask", checked: true }), " show me the plan and the price first")),
    told);
  show("", form);
  question.focus();
}

const PLACES = { both: "files and web", files: "files only", web: "the web only" };

function choices({ files, web, searches_web }, collections, chosen) {
  const first = !files ? "web" : searches_web ? "both" : "files";
  const others = files && web ? Object.keys(PLACES).filter((place) => place !== first) : [];
  const own = collections.flatMap((name) => [[`in ${name}`, `“${name}”`], ...(web ? [[`+ ${name}`, `“${name}” and web`]] : [])]);
  const places = [...(files || web ? [first, ...others] : []).map((place) => [place, PLACES[place]]), ...own];
  return el("fieldset", { class: "row" },
    el("legend", { class: "hidden" }, "How to search"),
    choice("place", "Search", places, `in ${chosen}`),
    choice("effort", "Effort", [["auto", "automatic"], ["quick", "quick"], ["normal", "normal"], ["deep", "deep"]]),
    el("label", {}, "At most $ ", el("input", { name: "max_cost", type: "number", min: 0, step: "any", inputmode: "decimal", size: 5 })),
    el("label", {}, "and ", el("input", { name: "minutes", type: "number", min: 0.1, step: "any", inputmode: "decimal", size: 4 }), " minutes"));
}

function choice(name, label, options, chosen) {
  return el("label", {}, `${label} `, el("select", { name }, options.map(([value, words]) => el("option", { value, selected: value === chosen }, words))));
}

export async function begin(event, q, told, follows) {
  event.preventDefault();
  const given = new FormData(event.target);
  const asked = { q, ask: given.get("ask") === "on" };
  const place = given.get("place");
  const collection = place && place.match(/^(in|\+) (.*)$/s);
  if (collection) Object.assign(asked, { collections: [collection[2]], web: collection[1] === "+" });
  else if (place) Object.assign(asked, { files: place !== "web", web: place !== "files" });
  if (given.get("effort")) asked.effort = given.get("effort");
  if (given.get("max_cost")) asked.max_cost = Number(given.get("max_cost"));
  if (given.get("minutes")) asked.max_time = 60 * Number(given.get("minutes"));
  if (follows) asked.follows = follows;
  const button = event.target.querySelector("button.main");
  button.disabled = true;
  try {
    location.hash = `run=${(await call("runs", asked)).id}`;
  } catch (error) {
    complain(told, error);
  } finally {
    button.disabled = false;
  }
}
