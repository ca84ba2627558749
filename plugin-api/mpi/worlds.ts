/**
 * The MPI_COMM_WORLDs of a job: a rank is (world, number). "0" is the launcher's own world, "0.1" the first that a rank of it
 * spawned, "1" that of another launcher below the same shell.
 */

/** A rank number without a world is of this one. */
export const ownWorld = '0';

/** What tells worlds apart, as the launcher names them. */
export interface WorldOrigin {
  key: string;
  /** The world whose rank spawned this one. */
  parent: string | undefined;
}

/** Gives worlds their names, which stay the same while more of them appear. */
export class WorldNames {
  private readonly names = new Map<string, string>();
  private readonly spawned = new Map<string, number>();
  private roots = 0;

  /** Launchers come in the order in which they are first named, what one world spawned by its launcher's numbers. */
  add(origins: readonly (WorldOrigin | undefined)[]): (string | undefined)[] {
    const known = new Map(origins.flatMap((origin) => (origin === undefined ? [] : [[origin.key, origin] as const])));
    const byNumber = [...known.values()].sort((a, b) => {
      if (a.parent === undefined || b.parent === undefined)
        return Number(b.parent === undefined) - Number(a.parent === undefined);
      return a.key.localeCompare(b.key, 'en', { numeric: true });
    });
    for (const { key } of byNumber) this.nameOf(key, known);
    return origins.map((origin) => origin && this.names.get(origin.key));
  }

  private nameOf(key: string, known: ReadonlyMap<string, WorldOrigin>): string {
    const name = this.names.get(key);
    if (name !== undefined) return name;
    const parent = known.get(key)?.parent;
    const made =
      parent === undefined || parent === key ? String(this.roots++) : this.nextBelow(this.nameOf(parent, known));
    this.names.set(key, made);
    return made;
  }

  private nextBelow(parent: string): string {
    const count = (this.spawned.get(parent) ?? 0) + 1;
    this.spawned.set(parent, count);
    return `${parent}.${count}`;
  }
}

/** "0" before "0.1" before "0.10" before "1"; unknown ones last. */
export function compareWorlds(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Ranks of the launcher's own world go by their numbers alone, "0-3", those of others are "0.1:0-3". */
export function inWorld(world: string | undefined, ranks: string): string {
  return world === undefined || world === ownWorld ? ranks : `${world}:${ranks}`;
}
