/** All fields of several handles as a table: a row for each handle, a column for each field that tells them apart. */
import { describeFields } from '../../mpi/describe';
import { requestState } from '../../mpi/describe-details';
import type { Answer, HandleKind, RankId, RequestInfo } from '../../mpi/records';
import { fieldInWords, inWords } from '../../mpi/words';
import { groupedBy } from '../../grouped-by';
import { mergeEqual } from '../merge';
import { linesOf } from './answer-fields';
import { elementsText } from './element-rows';
import { inColumns } from './labelled-rows';

/** `label`: "requests[2]", or the whole expression. */
interface Handle {
  rank: RankId;
  label: string;
  /** The lines of each field without its name, by its name in the record. */
  fields: ReadonlyMap<string, readonly string[]>;
}

/** Fields that are always columns, as users look for them. */
const foremost: Readonly<Partial<Record<HandleKind, readonly string[]>>> = {
  comm: ['name', 'rank', 'size'],
  datatype: ['name', 'size', 'extent'],
  file: ['filename', 'amode'],
  group: ['rank', 'size'],
  request: ['state', 'operation', 'peer', 'tag', 'bytes', 'bufferPlace', 'buffer'],
  status: ['source', 'tag', 'bytes', 'cancelled'],
  win: ['name', 'flavor', 'bytes', 'basePlace', 'base'],
};

const isElement = /^\[\d+\]: /;

/** Longer values of other fields are not in a column, but in lines below the table. */
const widestValue = 40;

/** First the table, then the fields that are the same in all, or too long for a column. */
export function fieldColumns(answers: readonly { rank: RankId; answer: Answer }[]): string[] {
  const handles = answers.map(handleOf);
  const first = new Set(answers.flatMap(({ answer: { kind } }) => (kind === undefined ? [] : (foremost[kind] ?? []))));
  const names = new Set([...first, ...handles.flatMap(({ fields }) => [...fields.keys()])]);
  const told = [...names].filter((name) => handles.some(({ fields }) => (fields.get(name) ?? []).length > 0));
  const columns = told.filter((name) => first.has(name) || tellsApart(name, handles));
  const below = told.filter((name) => !columns.includes(name));
  const table = elementsText(
    handles.map(({ rank, label, fields }) => ({
      ...{ rank, label },
      columns: columns.map((name) => fields.get(name)?.join('; ') ?? ''),
    })),
    { titles: columns.map(fieldInWords), merge: mergeEqual },
  );
  const others = below.flatMap((name) =>
    [
      ...groupedBy(
        handles.flatMap((handle) => linesIn(handle, name)),
        ({ line }) => line,
      ).values(),
    ].flatMap((of) =>
      elementsText(
        of.map(({ rank, label, line }) => ({ rank, label, columns: [line] })),
        { merge: mergeEqual },
      ),
    ),
  );
  return inColumns([...table, ...others]);
}

function handleOf({ rank, answer }: { rank: RankId; answer: Answer }): Handle {
  const fields = new Map<string, readonly string[]>();
  const { expression: label = '' } = answer;
  if (answer.code !== 'MPIDBG_SUCCESS') return { rank, label, fields };
  if (answer.kind === 'request') fields.set('state', [requestState(answer.info as RequestInfo)].filter(isSaid));
  for (const field of describeFields(answer.info)) {
    const said = inWords(field);
    const lines = linesOf(said).map((line) => withoutTitle(line, said.name));
    fields.set(field.name, lines);
  }
  return { rank, label, fields };
}

/** An element of a list, "attributes[0]: …", keeps its index. */
function withoutTitle(line: string, name: string): string {
  return line.startsWith(`${name}: `) ? line.slice(name.length + 2) : line.slice(name.length);
}

function isSaid(text: string): boolean {
  return text !== '';
}

/** Some have other values than others, and none is long. */
function tellsApart(name: string, handles: readonly Handle[]): boolean {
  const values = handles.flatMap(({ fields }) => fields.get(name) ?? []);
  const isOne = handles.every(({ fields }) => (fields.get(name) ?? []).length < 2);
  return isOne && new Set(values).size > 1 && values.every(({ length }) => length <= widestValue);
}

function linesIn({ rank, label, fields }: Handle, name: string): { rank: RankId; label: string; line: string }[] {
  return (fields.get(name) ?? []).map((value) => ({
    rank,
    label,
    line: `${fieldInWords(name)}${isElement.test(value) ? '' : ': '}${value}`,
  }));
}
