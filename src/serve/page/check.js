// Somebody's text, every sentence of it marked by what the files and the pages that it cites say.

import { call } from "./api.js";
import { complain, el, show } from "./dom.js";

export async function check() {
  const [offered, collections] = await Promise.all([call("health"), call("collections")]);
  const text = el("textarea", { id: "text", rows: 10, required: true, maxlength: 50000, placeholder: "Paste a text, with its links and references" });
  const answer = el("div", { "aria-live": "polite" });
  const web = el("input", { type: "checkbox", checked: !offered.files });
  const against = el("select", { name: "against" }, el("option", { value: "" }, offered.files ? "the files of the service" : "only what it cites"),
    collections.map(({ name }) => el("option", { value: name }, `“${name}”`)));
  const button = el("button", { class: "main" }, "Check");
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    answer.replaceChildren(el("p", { class: "doing" }, "Checking every sentence …"));
    try {
      answer.replaceChildren(...marked(await call("check", { text: text.value, web: web.checked, collections: against.value ? [against.value] : [] })));
    } catch (error) {
      complain(answer, error);
    } finally {
      button.disabled = false;
    }
  };
  show("Check a text",
    el("form", { class: "ask", onsubmit: submit },
      el("h1", {}, "Check a text"), el("label", { for: "text", class: "hidden" }, "The text"), text,
      el("div", { class: "row" }, button, collections.length ? el("label", {}, "against ", against) : "",
        offered.web ? el("label", {}, web, " read the pages that it cites") : "")),
    answer);
  text.focus();
}

function marked(found) {
  const counts = Object.entries(found.counts).filter(([, count]) => count);
  return [
    el("p", { class: "row" }, counts.map(([verdict, count]) => el("span", { class: "badge", "data-state": verdict }, `${count} ${found.words[verdict]}`))),
    ...found.notices.map((notice) => el("p", { class: "soft" }, notice)),
    el("ol", { class: "claims", lang: found.language }, found.claims.map((claim) => el("li", { "data-state": claim.verdict },
      el("p", {}, el("span", { class: "badge", "data-state": claim.verdict }, found.words[claim.verdict]), " ", claim.text),
      claim.reasons.map((reason) => el("p", { class: "soft" }, reason)),
      [claim.quote, claim.elsewhere].filter(Boolean).map((quote) => el("blockquote", {}, `“${quote.text}” `, el("cite", {}, [quote.source, quote.place].filter(Boolean).join(", "))))))),
  ];
}
