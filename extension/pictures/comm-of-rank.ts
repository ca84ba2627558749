/** The picture of a communicator that a call or an event names: by its handle in one rank. */
import * as l10n from '@vscode/l10n';
import type { Answer, CommInfo } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';
import type { JobClient } from '../ranks/job-client';
import type { RankName } from '../ranks/rank-numbers';
import { pictureOf, type Answered } from './handle-picture';
import type { PicturePanels } from './picture-panels';

export interface CommOfRank {
  rank: RankName;
  /** As the program has it, in hexadecimal. */
  handle: string;
}

/** Throws Error, which says why there is none. */
export async function showCommOfRank(
  job: JobClient | undefined,
  pictures: PicturePanels,
  { rank, handle }: CommOfRank,
): Promise<void> {
  const [told] = (await job?.commsOf(rank))?.ranks ?? [];
  if (told !== undefined && 'error' in told) throw new Error(l10n.t('rank {0}: {1}', rank, told.error.reason));
  const comm = told?.answers.find(
    (answer): answer is Answered => answer.code === 'MPIDBG_SUCCESS' && (answer.info as CommInfo).handle === handle,
  );
  const picture =
    comm && pictureOf(l10n.t('{0} (rank {1})', nameOf(comm) || handle, rank), [comm], { world: told?.world });
  if (picture === undefined) throw new Error(l10n.t('Rank {0} has no communicator {1} any more.', rank, handle));
  await pictures.show(picture);
}

function nameOf(comm: Answer): string {
  const name = comm.code === 'MPIDBG_SUCCESS' ? (comm.info as CommInfo).name : '';
  return isUnavailable(name) ? '' : name;
}
