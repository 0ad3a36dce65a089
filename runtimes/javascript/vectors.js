/** The vectors of the specification, and what must be refused: for Node and for a browser. Returns how many were seen. */

import { pad, Refused, Table, UnknownSecret, withoutFiller } from "./minleak-draw.js";

const unhex = (text) => Uint8Array.from(text.match(/../g).map((byte) => parseInt(byte, 16)));
const KEY = Uint8Array.from({ length: 32 }, (_, i) => i);

function same(found, expected, where) {
  if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(`${where}: another answer than expected`);
}

/** Run something that has to be refused in one line without "hidden". */
async function refused(where, act, kind = Refused) {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof kind) || /hidden|\n/.test(error.message) || error.cause) throw new Error(`${where}: ${error.stack}`);
    return;
  }
  throw new Error(`${where}: not refused`);
}

async function draws({ cases }) {
  let seen = 0;
  for (const { name, tables, draws, hash_key } of cases) {
    const options = hash_key ? { hashKey: unhex(hash_key) } : {};
    const held = {};
    for (const document of tables) {
      const table = await Table.parse(JSON.stringify(document), { digest: document.digest, ...options });
      same([table.version, table.digest], [Number(document.version), document.digest], name);
      held[table.lineage] = [table, document.labels === "integers"];
    }
    for (const { lineage, key, scope, secret, set } of draws) {
      const [table, integers] = held[lineage];
      const found = await table.draw(integers ? BigInt(secret) : secret, scope, unhex(key));
      same(found.map(String), set, name);
      seen++;
    }
  }
  return seen;
}

async function refusals({ cases, refused_tables, refused_scopes }) {
  for (const { name, text } of refused_tables) {
    await refused(name, async () => (await Table.parse(text)).draw("hidden", "u", KEY));
  }
  const named = Object.fromEntries(cases.map((one) => [one.name, one]));
  const text = JSON.stringify(named["homes and a ring"].tables[0]), table = await Table.parse(text);
  for (const scope of [...refused_scopes, new Uint8Array(), undefined, 7]) await refused("scope", () => table.draw("flu", scope, KEY));
  for (const key of [new Uint8Array(31), "0".repeat(32), undefined]) await refused("key", () => table.draw("flu", "u", key));
  for (const secret of ["hidden", "flu ", "FLU", 7, null, undefined, "\ud800", "__proto__"]) {
    await refused("secret", () => table.draw(secret, "u", KEY), UnknownSecret);
  }
  await refused("digest", () => Table.parse(text, { digest: "00".repeat(32) }));
  await refused("hash key", () => Table.parse(text, { hashKey: KEY }));
  await refused("no file", () => Table.open("/hidden/t.json"));
  same(await table.draw("flu", new TextEncoder().encode("é"), KEY), await table.draw("flu", "é", KEY), "bytes");
  const numbers = await Table.parse(JSON.stringify(named["whole numbers"].tables[0]));
  for (const secret of ["7", 7.5, 8n, 2n ** 70n]) await refused("number", () => numbers.draw(secret, "u", KEY), UnknownSecret);
  same((await numbers.draw(7, "u", KEY)).map(String), (await numbers.draw(7n, "u", KEY)).map(String), "numbers");
  const blocks = await Table.parse(JSON.stringify(named.blocks.tables[0]));
  same((await blocks.draw("flu")).length, 3, "blocks");
  const { tables: [hashed], hash_key } = named["hashed labels"];
  const asked = await Table.parse(JSON.stringify(hashed)), known = await Table.parse(JSON.stringify(hashed), { hashKey: unhex(hash_key) });
  const shown = await known.draw("flu", "u", KEY);
  const ways = await Promise.all(shown.map((label) => asked.draw(label, "u", KEY)));
  if (!ways.some((one) => JSON.stringify(one) === JSON.stringify(shown))) throw new Error("hashes draw other sets");
}

async function padding({ paddings }) {
  const csv = '"above","padded","secrets","probability"\n-1,21,3,.5\n21,40,1,.5\n';
  for (const table of [csv, [{ padded: 40 }, { padded: 21 }], '[{"above": -1, "padded": 21}, {"above": 21, "padded": 40}]', '{"values": [21, 40]}']) {
    same([pad(table, 0), pad(table, 21), pad(table, 22)], [21, 21, 40], "pad");
    for (const size of [41, -1, NaN, "7", undefined]) await refused("size", () => pad(table, size));
  }
  const wrong = ["[]", "[7]", "{hidden", "hidden\n7\n", '{"values": 7}', '{"values": [7], "beyond": -1}', '{"values": [7], "beyond": "x"}'];
  for (const table of [...wrong, "padded,beyond\n7,.1\n9,.2\n", "padded,beyond\n7,\n"]) await refused("padding", () => pad(table, 1));
  let seen = 0;
  for (const { name, json, csv, pads, refused: sizes } of paddings) {
    for (const table of [json, csv]) {
      for (const [size, padded] of pads) {
        same(pad(table, size), padded, `${name}: ${size}`);
        seen++;
      }
      for (const size of sizes) await refused(name, () => pad(table, size));
    }
  }
  if (seen < 500) throw new Error("few paddings");
}

async function filler() {
  const events = ["data: a\n\n", ": hidden hidden\n\n", ":\r\n\r\n", "event: e\n: hidden\ndata: b:c\n\n", ":\n\n:\n\n", "data: d\r\n\r\n", ":h\r\r"];
  const expected = "data: a\n\nevent: e\ndata: b:c\n\ndata: d\r\n\r\n";
  const bytes = new TextEncoder().encode(events.join(""));
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const chunks = new ReadableStream({
      start(controller) {
        for (let i = 0; i < bytes.length; i += size) controller.enqueue(bytes.slice(i, i + size));
        controller.close();
      },
    });
    same(await new Response(chunks.pipeThrough(withoutFiller())).text(), expected, `chunks of ${size}`);
  }
}

export async function check(told) {
  await refusals(told);
  await padding(told);
  await filler();
  return draws(told);
}
