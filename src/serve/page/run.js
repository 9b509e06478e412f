// A run: its plan before it is spent, what it does, its report as it grows, and what to ask next.

import { call, follow } from "./api.js";
import { begin } from "./ask.js";
import { complain, el, framed, money, show, span, submits } from "./dom.js";
import { merelyRead, support, timeline } from "./picture.js";

const STATES = {
  running: "running", planned: "waiting for approval", complete: "complete", partial: "incomplete", failed: "failed",
  nothing_found: "nothing found", cancelled: "stopped", interrupted: "interrupted", unreadable: "unreadable",
};
const PHASES = {
  PLANNING: "Planning", LOCAL_RETRIEVAL: "Searching the files", WEB_SEARCH: "Searching the web", SCRAPING_URLS: "Reading pages",
  RERANKING: "Ranking passages", OUTLINE: "Outlining", WRITING: "Writing", CHECKING: "Checking every sentence",
};
const FORMS = ["html", "pdf", "docx", "md", "json", "bib"];

export async function run(id) {
  let state = await call(`runs/${encodeURIComponent(id)}`);
  const began = Date.parse(state.began);
  const counts = { searches: 0, pages: 0, calls: 0, cost: 0 };
  let [close, last, ended] = [null, 0, false];

  const heading = el("h1", {}, state.question);
  const badge = el("span", { class: "badge", role: "status" });
  const spent = el("span", { class: "soft" });
  const stop = el("button", { type: "button", onclick: () => cancel() }, "Stop, and report the results so far");
  const plan = el("section", { "aria-label": "Plan" });
  const doing = el("p", { class: "doing", "aria-live": "polite" });
  const steps = el("ol", { class: "steps" });
  const log = el("details", {}, el("summary", {}, "Steps of the run"), steps);
  const drafts = el("section", { class: "drafts", "aria-label": "Drafts" });
  const report = el("section", { "aria-label": "Report" });
  const told = el("div");
  show(state.question,
    heading, el("p", { class: "row" }, badge, spent, stop), told, plan, doing, drafts, report, log);

  const tell = () => {
    const over = !["running", "planned"].includes(state.outcome);
    badge.textContent = STATES[state.outcome] || state.outcome;
    badge.dataset.state = state.outcome;
    stop.hidden = state.outcome !== "running";
    const [calls, cost] = over ? [state.calls, state.cost] : [counts.calls, counts.cost];
    const paid = calls ? [`${calls} model calls`, money(cost)] : ["no model call"];
    const parts = over ? [] : [`${Math.max(0, Math.round((Date.now() - began) / 1000))} s`];
    if (counts.searches) parts.push(`${counts.searches} searches`);
    if (counts.pages) parts.push(`${counts.pages} pages read`);
    spent.textContent = [...parts, ...paid].join(" · ");
  };
  const clock = setInterval(() => state.outcome === "running" && tell(), 1000);

  async function cancel() {
    try {
      await call(`runs/${id}/cancel`, {});
    } catch (error) {
      complain(told, error);
    }
  }

  function step(text) {
    if (text) steps.append(el("li", {}, text));
  }

  function hear(name, data, at) {
    last = at;
    if (name === "run") return stand(data);
    if (name === "Searched") counts.searches += 1;
    if (name === "PageRead" && !data.error) counts.pages += 1;
    if (name === "ModelCalled" && !data.replayed) {
      counts.calls += 1;
      counts.cost = data.cost === null || counts.cost === null ? null : counts.cost + data.cost;
    }
    if (name === "SectionDrafted") drafts.append(el("h2", {}, data.title), el("p", {}, data.text));
    const words = line(name, data);
    if (words) doing.textContent = state.outcome === "running" ? `${words} …` : "";
    step(words);
    tell();
  }

  function stand(now) {
    const before = state.outcome;
    state = now;
    tell();
    plan.replaceChildren();
    if (state.outcome === "planned") showPlan();
    if (state.outcome === "running") return;
    if (state.outcome !== before || !ended) finish();
  }

  function finish() {
    ended = true;
    doing.textContent = "";
    if (state.problem) complain(told, new Error(state.problem));
    if (["planned", "interrupted", "unreadable"].includes(state.outcome)) return;
    if (state.outcome === "failed") call(`runs/${id}/evidence`).then(showReport, (error) => complain(told, error)); // it may have none
    else showReport();
  }

  async function showPlan() {
    try {
      const made = await call(`runs/${id}/plan`);
      const rows = el("ol", { class: "plan" });
      const add = (text) => {
        const input = el("textarea", { rows: 1, "aria-label": "What to find out", maxlength: 1000, onkeydown: submits }, text);
        rows.append(el("li", {}, input, el("button", { type: "button", "aria-label": `Remove task: ${text}`, onclick: (event) => event.target.closest("li").remove() }, "×")));
        return input;
      };
      for (const text of new Set(made.plan.tasks.map((task) => task.task))) add(text);
      const takes = made.forecast;
      const price = takes.money === null ? "an unknown cost" : `$${span(takes.money, (value) => value.toPrecision(2).replace(/\.?0+$/, "") || "0")}`;
      const spends = takes.calls[1] ? `${span(takes.calls)} model calls, ${span(takes.tokens)} tokens, ${price} and ` : "no model call and ";
      const from = takes.runs ? `from ${takes.runs} similar run${takes.runs > 1 ? "s" : ""}` : "from the plan alone";
      const approve = async (event) => {
        event.preventDefault();
        const tasks = [...rows.querySelectorAll("textarea")].map((input) => ({ task: input.value.trim() })).filter((one) => one.task);
        try {
          if (!tasks.length) throw new Error("Keep at least one thing to find out.");
          await call(`runs/${id}/plan`, { tasks });
        } catch (error) {
          if (!tasks.length || (await call(`runs/${id}`)).outcome === "planned") return complain(told, error);
        } // else another window has approved it
        await restart();
      };
      plan.replaceChildren(
        el("form", { class: "sheet", onsubmit: approve },
          el("h2", {}, "The plan"), rows,
          el("p", {}, el("button", { type: "button", onclick: () => add("").focus() }, "Add something to find out")),
          el("p", {}, `Expected: ${spends}${span(takes.seconds)} s, ${from}.`),
          el("button", { class: "main" }, "Go")));
    } catch (error) {
      complain(told, error);
    }
  }

  function showReport() {
    heading.className = "hidden"; // the report has it as its own
    drafts.replaceChildren();
    const pictures = el("div");
    call(`runs/${id}/evidence`).then(
      (evidence) => pictures.replaceChildren(...[support(evidence), timeline(evidence), merelyRead(evidence)].filter(Boolean)),
      (error) => complain(pictures, error));
    const question = el("input", { id: "next", maxlength: 4000, placeholder: "Ask a follow-up question", required: true });
    report.replaceChildren(
      framed(id, "Report"), pictures,
      el("p", { class: "row soft" }, "Download: ", FORMS.map((form) => el("a", { href: `runs/${id}/report.${form}`, download: `report-${id}.${form}` }, form))),
      el("form", { class: "row next", onsubmit: (event) => begin(event, question.value.trim(), told, id) },
        el("label", { for: "next", class: "hidden" }, "Follow-up question"), question, el("button", { class: "main" }, "Ask follow-up")));
  }

  async function restart() {
    if (close) close();
    state = await call(`runs/${id}`);
    ended = false;
    plan.replaceChildren();
    told.replaceChildren();
    tell();
    close = follow(id, last, hear);
  }

  tell();
  close = follow(id, 0, hear);
  return () => {
    clearInterval(clock);
    if (close) close();
  };
}

