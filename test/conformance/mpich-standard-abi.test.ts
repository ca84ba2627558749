/** Samples that are built for the standard ABI of MPI 5 and run with MPICH, which has it since 5.0. */
import assert from 'node:assert/strict';
import { compareVersions } from '../../plugin-api/mpi/versioned-tables';
import { assertAgree } from '../support/compare-facts';
import { compareRanks } from '../support/compare-ranks';
import { mpichVersion } from '../support/mpich-interfaces';
import { isBuilt } from '../support/sample-job';

const build = 'mpich-abi';
/** By sample, how many facts its ranks give at least. Files are left out: no table of ROMIO's structs is known there. */
const facts = { communicators: 3950, datatypes: 15284, handles: 2262, lanes: 1280, requests: 4500, windows: 1748 };

if (isBuilt(build)) {
  for (const [name, atLeast] of Object.entries(facts)) {
    it(`the mpich plugin reads in ${name}, built for the standard ABI, what MPI tells`, async () => {
      assertAgree(await compareRanks('mpich', name, { build }), atLeast);
    });
  }
} else {
  it('an MPICH without the standard ABI is older than it', () => {
    assert.ok(compareVersions(mpichVersion(), '5.0') < 0, `MPICH ${mpichVersion()} has it: its samples are not built`);
  });
}
