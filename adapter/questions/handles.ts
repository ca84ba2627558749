/** Every live handle of each rank. */
import { handlesText } from '../../plugin-api/answers/text/handles-text';
import type { Document, HandleKind } from '../../plugin-api/mpi/records';
import { listableKinds } from '../query/list-handles';
import { flag, matching, optional } from './argument-checks';
import type { Question } from './question';
import { withReferences } from './references';

export interface HandlesArguments {
  /** Left out: all that can be listed. */
  kinds?: readonly HandleKind[];
  /** The MPI library's own, too. */
  internal?: boolean;
}

export const handles: Question<HandlesArguments, Document> = {
  arguments: {
    kinds: optional(matching(`a list of ${listableKinds.join(', ')}`, isKinds)),
    internal: optional(flag),
  },
  ofWords: (words) => ({ kinds: words === '' ? undefined : words.split(/\s+/) }),
  async answer({ kinds, internal }, asked) {
    const document = await asked.queries.handles(asked.ranks, kinds, internal);
    const told = asked.isForPrograms ? document : await withReferences(document, asked);
    return { document, notEvaluated: [], text: ({ full }) => handlesText(told, full) };
  },
};

function isKinds(value: unknown): value is readonly HandleKind[] {
  return Array.isArray(value) && value.every((kind) => (listableKinds as unknown[]).includes(kind));
}
