/** What a handle is, for gdb's Python while it holds a rank. */
import type { ProcessImage } from '../../plugin-api/image';
import { describeAnswer } from '../../plugin-api/mpi/describe';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { isUnavailable, success } from '../../plugin-api/result';
import type { Evidence } from '../../plugin-api/mpi/identity';
import type { HandleAnswer, HandleEvidence } from '../gdb/python/handle-questions';
import type { HandleForm } from '../values/found-handle';
import { answerOfValue } from './value-answer';

/** `value`: in C as it is in a register, whose upper half may be anything. */
export async function handleAnswer(
  process: MpiProcess,
  image: ProcessImage,
  kind: HandleKind,
  value: bigint,
  form: HandleForm,
): Promise<HandleAnswer> {
  const bits = 8 * process.handleSize(kind);
  const answer = await answerOfValue(process, image, kind, form === 'c' ? BigInt.asUintN(bits, value) : value, form);
  if (answer.code !== 'MPIDBG_SUCCESS') {
    const isUnknown = answer.code === 'MPIDBG_ERR_NOT_SUPPORTED' || answer.code === 'MPIDBG_ERR_UNAVAILABLE';
    return { text: isUnknown ? '' : describeAnswer(answer), bits, why: answer.reason };
  }
  const { info } = answer;
  const text = describeAnswer(answer);
  if (!('name' in info)) return { text, bits, why: 'a status is no handle' };
  const size = 'size' in info && !isUnavailable(info.size) ? info.size : undefined;
  return {
    text,
    bits,
    facts: {
      handle: String(BigInt(info.handle)),
      name: isUnavailable(info.name) ? '' : info.name,
      ...(kind === 'datatype' && size !== undefined ? { size: String(size) } : {}),
      isPredefined: (info.flags as readonly string[]).some((flag) => /predefined|null/i.test(flag)),
    },
  };
}

/**
 * Without a text, with the memory that the facts follow from. undefined: the plugin does not tell it of this handle, or there is no
 * such handle. `value` as above.
 */
export async function handleFacts(
  process: MpiProcess,
  image: ProcessImage,
  kind: HandleKind,
  value: bigint,
  form: HandleForm,
): Promise<HandleAnswer | undefined> {
  if (process.identity === undefined || form === 'cxx') return undefined;
  const bits = 8 * process.handleSize(kind);
  const handle = form === 'c' ? success(BigInt.asUintN(bits, value)) : await process.fortranToC(kind, Number(value));
  const found = handle.ok ? await process.identity(kind, handle.value) : handle;
  if (!found.ok || found.value === undefined) return undefined;
  const { evidence, handle: inC, name, size, isPredefined } = found.value;
  return {
    text: '',
    bits,
    facts: {
      handle: String(inC),
      name,
      ...(kind === 'datatype' && size !== undefined ? { size: String(size) } : {}),
      isPredefined,
      evidence: await evidenceIn(image, evidence),
    },
  };
}

async function evidenceIn(image: ProcessImage, evidence: readonly Evidence[]): Promise<HandleEvidence> {
  const same = evidence.filter((each) => each.isCount !== true);
  return {
    same: await Promise.all(
      same.map(async ({ address, length }) => {
        const bytes = await image.readMemory(address, length);
        return [String(address), Buffer.from(bytes).toString('hex')] as const;
      }),
    ),
    positive: evidence.filter((each) => each.isCount === true).map(({ address }) => String(address)),
  };
}
