// What a report rests on, as pictures: how many of its sentences hold, and when its sources were published.

import { el } from "./dom.js";

const WIDTH = 600;
const VERDICTS = ["supported", "partial", "unsettled", "unsupported", "contradicted", "unchecked"];

function drawn(label, height, marks) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label })) picture.setAttribute(name, value);
  for (const [tag, given, words = ""] of marks) {
    const mark = document.createElementNS(picture.namespaceURI, tag);
    for (const [name, value] of Object.entries(given)) mark.setAttribute(name, value);
    if (tag === "text") mark.textContent = words;
    else if (words) mark.append(Object.assign(document.createElementNS(picture.namespaceURI, "title"), { textContent: words }));
    picture.append(mark);
  }
  return picture;
}

// A bar of all sentences, by verdict.
export function support({ claims, words, language }) {
  const counts = VERDICTS.map((verdict) => [verdict, claims.filter((claim) => claim.verdict === verdict).length]).filter(([, count]) => count);
  if (!counts.length) return "";
  const told = counts.map(([verdict, count]) => `${count} ${words[verdict]}`).join(", ");
  let at = 0;
  const bars = counts.map(([verdict, count]) => {
    const width = (WIDTH * count) / claims.length;
    at += width;
    return ["rect", { x: at - width, y: 0, width: Math.max(1, width - 2), height: 10, "data-state": verdict }, `${count} ${words[verdict]}`];
  });
  return el("figure", { lang: language }, drawn(told, 10, bars), el("figcaption", {}, `${words.sentences}: ${told}`));
}

// The sources that say when they were published, on a line of years; nothing where fewer than two do.
export function timeline({ sources, words, language }) {
  const dated = sources.map((one) => [Date.parse(one.published), one]).filter(([time]) => !Number.isNaN(time)).sort(([one], [other]) => one - other);
  if (dated.length < 2) return "";
  const [first, last] = [dated[0][0], dated.at(-1)[0]];
  const place = (time) => 10 + ((WIDTH - 20) * (time - first)) / (last - first || 1);
  const ends = [dated[0][1].published, dated.at(-1)[1].published];
  const told = words.issued.replace("{n}", dated.length).replace("{first}", ends[0]).replace("{last}", ends[1]);
  return el("figure", { lang: language }, drawn(told, 44, [
    ["line", { x1: 10, x2: WIDTH - 10, y1: 14, y2: 14 }],
    ...dated.map(([time, one]) => ["circle", { cx: place(time), cy: 14, r: 6, "data-state": one.cited ? "cited" : "read" }, `${one.published}: ${one.title}`]),
    ["text", { x: 0, y: 40 }, ends[0]],
    ["text", { x: WIDTH, y: 40, "text-anchor": "end" }, ends[1]],
  ]), el("figcaption", {}, told));
}

// The sources that were read and that nothing rests on.
export function merelyRead({ sources, words, language }) {
  const others = sources.filter((one) => !one.cited);
  if (!others.length) return "";
  return el("details", { lang: language }, el("summary", {}, `${words.merely_read}: ${others.length}`),
    el("ul", {}, others.map((one) => el("li", {}, one.kind === "web" && /^https?:/.test(one.place)
      ? el("a", { href: one.place, rel: "noopener noreferrer", target: "_blank" }, one.title || one.place)
      : one.title || one.place, one.published ? `, ${one.published}` : ""))));
}
