/** Ranks that are about to die, or get an error from MPI: which of them stop, and what is told of them. */
import type { SeenDeathKind, SeenDeath } from '../../../plugin-api/deaths/seen-death';
import type { DeathFacts } from '../../../plugin-api/deaths/death-facts';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { guard } from '../../../plugin-api/result';
import { GdbError } from '../../gdb/mi/mi-connection';
import type { UnderWay } from '../../gdb/python/death-script';
import type { Job } from '../../job/job';
import type { Rank, RankThread, ThreadStop } from '../../job/rank';
import type { RankStop } from '../../job/rank-stops';
import type { JobQueries } from '../../query/job-queries';
import { callNamed, deathFacts, deathObject, handledError } from '../../query/deaths/death-facts';
import { abortReason } from '../../query/deaths/abort-reason';
import { describeSignal } from '../ranks/stop-words';
import {
  abortReasonText,
  deathText,
  deathWithPlace,
  handledText,
} from '../../../plugin-api/answers/text/stopped-death-text';
import type { Client } from '../client/connection';
import { RepeatedSignals } from './repeated-signals';
import { RuleError } from './breakpoint-rules';
import { parseDeathCondition, type DeathCondition } from './death-condition';

type FilterOptions = DebugProtocol.ExceptionFilterOptions;
type DeathFilter = Exclude<SeenDeathKind, 'undecided' | 'sanitizer'>;

const errorCondition = 'class == MPI_ERR_TRUNCATE, comm == "ocean", $rank in 0-3, joined with &&';

export const deathFilters: (DebugProtocol.ExceptionBreakpointsFilter & { filter: DeathFilter })[] = [
  {
    filter: 'mpi-error',
    label: 'MPI Errors',
    description: 'Stops in an MPI call whose error is about to end the job, before anything is torn down',
    default: true,
    supportsCondition: true,
    conditionDescription: errorCondition,
  },
  {
    filter: 'mpi-error-returned',
    label: 'MPI Errors: returned',
    description: 'Stops also in an MPI call whose error the program gets, as its result or in its own error handler',
    default: false,
    supportsCondition: true,
    conditionDescription: errorCondition,
  },
  { filter: 'mpi-abort', label: 'MPI_Abort', description: 'Stops in MPI_Abort', default: true },
  {
    filter: 'exit-without-finalize',
    label: 'Exit without MPI_Finalize',
    description: 'Stops a rank that ends by exit, _exit, or a return from main, without MPI_Finalize',
    default: true,
  },
];

function filterOf({ filterId }: FilterOptions): DeathFilter | undefined {
  return deathFilters.find(({ filter }) => filter === filterId)?.filter;
}

export class DeathStops {
  private conditions = new Map<DeathFilter, DeathCondition>();
  private readonly facts = new WeakMap<ThreadStop, DeathFacts>();
  /** Why each rank dies that has been seen to die. */
  private readonly causes = new Map<Rank, string>();
  /** Why a rank has got SIGABRT; a handler of its own may go on. */
  private readonly aborts = new Map<Rank, string>();

  constructor(
    private readonly job: Job,
    private readonly queries: JobQueries,
    private readonly client: Client,
  ) {
    job.deaths.on('seen', (rank, seen) => {
      if (seen.kind !== 'mpi-error-returned') this.causes.set(rank, deathText(bareFacts(seen)));
    });
    const repeated = new RepeatedSignals(queries);
    job.concerns = async (stop) => {
      try {
        return stop.stop.signal === undefined ? await this.concerns(stop) : !(await repeated.isRepeated(stop));
      } catch {
        return true;
      }
    };
  }

  /** Takes the place of what was set before; answers for those of the filters that are of this sort. */
  async set(wanted: readonly FilterOptions[]): Promise<Map<FilterOptions, DebugProtocol.Breakpoint>> {
    const answers = new Map<FilterOptions, DebugProtocol.Breakpoint>();
    const conditions = new Map<DeathFilter, DeathCondition>();
    const kinds: SeenDeathKind[] = wanted.some(({ filterId }) => filterId === 'abort') ? ['sanitizer'] : [];
    for (const each of wanted) {
      const filter = filterOf(each);
      if (filter === undefined) continue;
      try {
        const { condition = '' } = each;
        if (condition.trim() !== '') conditions.set(filter, parseDeathCondition(condition));
        kinds.push(filter);
        answers.set(each, { verified: true });
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        answers.set(each, { verified: false, message: error.message });
      }
    }
    this.conditions = conditions;
    try {
      await this.job.deaths.stopFor(kinds, (rank) => this.underWay(rank));
    } catch (error) {
      if (!(error instanceof GdbError)) throw error;
      for (const each of answers.keys()) answers.set(each, { verified: false, message: error.message });
    }
    return answers;
  }

