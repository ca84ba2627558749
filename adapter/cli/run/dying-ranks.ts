/** What gdb finds out about ranks that wait with their end. */
import type { Job } from '../../job/job';
import type { Reach } from '../../job-sources/job-finder';
import type { DeathLook } from '../../query/deaths/death-look';
import { trappedAgain } from '../../query/deaths/float-trap';
import { isAmong, type RankDeath } from '../../../plugin-api/deaths/rank-death';
import { deathLines } from '../../../plugin-api/answers/text/death-text';
import { withHeldJob, type HeldOptions } from '../held-job';
import { ofDying, type AfterRun } from './after-run';
import type { LetGo } from './death-watch';
import type { Died } from './died-jobs';

/** The operations of so many ranks are read; a user would not read more. */
const maxTraps = 8;

export interface DyingQuestions {
  /** How the whole job is looked at. */
  options: HeldOptions;
  /** undefined: no report is wanted. */
  after: AfterRun | undefined;
  letGo: LetGo;
}

/** `look`: what was found without gdb. Those that it lets go die when this has settled; never rejects for what the processes do. */
export async function askDying(look: DeathLook, questions: DyingQuestions, signal: AbortSignal): Promise<Died> {
  const { options, after, letGo } = questions;
  const trapped = look.deaths.filter(isTrap).slice(0, maxTraps);
  if (after === undefined && trapped.length === 0) return { look, report: undefined };
  let found = look;
  const learnTraps = async (job: Job): Promise<void> => {
    found = await withTraps(look, job, letGo);
  };
  if (after === undefined) {
    const { ranks: _, ...own } = options;
    const target = { kind: 'pids' as const, pids: trapped.map(({ death }) => death.pid) };
    const reach = own.reach && only(trapped, own.reach);
    await withHeldJob({ ...own, ranks: undefined, target, reach }, signal, learnTraps).catch((error: unknown) => {
      if (!signal.aborted) found = withoutTraps(found, (error as Error).message);
    });
    return { look: found, report: undefined };
  }
  const known = { lines: deathLines(look), stacks: look.stacks };
  const report = await ofDying(options, after, known, learnTraps, signal);
  return { look: found, report: { ...report, crash: deathLines(found) } };
}

/** Reaches only those of the job's processes that die. */
function only(deaths: readonly RankDeath[], reach: Reach): Reach {
  return {
    find: async () => {
      const { targets, dead } = await reach.find();
      return {
        targets: targets.filter(({ host, place: { pid } }) => isAmong(deaths, { rank: null, host: host.name, pid })),
        dead,
      };
    },
  };
}

function isTrap({ death }: RankDeath): boolean {
  return death.kind === 'float';
}

async function withTraps(look: DeathLook, job: Job, letGo: LetGo): Promise<DeathLook> {
  const asked = new Set(look.deaths.filter(isTrap).slice(0, maxTraps));
  const deaths = look.deaths.map(async (each) => {
    const { death } = each;
    const rank = job.ranks.find(({ pid, host }) => pid === death.pid && host === each.id.host);
    if (rank === undefined || !asked.has(each)) return each;
    return { ...each, ...(await trappedAgain(job, rank, death.floatKinds[0] ?? 'invalid', () => letGo(death))) };
  });
  return { ...look, deaths: await Promise.all(deaths) };
}

/** What was not read of any of them. */
function withoutTraps(look: DeathLook, untold: string): DeathLook {
  const deaths = look.deaths.map((each) => (isTrap(each) && each.trap === undefined ? { ...each, untold } : each));
  return { ...look, deaths };
}
