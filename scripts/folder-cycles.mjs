// Cycles between folders: two folders that need each other are one folder, or miss a third.
import { posix } from 'node:path';

/** The entry of a part: it imports from the whole part, and belongs to no folder. */
const isEntry = (file) => /^(plugin-api\/index|adapter\/(main|cli)|extension\/main)\.ts$/.test(file);

/**
 * @param {{ source: string, dependencies: { resolved: string }[] }[]} modules as dependency-cruiser reports them.
 * @returns {string[]} a line for each cycle, the shortest through its first folder: `a → b → a (x.ts → y.ts, y.ts →
 * x.ts)`.
 */
export function folderCycles(modules) {
  const arrows = new Map();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of isEntry(source) ? [] : dependencies) {
      const [from, to] = [posix.dirname(source), posix.dirname(resolved)];
      if (from === to || isEntry(resolved)) continue;
      if (!arrows.has(from)) arrows.set(from, new Map());
      const imports = arrows.get(from);
      if (!imports.has(to)) imports.set(to, `${source} → ${resolved}`);
    }
  }
  const told = new Set();
  const cycles = [];
  for (const folder of [...arrows.keys()].sort()) {
    const cycle = told.has(folder) ? undefined : wayBack(arrows, folder);
    if (cycle === undefined) continue;
    for (const each of cycle) told.add(each);
    const steps = cycle.slice(1).map((to, i) => arrows.get(cycle[i]).get(to));
    cycles.push(`${cycle.join(' → ')} (${steps.join(', ')})`);
  }
  return cycles;
}

/** The shortest way along the arrows from a folder to itself; undefined: there is none. */
function wayBack(arrows, start) {
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const next of arrows.get(way.at(-1))?.keys() ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}
