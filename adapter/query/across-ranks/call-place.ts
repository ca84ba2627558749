/** Where the program calls what a thread is in: its own line, past the headers and libraries that lie between it and MPI. */
import { basename } from 'node:path';
import { functionName } from '../../../plugin-api/mpi/callback';
import { LibraryCode } from '../../../plugin-api/mpi/library-code';
import { withoutParameters } from '../../../plugin-api/function-name';
import { moduleOf, type ProcessCode } from '../../expressions/code-modules';
import { isUserCode } from '../../expressions/frames';
import type { Frame } from '../../stacks/frame';
import { isMpiCall } from './mpi-calls';

/** Frames of one stack. */
export interface CallPlace {
  /** The frame of the program, with a line. */
  frame: Frame;
  /** The innermost function of a header through which the program has called, by a name that is meant to be called. */
  through?: Frame;
  /** The function of a library that the program, or a header, has called. */
  library?: Frame;
}

const shipped = new LibraryCode();

/** `frames`: innermost first. Where no frame but those of libraries has a line, the innermost one of them. undefined: none has. */
export function callPlace(frames: readonly Frame[], code: ProcessCode): CallPlace | undefined {
  const { libraries = shipped } = code;
  const withLine = frames.findIndex((frame) => isUserCode(frame, code));
  const own = frames.findIndex((frame) => isUserCode(frame, code) && !isOfLibrary(frame, code, libraries));
  const frame = frames[own] ?? frames[withLine];
  if (frame === undefined) return undefined;
  const inner = frames.slice(0, frames.indexOf(frame));
  const between = inner.slice(inner.findLastIndex(isOfMpi) + 1);
  const called = between.findLast((each) => !isInHeader(each));
  // What a library's functions call is its own affair, and so are its headers.
  const headers = called === undefined ? between : between.slice(between.indexOf(called) + 1);
  const through = headers.find((each) => !isOfStandard(each.function ?? ''));
  const library = called?.function === undefined ? undefined : called;
  return { frame, ...(through && { through }), ...(library && { library }) };

  function isInHeader(each: Frame): boolean {
    const module = moduleOf(each, code);
    return isUserCode(each, code) && (module === undefined || module.isExecutable || !libraries.holds(module.path));
  }

  function isOfMpi({ function: name = '', ...at }: Frame): boolean {
    const module = moduleOf(at, code);
    return isMpiCall(name) || code.mpis.isFinalizer(name) || (module !== undefined && code.mpis.isMpi(module.path));
  }
}

/** What the standard library of C++ does with itself says nothing of the program: std::call_once, __gthread_once. */
function isOfStandard(name: string): boolean {
  return /^std::|(?:^|::)_[A-Z_]\w*$/.test(shortName(name));
}

/** By its source, or by the library that it is in. */
function isOfLibrary(frame: Frame, code: ProcessCode, libraries: LibraryCode): boolean {
  const module = moduleOf(frame, code);
  const source = frame.fullName ?? frame.file;
  const isInside = module !== undefined && !module.isExecutable && libraries.holds(module.path);
  return isInside || (source !== undefined && libraries.holds(source));
}

/** "halo.c:88" */
export function placeText({ fullName = '', file = fullName, line }: Frame): string {
  return `${basename(file)}:${line}`;
}

/** "wrap::get" of "wrap::get<Particle>(int)", as a template's arguments may be longer than a line, and of "_ZN4wrap3getEi". */
export function shortName(name: string): string {
  const plain = withoutParameters(functionName(name, 'c'));
  if (/\boperator\W/.test(plain)) return plain;
  let depth = 0;
  return [...plain]
    .filter((letter) => {
      if (letter === '<') depth++;
      const isOutside = depth === 0;
      if (letter === '>') depth--;
      return isOutside;
    })
    .join('');
}
