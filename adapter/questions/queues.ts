/** Posted receives, unexpected messages and pending sends of each communicator. */
import { queuesText } from '../../plugin-api/answers/text/queues-text';
import type { QueuesDocument } from '../../plugin-api/mpi/queue-records';
import { messageQueues } from '../query/message-queues';
import { flag, optional } from './argument-checks';
import type { Question } from './question';

export interface QueuesArguments {
  /** The MPI library's own messages and communicators, too. */
  internal?: boolean;
}

export const queues: Question<QueuesArguments, QueuesDocument> = {
  arguments: { internal: optional(flag) },
  async answer({ internal = false }, { queries, ranks }) {
    const described = await messageQueues(queries, ranks, internal);
    return { document: described.document, notEvaluated: [], text: ({ full }) => queuesText(described, full) };
  },
};
