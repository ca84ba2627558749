/** What commands print as JSON: nothing of it is trusted to be there. */

export type Fields = Readonly<Record<string, unknown>>;

/** {} where it is none. */
export function printedFields(printed: string): Fields {
  try {
    return fields(JSON.parse(printed));
  } catch {
    return {};
  }
}

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** undefined: it is not there, or is empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
