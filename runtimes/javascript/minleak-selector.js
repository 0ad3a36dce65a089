/** Look names up in a selector, as runtimes/selector.md of minleak says: Node, browsers, workers. See the .d.ts. */
const native = globalThis.process?.getBuiltinModule?.("node:crypto"), subtle = globalThis.crypto?.subtle;
const sha256 = async (data) =>
  native ? native.createHash("sha256").update(data).digest() : new Uint8Array(await subtle.digest("SHA-256", data));
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export class Selector {
  static async open(bytes) {
    const view = viewOf(bytes), layers = [], length = bytes.length, magic = new TextEncoder().encode("selector\0\0\0\x01");
    const digest = length < 97 ? [] : await sha256(bytes.subarray(0, length - 32));
    let fits = length >= 97 && magic.every((b, i) => b === bytes[i]) && digest.every((b, i) => b === bytes[length - 32 + i]);
    for (let at = 32, total = 0; fits && at !== length; ) {
      const [size, seed, third, first, blocks, bits] = Array.from({ length: 6 }, (_, i) => at + 32 > length ? 0 : view.getUint32(at + 4 * i));
      fits = third > 0 && bits >= 1 && bits <= 32 && blocks > 0 && blocks < 2 ** bits && first === total;
      fits &&= size === at + 64 + Math.ceil((3 * third * bits) / 8) && size <= length;
      layers.push({ seed, third, first, blocks, bits, table: at + 32 });
      total += blocks;
      at = size;
    }
    if (!fits) throw new Error("the file must be a selector; got another one, or a damaged one");
    return Object.assign(new Selector(), { view, layers });
  }

  async find(name) {
    if (typeof name !== "string") throw new TypeError("name must be a string");
    if (/\p{Surrogate}/u.test(name)) return null; // text that UTF-8 cannot hold
    const text = new TextEncoder().encode(name), message = new Uint8Array(4 + text.length);
    message.set(text, 4);
    for (const { seed, third, first, blocks, bits, table } of this.layers) {
      viewOf(message).setUint32(0, seed);
      const h = viewOf(await sha256(message)), values = [0, 1, 2].map((i) => {
        const bit = (((h.getUint16(6 * i) * 2 ** 32 + h.getUint32(6 * i + 2)) % third) + i * third) * bits, at = table + Math.floor(bit / 8);
        return Math.floor((this.view.getUint8(at) * 2 ** 32 + this.view.getUint32(at + 1)) / 2 ** (40 - bits - (bit % 8))) % 2 ** bits;
      });
      const value = (values[0] ^ values[1] ^ values[2]) >>> 0;
      if (value < blocks) return first + value;
    }
    return null;
  }
}
