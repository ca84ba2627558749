/** Sets a breakpoint in one gdb, where it covers every rank of that gdb. */
import type { Gdb } from '../gdb/gdb';
import { breakAtAddress, breakCondition, breakInsert, breakWatch, catchException } from '../gdb/mi/breakpoint-commands';
import type { GdbThread } from '../gdb/mi/context';
import { GdbError } from '../gdb/mi/mi-connection';
import { codeOf, ruleCondition } from '../gdb/python/stop-script';
import { pointerTo, typeOfBytes } from '../gdb/value-type';
import type { Breakpoint } from './breakpoint';
import type { WatchedBits } from './breakpoint-request';
import { inferiorOf } from './breakpoint-rules';
import type { Rank } from './rank';

/** Runs work that gdb cannot do while the rank runs. */
export type WhileHeld = <Result>(rank: Rank, work: () => Promise<Result>) => Promise<Result>;

/** `condition`: as gdb evaluates it. Rejects with GdbError. */
export async function insertIn(
  gdb: Gdb,
  breakpoint: Breakpoint,
  condition: string | undefined,
  whileHeld: WhileHeld,
): Promise<void> {
  const { id, request } = breakpoint;
  const { call } = request;
  if (request.kind !== 'function' || call === undefined || condition === undefined) {
    breakpoint.numbers.set(gdb, [await insertOne(gdb, breakpoint, condition, whileHeld)]);
    return;
  }
  breakpoint.numbers.set(gdb, []);
  for (const [place, name] of call.symbols.entries()) {
    // In the language of Fortran, which knows no case, MPI_Send is also MPI_SEND, another name of mpi_send_.
    const at = { kind: 'function', function: name, language: 'c' } as const;
    const made = await breakInsert(gdb, { ...at, condition: ruleCondition(id, place) });
    breakpoint.numbers.set(gdb, [...(breakpoint.numbers.get(gdb) ?? []), made.number]);
    breakpoint.locate(made);
  }
}

/** Answers gdb's number. */
async function insertOne(
  gdb: Gdb,
  breakpoint: Breakpoint,
  condition: string | undefined,
  whileHeld: WhileHeld,
): Promise<string> {
  const { request } = breakpoint;
  if (request.kind === 'data') {
    const { rank, address, type, access, bits } = request.watched;
    const place = `0x${address.toString(16)}`;
    const memory = bits === undefined ? `*(${pointerTo(type)})${place}` : valueOfBits(place, bits);
    const number = await whileHeld(rank, async () => breakWatch(firstThread(rank), memory, access));
    breakpoint.verified = true;
    if (condition !== undefined) await breakCondition(gdb, number, condition);
    return number;
  }
  if (request.kind === 'exception') {
    const { number } = await catchException(gdb, request.event, request.type);
    breakpoint.verified = true;
    if (condition !== undefined) await breakCondition(gdb, number, condition);
    return number;
  }
  const made =
    request.kind === 'instruction'
      ? await breakAtAddress(
          firstThread(request.rank),
          codeOf(inferiorOf(request.rank), request.instruction),
          condition,
        )
      : await breakInsert(gdb, { ...request, condition });
  breakpoint.locate(made);
  return made.number;
}

/** gdb compares the value of what it watches, so other bits of the same bytes may change. */
function valueOfBits(place: string, { bytes, first, count, isSigned }: WatchedBits): string {
  const word = `(unsigned long) *(unsigned ${typeOfBytes(bytes)} *)${place}`;
  const left = 64 - first - count;
  return `((${isSigned ? '' : 'unsigned '}long)((${word}) << ${left})) >> ${64 - count}`;
}

function firstThread(rank: Rank): GdbThread {
  const [thread] = rank.threads;
  if (thread === undefined) throw new GdbError(`${rank.label} has ended`, '');
  return thread;
}
