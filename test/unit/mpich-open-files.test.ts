/** The open files of MPICH, found in what the process has allocated, and whose communicators, infos and datatypes are. */
import assert from 'node:assert/strict';
import type { InfoOf, MpiProcess } from '../../plugin-api/mpi/plugin';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { libraryCode, MockMpich } from '../support/mock-mpich';

const cookie = 2487376;
const romioKeyval = 0xa4400001;
const worldHandle = 0x44000000n;

async function ask<K extends HandleKind>(process: MpiProcess, kind: K, handle: bigint): Promise<InfoOf[K]> {
  const answer = await process.query(kind, handle);
  assert.ok(answer.ok, answer.ok ? '' : answer.reason);
  return answer.value;
}

async function filesOf(process: MpiProcess): Promise<bigint[]> {
  const files = await process.handles('file');
  assert.ok(files.ok, files.ok ? '' : files.reason);
  return files.value;
}

for (const version of ['4.0.2', '4.2.1', '5.0.1']) {
  describe(`the open files of MPICH ${version}`, () => {
    let mock: MockMpich;
    let names: bigint;
    beforeEach(() => {
      mock = new MockMpich({ version });
      names = mock.ints(2, 0);
    });

    /** A communicator on which ROMIO has cached the names of the nodes. */
    const carrier = (name = '', value = names): bigint =>
      mock.comm({ name, attributes: mock.attributes({ ...ofRomio, value }) });
    const ofRomio = { keyval: romioKeyval, copyFunction: libraryCode, deleteFunction: libraryCode };
    const file = (comm: bigint, values: Record<string, bigint | number> = {}): bigint =>
      mock.object('ADIOI_FileD', { cookie, comm, fortran_handle: -1, ...values });
    const open = async () => (await mpich.open(mock.image))!;

    it('are none, without a search, where no communicator carries what ROMIO caches', async () => {
      file(mock.comm());
      assert.deepEqual(await filesOf(await open()), []);
    });

    it('are those whose communicator does', async () => {
      const [ocean, duplicate] = [carrier('ocean'), carrier()];
      const opened = file(duplicate);
      file(0x04000000n); // what MPI_File_close leaves
      const process = await open();
      assert.deepEqual(await filesOf(process), [opened]);
      assert.deepEqual(await process.unlisted!('file'), []);
      const { flags, serves } = await ask(process, 'comm', duplicate);
      assert.deepEqual([flags, serves], [['internal'], { kind: 'file', handle: `0x${opened.toString(16)}` }]);
      const { unknownFlags, derivedFiles } = await ask(process, 'comm', ocean);
      assert.deepEqual(unknownFlags, ['freedHandle']);
      assert.ok('reason' in derivedFiles && derivedFiles.reason.startsWith('ROMIO does not record'));
      const { comm } = await ask(process, 'file', opened);
      assert.ok('reason' in comm && comm.reason.endsWith('MPI_Comm "ocean", or a duplicate that was freed since'));
      assert.deepEqual((await ask(process, 'comm', worldHandle)).derivedFiles, [], 'it carries nothing of ROMIO');
    });

    it('are not on a communicator that carries what another one has', async () => {
      const [ocean, duplicate] = [carrier('ocean', mock.ints(2, 0)), carrier()];
      file(duplicate);
      assert.deepEqual((await ask(await open(), 'comm', ocean)).derivedFiles, []);
    });

    it('have one more that keeps a shared pointer', async () => {
      const [duplicate, ofPointer] = [carrier(), carrier()];
      const pointer = file(ofPointer);
      const opened = file(duplicate, { shared_fp_fd: pointer });
      const process = await open();
      assert.deepEqual(await filesOf(process), [pointer, opened]);
      assert.deepEqual((await ask(process, 'file', pointer)).flags, ['internal']);
      assert.deepEqual((await ask(process, 'file', opened)).flags, []);
      const { serves } = await ask(process, 'comm', ofPointer);
      assert.deepEqual(serves, { kind: 'file', handle: `0x${opened.toString(16)}` });
    });

    it('have infos of their own', async () => {
      const { handle: own } = mock.make(7, 'MPIR_Info', { ref_count: 0 });
      const { handle: ofProgram } = mock.make(7, 'MPIR_Info', { ref_count: 0 });
      file(carrier(), { info: own });
      const process = await open();
      assert.deepEqual((await ask(process, 'info', own)).flags, ['internal']);
      assert.deepEqual((await ask(process, 'info', ofProgram)).flags, []);
    });

    it('are not told apart where two refer to one communicator', async () => {
      const duplicate = carrier();
      for (let i = 0; i < 2; i++) file(duplicate);
      const process = await open();
      assert.deepEqual(await filesOf(process), []);
      assert.match((await process.unlisted!('file')).join(), /several structs refer to the same communicator/);
      const { flags, unknownFlags } = await ask(process, 'comm', duplicate);
      assert.deepEqual([flags, unknownFlags], [[], ['freedHandle', 'internal']]);
    });

    it('are unknown where what the process has allocated is', async () => {
      const duplicate = carrier();
      mock.image.findAllocated = async () => undefined;
      const process = await open();
      const files = await process.handles('file');
      assert.ok(!files.ok && files.code === 'MPIDBG_ERR_NOT_SUPPORTED', 'there is no list');
      assert.deepEqual((await ask(process, 'comm', duplicate)).unknownFlags, ['freedHandle', 'internal']);
    });

    it('may be more where not all of that was searched', async () => {
      const duplicate = carrier();
      const opened = file(duplicate);
      const perhaps = carrier();
      mock.image.findAllocated = async () => ({ addresses: [opened], gap: '1 of 2 MiB was not searched' });
      const process = await open();
      assert.deepEqual(await filesOf(process), [opened]);
      assert.match((await process.unlisted!('file')).join(), /1 of 2 MiB was not searched/);
      assert.deepEqual((await ask(process, 'comm', duplicate)).flags, ['internal']);
      assert.deepEqual((await ask(process, 'comm', perhaps)).unknownFlags, ['freedHandle', 'internal']);
    });
  });
}
