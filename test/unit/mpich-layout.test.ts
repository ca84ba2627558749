import assert from 'node:assert/strict';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import { isUnavailable } from '../../plugin-api/result';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { tables } from '../../plugin-api/plugins/mpich/tables';
import { MockImage } from '../support/mock-image';
import { MockMpich, type MockOptions } from '../support/mock-mpich';

const world = 0x44000000n;
const bitsOnly = 'only the bits of handles are decoded: their kind, and the names of null and predefined ones';

async function open(mock: MockMpich): Promise<MpiProcess> {
  const process = await mpich.open(mock.image);
  assert.ok(process !== undefined);
  return process;
}

async function describeProcess(options: MockOptions) {
  const { layout, state, version } = (await open(new MockMpich(options))).implementation;
  return { layout, state, version };
}

async function codeOf(process: MpiProcess, handle: bigint): Promise<string> {
  const answer = await process.query('comm', handle);
  return answer.ok ? 'MPIDBG_SUCCESS' : answer.code;
}

describe("MPICH's library in a process", () => {
  it('is not there without its symbols', async () => {
    const image = new MockImage();
    image.load('/usr/bin/true', [{ address: 0x400000n, size: 0x1000, writable: true }], true);
    assert.equal(await mpich.open(image), undefined);
  });

  it('is not there when the process has another MPI', async () => {
    const image = new MockImage();
    const program = image.load('/usr/bin/program', [{ address: 0x400000n, size: 0x1000, writable: true }], true);
    image.define('MPI_Init', 0x400010n, program);
    assert.equal(await mpich.open(image), undefined);
  });

  it('is found in a stripped static executable by the content of its data', async () => {
    const facts = await describeProcess({ isStatic: true, path: '/home/user/program' });
    assert.equal(facts.version, 'unknown');
    assert.equal(facts.state, 'initialized');
    assert.match(facts.layout, /^table mpich 4\.0\.2: 12 of 12 pool sizes and 9 of 9 known answers agree$/);
  });

  it('is told by the table that fits in a static executable', async () => {
    const facts = await describeProcess({ isStatic: true, layoutOf: '5.0.1' });
    assert.match(facts.layout, /^table mpich 5\.0\.1: 12 of 12 pool sizes/);
  });

  it('is a derivative of unknown version when it only has the function that mpi.h names', async () => {
    const image = new MockImage();
    const segment = { address: 0x7f1000000000n, size: 0x1000, writable: true };
    image.define('MPIR_Dup_fn', 0x7f1000000010n, image.load('/opt/other/libmpi.so.12', [segment]));
    const process = await mpich.open(image);
    assert.ok(process !== undefined);
    assert.equal(process.implementation.version, 'unknown');
    assert.equal(
      process.implementation.layout,
      `no layout table for libmpi.so.12, whose version is unknown; ${bitsOnly}`,
    );
    assert.equal(await codeOf(process, world), 'MPIDBG_SUCCESS');
  });

  it('with the binary interface of MPI 5 is known by its content, whatever its name', async () => {
    const process = await open(
      new MockMpich({ version: '5.0.1', path: '/usr/lib/libmpi_abi.so.1', isStandardAbi: true }),
    );
    assert.equal(process.handleSize('comm'), 8);
    assert.equal((await process.constants()).get('MPI_ANY_SOURCE')?.kind, 'integer');
    assert.equal(process.implementation.abi, 'standard ABI of MPI 5');
  });
});

