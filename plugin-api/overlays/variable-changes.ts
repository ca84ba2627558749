/** Asking the collector's thread to start, stop, reset or write a variable: what to write into its region, and its answer. */
import type { ProcessImage } from '../image';
import type { Integer } from '../mpi/records';
import { CorruptError, QueryError } from '../result';
import { pvarClasses } from './mpi-t-words';
import type { VariableAction, VariableChange, VariableChangeAnswer } from './records';
import { Region, regionStates, type Texts } from './region';
import { elementOf, valueKinds, type ValueKind } from './values';

/** In the order of region.h. */
const actions: readonly VariableAction[] = ['start', 'stop', 'reset', 'readreset', 'write'];
const writeCvar = 5;
const allInstances = 0xffff_ffff;
const states = { idle: 0, asked: 1, done: 2 } as const;
const maxValues = 64;
/** Where the request's values begin. */
const head = 24;

/** To be written one after the other, each at once. */
export interface Write {
  address: bigint;
  bytes: Uint8Array;
}

interface Subject {
  /** In the table of instances or of control variables. */
  index: number;
  kind: ValueKind;
}

/** What makes the collector do this. Throws QueryError where it cannot be asked, with the reason. */
export async function writesFor(image: ProcessImage, change: VariableChange): Promise<Write[]> {
  const region = await Region.open(image);
  if (region.header.state !== regionStates.collecting)
    throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'the collector does not run: MPI is not initialised, or finalised');
  const address = region.addressOf('requests', 0);
  const request = await region.entries('requests', 0, 1);
  if (request.getUint32(0, true) === states.asked)
    throw new QueryError('MPIDBG_ERR_UNAVAILABLE', 'the collector is still busy with an earlier request');
  const subject = await subjectOf(region, await region.texts(), change);
  const values =
    change.action === 'write' ? valuesOf(change.value, subject.kind) : { count: 0, bytes: new Uint8Array() };
  const body = new Uint8Array(head - 4 + values.bytes.length);
  const view = new DataView(body.buffer);
  view.setUint32(0, change.kind === 'cvar' ? writeCvar : actions.indexOf(change.action), true);
  view.setUint32(4, subject.index, true);
  view.setUint32(8, values.count, true);
  body.set(values.bytes, head - 4);
  return [
    { address: address + 4n, bytes: body },
    { address, bytes: new Uint8Array([states.asked, 0, 0, 0]) },
  ];
}

/** Undefined: it has not been done yet. Rejects with QueryError. */
export async function answerTo(image: ProcessImage, change: VariableChange): Promise<VariableChangeAnswer | undefined> {
  const region = await Region.open(image);
  const request = await region.entries('requests', 0, 1);
  if (request.getUint32(0, true) !== states.done) return undefined;
  const texts = await region.texts();
  const error = texts.at(request.getUint32(16, true));
  if (error !== '') return { done: false, error };
  return { done: true, ...(change.name === '*' ? {} : await valuesAfter(region, texts, change)) };
}

async function valuesAfter(region: Region, texts: Texts, change: VariableChange): Promise<{ values?: Integer[] }> {
  const { index, kind } = await subjectOf(region, texts, change);
  if (kind === 'text') return {};
  const table = change.kind === 'cvar' ? 'cvars' : 'instances';
  const entry = await region.entries(table, index, 1);
  const count = entry.getUint32(change.kind === 'cvar' ? 20 : 16, true);
  const first = entry.getUint32(change.kind === 'cvar' ? 24 : 20, true);
  const slot = change.kind === 'cvar' ? 0 : Number(entry.getBigUint64(24, true) % 2n) * count;
  if (count > region.count('values'))
    throw new CorruptError('the region of the collector is damaged: a variable is too long');
  const bits = await region.entries('values', first + slot, count);
  return {
    values: Array.from({ length: count }, (_, i) =>
      elementOf(new DataView(bits.buffer, bits.byteOffset + 8 * i, 8), kind),
    ),
  };
}

