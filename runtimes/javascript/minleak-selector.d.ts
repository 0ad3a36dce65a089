/** A selector: which names are in blocks. All others are asked for by their hash prefix. */
export class Selector {
  private constructor();
  /** The selector in the bytes of a file; a damaged or foreign one is an Error. */
  static open(bytes: Uint8Array): Promise<Selector>;
  /** The block of a name; null if it is not listed: then ask by its prefix. */
  find(name: string): Promise<number | null>;
}
