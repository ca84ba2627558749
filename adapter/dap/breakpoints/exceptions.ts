/** Which signals and C++ exceptions stop a rank, and details of the one that did. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { CxxEvent } from '../../gdb/mi/breakpoint-commands';
import { frameRegisters } from '../../gdb/frame-registers';
import { handleSignals, infoSignals, signalInfo, thrownType, thrownValue } from '../../gdb/mi/signals';
import type { FloatKind } from '../../../plugin-api/deaths/death';
import { trapText } from '../../gdb/float-control';
import { originalSignal } from '../../images/core/core-fault';
import type { Job } from '../../job/job';
import type { Rank, RankThread } from '../../job/rank';
import { firstWorld, hasRank } from '../../../plugin-api/answers/rank-set';
import { signalDetails } from '../../../plugin-api/answers/signal-words';
import { withRules, type UserBreakpoints } from './breakpoints';
import { RuleError } from './breakpoint-rules';
import { floatCondition, parseFloatFilter } from './float-filter';
import { deathFilters, type DeathStops } from './deaths';
import { fullStack } from '../../query/deaths/full-stack';
import { fullStackText } from '../../../plugin-api/answers/text/death-cause-text';
import { argumentLines } from '../../../plugin-api/answers/text/stopped-death-text';
import { notEvaluated, wrongArguments } from '../client/errors';

const crashes = ['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT', 'SIGSYS'];
/** gdb uses these itself to stop and step processes. */
const gdbsOwn = ['SIGTRAP', 'SIGINT', 'SIGSTOP'];

const typeCondition = 'a type, as a regular expression such as std::.*_error; or ranks, as in $rank in 0-3';

export const exceptionFilters: DebugProtocol.ExceptionBreakpointsFilter[] = [
  ...deathFilters,
  { filter: 'crash', label: 'Crashes', description: `Stops at ${crashes.join(', ')}`, default: true },
  {
    filter: 'abort',
    label: 'abort',
    description:
      'Stops at SIGABRT (abort, a failed assertion, std::terminate, memory that glibc finds damaged), and where a sanitizer ends the rank; with the message',
    default: true,
  },
  {
    filter: 'signal',
    label: 'Other Signals',
    description: 'Stops at the other signals that gdb stops for, or at those named in the condition',
    default: true,
    supportsCondition: true,
    conditionDescription: 'the signals that stop a rank, such as SIGUSR1, SIGPIPE',
  },
  {
    filter: 'floating-point',
    label: 'Floating Point',
    description: 'Stops at the instruction that makes the first NaN or infinity of each thread (x86-64)',
    default: false,
    supportsCondition: true,
    conditionDescription: floatCondition,
  },
  ...(['throw', 'catch', 'rethrow'] as const).map((event) => ({
    filter: `cxx-${event}`,
    label: `C++: ${event}`,
    description: `Stops where a C++ exception is ${{ throw: 'thrown', catch: 'caught', rethrow: 'thrown again' }[event]}`,
    default: false,
    supportsCondition: true,
    conditionDescription: typeCondition,
  })),
];

/** Those that gdb knows; `others`: that it stops for by default, beside crashes. */
interface KnownSignals {
  readonly all: ReadonlySet<string>;
  readonly others: readonly string[];
}

export class Exceptions {
  private readonly signals: Promise<KnownSignals>;

  constructor(
    private readonly job: Job,
    private readonly breakpoints: UserBreakpoints,
    private readonly deaths: DeathStops,
    /** From launch.json: stop ranks until the user sets the filter. The latest of the two counts. */
    private floatKindsOfJob: readonly FloatKind[] = [],
  ) {
    this.signals = this.knownSignals();
    this.signals.catch(() => undefined);
  }

  async set(
    args: DebugProtocol.SetExceptionBreakpointsArguments,
  ): Promise<{ breakpoints: DebugProtocol.Breakpoint[] }> {
    const wanted = [
      ...args.filters.map((filterId): DebugProtocol.ExceptionFilterOptions => ({ filterId })),
      ...(args.filterOptions ?? []),
    ];
    const unknown = wanted.find(({ filterId }) => !exceptionFilters.some(({ filter }) => filter === filterId));
    if (unknown !== undefined)
      throw wrongArguments('setExceptionBreakpoints', `there is no filter ${unknown.filterId}`);
    return this.breakpoints.inTurn(async () => {
      const problem = await this.setSignals(wanted);
      const floatProblem = await this.setFloats(wanted.find(({ filterId }) => filterId === 'floating-point'));
      const events = wanted.filter(({ filterId }) => filterId.startsWith('cxx-'));
      const requests = events.map(({ filterId, condition = '' }) => {
        const where = { kind: 'exception', event: filterId.slice('cxx-'.length) as CxxEvent } as const;
        if (condition.trim() === '') return where;
        return condition.includes('$rank') ? withRules(where, { condition }) : { ...where, type: condition.trim() };
      });
      const deaths = await this.deaths.set(wanted);
      const made = await this.breakpoints.set(requests, (all) => this.job.breakpoints.replaceExceptions(all));
      return {
        breakpoints: wanted.map((each) => {
          const index = events.indexOf(each);
          if (index >= 0) return made.breakpoints[index]!;
          const death = deaths.get(each);
          if (death !== undefined) return death;
          const message =
            each.filterId === 'signal'
              ? problem?.message
              : each.filterId === 'floating-point'
                ? floatProblem
                : undefined;
          return message === undefined ? { verified: true } : { verified: false, message };
        }),
      };
    });
  }

