/**
 * How a datatype was constructed, as one short text: `contiguous(48 × MPI_DOUBLE)`, `vector(4 × 2 MPI_INT, stride 3)`.
 */
import { counted } from '../counted';
import { isUnavailable } from '../result';
import { isConstantName, quoted } from './describe-ref';
import type { DatatypeInfo } from './records';

/** Nesting depth and struct members beyond which "…" is written. */
const maxDepth = 3;
const maxMembers = 4;

/** '' if unknown, and for named types. */
export function datatypeStructure(info: DatatypeInfo): string {
  if (isUnavailable(info.combiner) || info.combiner === 'MPI_COMBINER_NAMED') return '';
  return structure(info, 0);
}

function structure({ combiner, contents }: DatatypeInfo, depth: number): string {
  if (isUnavailable(combiner)) return '…';
  const name = combiner.replace('MPI_COMBINER_', '').toLowerCase();
  if (contents === undefined || isUnavailable(contents)) return name;
  const types = contents.datatypes.map((type) => typeText(type, depth + 1));
  const write = writers[name.replace(/_integer$/, '')];
  const text = write?.(contents.integers, contents.addresses.map(String), types) ?? types.join(', ');
  return text === '' ? name : `${name}(${text})`;
}

function typeText(info: DatatypeInfo, depth: number): string {
  if (!isUnavailable(info.name) && info.name !== '') return isConstantName(info.name) ? info.name : quoted(info.name);
  return depth > maxDepth ? '…' : structure(info, depth);
}

/** Takes the arguments as MPI_Type_get_contents returns them (MPI 4.1, 5.1.13); the first type is the element type. */
type Writer = (integers: readonly number[], addresses: readonly string[], types: readonly string[]) => string;

const sized: Writer = ([blocks = 0, length = 0], [stride], [type = '…']) =>
  `${blocks} × ${length} ${type}, stride ${stride === undefined ? 'unknown' : counted(stride, 'byte')}`;
const blockwise: Writer = ([blocks = 0, length = 0], _, [type = '…']) =>
  `${counted(blocks, 'block')} of ${length} ${type}`;
const indexed: Writer = ([blocks = 0, ...rest], _, [type = '…']) =>
  `${sum(rest.slice(0, blocks))} ${type} in ${counted(blocks, 'block')}`;

const writers: Readonly<Record<string, Writer>> = {
  contiguous: ([count], _, [type = '…']) => `${count} × ${type}`,
  vector: ([blocks, length, stride], _, [type = '…']) => `${blocks} × ${length} ${type}, stride ${stride}`,
  hvector: sized,
  indexed,
  hindexed: indexed,
  indexed_block: blockwise,
  hindexed_block: blockwise,
  struct: ([members = 0, ...lengths], _, types) => {
    const shown = types.slice(0, Math.min(members, maxMembers));
    const parts = shown.map((type, i) => (lengths[i] === 1 ? type : `${lengths[i]} × ${type}`));
    return [...parts, ...(members > shown.length ? [`… ${members} in all`] : [])].join(', ');
  },
  subarray: ([dimensions = 0, ...rest], _, [type = '…']) => {
    const [sizes, subsizes, starts] = [0, 1, 2].map((i) => rest.slice(i * dimensions, (i + 1) * dimensions));
    return `${subsizes?.join('×')} of ${sizes?.join('×')} ${type}, from ${starts?.join(',')}`;
  },
  darray: ([size, rank, dimensions = 0, ...rest], _, [type = '…']) =>
    `${rest.slice(0, dimensions).join('×')} ${type}, part ${rank} of ${size}`,
  resized: (_, [lb, extent], [type = '…']) =>
    lb === '0' ? `${type}, extent ${extent}` : `${type}, lb ${lb}, extent ${extent}`,
  f90_real: ([p, r]) => `${p}, ${r}`,
  f90_complex: ([p, r]) => `${p}, ${r}`,
  f90: ([r]) => `${r}`,
};

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
