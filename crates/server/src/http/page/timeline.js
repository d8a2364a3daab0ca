// Flushes, compactions and stalls below the latencies of the same time.

function jobText(job) {
  const from = job.from_level < 0 ? "memtables" : `L${job.from_level}`;
  return `${job.kind} of ${job.table}${job.partition === null ? "" : ` ${job.partition}`}, ${from} to L${job.to_level}: ${job.reason}`;
}

/** Returns the times in which writers of a partition had to wait, from the changes of their condition. */
function stallSpans(stalls, now) {
  const [spans, open] = [[], new Map()];
  for (const it of [...stalls].reverse()) {
    const place = `${it.table} ${it.partition}`;
    const begun = open.get(place);
    if (begun) spans.push({ from: begun.at_ms, to: it.at_ms, kind: "stall", text: `writes to ${place} ${begun.writes}: ${begun.cause}` });
    if (it.writes === "normal") open.delete(place);
    else open.set(place, it);
  }
  for (const [place, begun] of open) spans.push({ from: begun.at_ms, to: now, kind: "stall", text: `writes to ${place} ${begun.writes}: ${begun.cause}` });
  return spans;
}

async function timeline(main, again) {
  const [history, jobs, now] = await Promise.all([api(historyPath()), api("/jobs"), api("/overview")]);
  const items = (kind) => [...jobs.running, ...jobs.finished].filter((job) => job.kind === kind)
    .map((job) => ({ from: job.started_ms, to: job.ended_ms === null ? now.now_ms : job.ended_ms, kind, text: jobText(job) }));
  const lanes = [
    { name: "Flushes", items: items("flush") },
    { name: "Compactions", items: items("compaction") },
    { name: "Stalls", items: stallSpans(jobs.stalls, now.now_ms) },
  ];
  const row = (list) => (job, i) => {
    const f = (name, format) => figure(job[name], format, `jobs.${list}.${i}.${name}`);
    const took = job.ended_ms === null ? now.now_ms - job.started_ms : job.ended_ms - job.started_ms;
    return [clock(job.started_ms), job.kind, `${job.table}${job.partition === null ? "" : ` ${job.partition}`}`,
      `${job.from_level < 0 ? "memtables" : `L${job.from_level}`} to L${job.to_level}`, job.reason, micros(took * 1000), f("read_bytes", bytes), f("written_bytes", bytes), job.error];
  };
  const columns = [["Began"], ["Job"], ["Partition"], ["Levels"], ["Reason"], ["Took", true], ["Read", true], ["Wrote", true], ["Error", false, true]];
  fill(main,
    el("h2", null, "Timeline"),
    historyControls(again),
    latencyChart(history, widthOf(main), lanes),
    el("h3", null, "Running"),
    table("Running flushes and compactions", columns, jobs.running.map(row("running")), "Nothing runs."),
    el("h3", null, "Finished"),
    table("The latest flushes and compactions", columns, jobs.finished.slice(0, 100).map(row("finished")), "None since the start."),
    el("h3", null, "Stalls"),
    table("When writers began or ceased to wait", [["Time"], ["Partition"], ["Writes"], ["Cause"]], jobs.stalls.map((it) => [clock(it.at_ms), `${it.table}${it.partition === null ? "" : ` ${it.partition}`}`, it.writes, it.cause]), "No writer had to wait since the start."));
}
