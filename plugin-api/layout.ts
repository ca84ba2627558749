/** The offsets of a struct's fields, and their sources in order, by name. */

export type FieldKind = 'integer' | 'pointer' | 'array' | 'struct' | 'union';

export interface FieldLayout {
  /** Bytes from the start of the struct. */
  offset: number;
  /** Bytes; for an inline array the whole array. */
  size: number;
  /**
   * Present while a table is made from debug information; the table itself, which is made only if it fits, lacks it.
   */
  kind?: FieldKind;
}

export interface TypeLayout {
  /** sizeof, in bytes. */
  size: number;
  /** By name; "a.b" for a field of a nested struct. */
  fields: Readonly<Record<string, FieldLayout>>;
}

/** One source of layouts: the debug information of a library, or a shipped table. */
export interface LayoutSource {
  /** As `info` shows it to the user: "DWARF of libmpi.so.40", "table openmpi 4.1.4". */
  readonly name: string;
  find(struct: string, fields: readonly string[]): Promise<TypeLayout | undefined>;
}

/** A shipped table: plugins/<name>/layouts/<version>.json. */
export type LayoutTable = Readonly<Record<string, TypeLayout>>;
