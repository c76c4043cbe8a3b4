(() => {
  if (!data.rows.length) return;

  const WORDS = ["repository", "rule", "impact", "state", "severity"]; // columns with a number in a list of words
  const all = data.rows.map((values, index) => {
    const one = { index };
    data.columns.forEach((name, n) => { one[name] = WORDS.includes(name) ? data.words[name][values[n]] : values[n]; });
    one.owners = one.owners.map(number => data.words.owner[number]);
    one.text = [one.repository, one.rule, data.names[one.rule], `${printable(one.path)}:${one.line}`, one.function, printable(one.message), ...one.owners]
      .join(" ").toLowerCase();
    return one;
  });

  // ---- which findings are shown

  const SELECTS = ["impact", "state", "tests", "rule", "owner", "repository"];
  const HEIGHT = 64; // pixels of a row, as in the style
  let shown = [], chosen = -1, firstRow = -1;

  for (const name of ["rule", "owner", "repository"]) {
    const sorted = [...data.words[name]].sort();
    field(name).append(...sorted.map(word => made("option", { value: word }, name === "rule" ? `${word} ${data.names[word] ?? ""}` : printable(word))));
  }

  function apply() {
    const words = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [impact, state, tests, rule, owner, repository] = SELECTS.map(name => field(name).value);
    shown = all.filter(one => (!impact || one.impact === impact) && (!state || one.state === state)
      && (!tests || (one.tests ? "tests" : "production") === tests) && (!rule || one.rule === rule)
      && (!owner || one.owners.includes(owner)) && (!repository || one.repository === repository)
      && words.every(word => one.text.includes(word)));
    field("count").textContent = `${shown.length.toLocaleString("en")} of ${all.length.toLocaleString("en")}`;
    field("space").style.height = `${shown.length * HEIGHT}px`;
    chosen = -1;
    firstRow = -1;
    field("list").scrollTop = 0;
    draw();
    for (const button of document.querySelectorAll("td button"))
      button.setAttribute("aria-pressed", String(field(button.dataset.kind).value === button.dataset.value));
  }

  // Only the rows in sight are in the page, with some around them.
  function draw() {
    const list = field("list"), first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 10);
    if (first === firstRow) return;
    firstRow = first;
    const some = shown.slice(first, first + Math.ceil(list.clientHeight / HEIGHT) + 20);
    field("rows").style.top = `${first * HEIGHT}px`;
    field("rows").replaceChildren(...some.map((one, n) => row(one, first + n)));
  }

  function row(one, place) {
    const badges = [one.impact !== "medium" ? `${one.impact} impact` : "", one.state !== "known" ? one.state : "", one.tests ? "in tests" : ""];
    const button = made("button", { type: "button" },
      made("span", {}, made("b", { class: one.severity }, one.rule), " ", made("span", { class: "place" }, printable(one.repository)), " ",
        ...badges.filter(Boolean).flatMap(text => [made("span", { class: `badge ${text === "new leak" ? "fresh" : "dim"}` }, text), " "])),
      made("span", { class: "dim place" }, `${printable(one.path)}:${one.line}`));
    button.addEventListener("click", () => choose(place));
    const item = made("div", { class: place === chosen ? "row chosen" : "row", role: "listitem", "aria-setsize": shown.length, "aria-posinset": place + 1 }, button);
    item.dataset.place = place;
    return item;
  }

  // ---- one finding: its data are packed, many in one piece

  const pieces = new Map();
  async function unpacked(number) {
    if (!pieces.has(number)) {
      const bytes = Uint8Array.from(atob(data.pieces[number]), letter => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      pieces.set(number, await new Response(stream).json());
    }
    return pieces.get(number);
  }

  async function choose(place) {
    const one = shown[place];
    if (!one) return;
    chosen = place;
    for (const item of document.querySelectorAll(".row")) item.classList.toggle("chosen", Number(item.dataset.place) === place);
    const [raw, code] = (await unpacked(Math.floor(one.index / data.size)))[one.index % data.size];
    if (chosen !== place) return;
    const facts = [one.owners.map(printable).join(", "), one.state === "known" ? `known since ${one.since.slice(0, 10)}` : one.state,
      `${raw.confidence} confidence`, one.tests ? "in tests" : ""];
    const where = `${printable(one.path)}:${one.line}`;
    field("detail").replaceChildren(
      made("h3", {}, made("b", { class: one.severity }, one.rule), ` ${data.names[one.rule] ?? ""}`),
      made("p", {}, made("span", { class: "place" }, printable(one.repository), " ", link(one, where)), made("br", {}), raw.function ? dim(printable(raw.function)) : ""),
      made("p", {}, ...coded(raw.message)),
      made("p", { class: "dim" }, facts.filter(Boolean).join(" · ")),
      ...steps(raw, code),
      ...(raw.assumptions.length ? [made("h3", {}, "Assumed"), made("ul", { class: "lines" }, ...raw.assumptions.map(({ message }) => made("li", {}, ...coded(message))))] : []),
      made("p", { class: "dim" }, `${raw.impact.level} impact: `, ...coded(raw.impact.reason)));
    field("detail").scrollTop = 0;
    if (matchMedia("(max-width: 60rem)").matches) field("detail").scrollIntoView(); // it is below the list
  }

  function link(one, where) {
    const base = data.links[one.repository];
    if (!base) return where;
    return made("a", { href: `${base}${one.path.split("/").map(encodeURIComponent).join("/")}#L${one.line}`, rel: "noreferrer" }, where);
  }

  const line = text => made("span", {}, printable(text.replaceAll("\t", "    ")));
  const steps = (raw, code) => inOrder(raw).flatMap(({ path, steps }) => [
    ...(path === raw.path ? [] : [made("p", { class: "place" }, printable(path))]),
    listed(own(code, path) ?? {}, steps, 0, line, `Code of ${printable(path)}`)]);

  // ---- the state is in the address

  function remember() {
    const parameters = new URLSearchParams();
    for (const name of ["search", ...SELECTS]) if (field(name).value) parameters.set(name, field(name).value);
    const address = location.href.split("#")[0];
    history.replaceState(null, "", String(parameters) ? `${address}#${parameters}` : address);
  }
  function restore() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    for (const name of ["search", ...SELECTS]) {
      field(name).value = parameters.get(name) ?? "";
      if (name !== "search" && field(name).selectedIndex < 0) field(name).selectedIndex = 0;
    }
    apply();
  }
  const changed = () => { apply(); remember(); };

  for (const cell of document.querySelectorAll("td[data-name]")) {
    const { kind } = cell.closest("table").dataset;
    const button = made("button", { type: "button" }, ...cell.childNodes);
    Object.assign(button.dataset, { kind, value: cell.dataset.name });
    button.addEventListener("click", () => {
      field(kind).value = field(kind).value === cell.dataset.name ? "" : cell.dataset.name;
      if (field(kind).selectedIndex < 0) field(kind).selectedIndex = 0;
      changed();
      field("all").scrollIntoView();
    });
    cell.replaceChildren(button);
  }
  for (const name of ["search", ...SELECTS]) field(name).addEventListener("input", changed);
  field("reset").addEventListener("click", () => { for (const name of ["search", ...SELECTS]) field(name).value = ""; changed(); });
  field("list").addEventListener("scroll", () => requestAnimationFrame(draw));
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    const by = { j: 1, k: -1 }[event.key];
    if (!by) return;
    const place = Math.min(Math.max(chosen + by, 0), shown.length - 1), list = field("list");
    if (place * HEIGHT < list.scrollTop || (place + 1) * HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = (place - 2) * HEIGHT;
    choose(place);
  });
  addEventListener("hashchange", restore);
  addEventListener("resize", () => { firstRow = -1; draw(); });
  restore();
})();
