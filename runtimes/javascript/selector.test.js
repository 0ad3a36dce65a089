/** node --test: the vectors of runtimes/selector.md in Node, or those of the file that MINLEAK_VECTORS names. */

import assert from "node:assert";
import { readFile } from "node:fs/promises";
import test from "node:test";

import { Selector } from "./minleak-selector.js";

const file = process.env.MINLEAK_VECTORS ?? new URL("../selector.json", import.meta.url);
const told = JSON.parse(await readFile(file, "utf8"));
const open = (hex) => Selector.open(Uint8Array.from(Buffer.from(hex, "hex")));

test("every name is found as the page says", async () => {
  assert.ok(told.files.length > 0);
  for (const { name, file, find } of told.files) {
    const selector = await open(file), found = [];
    for (const [asked] of find) found.push([asked, await selector.find(asked)]);
    assert.deepEqual(found, find, name);
    for (const units of told.unencodable) assert.equal(await selector.find(String.fromCharCode(...units)), null);
    await assert.rejects(selector.find(5));
  }
});

test("what is refused", async () => {
  for (const { name, file } of told.refused) await assert.rejects(open(file), Error, name);
});
