/**
 * Whether a layout has the names of communicators and datatypes right. A program can rename every object, even
 * MPI_COMM_WORLD and MPI_INT, so no name disproves a layout. MPI's original name proves it, and so does the code of the
 * call that returns the name.
 */
import type { Module } from '../../image';
import type { Check, Known } from '../../mpi/records';
import { guard, unavailable } from '../../result';
import type { StructReader } from '../../struct';
import { codeFrom, references } from './code';
import { predefinedHandles, predefinedName } from './constants';
import { commNameSpec, datatypeNameSpec } from './specs';

/** The kinds that have predefined objects with names that a program can change. */
export type RenamableKind = 'comm' | 'datatype';

const kinds = {
  comm: { spec: commNameSpec, call: 'MPI_Comm_get_name' },
  datatype: { spec: datatypeNameSpec, call: 'MPI_Type_get_name' },
} as const;

/** MPI_MAX_OBJECT_NAME: the bytes of a name. */
const nameBytes = 128;

/** `addressOf`: of a predefined object; undefined where there is none. Answers the checks that were passed, by kind. */
export async function checkNames(
  reader: StructReader,
  module: Module,
  addressOf: (kind: RenamableKind, handle: bigint) => bigint | undefined,
): Promise<ReadonlyMap<RenamableKind, Check>> {
  const passed = new Map<RenamableKind, Check>();
  for (const kind of ['comm', 'datatype'] as const) {
    const check = (await keptName(reader, kind, addressOf)) ?? (await offsetInCode(reader, module, kind));
    if (check !== undefined) passed.set(kind, check);
  }
  return passed;
}

/** The first predefined object that still has its original name. */
async function keptName(
  reader: StructReader,
  kind: RenamableKind,
  addressOf: (kind: RenamableKind, handle: bigint) => bigint | undefined,
): Promise<Check | undefined> {
  for (const handle of predefinedHandles(kind)) {
    const address = addressOf(kind, handle);
    const name = predefinedName(kind, handle)!;
    const found = address === undefined ? undefined : await guard(() => reader.read(kinds[kind].spec, address));
    if (found?.ok === true && found.value.name === name)
      return { name: `name of ${name}`, passed: true, found: name, expected: name };
  }
  return undefined;
}

async function offsetInCode(reader: StructReader, module: Module, kind: RenamableKind): Promise<Check | undefined> {
  const { spec, call } = kinds[kind];
  const expected = await reader.offsetOf(spec, 'name');
  const code = await codeFrom(reader.image, module, `P${call}`, 1);
  const offsets = new Set(code.flatMap((each) => [...references.offsetsCopied(each, nameBytes)]));
  if (offsets.size !== 1 || !offsets.has(expected)) return undefined;
  return { name: `offset that ${call} reads`, passed: true, found: String(expected), expected: String(expected) };
}

/** `name`: as the layout has it. */
export function believedName(
  { provedNames }: { provedNames: ReadonlySet<RenamableKind> },
  kind: RenamableKind,
  name: string,
): Known<string> {
  return provedNames.has(kind) ? name : unproved;
}

const unproved = unavailable(
  'MPIDBG_ERR_NOT_SUPPORTED',
  'the program has renamed all that MPI gave a name: where this MPICH keeps names is not certain',
);
