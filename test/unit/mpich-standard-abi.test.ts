/** Programs built for MPI 5's standard ABI, on MPICH: handles are addresses, or the standard's constants. */
import assert from 'node:assert/strict';
import type { MpiProcess } from '../../plugin-api/mpi/plugin';
import { standardConstants } from '../../plugin-api/mpi/standard-abi';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { specs } from '../../plugin-api/plugins/mpich/specs';
import { standardAbiTables } from '../../plugin-api/plugins/mpich/tables';
import { checkSpec } from '../../plugin-api/struct';
import { describeAnswer } from '../../plugin-api/mpi/describe';
import { MockImage } from '../support/mock-image';
import { MockMpich } from '../support/mock-mpich';

const path = '/usr/lib/libmpi_abi.so.1';
const world = 0x101n;

describe('MPICH for programs of the standard ABI', () => {
  let mock: MockMpich;
  let process: MpiProcess;

  beforeEach(async () => {
    mock = new MockMpich({ version: '5.0.2', layoutOf: '5.0.1', path, isStandardAbi: true });
    process = (await mpich.open(mock.image))!;
  });

  it('has a table with every field of every spec, but those of other releases and of ROMIO', () => {
    const absent = ['MPII_Group_pmap_t', 'BsendBuffer', 'ADIOI_FileD'];
    for (const table of Object.values(standardAbiTables)) {
      const problems = specs.flatMap((spec) =>
        absent.includes(spec.struct) ? [] : checkSpec(spec, table[spec.struct]),
      );
      assert.deepEqual(problems, []);
    }
  });

  it('is believed by the same checks', () => {
    const { layout, abi, state } = process.implementation;
    assert.deepEqual([abi, state], ['standard ABI of MPI 5', 'initialized']);
    assert.equal(layout, 'table mpich 5.0.1 of the standard ABI: 12 of 12 pool sizes and 9 of 9 known answers agree');
    assert.deepEqual([process.handleSize('comm'), process.handleSize('status')], [8, 32]);
  });

  it("has the standard's constants", async () => {
    assert.equal(await process.constants(), standardConstants);
    const answer = await process.query('comm', world);
    assert.ok(answer.ok);
    const { handle, fortranHandle, name, rank, size } = answer.value;
    assert.deepEqual([handle, fortranHandle, name, rank, size], ['0x101', 0x101, 'MPI_COMM_WORLD', 1, 4]);
    const none = await process.query('comm', 0x100n);
    assert.ok(none.ok);
    assert.deepEqual([none.value.handle, none.value.name], ['0x100', 'MPI_COMM_NULL']);
  });

  it('has objects by their address', async () => {
    const classic = mock.comm({ name: 'ocean', members: [0, 1, 2] });
    const address = mock.commAddress(classic);
    process = (await mpich.open(mock.image))!;
    const answer = await process.query('comm', address);
    assert.ok(answer.ok, answer.ok ? '' : answer.reason);
    const { handle, fortranHandle, name, errhandler } = answer.value;
    assert.deepEqual([handle, fortranHandle, name], [`0x${address.toString(16)}`, Number(classic) | 0, 'ocean']);
    assert.deepEqual(errhandler, { kind: 'errhandler', handle: '0x141', name: 'MPI_ERRORS_ARE_FATAL' });
    assert.deepEqual(await process.fortranToC('comm', Number(classic) | 0), { ok: true, value: address });
    assert.deepEqual(await process.fortranToC('comm', Number(world)), { ok: true, value: world });
  });

  it('tells what is no handle', async () => {
    const copy = mock.allocate(64);
    mock.image.writeI32(copy, 0x44000000);
    const wrong: [bigint, RegExp][] = [
      [0n, /0 is not a handle of the standard ABI/],
      [0x209n, /0x209 is not a predefined comm of the standard ABI/],
      [0x10n, /not a handle of the standard ABI|not a predefined comm of the standard ABI/],
      [0xdead0000n, /nothing lies there/],
      [copy, /is not the address of the comm whose handle lies there/],
    ];
    for (const [handle, reason] of wrong) {
      const answer = await process.query('comm', handle);
      assert.ok(!answer.ok, handle.toString(16));
      assert.equal(answer.code, 'MPIDBG_ERR_NOT_FOUND');
      assert.match(answer.reason, reason);
    }
  });

  it("has the standard's status of 32 bytes", async () => {
    const answer = await process.query('status', mock.ints(-1, -2, 15, 28, 1, 0, 0, 0));
    assert.ok(answer.ok);
    const { source, tag, errorName, bytes, cancelled } = answer.value;
    assert.deepEqual(
      { source, tag, errorName, bytes, cancelled },
      { source: 'MPI_ANY_SOURCE', tag: 'MPI_ANY_TAG', errorName: 'MPI_ERR_TRUNCATE', bytes: 28, cancelled: true },
    );
  });
});

describe("a library of MPICH's kind without a layout, in a program of the standard ABI", () => {
  for (const [name, own, nothing] of [
    ['Intel MPI', 'impi_malloc', 'no layout fits this Intel MPI: the structs of Intel MPI are not known'],
    [
      'another release',
      'MPIR_Dup_fn',
      'no layout fits this MPICH: no layout table for libmpi_abi.so.1, whose version is unknown',
    ],
  ] as const)
    it(`has predefined handles by the standard's numbers, and the reason for the rest: ${name}`, async () => {
      const image = new MockImage();
      const module = image.load(path, [{ address: 0x7f1000000000n, size: 0x1000, writable: true }]);
      for (const [index, symbol] of ['PMPI_Init', 'MPIR_Dup_fn', own].entries())
        image.define(symbol, 0x7f1000000800n + BigInt(16 * index), module);
      const process = (await mpich.open(image))!;
      assert.equal(process.implementation.abi, 'standard ABI of MPI 5');
      const handles = [...(await process.constants())].filter(([, { kind }]) => kind === 'handle');
      assert.ok(handles.length > 90);
      for (const [constant, value] of handles) {
        assert.ok(value.kind === 'handle');
        const { handleKind, handle } = value;
        const answer = await process.query(handleKind, handle);
        assert.ok(answer.ok && 'name' in answer.value, constant);
        const { name: told, constant: word = told, handle: shown } = answer.value;
        const line = describeAnswer({ kind: handleKind, code: 'MPIDBG_SUCCESS', info: answer.value });
        assert.equal(line.split(' · ')[0], word, 'the line for people begins with it');
        const alias = standardConstants.get(word as string);
        assert.deepEqual(
          [shown, alias?.kind === 'handle' && alias.handle],
          [`0x${handle.toString(16)}`, handle],
          constant,
        );
      }
      assert.deepEqual(await process.query('comm', 0x55550000n), {
        ...{ ok: false, code: 'MPIDBG_ERR_NOT_SUPPORTED', reason: nothing },
      });
    });
});
