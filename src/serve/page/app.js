// What stands behind the "#" of the address is what the page shows, so that a reload shows it again.

import { call, Locked } from "./api.js";
import { ask } from "./ask.js";
import { check } from "./check.js";
import { collections } from "./collections.js";
import { complain, el, show } from "./dom.js";
import { run } from "./run.js";
import { compare, runs } from "./runs.js";

const views = { ask, check, collections, runs, run, compare };
let leave = null;

async function route() {
  if (leave) leave();
  leave = null;
  const [name, what = ""] = location.hash.slice(1).split("=");
  const view = views[name] || ask;
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.hash === `#${name || "ask"}`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    leave = (await view(decodeURIComponent(what))) || null;
  } catch (error) {
    if (error instanceof Locked) return unlock();
    const trouble = el("div");
    show("", trouble);
    complain(trouble, error);
  }
}

function unlock() {
  const told = el("div");
  const token = el("input", { type: "password", id: "token", autocomplete: "current-password", required: true });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await call("session", { token: token.value });
      await route();
    } catch (error) {
      complain(told, error);
    }
  };
  show(
    "Token",
    el("form", { class: "sheet", onsubmit: submit },
      el("h1", {}, "Enter your token"),
      el("p", {}, "The operator of this service creates one with spyglass token new NAME, which shows it once."),
      el("label", { for: "token" }, "Token"), token, el("button", { class: "main" }, "Enter"), told),
  );
  token.focus();
}

addEventListener("hashchange", async () => {
  await route();
  document.getElementById("main").focus({ preventScroll: true });
});
route();
