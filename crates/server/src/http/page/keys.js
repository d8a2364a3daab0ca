// The keys of a database by prefix, and the value of one. Reading only.

async function keys(main) {
  const [list, value] = [el("div"), el("div", { id: "value", "aria-live": "polite" })];
  const database = el("input", { id: "database", type: "number", min: "0", max: "1023", value: chosen.database });
  const prefix = el("input", { id: "prefix", value: chosen.prefix, autocomplete: "off", spellcheck: "false" });
  const form = el("form", { class: "controls", submit: (event) => { event.preventDefault(); search(); } },
    el("label", null, "Database", database), el("label", null, "Keys that begin with", prefix), el("button", { id: "search" }, "Show"));

  async function show(key, cursor, before) {
    const reply = await api(`/value?database=${chosen.database}&key=${key}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    const elements = before.concat(reply.elements);
    const isWhole = (it) => (it.is_whole ? "" : " (cut)");
    const columns = { list: ["Index", "Value"], hash: ["Field", "Value"], zset: ["Member", "Score"], set: ["Member", ""], stream: ["Id", "Fields and values"] }[reply.type];
    fill(value,
      el("h3", null, el("code", null, reply.key)),
      el("p", null, `${reply.type}, ${reply.encoding}. ${reply.type === "string" ? "Bytes" : "Elements"}: `, figure(reply.length, count, "value.length"),
        `. About ${bytes(reply.bytes)} in rows. ${reply.ttl_ms === null ? "It does not expire." : `It expires in ${duration(reply.ttl_ms / 1000)}.`}`),
      reply.string === null
        ? table("Elements", [[columns[0], false, true], [columns[1], false, true]], elements.map((it) => [el("code", null, it.name), el("code", null, it.values.join(" ") + isWhole(it))]), "None.")
        : el("pre", { class: "bytes" }, reply.string + (reply.length > 4096 ? " … (cut)" : "")),
      reply.cursor ? el("button", { id: "more-elements", click: () => show(key, reply.cursor, elements).catch(trouble) }, "More elements") : null);
  }

  async function search(cursor, before) {
    [chosen.database, chosen.prefix] = [Number(database.value) || 0, prefix.value];
    if (!cursor) fill(value);
    const query = `database=${chosen.database}&prefix=${encodeURIComponent(chosen.prefix)}&cursor=${cursor || "0"}`;
    const reply = await api(`/keys?${query}`).catch(trouble);
    if (!reply) return;
    const all = (before || []).concat(reply.keys);
    const rows = all.map((it, i) => [
      el("button", { class: "link bytes", id: `key-${i}`, click: () => show(it.key, "", []).catch(trouble) }, it.text || "(the empty key)"),
      it.type, it.ttl_ms === null ? "–" : duration(it.ttl_ms / 1000),
    ]);
    fill(list,
      table("Keys", [["Key", false, true], ["Type"], ["Expires in"]], rows, reply.cursor === "0" ? "No such keys." : "None found yet."),
      reply.cursor === "0" ? null : el("button", { id: "more", click: () => search(reply.cursor, all) }, "More keys"));
  }

  fill(main, el("h2", null, "Keys"), form, el("div", { class: "split" }, list, value));
  await search();
}
