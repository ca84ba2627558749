/** What tool-events.c sees of MPI_T's events itself, against what the collector has recorded of them. */
import assert from 'node:assert/strict';
import type { MpiTEvent, OverlayDocument, RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { runCli } from './run-cli';
import { SampleJob, type Mpi } from './sample-job';

export interface Told {
  rank: number;
  ocean: string;
  types: { name: string; raised: (number[] | null)[] }[];
}

/** Waiting, with the collector in its ranks. `added`: for the collector. */
export async function startToolEvents(mpi: Mpi, added: readonly string[] = []): Promise<SampleJob> {
  const { stdout } = await runCli(['collector']);
  return SampleJob.startWaiting(mpi, 'tool-events', { ranks: 2, through: [...stdout.trim().split(' '), ...added] });
}

/** What tool-events.c has printed. */
export function toldIn(printed: readonly string[]): Told[] {
  const prefix = 'EVENTS ';
  const lines = printed.filter((line) => line.startsWith(prefix));
  return lines.map((line) => JSON.parse(line.slice(prefix.length)) as Told);
}

/** The ranks of what mpidbg prints with these arguments and --json. */
export async function askEvents(args: readonly string[]): Promise<RankOverlay[]> {
  const { stdout, stderr, status } = await runCli(['events', ...args, '--json']);
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as OverlayDocument).ranks.filter((rank): rank is RankOverlay => 'collector' in rank);
}

export function eventsOf({ events }: RankOverlay): MpiTEvent[] {
  assert.ok(events !== undefined && !isUnavailable(events), JSON.stringify(events));
  return events;
}

/** The program and the collector see the same; answers how many events there were in all. `ranks`: with all events. */
export function assertSameEvents(program: readonly Told[], ranks: readonly RankOverlay[]): number {
  let compared = 0;
  for (const told of program) {
    const overlay = ranks.find(({ rank }) => rank === told.rank)!;
    const types = overlay.eventTypes;
    assert.ok(types !== undefined && !isUnavailable(types));
    for (const { name, raised } of told.types) {
      const seen = eventsOf(overlay).filter(({ type }) => type === name);
      assert.equal(types.find((type) => type.name === name)?.raised, raised.length, name);
      assert.deepEqual(
        seen.map(({ payload, elements }) => (payload === 'denied' ? null : elements.map(({ value }) => Number(value)))),
        raised,
        `rank ${told.rank}: ${name}`,
      );
      compared += raised.length;
    }
  }
  return compared;
}

/** The communicator "ocean" of this rank. */
export function oceanOf(job: SampleJob, rank: number): string {
  return toldIn(job.printed).find((told) => told.rank === rank)!.ocean;
}
