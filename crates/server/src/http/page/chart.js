// Charts over time, as SVG: lines with axes, lanes of jobs below them, and maps of heat.

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null));
  return element;
}

/** Returns a round number at or above a value, for the end of an axis. */
function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value * 0.9999);
}

/** Returns the width for charts in an element. */
function widthOf(element) {
  return Math.max(280, Math.min(element.clientWidth || 600, 1400));
}

/** Returns the axis of time with its title: texts at both ends and in the middle. */
function timeAxis([from, to], [left, right], y) {
  const places = right - left < 360 ? [0, 1] : [0, 0.5, 1];
  const texts = places.map((part) => {
    const anchor = part === 0 ? "start" : part === 1 ? "end" : "middle";
    return svg("text", { x: left + part * (right - left), y: y + 14, "text-anchor": anchor }, clock(from + part * (to - from)));
  });
  const title = svg("text", { x: (left + right) / 2, y: y + 28, "text-anchor": "middle", class: "title" }, "Time (hours:minutes:seconds)");
  return [svg("line", { class: "axis", x1: left, x2: right, y1: y, y2: y }), texts, title];
}

/**
 * Returns a chart of lines. `at` are times in milliseconds; `series` are { name, values }; `format` shows a value; `unit`
 * is the title of the axis; `lanes` are { name, items: { from, to, kind, text } } below it.
 */
function lineChart({ id, title, unit, at, series, format, width, lanes = [] }) {
  const [left, right, top, height] = [lanes.length ? 86 : 68, width - 8, 10, 170];
  const bottom = top + height;
  // A sample stands for the time before it, so what happened ahead of the first sample is drawn as well.
  const span = at.length > 1 ? [2 * at[0] - at[1], at[at.length - 1]] : [Date.now() - 60000, Date.now()];
  const most = roundUp(Math.max(0, ...series.flatMap((one) => one.values.filter((value) => value !== null))));
  const x = (ms) => left + ((ms - span[0]) / Math.max(1, span[1] - span[0])) * (right - left);
  const y = (value) => bottom - (value / most) * height;
  const grid = [0, 0.5, 1].map((part) => [
    svg("line", { class: "axis", x1: left, x2: right, y1: y(most * part), y2: y(most * part) }),
    svg("text", { x: left - 4, y: y(most * part) + 4, "text-anchor": "end" }, format(most * part)),
  ]);
  const label = svg("text", { class: "title", x: -(top + bottom) / 2, y: 10, transform: "rotate(-90)", "text-anchor": "middle" }, unit);
  const lines = series.map((one, place) => {
    const points = one.values.map((value, i) => (value === null ? null : `${x(at[i]).toFixed(1)},${y(value).toFixed(1)}`));
    return svg("polyline", { class: `line s${place}`, points: points.filter(Boolean).join(" ") });
  });
  const laneHeight = 16;
  const drawn = lanes.map((lane, place) => {
    const laneTop = bottom + 8 + place * laneHeight;
    const items = lane.items.filter((item) => item.to >= span[0] && item.from <= span[1]).map((item) => {
      const [from, to] = [x(Math.max(item.from, span[0])), x(Math.min(item.to, span[1]))];
      return svg("rect", { class: item.kind, x: from.toFixed(1), y: laneTop, width: Math.max(2, to - from).toFixed(1), height: laneHeight - 4 },
        svg("title", null, item.text));
    });
    return [svg("text", { x: left - 4, y: laneTop + 10, "text-anchor": "end" }, lane.name), ...items];
  });
  const floor = bottom + (lanes.length ? 8 + lanes.length * laneHeight : 0);
  const marker = svg("line", { class: "mark", x1: 0, x2: 0, y1: top, y2: floor, visibility: "hidden" });
  const latest = series.map((one) => `${one.name} ${one.values.length ? format(one.values[one.values.length - 1]) : "–"}`).join(", ");
  const drawing = svg("svg", {
    id, role: "img", tabindex: "0", height: floor + 34, viewBox: `0 0 ${width} ${floor + 34}`, "aria-label": `${title}. Latest: ${latest}`,
  }, grid, label, timeAxis(span, [left, right], floor), lines, drawn, marker);
  const readout = el("p", { class: "readout", "aria-live": "polite" }, at.length ? "" : "No samples yet.");
  let place = at.length - 1;
  const show = (next) => {
    place = Math.max(0, Math.min(at.length - 1, next));
    if (place < 0 || at.length === 0) return;
    marker.setAttribute("visibility", "visible");
    marker.setAttribute("x1", x(at[place]));
    marker.setAttribute("x2", x(at[place]));
    readout.textContent = `${clock(at[place])}: ${series.map((one) => `${one.name} ${format(one.values[place])}`).join(", ")}`;
  };
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    const ms = span[0] + (((event.clientX - box.left) * width / box.width - left) / (right - left)) * (span[1] - span[0]);
    let nearest = 0;
    at.forEach((time, i) => { if (Math.abs(time - ms) < Math.abs(at[nearest] - ms)) nearest = i; });
    show(nearest);
  });
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (step) { event.preventDefault(); show(place + step); }
  });
  const legend = el("ul", { class: "legend" },
    series.map((one, place) => el("li", null, el("i", { class: `c${place}` }), one.name)),
    lanes.length ? ["flush", "compaction", "stall"].map((kind) => el("li", null, el("i", { class: `c-${kind}` }), kind)) : []);
  return el("figure", { class: "chart" }, el("figcaption", null, title), drawing, legend, readout);
}

/** Returns a map of rows over time. `rows` are { name, values }; a cell has the stronger colour the more it has. */
function heatMap({ id, title, at, rows, format, width }) {
  const [left, right, top, cell] = [86, width - 8, 4, 14];
  const most = Math.max(1e-9, ...rows.flatMap((row) => row.values.filter((value) => value !== null)));
  const bottom = top + rows.length * cell;
  const step = (right - left) / Math.max(1, at.length);
  const cells = rows.map((row, r) => [
    svg("text", { x: left - 4, y: top + r * cell + 11, "text-anchor": "end" }, row.name),
    ...row.values.map((value, c) => (value ? svg("rect", {
      class: "cell", x: (left + c * step).toFixed(1), y: top + r * cell, width: Math.max(1, step - 0.5).toFixed(1), height: cell - 1,
      // The square root keeps small numbers visible.
      "fill-opacity": (0.08 + 0.92 * Math.sqrt(value / most)).toFixed(3),
    }, svg("title", null, `${row.name}, ${clock(at[c])}: ${format(value)}`)) : null)),
  ]);
  // A sample stands for the time before it, so what happened ahead of the first sample is drawn as well.
  const span = at.length > 1 ? [2 * at[0] - at[1], at[at.length - 1]] : [Date.now() - 60000, Date.now()];
  const label = svg("text", { class: "title", x: -(top + bottom) / 2, y: 10, transform: "rotate(-90)", "text-anchor": "middle" }, rows.length > 3 ? "Partition" : "");
  const drawing = svg("svg", {
    id, role: "img", tabindex: "0", height: bottom + 34, viewBox: `0 0 ${width} ${bottom + 34}`,
    "aria-label": `${title}. The strongest cell is ${format(most)}`,
  }, label, cells, timeAxis(span, [left, right], bottom));
  return el("figure", { class: "chart" }, el("figcaption", null, title), drawing, el("p", { class: "readout" }, `Rows: partitions. The strongest cell is ${format(most)}.`));
}
