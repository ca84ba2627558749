/** One word of a live object is overwritten: the pool's list of free objects tells that the object is live. */
import assert from 'node:assert/strict';
import type { HandleKind } from '../../plugin-api/mpi/records';
import { mpich } from '../../plugin-api/plugins/mpich/index';
import { MockMpich } from '../support/mock-mpich';

const objects = {
  comm: { number: 1, struct: 'MPIR_Comm' },
  group: { number: 2, struct: 'MPIR_Group' },
  datatype: { number: 3, struct: 'MPIR_Datatype' },
  errhandler: { number: 5, struct: 'MPIR_Errhandler' },
  op: { number: 6, struct: 'MPIR_Op' },
  info: { number: 7, struct: 'MPIR_Info' },
  win: { number: 8, struct: 'MPIR_Win' },
  request: { number: 11, struct: 'MPIR_Request' },
} as const;
/** These have no references while they live. */
const uncounted: readonly string[] = ['info', 'win'];

async function reasonOf(mock: MockMpich, kind: HandleKind, handle: bigint): Promise<string> {
  const process = await mpich.open(mock.image);
  const answer = await process!.query(kind, handle);
  assert.ok(!answer.ok, 'the query succeeded');
  return answer.reason;
}

for (const [name, { number, struct }] of Object.entries(objects)) {
  const kind = name as HandleKind;
  describe(`an overwritten ${kind} of MPICH`, () => {
    let mock: MockMpich;
    let handle: bigint;
    let address: bigint;
    beforeEach(() => {
      mock = new MockMpich();
      // Another object of the kind lives, too: a word may be its handle.
      mock.make(number, struct);
      ({ handle, address } = mock.make(number, struct));
    });

    const overwrite = (values: Record<string, number>) => mock.write('MPIR_Handle_common', address, values);

    for (const word of [0, 1, 0x5a5a5a5a, 0xffffffff])
      it(`is told by its pool when its own handle reads 0x${word.toString(16)}`, async () => {
        overwrite({ handle: word });
        const expected = new RegExp(`has been overwritten: its own handle reads 0x${word.toString(16)}, but`);
        assert.match(await reasonOf(mock, kind, handle), expected);
      });

    it('is told by its pool when its own handle is that of another', async () => {
      overwrite({ handle: Number(handle) - 1 });
      assert.match(await reasonOf(mock, kind, handle), /has been overwritten: its own handle reads /);
    });

    it('is freed when the list of free objects has it, whatever its own handle says', async () => {
      const free = handle + 1n;
      assert.match(await reasonOf(mock, kind, free), /it was freed or never created$/);
      const size = address - mock.make(number, struct).address;
      mock = new MockMpich();
      const first = mock.make(number, struct);
      mock.write('MPIR_Handle_common', first.address - size, { handle: 77 });
      assert.match(await reasonOf(mock, kind, first.handle + 1n), /it was freed or never created$/);
    });

    it('is one or the other while the list of free objects is cut', async () => {
      overwrite({ handle: 77 });
      mock.cutFreeList(number);
      assert.match(await reasonOf(mock, kind, handle), /is not a live .*, or it has been overwritten: its own handle/);
    });

    if (!uncounted.includes(kind))
      it('is told by its pool when its references are impossible, and perhaps changing at 0', async () => {
        overwrite({ ref_count: -3 });
        assert.match(await reasonOf(mock, kind, handle), /has been overwritten: it has -3 references, but/);
        overwrite({ ref_count: 0 });
        assert.match(await reasonOf(mock, kind, handle), /making or freeing .*, or .* has been overwritten$/);
        mock.cutFreeList(number);
        assert.match(await reasonOf(mock, kind, handle), /it has no references, unless .* overwritten$/);
      });
  });
}

it('a predefined object of MPICH is either not made or overwritten', async () => {
  const mock = new MockMpich();
  mock.write('MPIR_Handle_common', mock.self, { handle: 77 });
  const reason = await reasonOf(mock, 'comm', 0x44000001n);
  assert.match(reason, /either MPICH has not made this communicator here, or it has been overwritten/);
});

/** The words that say that a call has not filled the object yet. */
const unfilled = {
  comm: { number: 1, struct: 'MPIR_Comm', values: { context_id: 0 } },
  win: { number: 8, struct: 'MPIR_Win', values: { create_flavor: 0 } },
} as const;

for (const [name, { number, struct, values }] of Object.entries(unfilled)) {
  const kind = name as HandleKind;
  it(`a ${kind} of MPICH that one word of it shows as unfilled may be overwritten, and is not left out of the list in silence`, async () => {
    const mock = new MockMpich();
    const { handle } = mock.make(number, struct, values);
    const reason = await reasonOf(mock, kind, handle);
    assert.match(reason, /^being made by .*, or overwritten$/);
    const process = await mpich.open(mock.image);
    const [listed, unlisted] = [await process!.handles(kind), await process!.unlisted!(kind)];
    assert.ok(listed.ok && !listed.value.includes(handle));
    assert.deepEqual(unlisted, [`0x${handle.toString(16)} is ${reason}`]);
  });
}
