import assert from 'node:assert/strict';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import { openmpi } from '../../plugin-api/plugins/openmpi/index';
import { tables } from '../../plugin-api/plugins/openmpi/tables';
import { MockImage } from '../support/mock-image';
import { MockOpenmpi, type MockOptions } from '../support/mock-openmpi';

async function open(mock: MockOpenmpi): Promise<MpiProcess> {
  const process = await openmpi.open(mock.image);
  assert.ok(process !== undefined);
  return process;
}

async function isRefused(mock: MockOpenmpi, reason: RegExp): Promise<void> {
  const process = await open(mock);
  assert.match(process.implementation.layout, reason);
  assert.deepEqual(process.implementation.capabilities, {});
  const answer = await process.query('comm', mock.world);
  assert.ok(!answer.ok, 'decoded through a layout that does not fit');
  assert.equal(answer.code, 'MPIDBG_ERR_NOT_SUPPORTED');
  assert.match(answer.reason, reason);
}

const sizes = '10 of 10 class sizes';

describe('the library of Open MPI', () => {
  it('is not found in another process', async () => {
    const image = new MockImage();
    image.load('/usr/lib/libc.so.6', [{ address: 0x7f0000000000n, size: 4096 }]);
    assert.equal(await openmpi.open(image), undefined);
  });

  it('is found wherever its symbols are', async () => {
    for (const options of [
      { path: '/usr/lib/libmpi.so.40.30.4' },
      { path: '/home/me/static-app', isStatic: true },
      { path: '/usr/lib/libopen_mpi.so.40.50.0', version: '6.0.0rc2' },
    ]) {
      const { implementation } = await open(new MockOpenmpi(options));
      assert.equal(implementation.version, options.version ?? '4.1.4');
      assert.equal(implementation.state, 'initialized');
      assert.match(implementation.layout, / agree$/);
    }
  });

  it('tells its state as MPI_Initialized and MPI_Finalized do', async () => {
    const states = [0, 1, 2, 3, 4, 5, 6].map(
      async (state) => (await open(new MockOpenmpi({ state }))).implementation.state,
    );
    assert.deepEqual(await Promise.all(states), [
      'notInitialized',
      'notInitialized',
      'initialized',
      'initialized',
      'finalized',
      'finalized',
      'unknown',
    ]);
  });

  it('whose version cannot be read is not decoded', async () => {
    const mock = new MockOpenmpi();
    const symbol = await mock.image.findSymbol('ompi_version_string');
    mock.image.writeText(symbol!.address, 'zzz');
    const { implementation } = await open(mock);
    assert.equal(implementation.version, 'unknown');
    await isRefused(mock, /no debug information in libmpi.so.40.30.4, and no table for Open MPI of unknown version/);
  });
});

