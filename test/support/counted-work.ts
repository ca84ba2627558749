/**
 * What it costs to list all handles of a process, without a clock: a process of its own, as what V8 has compiled before it
 * begins to count is not counted. `node --import tsx counted-work.ts PID` prints Counted as JSON.
 */
import { execFile } from 'node:child_process';
import { Session, type Profiler } from 'node:inspector/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Listed } from './list-all';

export interface Counted extends Listed {
  /** `work`: how often functions and blocks, such as the bodies of loops, of plugin-api/ and adapter/ were executed. */
  cost: Listed['cost'] & { work: number };
}

export async function countedHandles(pid: number): Promise<Counted> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', __filename, String(pid)], {
    maxBuffer: 1 << 30,
  });
  return JSON.parse(stdout) as Counted;
}

const root = join(__dirname, '..', '..');
const own = ['plugin-api', 'adapter'].map((folder) => join(root, folder));

function isOwn({ url }: Profiler.ScriptCoverage): boolean {
  return own.some((folder) => url.replace(/^file:\/\//, '').startsWith(folder));
}

function executions({ functions }: Profiler.ScriptCoverage): number {
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}

async function count(pid: number): Promise<Counted> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const { listAll } = await import('./list-all');
  const { answers, cost } = await listAll(pid);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const work = result.filter(isOwn).reduce((sum, script) => sum + executions(script), 0);
  return { answers, cost: { ...cost, work } };
}

if (require.main === module)
  count(Number(process.argv[2])).then(
    (counted) => console.log(JSON.stringify(counted)),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
