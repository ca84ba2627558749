/** MPI handles in the Variables view: what the handle is, its fields below, and the raw value still there. */
import {
  describeAnswer,
  describeBriefly,
  describeFields,
  typeNames,
  type DescribedField,
} from '../../../plugin-api/mpi/describe';
import { describeAll } from '../../../plugin-api/mpi/describe-list';
import type { Answer, HandleKind, HandleRef } from '../../../plugin-api/mpi/records';
import type { Rank } from '../../job/rank';
import type { HandleValue } from '../../values/found-handle';
import type { JobQueries } from '../job-queries';
import { NoValueError } from './no-value-error';
import { maxListLength, type Page, type ShownVariable } from './shown-variable';

/** A handle as gdb alone shows it. */
export interface RawHandle {
  name: string;
  /** gdb's text. */
  value: string;
  type: string | undefined;
  evaluateName: string | undefined;
  children: ShownVariable['children'];
  /** Why an INTEGER is read as a handle. */
  because?: string;
}

export class HandleVariables {
  constructor(private readonly queries: JobQueries) {}

  /** `handle`: what stands there; for a status its address. */
  async show(rank: Rank, kind: HandleKind, handle: HandleValue, raw: RawHandle): Promise<ShownVariable> {
    const answer: Answer =
      handle.kind === 'unreadable'
        ? { kind, code: 'MPIDBG_ERR_UNAVAILABLE', reason: handle.why }
        : await this.queries.queryValue(rank, kind, handle.value, handle.form);
    const rawChild: ShownVariable = {
      name: 'raw value',
      value: rawText(handle.kind === 'value' ? handle.value : undefined, raw.value),
      ...(raw.type === undefined ? {} : { type: raw.type }),
      ...(raw.evaluateName === undefined ? {} : { evaluateName: raw.evaluateName }),
      ...(raw.children === undefined ? {} : { children: raw.children }),
    };
    return {
      ...rawChild,
      ...(isUntold(raw.type) ? { type: typeNames[kind] } : {}),
      name: raw.name,
      value: describeAnswer(answer),
      brief: describeBriefly(answer),
      handle: answer,
      children: {
        list: async () => [
          ...this.fieldsOf(rank, answer),
          ...(raw.because === undefined ? [] : [{ name: 'read as', value: `${typeNames[kind]}: ${raw.because}` }]),
          rawChild,
        ],
      },
    };
  }

  /** What a query of an expression answers: one handle, or a list of them. Throws RequestError where there is none. */
  ofAnswers(rank: Rank, name: string, answers: readonly Answer[]): ShownVariable {
    const [first, second] = answers;
    if (first === undefined) throw new NoValueError('it holds no handle');
    if (second === undefined) {
      if (first.code !== 'MPIDBG_SUCCESS') throw new NoValueError(first.reason);
      return { name, value: describeAnswer(first), children: { list: async () => this.fieldsOf(rank, first) } };
    }
    const list = async (): Promise<ShownVariable[]> =>
      answers.map((answer) => ({
        name: answer.expression ?? '',
        value: describeAnswer(answer),
        ...(answer.expression === undefined ? {} : { evaluateName: answer.expression }),
        ...(answer.code === 'MPIDBG_SUCCESS' ? { children: { list: async () => this.fieldsOf(rank, answer) } } : {}),
      }));
    return { name, value: describeAll(answers, answers.length), children: { list } };
  }

  /** What an answer has below its line. */
  fieldsOf(rank: Rank, answer: Answer): ShownVariable[] {
    if (answer.code !== 'MPIDBG_SUCCESS') return [];
    return describeFields(answer.info).map((field) => this.field(rank, field));
  }

  private field(rank: Rank, { name, text, ref, children }: DescribedField): ShownVariable {
    if (ref !== undefined) return { name, value: text, children: { list: () => this.follow(rank, ref) } };
    if (children.length === 0) return { name, value: text };
    const list = async ({ start, count }: Page): Promise<ShownVariable[]> =>
      children.slice(start, start + (count ?? maxListLength)).map((child) => this.field(rank, child));
    const isList = children[0]?.name === '[0]';
    return { name, value: text, children: { list, ...(isList ? { indexed: children.length } : {}) } };
  }

  private async follow(rank: Rank, ref: HandleRef): Promise<ShownVariable[]> {
    const answer = await this.queries.query(rank, ref.kind, BigInt(ref.handle));
    if (answer.code === 'MPIDBG_SUCCESS') return this.fieldsOf(rank, answer);
    return [
      { name: 'handle', value: ref.handle },
      { name: 'reason', value: answer.reason },
    ];
  }
}

/** The name of a handle's type is not kept in the arguments of templates. */
function isUntold(type = ''): boolean {
  return type === 'int' || (/^(struct )?\w+ \*( const)?$/.test(type) && !type.includes('MPI'));
}

/** `0x84000001 (-2080374783)`: the number, and what gdb shows where that is something else. */
function rawText(number: bigint | undefined, text: string): string {
  if (number === undefined || text.startsWith('0x')) return text;
  const unsigned = number < 0n ? BigInt.asUintN(32, number) : number;
  const hex = `0x${unsigned.toString(16)}`;
  return text === '' ? hex : `${hex} (${text})`;
}
