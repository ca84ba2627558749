/** The picture of a handle: of a row of the Handles view, or of a variable. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { describeAnswer } from '../../plugin-api/mpi/describe';
import type { Answer, CommInfo, DatatypeInfo } from '../../plugin-api/mpi/records';
import { JobClient } from '../ranks/job-client';
import { nameInSet } from '../ranks/rank-numbers';
import { byPlace } from './coloring';
import { commPicture, type CommPictureOptions } from './comm-picture';
import { datatypePicture } from './datatype-picture';
import type { Picture } from './picture';

export type Answered = Extract<Answer, { code: 'MPIDBG_SUCCESS' }>;

/** `answers`: of the same handle in several ranks. Undefined: there is none of this kind, or it lacks what is drawn. */
export function pictureOf(
  name: string,
  answers: readonly [Answered, ...Answered[]],
  options: CommPictureOptions = {},
): Picture | undefined {
  const [{ kind, info }, ...others] = answers;
  if (kind === 'datatype') return datatypePicture(name, info as DatatypeInfo);
  if (kind !== 'comm') return undefined;
  return commPicture(name, [info as CommInfo, ...others.map((other) => other.info as CommInfo)], options);
}

/** What VS Code passes to a command of the menu of the Variables view. */
export interface VariableMenuItem {
  variable?: { name?: string; evaluateName?: string };
}

/** In the rank that is shown. Throws Error, which says why there is no picture. */
export async function pictureOfVariable({ variable }: VariableMenuItem): Promise<Picture | undefined> {
  const job = JobClient.active();
  const expression = variable?.evaluateName ?? variable?.name;
  if (job === undefined || expression === undefined) return undefined;
  const [rank] = (await job.showInShownRank(expression)).ranks;
  const answer = rank !== undefined && 'answers' in rank ? rank.answers[0] : undefined;
  if (answer === undefined) throw new Error(l10n.t('{0} cannot be read here.', expression));
  if (answer.code !== 'MPIDBG_SUCCESS') throw new Error(`${expression}: ${answer.reason}.`);
  const of = rank && nameInSet(rank);
  const name = of === undefined ? expression : l10n.t('{0} (rank {1})', expression, of);
  const coloring = byPlace(await job.ranksWithPlaces());
  const picture = pictureOf(name, [answer], { coloring, world: rank?.world });
  if (picture === undefined)
    void vscode.window.showInformationMessage(
      l10n.t(
        '{0} has no picture: only datatypes with data and communicators with members have one.',
        describeAnswer(answer),
      ),
    );
  return picture;
}
