// Opens a report in a real browser and checks it as a reader would: every tab, chart and choice, dark and light, on a
// phone and on a desk, by keyboard, and without a script. tools/check-report.sh calls it:
//
//   node check.mjs PUPPETEER_CORE CHROMIUM OUT PAGE...
//
// PAGE is NAME=FILE. Numbers on the page are compared with the files of results, relative to the working directory. OUT
// gets a screenshot of each tab. Exits with 1 and a list of problems if anything is wrong.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [library, executablePath, out, ...pages] = process.argv.slice(2);
const puppeteer = createRequire(path.resolve(library) + "/")("puppeteer-core");
const problems = [];
let checks = 0;
const SIZES = [["desk", 1280, 900], ["phone", 360, 740]];

function check(is, text) {
  checks += 1;
  if (!is) problems.push(text);
}

/** Returns a line of a file as an object. */
const files = new Map();
function line(place) {
  const at = place.lastIndexOf(":");
  const file = place.slice(0, at);
  if (!files.has(file)) files.set(file, fs.readFileSync(file, "utf8").split("\n"));
  return JSON.parse(files.get(file)[Number(place.slice(at + 1)) - 1]);
}
const rate = (object) => [object.documents_per_sec, object.ops_per_sec].find((rate) => typeof rate === "number");
const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[sorted.length >> 1] + sorted[(sorted.length - 1) >> 1]) / 2;
}

