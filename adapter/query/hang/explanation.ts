/** What a debugger adds to a verdict, of ranks that are stopped: the variables that its cause is made of. */
import type { HangDocument } from '../../../plugin-api/hang/hang-records';
import { takenMessages } from '../../../plugin-api/hang/taken-messages';
import type { HangVerdict } from '../../../plugin-api/hang/verdict';
import { sentence } from '../../../plugin-api/hang/words';
import type { BufferFault, RankId, RequestInfo } from '../../../plugin-api/mpi/records';
import type { QuestionSources, Told } from './asked-ranks';
import { passedQuestion, passedVariables, type PassedQuestion } from './passed-variables';
import { bufferVariables, requestVariables, type AskedRequest } from './request-variables';

/** What one verdict asks of variables. */
export interface Question {
  /** What the verdict's sentence begins with. */
  causeText: string;
  passed: PassedQuestion | undefined;
  /** Receives that are complete and that nobody has waited for. */
  requests: readonly AskedRequest[];
  /** Operations that are pending, whose buffers have something wrong with them that a variable explains. */
  buffers: readonly AskedRequest[];
  /** The processes that are asked. */
  ids: readonly RankId[];
}

const ofVariables: ReadonlySet<BufferFault['kind']> = new Set(['shared', 'tooShort', 'readOnly']);

/** undefined: no variable says more of the cause. */
export async function questionOf(verdict: HangVerdict): Promise<Question | undefined> {
  const { document, graph, cause } = verdict;
  if (document.verdict !== 'deadlock' || cause === undefined) return undefined;
  const { processes } = graph.waits;
  const passed = await passedQuestion(verdict);
  const requests = takenMessages(cause.needs, graph.waits).map(({ process, handle }) => ({
    id: processes[process]!.id,
    handle,
  }));
  const isOfVariable = ({ bufferPlace }: RequestInfo): boolean =>
    bufferPlace?.faults.some(({ kind }) => ofVariables.has(kind)) === true;
  const buffers = processes.flatMap(({ id, requests: all }) =>
    all.filter(isOfVariable).map(({ handle }) => ({ id, handle })),
  );
  const places = passed?.groups.flatMap(({ calling, others }) => [...calling, ...others]) ?? [];
  const ids = [...places, ...requests, ...buffers].map(({ id }) => id);
  return ids.length === 0 ? undefined : { causeText: verdict.causeText, passed, requests, buffers, ids };
}

/** The same document with what the variables are, in the sentence, those of the cause beside it, and as evidence. */
export async function withAnswer(
  document: HangDocument,
  { causeText, passed, requests, buffers }: Question,
  sources: QuestionSources,
): Promise<HangDocument> {
  const others = [...(await requestVariables(requests, sources)), ...(await bufferVariables(buffers, sources))];
  const given = passed === undefined ? [] : await passedVariables(passed, sources);
  const texts = [causeText, ...textsOf(given), document.sentence.slice(causeText.length).trim(), ...textsOf(others)];
  return {
    ...document,
    sentence: texts.filter((each) => each !== '').join(' '),
    evidence: [...document.evidence, ...[...others, ...given].flatMap(({ evidence }) => evidence)],
  };
}

const textsOf = (told: readonly Told[]): string[] => told.map(({ text }) => sentence(text));

/** The verdict's document, with what variables tell of its cause. */
export async function explained(verdict: HangVerdict, sources: QuestionSources): Promise<HangDocument> {
  const question = await questionOf(verdict);
  return question === undefined ? verdict.document : withAnswer(verdict.document, question, sources);
}
