/** A table, key, scope or label that cannot be drawn with; the message repeats none of them. */
export class Refused extends Error {}

/** A label that the table does not list: refuse it, never pass it through. */
export class UnknownSecret extends Refused {}

export interface Options {
  /** The digest that `minleak export` told, in hexadecimal: every other table is refused. */
  digest?: string;
  /** For hashed labels, the 32 bytes of their key; without it the table is asked by hashes. */
  hashKey?: Uint8Array;
}

/** A table that `minleak export` wrote as .json. */
export class Table {
  private constructor();
  /** The table in a file (Node) or at an address. */
  static open(source: string | URL, options?: Options): Promise<Table>;
  /** The table in a text of JSON. */
  static parse(text: string, options?: Options): Promise<Table>;
  /** What to remember for a subject who is drawn for the first time, in hexadecimal: draw them from it for ever. */
  readonly lineage: string;
  /** Of two tables of one lineage the one with the larger version lists more secrets. */
  readonly version: number;
  /** What the table is known by, in hexadecimal. */
  readonly digest: string;
  /**
   * The set that is shown for a secret, to whoever the scope names, under a key of 32 bytes: labels, or `bigint` where
   * secrets are whole numbers. Tables of blocks need neither scope nor key.
   */
  draw(secret: string | number | bigint, scope?: string | Uint8Array, key?: Uint8Array): Promise<(string | bigint)[]>;
}

/** What to pad a size to: by the text of the .json or .csv that `minleak pad` wrote, or by its rows. `beyond` is the rule for larger sizes. */
export function pad(table: string | { padded: number | string; beyond?: number | string | null }[], size: number): number;

/** Leaves the filler (comments) out of the bytes of server-sent events. */
export function withoutFiller(): TransformStream<Uint8Array, Uint8Array>;
