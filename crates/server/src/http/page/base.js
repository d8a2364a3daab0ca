// Helpers: elements, numbers as text, and requests to the API. Texts of users become text nodes, never markup.

/** Returns an element. Attributes that are null are left out; functions are listeners. */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Returns a number of bytes with a unit. */
function bytes(number) {
  if (number === null) return "–";
  const sign = number < 0 ? "-" : "";
  let [value, unit] = [Math.abs(number), 0];
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${sign}${unit === 0 ? Math.round(value) : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}

/** Returns a count or a rate: whole numbers with separators, small ones with two places. */
function count(number) {
  if (number === null) return "–";
  if (Number.isInteger(number) || Math.abs(number) >= 100) return Math.round(number).toLocaleString("en-US");
  return number.toFixed(2);
}

/** Returns a time in microseconds with a unit. */
function micros(us) {
  if (us === null) return "–";
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 1e6) return `${(us / 1000).toFixed(us < 1e4 ? 2 : 1)} ms`;
  return `${(us / 1e6).toFixed(2)} s`;
}

/** Returns seconds as days, hours, minutes and seconds. */
function duration(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  let [rest, text] = [Math.floor(seconds), []];
  for (const [size, unit] of parts) {
    if (rest >= size || (size === 1 && text.length === 0)) text.push(`${Math.floor(rest / size)} ${unit}`);
    rest %= size;
  }
  return text.slice(0, 2).join(" ");
}

/** Returns a time of the day, with the date if it is another day. */
function clock(ms) {
  const at = new Date(ms);
  const two = (number) => String(number).padStart(2, "0");
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (at.toDateString() === new Date().toDateString()) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

/** Returns a number on the page. `field` names its place in the API's reply, `format` shows it. */
function figure(value, format, field) {
  return el("span", { "data-field": field, "data-value": String(value) }, format(value));
}

/** Returns a table. Columns are [title, is a number]; rows are lists of texts or elements. */
function table(caption, columns, rows, empty) {
  if (rows.length === 0) return el("p", { class: "empty" }, empty || "None.");
  const head = el("tr", null, columns.map(([title, isNumber]) => el("th", { scope: "col", class: isNumber ? "n" : null }, title)));
  const body = rows.map((row) => el("tr", null, row.map((cell, at) => {
    const [, isNumber, isLong] = columns[at];
    return el("td", { class: isNumber ? "n" : isLong ? "long" : null }, cell);
  })));
  // A region that scrolls must be reachable by keyboard.
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", null, el("caption", null, caption), el("thead", null, head), el("tbody", null, body)));
}

/** Returns a list of choices with a label. Each choice is a value or [value, text]. */
function choice(id, label, choices, chosen, change) {
  const options = choices.map((it) => {
    const [value, text] = Array.isArray(it) ? it : [it, it];
    return el("option", { value, selected: String(value) === String(chosen) }, String(text));
  });
  return el("label", null, label, el("select", { id, change: (event) => change(event.target.value) }, options));
}

/** The token of the session, and the latest replies by path, as they are on the page. */
const state = { token: null, replies: {}, isAsking: false };

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Asks the API. */
async function api(path, options) {
  const headers = { "X-Ferrolith-Page": "1", ...(options && options.headers) };
  const response = await fetch(`/api/v1${path}`, { credentials: "same-origin", cache: "no-store", ...options, headers });
  const reply = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new Refused(response.status, reply.message || `status ${response.status}`);
  if (!options) state.replies[path] = reply;
  return reply;
}

/** Replaces the children of an element, and leaves the focus where it was. */
function fill(element, ...children) {
  const focused = document.activeElement;
  const id = focused && element.contains(focused) ? focused.id : "";
  element.replaceChildren(...children.flat().filter(Boolean));
  const again = id && document.getElementById(id);
  if (again) again.focus();
}
