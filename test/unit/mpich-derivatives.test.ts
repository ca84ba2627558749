/** Libraries whose structs nobody knows: other releases and devices of MPICH, and what others have made of it. */
import assert from 'node:assert/strict';
import type { HandleKind, StatusInfo, Unavailable } from '../../plugin-api/mpi/records';
import type { MpiConstant, MpiProcess } from '../../plugin-api/mpi/plugin';
import { isUnavailable } from '../../plugin-api/result';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { MockImage } from '../support/mock-image';
import { MockMpich } from '../support/mock-mpich';

const data = 0x7f1000000000n;

/** A library with these texts, by the names of its symbols, and nothing that is known of it. */
function libraryOf(path: string, texts: Record<string, string>): MockImage {
  const image = new MockImage();
  const module = image.load(path, [{ address: data, size: 0x1000, writable: true }]);
  image.define('MPI_Init', data + 0x800n, module);
  image.define('MPIR_Dup_fn', data + 0x810n, module);
  Object.entries(texts).forEach(([name, text], i) => {
    const address = data + BigInt(64 * i);
    image.writeText(address, text);
    image.define(name, address, module);
  });
  return image;
}

function mockOf(options: ConstructorParameters<typeof MockMpich>[0]): MockImage {
  return new MockMpich(options).image;
}

interface Derivative {
  name: string;
  image: () => MockImage;
  version: string;
  reason: string;
  /** What it is called; default: MPICH. */
  library?: string;
}

const derivatives: Derivative[] = [
  {
    name: 'Intel MPI, which tells nothing of itself',
    image: () => libraryOf('/opt/intel/oneapi/mpi/2021.9.0/lib/release/libmpi.so.12', {}),
    library: 'Intel MPI',
    version: 'unknown',
    reason: 'the structs of Intel MPI are not known',
  },
  {
    name: 'MVAPICH2, with the names of MPICH 3.2 and its own device',
    image: () =>
      libraryOf('/usr/local/lib/libmpi.so.12.1.1', {
        MPIR_Version_string: '2.3.7',
        MPIR_Version_device: 'ch3:mrail',
      }),
    library: 'MVAPICH',
    version: 'unknown',
    reason: 'the structs of MVAPICH are not known',
  },
  {
    name: 'Cray MPICH',
    image: () =>
      libraryOf('/opt/cray/pe/lib64/libmpi_gnu_91.so.12', {
        MPII_Version_string: '3.4a2',
        MPII_Version_device: 'ch4:ofi',
      }),
    library: 'Cray MPICH',
    version: 'unknown',
    reason: 'the structs of Cray MPICH are not known',
  },
  {
    name: 'MPICH between two tables that differ',
    image: () => mockOf({ version: '4.1.2', layoutOf: '4.0.2' }),
    version: '4.1.2',
    reason: 'no layout table for MPICH 4.1.2',
  },
  {
    name: 'a library that calls itself MPICH 4.0.2, with other structs',
    image: () => mockOf({ sizes: { MPIR_Win: 520 } }),
    version: '4.0.2',
    reason: 'table mpich 4.0.2 does not fit: pool element size of MPIR_Win is 520 instead of 512',
  },
];

const bitsOnly = 'only the bits of handles are decoded: their kind, and the names of null and predefined ones';

type Named = [string, Extract<MpiConstant, { kind: 'handle' }>];

