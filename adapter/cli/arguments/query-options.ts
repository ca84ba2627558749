/** The options that all commands have that look into a job. */
import { resolve } from 'node:path';
import { olderNameOfJob } from '../../../plugin-api/batch/batch-system';
import { parseRanks, RankSetError, type RanksOfWorld } from '../../../plugin-api/answers/rank-set';
import type { FrameChoice } from '../../expressions/frames';
import type { JobTarget } from '../../job-sources/open-job';
import type { QueryOptions } from './command';
import { positive, type Values } from './parse-options';
import { UsageError } from './usage-error';

/** Throws UsageError. */
export function queryOptions(values: Values): QueryOptions {
  return {
    target: targetOf(values),
    ranks: values.ranks === undefined ? undefined : rankSet(values.ranks),
    world: values.world,
    json: values.json ?? false,
    frame: frameOf(values.frame),
    thread: values.thread === undefined ? 1 : positive('--thread', values.thread),
    gdb: values.gdb,
    plugins: values.plugin ?? [],
    libraryCode: values['library-code'] ?? [],
    sourceMap: (values['source-map'] ?? []).map(foldersOf),
    timeout: timeoutOf(values),
  };
}

function foldersOf(map: string): readonly [string, string] {
  const [, from, to] = /^([^=]+)=(.+)$/.exec(map) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--source-map is FROM=TO, as in --source-map /build/src=$HOME/src: "${map}" is not`);
  return [from, to];
}

/** Seconds. */
export function timeoutOf({ timeout }: Values): number {
  return timeout === undefined ? 60 : positive('--timeout', timeout);
}

function targetOf(values: Values): JobTarget {
  const job = values.job ?? values[olderNameOfJob];
  const named = [values.launcher, job, values.pid, values.core].filter((target) => target !== undefined);
  if (named.length > 1) throw new UsageError('name one target: --launcher, --job, --pid or --core');
  if (values.core !== undefined) {
    const searchPath = (values['search-path'] ?? [])
      .flatMap((list) => list.split(':'))
      .filter((folder) => folder !== '')
      .map((folder) => resolve(folder));
    const program = values.program === undefined ? undefined : resolve(values.program);
    return { kind: 'cores', cores: values.core, program, searchPath };
  }
  if (values.program !== undefined || values['search-path'] !== undefined)
    throw new UsageError('--program and --search-path need --core');
  if (values.launcher !== undefined) return { kind: 'launcher', launcherPid: positive('--launcher', values.launcher) };
  if (job !== undefined) return { kind: 'batchJob', job };
  if (values.pid === undefined)
    throw new UsageError('name a target: --launcher PID, --job JOB[.STEP], --pid PID[,PID...] or --core FILE...');
  return { kind: 'pids', pids: values.pid.flatMap((list) => list.split(',').map((pid) => positive('--pid', pid))) };
}

function rankSet(text: string): readonly RanksOfWorld[] {
  try {
    return parseRanks(text);
  } catch (error) {
    if (error instanceof RankSetError) throw new UsageError(`--ranks: ${error.message}`);
    throw error;
  }
}

function frameOf(text: string | undefined): FrameChoice | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}
