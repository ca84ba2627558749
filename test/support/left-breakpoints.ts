/** Breakpoints that a debugger has left in the code of a process: the process dies of the next one that it meets. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const breakpointInstruction = 0xcc;

/**
 * "/lib/ld.so+0x2060": where the code is a breakpoint instruction in memory and another one in the file. Reads all code, as
 * the guardians do not. For x86-64.
 */
export function leftBreakpoints(pid: number): string[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, start, end, offset, path] = /^(\w+)-(\w+) r-xp (\w+) \S+ [1-9]\d* +(\/.*)$/.exec(line) ?? [];
        if (start === undefined || end === undefined || offset === undefined || path === undefined) return [];
        const length = parseInt(end, 16) - parseInt(start, 16);
        const inMemory = bytesOf(memory, parseInt(start, 16), length);
        const file = openSync(path, 'r');
        const inFile = bytesOf(file, parseInt(offset, 16), length);
        closeSync(file);
        const differs = (at: number): boolean => at < inFile.length && inMemory[at] !== inFile[at];
        const isPatched = (at: number): boolean => differs(at) && inMemory[at] !== breakpointInstruction;
        const places = [];
        for (
          let at = inMemory.indexOf(breakpointInstruction);
          at !== -1;
          at = inMemory.indexOf(breakpointInstruction, at + 1)
        )
          if (differs(at) && !around(at).some(isPatched)) places.push(at);
        return places.map((at) => `${path}+0x${(parseInt(offset, 16) + at).toString(16)}`);
      });
  } finally {
    closeSync(memory);
  }
}

/** Open MPI and UCX put instructions of their own into functions, to be called first; their addresses may have this byte. */
function around(at: number): number[] {
  return Array.from({ length: 33 }, (_, index) => at - 16 + index).filter((each) => each >= 0);
}

function bytesOf(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}
