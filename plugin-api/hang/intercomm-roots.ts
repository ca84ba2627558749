/**
 * Roots of operations over an intercommunicator: one process passes MPI_ROOT, all others of its group MPI_PROC_NULL, and those of the
 * other group its rank.
 */
import { isRooted, operationOf } from './calls';
import { isCollective, type Cause, type Stuck, type StuckJob } from './stuck-job';

/** Everybody names somebody who does not pass MPI_ROOT, or names another one; or others than the one that passes it are named. */
export function namedWithoutRoot({ needs }: StuckJob): Omit<Cause, 'type'> | undefined {
  const rooted = needs.filter(
    ({ wait, need }) => isCollective(need) && need.comm!.isIntercomm && isRooted(wait.call) && isKnown(wait),
  );
  const naming = rooted.filter((each) => namedBy(each) !== undefined);
  const found = naming.filter((each) => namesNoRoot(each, rooted));
  const [first] = found;
  if (first === undefined) return undefined;
  const named = found.flatMap((each) => rooted.filter((other) => isNamed(other, each)));
  const roots = rooted.filter((each) => isOfSame(each, first) && each.wait.position.root === 'MPI_ROOT');
  // Where both groups name somebody, nobody knows which of them the root should be in.
  const isWrong = roots.length > 0 || named.some((each) => namedBy(each) !== undefined);
  const culprits = [...(isWrong ? found : []), ...named, ...roots];
  return { culprits: culprits.map(({ process }) => process), needs: [...new Set([...found, ...named, ...roots])] };
}

/** Each waits until another one takes its message that passes MPI_ROOT itself: none of them takes any. */
export function severalRoots({ needs }: StuckJob): Omit<Cause, 'type'> | undefined {
  const roots = needs.filter(
    ({ wait, need }) =>
      isCollective(need) &&
      need.comm!.isIntercomm &&
      need.isPartial === true &&
      isRooted(wait.call) &&
      wait.position.root === 'MPI_ROOT',
  );
  const found = roots.filter((each) =>
    roots.some(
      (other) => isOfSame(each, other) && each.need.on.includes(other.process) && other.need.on.includes(each.process),
    ),
  );
  return found.length === 0 ? undefined : { culprits: found.map(({ process }) => process), needs: found };
}

/** Whoever is named may still be in an operation before this one, unless those that it names are among these, too. */
function namesNoRoot(each: Stuck, rooted: readonly Stuck[]): boolean {
  const seen = new Set<Stuck>();
  for (let at: Stuck | undefined = each; at !== undefined && !seen.has(at);) {
    seen.add(at);
    const { root } = at.wait.position;
    if (root === 'MPI_ROOT') return false;
    if (root === 'MPI_PROC_NULL') return true;
    const naming: Stuck = at;
    at = rooted.find((other) => isNamed(other, naming));
    if (at === undefined) return isAnotherRoot(naming, rooted);
  }
  return true;
}

/** One of the other group passes MPI_ROOT, and another one of it is named, who is not in the operation. */
function isAnotherRoot(naming: Stuck, rooted: readonly Stuck[]): boolean {
  const { peers } = naming.need.comm!;
  return rooted.some(
    (other) => isOfSame(naming, other) && other.wait.position.root === 'MPI_ROOT' && peers.includes(other.process),
  );
}

function isKnown({ position: { root } }: Stuck['wait']): boolean {
  return typeof root === 'number' || typeof root === 'string';
}

function isOfSame(one: Stuck, other: Stuck): boolean {
  return operationOf(one.wait.call) === operationOf(other.wait.call) && one.need.comm!.key === other.need.comm!.key;
}

/** Whom a process takes for the root. */
function namedBy({ wait, need }: Stuck): number | undefined {
  const { root } = wait.position;
  return typeof root === 'number' ? need.comm!.peers[root] : undefined;
}

function isNamed(other: Stuck, by: Stuck): boolean {
  return other.process === namedBy(by) && isOfSame(other, by);
}
