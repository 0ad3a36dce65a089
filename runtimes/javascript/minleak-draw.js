/**
 * Draw from tables that `minleak export` wrote, in Node, browsers and workers: runtimes/spec.md of minleak says how.
 *
 *     import { Table } from "minleak-draw";
 *     await (await Table.open("words.json")).draw("flu", "user-17", key)     // an array of labels, always the same
 */

const FORMAT = "minleak table 1", BLOCK = 16, KEY = 32;
const NUMBER = "(?:0|[1-9][0-9]{0,299})";
const PAIR = new RegExp(`^(${NUMBER}) (${NUMBER})$`), MEMBER = new RegExp(`^${NUMBER}$`);
const INTEGER = /^(?:0|-?[1-9][0-9]{0,18})$/;
const HEADER = {
  format: /^minleak table 1$/, lineage: /^[0-9a-f]{64}$/, version: /^[1-9][0-9]{0,8}$/, labels: /^(text|integers)$/,
  hashed: /^([0-9a-f]{16})?$/, keyed: /^(yes|no)$/,
};
// Places of secrets with many sets are kept parsed: so many secrets, from so many characters on.
const KEPT = 64, LONG = 4096;
// The most values that a padding table goes on by.
const STEPS = 1_000_000;
const MISSING = new Set(["None", "nan", "NaN", "NAN", "null", "NULL", "nil", "undefined", "NaT", "<NA>"]);
const UNSEEN = /^[\p{Z}\p{Cc}\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u2800\u3164\uffa0]*$/u;
const HALF = /\p{Cs}/u;
const encoder = new TextEncoder();
// Node's own cryptography, which answers at once, where there is one; else Web Crypto.
const native = globalThis.process?.getBuiltinModule?.("node:crypto"), subtle = globalThis.crypto?.subtle;

/** A table, key, scope or label that cannot be drawn with; the message repeats none of them. */
export class Refused extends Error {
  name = "Refused";
}

/** A label that the table does not list: refuse it, never pass it through. */
export class UnknownSecret extends Refused {
  name = "UnknownSecret";
}

const damaged = (what) => new Refused(`the table is damaged: ${what}`);
const foreign = (what = "") => new Refused(`this is no table of the format ${FORMAT}${what}`);

/** A table: `Table.open` of a file or an address, `Table.parse` of its text. */
export class Table {
  #header; #labels; #places; #sets; #numbers = new Map(); #lineage; #hash; #kept = new Map(); #key; #sign;

  /** The table in a file (Node) or at an address; `digest` refuses every other one, `hashKey` is for hashed labels. */
  static async open(source, options = {}) {
    let text;
    try {
      if (globalThis.process?.versions?.node && !/^https?:/.test(String(source))) {
        text = await (await import("node:fs/promises")).readFile(source, "utf8");
      } else {
        const answer = await fetch(source);
        if (!answer.ok) throw new Error();
        text = await answer.text();
      }
    } catch {
      throw new Refused("the table cannot be read");
    }
    return Table.parse(text, options);
  }

  /** The table in a text of JSON. */
  static async parse(text, { digest, hashKey } = {}) {
    const table = new Table();
    await table.#read(text, digest);
    if (hashKey !== undefined) await table.#take(hashKey);
    return table;
  }

