// Earlier runs, to be found again, and two of them side by side.

import { call } from "./api.js";
import { el, framed, money, show, when } from "./dom.js";

export async function runs() {
  const list = el("ul", { class: "runs" });
  const both = el("button", { type: "button", disabled: true, onclick: () => (location.hash = `compare=${chosen().join(",")}`) }, "Compare two");
  const chosen = () => [...list.querySelectorAll("input:checked")].map((box) => box.value);
  const fill = async (text) => {
    const found = await call(`runs?q=${encodeURIComponent(text)}`);
    if (text !== search.value) return; // another answer was asked for meanwhile
    list.replaceChildren(...found.map((one) => el("li", {},
      el("input", { type: "checkbox", value: one.id, "aria-label": `Compare: ${one.question}`, onchange: () => (both.disabled = chosen().length !== 2) }),
      el("a", { href: `#run=${one.id}` }, one.question),
      el("span", { class: "soft" }, `${when(one.began)} · ${one.outcome.replace("_", " ")} · ${one.calls ? money(one.cost) : "no model call"}`))));
    if (!found.length) list.append(el("li", { class: "soft" }, text ? "No question has these words." : "There are no questions yet."));
  };
  const search = el("input", { type: "search", id: "search", placeholder: "Search the questions", oninput: () => fill(search.value) });
  show("Runs", el("h1", {}, "Runs"), el("p", { class: "row" }, el("label", { for: "search", class: "hidden" }, "Search the questions"), search, both), list);
  await fill("");
}

export async function compare(ids) {
  const two = await Promise.all(ids.split(",").slice(0, 2).map((id) => call(`runs/${encodeURIComponent(id)}`)));
  show("Compare", el("h1", {}, "Two runs"), el("div", { class: "two" }, two.map((one) => el("section", {},
    el("h2", {}, el("a", { href: `#run=${one.id}` }, one.question)),
    el("p", { class: "soft" }, `${when(one.began)} · ${one.outcome.replace("_", " ")} · ${one.calls ? `${one.calls} model calls · ${money(one.cost)}` : "no model call"}`),
    framed(one.id, `Report: ${one.question}`)))));
}
