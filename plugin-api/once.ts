/** Results kept with an object, usually what a decoder knows at one stop, and dropped with it. */

/** Calls `make` once for each owner. */
export function once<Owner extends object, T>(make: (owner: Owner) => T): (owner: Owner) => T {
  const results = new WeakMap<Owner, T>();
  return (owner) => keptIn(results, owner, make);
}

/** Calls `make` once for each owner and key. */
export function onceByKey<Owner extends object, Key, T>(
  make: (owner: Owner, key: Key) => T,
): (owner: Owner, key: Key) => T {
  const ofOwner = once((owner: Owner) => onceFor((key: Key) => make(owner, key)));
  return (owner, key) => ofOwner(owner)(key);
}

/** Calls `make` once for each key. */
export function onceFor<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const results = new Map<Key, T>();
  return (key) => keptIn(results, key, make);
}

interface Results<Key, T> {
  get(key: Key): T | undefined;
  has(key: Key): boolean;
  set(key: Key, result: T): unknown;
}

/** Most results are promises of structs, of which there may be a million: nothing is put around them. */
function keptIn<Key, T>(results: Results<Key, T>, key: Key, make: (key: Key) => T): T {
  const known = results.get(key);
  if (known !== undefined || results.has(key)) return known as T;
  const result = make(key);
  results.set(key, result);
  return result;
}