  async info(thread: RankThread): Promise<DebugProtocol.ExceptionInfoResponse['body']> {
    const { stop } = thread;
    if (stop?.death !== undefined) return this.deathInfo(thread);
    const event = stop?.breakpoints.find(({ cxxEvent }) => cxxEvent !== undefined)?.cxxEvent;
    if (event !== undefined) {
      const type = await thrownType(thread);
      const value = await thrownValue(thread);
      return {
        exceptionId: type ?? 'C++ exception',
        description: `C++ ${event}${type === undefined ? '' : ` of ${type}`}${value === undefined ? '' : `: ${value}`}`,
        breakMode: 'always',
        details: {
          ...(type === undefined ? {} : { typeName: type, fullTypeName: type }),
          ...(value && { message: value }),
        },
      };
    }
    if (stop?.floatingPoint !== undefined) {
      const { kind } = stop.floatingPoint;
      const text = trapText(stop.floatingPoint);
      return {
        exceptionId: `floating point: ${kind}`,
        description: text,
        breakMode: 'always',
        details: { typeName: kind, message: text },
      };
    }
    if (stop?.signal === undefined) throw notEvaluated(`${thread.rank.label} did not stop because of a signal`);
    const { name, meaning } = stop.signal;
    const { image } = thread.rank;
    const info = image === undefined ? await signalInfo(thread) : originalSignal(image.core, image.memory);
    const details =
      info === undefined ? '' : signalDetails(name, info, thread.rank.pid) + (await ofStack(thread, name, info));
    const text = stop.words === undefined ? `${meaning}${details}` : `${stop.words}, ${thread.rank.label}`;
    return {
      exceptionId: name,
      description: text,
      breakMode: crashes.includes(name) ? 'unhandled' : 'always',
      details: { typeName: name, message: text },
    };
  }

  /** Answers what is wrong. */
  private async setFloats(option: DebugProtocol.ExceptionFilterOptions | undefined): Promise<string | undefined> {
    if (option !== undefined) this.floatKindsOfJob = [];
    try {
      const { kinds, ranks } =
        option === undefined
          ? { kinds: this.floatKindsOfJob, ranks: undefined }
          : parseFloatFilter(option.condition ?? '');
      await this.job.settings.set('floats', async (gdb) => {
        if (kinds.length > 0) await handleSignals(gdb, ['SIGFPE'], true);
      });
      const has = (rank: Rank): boolean => ranks === undefined || hasRank(ranks, rank, firstWorld(this.job.ranks));
      return await this.job.trapFloats({ kinds, has });
    } catch (error) {
      if (error instanceof RuleError) return error.message;
      throw error;
    }
  }

  private deathInfo({ stop, rank }: RankThread): DebugProtocol.ExceptionInfoResponse['body'] {
    const facts = this.deaths.factsOf(stop);
    const text = `${stop?.words ?? ''}, ${rank.label}`;
    return {
      exceptionId: facts?.errorClass ?? stop?.death?.kind ?? '',
      description: [text, ...(facts === undefined ? [] : argumentLines(facts))].join('\n'),
      breakMode: stop?.death?.kind === 'mpi-error-returned' ? 'always' : 'unhandled',
      details: { message: text, ...(facts?.errorClass === undefined ? {} : { typeName: facts.errorClass }) },
    };
  }

  /** Checks the signals that the user names; answers what is wrong. */
  private async setSignals(wanted: readonly DebugProtocol.ExceptionFilterOptions[]): Promise<RuleError | undefined> {
    const { all: known, others } = await this.signals;
    const option = wanted.find(({ filterId }) => filterId === 'signal');
    const named = (option?.condition ?? '')
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter((name) => name !== '');
    const unknown = named.find((name) => !known.has(name) || gdbsOwn.includes(name));
    const stopping = option === undefined || unknown !== undefined ? [] : named.length === 0 ? others : named;
    const passing = [...new Set([...others, ...known])].filter(
      (name) => !stopping.includes(name) && !crashes.includes(name) && !gdbsOwn.includes(name),
    );
    const crashStops = wanted.some(({ filterId }) => filterId === 'crash');
    const abortStops = wanted.some(({ filterId }) => filterId === 'abort');
    await this.job.settings.set('signals', async (each) => {
      await handleSignals(each, passing, false);
      await handleSignals(each, crashes, crashStops);
      if (abortStops) await handleSignals(each, ['SIGABRT'], true);
      await handleSignals(each, stopping, true);
    });
    if (unknown === undefined) return undefined;
    return new RuleError(`"${unknown}" is not a signal that can stop a rank: use names such as SIGUSR1, SIGPIPE`);
  }

  private async knownSignals(): Promise<KnownSignals> {
    const [gdb] = this.job.gdbs;
    if (gdb === undefined) return { all: new Set(), others: [] };
    const all = await infoSignals(gdb);
    const isOther = ([name, stops]: [string, boolean]): boolean => stops && ![...crashes, ...gdbsOwn].includes(name);
    return { all: new Set(all.keys()), others: [...all].filter(isOther).map(([name]) => name) };
  }
}

/** ": its stack is full"; "" for others. */
async function ofStack(
  thread: RankThread,
  signal: string,
  { code, address }: { code: number; address: bigint },
): Promise<string> {
  const { process } = thread.rank;
  if (signal !== 'SIGSEGV' || code <= 0 || process === undefined) return '';
  const registers = await frameRegisters(thread, 0).catch(() => undefined);
  const { isStackFull, stackNeeded } = await fullStack(process, registers?.stackPointer, address);
  return isStackFull === true ? `: ${fullStackText(stackNeeded)}` : '';
}
