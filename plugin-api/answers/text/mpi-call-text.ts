/** A call of MPI with its arguments, as a person would say it. */
import type { PassedArgument } from '../../deaths/rank-death';

/** MPI_Recv(count 4 MPI_INT, from 0, tag 7, "ocean") */
export function callText(call: string, passed: readonly PassedArgument[]): string {
  return passed.length === 0 ? call : `${call}(${callArguments(passed)})`;
}

export function callArguments(passed: readonly PassedArgument[]): string {
  return wordsOf(passed).join(', ');
}

/** An argument's own word; undefined: its name. */
const words: Readonly<Record<string, string>> = {
  ...{ source: 'from', dest: 'to', target_rank: 'to', comm: '', comm_old: '', win: '', fh: '', op: '' },
  ...{ sendtag: 'tag', recvtag: 'its tag', sendcount: 'sends', recvcount: 'receives', group: '', errorcode: 'code' },
  ...{ datatype: '', sendtype: '', recvtype: '', request: '', oldtype: '', peer_comm: '', local_comm: '' },
};

/** A datatype belongs to the count before it. */
function wordsOf(passed: readonly PassedArgument[]): string[] {
  const parts: string[] = [];
  for (const [index, { name, text }] of passed.entries()) {
    const before = passed[index - 1]?.name ?? '';
    if (/^(datatype|sendtype|recvtype)$/.test(name) && /count$/.test(before)) parts.push(`${parts.pop()} ${text}`);
    else parts.push(`${words[name] ?? name} ${isReceiving(name, passed) ? anyOf(name, text) : text}`.trimStart());
  }
  return parts;
}

/** A send has no use for any tag. */
function isReceiving(name: string, passed: readonly PassedArgument[]): boolean {
  return name === 'recvtag' || passed.every((each) => each.name !== 'dest');
}

function anyOf(name: string, text: string): string {
  return text === 'MPI_ANY_SOURCE' ? 'any rank' : text === 'MPI_ANY_TAG' && name.endsWith('tag') ? 'any' : text;
}