async function subjectOf(region: Region, texts: Texts, change: VariableChange): Promise<Subject> {
  const { kind, name, action, object } = change;
  if (kind === 'cvar') {
    if (action !== 'write') throw refused('a control variable can only be written');
    return cvarOf(region, texts, name);
  }
  if (name === '*') {
    if (action === 'write' || action === 'readreset') throw refused(`${action} is for one variable, not for all`);
    return { index: allInstances, kind: 'unknown' };
  }
  const { index, kind: valueKind } = await pvarOf(region, texts, change);
  const instances = await region.table('instances');
  const own = Array.from({ length: instances.count }, (_, i) => i).filter(
    (i) => instances.at(i).getUint32(0, true) === index,
  );
  const ofObject = own.filter((i) => object === undefined || instances.at(i).getBigUint64(8, true) === BigInt(object));
  const [found, ...others] = ofObject;
  if (found === undefined)
    throw refused(own.length === 0 ? `${name} is not in use` : `${name} is not bound to ${object ?? 'it'}`);
  if (others.length > 0)
    throw refused(`${name} is bound to ${ofObject.length} objects: name the handle of one as "object"`);
  return { index: found, kind: valueKind };
}

async function pvarOf(
  region: Region,
  texts: Texts,
  change: VariableChange,
): Promise<{ index: number; kind: ValueKind }> {
  const table = await region.table('pvars');
  for (let index = 0; index < table.count; index++) {
    const bytes = table.at(index);
    if (texts.at(bytes.getUint32(0, true)) !== change.name) continue;
    if (change.class !== undefined && pvarClasses[bytes.getUint8(16)] !== change.class) continue;
    if (bytes.getUint8(21) === 2) throw refused(await reasonOf(region, texts, change.name));
    return { index, kind: valueKinds[bytes.getUint8(20)] ?? 'unknown' };
  }
  throw refused(`there is no performance variable ${change.name}`);
}

async function reasonOf(region: Region, texts: Texts, name: string): Promise<string> {
  const denied = await region.table('denied');
  for (let i = 0; i < denied.count; i++)
    if (texts.at(denied.at(i).getUint32(0, true)) === name)
      return `denied: ${texts.at(denied.at(i).getUint32(4, true))}`;
  return 'denied';
}

async function cvarOf(region: Region, texts: Texts, name: string): Promise<Subject> {
  const table = await region.table('cvars');
  for (let index = 0; index < table.count; index++) {
    const bytes = table.at(index);
    if (texts.at(bytes.getUint32(0, true)) === name)
      return { index, kind: valueKinds[bytes.getUint8(19)] ?? 'unknown' };
  }
  throw refused(`there is no control variable ${name}`);
}

function valuesOf(value: VariableChange['value'], kind: ValueKind): { count: number; bytes: Uint8Array } {
  if (value === undefined || (typeof value === 'string') !== (kind === 'text'))
    throw refused(kind === 'text' ? '"value" is to be a text' : '"value" is to be a list of numbers');
  if (typeof value === 'string') {
    const bytes = new TextEncoder().encode(`${value}\0`);
    if (bytes.length > 8 * maxValues) throw refused('the text is too long');
    return { count: bytes.length, bytes };
  }
  if (value.length > maxValues) throw refused(`at most ${maxValues} values can be written`);
  const bytes = new Uint8Array(8 * value.length);
  const view = new DataView(bytes.buffer);
  value.forEach((each, i) => {
    if (kind === 'real') return view.setFloat64(8 * i, Number(each), true);
    if (!/^-?\d+$/.test(String(each))) throw refused(`${each} is not a whole number`);
    view.setBigUint64(8 * i, BigInt.asUintN(64, BigInt(each)), true);
  });
  return { count: value.length, bytes };
}

function refused(reason: string): QueryError {
  return new QueryError('MPIDBG_ERR_UNAVAILABLE', reason);
}
