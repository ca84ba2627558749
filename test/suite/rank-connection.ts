/** One rank under the preloaded library (preload/stops.h), over its socket. */
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { loadTruth, type TruthRecord } from '../support/truth';

/** A handle that the program has, or had. */
export interface ProgramHandle {
  kind: HandleKind;
  handle: string;
  isLive: boolean;
  /** A call handed it out; else it was only passed to one. */
  isGot: boolean;
  order: number;
  /** MPI_Comm_idup has handed it out, and has not ended. */
  isUnfinished?: true;
  /** What made a request. */
  call?: string;
}

export interface Stop {
  rank: number;
  pid: number;
  /** The call that the rank is about to make. */
  call: string;
  /** Which of its calls that is. */
  number: number;
  /** How many other threads are inside MPI meanwhile. */
  threadsInside: number;
  handles: ProgramHandle[];
  /** Lets the rank ask MPI about all that is live. */
  ask: () => Promise<TruthRecord[]>;
}

export interface Listener {
  /** At which of its calls this rank is to stop. */
  stops: (rank: number) => number[];
  /** The rank is held until this is done. */
  stopped: (stop: Stop) => Promise<void>;
  /** Whether to look inside the call that comes after this stop, should it wait there. */
  isToWatch: (stop: Stop) => boolean;
  /** It waits there, or did: it is not held. `hasLeft` tells, once the rank is. */
  waiting: (stop: Stop, hasLeft: () => boolean) => Promise<void>;
  /** The rank has made so many calls and is in MPI_Finalize. */
  ended: (rank: number, calls: number) => void;
}

/** A rank that has not left a call for so long is looked at. */
const waitMs = 100;

/** Serves a rank until it ends. */
export async function serveRank(socket: Socket, listener: Listener): Promise<void> {
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  let who: { rank: number; pid: number } | undefined;
  for (;;) {
    const { value: line, done } = (await lines.next()) as IteratorResult<string, undefined>;
    if (done) return;
    const [, word = '', rest = ''] = /^(\S+) ?(.*)$/s.exec(line) ?? [];
    if (word === 'HELLO') {
      who = JSON.parse(rest) as { rank: number; pid: number };
      socket.write(`STOPS ${listener.stops(who.rank).join(' ')}\n`);
    } else if (word === 'STOP' && who !== undefined) {
      const handles = (await linesUntil(lines, 'HELD')).map(
        (text) => JSON.parse(text.slice('HANDLE '.length)) as ProgramHandle,
      );
      const ask = async (): Promise<TruthRecord[]> => {
        socket.write('ASK\n');
        const told = loadTruth(await linesUntil(lines, 'ASKED'));
        return [...new Map(told.map((record) => [record.expression, record])).values()]; // the last of each
      };
      const stop = { ...(JSON.parse(rest) as Stop), ...who, handles, ask };
      await listener.stopped(stop);
      if (listener.isToWatch(stop)) await watchCall(socket, lines, stop, listener);
      else socket.write('GO\n');
    } else if (word === 'CALLS' && who !== undefined) {
      listener.ended(who.rank, Number(rest));
    }
  }
}

/** Until the rank has left the call that it was held before. */
async function watchCall(socket: Socket, lines: AsyncIterator<string>, stop: Stop, listener: Listener): Promise<void> {
  socket.write('GO AND TELL\n');
  let hasLeft = false;
  const left = linesUntil(lines, 'LEFT').then(() => (hasLeft = true));
  await Promise.race([left, pause(waitMs)]);
  await Promise.all([left, hasLeft ? undefined : listener.waiting(stop, () => hasLeft)]);
}

async function linesUntil(lines: AsyncIterator<string>, last: string): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const { value: line, done } = (await lines.next()) as IteratorResult<string, undefined>;
    if (done) throw new Error(`the rank ended before it said ${last}`);
    if (line === last) return found;
    found.push(line);
  }
}
