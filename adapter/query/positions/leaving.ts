/** Whether a thread is on its way out of the program, by its stack: from where, and with what. */
import type { Leaving } from '../../../plugin-api/hang/leaving';
import { FaultError } from '../../../plugin-api/result';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { isSystemLibrary } from '../../expressions/frames';
import { signalFrame, type Frame } from '../../stacks/frame';
import { signalOf } from '../../../plugin-api/answers/signal-words';
import { LostError, passedArguments, type StoppedStack } from './passed-arguments';
import { callPlace, placeText, shortName } from '../across-ranks/call-place';
import { typeText } from '../../../plugin-api/cxx-type-text';
import { caughtException } from './cxx-exception';
import { thrownException } from './thrown-exception';

/** Without its place, see placedLeaving(). undefined: nothing shows that it leaves. On processors that are not decoded the status, the signal and exceptions do not show. */
export async function leavingOf(stack: StoppedStack, code: ProcessCode): Promise<Leaving | undefined> {
  return (
    (await exiting(stack, code)) ??
    (await interrupted(stack, code)) ??
    terminated(stack, code) ??
    (await thrown(stack, code)) ??
    caught(stack, code)
  );
}

/** `frames`: the same stack, with lines, and perhaps with what is inlined. */
export function placedLeaving(leaving: Leaving, frames: readonly Frame[], code: ProcessCode): Leaving {
  const { level } = leaving;
  const place =
    level === undefined
      ? undefined
      : callPlace(
          frames.filter((frame) => frame.level >= level),
          code,
        );
  // A destructor that is inlined has no frame of its own.
  const isAround = (frame: Frame): boolean => frame.level === level;
  const known = leaving.how === 'exception' ? frames.findLast(isAround) : (place?.frame ?? frames.find(isAround));
  if (known === undefined) return leaving;
  const { function: name } = known;
  return {
    ...leaving,
    ...(name === undefined ? {} : { function: shortName(name) }),
    ...(known.line === undefined ? {} : { where: placeText(known) }),
  };
}

/** Linux's. */
const maxSignal = 64;

const exits = /^(exit|_exit|_Exit|quick_exit)$/;
const stops = /^_gfortran_(error_)?stop_(numeric|string)$/;

async function exiting(stack: StoppedStack, code: ProcessCode): Promise<Leaving | undefined> {
  const { frames } = stack;
  const at = frames.findIndex((frame) => exits.test(plain(frame)) && !isOfProgram(frame, code));
  const frame = frames[at];
  if (frame === undefined) return undefined;
  const stop = frames.slice(at).find(({ function: name = '' }) => stops.test(name));
  const caller = frames.slice(at + 1).find((each) => isOfProgram(each, code) && !/^_start$/.test(each.function ?? ''));
  const [, , kind] = stops.exec(stop?.function ?? '') ?? [];
  // The status of STOP with a text says nothing that the program does not.
  const status = kind === 'string' ? undefined : await argumentOf(stack, stop ?? frame);
  const told = { ...(status === undefined ? {} : { status }), ...(caller && { level: caller.level }) };
  if (stop !== undefined)
    return { how: 'stop', what: stop.function?.includes('error') === true ? 'ERROR STOP' : 'STOP', ...told };
  return { how: caller === undefined ? 'return' : 'exit', what: plain(frame), ...told };
}

function plain({ function: name = '' }: Frame): string {
  return name.replace(/^__GI_/, '');
}

/** The first argument of the frame's function, an int. */
async function argumentOf(stack: StoppedStack, { level, address }: Frame): Promise<number | undefined> {
  if (address === undefined) return undefined;
  // It returns nowhere: behind the call there may be another function.
  const start = (await stack.image.symbolAt(address - 1n))?.address;
  if (start === undefined) return undefined;
  try {
    const passed = (await passedArguments(stack, level, start, [0])).get(0);
    return passed === undefined ? undefined : Number(BigInt.asIntN(32, passed.value));
  } catch (error) {
    if (error instanceof LostError || error instanceof FaultError) return undefined;
    throw error;
  }
}

async function interrupted(stack: StoppedStack, code: ProcessCode): Promise<Leaving | undefined> {
  const { frames } = stack;
  const at = frames.findIndex(({ function: name }) => name === signalFrame);
  const frame = frames[at];
  // A library's own handler, of a profiler say, is no way out.
  if (frame === undefined || !frames.slice(0, at).some((each) => isOfProgram(each, code))) return undefined;
  const caller = frames.slice(at + 1).find((each) => isOfProgram(each, code));
  // The kernel keeps a description of the signal on the stack only for handlers that ask for one.
  const number = at === 0 ? undefined : await argumentOf(stack, frames[at - 1]!);
  const isSignal = number !== undefined && number > 0 && number <= maxSignal;
  return {
    ...{ how: 'signal', what: isSignal ? signalOf(number).name : 'a signal' },
    ...(caller && { level: caller.level }),
  };
}

/** As the C++ library's symbols are named, in whichever form the stack has them. */
const terminates = /^(std::terminate(\(\))?|_ZSt9terminatev)$/;
const throws = /^__cxa_(re)?throw$/;

function terminated({ frames }: StoppedStack, code: ProcessCode): Leaving | undefined {
  const at = frames.findIndex((frame) => terminates.test(frame.function ?? '') && !isOfProgram(frame, code));
  // The library's own handler is on its way to abort.
  if (at < 0 || !frames.slice(0, at).some((each) => isOfProgram(each, code))) return undefined;
  const outside = frames.slice(at + 1);
  const caller = outside.findIndex((each) => isOfProgram(each, code));
  const isThrown = outside.slice(0, Math.max(caller, 0)).some(({ function: name = '' }) => throws.test(name));
  const level = outside[caller]?.level;
  return { how: 'terminate', what: isThrown ? 'throw' : 'std::terminate', ...(level !== undefined && { level }) };
}

/** In a catch block, or in what that has called. */
async function caught({ image, threadPointer }: StoppedStack, code: ProcessCode): Promise<Leaving | undefined> {
  const pointer = hasCxxLibrary(code) ? await threadPointer?.() : undefined;
  const exception = pointer === undefined ? undefined : await caughtException(image, pointer);
  if (exception === undefined || exception === 'none') return undefined;
  const { type, what: text } = exception;
  return { how: 'caught', what: typeText(type), ...(text === undefined ? {} : { text }) };
}

function hasCxxLibrary({ modules }: ProcessCode): boolean {
  return modules.some(({ path }) => /\/libstdc\+\+\.so/.test(path));
}

async function thrown(stack: StoppedStack, code: ProcessCode): Promise<Leaving | undefined> {
  if (!hasCxxLibrary(code)) return undefined;
  const { frames, image, registers } = stack;
  const places = await Promise.all(frames.map(({ level }) => registers(level)));
  // What runs in the landing pad keeps the register that the pad keeps the exception in.
  for (const frame of [...frames].reverse()) {
    const own = places[frame.level];
    if (!isOfProgram(frame, code) || own === undefined) continue;
    const outer = places.slice(frame.level).map((known) => known?.stackPointer);
    const found = await thrownException(image, own, outer);
    if (found !== undefined) return { how: 'exception', ...found, level: frame.level };
  }
  return undefined;
}

function isOfProgram(frame: Frame, code: ProcessCode): boolean {
  const module = moduleOf(frame, code);
  if (module === undefined) return frame.line !== undefined;
  return module.isExecutable || !isSystemLibrary(module.path, code.mpis);
}
