// Elements are made of text alone: nothing that a page, a file or a model said is ever parsed as HTML.

export function el(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export function show(title, ...children) {
  document.title = title ? `${title} – Spyglass` : "Spyglass";
  document.getElementById("main").replaceChildren(...children.flat());
}

// Enter in a text of several lines sends its form; with Shift it begins a line.
export function submits(event) {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.target.form.requestSubmit();
}

export function complain(where, error) {
  where.replaceChildren(el("p", { class: "trouble", role: "alert" }, error.message));
}

// The report of a run, as high as it is; no script runs in it.
export function framed(id, title) {
  const frame = el("iframe", { src: `runs/${id}/report.html`, title, sandbox: "allow-same-origin allow-popups allow-popups-to-escape-sandbox" });
  frame.addEventListener("load", () => {
    const shown = frame.contentDocument.documentElement;
    const fit = () => (frame.style.height = `${shown.getBoundingClientRect().height + 2}px`);
    new ResizeObserver(fit).observe(shown);
  });
  return frame;
}

export const money = (dollars) => (dollars === null ? "unknown cost" : `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`);

export const span = ([low, high], round = (value) => Math.round(value).toLocaleString("en")) =>
  round(low) === round(high) ? round(low) : `${round(low)}–${round(high)}`;

export const duration = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`);

export const when = (iso) => (iso ? new Date(iso).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }) : "");