for (const { name, image, library = 'MPICH', version, reason } of derivatives) {
  describe(name, () => {
    let process: MpiProcess;
    const nothing: Unavailable = {
      code: 'MPIDBG_ERR_NOT_SUPPORTED',
      reason: `no layout fits this ${library}: ${reason}`,
    };

    beforeEach(async () => {
      const found = await mpich.open(image());
      assert.ok(found !== undefined, 'it is an MPICH');
      process = found;
    });

    it('says what is missing', () => {
      const { version: told, layout, state, capabilities } = process.implementation;
      assert.equal(layout, `${reason}; ${bitsOnly}`);
      assert.deepEqual(
        { told, state, capabilities },
        { told: version, state: 'unknown', capabilities: { status: ['BASIC'] } },
      );
    });

    it('has every predefined handle by name, and the reason for the rest', async () => {
      const handles = [...(await process.constants())].filter((entry): entry is Named => entry[1].kind === 'handle');
      assert.ok(handles.length > 90, 'the constants are there');
      for (const [constant, { handleKind: kind, handle }] of handles) {
        const answer = await process.query(kind, handle);
        assert.ok(answer.ok && 'name' in answer.value, constant);
        const { name: told, flags, ...items } = answer.value;
        // The program may have renamed it.
        if (isUnavailable(told)) {
          assert.ok(['comm', 'datatype'].includes(kind) && told.code === nothing.code, constant);
          assert.ok(told.reason.endsWith(nothing.reason), constant);
        }
        const name = isUnavailable(told) ? /^it is (\w+);/.exec(told.reason)?.[1] : told;
        const alias = (await process.constants()).get(name ?? '') as { handle: bigint };
        assert.equal(alias.handle, handle, constant);
        assert.ok((flags as string[]).includes('predefined'), constant);
        for (const [item, value] of Object.entries(items))
          if (isUnavailable(value)) assert.deepEqual(value, nothing, `${constant}: ${item}`);
      }
    });

    it('tells the size of a predefined datatype, which its handle has in it', async () => {
      const answer = await process.query('datatype', 0x4c00080bn);
      assert.ok(answer.ok);
      const { size, flags, extent } = answer.value;
      assert.deepEqual({ size, flags, extent }, { size: 8, flags: ['predefined', 'committed'], extent: nothing });
    });

    it('knows the handle of a complete request by its bits', async () => {
      const answer = await process.query('request', 0x6c000001n);
      assert.ok(answer.ok);
      assert.equal(answer.value.operation, 'empty');
    });

    const others: [HandleKind, bigint, string][] = [
      ['comm', 0x84000001n, `ERR_NOT_SUPPORTED: ${nothing.reason}`],
      ['request', 0xac000000n, `ERR_NOT_SUPPORTED: ${nothing.reason}`],
      ['file', 0x55550000n, `ERR_NOT_SUPPORTED: ${nothing.reason}`],
      ['comm', 0n, 'ERR_NOT_FOUND: 0 is not a handle of MPICH: the communicator variable may never have been set'],
      ['comm', 0x4c000405n, 'ERR_NOT_FOUND: 0x4c000405 is MPI_INT, a datatype, not a communicator handle'],
      ['win', 0x84000001n, 'ERR_NOT_FOUND: 0x84000001 has the form of a handle of a communicator, not a window handle'],
      ['group', 0xffffffffn, 'ERR_NOT_FOUND: 0xffffffff has the form of a handle of a stream, not a group handle'],
      ['op', 0xdeadbeefdeadn, 'ERR_NOT_FOUND: 0xdeadbeefdead is not a 32-bit handle of MPICH'],
    ];
    it('says why of every other handle', async () => {
      for (const [kind, handle, expected] of others) {
        const answer = await process.query(kind, handle);
        assert.ok(!answer.ok, `${kind} ${handle.toString(16)}`);
        assert.equal(`${answer.code.slice('MPIDBG_'.length)}: ${answer.reason}`, expected);
      }
      assert.deepEqual(await process.handles('comm'), { ok: false, ...nothing });
    });

    it('has the statuses of mpi.h', async () => {
      const withStatus = image();
      withStatus.map(0x1000n, 64);
      withStatus.writeI32(0x1000n, 12, 0, 3, 7, 0);
      const answer = await (await mpich.open(withStatus))!.query('status', 0x1000n);
      assert.ok(answer.ok);
      const { source, tag, bytes } = answer.value satisfies StatusInfo;
      assert.deepEqual({ source, tag, bytes }, { source: 3, tag: 7, bytes: 12 });
    });
  });
}
