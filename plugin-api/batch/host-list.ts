/** Lists of hosts as several batch systems write them: "node[1-3,7],login". */

/** More than any machine has: a longer list is none. */
const maxHosts = 100_000;

/** Each once, without blanks around it. */
export function distinctHosts(hosts: readonly string[]): string[] {
  return [...new Set(hosts.map((host) => host.trim()).filter((host) => host !== ''))];
}

/** Each once; [] where the text is no such list. */
export function hostsIn(list: string): string[] {
  const parts = list.match(/(?:[^,[\]]|\[[^[\]]*\])+/g) ?? [];
  const found = new Set<string>();
  for (const part of parts) {
    for (const host of expanded(part)) {
      if (found.size >= maxHosts) return [];
      found.add(host);
    }
  }
  return [...found];
}

function* expanded(part: string): Generator<string> {
  const [, before, ranges, after] = /^([^[\]]*)\[([\d,-]+)\](.*)$/.exec(part) ?? [];
  if (ranges === undefined) {
    if (!/[[\]]/.test(part)) yield part;
    return;
  }
  for (const range of ranges.split(',')) {
    const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? [];
    if (first === undefined) continue;
    for (let number = Number(first); number <= Number(last); number++) {
      yield* expanded(`${before}${String(number).padStart(first.length, '0')}${after}`);
    }
  }
}
