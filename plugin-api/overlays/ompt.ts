/** What the OpenMP runtime has told the collector of a rank. */
import type { ProcessImage } from '../image';
import { CorruptError, QueryError } from '../result';
import { readDevices } from './ompt-devices';
import { callbackName, callbackNames, fieldsOf } from './ompt-fields';
import type { Ompt, OmptRecord } from './ompt-records';
import { readOmptThreads } from './ompt-threads';
import { endpoints, setAnswers } from './ompt-words';
import { collectBits, type Region, type Texts } from './region';
import { lastRecords, recordKinds, type RingRecord, type RingTail } from './rings';
import { integer, secondsSince } from './values';

/** Which records: the last ones, or what is new since the last look through the tail. */
export interface OmptChoice {
  last: number;
  tail?: RingTail;
  isWanted: (name: string) => boolean;
}

/** The values of enum openmp_state in region.h. */
const states = { expected: 0, otherTool: 1, started: 2, ended: 3 };
/** kmp_mutex_impl_t of LLVM, whose first word says nothing. */
const llvmImpls = [undefined, 'spin', 'queuing', 'speculative'];

/** Throws FaultError, CorruptError, and QueryError where there is no runtime that tells. */
export async function readOmpt(image: ProcessImage, region: Region, texts: Texts, choice: OmptChoice): Promise<Ompt> {
  if ((region.header.collects & collectBits.ompt) === 0)
    throw unavailable('OpenMP is not collected: start the job with --collect ompt');
  const openmp = (await region.table('openmp')).at(0);
  const state = openmp.getUint32(0, true);
  if (state === states.otherTool)
    throw unavailable(
      `another OMPT tool is already loaded (${texts.at(openmp.getUint32(12, true))}), so mpidbg collects nothing`,
    );
  if (state !== states.started && state !== states.ended) throw unavailable(await whyNone(image));
  const runtime = texts.at(openmp.getUint32(8, true));
  const isTold = (record: RingRecord): boolean => record.kind === recordKinds.ompt && choice.isWanted(nameOf(record));
  const isRecord = (record: RingRecord): boolean => isTold(record) || record.kind === recordKinds.device;
  const all =
    choice.tail === undefined
      ? [...(await lastRecords(region, choice.last, isTold)), ...(await lastTraced(region, choice.last))]
      : (await choice.tail.next(region)).filter(isRecord);
  return {
    runtime,
    callbacks: await readCallbacks(region),
    threads: await readOmptThreads(region, runtime.startsWith('LLVM') ? llvmImpls : []),
    records: all.filter(isTold).map((record) => recordOf(record, region, texts)),
    devices: await readDevices(
      region,
      texts,
      all.filter(({ kind }) => kind === recordKinds.device),
    ),
  };
}

function lastTraced(region: Region, last: number): Promise<RingRecord[]> {
  return lastRecords(region, last, ({ kind }) => kind === recordKinds.device);
}

function unavailable(reason: string): QueryError {
  return new QueryError('MPIDBG_ERR_UNAVAILABLE', reason);
}

/** GCC's runtime has no OMPT. */
async function whyNone(image: ProcessImage): Promise<string> {
  const modules = await image.modules();
  const has = (name: RegExp): boolean => modules.some(({ path }) => name.test(path));
  if (has(/\/lib(omp|iomp5)[^/]*\.so[^/]*$/))
    return 'the OpenMP runtime has not begun, OMP_TOOL is disabled, or the program has an OMPT tool of its own';
  if (has(/\/libgomp[^/]*\.so[^/]*$/))
    return "GCC's OpenMP runtime, libgomp, has no OMPT: start the job with LLVM's in its place: mpidbg run --libomp libomp.so.5";
  return 'the program has no OpenMP runtime';
}

/** In struct omp_thread_entry of region.h: what each thread has counted. */
const calledAt = 1176;

async function readCallbacks(region: Region): Promise<Ompt['callbacks']> {
  const table = await region.table('callbacks');
  const threads = await region.table('ompThreads');
  return callbackNames.map(([number, name]) => {
    const bytes = table.at(number);
    let called = bytes.getBigUint64(8, true);
    for (let i = 0; i < threads.count; i++) called += threads.at(i).getBigUint64(calledAt + 8 * number, true);
    return { name, set: setAnswers[bytes.getUint32(0, true)] ?? 'error', called: integer(called) };
  });
}

/** In the lower bits its number, above OMPT_ENDPOINT its endpoint. */
function numberOf({ what }: RingRecord): number {
  return what & 0xff;
}

function nameOf(record: RingRecord): string {
  const name = callbackName(numberOf(record));
  if (name === undefined)
    throw new CorruptError('the region of the collector is damaged: a record is of no callback that there is');
  return name;
}

function recordOf(record: RingRecord, region: Region, texts: Texts): OmptRecord {
  const number = record.what >> 8;
  const endpoint = endpoints[number];
  const fields = fieldsOf(numberOf(record), record.words, texts, number);
  const code = fields.codeptr_ra;
  return {
    type: nameOf(record),
    ...(endpoint === undefined ? {} : { endpoint }),
    time: secondsSince(region.header.start, record.time),
    thread: record.thread,
    fields,
    ...(typeof code === 'string' ? { code: { address: code } } : {}),
  };
}
