/**
 * The stacks of an OpenMP program's threads as in its source: a worker's frames are below the frame that started its region.
 * The stacks tell which frame that is: its thread is in the region too, or waits there for the region to end.
 * A worker stays by itself if several frames are possible.
 */
import { basename } from 'node:path';
import type { ProcessCode } from '../../expressions/code-modules';
import { openmpFrame, type Frame } from '../../stacks/frame';
import { nameOfCall } from './mpi-calls';
import {
  anyKind,
  isFork,
  nameInSource,
  placeOf,
  sourceStack,
  type Outlined,
  type SourceFrame,
  type SourceStack,
} from './openmp-frames';

export interface ShownFrame extends Frame {
  /** For a function that the compiler generated: "OpenMP region at x.c:40". */
  openmp?: string;
}

export interface CutStack {
  /** Outermost first. */
  frames: readonly Frame[];
  /** The stack begins further outside. */
  isCut: boolean;
}

/** `masters`: for each thread whose innermost region has another master, that master, if known. */
export function openMpStacks(
  stacks: readonly CutStack[],
  code: ProcessCode,
  masters: ReadonlyMap<number, number> = new Map(),
): ShownFrame[][] {
  const teams = new Teams(
    stacks.map(({ frames, isCut }) => sourceStack(frames, isCut, code)),
    code,
    masters,
  );
  return stacks.map((_, thread) => teams.shown(thread));
}

class Teams {
  /** For each worker, the frames down to the one that started its region. */
  private readonly callers = new Map<number, readonly ShownFrame[]>();
  /** Where regions start, for those that some thread is seen to enter. */
  private readonly begins = new Map<string, Set<string>>();

  constructor(
    private readonly stacks: readonly SourceStack[],
    private readonly code: ProcessCode,
    private readonly masters: ReadonlyMap<number, number>,
  ) {
    for (const { frames } of stacks) {
      frames.forEach(({ outlined }, i) => {
        const caller = frames[i - 1];
        if (outlined?.kind !== 'region' || caller === undefined) return;
        const { key } = outlined;
        this.begins.set(key, (this.begins.get(key) ?? new Set()).add(placeText(caller)));
      });
    }
  }

  /** Outermost first. */
  shown(thread: number): ShownFrame[] {
    const { frames, called } = this.stacks[thread]!;
    const shown = this.upTo(thread, frames.length);
    return called === undefined ? shown : [...shown, openmpFrame(called, nameInSource(called, this.code))];
  }

  /** With its own first `depth` frames. */
  private upTo(thread: number, depth: number): ShownFrame[] {
    const callers = this.callersOf(thread);
    const shown = [...callers];
    this.stacks[thread]!.frames.slice(0, depth).forEach(({ frame, outlined }, i) => {
      if (outlined === undefined) shown.push(frame);
      else {
        const kind = i === 0 && callers.length > 0 ? 'region' : outlined.kind;
        shown.push(shownOutlined(frame, { ...outlined, kind }, shown.at(-1)));
      }
    });
    return shown;
  }

  /** Empty: not a worker, or several frames may have started its region, among them frames that were not read. */
  private callersOf(thread: number): readonly ShownFrame[] {
    let callers = this.callers.get(thread);
    if (callers === undefined) {
      // A thread may seem to have started the region that it works in.
      this.callers.set(thread, []);
      this.callers.set(thread, (callers = this.findCallers(thread)));
    }
    return callers;
  }

  private findCallers(worker: number): readonly ShownFrame[] {
    const { frames, isWorker } = this.stacks[worker]!;
    const outlined = frames[0]?.outlined;
    if (!isWorker || outlined === undefined || outlined.kind === 'task') return [];
    const isInnermost = !frames.slice(1).some((frame) => frame.outlined?.kind === 'region');
    const master = isInnermost ? this.masters.get(worker) : undefined;
    const paths = new Map<string, ShownFrame[]>();
    this.stacks.forEach((stack, thread) => {
      if (thread === worker || (master !== undefined && thread !== master)) return;
      if (stack.isCut) paths.set('further outside', []);
      for (const depth of this.beginnings(stack, outlined)) {
        const path = this.upTo(thread, depth);
        paths.set(JSON.stringify(path.map((frame) => [frame.function, placeOf(frame), frame.openmp])), path);
      }
    });
    const [path] = paths.values();
    return paths.size === 1 && path !== undefined ? path : [];
  }

  /** For each frame that may have started the region, how many frames lead to it. */
  private beginnings({ frames, called }: SourceStack, outlined: Outlined): number[] {
    const inside = frames.flatMap((frame, i) =>
      i > 0 && frame.outlined?.key === outlined.key && frame.outlined.kind === 'region' ? [i] : [],
    );
    const last = frames.at(-1);
    if (last === undefined || called === undefined || isFork(called) === false) return inside;
    return this.mayHaveBegun(last, outlined) ? [...inside, frames.length] : inside;
  }

  /** `caller` has called the runtime, and is in none of its regions. */
  private mayHaveBegun(caller: SourceFrame, { key, source, construct }: Outlined): boolean {
    const begins = this.begins.get(key);
    if (begins !== undefined) return begins.has(placeText(caller));
    if (source !== undefined) return sourceOf(caller) === source;
    const place = placeOf(caller.frame);
    return place !== undefined && place.file === construct?.file && place.line === construct.line;
  }
}

function sourceOf({ frame, outlined }: SourceFrame): string | undefined {
  return outlined === undefined ? nameOfCall(frame.function) : outlined.source;
}

function placeText(frame: SourceFrame): string {
  return JSON.stringify([frame.frame.function, placeOf(frame.frame)]);
}

function shownOutlined(frame: Frame, outlined: Outlined, caller: ShownFrame | undefined): ShownFrame {
  const { kind, source, construct } = outlined;
  const begin = kind === 'region' && caller !== undefined ? placeOf(caller) : construct;
  const at = begin === undefined ? '' : ` at ${basename(begin.file)}:${begin.line}`;
  const openmp = `OpenMP ${kind ?? anyKind}${at}`;
  // With debug information the caller is the function whose code it is, also where it was inlined.
  const name = kind === 'region' && caller?.line !== undefined ? nameOfCall(caller.function) : source;
  return name === undefined ? { ...frame, function: openmp } : { ...frame, function: name, openmp };
}
