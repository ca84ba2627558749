/** For texts only: what the unnamed objects are that answers refer to, where the reference itself is but an address. */
import { datatypeStructure } from '../../plugin-api/mpi/datatype-structure';
import type { DescribedRef } from '../../plugin-api/mpi/describe-ref';
import type { Answer, CommInfo, DatatypeInfo, Document, FileInfo, HandleRef } from '../../plugin-api/mpi/records';
import { isUnavailable } from '../../plugin-api/result';

/** Asks the rank at this place of the document. */
export type Ask = (rank: number, ref: HandleRef) => Promise<Answer>;

/** A copy in which the datatypes and communicators of requests and messages, and the datatypes of views, have their structure. */
export async function describeReferences(document: Document, ask: Ask): Promise<Document> {
  const ranks = await Promise.all(
    document.ranks.map(async (rank, index) => {
      if ('error' in rank) return rank;
      const asked = new Map<string, Promise<string>>();
      const structureOf = (ref: HandleRef): Promise<string> => {
        const key = `${ref.kind} ${ref.handle}`;
        const structure = asked.get(key) ?? ask(index, ref).then(structureText);
        asked.set(key, structure);
        return structure;
      };
      const answers = await Promise.all(rank.answers.map((answer) => describeIn(answer, structureOf)));
      return { ...rank, answers };
    }),
  );
  return { ...document, ranks };
}

const described = ['datatype', 'comm'] as const;

async function describeIn(answer: Answer, structureOf: (ref: HandleRef) => Promise<string>): Promise<Answer> {
  if (answer.code !== 'MPIDBG_SUCCESS') return answer;
  if (answer.kind === 'file') return describeView(answer, structureOf);
  if (answer.kind !== 'request' && answer.kind !== 'message') return answer;
  const fields: Partial<Record<(typeof described)[number], DescribedRef>> = {};
  for (const field of described) {
    const ref = (answer.info as Partial<Record<typeof field, DescribedRef>>)[field];
    if (ref === undefined || isUnavailable(ref) || ref.name !== undefined || ref.serves !== undefined) continue;
    const structure = await structureOf(ref);
    if (structure !== '') fields[field] = { ...ref, structure };
  }
  return { ...answer, info: { ...answer.info, ...fields } };
}

async function describeView(
  answer: Extract<Answer, { code: 'MPIDBG_SUCCESS' }>,
  structureOf: (ref: HandleRef) => Promise<string>,
): Promise<Answer> {
  const info = answer.info as FileInfo;
  // A null handle has no view.
  const view = info.view as FileInfo['view'] | undefined;
  if (view === undefined || isUnavailable(view)) return answer;
  const described = async (ref: HandleRef): Promise<DescribedRef> => {
    const structure = ref.name === undefined ? await structureOf(ref) : '';
    return structure === '' ? ref : { ...ref, structure, isStructureEnough: true };
  };
  const [etype, filetype] = await Promise.all([described(view.etype), described(view.filetype)]);
  return { ...answer, info: { ...info, view: { ...view, etype, filetype } } };
}

/** '' where the object cannot be told. */
function structureText(answer: Answer): string {
  if (answer.code !== 'MPIDBG_SUCCESS') return '';
  if (answer.kind === 'datatype') return datatypeStructure(answer.info as DatatypeInfo);
  const { size } = answer.info as CommInfo;
  return isUnavailable(size) ? '' : `of ${size}`;
}
