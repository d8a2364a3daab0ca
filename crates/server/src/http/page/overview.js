// The overview: health, numbers, rates and latencies.

const RESOLUTIONS = [["second", "10 minutes, by the second"], ["minute", "a day, by the minute"]];

/** What the user chose, kept while the page is open. */
const chosen = { resolution: "second", class: "read", table: "", heat: "second", filter: "", database: 0, prefix: "" };

function healthLine(health) {
  const words = { ok: "Healthy: nothing is wrong.", warning: "Something needs attention:", error: "Something fails:" };
  const problems = health.problems.map((problem) => el("li", null,
    el("span", { class: `state-${problem.severity}` }, `${problem.severity}: ${problem.text}.`), ` ${problem.remedy}.`));
  return el("section", { class: `health ${health.status}`, "aria-label": "Health" },
    el("p", null, el("strong", { class: `state-${health.status}`, "data-field": "health.status", "data-value": health.status }, words[health.status])),
    problems.length ? el("ul", null, problems) : null);
}

function tiles(entries) {
  return el("dl", { class: "tiles" }, entries.map(([name, ...value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

function latencyChart(history, width, lanes) {
  const one = history.latencies.find((it) => it.class === chosen.class);
  const values = (name) => one[name].map((us, i) => (one.calls[i] ? us : null));
  return lineChart({
    id: "latency", title: `Latency of ${chosen.class} commands`, unit: "Latency (µs, ms, s)", at: history.at_ms, width, lanes,
    format: micros,
    series: [["P50", "p50_us"], ["P99", "p99_us"], ["P99.9", "p999_us"]].map(([name, field]) => ({ name, values: values(field) })),
  });
}

function historyControls(again) {
  return el("div", { class: "controls" },
    choice("resolution", "Time", RESOLUTIONS, chosen.resolution, (value) => { chosen.resolution = value; again(); }),
    choice("class", "Commands", ["read", "write", "script", "other"], chosen.class, (value) => { chosen.class = value; again(); }));
}

function historyPath() {
  return `/history?resolution=${chosen.resolution}&count=${chosen.resolution === "second" ? 600 : 1440}`;
}

async function overview(main, again) {
  const [health, now, history] = await Promise.all([api("/health"), api("/overview"), api(historyPath())]);
  document.getElementById("server").textContent = `${now.version}, ${now.role}`;
  const lookups = now.totals.key_hits + now.totals.key_misses;
  const free = health.disk && health.disk.free_bytes;
  const width = widthOf(main);
  const half = width > 1100 ? Math.floor(width / 2) - 12 : width;
  const f = (path, format) => figure(path.split(".").reduce((at, key) => at[key], now), format, `overview.${path}`);
  const commands = now.commands.map((it, i) => {
    const g = (name, format) => figure(it[name], format, `overview.commands.${i}.${name}`);
    return [it.command, g("calls", count), g("total_us", micros), g("p50_us", micros), g("p99_us", micros), g("p999_us", micros), g("failed", count), g("rejected", count)];
  });
  fill(main,
    el("h2", null, "Overview"),
    healthLine(health),
    tiles([
      ["Commands per second", f("rates.commands", count)],
      ["Pegasus requests per second", f("rates.pegasus_requests", count)],
      ["Clients", f("clients", count)],
      ["Blocked clients", f("blocked_clients", count)],
      ["Commands since the start", f("totals.commands", count)],
      ["Keys read and found", lookups ? `${((now.totals.key_hits * 100) / lookups).toFixed(1)} %` : "–"],
      ["Rows (estimate)", f("rows", count)],
      ["Table files", f("table_file_bytes", bytes)],
      ["Free on the disk", health.disk ? figure(free, bytes, "health.disk.free_bytes") : "–"],
      ["Up for", f("uptime_seconds", duration)],
    ]),
    historyControls(again),
    el("div", { class: "charts" },
      lineChart({
        id: "rates", title: "Commands", unit: "Commands per second", at: history.at_ms, width: half, format: count,
        series: [{ name: "Redis", values: history.rates.commands }, { name: "failed", values: history.rates.failed_commands }, { name: "Pegasus", values: history.rates.pegasus_requests }],
      }),
      latencyChart(history, half)),
    el("h3", null, "Commands that took most time since the start"),
    table("Commands since the start", [["Command"], ["Calls", true], ["Time together", true], ["P50", true], ["P99", true], ["P99.9", true], ["Failed", true], ["Rejected", true]], commands, "No commands yet."),
    el("h3", null, "Error replies since the start"),
    table("Errors by code", [["Code"], ["Count", true]], now.errors.map((it, i) => [it.code, figure(it.count, count, `overview.errors.${i}.count`)]), "None."));
}
