/** How a process died, from its core file. */
import type { Crash } from '../../../plugin-api/mpi/records';
import type { Frame } from '../../stacks/frame';
import { originalSignal } from '../../images/core/core-fault';
import type { CoreImage } from '../../images/core/core-image';
import type { ThreadStop } from '../../job/rank';
import { hasAddress, signalReason } from '../../../plugin-api/answers/signal-words';
import type { ProcessCode } from '../../expressions/code-modules';
import { isUserCode } from '../../expressions/frames';
import { isMpiCall, nameOfCall } from './mpi-calls';

/**
 * `frames`: of the thread that the signal hit, innermost first. undefined: the process lived on after its core was
 * written.
 */
export function crashOf(
  image: CoreImage,
  { signal }: ThreadStop,
  frames: readonly Frame[],
  processCode: ProcessCode,
): Crash | undefined {
  if (signal === undefined) return undefined;
  const isInMpi = (each: Frame): boolean => isMpiCall(each.function);
  const frame = frames.find((each) => isUserCode(each, processCode)) ?? frames.findLast(isInMpi) ?? frames[0];
  const where = frame === undefined ? '' : whereText(frame);
  const told = originalSignal(image.core, image.memory);
  const crash = {
    signal: signal.name,
    ...(frame === undefined ? {} : { frame: recordOf(frame) }),
  };
  if (told === undefined) return { ...crash, text: `${signal.name}${where}` };
  const { code, address, sender } = told;
  if (hasAddress(signal.name, code)) {
    const hex = `0x${address.toString(16)}`;
    const reason = signalReason(signal.name, code);
    // For SIGFPE and SIGILL it is the address of the instruction.
    const what = signal.name === 'SIGSEGV' || signal.name === 'SIGBUS' ? `, address ${hex}` : '';
    return {
      ...crash,
      address: hex,
      text: `${signal.name}${where}${what}${reason === undefined ? '' : ` (${reason})`}`,
    };
  }
  const abort = frames.find(({ function: name }) => isMpiCall(name) && /^P?MPI_Abort$|^mpi_abort/i.test(name ?? ''));
  if (abort !== undefined) return { ...crash, text: `${signal.name}: MPI_Abort called${where}` };
  const { process } = image.core;
  if (code <= 0 && sender !== 0 && sender !== process?.pid) {
    const from = sender === process?.parent ? 'the launcher' : `process ${sender}`;
    return { ...crash, wasSent: true, text: `aborted by ${from} with ${signal.name}${where}` };
  }
  if (code <= 0 && sender === process?.pid && wasInterrupted(signal.name, frames, processCode)) {
    const text = `aborted with ${signal.name}${where} (a handler or another thread of it raised the signal)`;
    return { ...crash, wasSent: true, text };
  }
  const reason = signalReason(signal.name, code);
  return { ...crash, text: `${signal.name}${where}${reason === undefined ? '' : ` (${reason})`}` };
}

const faults = new Set(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGTRAP', 'SIGSYS']);

/**
 * Whether the thread did something else when a signal came that its own process raised. gfortran's handler of a signal from
 * outside raises it once more, and the kernel delivers it when the handler has returned.
 */
function wasInterrupted(signal: string, frames: readonly Frame[], { mpis }: ProcessCode): boolean {
  const [innermost] = frames;
  if (faults.has(signal) || innermost === undefined) return false;
  // Functions of MPI's libraries mostly have no names, and none raises a signal without the C library's.
  const isInMpi = innermost.from !== undefined && mpis.ownerOf(innermost.from) !== undefined;
  if (!isInMpi && !isNamed(innermost)) return false;
  return !frames.some(({ function: name = '' }) => /abort|raise|gsignal|kill|sigqueue|^syscall$/i.test(name));
}

function isNamed({ function: name }: Frame): boolean {
  return name !== undefined && name !== '??';
}

/** Frames inside the MPI library are left out. */
function whereText(frame: Frame): string {
  return isMpiCall(frame.function) ? ` in ${nameOfCall(frame.function)}` : ` at ${placeText(frame)}`;
}

function placeText({ file, line, function: name, from, address }: Frame): string {
  if (file !== undefined && line !== undefined) return `${file.replace(/^.*\//s, '')}:${line}`;
  const library = from === undefined ? '' : ` in ${from.replace(/^.*\//s, '')}`;
  return `${name ?? (address === undefined ? '??' : `0x${address.toString(16)}`)}${library}`;
}

function recordOf({ function: name, fullName, file, line }: Frame): NonNullable<Crash['frame']> {
  const source = fullName ?? file;
  return { name: name ?? '??', ...(source === undefined ? {} : { source }), ...(line === undefined ? {} : { line }) };
}
