/** How a job ended of which no rank has told anything, in words: from what the launcher and the kernel tell. */
import assert from 'node:assert/strict';
import type { RankEnd } from '../../adapter/cli/run/end-order';
import type { KilledForMemory } from '../../adapter/hosts/memory-kills';
import { unannouncedEnd } from '../../adapter/cli/run/unannounced-end';

describe('the end of a job of which no rank has told how it died', () => {
  const none: KilledForMemory = { group: 0, limit: undefined, machine: 0 };
  const ended = (by: NodeJS.Signals | undefined, end: { status: number; signal?: NodeJS.Signals }, after = none) =>
    unannouncedEnd({ askedToEndBy: by }, end, { ends: [], elsewhere: 0 }, after);

  it('says what is known of it, and nothing where the user has ended it', () => {
    assert.deepEqual(ended(undefined, { status: 0 }), []);
    const tornDown = {
      ends: [{ rank: 1, after: 0, status: 0 }, ...[0, 2].map((rank) => ({ rank, after: 1, signal: 9 }))],
      elsewhere: 0,
    };
    assert.deepEqual(unannouncedEnd({ askedToEndBy: undefined }, { status: 0 }, tornDown, none), [
      'rank 1 ended with status 0, then ranks 0,2 were ended by SIGKILL',
      'a launcher ends the other ranks like this when a rank ends without MPI_Finalize',
    ]);
    assert.deepEqual(ended(undefined, { status: 3 }), []);
    assert.deepEqual(ended('SIGINT', { status: 130, signal: 'SIGINT' }), []);
    assert.deepEqual(ended('SIGTERM', { status: 143 }), ['the job was ended from outside by SIGTERM']);
    assert.deepEqual(ended(undefined, { status: 137, signal: 'SIGKILL' }), ['the launcher was ended by SIGKILL']);
    assert.deepEqual(ended(undefined, { status: 137 }), [
      'the status of the launcher, 137, is that of a rank that was ended by SIGKILL',
    ]);
    assert.deepEqual(ended(undefined, { status: 9 }, { group: 1, limit: undefined, machine: 1 }), [
      "the kernel has ended a process of this job's control group for lack of memory",
    ]);
    assert.deepEqual(ended(undefined, { status: 9 }, { group: 2, limit: 400 * 2 ** 20, machine: 2 }), [
      "the kernel has ended 2 processes of this job's control group, which may have 400 MiB, for lack of memory",
    ]);
    assert.deepEqual(ended(undefined, { status: 9 }, { ...none, machine: 2 }), [
      'the kernel has ended 2 processes of this machine for lack of memory, perhaps of this job',
    ]);
  });

  it('names the ranks that a signal ended first, unless another may have been the cause', () => {
    const told = (...ends: readonly RankEnd[]) =>
      unannouncedEnd({ askedToEndBy: undefined }, { status: 9 }, { ends, elsewhere: 0 }, none);
    const first = { rank: 2, after: 0, signal: 9 };
    const torn = { rank: 0, after: 2, signal: 15 };
    assert.deepEqual(told(first, torn), ['rank 2 was ended by SIGKILL']);
    assert.deepEqual(told(first, { ...first, rank: 1 }, torn), [
      'ranks 1-2 were ended by SIGKILL at once, and which was the first is not known',
    ]);
    assert.deepEqual(told({ rank: 1, after: 0, status: 7 }, first, { ...first, rank: 0 }, torn), [
      'rank 1 ended with status 7 when ranks 0,2 were ended by SIGKILL, as launchers end the others',
    ]);
    assert.deepEqual(told({ rank: 1, after: 0, status: 0 }, first, torn), [
      'rank 1 ended with status 0 when rank 2 was ended by SIGKILL',
      'a launcher ends the other ranks like this when a rank ends without MPI_Finalize',
    ]);
    assert.deepEqual(told({ rank: 1, after: 0, signal: 11 }, first), [
      "rank 1 was ended by SIGSEGV; where is not known, as when SIGSEGV is blocked or ignored, or the program's own handler for it fails",
    ]);
    assert.deepEqual(told({ rank: 1, after: 0, status: 0 }, { ...first, after: 1 }), [
      'rank 1 ended with status 0, then rank 2 was ended by SIGKILL',
      'a launcher ends the other ranks like this when a rank ends without MPI_Finalize',
    ]);
    assert.deepEqual(told({ rank: 1, after: 0, status: 0 }, { ...first, after: 1, signal: 12 }), [
      'rank 2 was ended by SIGUSR2, after rank 1 had ended with status 0',
    ]);
    assert.deepEqual(told({ rank: 1, after: 0, status: 3 }, { ...first, after: 1 }), [
      'rank 1 ended with status 3, before others were ended by SIGKILL',
    ]);
    assert.deepEqual(told({ rank: 1, after: 0 }, { ...first, after: 1 }), [
      'rank 2 was ended by SIGKILL; how rank 1 ended before that is not known',
    ]);
    assert.deepEqual(told({ rank: 1, after: 0 }, first), [
      'rank 2 was ended by SIGKILL; how rank 1 ended, perhaps before that, is not known',
    ]);
    assert.deepEqual(told({ rank: 1, after: 0 }, { rank: 3, after: 1, status: 2 }, { ...first, after: 2 }), [
      'these ranks ended first: rank 1 in a way that is not known; then rank 3 with status 2; then rank 2 by SIGKILL',
    ]);
    assert.deepEqual(told({ ...torn, after: 0 }, { ...first, after: 1 }), ['rank 0 was ended by SIGTERM']);
    assert.deepEqual(told({ ...torn, after: 0 }, first), [
      'rank 0 was ended by SIGTERM, rank 2 by SIGKILL at once, and which was the first is not known',
    ]);
    // No launcher ends others by this one.
    assert.deepEqual(told({ ...first, signal: 11 }, torn), [
      "rank 2 was ended by SIGSEGV; where is not known, as when SIGSEGV is blocked or ignored, or the program's own handler for it fails",
    ]);
    assert.deepEqual(told({ ...first, rank: 1, signal: 12 }, first), ['rank 1 was ended by SIGUSR2']);
    assert.deepEqual(told({ rank: 1, after: 0, status: 3 }, first), [
      'rank 1 ended with status 3 when rank 2 was ended by SIGKILL, as launchers end the others',
    ]);
  });

  it('does not name them as the cause where other ranks are on other hosts', () => {
    const ends = [0, 1].map((rank) => ({ rank, after: 0, signal: 9 }));
    assert.deepEqual(unannouncedEnd({ askedToEndBy: undefined }, { status: 137 }, { ends, elsewhere: 2 }, none), [
      'ranks 0-1 were ended by SIGKILL, perhaps because of a rank on another host: how those end is not watched',
    ]);
  });
});
