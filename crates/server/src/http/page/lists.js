// Slow requests, memory, settings, and the description of the API.

async function slow(main) {
  const reply = await api("/slow");
  const rows = reply.entries.map((it, i) => [
    figure(it.id, count, `slow.entries.${i}.id`), clock(it.at_s * 1000), figure(it.us, micros, `slow.entries.${i}.us`),
    el("code", null, it.args.join(" ")), it.address, it.name,
  ]);
  const events = reply.events.map((it) => [it.event, micros(it.max_ms * 1000), count(it.samples.length), it.samples.length ? clock(it.samples[it.samples.length - 1].at_s * 1000) : "–"]);
  const limit = reply.threshold_us < 0 ? "No commands are logged." : `Commands that took at least ${micros(reply.threshold_us)} (slowlog-log-slower-than), the newest first.`;
  fill(main,
    el("h2", null, "Slow requests"),
    el("p", null, limit),
    table("Slow commands", [["Id", true], ["Ended"], ["Took", true], ["Command", false, true], ["Client"], ["Name"]], rows, "None."),
    el("h3", null, "Latency monitor"),
    el("p", null, reply.event_threshold_ms === 0 ? "It is off: set latency-monitor-threshold." : `Events from ${reply.event_threshold_ms} ms on (latency-monitor-threshold).`),
    table("Events", [["Event"], ["Longest", true], ["Seconds with one", true], ["Latest"]], events, "None."));
}

async function memory(main) {
  const reply = await api("/memory");
  const f = (name) => figure(reply[name], bytes, `memory.${name}`);
  const rows = reply.owners.map((it, i) => [it.owner, figure(it.bytes, bytes, `memory.owners.${i}.bytes`), bar(it.bytes, reply.used_bytes), it.limit]);
  rows.push(["other: stacks, the allocator, and what nobody counts; negative if owners reserved more than they use", f("other_bytes"), bar(Math.max(0, reply.other_bytes), reply.used_bytes), ""]);
  fill(main,
    el("h2", null, "Memory"),
    tiles([["In use", f("used_bytes")], ["Most in use when asked", f("peak_bytes")], ["Resident, with mapped files", f("resident_bytes")], ["Limit of the cache (--memory-mb)", f("cache_limit_bytes")], ["Budget of memtables", f("memtable_budget_bytes")]]),
    table("Owners", [["Owner", false, true], ["Bytes", true], ["Share of what is in use"], ["Bounded by"]], rows));
}

async function settings(main) {
  const reply = await api("/settings");
  const box = el("div");
  const show = () => {
    const has = (it) => `${it.name} ${it.value} ${it.source} ${it.description}`.toLowerCase().includes(chosen.filter.toLowerCase());
    const row = (it) => [el("code", null, it.name), el("code", null, it.value), it.source, it.description];
    const columns = [["Name"], ["Value", false, true], ["Set by"], ["Meaning", false, true]];
    fill(box,
      el("h3", null, "Flags and the configuration file"),
      table("Settings that need a restart", columns, reply.flags.filter(has).map(row), "None matches."),
      el("h3", null, "Parameters of CONFIG"),
      table("Parameters", columns.slice(0, 3), reply.parameters.filter(has).map((it) => row(it).slice(0, 3)), "None matches."));
  };
  const input = el("input", { id: "filter", type: "search", value: chosen.filter, input: (event) => { chosen.filter = event.target.value; show(); } });
  fill(main, el("h2", null, "Settings"), el("div", { class: "controls" }, el("label", null, "Contains", input)), box);
  show();
}

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.map((it) => JSON.stringify(it)).join(" or ");
  if (schema.anyOf || schema.oneOf) return (schema.anyOf || schema.oneOf).map(typeOf).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeOf(schema.items)}`;
  return [].concat(schema.type || "anything").join(" or ");
}

async function description(main) {
  const reply = await api("/openapi.json");
  const operations = Object.entries(reply.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, it]) => {
    const ok = it.responses["200"];
    const schema = ok && ok.content["application/json"].schema;
    return el("section", null,
      el("h3", null, el("code", null, `${method.toUpperCase()} ${path}`)),
      el("p", null, `${it.summary} ${it.description || ""}`),
      it.parameters && it.parameters.length ? table("Parameters", [["Name"], ["Type"], ["Meaning", false, true]], it.parameters.map((one) => [el("code", null, one.name), typeOf(one.schema) + (one.required ? ", required" : ""), one.description])) : null,
      schema ? el("p", null, "Reply: ", el("code", null, typeOf(schema))) : null);
  }));
  const types = Object.entries(reply.components.schemas).map(([name, schema]) => el("section", null,
    el("h3", null, el("code", null, name)),
    el("p", null, schema.description || ""),
    schema.properties ? table(`Fields of ${name}`, [["Field"], ["Type"], ["Meaning", false, true]], Object.entries(schema.properties).map(([field, one]) => [el("code", null, field), typeOf(one), one.description || ""])) : el("p", null, typeOf(schema))));
  fill(main, el("h2", null, "API"), el("p", null, "The OpenAPI document is at ", el("a", { href: "/api/v1/openapi.json" }, "/api/v1/openapi.json"), "."), operations, el("h2", null, "Types"), types);
}