describe('the layout of Open MPI', () => {
  const layoutOf = async (options: MockOptions) => (await open(new MockOpenmpi(options))).implementation.layout;

  it('is the table of the version, when all checks agree', async () => {
    const { implementation } = await open(new MockOpenmpi());
    assert.equal(implementation.layout, `table openmpi 4.1.4: ${sizes} and 13 of 13 known answers agree`);
    assert.deepEqual(Object.keys(implementation.capabilities).sort(), [
      ...['comm', 'datatype', 'errhandler', 'file', 'group', 'info', 'message', 'op', 'request', 'status', 'win'],
    ]);
    assert.deepEqual(implementation.capabilities['errhandler'], ['BASIC', 'STRING_NAMES', 'HANDLE_LIST']);
    assert.equal(implementation.checks?.length, 23);
    assert.ok(implementation.checks.every((c) => c.passed));
    assert.deepEqual(
      implementation.checks.find((c) => c.name === 'rank in MPI_COMM_WORLD'),
      { name: 'rank in MPI_COMM_WORLD', passed: true, found: '1', expected: '1' },
    );
  });

  it('can be checked by class sizes alone outside of MPI_Init and MPI_Finalize', async () => {
    assert.equal(
      await layoutOf({ state: 0 }),
      `table openmpi 4.1.4: ${sizes} agree; known answers not checked: MPI is not initialised`,
    );
    assert.equal(
      await layoutOf({ state: 5 }),
      `table openmpi 4.1.4: ${sizes} agree; MPI_COMM_WORLD not checked: MPI_Finalize has begun`,
    );
  });

  it('of a process without a launcher is checked by what remains', async () => {
    const mock = new MockOpenmpi();
    mock.image.variables.clear();
    assert.equal(
      (await open(mock)).implementation.layout,
      `table openmpi 4.1.4: ${sizes} and 11 of 11 known answers agree; ` +
        "rank and size of MPI_COMM_WORLD not checked: no launcher's environment",
    );
  });

  it("takes PMIx's rank from other launchers", async () => {
    const mock = new MockOpenmpi({ rank: 3 });
    mock.image.variables.clear();
    mock.image.variables.set('PMIX_RANK', '3');
    assert.match((await open(mock)).implementation.layout, /12 of 12 known answers agree$/);
  });

  it('between two releases is what they agree on', async () => {
    for (const [version, lower, upper, withheld] of [
      ['4.0.5', '4.0.2', '4.0.7', 'ompio_file_t'],
      ['5.0.9', '5.0.7', '5.0.10', 'ompi_osc_ucx_module_t'],
      ['5.0.3', '5.0.0', '5.0.6', 'opal_info_entry_t'],
      ['5.0.8', '5.0.7', '5.0.10', 'ompi_osc_ucx_module_t'],
    ] as const) {
      assert.equal(
        await layoutOf({ version, layoutOf: lower }),
        `tables openmpi ${lower} and ${upper}, which agree except for ${withheld}: ${sizes} and 13 of 13 known answers agree`,
      );
    }
  });

  it('that lacks a struct leaves what needs it, and only that, undecoded', async () => {
    const { implementation, query } = await (async () => {
      const process = await open(new MockOpenmpi({ version: '4.1.2', layoutOf: '4.1.0' }));
      return { implementation: process.implementation, query: process.query.bind(process) };
    })();
    assert.match(
      implementation.layout,
      /which agree except for ompi_op_t, ompio_file_t: 9 of 9 class sizes and 12 of 12/,
    );
    assert.ok(!('op' in implementation.capabilities) && 'comm' in implementation.capabilities);
    const answer = await query('op', 0x555500000100n);
    assert.equal(!answer.ok && answer.code, 'MPIDBG_ERR_NOT_FOUND');
  });

  it('is for a release newer than all of its series what the last two of that agree on', async () => {
    const { implementation } = await open(new MockOpenmpi({ version: '5.0.11', layoutOf: '5.0.10' }));
    assert.match(implementation.layout, /^tables openmpi 5\.0\.7 and 5\.0\.10, which agree/);
  });

  it('is unknown beyond the tables and between releases that differ', async () => {
    for (const version of ['3.1.6', '4.2.0', '7.0.0'])
      await isRefused(
        new MockOpenmpi({ version, layoutOf: '4.1.4' }),
        new RegExp(`no debug information in libmpi.so.40.30.4, and no table for Open MPI ${version}`),
      );
  });

  it('is refused when a class has another size', async () => {
    const mock = new MockOpenmpi({ version: '5.0.7', layoutOf: '5.0.6' });
    await isRefused(mock, /table openmpi 5.0.7: rejected: size of ompi_communicator_t is 368 instead of 384/);
    const { checks } = (await open(mock)).implementation;
    assert.equal(checks?.find((c) => c.name === 'size of ompi_communicator_t')?.passed, false);
    assert.ok(!checks?.some((c) => c.name.includes('MPI_COMM_WORLD')), 'read through a layout known to be wrong');
  });

  it('is refused when a known answer is wrong', async () => {
    const wrong = async (change: (mock: MockOpenmpi) => void | Promise<void>, reason: RegExp) => {
      const mock = new MockOpenmpi();
      await change(mock);
      await isRefused(mock, reason);
    };
    const comm = (mock: MockOpenmpi) => mock.layout('ompi_communicator_t');
    await wrong(
      (mock) => mock.image.writeStruct(comm(mock), mock.world, { c_my_rank: 2 }),
      /rank in MPI_COMM_WORLD is 2 instead of 1/,
    );
    await wrong(
      (mock) => void mock.image.variables.set('OMPI_COMM_WORLD_SIZE', '5'),
      /size of MPI_COMM_WORLD is 4 instead of 5/,
    );
    await wrong(
      (mock) => mock.image.writeStruct(comm(mock), mock.nullComm, { c_name: 'XYZ' }),
      /name of MPI_COMM_NULL is XYZ instead of MPI_COMM_NULL/,
    );
    await wrong(
      (mock) => mock.image.writeStruct(comm(mock), mock.self, { c_local_group: mock.group([0, 1]) }),
      /size of MPI_COMM_SELF is 2 instead of 1/,
    );
    await wrong(
      (mock) => mock.image.writeStruct(comm(mock), mock.world, { c_local_group: mock.group([0, 1, 2, 7]) }),
      /last process of MPI_COMM_WORLD is 7 instead of 3/,
    );
    await wrong(
      (mock) => mock.image.writeStruct(comm(mock), mock.world, { c_keyhash: 0n }),
      /MPI_TAG_UB of MPI_COMM_WORLD is undefined instead of at least 32767/,
    );
    await wrong(
      (mock) => mock.image.writeStruct(comm(mock), mock.world, { c_local_group: 0xdead0000n }),
      /0xdead\w+: not mapped or not readable instead of a value/,
    );
    await wrong(async (mock) => {
      const table = (await mock.image.findSymbol('ompi_comm_f_to_c_table'))!.address;
      mock.image.writeStruct(mock.layout('opal_pointer_array_t'), table, { addr: mock.pointers([1n, 2n, 3n]) });
    }, /Fortran's MPI_Comm 0 is 0x1 instead of MPI_COMM_WORLD/);
    await wrong((mock) => {
      mock.errhandler('MPI_ERRHANDLER_NULL', 'ompi_mpi_errhandler_null');
      const table = mock.variable('ompi_errhandler_f_to_c_table', mock.layout('opal_pointer_array_t').size);
      mock.image.writeStruct(mock.layout('opal_pointer_array_t'), table, { size: 1, addr: mock.pointers([2n]) });
    }, /Fortran's MPI_Errhandler 0 is 0x2 instead of MPI_ERRHANDLER_NULL/);
    await wrong(async (mock) => {
      const double = (await mock.image.findSymbol('ompi_mpi_double'))!.address;
      mock.image.writeStruct(mock.layout('ompi_datatype_t'), double, { 'super.true_lb': 4 });
    }, /size, extent and data of MPI_DOUBLE is 8, 8, 4 to 8 instead of 8, 8, 0 to 8/);
  });

  it('does not mind that the program renamed MPI_COMM_WORLD', async () => {
    const mock = new MockOpenmpi();
    mock.image.writeStruct(mock.layout('ompi_communicator_t'), mock.world, { c_name: 'my\tworld' });
    assert.match((await open(mock)).implementation.layout, /12 of 12 known answers agree$/);
  });

  it('comes from debug information first, the table having what that lacks', async () => {
    const mock = new MockOpenmpi();
    for (const [name, layout] of Object.entries(tables['4.1.4']!))
      if (name !== 'attribute_key_value_t') mock.image.types.set(name, layout);
    assert.equal(
      (await open(mock)).implementation.layout,
      `DWARF of libmpi.so.40.30.4: ${sizes} and 13 of 13 known answers agree`,
    );
  });

  it('is the table when the debug information belongs to another library', async () => {
    const mock = new MockOpenmpi();
    for (const [name, layout] of Object.entries(tables['5.0.7']!)) mock.image.types.set(name, layout);
    assert.match((await open(mock)).implementation.layout, /^table openmpi 4.1.4: /);
  });

  it('of a version without a table may come from debug information', async () => {
    const mock = new MockOpenmpi({ version: '4.2.0', layoutOf: '4.1.4' });
    for (const [name, layout] of Object.entries(tables['4.1.4']!)) mock.image.types.set(name, layout);
    assert.match((await open(mock)).implementation.layout, /^DWARF of libmpi.so.40.30.4: .* agree$/);
    assert.ok((await (await open(mock)).query('comm', mock.world)).ok);
  });
});
