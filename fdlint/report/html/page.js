"use strict";
// What the scripts of all pages share: the elements and the data of the page, and text that is never parsed as HTML.
const data = JSON.parse(document.getElementById("data").textContent);
const field = id => document.getElementById(id);
const own = (object, key) => Object.hasOwn(object, key) ? object[key] : undefined; // a file may be called "constructor"
const AROUND = 2; // lines shown before and after one on which something happens

// Whatever comes from a scanned tree becomes text, and characters that deceive or act are spelled out.
const unsafe = new RegExp(data.unsafe, "gu");
const SHORT = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const spelled = character => {
  const number = character.codePointAt(0);
  const [letter, width] = number < 256 ? ["x", 2] : number < 65536 ? ["u", 4] : ["U", 8];
  return SHORT[character] ?? `\\${letter}${number.toString(16).padStart(width, "0")}`;
};
const printable = text => String(text).replace(unsafe, spelled);

// An element: its attributes, then what is in it; strings become text.
function made(tag, attributes, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside);
  return element;
}
const dim = text => made("span", { class: "dim" }, text);
// What stands between backticks becomes code.
const coded = text => printable(text).split(/`([^`]+)`/).map((part, n) => n % 2 ? made("code", {}, part) : part);

// The path of a finding in the order of its steps: a part for each change of the file.
function inOrder(raw) {
  const parts = raw.trace.some(({ path }) => path === raw.path) ? [] : [{ path: raw.path, steps: [] }];
  raw.trace.forEach((event, n) => {
    if (parts.at(-1)?.path !== event.path) parts.push({ path: event.path, steps: [] });
    parts.at(-1).steps.push({ ...event, number: n + 1 });
  });
  return parts;
}
const described = step => [made("b", { class: "nr" }, String(step.number)), " ", ...coded(step.message)];

// The lines of a part, by number, each with the steps on it below. `written`: makes a line of code.
function listed(source, steps, points, written, label) {
  const wanted = new Set(points ? [points] : []);
  for (const step of steps) wanted.add(step.line);
  const shown = new Set();
  for (const line of wanted) for (let n = line - AROUND; n <= line + AROUND; n++) if (own(source, n) !== undefined) shown.add(n);
  if (!shown.size) return made("ol", { class: "steps" }, ...steps.map(step => made("li", {}, dim(`line ${step.line} `), ...described(step))));
  const list = made("ol", {});
  let before = 0;
  for (const n of [...shown].sort((a, b) => a - b)) {
    const kind = `${n === points ? "points" : ""} ${before && n !== before + 1 ? "gap" : ""}`;
    list.append(made("li", { class: kind }, made("span", { class: "line" }, String(n)), written(source[n])));
    for (const step of steps.filter(step => step.line === n))
      list.append(made("li", { class: "step" }, made("span", { class: "line" }), made("span", {}, made("span", {}, ...described(step)))));
    before = n;
  }
  return scrolling(list, label);
}
// Wide code scrolls, also with the keyboard.
const scrolling = (list, label) => made("div", { class: "code", tabindex: "0", role: "group", "aria-label": label }, list);

for (const element of document.querySelectorAll(".scripted")) element.hidden = false;
field("theme").addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = dark ? "light" : "dark";
});
