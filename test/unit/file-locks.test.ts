import assert from 'node:assert/strict';
import { holderIn } from '../../adapter/hosts/file-locks';

/** As Linux 6.1 writes them. */
const locks = `1: FLOCK  ADVISORY  WRITE 812 fe:00:1234 0 EOF
1: -> FLOCK  ADVISORY  WRITE 813 fe:00:1234 0 EOF
2: POSIX  ADVISORY  READ  900 fe:00:77 0 99
3: POSIX  ADVISORY  READ  901 fe:00:77 100 EOF
4: OFDLCK ADVISORY  WRITE -1 fe:00:88 0 EOF
`;

describe('the process that has the lock of a file', () => {
  it('is the one that the kernel names', () => assert.equal(holderIn(locks, '1234'), 812));

  it('is not known where there are several, or none is named', () => {
    for (const inode of ['77', '88', '99', '123']) assert.equal(holderIn(locks, inode), undefined, inode);
  });
});