function line(name, data) {
  switch (name) {
    case "tool_update": return data.status === "started" ? PHASES[data.phase] || "" : "";
    case "Planned": return `Plan: ${[...new Set(data.tasks.map((task) => task.task))].join("; ")}`;
    case "Searched": return data.error ? `${data.engine} did not answer: ${data.error}` : `${data.engine}: ${data.results} results for “${data.query}”`;
    case "PageRead": return data.error ? `Not read: ${data.url} (${data.error})` : `Read ${data.title || data.url}`;
    case "IngestProgress": return `${data.step === "convert" ? "Reading files" : "Embedding passages"}: ${data.done} of ${data.total}`;
    case "Ingested": return `Read ${data.files} files, ${data.chunks} passages`;
    case "FileSkipped": return `Skipped ${data.path}: ${data.reason}`;
    case "TaskEnded": return data.error ? `${data.agent} failed: ${data.error}` : `${data.agent}: ${data.added} sources for “${data.task}”`;
    case "ModelCalled": return `${data.model} (${data.role}): read ${data.prompt_tokens} tokens, wrote ${data.completion_tokens}`;
    case "Retrying": return `Retrying: ${data.why}`;
    case "Noticed": return data.text;
    case "SectionWritten": return `Section “${data.title}”`;
    default: return "";
  }
}
