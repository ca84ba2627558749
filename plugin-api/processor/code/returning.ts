/** Which functions never return: behind a call of one, the code belongs to other ways. */
import { FaultError } from '../../result';
import { UnknownInstructionError, type Instruction } from '../instruction';

/** Functions of the C library, the compilers' and C++'s libraries. */
const endless =
  /^(_?exit|_Exit|quick_exit|abort|__assert(_fail|_perror_fail)?|__stack_chk_fail|__fortify_fail|__chk_fail|_?(sig)?longjmp|____longjmp_chk|pthread_exit|v?errx?|__cxa_(throw|rethrow|bad_cast|throw_bad_array_new_length)|_Unwind_Resume|_ZSt\d+__throw_\w+)$/;

const maxInstructions = 2000;
const maxDepth = 3;

interface Source {
  instructionAt(address: number): Instruction | Promise<Instruction>;
  /** The function of another module behind a slot. */
  linkedName(slot: number): Promise<string | undefined>;
}

export class Returning {
  private readonly known = new Map<number, boolean>();

  constructor(private readonly code: Source) {}

  /** True where it is not certain that the function does not return. `callers`: of functions that are looked at. */
  async mayReturn(start: number, callers: readonly number[] = []): Promise<boolean> {
    const known = this.known.get(start);
    if (known !== undefined) return known;
    if (callers.length > maxDepth || callers.includes(start)) return true;
    const answer = await this.search(start, [...callers, start]);
    this.known.set(start, answer);
    return answer;
  }

  async mayReturnThrough(slot: number): Promise<boolean> {
    const name = await this.code.linkedName(slot);
    return name === undefined || !endless.test(name);
  }

  private async search(start: number, callers: readonly number[]): Promise<boolean> {
    const open = [start];
    const seen = new Set<number>();
    try {
      for (let address = open.pop(); address !== undefined; address = open.pop()) {
        if (seen.has(address)) continue;
        seen.add(address);
        if (seen.size > maxInstructions) return true;
        const { flow, length } = await this.code.instructionAt(address);
        const next = address + length;
        switch (flow.kind) {
          case 'next':
            open.push(next);
            break;
          case 'branch':
            open.push(address + flow.target, next);
            break;
          case 'jump':
            open.push(address + flow.target);
            break;
          case 'call':
            if (await this.mayReturn(address + flow.target, callers)) open.push(next);
            break;
          case 'indirectCall':
            open.push(next);
            break;
          case 'indirectJump': {
            const { through } = flow;
            const isLinked = through.kind === 'memory' && through.isRelative;
            if (!isLinked || (await this.mayReturnThrough(next + through.displacement))) return true;
            break;
          }
          case 'end':
            if (flow.isReturn) return true;
            break;
        }
      }
      return false;
    } catch (error) {
      if (error instanceof UnknownInstructionError || error instanceof FaultError) return true;
      throw error;
    }
  }
}
