// The log-structured merge tree of each partition as it is now.

/** Returns a bar. One of a limit shows when that is nearly reached. */
function bar(value, most, isLimit) {
  const share = most > 0 ? Math.min(1, value / most) : 0;
  const inner = el("span");
  inner.style.width = `${(share * 100).toFixed(1)}%`;
  return el("div", { class: isLimit && share >= 0.95 ? "bar full" : "bar", "aria-hidden": "true" }, inner);
}

async function levels(main, again) {
  const path = chosen.levels ? `/levels?table=${encodeURIComponent(chosen.levels)}` : "/levels";
  const [reply, all] = await Promise.all([api(path), api("/tables")]);
  const names = all.tables.filter((it) => it.state === "available").map((it) => it.name);
  const most = Math.max(1, ...reply.partitions.flatMap((it) => it.levels.map((level) => level.bytes)));
  const parts = reply.partitions.map((it, p) => {
    const f = (name, format) => figure(it[name], format, `levels.partitions.${p}.${name}`);
    const used = it.levels.map((level, l) => [level, l]).filter(([level]) => level.files > 0 || level.level === 0 || level.level === it.base_level);
    const rows = used.map(([level, l]) => {
      const g = (name, format) => figure(level[name], format, `levels.partitions.${p}.levels.${l}.${name}`);
      const score = level.score >= 1 ? el("strong", { class: "state-warning" }, g("score", count)) : g("score", count);
      return [`L${level.level}`, g("files", count), g("busy_files", count), g("bytes", bytes), bar(level.bytes, most), score, g("entries", count), g("tombstones", count)];
    });
    const stalls = it.stalls.map((stall) => `${stall.cause}: ${count(stall.count)}`).join(", ");
    return el("section", null,
      el("h3", null, `${it.table}, partition ${it.partition}`),
      el("p", null, "Memtables ", f("memtable_bytes", bytes), " (active ", f("active_memtable_bytes", bytes), ", ", f("waiting_memtables", count), " waiting). To be compacted: ",
        f("pending_compaction_bytes", bytes), `. ${stalls ? `Writers waited, by cause: ${stalls}.` : "No writer had to wait."}`),
      table(`Levels of partition ${it.partition}`, [["Level"], ["Files", true], ["Being compacted", true], ["Size", true], ["Share of the largest level"], ["Score (due from 1)", true], ["Entries", true], ["Tombstones", true]], rows));
  });
  const memory = reply.memtables;
  fill(main,
    el("h2", null, "LSM now"),
    el("p", null, "Memtables of all partitions: ", figure(memory.bytes, bytes, "levels.memtables.bytes"), " of ", figure(memory.budget_bytes, bytes, "levels.memtables.budget_bytes"), ", from which on they are flushed."),
    bar(memory.bytes, memory.budget_bytes, true),
    el("div", { class: "controls" }, choice("levels-table", "Table", [["", "all"], ...names.map((name) => [name, name])], chosen.levels || "", (value) => { chosen.levels = value; again(); })),
    parts.length ? parts : el("p", { class: "empty" }, "There are no partitions: nothing was written yet."),
    reply.is_cut ? el("p", { class: "empty" }, "Further partitions are not shown: choose a table.") : null);
}
