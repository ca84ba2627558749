/** The variables that hold requests of which a verdict speaks. */
import { groupedBy } from '../../../plugin-api/grouped-by';
import { ranksInWords } from '../../../plugin-api/mpi/rank-names';
import type { Hex, RankId } from '../../../plugin-api/mpi/records';
import { variablesOfHandle } from '../variables-of-handle';
import { rankAsked, unlessGdbFails, type QuestionSources, type Told } from './asked-ranks';

export interface AskedRequest {
  id: RankId;
  handle: Hex;
}

const maxRequests = 8;

/** "rank 1 has the request of that receive in early (main)" */
export async function requestVariables(requests: readonly AskedRequest[], sources: QuestionSources): Promise<Told[]> {
  const found: { id: RankId; expression: string; function: string }[] = [];
  for (const { id, handle } of requests.slice(0, maxRequests)) {
    const thread = rankAsked(id, sources)?.threads[0];
    if (thread === undefined) continue;
    const variables = await unlessGdbFails(variablesOfHandle(sources.queries, thread, { kind: 'request', handle }));
    const [first] = variables ?? [];
    if (first !== undefined) found.push({ id, expression: first.expression, function: first.frame.function ?? '' });
  }
  return [...groupedBy(found, ({ id, function: name }) => `${ranksInWords([id])} ${name}`).values()].map((of) => {
    const [{ id, function: name } = of[0]!] = of;
    const expressions = of
      .map(({ expression }) => expression)
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const where = name === '' ? '' : ` of ${name}`;
    const what = of.length === 1 ? 'the request of that receive is' : 'the requests of those receives are';
    const text = `${what} ${expressions.join(', ')}${where} in ${ranksInWords([id])}`;
    const { rank, world } = id;
    return { text, evidence: rank === null ? [] : [{ rank, ...(world && { world }), fact: text }] };
  });
}
