// Tables and partitions, and writes to them over time.

const HEAT_ROWS = 32;

function sum(items, field) {
  return items.reduce((total, item) => total + (item[field] || 0), 0);
}

async function tables(main, again) {
  const [{ tables: all }, heat] = await Promise.all([api("/tables"), api(`/heat?resolution=${chosen.heat}`)]);
  if (!all.some((it) => it.name === chosen.table)) chosen.table = (all.find((it) => it.state === "available") || { name: "" }).name;
  const at = all.findIndex((it) => it.name === chosen.table);
  const list = all.map((it) => [
    el("button", { class: "link", id: `table-${it.id}`, click: () => { chosen.table = it.name; again(); } }, it.name), it.format, it.state,
    count(it.partitions.length), bytes(sum(it.partitions, "table_file_bytes")), bytes(sum(it.partitions, "memtable_bytes")),
    count(sum(it.partitions, "rows")), count(sum(it.partitions, "written_rows_per_second")),
  ]);
  const partitions = at < 0 ? [] : all[at].partitions.map((it, i) => {
    const f = (name, format) => figure(it[name], format, `tables.tables.${at}.partitions.${i}.${name}`);
    return [f("partition", count), f("table_file_bytes", bytes), f("memtable_bytes", bytes), f("rows", count), f("pending_compaction_bytes", bytes), f("written_rows_per_second", count), it.writes];
  });
  const names = new Map(all.flatMap((it) => it.partitions.map((one) => [one.partition, `${it.name.slice(0, 8)} ${one.partition}`])));
  const rows = heat.partitions.map((it) => ({ name: names.get(it.partition) || `(dropped) ${it.partition}`, values: it.written_rows, total: it.written_rows.reduce((a, b) => a + (b || 0), 0) }));
  rows.sort((a, b) => b.total - a.total);
  fill(main,
    el("h2", null, "Tables and partitions"),
    table("Tables", [["Table"], ["Rows of"], ["State"], ["Partitions", true], ["Table files", true], ["Memtables", true], ["Rows (estimate)", true], ["Rows written per second", true]], list, "There are no tables: nothing was written yet."),
    el("h3", null, `Partitions of ${chosen.table || "no table"}`),
    table("Partitions", [["Partition", true], ["Table files", true], ["Memtables", true], ["Rows (estimate)", true], ["To be compacted", true], ["Rows written per second", true], ["Writes"]], partitions),
    el("h3", null, "Heat"),
    el("div", { class: "controls" }, choice("heat-resolution", "Time", [["second", "10 minutes, by 5 seconds"], ["minute", "6 hours, by the minute"]], chosen.heat, (value) => { chosen.heat = value; again(); })),
    rows.length ? heatMap({ id: "heat", title: "Rows written per second", at: heat.at_ms, rows: rows.slice(0, HEAT_ROWS), width: widthOf(main), format: (value) => `${count(value)} rows/s` }) : el("p", { class: "empty" }, "No samples yet."),
    rows.length > HEAT_ROWS ? el("p", { class: "empty" }, `The ${HEAT_ROWS} partitions with the most writes of ${rows.length}.`) : null,
    el("p", { class: "empty" }, "Reads are not counted by partition, because that would cost each read."));
}
