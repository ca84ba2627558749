/**
 * What code may call from some place on: its own functions are followed, those of which it takes the address, and what catches an
 * exception that leaves a call; functions of other modules are told by where they are. A call through a pointer may lead anywhere.
 */
import type { Module, ProcessImage } from '../../image';
import { FaultError, guard } from '../../result';
import { caughtCalls, type CaughtCalls } from '../unwind/landing-pads';
import { UnwindError } from '../unwind/unwind-error';
import { ModuleCode } from './code';
import type { Instructions } from './innermost-loop';
import { slotOf, UnknownInstructionError, type Instruction } from '../instruction';

/** A function of another module, by its name. */
export interface LinkedCall {
  name: string;
  module: Module;
  address: bigint;
}

export interface ReachableCalls {
  linked: readonly LinkedCall[];
  /** False: there are calls whose target is not known, or more code than is followed. */
  isComplete: boolean;
}

/** More than a thread that only watches has. */
const maxInstructions = 10_000;

/** `start`: behind a call that has not returned, or where a function begins. */
export async function reachableCalls(image: ProcessImage, module: Module, start: bigint): Promise<ReachableCalls> {
  return new Search(image, module).from(Number(start - module.bias));
}

/** What these instructions call, and what that may call. */
export async function callsOf(
  image: ProcessImage,
  module: Module,
  instructions: Instructions,
): Promise<ReachableCalls> {
  return new Search(image, module).ofAll(instructions);
}

class Search {
  private readonly code: ModuleCode;
  private readonly open: number[] = [];
  private readonly seen = new Set<number>();
  private readonly linked = new Map<string, LinkedCall>();
  private readonly caught: CaughtCalls[] = [];
  private isComplete = true;

  constructor(
    private readonly image: ProcessImage,
    private readonly module: Module,
  ) {
    this.code = new ModuleCode(image, module);
  }

  async from(start: number): Promise<ReachableCalls> {
    this.add(start);
    const piece = await this.code.pieceAt(start);
    if (piece !== undefined && piece.start < start) await this.addPads(start - 1);
    return this.all();
  }

  async ofAll(instructions: Instructions): Promise<ReachableCalls> {
    for (const [address, { flow, length }] of instructions) {
      if (flow.kind === 'call') this.add(address + flow.target);
      if (flow.kind === 'indirectCall') await this.callThrough(slotOf(flow.through, address + length));
    }
    return this.all();
  }

  private async all(): Promise<ReachableCalls> {
    for (let address = this.open.pop(); address !== undefined; address = this.open.pop()) {
      if (this.seen.has(address)) continue;
      this.seen.add(address);
      if (this.seen.size > maxInstructions) {
        this.isComplete = false;
        break;
      }
      await this.follow(address);
    }
    return { linked: [...this.linked.values()], isComplete: this.isComplete };
  }

  private async follow(address: number): Promise<void> {
    const instruction = await this.instructionAt(address);
    if (instruction === undefined) return;
    const { effect, flow, length } = instruction;
    const next = address + length;
    if (flow.kind === 'call' || flow.kind === 'indirectCall') await this.addPads(address);
    // A function whose address is taken may be called.
    if (effect.kind === 'address' && effect.of.isRelative) {
      const taken = next + effect.of.displacement;
      if (this.isCode(taken)) this.add(taken);
    }
    switch (flow.kind) {
      case 'next':
        this.add(next);
        break;
      case 'branch':
        this.add(address + flow.target);
        this.add(next);
        break;
      case 'jump':
        this.add(address + flow.target);
        break;
      case 'call':
        this.add(address + flow.target);
        if (await this.code.mayReturn(address + flow.target)) this.add(next);
        break;
      case 'indirectCall':
      case 'indirectJump': {
        const slot = slotOf(flow.through, next);
        await this.callThrough(slot);
        if (flow.kind === 'indirectCall' && (slot === undefined || (await this.code.mayReturnThrough(slot))))
          this.add(next);
        break;
      }
      case 'end':
        break;
    }
  }

  private async instructionAt(address: number): Promise<Instruction | undefined> {
    try {
      return await this.code.instructionAt(address);
    } catch (error) {
      if (!(error instanceof UnknownInstructionError)) throw error;
      this.isComplete = false;
      return undefined;
    }
  }

  /** The name of a slot that the dynamic linker fills tells where it leads, also before the first call. */
  private async callThrough(slot: number | undefined): Promise<void> {
    const read = slot === undefined ? undefined : await guard(() => this.code.linkedName(slot));
    const name = read?.ok === true ? read.value : undefined;
    const symbol = name === undefined ? undefined : await this.image.findSymbol(name);
    if (name === undefined || symbol === undefined) this.isComplete = false;
    else if (symbol.module.path === this.module.path) this.add(Number(symbol.address - this.module.bias));
    else this.linked.set(name, { name, module: symbol.module, address: symbol.address });
  }

  /** Where what leaves this call by an exception is caught. */
  private async addPads(call: number): Promise<void> {
    const { bias } = this.module;
    const at = bias + BigInt(call);
    let known = this.caught.find(({ start, end }) => start <= at && at < end);
    if (known === undefined) {
      try {
        known = await caughtCalls(this.image, this.module, at);
      } catch (error) {
        if (!(error instanceof UnwindError) && !(error instanceof FaultError)) throw error;
        this.isComplete = false;
      }
      if (known === undefined) return;
      this.caught.push(known);
    }
    for (const { start, end, pad } of known.pads) if (start <= at && at < end) this.add(Number(pad - bias));
  }

  private add(address: number): void {
    this.open.push(address);
  }

  private isCode(address: number): boolean {
    const at = this.module.bias + BigInt(address);
    return this.module.segments.some(
      (segment) => segment.executable && segment.address <= at && at < segment.address + BigInt(segment.size),
    );
  }
}
