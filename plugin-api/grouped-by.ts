/** The items by their key, those of one key in their order: what many objects ask for is looked up, not searched. */
export function groupedBy<T, Key>(items: Iterable<T>, keyOf: (item: T) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
