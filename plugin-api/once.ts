/** Results that are kept with an object, usually what a decoder knows of one stop, and that die with it. */

/** Calls `make` once for each owner. */
export function once<Owner extends object, T>(make: (owner: Owner) => T): (owner: Owner) => T {
  const ofKey = onceByKey((owner: Owner, _key: undefined) => make(owner));
  return (owner) => ofKey(owner, undefined);
}

/** Calls `make` once for each owner and key. */
export function onceByKey<Owner extends object, Key, T>(
  make: (owner: Owner, key: Key) => T,
): (owner: Owner, key: Key) => T {
  const results = new WeakMap<Owner, Map<Key, T>>();
  return (owner, key) => {
    const known = results.get(owner) ?? new Map<Key, T>();
    results.set(owner, known);
    if (!known.has(key)) known.set(key, make(owner, key));
    return known.get(key) as T;
  };
}
