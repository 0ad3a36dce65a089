/** node --test: the vectors of the specification in Node. */

import assert from "node:assert";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { Table } from "./minleak-draw.js";
import { check } from "./vectors.js";

const told = JSON.parse(await readFile(new URL("../vectors.json", import.meta.url), "utf8"));

test("every vector", async () => {
  assert.ok((await check(told)) >= 1000);
});

test("a table in a file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "minleak-"));
  const [{ tables: [document], draws: [draw] }] = told.cases;
  await writeFile(join(folder, "t.json"), JSON.stringify(document));
  const table = await Table.open(join(folder, "t.json"));
  assert.deepEqual(await table.draw(draw.secret, draw.scope, Uint8Array.from(Buffer.from(draw.key, "hex"))), draw.set);
  await rm(folder, { recursive: true });
});
