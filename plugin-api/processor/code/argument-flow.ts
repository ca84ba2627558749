/**
 * Where the arguments of a function are when it stands at one of its instructions: its code is followed from its start,
 * over all branches. Where ways meet, only what holds on each of them is kept.
 */
import type { CodeSource, Piece } from './code';
import { FrameState } from './frame-state';
import type { Flow, Instruction, Operand } from '../instruction';
import { step, valueOf } from './step';
import { moduleAddress, type Value } from './value';

/** The code cannot be followed; the message says why. */
export class UnknownFlowError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnknownFlowError';
  }
}

/** What holds at one instruction of a function. */
export interface FrameFacts {
  state: FrameState;
  /** The call behind which it stands: what its registers and the function to call held. */
  call?: { state: FrameState; target: Value | undefined };
}

const maxInstructions = 30_000;

/**
 * `start`: the function's first instruction; `at`: the next that it runs, or the one behind a call that has not
 * returned. Rejects with UnknownFlowError or UnknownInstructionError.
 */
export async function argumentFlow(code: CodeSource, start: number, at: number): Promise<FrameFacts> {
  const own = await code.pieceAt(start);
  if (own?.start !== start) throw new UnknownFlowError(noBounds);
  return new Flows(code, own).run(at);
}

/**
 * What holds where a function jumps to another one, `to`, that takes its place. Rejects as argumentFlow does, also where it
 * never does so.
 */
export async function tailCall(code: CodeSource, start: number, to: number): Promise<FrameState> {
  const own = await code.pieceAt(start);
  if (own?.start !== start) throw new UnknownFlowError(noBounds);
  return new Flows(code, own).jumpTo(to);
}

const noBounds = 'where the function begins and ends is not known';

class Flows {
  /** What is known before an instruction, of those that several ways lead to. */
  private readonly states = new Map<number, FrameState>();
  private readonly open: number[] = [];
  private readonly pieces: Piece[];
  private readonly isPart = new Map<number, Promise<boolean>>();
  private readonly calls = new Map<number, { state: FrameState; target: Value | undefined }>();
  /** At jumps to other functions. */
  private readonly tails = new Map<number, FrameState>();
  private followed = 0;

  constructor(
    private readonly code: CodeSource,
    private readonly own: Piece,
  ) {
    this.pieces = [own];
  }

  async jumpTo(address: number): Promise<FrameState> {
    await this.followAll();
    const state = this.tails.get(address);
    if (state === undefined) throw new UnknownFlowError('its program counter is in code the function never reaches');
    return state;
  }

  async run(at: number): Promise<FrameFacts> {
    await this.followAll();
    const call = this.calls.get(at);
    // Behind a call that never returns there is nothing: it stands in that call.
    const state = this.states.get(at) ?? call?.state;
    if (state === undefined) throw new UnknownFlowError('no way through its code leads to where it stands');
    return call === undefined ? { state } : { state, call };
  }

  private async followAll(): Promise<void> {
    this.reach(this.own.start, FrameState.atEntry());
    for (let address = this.open.pop(); address !== undefined; address = this.open.pop()) await this.follow(address);
  }

  private reach(address: number, state: FrameState): void {
    const known = this.states.get(address);
    if (known === undefined) this.states.set(address, state.copy());
    else if (!known.join(state)) return;
    if (!this.open.includes(address)) this.open.push(address);
  }

  /** One instruction, and what lies behind it. */
  private async follow(address: number): Promise<void> {
    if (++this.followed > maxInstructions) throw new UnknownFlowError('its code is too long');
    const fetched = this.code.instructionAt(address);
    const instruction = fetched instanceof Promise ? await fetched : fetched;
    const state = this.states.get(address)!.copy();
    const next = address + instruction.length;
    const { flow } = instruction;
    if (flow.kind === 'call' || flow.kind === 'indirectCall')
      this.calls.set(next, { state: state.copy(), target: targetOf(state, flow, address, next) });
    step(state, instruction, next);
    switch (flow.kind) {
      case 'next':
        return this.goOn(next, state);
      case 'call':
        if (await this.code.mayReturn(address + flow.target)) this.goOn(next, state);
        return;
      case 'indirectCall':
        if (await this.mayReturn(flow.through, next)) this.goOn(next, state);
        return;
      case 'branch':
        this.goOn(next, state);
        return this.jump(address + flow.target, state);
      case 'jump':
        return this.jump(address + flow.target, state);
      case 'indirectJump':
        return this.leave(state, instruction, next);
      case 'end':
        return;
    }
  }

  private async mayReturn(through: Operand, next: number): Promise<boolean> {
    const isLinked = through.kind === 'memory' && through.isRelative;
    return !isLinked || this.code.mayReturnThrough(next + through.displacement);
  }

  /** Behind the end, a call that does not return has been the last instruction. */
  private goOn(next: number, state: FrameState): void {
    if (this.isOwn(next)) this.reach(next, state);
  }

  private async jump(to: number, state: FrameState): Promise<void> {
    if (this.isOwn(to) || (await this.isPartAt(to, state))) return this.reach(to, state);
    const known = this.tails.get(to);
    if (known === undefined) this.tails.set(to, state.copy());
    else known.join(state);
  }

  private isOwn(address: number): boolean {
    return this.pieces.some(({ start, end }) => start <= address && address < end);
  }

  /** Whether a jump leads to another part of this function, and not to another function that takes its place. */
  private async isPartAt(to: number, state: FrameState): Promise<boolean> {
    const piece = await this.code.pieceAt(to);
    if (piece === undefined) throw new UnknownFlowError('it jumps to unknown code');
    const isPart = piece.start !== to || state.stackOffset !== atEntry || (await this.comesBack(piece));
    if (isPart) this.pieces.push(piece);
    return isPart;
  }

  /** The part of a function that is rarely run jumps back into it. */
  private comesBack(piece: Piece): Promise<boolean> {
    let found = this.isPart.get(piece.start);
    if (found === undefined) this.isPart.set(piece.start, (found = this.search(piece)));
    return found;
  }

  private async search({ start, end }: Piece): Promise<boolean> {
    for (let address = start; address < end;) {
      const { flow, length } = await this.code.instructionAt(address);
      if ((flow.kind === 'branch' || flow.kind === 'jump') && this.isInside(address + flow.target)) return true;
      address += length;
    }
    return false;
  }

  private isInside(address: number): boolean {
    return this.own.start < address && address < this.own.end;
  }

  /** A jump through a table stays in the function: then nobody knows where it leads. */
  private leave(state: FrameState, { flow }: Instruction, next: number): void {
    const { through } = flow as Extract<Flow, { kind: 'indirectJump' }>;
    const isPointer = valueOf(state, through, next)?.kind === 'loaded';
    const isPlt = through.kind === 'memory' && through.isRelative;
    if (isPlt || (isPointer && state.stackOffset === atEntry)) return;
    throw new UnknownFlowError('its code jumps through a table');
  }
}

/** The return address is all that is on the stack. */
const atEntry = -8;

function targetOf(state: FrameState, flow: Flow, address: number, next: number): Value | undefined {
  if (flow.kind === 'call') return moduleAddress(address + flow.target);
  return flow.kind === 'indirectCall' ? valueOf(state, flow.through, next) : undefined;
}
