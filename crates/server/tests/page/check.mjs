// Opens the web page of a server in a real browser and checks it as an operator would. tools/check-page.sh calls it:
//
//   node check.mjs PUPPETEER_CORE CHROMIUM OUT KIND HTTP_ADDRESS REDIS_PORT
//
// KIND is `open` for a server without a password, which gets data first, or `password`. OUT gets screenshots. Exits with
// 1 and a list of problems if anything is wrong.
import path from "node:path";
import { createRequire } from "node:module";
import { Redis } from "./redis.mjs";
import { faults } from "./faults.mjs";

const [library, executablePath, out, kind, address, port] = process.argv.slice(2);
const puppeteer = createRequire(path.resolve(library) + "/")("puppeteer-core");
const site = `http://${address}`;
const problems = [];
let checks = 0;
const SIZES = [["desk", 1280, 900], ["phone", 360, 740]];
const VIEWS = ["overview", "tables", "lsm", "timeline", "slow", "memory", "settings", "keys", "api"];

function check(is, text) {
  checks += 1;
  if (!is) problems.push(text);
}
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const api = async (path) => (await fetch(`${site}/api/v1${path}`)).json();

/** Opens the page and reports everything that must not happen. */
async function open(browser, { width, height, scheme, name, allowed = [] }) {
  const page = await browser.newPage();
  const where = `${name}, ${scheme}`;
  await page.setViewport({ width, height, deviceScaleFactor: 1, hasTouch: width < 500 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  page.on("request", (request) => check(request.url().startsWith(site) || request.url().startsWith("data:"), `${where}: requests ${request.url()}`));
  page.on("console", (message) => {
    const isBad = ["error", "warn", "assert"].includes(message.type()) && !allowed.some((text) => message.text().includes(text));
    check(!isBad, `${where}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => check(false, `${where}: ${error.stack || error}`));
  page.on("dialog", async (dialog) => { check(false, `${where}: a dialog: ${dialog.message()}`); await dialog.dismiss(); });
  await page.goto(site, { waitUntil: "load" });
  return [page, where];
}

/** Opens a view by a click on its link. */
async function click(page, view) {
  await page.click(`nav a[href="#${view}"]`);
  await page.waitForFunction((view) => document.querySelector("main").dataset.view === view, { timeout: 20000 }, view);
  // Nothing is under the pointer, so the view goes on.
  await page.mouse.move(1, 1);
}

async function sound(page, where) {
  for (const fault of await page.evaluate(faults)) check(false, `${where}: ${fault}`);
  checks += 1;
}

// The formats of numbers, written a second time.
function shownBytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  let value = Math.abs(n);
  while (value >= 1024 && unit < 5) { value /= 1024; unit += 1; }
  const digits = unit === 0 ? 0 : value < 10 ? 2 : 1;
  return `${n < 0 ? "-" : ""}${value.toFixed(digits)} ${units[unit]}`;
}
const shownCount = (n) => (Number.isInteger(n) || Math.abs(n) >= 100 ? Math.round(n).toLocaleString("en-US") : n.toFixed(2));
function shownMicros(us) {
  if (us < 1000) return `${us} µs`;
  return us < 1e6 ? `${(us / 1000).toFixed(us < 1e4 ? 2 : 1)} ms` : `${(us / 1e6).toFixed(2)} s`;
}
function shownSeconds(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]].map(([size, unit], i, all) => [Math.floor((i ? seconds % all[i - 1][0] : seconds) / size), unit]);
  const first = parts.findIndex(([n], i) => n > 0 || i === 3);
  return parts.slice(first).filter(([n, unit], i) => n > 0 || i === 0 || (unit === "s" && first === 3)).slice(0, 2).map(([n, unit]) => `${n} ${unit}`).join(" ");
}

/** What changes by itself, even if nobody uses the server. */
const VOLATILE = /^(overview\.(rates|uptime)|memory\.(used|peak|resident|other)|health\.disk)/;

/** Compares all numbers of the page with the API. */
async function compare(page, where, paths) {
  let wrong = [];
  let compared = 0;
  // The page and this program may ask at different moments.
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const replies = Object.fromEntries(await Promise.all(Object.entries(paths).map(async ([name, path]) => [name, await api(path)])));
    const fields = await page.$$eval("[data-field]", (all) => all.map((it) => [it.dataset.field, it.dataset.value, it.textContent]));
    wrong = [];
    compared = fields.length;
    for (const [field, value, text] of fields) {
      const expected = field.split(".").reduce((at, key) => (at === null || at === undefined ? at : at[key]), replies);
      if (!VOLATILE.test(field) && String(expected) !== value) wrong.push(`${field} is ${value}, the API says ${expected}`);
      const number = Number(value);
      const shown = field === "health.status" || value === "null" ? [text] : [shownBytes(number), shownCount(number), shownMicros(number), shownSeconds(number)];
      if (!shown.includes(text)) wrong.push(`${field}: ${value} is shown as ${text}`);
    }
    if (wrong.length === 0) break;
    await sleep(1500);
  }
  check(compared > 0, `${where}: no numbers`);
  for (const it of wrong) check(false, `${where}: ${it}`);
  checks += compared;
}

/** Checks that charts have lines, and axes with titles and units. */
async function charts(page, where, least) {
  const all = await page.$$eval("figure.chart svg", (all) => all.map((chart) => ({
    label: chart.getAttribute("aria-label"),
    titles: [...chart.querySelectorAll("text.title")].map((it) => it.textContent),
    points: [...chart.querySelectorAll("polyline")].map((it) => it.getAttribute("points").split(" ").filter(Boolean).length),
    cells: chart.querySelectorAll(".cell").length,
  })));
  check(all.length >= least, `${where}: ${all.length} charts`);
  for (const chart of all) {
    check(chart.titles.some((it) => it.startsWith("Time (")), `${where}: no axis of time: ${chart.titles}`);
    check(chart.cells > 0 || chart.titles.length === 2, `${where}: axes without titles: ${chart.titles}`);
    check(chart.cells > 0 || Math.max(...chart.points) > 3, `${where}: an empty chart: ${chart.label}`);
  }
}

const ROWS = 12000;
const HOSTILE = "<img src=x onerror=window.pwned=1>\n\xff";

/** Waits until the server has as many samples of its history. */
async function sampled(count) {
  for (let wait = 0; wait < 60; wait += 1) {
    if ((await api("/history?resolution=second&count=600")).at_ms.length >= count) return;
    await sleep(500);
  }
  check(false, `no ${count} samples of the history`);
}

/** Writes keys of all types, and enough of them for flushes and compactions. */
async function load(redis) {
  // Jobs are drawn within the time that the history covers.
  await sampled(2);
  await redis.call("CONFIG", "SET", "slowlog-log-slower-than", "20000");
  await redis.call("SET", "user:1", "hello");
  await redis.call("RPUSH", "list", ...Array.from({ length: 150 }, (_, i) => `v${i}`));
  await redis.call("ZADD", "zset", "1.5", "one");
  await redis.call("HSET", "hash", "field", HOSTILE);
  await redis.call("XADD", "stream", "*", "f", "v");
  await redis.call("SET", HOSTILE, HOSTILE, "EX", "5000");
  await redis.call("EVAL", "local n = 0 for i = 1, 2000000 do n = n + 1 end return n", "0").catch(() => {});
  const value = "x".repeat(1500);
  for (let from = 0; from < ROWS; from += 300) {
    await redis.pipeline(Array.from({ length: 300 }, (_, i) => ["SET", `key:${(from + i) % 4000}`, `${value}${from}`]));
    await redis.pipeline(Array.from({ length: 50 }, (_, i) => ["GET", `key:${from + i}`]));
  }
  // Some seconds with a few commands each, for the charts; writes to partitions are sampled every five seconds.
  for (let begun = Date.now(), i = 0; Date.now() - begun < 13000; i += 1) {
    await redis.pipeline([["SET", `key:${i % 4000}`, value], ["GET", `key:${i}`]]);
    await sleep(10);
  }
  for (let wait = 0; wait < 60; wait += 1) {
    const jobs = await api("/jobs");
    if (jobs.running.length === 0 && jobs.finished.length > 0) return;
    await sleep(500);
  }
  check(false, "no flush has finished");
}

/** Compares the API with INFO. */
async function compareInfo(redis) {
  const before = await redis.call("INFO", "everything");
  const [overview, memory] = [await api("/overview"), await api("/memory")];
  const info = Object.fromEntries(before.toString().split("\r\n").map((line) => [line.split(":")[0], line.slice(line.indexOf(":") + 1)]));
  const pairs = [
    // INFO does not count itself.
    ["total_commands_processed", overview.totals.commands - 1], ["keyspace_hits", overview.totals.key_hits],
    ["keyspace_misses", overview.totals.key_misses], ["connected_clients", overview.clients],
  ];
  for (const [name, value] of pairs) check(Number(info[name]) === value, `INFO says ${name} is ${info[name]}, the API ${value}`);
  const owner = (name) => memory.owners.find((it) => it.owner === name).bytes;
  check(Math.abs(Number(info.used_memory_rss) - memory.resident_bytes) < 64 << 20, "resident memory");
  const set = overview.commands.find((it) => it.command === "set");
  check(info.cmdstat_set.startsWith(`calls=${set.calls},usec=${set.total_us},`), `set: ${info.cmdstat_set}, ${JSON.stringify(set)}`);
  const metrics = await (await fetch(`${site}/metrics`)).text();
  const metric = (name) => Number(metrics.match(new RegExp(`^ferrolith_${name} (.*)$`, "m"))[1]);
  // The section of keys in INFO reads blocks, so the memory is asked for again.
  const again = (await redis.call("INFO", "memory")).toString();
  for (const name of ["block_cache_bytes", "memtable_bytes"]) check(again.includes(`${name}:${metric(name)}\r\n`), `${name}: ${metric(name)}, INFO: ${again}`);
  check(owner("block cache") <= metric("block_cache_bytes"), `block cache: ${owner("block cache")} of ${metric("block_cache_bytes")}`);
  check(metric("table_file_bytes") === overview.table_file_bytes, "table_file_bytes of /metrics and the API");
  const tables = (await api("/tables")).tables;
  const sum = tables.flatMap((it) => it.partitions).reduce((total, it) => total + it.table_file_bytes, 0);
  check(sum > 0 && sum <= overview.table_file_bytes, `partitions have ${sum} bytes of ${overview.table_file_bytes}`);
  const levels = (await api("/levels")).partitions.flatMap((it) => it.levels).reduce((total, it) => total + it.bytes, 0);
  check(levels === sum, `levels have ${levels} bytes of ${sum}`);
}

const REPLIES = {
  overview: { overview: "/overview", health: "/health" }, tables: { tables: "/tables" }, lsm: { levels: "/levels" },
  timeline: { jobs: "/jobs" }, slow: { slow: "/slow" }, memory: { memory: "/memory" },
};

/** Visits each view by a click. */
async function visit(page, where, size, scheme) {
  for (const view of VIEWS) {
    await click(page, view);
    await sound(page, `${where}, ${view}`);
    if (REPLIES[view]) await compare(page, `${where}, ${view}`, REPLIES[view]);
    if (view === "overview") await charts(page, `${where}, ${view}`, 2);
    if (view === "tables") await charts(page, `${where}, ${view}`, 1);
    if (view === "timeline") {
      await charts(page, `${where}, ${view}`, 1);
      const drawn = await page.$$eval("svg rect.flush, svg rect.compaction", (all) => all.length);
      check(drawn > 0, `${where}: no flush or compaction in the timeline`);
    }
    await page.screenshot({ path: `${out}/${view}-${size}-${scheme}.png` });
  }
}

/** Uses the controls: choices, the browser of keys, the filter of settings. */
async function use(page, where) {
  await click(page, "overview");
  await page.select("#class", "write");
  await page.waitForFunction(() => document.querySelector("#latency").getAttribute("aria-label").startsWith("Latency of write"), { timeout: 10000 });
  await page.select("#resolution", "minute");
  await page.waitForFunction(() => document.querySelector("#resolution").value === "minute", { timeout: 10000 });
  await page.select("#resolution", "second");
  await click(page, "keys");
  await page.type("#prefix", "list");
  await page.click("#search");
  await page.waitForFunction(() => document.querySelectorAll("button[id^=key-]").length === 1, { timeout: 10000 });
  await page.click("#key-0");
  await page.waitForSelector("#more-elements");
  await page.click("#more-elements");
  await page.waitForFunction(() => document.querySelectorAll("#value tbody tr").length === 150, { timeout: 10000 });
  check(await page.$eval("#value tbody tr:last-child", (row) => row.textContent) === "149v149", `${where}: the last element`);
  await page.$eval("#prefix", (input) => { input.value = "<img"; });
  await page.click("#search");
  await page.waitForFunction(() => document.querySelector("#key-0")?.textContent.startsWith("<img"), { timeout: 10000 });
  check(await page.$eval("#key-0", (key) => key.textContent) === "<img src=x onerror=window.pwned=1>\\n\\xff", `${where}: the hostile key`);
  await page.click("#key-0");
  await page.waitForSelector("#value pre");
  check((await page.$eval("#value pre", (it) => it.textContent)).endsWith("\\n\\xff"), `${where}: the hostile value`);
  check(await page.$$eval("main img", (all) => all.length) === 0, `${where}: an image of a key`);
  await sound(page, `${where}, a value`);
  await click(page, "settings");
  await page.type("#filter", "slowlog-log");
  const rows = await page.$$eval("main tbody tr", (all) => all.map((row) => row.textContent));
  check(rows.length === 1 && rows[0] === "slowlog-log-slower-than20000CONFIG SET", `${where}: settings: ${rows}`);
  await page.$eval("#filter", (input) => { input.value = "memory-mb"; input.dispatchEvent(new Event("input")); });
  check((await page.$eval("main tbody tr", (row) => row.textContent)).startsWith("memory-mb16flag"), `${where}: memory-mb`);
  await click(page, "slow");
  const slow = await page.$$eval("main code", (all) => all.map((it) => it.textContent));
  check(slow.some((it) => it.startsWith("EVAL")), `${where}: no slow script: ${slow}`);
}

/** Uses the page with the keyboard alone. */
async function keyboard(page, where) {
  await page.goto(`${site}/`, { waitUntil: "load" });
  await page.waitForSelector("#latency");
  await page.keyboard.press("Tab");
  check(await page.evaluate(() => document.activeElement.className) === "skip", `${where}: the first stop is not the link to the content`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("main").dataset.view === "tables", { timeout: 10000 });
  await click(page, "overview");
  await page.$eval("#latency", (chart) => chart.focus());
  await page.keyboard.press("ArrowLeft");
  const text = await page.$eval("#latency", (chart) => chart.parentElement.querySelector(".readout").textContent);
  check(/^[\d :-]+: P50 .*, P99 /.test(text), `${where}: the readout says ${text}`);
}

async function checkOpen(browser) {
  const redis = await Redis.connect(port);
  await load(redis);
  await compareInfo(redis);
  for (const [size, width, height] of SIZES) {
    for (const scheme of ["light", "dark"]) {
      const [page, where] = await open(browser, { width, height, scheme, name: size });
      await visit(page, where, size, scheme);
      if (scheme === "light") await use(page, where);
      if (size === "desk" && scheme === "dark") await keyboard(page, where);
      await page.close();
    }
  }
  redis.end();
}

async function checkPassword(browser) {
  const [page, where] = await open(browser, { width: 360, height: 740, scheme: "dark", name: "password", allowed: ["401"] });
  await page.waitForSelector("#password");
  await sound(page, where);
  await page.type("#password", "wrong");
  await page.click("#login");
  await page.waitForFunction(() => document.querySelector("main [role=alert]").textContent.includes("wrong"), { timeout: 10000 });
  await page.$eval("#password", (input) => { input.value = ""; });
  await page.type("#password", "right \"<b>");
  await page.click("#login");
  await page.waitForSelector("#latency");
  check((await page.$eval("#who", (it) => it.textContent)).startsWith("User default"), `${where}: the user`);
  const cookies = await page.cookies();
  check(cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite === "Strict", `${where}: ${JSON.stringify(cookies)}`);
  check(await page.evaluate(() => document.cookie) === "", `${where}: scripts see the cookie`);
  await page.screenshot({ path: `${out}/password.png` });
  await page.click("#logout");
  await page.waitForSelector("#password");
  check((await fetch(`${site}/api/v1/overview`)).status === 401, `${where}: without a password`);
  check((await fetch(`${site}/api/v1/overview`, { headers: { Cookie: `ferrolith-session=${cookies[0].value}` } })).status === 401, `${where}: an ended session`);
  await page.close();
}

const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  await (kind === "open" ? checkOpen(browser) : checkPassword(browser));
} catch (error) {
  problems.push(error.stack || String(error));
} finally {
  await browser.close();
}
for (const problem of problems) console.error(`check-page: ${problem}`);
console.log(`check-page: ${kind}: ${checks} checks, ${problems.length} problems`);
process.exit(problems.length ? 1 : 0);
