/** A handle in a row that is cut after some 30 characters, beside which the client shows the declared type elsewhere. */
import { isUnavailable } from '../result';
import { describeAnswer, typeNames } from './describe';
import { describeColumns, describeDetails } from './describe-details';
import { describeElement } from './describe-list';
import { isConstantName, quoted } from './describe-ref';
import type { Answer, CommInfo, HandleKind, Info } from './records';

/**
 * `"ocean" 3/12 · cart 3×4`, `"halo" · allocate · 800 bytes`, `receive from 2 · tag 1 · 600 MPI_DOUBLE`: the name, then what tells it
 * from others. `declared`: the type in the program; where it is not the handle's, as an INTEGER of Fortran, the kind stands last.
 */
export function describeInRow(answer: Answer, declared: string | undefined): string {
  if (answer.code !== 'MPIDBG_SUCCESS') return describeAnswer(answer);
  const { kind } = answer;
  const name = kind === 'status' ? '' : nameInRow(answer.info as Info<string>);
  const line = lineOf(answer, kind, name);
  const isTypeTold = isConstantName(name) || isOfType(declared, typeNames[kind]);
  return isTypeTold ? line : [line, typeNames[kind]].filter((part) => part !== '').join(' · ');
}

function lineOf(answer: Answer & { code: 'MPIDBG_SUCCESS' }, kind: HandleKind, name: string): string {
  const details = describeDetails(kind, answer.info);
  if (kind === 'request' || kind === 'status') return describeElement(answer);
  if (kind === 'comm' && name !== '') return commInRow(name, answer.info as CommInfo);
  return [name, ...details].filter((part) => part !== '').join(' · ');
}

/** With `3/12` for "rank 3 of 12". */
function commInRow(name: string, info: CommInfo): string {
  const [internal = '', rankAndSize = '', ...others] = describeColumns('comm', info);
  const { rank, size } = info;
  const isKnown = rankAndSize !== '' && !isUnavailable(rank) && !isUnavailable(size);
  const first = isKnown ? [`${name} ${rank}/${size}`] : [name, rankAndSize];
  return [...first, internal, ...others].filter((part) => part !== '').join(' · ');
}

/** '' where it has none. */
function nameInRow({ name, constant, flags }: Info<string>): string {
  if (name === '' || isUnavailable(name)) return constant ?? '';
  return flags.includes('predefined') && isConstantName(name) ? name : quoted(name);
}

/** `const MPI_Comm &`, `Type MPI_Comm` */
function isOfType(declared: string | undefined, type: string): boolean {
  return declared?.replace(/^(?:const |type )+|(?: const| ?&)+$/gi, '') === type;
}
