/** The message queues of all ranks as people read them: by communicator, what is alike in several ranks is one line. */
import type { DescribedQueues } from '../../mpi/queue-records';
import { counted } from '../../counted';
import type { RankQueues } from '../../mpi/queue-records';
import type { RankId } from '../../mpi/records';
import { isUnavailable } from '../../result';
import { visibleListing } from '../../visible-text';
import { mergeEqual } from '../merge';
import { withoutAlike } from './alike-lines';
import { itemTexts, queueNames, queues } from './queue-item';
import { queueSections } from './queue-sections';
import { failedLines, table } from './rank-table';

interface Row {
  rank: RankId;
  text: string;
}

/** Communicators with nothing in their queues are only counted. `full`: each item, also where many look alike. */
export function queuesText({ document, comms }: DescribedQueues, full: boolean): string {
  const told = document.ranks.filter((rank): rank is RankQueues => 'comms' in rank);
  const { titled, empty } = queueSections(
    document.ranks.flatMap((rank, i) =>
      'error' in rank
        ? []
        : rank.comms.map((queues, j) => ({
            info: comms[i]![j]!,
            world: rank.world,
            rows: (full ? itemTexts(queues) : withoutAlike(itemTexts(queues))).map((text) => ({ rank, text })),
          })),
    ),
  );
  const lines = [...titled].flatMap(([title, rows]) => [title, ...table(rows)]);
  const unknown = told.flatMap(unknownQueues);
  if (empty > 0 && unknown.length === 0) lines.push(`Nothing is pending on ${othersText(empty, lines.length > 0)}`);
  const notes = told.flatMap((rank) => (rank.notes ?? []).map((text) => ({ rank, text })));
  lines.push(...table(mergeEqual([...unknown, ...notes])), ...failedLines(document));
  return visibleListing(lines);
}

function othersText(count: number, isAfterSome: boolean): string {
  return counted(count, `${isAfterSome ? 'other ' : ''}communicator`);
}

/** What is unknown is so for all communicators of a rank. */
function unknownQueues(rank: RankQueues): Row[] {
  const [comm] = rank.comms;
  return queues.flatMap((queue) => {
    const items = comm?.[queue];
    return isUnavailable(items) ? [{ rank, text: `${queueNames[queue]}: ${items.reason}` }] : [];
  });
}