describe('the layout of MPICH', () => {
  for (const version of Object.keys(tables)) {
    it(`of ${version} is believed when pool sizes and known answers agree`, async () => {
      const process = await open(new MockMpich({ version }));
      assert.equal(
        process.implementation.layout,
        `table mpich ${version}: 12 of 12 pool sizes and 9 of 9 known answers agree`,
      );
      assert.equal(process.implementation.state, 'initialized');
      assert.equal(process.implementation.checks?.length, 21);
      assert.ok(process.implementation.checks.every((check) => check.passed));
      assert.equal(await codeOf(process, world), 'MPIDBG_SUCCESS');
    });

    it(`of ${version} is checked by its pools alone before MPI_Init`, async () => {
      assert.deepEqual(await describeProcess({ version, state: 'notInitialized' }), {
        layout: `table mpich ${version}: 11 of 11 pool sizes agree; known answers not checked: MPI is not initialised`,
        state: 'notInitialized',
        version,
      });
    });

    it(`of ${version} is checked by its pools alone behind MPI_Finalize`, async () => {
      assert.deepEqual(await describeProcess({ version, state: 'finalized' }), {
        layout: `table mpich ${version}: 12 of 12 pool sizes and 1 of 1 known answers agree; MPI_COMM_WORLD not checked: MPI_Finalize has begun`,
        state: 'finalized',
        version,
      });
    });

    it(`of ${version} is checked in a program that uses sessions only`, async () => {
      const { layout, state } = await describeProcess({ version, state: 'sessions' });
      assert.equal(layout, `table mpich ${version}: 12 of 12 pool sizes and 6 of 6 known answers agree`);
      assert.equal(state, 'initialized');
    });
  }

  it('is refused when a pool has elements of another size', async () => {
    const process = await open(new MockMpich({ sizes: { MPIR_Win: 520 } }));
    const { layout, checks, state, capabilities } = process.implementation;
    assert.equal(
      layout,
      `table mpich 4.0.2 does not fit: pool element size of MPIR_Win is 520 instead of 512; ${bitsOnly}`,
    );
    assert.deepEqual(
      checks?.filter((check) => !check.passed),
      [{ name: 'pool element size of MPIR_Win', passed: false, found: '520', expected: '512' }],
    );
    assert.equal(state, 'unknown');
    assert.deepEqual(capabilities, { status: ['BASIC'] });
    assert.equal(await codeOf(process, 0x84000000n), 'MPIDBG_ERR_NOT_SUPPORTED');
    assert.equal(await codeOf(process, 0x04000000n), 'MPIDBG_SUCCESS');
  });

  const wrongFields: [string, (mock: MockMpich) => void, string][] = [
    [
      'the rank',
      (mock) => mock.write('MPIR_Comm', mock.world, { rank: 2 }),
      'rank of MPI_COMM_WORLD is 2 instead of 1',
    ],
    [
      'the size',
      (mock) => mock.write('MPIR_Comm', mock.world, { local_size: 5 }),
      'size of MPI_COMM_WORLD is 5 instead of 4',
    ],
    [
      'MPI_COMM_SELF',
      (mock) => mock.write('MPIR_Comm', mock.self, { local_size: 2 }),
      'size of MPI_COMM_SELF is 2 instead of 1',
    ],
  ];
  for (const [what, change, sentence] of wrongFields) {
    it(`is refused when it tells ${what} wrongly`, async () => {
      const mock = new MockMpich();
      change(mock);
      const process = await open(mock);
      assert.equal(process.implementation.layout, `table mpich 4.0.2 does not fit: ${sentence}; ${bitsOnly}`);
      assert.equal(await codeOf(process, 0x84000000n), 'MPIDBG_ERR_NOT_SUPPORTED');
    });
  }

  it('is held against what the launcher told the process', async () => {
    const mock = new MockMpich();
    mock.image.variables.set('PMI_RANK', '3');
    const { layout } = (await open(mock)).implementation;
    assert.equal(layout, `table mpich 4.0.2 does not fit: rank in MPIR_Process is 1 instead of 3; ${bitsOnly}`);
  });

  it('is held against itself without a launcher, and says so', async () => {
    const mock = new MockMpich({ rank: 0, size: 1 });
    mock.image.variables.clear();
    const { layout } = (await open(mock)).implementation;
    assert.match(layout, /9 of 9 known answers agree; rank and size of MPI_COMM_WORLD not checked: no launcher's/);
  });

  it('is believed when the program gave MPI_COMM_WORLD another name', async () => {
    const mock = new MockMpich();
    mock.write('MPIR_Comm', mock.world, { name: 'everybody' });
    assert.match((await open(mock)).implementation.layout, /9 of 9 known answers agree/);
  });

  for (const version of Object.keys(tables)) {
    it(`of ${version} is believed when the program has renamed all that it can; names only where the code shows them`, async () => {
      const mock = new MockMpich({ version });
      mock.write('MPIR_Comm', mock.world, { name: 'everybody' });
      mock.write('MPIR_Comm', mock.self, { name: 'MPI_COMM_WORLD' });
      const unsure = await open(mock);
      assert.match(unsure.implementation.layout, /8 of 8 known answers agree/);
      const answer = await unsure.query('comm', world);
      assert.ok(answer.ok && isUnavailable(answer.value.name) && answer.value.size === 4);
      assert.deepEqual(answer.value.flags, ['predefined']);

      mock.writeNameCode(mock.layout('MPIR_Comm').fields['name']!.offset);
      const sure = await open(mock);
      assert.match(sure.implementation.layout, /9 of 9 known answers agree/);
      const named = await sure.query('comm', world);
      assert.equal(named.ok && named.value.name, 'everybody');

      mock.writeNameCode(mock.layout('MPIR_Comm').fields['name']!.offset + 8);
      const contradicted = await (await open(mock)).query('comm', world);
      assert.ok(contradicted.ok && isUnavailable(contradicted.value.name));
    });
  }

  it('is not led astray by data that look like a pool', async () => {
    const mock = new MockMpich();
    const header = { initialized: 1, kind: 1, size: 64, direct: 0x7f1000010000n, direct_size: 2 };
    mock.write('MPIR_Object_alloc_t', 0x7f100001f000n, header);
    assert.match((await open(mock)).implementation.layout, /12 of 12 pool sizes/);
  });

  it('comes from debug information before a table', async () => {
    const mock = new MockMpich({ version: '4.1.3', layoutOf: '4.0.2', device: 'ch4:ofi' });
    for (const [struct, layout] of Object.entries(tables['4.0.2']!)) mock.image.types.set(struct, layout);
    const process = await open(mock);
    assert.match(process.implementation.layout, /^DWARF of libmpich\.so\.12\.2\.2: 12 of 12 pool sizes/);
    assert.equal(await codeOf(process, world), 'MPIDBG_SUCCESS');
  });

  it('of a release without structs of its own is that of its series', async () => {
    assert.match(
      (await describeProcess({ version: '4.2.3', layoutOf: '4.2.1' })).layout,
      /^table mpich 4\.2\.1: 12 of 12/,
    );
  });

  it('of 5.0 may lack the part that UCC adds at the end of a communicator', async () => {
    const { layout } = await describeProcess({ version: '5.0.2', layoutOf: '5.0.1', sizes: { MPIR_Comm: 1304 } });
    assert.equal(layout, 'table mpich 5.0.1 without UCC: 12 of 12 pool sizes and 9 of 9 known answers agree');
  });

  it('is not checked by members that the device keeps elsewhere', async () => {
    const mock = new MockMpich({ version: '4.1.3', layoutOf: '4.0.2', device: 'ch3:nemesis' });
    for (const [struct, { size, fields }] of Object.entries(tables['4.0.2']!)) {
      const kept = Object.entries(fields).filter(([path]) => !path.startsWith('dev.ch4.'));
      mock.image.types.set(struct, { size, fields: Object.fromEntries(kept) });
    }
    const process = await open(mock);
    assert.match(process.implementation.layout, /^DWARF of .*: 12 of 12 pool sizes and 7 of 7 known answers agree$/);
    const answer = await process.query('comm', world);
    assert.ok(answer.ok);
    assert.deepEqual(answer.value.localProcs, {
      code: 'MPIDBG_ERR_NOT_SUPPORTED',
      reason: 'this MPICH keeps the members of a communicator in a way that is not decoded',
    });
    assert.equal(answer.value.size, 4);
  });

  it("is not available when the library's data cannot be read", async () => {
    const mock = new MockMpich();
    mock.image.unmap(mock.world);
    const process = await open(mock);
    assert.match(process.implementation.layout, /not mapped or not readable/);
    assert.equal(process.implementation.state, 'unknown');
    assert.equal(await codeOf(process, 0x84000000n), 'MPIDBG_ERR_UNAVAILABLE');
  });

  it('is not guessed for a version between tables that differ', async () => {
    const { layout, state } = await describeProcess({ version: '4.1.2', layoutOf: '4.0.2' });
    assert.equal(layout, `no layout table for MPICH 4.1.2; ${bitsOnly}`);
    assert.equal(state, 'unknown');
  });

  it('is not guessed for another device', async () => {
    const { layout } = await describeProcess({ device: 'ch4:ofi' });
    assert.equal(layout, `no layout table for the device ch4:ofi of MPICH, only for ch4:ucx; ${bitsOnly}`);
  });
});
