/** Where the programs of a job begin: main, or the main program of Fortran, which gfortran's main only calls. */
import type { Gdb } from '../gdb/gdb';
import { breakInsert } from '../gdb/mi/breakpoint-commands';
import { GdbError } from '../gdb/mi/mi-connection';
import type { Rank } from './rank';

export class EntryBreakpoints {
  private readonly numbers = new Map<Gdb, ReadonlySet<string>>();

  /** From now on every rank stops that begins its program. */
  async insert(gdbs: readonly Gdb[], ranks: readonly Rank[]): Promise<void> {
    await Promise.all(
      gdbs.map(async (gdb) => {
        const all = ranks.filter((rank) => rank.gdb === gdb).map(({ threadGroup }) => threadGroup);
        this.numbers.set(gdb, new Set(await insertFor(gdb, all)));
      }),
    );
  }

  /** `number`: gdb's. */
  has(gdb: Gdb, number: string): boolean {
    return this.numbers.get(gdb)?.has(number) ?? false;
  }
}

/** A gdb holds ranks of several programs (MPMD): some may have the one, some the other. */
async function insertFor(gdb: Gdb, all: readonly string[]): Promise<string[]> {
  const fortran = await insertAt(gdb, 'MAIN__');
  const others = all.filter((group) => !fortran?.threadGroups.includes(group));
  const c = others.length === 0 ? undefined : await insertAt(gdb, 'main', fortran && onlyIn(others));
  return [fortran, c].flatMap((made) => made?.number ?? []);
}

async function insertAt(gdb: Gdb, name: string, condition?: string) {
  try {
    return await breakInsert(gdb, { kind: 'function', function: name, condition }, 'now');
  } catch (error) {
    // None of the programs has it.
    if (!(error instanceof GdbError)) throw error;
    return undefined;
  }
}

/** gdb reads it in the language of whatever it looks at: C and Fortran have no word for "or" in common. */
function onlyIn(threadGroups: readonly string[]): string {
  return `${threadGroups.map((group) => `($_inferior - ${group.replace('i', '')})`).join(' * ')} == 0`;
}
