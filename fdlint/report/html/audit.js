(() => {
  const seen = new Map();
  const findings = data.report.findings.map((raw, index) => {
    const times = (seen.get(raw.fingerprint) ?? 0) + 1;
    seen.set(raw.fingerprint, times);
    const words = [raw.code, raw.name, `${printable(raw.path)}:${raw.line}`, raw.function, raw.api, printable(raw.message), ...(raw.owners ?? [])];
    return {
      raw, index, node: null,
      id: times > 1 ? `${raw.fingerprint}.${times}` : raw.fingerprint,
      directory: raw.path.includes("/") ? raw.path.slice(0, raw.path.lastIndexOf("/")) : ".",
      tests: raw.in_tests ? "tests" : "production",
      status: raw.state ?? "",
      owners: raw.owners ?? ["nobody"],
      words: words.filter(Boolean).join(" ").toLowerCase(),
    };
  });
  for (const node of document.querySelectorAll("details.finding")) {
    const one = findings[node.dataset.index];
    one.node = node;
    marked(one);
  }
  const byId = new Map(findings.map(one => [one.id, one]));

  // ---- a finding: the page has its steps, and the code comes when it is opened

  function marked(one) {
    const { raw } = one;
    const badge = (kind, text) => one.node.querySelector("summary br").before(made("span", { class: `badge ${kind}` }, text), " ");
    if (one.status === "new") badge("fresh", "new");
    if (raw.fix) badge("dim", `${raw.fix.applicability} fix`);
    one.node.addEventListener("toggle", () => { if (one.node.open) fill(one); });
  }

  function fill(one) {
    const plain = one.node.querySelector(".plain");
    if (!plain) return;
    const { raw } = one;
    const parts = inOrder(raw);
    const here = parts.filter(({ path }) => path === raw.path);
    const pointing = here.find(({ steps }) => steps.some(({ line }) => line === raw.line)) ?? here[0];
    const code = parts.flatMap(part => excerpt(part.path, part.steps, part === pointing ? raw.line : 0));
    plain.replaceWith(...code, ...assumed(raw), ...repair(raw), ...instead(raw), suppression(raw), footer(one));
  }

  // What nobody knows, and what the finding takes for true.
  function assumed(raw) {
    if (!raw.assumptions?.length) return [];
    const items = raw.assumptions.map(({ path, line, message }) =>
      made("li", {}, dim(path === raw.path ? `line ${line}: ` : `${printable(path)}:${line}: `), ...coded(message)));
    return [made("ul", { class: "lines" }, ...items)];
  }

  function excerpt(path, steps, points) {
    const title = made("p", { class: "dim place" }, printable(path));
    return [title, listed(own(data.code, path) ?? {}, steps, points, highlighted, `Code of ${printable(path)}`)];
  }

  // A line of code: each part begins with its class, a space for none.
  const highlighted = parts => made("span", {}, ...parts.map(part =>
    part[0] === " " ? part.slice(1) : made("span", { class: part[0] }, part.slice(1))));

  function repair(raw) {
    if (!raw.fix) return [];
    const title = made("p", {}, `Fix (${raw.fix.applicability}): `, ...coded(raw.fix.title), ", with these lines:");
    const lines = raw.fix.edits.flatMap(edit => edit.text.split(/\r?\n/).map(printable));
    return [title, made("pre", {}, lines.join("\n").trimEnd())];
  }

  function instead(raw) {
    const lines = own(data.rules, raw.code)?.instead[raw.language] ?? [];
    if (!lines.length) return [];
    const list = made("ol", {}, ...lines.map(line => made("li", {}, highlighted(line))));
    const summary = made("summary", {}, "What to write instead");
    return [made("details", { class: "instead" }, summary, scrolling(list, "What to write instead"))];
  }

  function suppression(raw) {
    const line = raw.language === "go" ? `//nolint:fdlint // ${raw.code}: reason` : `# fdlint: ignore[${raw.code}] reason`;
    const button = made("button", { type: "button" }, "Copy");
    button.addEventListener("click", () => copy(line));
    return made("p", { class: "actions" }, dim("To silence it:"), made("code", {}, printable(line)), button);
  }

  function footer(one) {
    const { raw } = one;
    const cost = `${raw.impact.level} impact: ${raw.impact.reason}`;
    const known = [raw.name, raw.api, raw.owners?.join(", "), `confidence: ${raw.confidence}`, cost, `fingerprint: ${raw.fingerprint}`];
    const link = made("a", { href: `#${new URLSearchParams({ finding: one.id })}` }, "Permalink");
    const words = coded(known.filter(Boolean).join(" \u00b7 "));
    return made("p", { class: "actions" }, made("span", { class: "dim" }, ...words), link);
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      tell("Copied");
    } catch {
      tell("The browser does not allow copying");
    }
  }
  const tell = text => { field("told").textContent = text; };

  // ---- which findings are shown, and in which order

  const SELECTS = ["severity", "confidence", "impact", "code", "status", "tests", "group", "sort"].filter(field);
  const KEPT = ["directory", "file", "owner"]; // filters that lists set
  const state = { finding: "" };
  for (const name of KEPT) state[name] = "";
  const GROUPS = {
    rule: one => `${one.raw.code} ${one.raw.name}`,
    directory: one => one.directory,
    file: one => one.raw.path,
    owner: one => one.owners.join(", "),
    function: one => `${one.raw.path}: ${one.raw.function ?? "(no function)"}`,
    confidence: one => one.raw.confidence,
    impact: one => one.raw.impact.level,
    tests: one => one.tests === "tests" ? "tests" : "production code",
    status: one => one.status,
  };
  const LEVELS = ["high", "medium", "low"];
  const severe = one => one.raw.severity === "error" ? 0 : 1;
  const compared = key => (a, b) => { const [x, y] = [key(a), key(b)]; return x < y ? -1 : x > y ? 1 : a.index - b.index; };
  const ORDERS = {
    place: (a, b) => a.index - b.index,
    severity: compared(severe),
    rule: compared(one => one.raw.code),
    confidence: compared(one => LEVELS.indexOf(one.raw.confidence)),
    impact: compared(one => LEVELS.indexOf(one.raw.impact.level) * 2 + severe(one)),
    status: compared(one => one.status === "new" ? 0 : 1),
  };
  let shown = [], shownBy = null; // what is on the page, and how it is grouped

  function matching() {
    const words = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = name => SELECTS.includes(name) ? field(name).value : "";
    const wanted = { severity: chosen("severity"), confidence: chosen("confidence"),
      impact: chosen("impact"), code: chosen("code"),
      status: chosen("status"), tests: chosen("tests") };
    return findings.filter(one => words.every(word => one.words.includes(word))
      && (!wanted.severity || one.raw.severity === wanted.severity)
      && (!wanted.confidence || one.raw.confidence === wanted.confidence)
      && (!wanted.impact || one.raw.impact.level === wanted.impact)
      && (!wanted.code || one.raw.code === wanted.code)
      && (!wanted.status || one.status === wanted.status)
      && (!wanted.tests || one.tests === wanted.tests)
      && (!state.directory || one.directory === state.directory)
      && (!state.file || one.raw.path === state.file)
      && (!state.owner || one.owners.includes(state.owner)));
  }

  function grouped(some, group) {
    const groups = new Map();
    for (const one of some) {
      const name = group(one);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(one);
    }
    return [...groups].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  }

  function arrange() {
    const group = GROUPS[field("group").value];
    const groups = grouped(matching().sort(ORDERS[field("sort").value] ?? ORDERS.impact), group ?? (() => ""));
    const now = groups.flatMap(([, some]) => some);
    // Most letters of a search change little: what is there already stays.
    if (group === shownBy && now.length === shown.length && now.every((one, n) => one === shown[n])) return;
    [shown, shownBy] = [now, group];
    const section = ([name, some]) =>
      made("section", {}, made("h3", {}, `${printable(name)} `, dim(String(some.length))), ...some.map(({ node }) => node));
    field("findings").replaceChildren(...(group ? groups.map(section) : shown.map(({ node }) => node)));
  }

  function apply() {
    arrange();
    const within = KEPT.filter(name => state[name]).map(name => ` in ${printable(state[name])}`).join("");
    field("count").textContent = `${shown.length} of ${findings.length}${within}`;
    for (const button of document.querySelectorAll("td button"))
      button.setAttribute("aria-pressed", String(pressed(button)));
  }
  const pressed = ({ dataset: { kind, value } }) => ({
    code: field("code").value, impact: `${field("impact").value} impact`, directory: state.directory, file: state.file, owner: state.owner,
  })[kind] === value;

  // ---- the state is in the address

  function remember() {
    const parameters = new URLSearchParams();
    if (field("search").value) parameters.set("search", field("search").value);
    for (const name of SELECTS)
      if (field(name).selectedIndex > 0) parameters.set(name, field(name).value);
    for (const name of [...KEPT, "finding"]) if (state[name]) parameters.set(name, state[name]);
    const address = location.href.split("#")[0];
    history.replaceState(null, "", String(parameters) ? `${address}#${parameters}` : address);
  }

  function restore() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    field("search").value = parameters.get("search") ?? "";
    for (const name of SELECTS) {
      field(name).value = parameters.get(name) ?? "";
      if (field(name).selectedIndex < 0) field(name).selectedIndex = 0;
    }
    for (const name of [...KEPT, "finding"]) state[name] = parameters.get(name) ?? "";
    apply();
    if (!state.finding) return;
    const one = byId.get(state.finding);
    if (!one) tell("This report has no such finding");
    else if (shown.includes(one)) show(one);
  }

  function show(one) {
    one.node.open = true;
    fill(one);
    one.node.querySelector("summary").focus();
    one.node.scrollIntoView({ block: "start" });
  }

  function changed() {
    state.finding = "";
    apply();
    remember();
  }

  // ---- lists of totals: the rest of each is made when it is asked for

  function toggled(kind, value) {
    const list = { code: field("code"), impact: field("impact") }[kind];
    const chosen = kind === "impact" ? value.split(" ")[0] : value;
    if (list) list.value = list.value === chosen ? "" : chosen;
    else state[kind] = state[kind] === value ? "" : value;
    changed();
  }

  const KINDS = {
    impact: one => [`${one.raw.impact.level} impact`],
    code: one => [one.raw.code],
    directory: one => [one.directory],
    file: one => [one.raw.path],
    owner: one => one.owners,
  };

  // Fills a table of totals, and a folded one with what is left over when that is opened.
  function totals(table) {
    const { kind } = table.dataset;
    const counts = new Map();
    for (const one of findings) for (const name of KINDS[kind](one)) counts.set(name, (counts.get(name) ?? 0) + 1);
    const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const rows = some => made("tbody", {}, ...some.map(([name, count]) => total(kind, name, count, sorted[0][1])));
    const top = table.rows.length;
    table.replaceChildren(rows(sorted.slice(0, top)));
    table.nextElementSibling?.addEventListener("toggle", event => {
      event.target.append(made("table", {}, rows(sorted.slice(top))));
    }, { once: true });
  }

  function total(kind, name, count, largest) {
    const parts = printable(name).split(/(?<=\/)/); // a long path breaks after a slash
    const button = made("button", { type: "button" }, ...parts.flatMap(part => [part, made("wbr", {})]));
    Object.assign(button.dataset, { kind, value: name });
    const title = kind === "code" ? own(data.rules, name)?.name ?? "" : "";
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const part = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    bar.setAttribute("aria-hidden", "true");
    part.setAttribute("width", `${Math.round(100 * count / largest)}%`);
    part.setAttribute("height", "100%");
    bar.append(part);
    return made("tr", {}, made("td", {}, button, " ", dim(title)), made("td", { class: "number" }, String(count)),
      made("td", { class: "bar" }, bar));
  }

  // ---- files to take along: the findings that are shown

  function save(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    made("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  // A spreadsheet takes what begins with one of these for a formula.
  const cell = value => {
    const text = String(value ?? "");
    return `"${(/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  };
  const COLUMNS = ["code", "name", "severity", "language", "path", "line", "column", "function", "api", "message", "fingerprint"];

  function csv() {
    const head = [...COLUMNS, "confidence", "impact", "in_tests", "state"];
    const rows = shown.map(one => [...COLUMNS.map(name => one.raw[name]), one.raw.confidence,
      one.raw.impact.level, one.tests === "tests", one.status]);
    return [head, ...rows].map(values => `${values.map(cell).join(",")}\r\n`).join("");
  }

  function json() {
    const numbers = new Map();
    for (const { raw } of [...shown].sort(ORDERS.rule)) numbers.set(raw.code, (numbers.get(raw.code) ?? 0) + 1);
    const counts = Object.fromEntries(numbers);
    const chosen = [...shown].sort(ORDERS.place).map(one => one.raw);
    const summary = { ...data.report.summary, counts };
    const number = status => shown.filter(one => one.status === status).length;
    if (summary.compared) summary.compared = { ...summary.compared, new: number("new"), unchanged: number("unchanged") };
    const document = { ...data.report, findings: chosen, summary };
    return JSON.stringify(document, null, 2) + "\n";
  }

  // ---- keys

  function pressedKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "/") {
      event.preventDefault();
      field("search").focus();
    } else if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
    }
  }

  function step(by) {
    const here = shown.findIndex(one => one.node.contains(document.activeElement));
    const next = here < 0 ? (by > 0 ? 0 : shown.length - 1) : here + by;
    if (!shown[next]) return;
    const summary = shown[next].node.querySelector("summary");
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "nearest" });
  }

  // ---- all of it is set up

  if (findings.length) {
    for (const id of ["search", ...SELECTS]) field(id).addEventListener("input", changed);
    const all = open => { for (const one of shown) { one.node.open = open; if (open) fill(one); } };
    field("open").addEventListener("click", () => all(true));
    field("close").addEventListener("click", () => all(false));
    field("reset").addEventListener("click", () => {
      history.replaceState(null, "", location.href.split("#")[0]);
      restore();
    });
    field("csv").addEventListener("click", () => save("fdlint.csv", "text/csv", csv()));
    field("json").addEventListener("click", () => save("fdlint.json", "application/json", json()));
    document.addEventListener("click", event => {
      const button = event.target.closest?.("button[data-kind]");
      if (button) toggled(button.dataset.kind, button.dataset.value);
    });
    document.querySelectorAll("table[data-kind]").forEach(totals);
    field("filters").open = matchMedia("(min-width: 60rem)").matches;
    document.addEventListener("keydown", pressedKey);
    addEventListener("hashchange", restore);
    let closed = [];
    addEventListener("beforeprint", () => {
      closed = shown.filter(one => !one.node.open);
      all(true);
    });
    addEventListener("afterprint", () => { for (const one of closed) one.node.open = false; });
    restore();
    if (!state.finding && shown.length) {
      shown[0].node.open = true;
      fill(shown[0]);
    }
  }
})();