/** Opens a page and reports everything that must not happen. */
async function open(browser, name, file, { width, height, scheme, script = true }) {
  const page = await browser.newPage();
  const where = `${name}, ${width} px, ${scheme}`;
  await page.setViewport({ width, height, deviceScaleFactor: 1, hasTouch: width < 500 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setJavaScriptEnabled(script);
  const url = pathToFileURL(path.resolve(file)).href;
  page.on("request", (request) => {
    const to = request.url();
    check(to.split("#")[0] === url || to.startsWith("data:"), `${where}: requests ${to}`);
  });
  page.on("console", (message) => check(!["error", "warn", "assert"].includes(message.type()), `${where}: console: ${message.text()}`));
  page.on("pageerror", (error) => check(false, `${where}: ${error.stack || error}`));
  page.on("dialog", async (dialog) => { check(false, `${where}: a dialog: ${dialog.message()}`); await dialog.dismiss(); });
  await page.goto(url, { waitUntil: "load" });
  return [page, where];
}

/** Runs in the page: what is wrong with the visible part. */
function faults() {
  const found = [];
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) {
    const wide = [...document.querySelectorAll("body *")].find((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, #tabs"));
    found.push(`is ${over} px wider than the window (${wide ? wide.tagName + "." + wide.className : "?"})`);
  }
  if (window.pwned !== undefined) found.push("a script of the results ran");
  const parse = (text) => {
    const numbers = text.match(/-?[\d.]+(e-?\d+)?/g).map(Number);
    const rgb = text.startsWith("color(") ? numbers.slice(0, 3).map((n) => n * 255) : numbers.slice(0, 3);
    return [...rgb, numbers.length > 3 ? numbers[3] : 1];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((n) => n / 255).map((n) => (n <= 0.03928 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, [r, g, b, a]) => [r, g, b].map((n, i) => n * a + under[i] * (1 - a)), [255, 255, 255]);
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, noscript, option") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const key = [style.color, element.className, element.tagName, element.parentElement.className, getComputedStyle(element).backgroundColor].join();
    if (seen.has(key)) continue;
    seen.add(key);
    const [text, back] = [luminance(parse(style.color)), luminance(behind(element))];
    const contrast = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)} of "${node.data.trim().slice(0, 30)}" (${element.tagName}.${element.className})`);
  }
  for (const e of document.querySelectorAll("select, input")) if (!e.closest("label")) found.push(`${e.tagName} without a label`);
  for (const e of document.querySelectorAll("button")) if (!e.textContent.trim() && !e.getAttribute("aria-label")) found.push("a button without a name");
  return found;
}

async function sound(page, where) {
  for (const fault of await page.evaluate(faults)) check(false, `${where}: ${fault}`);
  checks += 1;
}

/** Chooses each option of a list, with `then` after each. */
async function each(page, selector, then) {
  const values = await page.$$eval(`${selector} option`, (options) => options.map((option) => option.value));
  for (const value of values) {
    await page.select(selector, value);
    await then(value);
  }
  return values.length;
}

/** Checks that all visible charts have a line: colour, left of the labels; axes and the warm-up are grey. */
async function drawn(page, where) {
  const blank = await page.$$eval(".plot canvas", (all) => all.filter((canvas) => {
    if (!canvas.checkVisibility()) return false;
    const plot = canvas.closest(".u-wrap").querySelector(".u-over").getBoundingClientRect();
    const right = plot.right - canvas.getBoundingClientRect().left + 4;
    const { data } = canvas.getContext("2d").getImageData(0, 0, Math.floor(right), canvas.height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b, a] = data.subarray(i, i + 4);
      if (a > 150 && Math.max(r, g, b) - Math.min(r, g, b) > 50) coloured += 1;
    }
    return coloured < 4;
  }).length);
  check(blank === 0, `${where}: ${blank} charts are blank`);
}

async function overview(page, where) {
  const views = await page.$$(".controls[data-for=figure] .choice button");
  await each(page, "#figure", async (figure) => {
    for (const view of views) {
      await view.click();
      const shown = await page.$$eval("#overview .view", (all) => all.filter((view) => view.checkVisibility()).map((view) => view.textContent.trim().length));
      check(shown.length === 1 && shown[0] > 0, `${where}: figure ${figure} shows ${shown.length} views`);
      // All figures have the same layout.
      if (figure === "0") await sound(page, `${where}, figure ${figure}`);
    }
  });
  // A link of the summary opens its figure; the last one is not the first figure.
  const target = await page.$$eval("#verdicts td a", (links) => {
    document.querySelectorAll("#verdicts details").forEach((part) => { part.open = true; });
    links.at(-1)?.click();
    return links.at(-1)?.hash;
  });
  if (target) {
    await page.waitForFunction((id) => document.querySelector(id).checkVisibility(), { timeout: 2000 }, target);
    await sound(page, `${where}, verdicts`);
    await page.evaluate(() => { history.replaceState(null, "", "#overview"); });
  }
  await page.select("#figure", "0");
  if (views.length > 0) await views[0].click();
}

/** Compares the medians of the first figure, and all results, with the files. */
async function numbers(page, where) {
  const rows = await page.$$eval("#figure-0 tbody tr", (all) => all.map((row) => [Number(row.dataset.value), row.dataset.records]));
  const places = await page.evaluate(() => {
    const data = JSON.parse(document.getElementById("data").textContent);
    return data.records.map((record) => `${data.files[record.file]}:${record.line}`);
  });
  for (const [value, records] of rows) {
    const values = records.split(",").map((at) => rate(line(places[at])));
    check(near(value, median(values)), `${where}: median ${value}, expected ${median(values)} from ${records}`);
  }
  const results = await page.$$eval("#result-rows > tr", (all) => all.map((row) => [row.querySelector(".n").dataset.value ?? null, row.querySelector(".source").textContent]));
  check(results.length === places.length, `${where}: ${results.length} rows of ${places.length} results`);
  for (const [value, place] of results) {
    const expected = rate(line(place));
    check(expected === undefined ? value === null : near(Number(value), expected), `${where}: ${place} is ${value}, expected ${expected}`);
  }
}

/** Opens the table of every chart; compares single seconds with the file. */
async function charts(page, where, select, compare) {
  const count = await each(page, select, async (value) => {
    await drawn(page, `${where}, ${value}`);
    const empty = await page.$$eval(".plot", (plots) => {
      const shown = plots.filter((plot) => plot.checkVisibility());
      shown.forEach((plot) => [...plot.querySelectorAll("h4 button")].find((b) => b.dataset.value === "table").click());
      return [shown.length, shown.filter((plot) => plot.querySelectorAll("tbody td").length === 0).length];
    });
    check(empty[0] > 0 && empty[1] === 0, `${where}, ${value}: ${empty[1]} of ${empty[0]} tables are empty`);
    if (compare) await compare();
  });
  await sound(page, `${where}, tables`);
  check(count > 0, `${where}: nothing to choose`);
  await page.select(select, await page.$eval(`${select} option`, (option) => option.value));
}

async function secondsOfFile(page, where) {
  const cells = await page.$$eval("#time-plots .plot", (plots) => plots.flatMap((plot) => {
    const title = plot.querySelector("h4").firstChild.data;
    if (title !== "Throughput") return [];
    return [...plot.querySelectorAll("td[data-value]")].map((cell) => [Number(cell.dataset.value), cell.title]);
  }));
  for (const [value, place] of cells) {
    const { ops, window_s: window } = line(place);
    if (!ops) continue;
    const expected = Object.values(ops).reduce((a, b) => a + b, 0) / (window ?? 1);
    check(near(value, expected), `${where}: ${place} is ${value}, expected ${expected}`);
  }
}

async function keyboard(page, where) {
  await page.focus('[role="tab"][aria-selected="true"]');
  const before = await page.evaluate(() => location.hash);
  await page.keyboard.press("ArrowRight");
  const after = await page.evaluate(() => [location.hash, document.activeElement.getAttribute("aria-selected")]);
  check(after[0] !== before && after[1] === "true", `${where}: the arrow key did not open the next tab (${after})`);
  await page.keyboard.press("Home");
  const bar = await page.$("#overview .view:not([hidden]) button.bar");
  if (bar) {
    await bar.focus();
    await page.keyboard.press("Enter");
    const shown = await page.$eval("#trace", (trace) => [trace.hidden, trace.textContent]);
    check(!shown[0] && /\.jsonl:\d+/.test(shown[1]), `${where}: a bar does not show its sources`);
    await sound(page, `${where}, sources`);
    await page.keyboard.press("Escape");
    const back = await page.evaluate(() => document.activeElement.classList.contains("bar") && document.getElementById("trace").hidden);
    check(back, `${where}: Escape does not return to the bar`);
  }
}

async function chartByKeyboard(page, where) {
  const canvas = await page.$(".tab:not([hidden]) .canvas");
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  const tip = await page.$eval("#tip", (tip) => [tip.hidden, tip.textContent]);
  check(!tip[0] && /\.jsonl:\d+/.test(tip[1]), `${where}: the arrow key shows no tip: ${tip}`);
  await page.keyboard.press("Enter");
  const shown = await page.$eval("#trace", (trace) => [trace.hidden, trace.textContent]);
  check(!shown[0] && /\.jsonl:\d+/.test(shown[1]), `${where}: Enter shows no sources`);
  await page.keyboard.press("Escape");
}

async function themes(page, where) {
  const backs = [];
  for (const value of ["light", "dark", "auto"]) {
    await page.click(`#theme button[data-value=${value}]`);
    backs.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  }
  check(backs[0] !== backs[1] && backs.slice(0, 2).includes(backs[2]), `${where}: the colours do not change: ${backs}`);
}

async function visit(page, where, name, shot) {
  const tabs = await page.$$eval('[role="tab"]', (all) => all.map((tab) => tab.getAttribute("aria-controls")));
  check(tabs.includes("overview") && tabs.includes("commands"), `${where}: tabs ${tabs}`);
  for (const tab of tabs) {
    await page.click(`#tab-${tab}`);
    const open = await page.$$eval("main > .tab", (all) => all.filter((tab) => tab.checkVisibility()).map((tab) => tab.id));
    check(open.join() === tab, `${where}: the tab ${tab} opens ${open}`);
    await sound(page, `${where}, ${tab}`);
    if (shot) await page.screenshot({ path: path.join(out, `${name}-${shot}-${tab}.png`) });
    if (tab === "overview") await overview(page, where);
    if (tab === "time") {
      await chartByKeyboard(page, `${where}, time`);
      await charts(page, `${where}, time`, "#time-measurement", () => secondsOfFile(page, where));
    }
    if (tab === "latency") {
      await chartByKeyboard(page, `${where}, latency`);
      await charts(page, `${where}, latency`, "#latency-measurement");
    }
    if (tab === "results") {
      await page.type("#results input", "no such result");
      check(await page.$$eval("#result-rows > tr", (all) => all.every((row) => row.hidden)), `${where}: the filter hides nothing`);
    }
  }
}

async function withoutScript(browser, name, file) {
  const [page, where] = await open(browser, name, file, { width: 800, height: 900, scheme: "light", script: false });
  const hidden = await page.$$eval("main > .tab, main .view, main table", (all) => all.filter((e) => !e.closest("details") && !e.checkVisibility()).length);
  check(hidden === 0, `${where}: without a script, ${hidden} parts are hidden`);
  check(await page.$eval("noscript", (e) => e.textContent.includes("JavaScript")), `${where}: no note without a script`);
  await page.close();
}

/** Visits all pages in one size, with a browser of its own, so that sizes can run at the same time. */
async function session([size, width, height]) {
  const args = ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"];
  const browser = await puppeteer.launch({ executablePath, headless: true, args });
  try {
    for (const [name, file] of pages.map((page) => page.split("="))) {
      for (const scheme of ["light", "dark"]) {
        const [page, where] = await open(browser, name, file, { width, height, scheme });
        await visit(page, where, name, `${size}-${scheme}`);
        if (scheme === "light") {
          await keyboard(page, where);
          await themes(page, where);
          await numbers(page, where);
        }
        await page.close();
      }
      if (size === "desk") await withoutScript(browser, name, file);
    }
  } finally {
    await browser.close();
  }
}

await Promise.all(SIZES.map(session));
const shown = [...new Set(problems)];
shown.slice(0, 60).forEach((problem) => console.error(problem));
console.log(`${pages.length} pages, ${checks} checks, ${shown.length} problems; screenshots in ${out}`);
process.exitCode = shown.length === 0 && checks > 0 ? 0 : 1;
