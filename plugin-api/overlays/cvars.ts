/** The control variables of a region. */
import type { Integer } from '../mpi/records';
import type { Enumerations } from './enumerations';
import { binds, scopes, verbosities, wordOf } from './mpi-t-words';
import type { Cvar } from './records';
import { Parts, type Region, type Texts } from './region';
import { elementOf, valueKinds } from './values';

/** Those with such a name. */
export async function readCvars(
  region: Region,
  texts: Texts,
  enumerations: Enumerations,
  isWanted: (name: string) => boolean,
): Promise<Cvar[]> {
  const [table, values] = [await region.table('cvars'), new Parts(await region.table('values'), 'values')];
  return Array.from({ length: table.count }, (_, i) => table.at(i))
    .filter((bytes) => isWanted(nameOf(bytes, texts)))
    .map((bytes) => cvarOf(bytes, values, texts, enumerations));
}

/** Of all, in the region's order. */
export async function readCvarNames(region: Region, texts: Texts): Promise<{ name: string }[]> {
  const table = await region.table('cvars');
  return Array.from({ length: table.count }, (_, i) => ({ name: nameOf(table.at(i), texts) }));
}

function nameOf(bytes: DataView, texts: Texts): string {
  return texts.at(bytes.getUint32(0, true));
}

function cvarOf(bytes: DataView, values: Parts, texts: Texts, enumerations: Enumerations): Cvar {
  const enumeration = enumerations.at(bytes.getUint32(12, true));
  const refusal = texts.at(bytes.getUint32(28, true));
  return {
    name: nameOf(bytes, texts),
    datatype: texts.at(bytes.getUint32(4, true)),
    bind: wordOf(binds, bytes.getUint8(17), 'what a variable is bound to'),
    verbosity: wordOf(verbosities, bytes.getUint8(18), 'the verbosity of a variable'),
    description: texts.at(bytes.getUint32(8, true)),
    scope: wordOf(scopes, bytes.getUint8(16), 'the scope of a variable'),
    ...(enumeration === undefined ? {} : { enumeration }),
    value: refusal === '' ? valueOf(bytes, values, texts) : { code: 'MPIDBG_ERR_UNAVAILABLE', reason: refusal },
  };
}

function valueOf(bytes: DataView, values: Parts, texts: Texts): Integer[] | string {
  const kind = wordOf(valueKinds, bytes.getUint8(19), 'the kind of a value');
  const [count, first] = [bytes.getUint32(20, true), bytes.getUint32(24, true)];
  if (kind === 'text') return texts.at(first);
  return values.take(first, count).map((bits) => elementOf(bits, kind));
}
