/**
 * Roots of operations over an intercommunicator: one process passes MPI_ROOT, all others of its group MPI_PROC_NULL, and those of the
 * other group its rank.
 */
import { isRooted, operationOf } from './calls';
import { isCollective, type Cause, type Stuck, type StuckJob } from './stuck-job';

/** The one whom others name does not pass MPI_ROOT. */
export function namedWithoutRoot({ needs }: StuckJob): Omit<Cause, 'type'> | undefined {
  const rooted = needs.filter(
    ({ wait, need }) =>
      isCollective(need) && need.comm!.isIntercomm && isRooted(wait.call) && isKnown(wait.position.root),
  );
  const found = rooted.filter((each) => {
    const named = namedBy(each, rooted);
    return named !== undefined && named.wait.position.root !== 'MPI_ROOT';
  });
  const named = found.map((each) => namedBy(each, rooted)!);
  if (found.length === 0) return undefined;
  const [{ wait, need }] = found as [Stuck];
  const roots = rooted.filter((each) => isOfSame(each, { wait, need }) && each.wait.position.root === 'MPI_ROOT');
  // Where both groups name somebody, nobody knows which of them the root should be in.
  const culprits = [...(roots.length > 0 || named.some(isNaming) ? found : []), ...named, ...roots];
  return { culprits: culprits.map(({ process }) => process), needs: [...new Set([...found, ...named, ...roots])] };
}

function isKnown(root: unknown): boolean {
  return typeof root === 'number' || typeof root === 'string';
}

function isNaming({ wait }: Stuck): boolean {
  return typeof wait.position.root === 'number';
}

function isOfSame(one: Pick<Stuck, 'wait' | 'need'>, other: Pick<Stuck, 'wait' | 'need'>): boolean {
  return operationOf(one.wait.call) === operationOf(other.wait.call) && one.need.comm!.key === other.need.comm!.key;
}

/** Whom a process takes for the root, as far as it is in the same operation. */
function namedBy(each: Stuck, rooted: readonly Stuck[]): Stuck | undefined {
  const { root } = each.wait.position;
  const named = typeof root === 'number' ? each.need.comm!.peers[root] : undefined;
  return rooted.find((other) => other.process === named && isOfSame(each, other));
}
