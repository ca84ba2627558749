/** The machine code of a vendor's library is not read, whoever asks. */
import assert from 'node:assert/strict';
import { ModuleCode } from '../../plugin-api/processor/code/code';
import { UnknownInstructionError } from '../../plugin-api/processor/instruction';
import type { Module, ProcessImage } from '../../plugin-api/image';
import { codeAt } from '../../plugin-api/plugins/mpich/code';
import { vendorOf } from '../../plugin-api/mpi/vendors';

/** A library that exports `name`, all of whose code is "ret"; `read` is how often it was read. */
function libraryAt(path: string, name: string): { image: ProcessImage; module: Module; read: () => number } {
  let count = 0;
  const segments = [{ address: 0x1000n, size: 0x1000, executable: true, writable: false }];
  const module = { path, bias: 0n, segments, isExecutable: false } as unknown as Module;
  const image = {
    findSymbol: async (asked: string) => (asked === name ? { address: 0x1000n, module, size: 1 } : undefined),
    readMemory: async (_: bigint, length: number) => {
      count++;
      return new Uint8Array(length).fill(0xc3);
    },
  } as unknown as ProcessImage;
  return { image, module, read: () => count };
}

describe("a vendor's MPI library", () => {
  for (const [path, name, vendor] of [
    ['/opt/site/lib/libmpi.so.12', 'I_MPI_Check_image_status', 'Intel MPI'],
    ['/opt/intel/oneapi/mpi/latest/lib/libmpi.so.12', 'MPI_Init', 'Intel MPI'],
    ['/opt/site/libmpi_cray.so.12', 'MPI_Init', 'Cray MPICH'],
    ['/opt/site/lib/libmpi.so.12', 'MPIR_Alltoall_MV2', 'MVAPICH'],
    ['/opt/site/lib/libmpi.so.12', 'MPIR_Alltoall_MVP', 'MVAPICH'],
    ['/opt/mvapich2-2.3.7/lib/libmpi.so.12', 'MPI_Init', 'MVAPICH'],
    ['/software/psmpi/5.9.2-1/lib/libmpi.so.12', 'MPI_Init', 'ParaStation MPI'],
    ['/usr/lib/x86_64-linux-gnu/libmpich.so.12', 'MPI_Init', undefined],
    ['/opt/mpich-4.2/lib/libmpi.so.12', 'MPI_Init', undefined],
  ] as const) {
    it(`${path} that exports ${name} ${vendor === undefined ? 'is read' : `is ${vendor}'s, and its code is not read`}`, async () => {
      const { image, module, read } = libraryAt(path, name);
      assert.equal(await vendorOf(image, module), vendor);
      const code = await codeAt(image, module, 0x1000n, 16);
      const instruction = new ModuleCode(image, module).instructionAt(0x1000);
      if (vendor === undefined) {
        assert.equal(code?.bytes.byteLength, 16);
        assert.equal((await instruction).length, 1);
      } else {
        assert.equal(code, undefined);
        await assert.rejects(Promise.resolve(instruction), UnknownInstructionError);
        assert.equal(read(), 0);
      }
    });
  }
});
