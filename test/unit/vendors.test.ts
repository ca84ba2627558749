/** The machine code of a vendor's library is not read, whoever asks. */
import assert from 'node:assert/strict';
import { ModuleCode } from '../../plugin-api/processor/code/code';
import { UnknownInstructionError } from '../../plugin-api/processor/instruction';
import type { Module, ProcessImage } from '../../plugin-api/image';
import { codeAt } from '../../plugin-api/plugins/mpich/code';
import { vendorOf } from '../../plugin-api/mpi/vendors';

const codeAddress = 0x1000n;
const constantsAddress = 0x100000n;

/** A library that exports `names`, all of whose code is "ret" and which says `text`; `read` is how often its code was read. */
function libraryAt(
  path: string,
  names: readonly string[],
  text = '',
): { image: ProcessImage; module: Module; read: () => number } {
  let count = 0;
  const constants = Buffer.concat([Buffer.alloc(0x10000 - 7), Buffer.from(`\0${text}%s\n\0`), Buffer.alloc(0x10000)]);
  const segments = [
    { address: codeAddress, size: 0x1000, fileSize: 0x1000, executable: true, writable: false },
    {
      address: constantsAddress,
      size: constants.length,
      fileSize: constants.length,
      executable: false,
      writable: false,
    },
  ];
  const module = { path, bias: 0n, segments, isExecutable: false } as unknown as Module;
  const image = {
    findSymbol: async (asked: string) =>
      names.includes(asked) ? { address: codeAddress, module, size: 1 } : undefined,
    readMemory: async (address: bigint, length: number) => {
      if (address >= constantsAddress)
        return constants.subarray(Number(address - constantsAddress)).subarray(0, length);
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
      const { image, module, read } = libraryAt(path, [name]);
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

  for (const [names, text, isRead] of [
    [['PMPI_Init', 'MPIR_Dup_fn'], 'MPICH Version:      ', true],
    [['PMPI_Init', 'MPIR_Dup_fn'], 'Example MPI (based on MPICH Version: 4.0)', false],
    [['PMPI_Init', 'MPIR_Dup_fn'], '', false],
    [['PMPI_Init', 'ompi_mpi_comm_world'], '', true],
    [['MPI_Init'], '', true],
  ] as const) {
    it(`that nobody has named, exports ${names.join(' and ')} and says "${text}" is ${isRead ? '' : 'not '}read`, async () => {
      const { image, module, read } = libraryAt('/opt/site/lib/libmpi.so.12', names, text);
      assert.equal((await codeAt(image, module, codeAddress, 16)) !== undefined, isRead);
      assert.equal(read(), isRead ? 1 : 0);
    });
  }
});
