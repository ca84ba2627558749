/** The categories of a region: a tree, by names. */
import { CorruptError } from '../result';
import type { Category, Cvar, EventType, Pvar } from './records';
import { Parts, type Region, type Texts } from './region';

export interface Members {
  pvars?: readonly Pick<Pvar, 'name' | 'class'>[];
  cvars?: readonly Pick<Cvar, 'name'>[];
  eventTypes?: readonly Pick<EventType, 'name'>[];
}

/** `pvars`, `cvars` and `eventTypes`: all of the region, in its order; undefined: they were not read, and are left out. */
export async function readCategories(
  region: Region,
  texts: Texts,
  { pvars, cvars, eventTypes }: Members,
): Promise<Category[]> {
  const [table, members] = [await region.table('categories'), new Parts(await region.table('members'), 'members')];
  const names = Array.from({ length: table.count }, (_, i) => texts.at(table.at(i).getUint32(0, true)));
  return names.map((name, i) => {
    const bytes = table.at(i);
    const first = bytes.getUint32(8, true);
    const [ofPvars, ofCvars, ofCategories, invalid, ofEvents] = [12, 16, 20, 24, 28].map((at) =>
      bytes.getUint32(at, true),
    ) as [number, number, number, number, number];
    const firstCvar = first + ofPvars;
    const firstCategory = firstCvar + ofCvars;
    return {
      name,
      description: texts.at(bytes.getUint32(4, true)),
      pvars: listed(members, first, ofPvars, pvars).map(({ name, class: itsClass }) => ({ name, class: itsClass })),
      cvars: listed(members, firstCvar, ofCvars, cvars).map((cvar) => cvar.name),
      categories: listed(members, firstCategory, ofCategories, names),
      events: listed(members, firstCategory + ofCategories, ofEvents, eventTypes).map((type) => type.name),
      ...(invalid === 0 ? {} : { invalid }),
    };
  });
}

function listed<T>(members: Parts, first: number, count: number, all: readonly T[] | undefined): T[] {
  if (all === undefined) return [];
  return members.take(first, count).map((bytes) => {
    const member = all[bytes.getUint32(0, true)];
    if (member === undefined) throw new CorruptError('the region of the collector is damaged: a member is nothing');
    return member;
  });
}
