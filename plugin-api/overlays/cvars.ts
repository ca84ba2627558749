/** The control variables of a region. */
import type { Integer } from '../mpi/records';
import { unavailable } from '../result';
import type { Enumerations } from './enumerations';
import { binds, scopes, verbosities, wordOf } from './mpi-t-words';
import type { Cvar } from './records';
import { Parts, spanOf, type Region, type Texts } from './region';
import { elementOf, valueKinds, type ValueKind } from './values';

/** What does not change of one: all but its value. */
export interface DescribedCvar {
  index: number;
  kind: ValueKind;
  cvar: Omit<Cvar, 'value'>;
}

/** Those with such a name. Throws FaultError and CorruptError. */
export async function describeCvars(
  region: Region,
  texts: Texts,
  enumerations: Enumerations,
  isWanted: (name: string) => boolean,
): Promise<DescribedCvar[]> {
  const table = await region.table('cvars');
  const all = Array.from({ length: table.count }, (_, index) => index);
  return all
    .filter((index) => isWanted(texts.at(table.uint32(index, 0))))
    .map((index) => ({ index, ...described(table.at(index), texts, enumerations) }));
}

/** With their values. Throws FaultError and CorruptError. */
export async function readCvars(region: Region, texts: Texts, wanted: readonly DescribedCvar[]): Promise<Cvar[]> {
  const table = await region.table('cvars', spanOf(wanted.map(({ index }) => ({ first: index, count: 1 }))));
  const now = wanted.map((each) => ({ ...each, bytes: table.at(each.index) }));
  const numbers = now.filter(({ kind }) => kind !== 'text').map(({ bytes }) => placeOfValue(bytes));
  const values = new Parts(await region.table('values', spanOf(numbers)), 'values');
  return now.map(({ bytes, kind, cvar }) => {
    const refusal = texts.at(bytes.getUint32(28, true));
    const value = refusal === '' ? valueOf(bytes, kind, values, texts) : unavailable('MPIDBG_ERR_UNAVAILABLE', refusal);
    return { ...cvar, value };
  });
}

/** The names of all, in the region's order. */
export async function readCvarNames(region: Region, texts: Texts): Promise<{ name: string }[]> {
  const table = await region.table('cvars');
  return Array.from({ length: table.count }, (_, i) => ({ name: texts.at(table.uint32(i, 0)) }));
}

function described(bytes: DataView, texts: Texts, enumerations: Enumerations): Omit<DescribedCvar, 'index'> {
  const enumeration = enumerations.at(bytes.getUint32(12, true));
  const cvar = {
    name: texts.at(bytes.getUint32(0, true)),
    datatype: texts.at(bytes.getUint32(4, true)),
    bind: wordOf(binds, bytes.getUint8(17), 'what a variable is bound to'),
    verbosity: wordOf(verbosities, bytes.getUint8(18), 'the verbosity of a variable'),
    description: texts.at(bytes.getUint32(8, true)),
    scope: wordOf(scopes, bytes.getUint8(16), 'the scope of a variable'),
    ...(enumeration === undefined ? {} : { enumeration }),
  };
  return { kind: wordOf(valueKinds, bytes.getUint8(19), 'the kind of a value'), cvar };
}

function valueOf(bytes: DataView, kind: ValueKind, values: Parts, texts: Texts): Integer[] | string {
  const { first, count } = placeOfValue(bytes);
  if (kind === 'text') return texts.at(first);
  return values.take(first, count).map((bits) => elementOf(bits, kind));
}

/** Where the text of the value is among the texts. */
function placeOfValue(bytes: DataView): { first: number; count: number } {
  return { first: bytes.getUint32(24, true), count: bytes.getUint32(20, true) };
}
