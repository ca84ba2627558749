/** The messages between the hub and its peers: one line each, "kind name=value name=value", values percent-encoded. */

export interface Message {
  kind: string;
  fields: Readonly<Record<string, string>>;
}

export function formatMessage(kind: string, fields: Readonly<Record<string, string | number>> = {}): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return [kind, ...words].join(' ');
}

/** The kernel's greatest is 2^22. */
export function isPid(text: string | undefined): boolean {
  return /^[1-9]\d{0,6}$/.test(text ?? '');
}

/** Undefined for a line that is not a message. */
export function parseMessage(line: string): Message | undefined {
  const [kind = '', ...words] = line.split(' ');
  if (!/^[a-z]+$/.test(kind)) return undefined;
  const fields: Record<string, string> = {};
  for (const word of words) {
    const match = /^([a-z]+)=([\w./%-]*)$/.exec(word);
    if (match?.[1] === undefined || match[2] === undefined) return undefined;
    try {
      fields[match[1]] = decodeURIComponent(match[2]);
    } catch {
      return undefined;
    }
  }
  return { kind, fields };
}
