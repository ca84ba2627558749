/** Results that are kept with an object, usually what a decoder knows of one stop, and that die with it. */

/** Calls `make` once for each owner. */
export function once<Owner extends object, T>(make: (owner: Owner) => T): (owner: Owner) => T {
  const results = new WeakMap<Owner, { result: T }>();
  return (owner) => {
    let known = results.get(owner);
    if (known === undefined) results.set(owner, (known = { result: make(owner) }));
    return known.result;
  };
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
  const results = new Map<Key, { result: T }>();
  return (key) => {
    let known = results.get(key);
    if (known === undefined) results.set(key, (known = { result: make(key) }));
    return known.result;
  };
}
