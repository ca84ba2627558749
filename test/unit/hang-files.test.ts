/** What a verdict says of operations on files, of hand-written positions. */
import assert from 'node:assert/strict';
import { ask, barrier, inCall, unknown, world, type Told } from '../support/hang-state';

describe('a hang in an operation on a file', () => {
  it('says whose calls have to be in one order', () => {
    const file = { kind: 'file', handle: '0x7' } as const;
    const of = (call: string): Told => inCall(call, { comm: undefined, file }, { files: [{ comm: world }] });
    const { sentence } = ask(of('MPI_File_write_at_all'), of('MPI_File_close'));
    assert.match(sentence, /: those who have opened a file have to call its collective operations in the same order/);
    assert.match(
      ask(barrier, inCall('MPI_Allreduce')).sentence,
      /: members of one communicator have to call its collective operations in the same order/,
    );
  });

  it('calls a file by the path that its process has opened, whoever of them is in it', () => {
    const closes = (filename: string): Told =>
      inCall(
        'MPI_File_close',
        { comm: undefined, file: { kind: 'file', handle: '0x7' } },
        {
          files: [{ comm: unknown, filename }],
          comms: [
            {
              flags: ['internal'],
              serves: { kind: 'file', handle: '0x7' },
              handle: '0x41',
              localProcs: [0, 1],
              contextId: 40,
            },
          ],
        },
      );
    const { sentence } = ask(closes('out.dat'), barrier);
    assert.match(sentence, /rank 0 is in MPI_File_close \(a\.c:\d+\) on MPI_File "out\.dat"/i);
    assert.match(ask(barrier, closes('in.dat')).sentence, /on MPI_File "in\.dat"/);
  });
});
