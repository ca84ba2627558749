/** The innermost loop of a function around one of its instructions, as its branches make it. */
import type { CodeSource } from './code';
import { slotOf, UnknownInstructionError, type Instruction } from '../instruction';

/** In the module. isReturn: of a call, which is what counts. */
export interface Place {
  address: number;
  isReturn: boolean;
}

/** By their addresses in the module. */
export type Instructions = ReadonlyMap<number, Instruction>;

/** Functions with more are not looked into. */
const maxInstructions = 4000;

/** undefined: no loop is around it, or the code does not tell. Rejects as ProcessImage.readMemory does. */
export async function innermostLoop(code: CodeSource, place: Place): Promise<Instructions | undefined> {
  const piece = await code.pieceAt(place.isReturn ? place.address - 1 : place.address);
  if (piece === undefined) return undefined;
  const graph = new FlowGraph(code, piece);
  if (!(await graph.explore(place.address))) return undefined;
  const at = graph.instructionAt(place);
  return at === undefined ? undefined : graph.loopAround(at);
}

class FlowGraph {
  private readonly instructions = new Map<number, Instruction>();
  private readonly next = new Map<number, number[]>();
  private readonly before = new Map<number, number[]>();
  /** They lead to one of several places, which a table in memory tells. */
  private readonly switches: number[] = [];

  constructor(
    private readonly code: CodeSource,
    private readonly piece: { start: number; end: number },
  ) {}

  /** False where there is too much of it. Where nothing else leads to `address`, a switch may. */
  async explore(address: number): Promise<boolean> {
    if (!(await this.follow(this.piece.start))) return false;
    if (this.instructions.has(address)) return true;
    const isWhole = await this.follow(address);
    for (const each of this.switches) this.connect(each, address);
    return isWhole;
  }

  instructionAt({ address, isReturn }: Place): number | undefined {
    if (!isReturn) return this.instructions.has(address) ? address : undefined;
    return [...this.instructions].find(([at, { length, flow }]) => at + length === address && isCall(flow))?.[0];
  }

  /** From the outermost inwards: without the instructions where a loop begins only those within it are left. */
  loopAround(address: number): Instructions | undefined {
    let found: Set<number> | undefined;
    let within = new Set(this.instructions.keys());
    for (;;) {
      const cycle = this.cycleThrough(address, within);
      if (cycle === undefined) break;
      found = cycle;
      const heads = [...cycle].filter(
        (each) =>
          each === this.piece.start || this.before.get(each)!.some((other) => within.has(other) && !cycle.has(other)),
      );
      if (heads.length === 0 || heads.includes(address)) break;
      within = new Set([...cycle].filter((each) => !heads.includes(each)));
    }
    return found && new Map([...found].map((each) => [each, this.instructions.get(each)!]));
  }

  /** What lies on a way from an instruction to itself. */
  private cycleThrough(address: number, within: ReadonlySet<number>): Set<number> | undefined {
    const after = reached(address, this.next, within);
    if (!after.has(address)) return undefined;
    const leading = reached(address, this.before, within);
    return new Set([...after].filter((each) => leading.has(each)));
  }

  private async follow(start: number): Promise<boolean> {
    const open = [start];
    for (let address = open.pop(); address !== undefined; address = open.pop()) {
      if (this.instructions.has(address) || address < this.piece.start || address >= this.piece.end) continue;
      if (this.instructions.size >= maxInstructions) return false;
      const instruction = await this.read(address);
      if (instruction === undefined) continue;
      this.instructions.set(address, instruction);
      if (!this.before.has(address)) this.before.set(address, []);
      for (const next of await this.successors(address, instruction)) {
        this.connect(address, next);
        open.push(next);
      }
    }
    return true;
  }

  private connect(from: number, to: number): void {
    this.next.set(from, [...(this.next.get(from) ?? []), to]);
    this.before.set(to, [...(this.before.get(to) ?? []), from]);
  }

  private async read(address: number): Promise<Instruction | undefined> {
    try {
      return await this.code.instructionAt(address);
    } catch (error) {
      if (error instanceof UnknownInstructionError) return undefined;
      throw error;
    }
  }

  private async successors(address: number, { flow, length }: Instruction): Promise<number[]> {
    const next = address + length;
    switch (flow.kind) {
      case 'next':
        return [next];
      case 'branch':
        return [address + flow.target, next];
      case 'jump':
        return [address + flow.target];
      case 'call':
        return (await this.code.mayReturn(address + flow.target)) ? [next] : [];
      case 'indirectCall': {
        const slot = slotOf(flow.through, address + length);
        return slot === undefined || (await this.code.mayReturnThrough(slot)) ? [next] : [];
      }
      case 'indirectJump':
        this.switches.push(address);
        return [];
      case 'end':
        return [];
    }
  }
}

function isCall({ kind }: Instruction['flow']): boolean {
  return kind === 'call' || kind === 'indirectCall';
}

/** Along the edges; `start` itself only where a way leads back to it. */
function reached(
  start: number,
  edges: ReadonlyMap<number, readonly number[]>,
  within: ReadonlySet<number>,
): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [...(edges.get(start) ?? [])];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (found.has(each) || !within.has(each)) continue;
    found.add(each);
    open.push(...(edges.get(each) ?? []));
  }
  return found;
}
