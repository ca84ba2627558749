/** Strongly connected parts of a directed graph. */

/** Those that nothing leads out of, each with its nodes ascending. `next`: where the edges of a node lead. */
export function lastParts(nodes: Iterable<number>, next: (node: number) => Iterable<number>): number[][] {
  const all = [...nodes];
  const reached = new Map(all.map((node) => [node, reachableFrom(node, next)]));
  const parts = new Map<number, number[]>();
  for (const node of all) {
    const others = [...reached.get(node)!];
    // Whoever can be reached leads back.
    if (!others.every((other) => other === node || reached.get(other)?.has(node) === true)) continue;
    const part = [...new Set([node, ...others])].sort((a, b) => a - b);
    parts.set(part[0]!, part);
  }
  return [...parts.values()];
}

function reachableFrom(start: number, next: (node: number) => Iterable<number>): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const other of next(node))
      if (!found.has(other)) {
        found.add(other);
        open.push(other);
      }
  return found;
}
