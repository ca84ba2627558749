/** Takes the texts that users read out of the manifest: package.json names them `%key%`, package.nls.json has them. */

/** By the name of the property. What is inserted into a launch.json is no text of ours. */
const read = new Set(['title', 'description', 'markdownDescription', 'patternErrorMessage', 'contents', 'label']);
const listsOfRead = new Set(['enumDescriptions', 'markdownEnumDescriptions']);
const left = new Set(['body', 'initialConfigurations', 'default', 'languages']);

interface Localized {
  manifest: Record<string, unknown>;
  /** By key. */
  texts: Record<string, string>;
}

/** Keys tell where the text is: `commands.mpidbg.setFocus.title`; equal texts of one property share the first one's. */
export function localized(manifest: object): Localized {
  const texts: Record<string, string> = {};
  const keys = new Map<string, string>();
  const keyOf = (text: string, path: readonly string[]): string => {
    const known = `${path.at(-1)} ${text}`;
    const key = keys.get(known) ?? path.join('.');
    keys.set(known, key);
    texts[key] = text;
    return `%${key}%`;
  };
  const walk = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown, index) => walk(item, [...path, nameOf(item, index)]));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, part]): [string, unknown] => {
      const below = [...path, name];
      if (left.has(name)) return [name, part];
      const isNameOfView = name === 'name' && path[0] === 'views';
      if (typeof part === 'string') return [name, read.has(name) || isNameOfView ? keyOf(part, below) : part];
      if (!listsOfRead.has(name) || !Array.isArray(part)) return [name, walk(part, below)];
      return [name, part.map((text: string, index) => keyOf(text, [...below, String(index)]))];
    });
    return Object.fromEntries(entries);
  };
  const parts = Object.entries(manifest).map(([name, part]): [string, unknown] => [
    name,
    walk(part, name === 'contributes' ? [] : [name]),
  ]);
  return { manifest: Object.fromEntries(parts), texts };
}

function nameOf(item: unknown, index: number): string {
  if (typeof item !== 'object' || item === null) return String(index);
  const { command, id, type } = item as Record<string, unknown>;
  return [command, id, type].find((name): name is string => typeof name === 'string') ?? String(index);
}
