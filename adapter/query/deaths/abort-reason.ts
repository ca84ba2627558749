/** Why a thread that gdb holds at SIGABRT ends its process: what the C or C++ library has said, or would say. */
import type { AbortReason, CxxException, TerminateCaller } from '../../../plugin-api/deaths/abort-reason';
import type { ProcessImage } from '../../../plugin-api/image';
import { GdbError } from '../../gdb/mi/mi-connection';
import { demangledType } from '../../gdb/mi/signals';
import { threadPointer } from '../../gdb/frame-registers';
import type { Frame } from '../../stacks/frame';
import { innermostFrames } from '../../stacks/gdb-stack';
import type { RankThread } from '../../job/rank';
import { abortMessage } from './abort-message';
import { caughtException } from '../positions/cxx-exception';

/** undefined: it is not known. Rejects with GdbError, QueryError. */
export async function abortReason(image: ProcessImage, thread: RankThread): Promise<AbortReason | undefined> {
  const text = await abortMessage(image);
  if (text !== undefined) return { kind: 'message', text };
  const names = (await innermostFrames(thread)).map(nameOf);
  // Where a function lets no exception out, the C++ library does without its public one.
  const terminate = names.findIndex((name) =>
    /^(std::terminate|__cxa_call_terminate|__gxx_personality_v0)$/.test(name),
  );
  if (terminate >= 0) {
    const pointer = await threadPointer(thread).catch(unlessGdb);
    const exception = pointer === undefined ? undefined : await caughtException(image, pointer);
    const below = names.slice(names[terminate] === 'std::terminate' ? terminate + 1 : terminate);
    const by = callerOfTerminate(below, exception);
    if (typeof exception !== 'object') return { kind: 'terminate', by, exception };
    return { kind: 'terminate', by, exception, typeName: await demangledType(thread, exception.type) };
  }
  return names.some((name) => /^(__GI_)?abort$/.test(name)) ? { kind: 'abort' } : undefined;
}

/** Without the arguments, which gdb names where there is no debug information. */
function nameOf({ function: name = '' }: Frame): string {
  return name.replace(/\(.*$/, '');
}

/** The functions below std::terminate, innermost first; those in the C++ library may have no names. */
function callerOfTerminate(names: readonly string[], exception: CxxException | 'none' | undefined): TerminateCaller {
  const caller = names.find((name) => name !== '??' && name !== '' && !name.startsWith('__cxxabiv1::__terminate'));
  if (caller === '__cxa_pure_virtual') return 'pureVirtual';
  if (caller === '__cxa_rethrow' && exception === 'none') return 'rethrow';
  if (/^(__cxa_throw|__cxa_rethrow|std::rethrow_exception|_Unwind_\w+)$/.test(caller ?? '')) return 'uncaught';
  return /^(__cxa_call_terminate|__gxx_personality_v0)$/.test(caller ?? '') ? 'noexcept' : 'program';
}

function unlessGdb(error: unknown): undefined {
  if (!(error instanceof GdbError)) throw error;
}
