/** MPICH inside an executable without symbols: what cannot be told apart there is Unavailable, and nothing is wrong. */
import assert from 'node:assert/strict';
import { compareRanks } from '../support/compare-ranks';

/** How a comparison tells of an item that has a reason instead, and of a flag that is not known. */
const untold = [
  /is \{"code":"MPIDBG_ERR_NOT_SUPPORTED","reason":"(MPICH is part of this executable|where \S+ keeps the attribute key)/,
  /: (cart|graph|distGraph)\.(\w+ is missing|code is "MPIDBG_ERR_NOT_SUPPORTED"|reason is "where \S+ keeps the attribute key)/,
  /: flag (cartesian|graph|distGraph) is unknown/,
];

it('tells nothing wrong of topologies and attributes in a stripped static executable', async () => {
  const { facts, differences } = await compareRanks('mpich', 'topologies-stripped', {});
  assert.deepEqual(
    differences.filter((difference) => !untold.some((told) => told.test(difference))),
    [],
  );
  assert.ok(facts >= 2900, `only ${facts} facts`);
  assert.ok(differences.some((difference) => difference.includes('files_open[6]: attributes')));
});
