/** Which places in memory alone decide whether a loop ends: they are read again and again, and the loop does not write them itself. */
import type { Instruction, MemoryOperand } from '../instruction';
import { rdi, scratchRegisters } from '../x86-64/registers';
import type { Instructions } from './innermost-loop';
import { LoopState, UnknownLoopError, united, type LoopFrame, type PolledPlace, type Steady } from './loop-values';

/** keeps: it writes nothing that the loop reads. loads: it returns so many bytes from where its first argument points, and writes nothing. */
export type CalledInLoop = { kind: 'keeps' } | { kind: 'loads'; bytes: number };

/** What the function that the instruction calls does; undefined: it may do anything. */
export type CallsInLoop = (address: number, instruction: Instruction) => Promise<CalledInLoop | undefined>;

/** How often states are joined at most. */
const maxSteps = 20_000;

/**
 * `at`: an instruction of the loop, where the registers of `frame` hold. Empty: the code has no way out of the loop. undefined: something else may
 * end it, or what it does is not followed. Rejects as ProcessImage.readMemory does.
 */
export async function conditionsOf(
  loop: Instructions,
  at: number,
  frame: LoopFrame,
  calls: CallsInLoop,
): Promise<readonly PolledPlace[] | undefined> {
  try {
    return await new Walk(loop, at, frame, calls).conditions();
  } catch (error) {
    if (error instanceof UnknownLoopError) return undefined;
    throw error;
  }
}

class Walk {
  private steps = 0;

  constructor(
    private readonly loop: Instructions,
    private readonly at: number,
    private readonly frame: LoopFrame,
    private readonly calls: CallsInLoop,
  ) {}

  async conditions(): Promise<readonly PolledPlace[] | undefined> {
    const changed = changedBy(this.loop);
    const start = LoopState.before(this.frame, changed, []);
    const written = [...this.loop].flatMap(([address, instruction]) => {
      const store = storeOf(instruction);
      if (store === undefined) return [];
      const to = start.addressOf(store.to, address + instruction.length)?.value;
      if (to === undefined) throw new UnknownLoopError();
      return [{ address: to, bytes: store.bytes }];
    });
    // What the first round has left is what each further one begins with.
    const first = await this.round(LoopState.before(this.frame, changed, written));
    const { states } = await this.round(first.arriving);
    const exits: Steady[] = [];
    const inner: Steady[] = [];
    let isGated = false;
    for (const [address, { flow, length, form }] of this.loop) {
      const next = [address + length];
      if (flow.kind === 'branch') next.push(address + flow.target);
      if (flow.kind === 'indirectJump') return undefined;
      if (flow.kind !== 'branch') continue;
      const flags = states.get(address)?.flags;
      if (next.every((each) => this.loop.has(each))) {
        inner.push(flags);
        continue;
      }
      // These count a register down.
      if (form.opcode !== undefined && form.opcode >= 0xe0 && form.opcode < 0xe4) return undefined;
      exits.push(flags);
      isGated ||= this.goesRoundWithout(address);
    }
    // A way out that not every round comes by is open already, perhaps: what leads to it decides, too.
    return united(isGated ? [...exits, ...inner] : exits)?.places;
  }

  /** Whether the loop has a round in which this instruction is not executed. */
  private goesRoundWithout(excluded: number): boolean {
    // What has no successor left is on no round.
    const left = new Set([...this.loop.keys()].filter((address) => address !== excluded));
    for (let isDone = false; !isDone;) {
      isDone = true;
      for (const address of left) {
        if (nextOf(address, this.loop.get(address)!).some((next) => left.has(next))) continue;
        left.delete(address);
        isDone = false;
      }
    }
    return left.size > 0;
  }

  /** Once through the loop, and what is left where it began. */
  private async round(start: LoopState): Promise<{ states: ReadonlyMap<number, LoopState>; arriving: LoopState }> {
    const states = new Map([[this.at, start]]);
    const open = [this.at];
    let arriving: LoopState | undefined;
    for (let address = open.pop(); address !== undefined; address = open.pop()) {
      if (++this.steps > maxSteps) throw new UnknownLoopError();
      const instruction = this.loop.get(address)!;
      const state = states.get(address)!.copy();
      await this.follow(state, address, instruction);
      for (const next of nextOf(address, instruction).filter((each) => this.loop.has(each))) {
        if (next === this.at) {
          if (arriving === undefined) arriving = state.copy();
          else arriving.join(state);
          continue;
        }
        const known = states.get(next);
        if (known === undefined) states.set(next, state.copy());
        else if (!known.join(state)) continue;
        if (!open.includes(next)) open.push(next);
      }
    }
    if (arriving === undefined) throw new UnknownLoopError();
    return { states, arriving };
  }

  private async follow(state: LoopState, address: number, instruction: Instruction): Promise<void> {
    const { flow, length } = instruction;
    if (flow.kind !== 'call' && flow.kind !== 'indirectCall') return state.step(instruction, address + length);
    const called = await this.calls(address, instruction);
    if (called === undefined) throw new UnknownLoopError();
    const result = called.kind === 'loads' ? await state.load(state.register(rdi, 8)?.value, called.bytes) : undefined;
    state.called(scratchRegisters, result);
  }
}

function nextOf(address: number, { flow, length }: Instruction): number[] {
  switch (flow.kind) {
    case 'branch':
      return [address + length, address + flow.target];
    case 'jump':
      return [address + flow.target];
    case 'next':
    case 'call':
    case 'indirectCall':
      return [address + length];
    default:
      return [];
  }
}

function changedBy(loop: Instructions): ReadonlySet<number> {
  const changed = new Set<number>();
  for (const { effect, flow } of loop.values()) {
    if (flow.kind === 'call' || flow.kind === 'indirectCall') for (const each of scratchRegisters) changed.add(each);
    if (effect.kind === 'copy' && effect.to.kind === 'register') changed.add(effect.to.number);
    if (effect.kind === 'address' || effect.kind === 'add') changed.add(effect.to);
    if (effect.kind === 'write') for (const each of effect.registers) changed.add(each);
  }
  return changed;
}

function storeOf({ effect }: Instruction): { to: MemoryOperand; bytes: number } | undefined {
  if (effect.kind === 'copy' && effect.to.kind === 'memory')
    return { to: effect.to, bytes: effect.isExtended ? 8 : effect.bytes };
  if (effect.kind === 'write' && effect.memory !== undefined)
    return { to: effect.memory.operand, bytes: effect.memory.bytes };
  return undefined;
}
