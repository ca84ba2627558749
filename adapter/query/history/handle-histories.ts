/** Answers with the histories of their handles, of ranks whose collector collects calls. */
import type { ProcessImage } from '../../../plugin-api/image';
import type { CodeRef } from '../../../plugin-api/mpi/code-ref';
import { handleCallText, type HandleCall, type History } from '../../../plugin-api/mpi/history';
import type { Answer, HandleKind, Info, RequestInfo } from '../../../plugin-api/mpi/records';
import { HandleLives, type MadeHandle, type Message } from '../../../plugin-api/overlays/history';
import { guard, isUnavailable } from '../../../plugin-api/result';
import type { HandleForm } from '../../values/found-handle';
import { placesOf, type LineReader } from './code-places';
import { regionOfCalls } from './region-of-calls';

/** Kinds whose records have the flag. */
const hasFreedHandle: ReadonlySet<HandleKind> = new Set([
  ...(['comm', 'datatype', 'errhandler', 'file', 'group', 'info', 'op', 'request', 'win'] as const),
]);

type Success = Extract<Answer, { code: 'MPIDBG_SUCCESS' }>;

/** The collector has seen what many libraries do not record. */
function withFreedHandle(answer: Success): Success {
  const { info } = answer;
  if (!('flags' in info) || (info.flags as string[]).includes('freedHandle')) return answer;
  const { unknownFlags, ...rest } = info as Info<string>;
  const left = unknownFlags?.filter((flag) => flag !== 'freedHandle') ?? [];
  const flags = [...rest.flags, 'freedHandle'];
  return { ...answer, info: { ...rest, flags, ...(left.length === 0 ? {} : { unknownFlags: left }) } } as Success;
}

function messageOf({ peer, tag, comm }: RequestInfo): Message {
  return {
    ...(peer === undefined || isUnavailable(peer) ? {} : { peer }),
    ...(tag === undefined || isUnavailable(tag) ? {} : { tag }),
    ...(comm === undefined || isUnavailable(comm) ? {} : { comm }),
  };
}

export class HandleHistories {
  private constructor(
    private readonly lives: HandleLives,
    private readonly places: ReadonlyMap<string, CodeRef>,
  ) {}

  /** A snapshot; undefined if no calls are collected there. */
  static async of(image: ProcessImage, reader: LineReader): Promise<HandleHistories | undefined> {
    const read = await guard(async () => {
      const region = await regionOfCalls(image);
      if (region === undefined) return undefined;
      const lives = await HandleLives.of(region, await region.texts());
      return new HandleHistories(lives, await placesOf(image, lives.addresses(), reader));
    });
    return read.ok ? read.value : undefined;
  }

  /** What the program has made and not freed, by which calls. */
  handles(kind: HandleKind): MadeHandle[] {
    return this.lives.handles(kind);
  }

  /** `asked`: what the answer is of, where it is not a handle that was found in a list. */
  complete(answer: Answer, asked?: { kind: HandleKind; value: bigint; form: HandleForm }): Answer {
    if (answer.code !== 'MPIDBG_SUCCESS') return asked === undefined ? answer : this.withReason(answer, asked);
    const { kind, info } = answer;
    if (!('handle' in info)) return answer;
    const flags: readonly string[] = info.flags;
    if (flags.some((flag) => flag === 'predefined' || flag.endsWith('Null'))) return answer;
    const message = 'operation' in info ? messageOf(info) : undefined;
    const history = this.lives.historyOf(kind, BigInt(info.handle), flags.includes('internal'), message);
    if (history === undefined) return answer;
    const known = { ...answer, info: { ...info, history: this.placed(history) } };
    return history.freed === undefined || !hasFreedHandle.has(kind) ? known : withFreedHandle(known);
  }

  private withReason(
    answer: Extract<Answer, { reason: string }>,
    { kind, value, form }: { kind: HandleKind; value: bigint; form: HandleForm },
  ): Answer {
    if (answer.code !== 'MPIDBG_ERR_NOT_FOUND' || answer.reason.startsWith('being made by ')) return answer;
    const freed =
      form === 'fortran'
        ? this.lives.integerFreedBy(kind, Number(BigInt.asIntN(32, value)))
        : (this.lives.freedBy(kind, BigInt.asUintN(64, value)) ?? this.lives.freedBy(kind, BigInt.asUintN(32, value)));
    return freed === undefined
      ? answer
      : { ...answer, reason: `freed by ${handleCallText(this.callWithPlace(freed))}` };
  }

  private placed({ created, freed, earlier }: History): History {
    return {
      ...(created === undefined ? {} : { created: this.callWithPlace(created) }),
      ...(freed === undefined ? {} : { freed: this.callWithPlace(freed) }),
      ...(earlier === undefined
        ? {}
        : {
            earlier: earlier.map((each) => ({
              ...each,
              ...(each.created === undefined ? {} : { created: this.callWithPlace(each.created) }),
              freed: this.callWithPlace(each.freed),
            })),
          }),
    };
  }

  private callWithPlace(call: HandleCall): HandleCall {
    if (call.code === undefined) return call;
    return { ...call, code: this.places.get(call.code.address) ?? call.code };
  }
}

/** With what the collector has seen of those that are complete: where each was posted. */
export async function withHistories(
  requests: readonly RequestInfo[],
  histories: () => Promise<HandleHistories | undefined>,
): Promise<readonly RequestInfo[]> {
  if (!requests.some(({ complete }) => complete === true)) return requests;
  const known = await histories();
  if (known === undefined) return requests;
  return requests.map((info) => {
    const answer = known.complete({ code: 'MPIDBG_SUCCESS', kind: 'request', info });
    return info.complete === true && answer.code === 'MPIDBG_SUCCESS' ? (answer.info as RequestInfo) : info;
  });
}
