// What a report rests on, as pictures: how many of its sentences hold, and when its sources were published.

import { el } from "./dom.js";

const VERDICTS = ["supported", "partial", "unsettled", "unsupported", "contradicted", "unchecked"];
const ROW = 16; // pixels from dot to dot where sources of nearly one day are stacked
const NEAR = 4; // percent of the width that two dots of a row are apart at least: their size on a phone

// Places are percents of the width, heights are pixels: so text and dots are as large on a phone as on a laptop.
function drawn(label, height, marks) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ height, role: "img", "aria-label": label })) picture.setAttribute(name, value);
  for (const [tag, given, words = ""] of marks) {
    const mark = document.createElementNS(picture.namespaceURI, tag);
    for (const [name, value] of Object.entries(given)) mark.setAttribute(name, value);
    if (tag === "text") mark.textContent = words;
    else if (words) mark.append(Object.assign(document.createElementNS(picture.namespaceURI, "title"), { textContent: words }));
    picture.append(mark);
  }
  return picture;
}

const filled = (template, values) => template.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
const named = ({ pair }, name, value) => filled(pair, { name, value });

// A bar of all sentences, by verdict.
export function support({ claims, words, language }) {
  const counts = VERDICTS.map((verdict) => [verdict, claims.filter((claim) => claim.verdict === verdict).length]).filter(([, count]) => count);
  if (!counts.length) return "";
  const told = counts.map(([verdict, count]) => `${count} ${words[verdict]}`).join(", ");
  let at = 0;
  const bars = counts.map(([verdict, count]) => {
    const width = (100 * count) / claims.length;
    at += width;
    return ["rect", { x: `${at - width}%`, y: 0, width: `${width}%`, height: 12, "data-state": verdict }, `${count} ${words[verdict]}`];
  });
  return el("figure", { lang: language }, drawn(told, 12, bars), el("figcaption", {}, named(words, words.sentences, told)));
}

// The sources that say when they were published, on a line of years; nothing where fewer than two do.
export function timeline({ sources, words, language }) {
  const dated = sources.map((one) => [Date.parse(one.published), one]).filter(([time]) => !Number.isNaN(time)).sort(([one], [other]) => one - other);
  if (dated.length < 2) return "";
  const [first, last] = [dated[0][0], dated.at(-1)[0]];
  const rows = [];
  const dots = dated.map(([time, one]) => {
    const x = 2 + (96 * (time - first)) / (last - first || 1);
    const free = rows.findIndex((end) => x - end >= NEAR);
    const row = free < 0 ? rows.length : free;
    rows[row] = x;
    return { x, row, one };
  });
  const line = rows.length * ROW - ROW / 2;
  const ends = [dated[0][1].published, dated.at(-1)[1].published];
  const told = filled(words.issued, { n: dated.length, first: ends[0], last: ends[1] });
  const key = (state, label) => dated.some(([, one]) => one.cited === (state === "cited")) ? el("span", { class: "key", "data-state": state }, label) : "";
  return el("figure", { lang: language }, drawn(told, line + 30, [
    ["line", { x1: "2%", x2: "98%", y1: line, y2: line }],
    ...dots.map(({ x, row, one }) => ["circle", { cx: `${x}%`, cy: line - row * ROW, r: 7, "data-state": one.cited ? "cited" : "read" }, named(words, one.published, one.title)]),
    ["text", { x: 0, y: line + 26 }, ends[0]],
    ["text", { x: "100%", y: line + 26, "text-anchor": "end" }, ends[1]],
  ]), el("figcaption", {}, told, key("cited", words.references), key("read", words.merely_read)));
}

// The sources that were read and that nothing rests on.
export function merelyRead({ sources, words, language }) {
  const others = sources.filter((one) => !one.cited);
  if (!others.length) return "";
  return el("details", { lang: language }, el("summary", {}, named(words, words.merely_read, others.length)),
    el("ul", {}, others.map((one) => el("li", {}, one.kind === "web" && /^https?:/.test(one.place)
      ? el("a", { href: one.place, rel: "noopener noreferrer", target: "_blank" }, one.title || one.place)
      : one.title || one.place, one.published ? `, ${one.published}` : ""))));
}
