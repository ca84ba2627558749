/** What tool-events.c sees of MPI_T's events itself, against what the collector has recorded of them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventType, MpiTEvent, OverlayDocument, RankOverlay } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import type { Workshop } from './compile';
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

/** The same, with late-callbacks.c behind the collector. */
export async function startDroppingEvents(workshop: Workshop): Promise<SampleJob> {
  const source = readFileSync(join(__dirname, 'late-callbacks.c'), 'utf8');
  const late = workshop.compile('late-callbacks.so', source, 'gcc', ['-shared', '-fPIC', '-ldl']);
  const { stdout } = await runCli(['collector']);
  const through = stdout.trim().replace(/LD_PRELOAD=\S+/, `$&:${late}`);
  return SampleJob.startWaiting('openmpi', 'tool-events', { ranks: 2, through: through.split(' ') });
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

/**
 * Each event that the program saw the collector has seen, or the library has told it that it was dropped: those that were raised
 * before the window was made, as soon as another one of their type was.
 */
export function assertDroppedEvents(program: readonly Told[], ranks: readonly RankOverlay[]): void {
  for (const told of program) {
    const overlay = ranks.find(({ rank }) => rank === told.rank)!;
    const { eventTypes: types, sources } = overlay;
    assert.ok(types !== undefined && !isUnavailable(types) && sources !== undefined && !isUnavailable(sources));
    let dropped = 0;
    for (const { name, raised } of told.types) {
      const type: EventType = types.find((each) => each.name === name)!;
      const [notices, seen] = [true, false].map((isNotice) =>
        eventsOf(overlay).filter((event) => event.type === name && (event.dropped !== undefined) === isNotice),
      ) as [MpiTEvent[], MpiTEvent[]];
      assert.equal(seen.length, type.raised, name);
      assert.equal(
        notices.reduce((sum, notice) => sum + Number(notice.dropped), 0),
        type.dropped,
        name,
      );
      for (const { elements, payload } of notices) assert.deepEqual([elements, payload], [[], 'none']);
      if (seen.length > 0) assert.equal(Number(type.raised) + Number(type.dropped), raised.length, name);
      assert.deepEqual(
        seen.map(({ elements }) => elements.map(({ value }) => Number(value))),
        raised.slice(raised.length - seen.length),
        name,
      );
      dropped += Number(type.dropped);
    }
    // The duplicates that it has made of communicators before.
    assert.ok(dropped >= 2, `rank ${told.rank}: ${dropped}`);
    assert.equal(
      sources.reduce((sum, source) => sum + Number(source.dropped), 0),
      dropped,
    );
  }
}

/** The communicator "ocean" of this rank. */
export function oceanOf(job: SampleJob, rank: number): string {
  return toldIn(job.printed).find((told) => told.rank === rank)!.ocean;
}
