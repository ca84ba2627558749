/** Strongly connected parts of a directed graph. */

/** A list of nodes that edges lead to stands for a node between: where many lead to the same nodes, each edge is counted once. */
type Place = number | readonly number[];

interface Visit {
  place: Place;
  others: Iterator<Place>;
}

/**
 * Those that nothing leads out of, each with its nodes ascending. `next`: lists of where the edges of a node lead, which may be to others than
 * `nodes`; the same array where it is the same for many. Takes time for each edge once (Tarjan).
 */
export function lastParts(nodes: Iterable<number>, next: (node: number) => readonly (readonly number[])[]): number[][] {
  const all = new Set(nodes);
  const parts: number[][] = [];
  /** In the order in which they were come to. */
  const order = new Map<Place, number>();
  /** The first one in that order which a place leads back to. */
  const first = new Map<Place, number>();
  /** Those whose part is not complete. */
  const open: Place[] = [];
  const isOpen = new Set<Place>();
  /** Those with an edge into a complete part, or to none of these nodes: theirs is not a last one. */
  const leadsOut = new Set<Place>();
  const way: Visit[] = [];
  const comeTo = (place: Place): void => {
    const others: readonly Place[] = typeof place === 'number' ? next(place).filter(({ length }) => length > 0) : place;
    order.set(place, order.size);
    first.set(place, order.get(place)!);
    open.push(place);
    isOpen.add(place);
    way.push({ place, others: others.values() });
  };
  const leadsBackTo = (place: Place, earlier: number): void => {
    first.set(place, Math.min(first.get(place)!, earlier));
  };
  for (const start of all) {
    if (!order.has(start)) comeTo(start);
    for (let visit = way.at(-1); visit !== undefined; visit = way.at(-1)) {
      const { place, others } = visit;
      const following = others.next();
      if (following.done !== true) {
        const other = following.value;
        if (typeof other === 'number' && !all.has(other)) leadsOut.add(place);
        else if (!order.has(other)) comeTo(other);
        else if (isOpen.has(other)) leadsBackTo(place, order.get(other)!);
        else leadsOut.add(place);
        continue;
      }
      way.pop();
      const from = way.at(-1)?.place;
      if (first.get(place) === order.get(place)) {
        const part = open.splice(open.lastIndexOf(place));
        for (const each of part) isOpen.delete(each);
        const own = part.filter((each) => typeof each === 'number');
        if (!part.some((each) => leadsOut.has(each))) parts.push(own.sort((a, b) => a - b));
        if (from !== undefined) leadsOut.add(from);
      } else if (from !== undefined) leadsBackTo(from, first.get(place)!);
    }
  }
  return parts;
}

/** What is in any of the lists, of which many may be the same array. */
export function unionOf(lists: Iterable<readonly number[]>): Set<number> {
  const all = new Set<number>();
  for (const list of new Set(lists)) for (const each of list) all.add(each);
  return all;
}
