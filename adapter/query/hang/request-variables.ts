/** The variables that hold requests of which a verdict speaks, and those that are their buffers. */
import { groupedBy } from '../../../plugin-api/grouped-by';
import { ranksInWords } from '../../../plugin-api/mpi/rank-names';
import type { Hex, RankId, RequestInfo } from '../../../plugin-api/mpi/records';
import { variablesOfHandle } from '../variables-of-handle';
import { rankAsked, unlessGdbFails, type QuestionSources, type Told } from './asked-ranks';

export interface AskedRequest {
  id: RankId;
  handle: Hex;
}

interface FoundVariable {
  id: RankId;
  expression: string;
  function: string | undefined;
}

const maxRequests = 8;

/** "the request of that receive is early of main in rank 1" */
export async function requestVariables(requests: readonly AskedRequest[], sources: QuestionSources): Promise<Told[]> {
  const found: FoundVariable[] = [];
  for (const { id, handle } of requests.slice(0, maxRequests)) {
    const thread = rankAsked(id, sources)?.threads[0];
    if (thread === undefined) continue;
    const variables = await unlessGdbFails(variablesOfHandle(sources.queries, thread, { kind: 'request', handle }));
    const [first] = variables ?? [];
    if (first !== undefined) found.push({ id, expression: first.expression, function: first.frame.function });
  }
  return toldOf(found, ['the request of that receive', 'the requests of those receives']);
}

/** "the buffers of those operations are v in rank 1" */
export async function bufferVariables(requests: readonly AskedRequest[], sources: QuestionSources): Promise<Told[]> {
  const found: FoundVariable[] = [];
  for (const { id, handle } of requests.slice(0, maxRequests)) {
    const rank = rankAsked(id, sources);
    if (rank === undefined) continue;
    const answer = await unlessGdbFails(sources.queries.of(rank).query('request', BigInt(handle)));
    if (answer?.code !== 'MPIDBG_SUCCESS' || answer.kind !== 'request') continue;
    const { expression, isPointer, function: name } = (answer.info as RequestInfo).bufferPlace ?? {};
    if (expression !== undefined && isPointer !== true) found.push({ id, expression, function: name });
  }
  return toldOf(found, ['the buffer of that operation', 'the buffers of those operations']);
}

/** One sentence for each function of each rank. */
function toldOf(found: readonly FoundVariable[], [one, several]: readonly [string, string]): Told[] {
  const groups = groupedBy(found, ({ id, function: name }) => JSON.stringify([ranksInWords([id]), name]));
  return [...groups.values()].map((of) => {
    const [{ id, function: name } = of[0]!] = of;
    const expressions = [...new Set(of.map(({ expression }) => expression))];
    expressions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const where = name === undefined ? '' : name === 'MAIN__' ? ' of the main program' : ` of ${name}`;
    const what = of.length === 1 ? `${one} is` : `${several} are`;
    const text = `${what} ${expressions.join(', ')}${where} in ${ranksInWords([id])}`;
    const { rank, world } = id;
    return { text, evidence: rank === null ? [] : [{ rank, ...(world && { world }), fact: text }] };
  });
}