  /** What to remember for a subject who is drawn for the first time, in hexadecimal: draw them from it for ever. */
  get lineage() { return this.#header.lineage; }

  /** Of two tables of one lineage the one with the larger version lists more secrets. */
  get version() { return Number(this.#header.version); }

  /** What the table is known by, in hexadecimal. */
  get digest() { return this.#header.digest; }

  /** The set that is shown for a secret, to whoever the scope names, under a key of 32 bytes. */
  async draw(secret, scope, key) {
    const keyed = this.#header.keyed === "yes";
    if (keyed) checkKey(key);
    const who = keyed ? scopeBytes(scope) : undefined;
    const listed = await this.#listed(secret), number = this.#numbers.get(listed);
    if (number === undefined) throw new UnknownSecret("the table does not list this secret: refuse it");
    const { sets, lasts } = this.#kept.get(number) ?? this.#parse(number);
    if (!keyed && (lasts.length > 1 || lasts[0] !== 0n)) throw damaged("it needs no key, yet has several places");
    const label = encoder.encode(`${this.#mark}${listed}`);
    const place = keyed ? await this.#below(lasts.at(-1) + 1n, key, message(this.#lineage, who, label)) : 0n;
    let low = 0, high = lasts.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (place <= lasts[middle]) high = middle; else low = middle + 1;
    }
    const members = this.#members(sets[low]);
    if (!members.includes(number)) throw damaged("a set does not hold the secret that leads to it");
    return members.map((member) => (this.#mark === "i" ? BigInt(this.#labels[member]) : this.#labels[member]));
  }

  async #read(text, digest) {
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      throw foreign();
    }
    const names = [...Object.keys(HEADER), "digest", "secrets", "sets"];
    if (data === null || typeof data !== "object" || Object.keys(data).sort().join() !== names.sort().join()) throw foreign();
    for (const [name, form] of Object.entries(HEADER)) {
      if (typeof data[name] !== "string" || !form.test(data[name])) throw foreign(`: its ${name} is not what it must be`);
    }
    const { secrets, sets } = data;
    if (!Array.isArray(secrets) || !Array.isArray(sets) || !secrets.length || !sets.length) throw foreign();
    this.#header = data;
    this.#lineage = unhex(data.lineage);
    this.#labels = new Array(secrets.length);
    this.#places = new Array(secrets.length);
    for (let i = 0; i < secrets.length; i++) {
      const pair = secrets[i];
      if (!Array.isArray(pair) || pair.length !== 2 || !pair.every((one) => typeof one === "string")) throw foreign();
      if (HALF.test(pair[0]) || (this.#mark === "i" && !INTEGER.test(pair[0]))) throw foreign();
      [this.#labels[i], this.#places[i]] = pair;
      this.#numbers.set(pair[0], i);
    }
    if (!sets.every((one) => typeof one === "string")) throw foreign();
    if (this.#numbers.size < secrets.length) throw damaged("a label stands in it twice");
    this.#sets = sets;
    const found = await this.#digest();
    if (found !== data.digest) throw damaged("its digest is not that of its content");
    if (digest !== undefined && digest !== found) throw new Refused("the table is not the one that was asked for: its digest is another");
    data.secrets = data.sets = undefined;
  }

  async #digest() {
    const head = [...Object.keys(HEADER).map((name) => this.#header[name]), this.#labels.length, this.#sets.length];
    const blocks = [encoder.encode(head.map((value) => `${value}\n`).join(""))];
    const hash = async (count, record) => {
      for (let begin = 0; begin < count; begin += BLOCK) {
        const parts = [];
        for (let i = begin; i < Math.min(begin + BLOCK, count); i++) parts.push(...record(i).map((part) => encoder.encode(part)));
        blocks.push(await sha256(joined(parts.flatMap(prefixed))));
      }
    };
    await hash(this.#labels.length, (i) => [`${this.#mark}${this.#labels[i]}`, this.#places[i]]);
    await hash(this.#sets.length, (i) => [this.#sets[i]]);
    return hex(await sha256(joined(blocks)));
  }

  async #take(hashKey) {
    checkKey(hashKey);
    const key = await importKey(hashKey);
    const name = hex(await sign(key, message(encoder.encode("name")))).slice(0, 16);
    if (name !== this.#header.hashed) throw new Refused("the labels of the table are not hashed by this key");
    this.#hash = key;
  }

  /** What the labels of the table are drawn as: whole numbers or text. */
  get #mark() { return this.#header.labels === "integers" && !this.#header.hashed ? "i" : "s"; }

  /** The label as the table lists it, hashed where it lists hashes. */
  async #listed(secret) {
    const integers = this.#header.labels === "integers" && (this.#hash || !this.#header.hashed);
    const whole = typeof secret === "bigint" || Number.isSafeInteger(secret);
    if (integers ? !whole : typeof secret !== "string" || HALF.test(secret)) {
      throw new UnknownSecret(`the table is asked by ${integers ? "whole numbers" : "text"}: refuse this secret`);
    }
    const listed = integers ? BigInt(secret).toString() : secret;
    if (!this.#hash) return listed;
    const label = encoder.encode(`${integers ? "i" : "s"}${listed}`);
    return hex(await sign(this.#hash, message(encoder.encode("label"), label)));
  }

  #parse(number) {
    const text = this.#places[number], pairs = text.split(";"), sets = [], lasts = [];
    for (const pair of pairs) {
      const found = PAIR.exec(pair);
      if (!found) throw damaged("places are not what they must be");
      const last = BigInt(found[2]), at = Number(found[1]);
      if (at >= this.#sets.length || (lasts.length && last <= lasts.at(-1))) {
        throw damaged("places overlap, or lead to a set that is not there");
      }
      sets.push(at);
      lasts.push(last);
    }
    const parsed = { sets, lasts };
    if (text.length >= LONG) {
      if (this.#kept.size >= KEPT) this.#kept.clear();
      this.#kept.set(number, parsed);
    }
    return parsed;
  }

  #members(at) {
    let before = -1;
    return this.#sets[at].split(" ").map((text) => {
      const member = MEMBER.test(text) ? Number(text) : -1;
      if (member <= before || member >= this.#labels.length) throw damaged("the members of a set are not what they must be");
      return (before = member);
    });
  }

  /** floor(r N), reading as many blocks of r as decide it. */
  async #below(bound, key, begin) {
    if (!this.#key || !this.#key.every((byte, i) => byte === key[i])) {
      const copy = Uint8Array.from(key), sign = await importKey(copy);
      this.#key = copy;
      this.#sign = sign;
    }
    const signing = this.#sign;
    for (let known = 0n, bits = 256n, block = 0; ; bits += 256n, block++) {
      known = (known << 256n) | BigInt(`0x${hex(await sign(signing, joined([begin, four(block)])))}`);
      const product = known * bound;
      if (BigInt.asUintN(Number(bits), product) + bound <= 1n << bits) return product >> bits;
    }
  }
}

/**
 * What to pad a size to, by the text of the .json or .csv that `minleak pad` wrote, or by its rows: the least `padded` that is not smaller. Where the
 * table has a rule `beyond` it goes on, as runtimes/spec.md says; else larger sizes are refused. Whole sizes are at most 2^53 - 1.
 */
export function pad(table, size) {
  const { values, times, share } = paddingTable(table), last = values.at(-1);
  const outside = () => new Refused("the size is not one that the table was designed for");
  if (typeof size !== "number" || !(size >= 0) || size === Infinity || (size > last && share === null)) throw outside();
  let padded = size > last ? (times ? timeAbove : wholeAbove)(last, size, share) : values.find((value) => value >= size);
  if (times && share !== null && padded === values.find((value) => value > 0)) padded = timeBelow(padded, size, share);
  if (!(padded >= size) || (!times && !Number.isSafeInteger(padded))) throw outside();
  return padded;
}

function paddingTable(table) {
  const data = typeof table === "string" ? parsePadding(table) : table;
  const rows = Array.isArray(data) ? data : (data?.values ?? []).map((padded) => ({ padded, beyond: data.beyond }));
  const values = rows.map((row) => Number(row?.padded ?? NaN)).sort((a, b) => a - b), rules = new Set(rows.map((row) => row?.beyond ?? null));
  const [rule] = rules, share = rule === null ? null : Number(rule);
  if (!values.length || !values.every((value) => value >= 0 && value < Infinity)) throw new Refused("a padding table has rows with the column padded");
  if (rules.size > 1 || rule === "" || !(share === null || (share > 0 && share < Infinity))) throw new Refused("this is no padding table: beyond is one number above 0");
  const times = data.times ?? rows.some(({ padded }) => /[.e]/i.test(String(padded)));
  return { values, times, share };
}

function parsePadding(text) {
  if (/^\s*[[{]/.test(text)) {
    try {
      const data = JSON.parse(text);
      if (Array.isArray(data)) return data;
      const written = /"values"\s*:\s*\[([^\]]*)\]/.exec(text)[1]; // a number has lost its decimal point
      return { values: [...data.values], beyond: data.beyond, times: /[.e]/i.test(written) };
    } catch {
      throw new Refused("this is no padding table");
    }
  }
  const [head, ...lines] = text.trim().split(/\r?\n/).map((line) => line.split(",").map((cell) => cell.replace(/^"|"$/g, "")));
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
}

/** The first of last (1 + share), last (1 + share)^2, ... that is not smaller than the size. */
function timeAbove(last, size, share) {
  for (let i = 0; i < STEPS && last < size; i++) last *= 1 + share;
  return last;
}

/** The least of value, value / (1 + share), ... that is not smaller than the size; 0 stays as it is. */
function timeBelow(value, size, share) {
  if (size === 0) return 0;
  for (let i = 0; i < STEPS; i++) {
    const less = value / (1 + share);
    if (less < size || less === value) return value;
    value = less;
  }
  return NaN;
}

/** The same for whole numbers: after v comes floor((v + 1) (1 + share)), with the share as the decimal number that it is written as. */
function wholeAbove(last, size, share) {
  const [, digits, places = "", exponent = 0] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(share));
  const power = Number(exponent) - places.length, ten = 10n ** BigInt(Math.abs(power));
  const over = BigInt(digits + places) * (power > 0 ? ten : 1n), under = power > 0 ? 1n : ten;
  let value = BigInt(last);
  for (let i = 0; i < STEPS && value < size; i++) {
    value += 1n;
    value += (value * over) / under;
  }
  return Number(value);
}

/** A TransformStream of bytes that leaves the filler out of server-sent events: comments, and the blank lines after them. */
export function withoutFiller() {
  let start = true, open = false, kept = false, afterReturn = false;
  return new TransformStream({
    transform(chunk, controller) {
      const out = new Uint8Array(chunk.length);
      let size = 0;
      for (const byte of chunk) {
        const ends = byte === 10 || byte === 13;
        if (byte === 10 && afterReturn) {
          afterReturn = false; // the second half of one line break
        } else {
          if (start) kept = ends ? open : byte !== 58;
          if (start && ends) open = false;
          if (start && !ends && kept) open = true;
          start = ends;
          afterReturn = byte === 13;
        }
        if (kept) out[size++] = byte;
      }
      if (size) controller.enqueue(out.subarray(0, size));
    },
  });
}

// -- bytes -----------------------------------------------------------------------------------------------------------

const four = (number) => Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number);
const prefixed = (part) => [four(part.length), part];
const message = (...parts) => joined([Uint8Array.of(1), ...parts.flatMap(prefixed)]);
const sha256 = native
  ? (data) => native.createHash("sha256").update(data).digest()
  : async (data) => new Uint8Array(await subtle.digest("SHA-256", data));
const sign = native
  ? (key, data) => native.createHmac("sha256", key).update(data).digest()
  : async (key, data) => new Uint8Array(await subtle.sign("HMAC", key, data));
const importKey = (key) =>
  native ? native.createSecretKey(key) : subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const unhex = (text) => Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));

function hex(bytes) {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function checkKey(key) {
  if (!(key instanceof Uint8Array) || key.length !== KEY) throw new Refused(`a key is a Uint8Array of ${KEY} bytes`);
}

/** A scope in bytes; one that names nobody is refused. */
function scopeBytes(scope) {
  const text = typeof scope === "string" ? scope : scope instanceof Uint8Array ? new TextDecoder("latin1").decode(scope) : null;
  if (text === null) throw new Refused("a scope is text or a Uint8Array that names who asks, such as a user's id");
  const bytes = typeof scope !== "string";
  const nobody = bytes ? !scope.length || MISSING.has(text) : UNSEEN.test(text) || MISSING.has(text.trim()) || HALF.test(text) || text.includes("\0");
  if (nobody) throw new Refused("a scope names nobody: give each subject's own name, without NUL or half surrogate pairs");
  return bytes ? scope : encoder.encode(text);
}
