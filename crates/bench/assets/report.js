// The script of the report: tabs, choices, line charts, and the sources of numbers. The tables, bars and heat maps are
// in the page already. Text of results only ever becomes text nodes.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  root.classList.add("js");

  // ---- Elements ----

  /** Creates an element with properties and children; strings become text. */
  function make(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (name in element) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const one = (selector, from = document) => from.querySelector(selector);

  /** Returns a group of buttons of which one is pressed. */
  function choice(label, options, chosen, onChange) {
    const group = make("div", { className: "choice", role: "group", "aria-label": label });
    const press = (value) => all("button", group).forEach((b) => b.setAttribute("aria-pressed", b.dataset.value === value));
    for (const [value, text] of options) {
      const button = make("button", { type: "button" }, text);
      button.dataset.value = value;
      button.addEventListener("click", () => { press(value); onChange(value); });
      group.append(button);
    }
    press(chosen);
    return group;
  }

  /** Returns a list to choose from, with its label. */
  function list(label, options, onChange) {
    const select = make("select", {});
    options.forEach(([value, text]) => select.append(make("option", { value }, text)));
    select.addEventListener("change", () => onChange(select.value));
    return [make("label", {}, label, select), select];
  }

  const stored = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const store = (key, value) => { try { localStorage.setItem(key, value); } catch { /* A page in a file may not. */ } };

  // ---- Numbers ----

  function plain(x) {
    if (x === null || x === undefined || !isFinite(x)) return "–";
    const size = Math.abs(x);
    const digits = size >= 99.95 || Number.isInteger(x) ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    return x.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  function scaled(x, units, unit) {
    if (x === null || x === undefined || !isFinite(x)) return "–";
    let at = 0;
    while (Math.abs(x) >= 1000 && at < units.length - 1) { x /= 1000; at += 1; }
    const text = x === 0 ? "0" : String(+x.toPrecision(3));
    return [text, units[at] + unit].filter(Boolean).join(" ");
  }
  const rate = (x) => scaled(x, ["", "k", "M", "G"], "");
  const bytes = (x) => scaled(x, ["", "k", "M", "G", "T"], "B");
  const micros = (x) => (x >= 1e6 ? scaled(x / 1e6, [""], "s") : scaled(x, ["µ", "m"], "s"));
  const seconds = (x) => `${plain(x)} s`;

  // ---- Theme ----

  const redraws = [];
  function setTheme(theme) {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    store("ferrolith-report-theme", theme);
    redraws.forEach((redraw) => redraw());
  }
  const theme = stored("ferrolith-report-theme") || "auto";
  if (theme !== "auto") root.dataset.theme = theme;
  one("#theme").append(choice("Colours", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], theme, setTheme));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraws.forEach((redraw) => redraw()));

  const probe = make("span", { hidden: true });
  document.body.append(probe);
  /** Returns a colour of the style sheet as the theme has it now. */
  function colour(name) {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  }

  // ---- Sources ----

  const trace = one("#trace");
  let opener = null;
  /** Shows where numbers came from: files, lines and commands. */
  function showSources(title, items, from) {
    const body = one(".body", trace);
    body.replaceChildren(make("h3", {}, title));
    for (const { place, about, command, error } of items) {
      const item = make("div", { className: "item" }, make("div", { className: "place" }, place), make("div", { className: "hint" }, about));
      if (error) item.append(make("div", { className: "warning" }, error));
      if (command) item.append(withCopy(make("div", { className: "command" }, make("pre", {}, command))));
      body.append(item);
    }
    opener = from;
    trace.hidden = false;
    trace.scrollTop = 0;
    trace.focus({ preventScroll: true });
  }
  function hideSources() {
    if (trace.hidden) return;
    trace.hidden = true;
    if (opener && opener.focus) opener.focus({ preventScroll: true });
  }
  one(".close", trace).addEventListener("click", hideSources);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideSources(); });

  function sourceOf(at) {
    const record = data.records[at];
    const parts = [data.engines[record.engine].label, data.measurements[record.measurement]];
    if (record.pair !== null) parts.push(`pair ${record.pair}`);
    if (record.time) parts.push(record.time);
    if (!record.complete) parts.push("not complete");
    const command = record.command === null ? null : data.commands[record.command];
    return { place: `${data.files[record.file]}:${record.line}`, about: parts.join(" · "), command, error: record.error };
  }
  document.addEventListener("click", (event) => {
    const element = event.target.closest("[data-records]");
    if (!element || event.target.closest("summary, details, a")) return;
    if (element.tagName === "TR" && !event.target.closest("td")) return;
    const records = element.dataset.records.split(",").map(Number);
    const name = element.dataset.value ? element.textContent.trim() : "Sources";
    showSources(name, records.map(sourceOf), element.closest("button") || one("button.source", element.closest("tr") || document.body));
  });

  function withCopy(block) {
    const button = make("button", { type: "button", className: "copy" }, "Copy");
    button.addEventListener("click", async () => {
      const text = one("pre", block).textContent;
      try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(one("pre", block)); button.textContent = "Selected"; }
    });
    block.append(button);
    return block;
  }
  all(".tab .command").forEach(withCopy);

  // ---- Tabs ----

  const tabs = all("main > .tab");
  const shown = new Map();
  const buttons = tabs.map((tab) => {
    const button = make("button", { type: "button", role: "tab", id: `tab-${tab.id}`, "aria-controls": tab.id }, tab.getAttribute("aria-label"));
    button.addEventListener("click", () => { openTab(tab.id); history.replaceState(null, "", `#${tab.id}`); });
    tab.setAttribute("role", "tabpanel");
    tab.setAttribute("aria-labelledby", button.id);
    return button;
  });
  one("#tabs").append(...buttons);
  one("#tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const now = buttons.indexOf(document.activeElement);
    const ends = { Home: 0, End: buttons.length - 1 };
    const next = event.key in ends ? ends[event.key] : step ? (now + step + buttons.length) % buttons.length : -1;
    if (next < 0) return;
    event.preventDefault();
    buttons[next].focus();
    buttons[next].click();
  });
  function openTab(id) {
    const at = Math.max(0, tabs.findIndex((tab) => tab.id === id));
    tabs.forEach((tab, i) => {
      tab.hidden = i !== at;
      buttons[i].setAttribute("aria-selected", i === at);
      buttons[i].tabIndex = i === at ? 0 : -1;
    });
    const button = buttons[at], row = one("#tabs");
    row.scrollLeft = Math.max(0, button.offsetLeft - row.offsetLeft - 40);
    const draw = shown.get(tabs[at].id);
    if (draw) draw();
  }
  addEventListener("hashchange", () => { hideSources(); openTab(location.hash.slice(1)); });

  // ---- Overview ----

  const figures = all("#overview .figure.panel");
  if (figures.length > 0) {
    let view = "ratio", figure = 0;
    const show = () => figures.forEach((panel, at) => {
      panel.hidden = at !== figure;
      const views = all(".view", panel);
      const chosen = views.find((v) => v.dataset.view === view) || views[0];
      views.forEach((v) => { v.hidden = v !== chosen; });
    });
    const options = figures.map((panel, at) => [String(at), panel.dataset.name]);
    const [label, select] = list("Figure", options, (value) => { figure = Number(value); show(); });
    select.id = "figure";
    const hasRatios = figures.some((panel) => one('[data-view="ratio"]', panel));
    const views = [["ratio", "Ratios"], ["values", "Values"], ["table", "Table"]].slice(hasRatios ? 0 : 1);
    // Links of the summary choose a figure.
    const follow = () => {
      const at = figures.findIndex((panel) => panel.id === location.hash.slice(1));
      if (at < 0) return;
      figure = at;
      select.value = String(at);
      show();
      select.scrollIntoView({ block: "nearest" });
    };
    addEventListener("hashchange", follow);
    one('[data-for="figure"]').append(label, choice("View", views, hasRatios ? "ratio" : "values", (value) => { view = value; show(); }));
    show();
    follow();
  }

  // ---- Line charts ----

  const tip = one("#tip");
  const engineColour = (engine) => colour(`c${data.engines[engine].colour}`);
  const charts = new Map();
  const observer = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const chart = charts.get(entry.target);
      const width = Math.floor(entry.contentRect.width);
      if (chart && width > 0 && chart.width !== width) chart.setSize({ width, height: chart.height });
    }
  });

  /**
   * Draws lines into a container.
   * spec: { title, hint, x: {label, format, splits}, y: {format, log}, lines, bands }
   * line: { label, engine, xs, ys, dashed, alpha, end, source(i) }
   * band: { from, to, colour, text }
   */
  function plot(container, spec) {
    const canvas = make("div", { className: "canvas", tabIndex: 0, role: "img" });
    canvas.setAttribute("aria-label", `${spec.title}. Arrow keys move the cursor, Enter shows sources; the table has all numbers.`);
    const table = make("div", { className: "scroll", hidden: true, tabIndex: 0 });
    const toggle = choice("View", [["chart", "Chart"], ["table", "Table"]], "chart", (view) => {
      canvas.hidden = view === "table";
      table.hidden = view !== "table";
      if (view === "table" && !table.firstChild) table.append(tableOf(spec));
    });
    const box = make("div", { className: "plot" }, make("h4", {}, spec.title, make("span", { className: "hint" }, spec.hint || ""), toggle));
    box.append(legend(spec), canvas, table);
    container.append(box);
    const joined = uPlot.join(spec.lines.map((line) => [line.xs, line.ys]));
    const width = Math.max(200, Math.floor(canvas.clientWidth));
    spec.labels = endLabels(spec, width);
    box.classList.toggle("labelled", spec.labels !== null);
    const chart = new uPlot(options(spec, width), joined, canvas);
    charts.set(canvas, chart);
    observer.observe(canvas);
    keys(canvas, chart, spec, joined);
    box.spec = spec;
    return box;
  }

  /** One entry for each distinct label. */
  function legend(spec) {
    const seen = new Set();
    const box = make("div", { className: "legend" });
    for (const line of spec.lines) {
      const name = line.end || line.label;
      if (seen.has(name)) continue;
      seen.add(name);
      const mark = make("i", { className: line.dashed ? "dashed" : "" });
      mark.style.borderColor = engineColour(line.engine);
      mark.style.opacity = line.fades ? line.alpha : 1;
      box.append(make("span", {}, mark, name));
    }
    return box;
  }

  function tableOf(spec) {
    const head = make("tr", {}, make("th", { className: "n" }, spec.x.label));
    const rows = new Map();
    spec.lines.forEach((line, at) => {
      head.append(make("th", { className: "n" }, line.label));
      line.xs.forEach((x, i) => {
        if (!rows.has(x)) rows.set(x, []);
        rows.get(x)[at] = [line, i];
      });
    });
    const body = make("tbody", {});
    for (const x of [...rows.keys()].sort((a, b) => a - b)) {
      const row = make("tr", {}, make("td", { className: "n" }, spec.x.format(x)));
      spec.lines.forEach((_, at) => {
        const [line, i] = rows.get(x)[at] || [];
        const cell = make("td", { className: "n" }, line ? spec.y.format(line.ys[i]) : "");
        if (line) {
          cell.title = line.source(i).place;
          cell.dataset.x = x;
          cell.dataset.value = line.ys[i];
          cell.addEventListener("click", () => showSources(cell.textContent, [line.source(i)], null));
        }
        row.append(cell);
      });
      body.append(row);
    }
    return make("table", {}, make("thead", {}, head), body);
  }

  function options(spec, width) {
    const ink = colour("ink"), soft = colour("soft"), grid = colour("grid");
    const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
    const axis = { stroke: soft, font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 5 } };
    return {
      width,
      height: 250,
      legend: { show: false },
      padding: [10, spec.labels ? spec.labels.width + 10 : 16, 0, 0],
      cursor: {
        drag: { x: true, y: false },
        points: { size: 6 },
        dataIdx: (u, at, hovered) => nearest(u.data[at], hovered),
      },
      scales: {
        x: { time: false, range: spec.x.range ? () => spec.x.range : undefined },
        y: spec.y.log ? { distr: 3, range: (u, low, high) => logRange(low, high) } : { range: (u, low, high) => [0, high > 0 ? high * 1.08 : 1] },
      },
      axes: [
        {
          ...axis, label: spec.x.label, labelFont: font, labelSize: 18, size: 32,
          splits: spec.x.splits, values: (u, splits) => splits.map((x) => (spec.x.tick || spec.x.format)(x)),
        },
        {
          ...axis, size: 62, space: 34,
          splits: spec.y.log ? (u, at, low, high) => powers(low, high) : undefined,
          filter: spec.y.log ? (u, splits) => splits : undefined,
          values: (u, splits) => splits.map((y) => (y === null ? "" : (spec.y.tick || spec.y.format)(y))),
        },
      ],
      series: [{}, ...spec.lines.map((line) => ({
        label: line.label,
        stroke: withAlpha(engineColour(line.engine), line.alpha || 1),
        width: 1.75,
        dash: line.dashed ? [6, 4] : undefined,
        points: { show: line.ys.filter((y) => y !== null).length < 3, size: 6 },
      }))],
      hooks: {
        drawClear: [(u) => (spec.bands || []).forEach((band) => drawBand(u, band, ink))],
        draw: [(u) => drawEndLabels(u, spec)],
        setCursor: [(u) => showTip(u, spec)],
      },
    };
  }

  /** Returns the labels at the ends of lines, or null if a legend above reads better. */
  function endLabels(spec, width) {
    const names = [...new Set(spec.lines.map((line) => line.end || line.label))];
    if (width < 420 || names.length > 9) return null;
    const context = document.createElement("canvas").getContext("2d");
    context.font = LABEL_FONT(1);
    const widest = Math.ceil(Math.max(...names.map((name) => context.measureText(name).width)));
    return widest > width / 3 ? null : { width: widest };
  }
  const LABEL_FONT = (ratio) => `${12 * ratio}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;

  /** Writes the name of each line at its end, without overlaps. */
  function drawEndLabels(u, spec) {
    if (!spec.labels) return;
    const ratio = devicePixelRatio, gap = 14 * ratio, { left, top, width, height } = u.bbox;
    const labels = new Map();
    spec.lines.forEach((line, at) => {
      const ys = u.data[at + 1];
      const last = ys.findLastIndex((y) => y !== null && y !== undefined);
      const name = line.end || line.label;
      if (last < 0 || labels.has(name)) return;
      labels.set(name, { name, y: u.valToPos(ys[last], "y", true), colour: engineColour(line.engine) });
    });
    const sorted = [...labels.values()].sort((a, b) => a.y - b.y);
    sorted.forEach((label, i) => { label.y = Math.max(label.y, i === 0 ? top : sorted[i - 1].y + gap); });
    for (let i = sorted.length - 1, below = top + height + gap / 2; i >= 0; i -= 1) {
      sorted[i].y = Math.min(sorted[i].y, below - gap);
      below = sorted[i].y;
    }
    u.ctx.save();
    u.ctx.font = LABEL_FONT(ratio);
    u.ctx.textBaseline = "middle";
    u.ctx.textAlign = "left";
    for (const { name, y, colour: ink } of sorted) {
      u.ctx.fillStyle = ink;
      u.ctx.fillText(name, left + width + 6 * ratio, y);
    }
    u.ctx.restore();
  }

  function withAlpha(rgb, alpha) {
    return alpha === 1 ? rgb : rgb.replace(/^rgb\((.*)\)$/, (_, inner) => `rgb(${inner.replaceAll(",", " ")} / ${alpha})`);
  }
  function logRange(low, high) {
    if (!(low > 0)) return [1, 10];
    return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high * 1.02))];
  }
  function powers(low, high) {
    const found = [];
    for (let p = Math.round(Math.log10(low)); 10 ** p <= high * 1.001; p += 1) found.push(10 ** p);
    return found;
  }
  function drawBand(u, band, ink) {
    const from = u.valToPos(band.from, "x", true), to = u.valToPos(band.to, "x", true);
    const { left, top, width, height } = u.bbox;
    const a = Math.max(left, from), b = Math.min(left + width, to);
    if (b <= a) return;
    u.ctx.save();
    u.ctx.fillStyle = band.colour || colour("band");
    u.ctx.fillRect(a, top, b - a, height);
    if (band.text && b - a > 60 * devicePixelRatio) {
      u.ctx.fillStyle = colour("soft");
      u.ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      u.ctx.fillText(band.text, a + 5 * devicePixelRatio, top + 13 * devicePixelRatio);
    }
    u.ctx.restore();
  }

  /** Returns the place of the value that is nearest to a place of the joined data. */
  function nearest(values, at) {
    if (at === null || at === undefined) return at;
    for (let step = 0; step < values.length; step += 1) {
      if (values[at - step] !== null && values[at - step] !== undefined) return at - step;
      if (values[at + step] !== null && values[at + step] !== undefined) return at + step;
    }
    return at;
  }

  /** Returns the lines under the cursor with the place of their value. */
  function underCursor(u, spec) {
    const found = [];
    spec.lines.forEach((line, at) => {
      const place = u.cursor.idxs[at + 1];
      if (place === null || place === undefined) return;
      const i = line.xs.indexOf(u.data[0][place]);
      if (i >= 0 && line.ys[i] !== null) found.push([line, i]);
    });
    return found;
  }

  function showTip(u, spec) {
    const { left, top, idx } = u.cursor;
    if (left < 0 || idx === null || idx === undefined) { tip.hidden = true; return; }
    const found = underCursor(u, spec).slice(0, 12);
    const table = make("table", {});
    for (const [line, i] of found) {
      const name = make("span", { className: `engine c${data.engines[line.engine].colour}` }, line.label);
      table.append(make("tr", {}, make("td", {}, name), make("td", { className: "n" }, spec.y.format(line.ys[i])), make("td", { className: "hint" }, line.source(i).place)));
    }
    tip.replaceChildren(make("b", {}, `${spec.x.label}: ${spec.x.format(u.data[0][idx])}`), table);
    tip.hidden = false;
    const box = u.over.getBoundingClientRect();
    const x = box.left + left + 14, y = box.top + top + 14;
    tip.style.left = `${Math.max(6, Math.min(x, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${y + tip.offsetHeight > innerHeight ? Math.max(6, y - tip.offsetHeight - 28) : y}px`;
  }

  function keys(canvas, chart, spec, joined) {
    let at = -1;
    const show = () => {
      const left = chart.valToPos(joined[0][at], "x");
      const line = joined.slice(1).find((ys) => ys[at] !== null && ys[at] !== undefined);
      chart.setCursor({ left, top: line ? chart.valToPos(line[at], "y") : 10 });
    };
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) {
        event.preventDefault();
        at = Math.max(0, Math.min(joined[0].length - 1, at + step));
        show();
      } else if (event.key === "Enter") {
        sources();
      }
    });
    canvas.addEventListener("blur", () => chart.setCursor({ left: -10, top: -10 }));
    const sources = () => {
      const found = underCursor(chart, spec);
      if (found.length === 0) return;
      showSources(spec.title, found.map(([line, i]) => {
        const source = line.source(i);
        return { ...source, about: `${line.label}: ${spec.y.format(line.ys[i])} at ${spec.x.label.toLowerCase()} ${spec.x.format(line.xs[i])}` };
      }), canvas);
    };
    let pressed = null;
    chart.over.addEventListener("mousedown", (event) => { pressed = event.clientX; });
    chart.over.addEventListener("click", (event) => { if (Math.abs(event.clientX - pressed) < 4) sources(); });
  }

  function clear(container) {
    all(".canvas", container).forEach((canvas) => {
      const chart = charts.get(canvas);
      if (chart) chart.destroy();
      charts.delete(canvas);
      observer.unobserve(canvas);
    });
    container.replaceChildren();
    tip.hidden = true;
  }

  /** Draws a tab when it is opened, when a choice changes, and when the theme does. */
  function drawn(id, draw) {
    let stale = true;
    const now = () => { if (stale) { stale = false; draw(); } };
    const again = () => { stale = true; if (!document.getElementById(id).hidden) now(); };
    shown.set(id, now);
    redraws.push(again);
    return again;
  }

  /** Shows the rows of one measurement. */
  const onlyRows = (selector, value) => all(`${selector} tr`).forEach((row) => { row.hidden = row.dataset.measurement !== value; });
  const measured = (items, of) => [...new Set(items.map(of))].sort((a, b) => a - b).map((m) => [String(m), data.measurements[m]]);

  // ---- Over time ----

  if (one("#time-plots")) {
    const container = one("#time-plots");
    let run = "all";
    const options = measured(data.series, (series) => series.measurement);
    const again = drawn("time", () => {
      drawTime(container, chosen(), run);
      onlyRows("#time-rows", select.value);
    });
    const [label, select] = list("Workload", options, () => { runs(); again(); });
    const [runLabel, runSelect] = list("Run", [], (value) => { run = value; again(); });
    const chosen = () => data.series.filter((series) => String(series.measurement) === select.value);
    select.id = "time-measurement";
    const length = (value) => data.series.filter((s) => String(s.measurement) === value).reduce((sum, s) => sum + s.t.length, 0);
    select.value = options.reduce((best, [value]) => (length(value) > length(best) ? value : best), options[0][0]);
    function runs() {
      const pairs = [...new Set(chosen().map((series) => series.pair))].filter((pair) => pair !== null);
      runSelect.replaceChildren(make("option", { value: "all" }, "all"), ...pairs.map((pair) => make("option", { value: String(pair) }, `pair ${pair}`)));
      run = "all";
      runLabel.hidden = pairs.length < 2;
    }
    one('[data-for="time"]').append(label, runLabel);
    runs();
  }

  function drawTime(container, whole, run) {
    clear(container);
    const series = run === "all" ? whole : whole.filter((s) => String(s.pair) === run);
    const crowd = new Map();
    series.forEach((s) => crowd.set(s.engine, (crowd.get(s.engine) || 0) + 1));
    const line = (s, ys, more) => ({
      label: data.engines[s.engine].label + (s.pair === null ? "" : `, pair ${s.pair}`),
      end: crowd.get(s.engine) > 1 ? data.engines[s.engine].label : undefined,
      alpha: crowd.get(s.engine) > 1 ? 0.6 : 1,
      engine: s.engine, xs: s.t, ys,
      source: (i) => ({
        place: `${data.files[s.file]}:${s.lines[i]}`,
        command: s.record === null ? null : sourceOf(s.record).command,
      }),
      ...more,
    });
    const x = { label: "Seconds", format: plain, tick: (t) => String(+t.toFixed(2)) };
    const bandsOf = (shown) => warmUp(shown).concat(stalls(shown));
    const bands = bandsOf(series);
    const draw = (title, hint, format, lines, more) => {
      const tick = format === plain ? (y) => String(+y.toPrecision(3)) : format;
      if (lines.length > 0) plot(container, { title, hint, x, y: { format, tick }, lines, bands, ...more });
    };
    const kinds = (field) => [...new Set(series.flatMap((s) => Object.keys(s[field])))].sort();
    const total = (s) => s.t.map((_, i) => {
      const known = Object.values(s.ops).map((kind) => kind[i]).filter((n) => n !== null);
      return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
    });
    const operations = kinds("ops");
    draw("Throughput", operations.length > 1 ? "operations/s, all kinds" : `${operations[0] || ""} operations/s`, rate, series.map((s) => line(s, total(s))));
    if (operations.length > 1) {
      operations.forEach((kind) => draw(`Throughput of ${kind}`, "operations/s", rate, series.filter((s) => s.ops[kind]).map((s) => line(s, s.ops[kind]))));
    }
    kinds("p99").forEach((kind) => draw(`Latency P99 of ${kind}`, "in each second, logarithmic", micros,
      series.filter((s) => s.p99[kind]).map((s) => line(s, s.p99[kind].map((us) => (us > 0 ? us : null)))), { y: { format: micros, log: true } }));
    const column = (field, title, hint, format) => draw(title, hint, format, series.filter((s) => s[field]).map((s) => line(s, s[field])));
    const flow = (s) => s.device.map((now, i) => (i === 0 || now === null || s.device[i - 1] === null ? null
      : Math.max(0, now - s.device[i - 1]) / Math.max(0.1, s.t[i] - s.t[i - 1])));
    draw("Writes to the device", "bytes/s", bytes, series.filter((s) => s.device && s.t.length > 1).map((s) => line(s, flow(s))));
    column("resident", "Resident memory", "bytes", bytes);
    column("pending", "Compaction debt", "pending bytes", bytes);
    column("l0", "Level-0 files", "files", plain);
    column("immutable", "Immutable memtables", "memtables", plain);
    column("write_amp", "Write amplification", "so far, estimated", plain);
    column("read_amp", "Read amplification", "so far, estimated", plain);
    column("space_amp", "Space amplification", "SST files, estimated", plain);
    const firsts = [...new Map(series.filter((s) => s.level_bytes).map((s) => [s.engine, s])).values()];
    for (const [field, title, format] of [["level_bytes", "Bytes by level", bytes], ["level_files", "Files by level", plain]]) {
      firsts.forEach((s) => {
        const used = s[field].map((ys, level) => [ys, level]).filter(([ys]) => ys.some((y) => y > 0));
        draw(`${title}: ${data.engines[s.engine].label}`, s.pair === null ? "" : `pair ${s.pair}`, format, used.map(([ys, level], at) =>
          line(s, ys, { label: `level ${level}`, end: `level ${level}`, fades: true, alpha: 1 - 0.6 * at / Math.max(1, used.length - 1), dashed: level === 0 })), { bands: bandsOf([s]) });
      });
    }
  }

  /** The longest warm-up of the series, as a band. */
  function warmUp(series) {
    const ends = series.map((s) => { const n = s.warm_up.filter((w) => w).length; return n === 0 ? 0 : s.t[n - 1]; });
    const to = Math.max(0, ...ends);
    return to > 0 ? [{ from: 0, to, text: "warm-up" }] : [];
  }
  /** Seconds in which writes were delayed or stopped in some run, in the colour of the engine. */
  function stalls(series) {
    const bands = [];
    for (const engine of new Set(series.map((s) => s.engine))) {
      const worst = new Map();
      for (const s of series.filter((s) => s.engine === engine && s.stalls)) {
        s.stalls.forEach((state, i) => { const t = Math.round(s.t[i]); worst.set(t, Math.max(state || 0, worst.get(t) || 0)); });
      }
      for (const [to, state] of worst) {
        if (state > 0) bands.push({ from: Math.max(0, to - 1), to, colour: withAlpha(engineColour(engine), state === 2 ? 0.28 : 0.14) });
      }
    }
    return bands;
  }

  // ---- Latency ----

  if (one("#latency-plots")) {
    const container = one("#latency-plots");
    const of = (curve) => data.records[curve.record].measurement;
    const options = measured(data.curves, of);
    const again = drawn("latency", () => {
      drawLatency(container, data.curves.filter((curve) => String(of(curve)) === select.value));
      onlyRows("#latency-rows", select.value);
    });
    const [label, select] = list("Workload", options, () => again());
    select.id = "latency-measurement";
    one('[data-for="latency"]').append(label);
  }

  function drawLatency(container, curves) {
    clear(container);
    const nines = (percentile) => -Math.log10(1 - percentile / 100);
    const percentile = (x) => +(100 * (1 - 10 ** -x)).toFixed(Math.max(2, Math.ceil(x)));
    const marks = [0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999];
    const most = Math.max(2, ...curves.flatMap((curve) => curve.points.map(([p]) => nines(p))));
    const x = {
      label: "Percentile", format: (at) => `P${percentile(at)}`, range: [0, most],
      splits: () => marks.map(nines).filter((at) => at <= most + 1e-6), tick: (at) => `${percentile(at)}`,
    };
    for (const operation of [...new Set(curves.map((curve) => curve.operation))]) {
      const own = curves.filter((curve) => curve.operation === operation);
      const counts = new Map();
      own.forEach((curve) => counts.set(data.records[curve.record].engine, (counts.get(data.records[curve.record].engine) || 0) + 1));
      const lines = own.map((curve) => {
        const record = data.records[curve.record];
        const name = data.engines[record.engine].label + (curve.from_schedule ? ", from schedule" : "");
        return {
          label: name + (record.pair === null ? "" : `, pair ${record.pair}`) + (record.complete ? "" : ", incomplete"),
          end: name, engine: record.engine, dashed: curve.from_schedule, alpha: counts.get(record.engine) > 1 ? 0.6 : 1,
          xs: curve.points.map(([p]) => nines(p)), ys: curve.points.map(([, us]) => us),
          source: () => sourceOf(curve.record),
        };
      });
      plot(container, { title: operation === "all" ? "All operations" : operation, hint: "latency, both axes logarithmic", x, y: { format: micros, log: true }, lines });
    }
  }

  // ---- All results ----

  const filter = one('[data-for="results"]');
  if (filter) {
    const input = make("input", { type: "search", placeholder: "workload, engine, file …" });
    const rows = all("#result-rows > tr").map((row) => [row, row.textContent.toLowerCase()]);
    const note = make("span", { className: "hint", role: "status" });
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/);
      let left = 0;
      rows.forEach(([row, text]) => { row.hidden = !words.every((word) => text.includes(word)); left += row.hidden ? 0 : 1; });
      note.textContent = `${left} of ${rows.length}`;
    });
    filter.append(make("label", {}, "Filter", input), note);
  }

  openTab(location.hash.slice(1));
})();
