/** The handle that a value of the program stands for, in each of the forms that it may have. */
import type { ProcessImage } from '../../plugin-api/image';
import { handleInCxxObject } from '../../plugin-api/mpi/cxx-object';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import type { Answer, HandleKind } from '../../plugin-api/mpi/records';
import { guard } from '../../plugin-api/result';
import type { HandleForm } from '../values/found-handle';
import { answerOf } from './list-handles';

export async function answerOfValue(
  process: MpiProcess,
  image: ProcessImage,
  kind: HandleKind,
  value: bigint,
  form: HandleForm,
): Promise<Answer> {
  if (form === 'cxx') {
    const handle = await guard(() => handleInCxxObject(image, kind, value, process.handleSize(kind)));
    if (!handle.ok) return { kind, code: handle.code, reason: handle.reason };
    return answerOf(process, kind, handle.value);
  }
  if (kind === 'status') return answerOf(process, kind, value);
  if (form === 'c') {
    const bits = 8 * process.handleSize(kind);
    if (value >= 1n << BigInt(bits) || value < -(1n << BigInt(bits - 1))) {
      const reason = `0x${value.toString(16)} is not a handle of ${process.implementation.name}, whose handles have ${bits} bits`;
      return { kind, code: 'MPIDBG_ERR_NOT_FOUND', reason };
    }
    return answerOf(process, kind, BigInt.asUintN(bits, value));
  }
  const handle = await process.fortranToC(kind, Number(BigInt.asIntN(32, value)));
  if (!handle.ok) return { kind, code: handle.code, reason: handle.reason };
  return answerOf(process, kind, handle.value);
}