  /** What is told of a stop; undefined: it is none of these. Never rejects. */
  words(stop: RankStop): Promise<string> | undefined {
    const { stop: of } = stop;
    const { signal } = of;
    const isTold =
      signal?.name === 'SIGABRT' || (of.floatingPoint === undefined && this.job.deaths.givenTo(stop.thread));
    if (signal !== undefined && isTold) return this.signalWords(stop, signal);
    return of.death && this.look(stop, of.death);
  }

  private async signalWords({ rank, thread }: RankStop, signal: NonNullable<ThreadStop['signal']>): Promise<string> {
    const described = describeSignal(signal);
    try {
      const reason = signal.name === 'SIGABRT' ? await this.abortText(rank, thread) : '';
      const handled = await this.handledWords(thread);
      if (reason === '') return `${described}${handled}`;
      this.aborts.set(rank, `${reason}${handled}`);
      return `${described}: ${reason}${handled}`;
    } catch (error) {
      if (!(error instanceof GdbError)) this.client.defect('the end of a rank', error);
      return described;
    }
  }

  private async abortText(rank: Rank, thread: RankThread): Promise<string> {
    const reason = await guard(() => abortReason(this.queries.of(rank).image(), thread));
    return abortReasonText(reason.ok ? reason.value : undefined);
  }

  /** For which error of MPI a handler of the program's own runs. */
  private async handledWords(thread: RankThread): Promise<string> {
    const given = this.job.deaths.givenTo(thread);
    const handled = given && (await guard(() => handledError(this.queries, thread, given)));
    return handledText(handled?.ok === true ? handled.value : undefined);
  }

  private async look({ thread, stop }: RankStop, death: SeenDeath): Promise<string> {
    try {
      const facts = await deathFacts(this.queries, thread, death, this.job.deaths.givenTo(thread));
      this.facts.set(stop, facts);
      if (death.kind !== 'mpi-error-returned') this.causes.set(thread.rank, deathWithPlace(facts));
      return deathText(facts);
    } catch (error) {
      // The rank has ended, or its gdb has.
      if (!(error instanceof GdbError)) this.client.defect('the death of a rank', error);
      return deathText(bareFacts(death));
    }
  }

  /** Why the rank dies; undefined: it has not been seen to die. */
  causeOf(rank: Rank): string | undefined {
    return this.causes.get(rank) ?? (rank.end?.signal === 'SIGABRT' ? this.aborts.get(rank) : undefined);
  }

  /** What is known of the stop, once words() has answered. */
  factsOf(stop: ThreadStop | undefined): DeathFacts | undefined {
    return stop && this.facts.get(stop);
  }

  private async concerns({ rank, thread, stop }: RankStop): Promise<boolean> {
    if (stop.death?.kind === 'undecided') {
      const decided = await this.decided(thread, stop.death);
      if (decided === undefined) return false;
      stop.death = decided;
    }
    const { death } = stop;
    if (death !== undefined && this.job.deaths.isTornDown(rank, death)) return false;
    if (death === undefined) return true;
    const condition = this.conditions.get(death.kind as DeathFilter);
    const needsMpi = condition?.needsMpi === true || this.job.deaths.mayBeOfLostRank(rank, death);
    const of = needsMpi ? await this.objectOf(rank, death) : undefined;
    if (this.job.deaths.isOfLostRank(rank, death, of?.errorClass)) return false;
    if (condition === undefined) return true;
    return condition.holds(rank, of ?? { errorClass: undefined, object: undefined }, this.queries.firstWorld);
  }

  /** Undefined: it stops nobody, or cannot be known. */
  private async decided(thread: RankThread, death: SeenDeath): Promise<SeenDeath | undefined> {
    const places = await guard(() =>
      this.queries.of(thread.rank).withoutGdb(async (process) => process?.errhandlerPlaces?.()),
    );
    if (!places.ok || places.value?.ok !== true) return undefined;
    return this.job.deaths.decide(thread, death, places.value.value);
  }

  private async objectOf(rank: Rank, death: SeenDeath) {
    const found = await guard(() =>
      this.queries.of(rank).withoutGdb(async (process) => process && deathObject(process, death)),
    );
    return found.ok ? found.value : undefined;
  }

  private async underWay(rank: Rank): Promise<UnderWay | undefined> {
    if (rank.state === 'starting' && this.job.kind === 'launch' && !rank.hasReturned) return undefined;
    const found = await guard(() => this.queries.of(rank).withoutGdb(async (process) => process?.implementation.state));
    const state = found.ok ? found.value : undefined;
    return { hasBegun: state === 'initialized' || state === 'finalized', hasEnded: state === 'finalized' };
  }
}

function bareFacts(seen: SeenDeath): DeathFacts {
  return {
    seen,
    call: callNamed(seen.function),
    passed: [],
    errorClass: undefined,
    object: undefined,
    where: undefined,
    isAfterMain: false,
    handled: undefined,
  };
}
