/** Ranks on their way out, as people read it. */
import { groupedBy } from '../grouped-by';
import type { ProcessState } from './job-state';
import type { Leaving } from './leaving';
import { forCount } from './for-count';
import { sentence, type HangWords } from './words';

/** One sentence for each way out that ranks have in common. */
export function leavingTexts(processes: readonly ProcessState[], words: HangWords): string[] {
  const found = processes.flatMap(({ positions }, process) =>
    positions.flatMap(({ leaving }) => (leaving === undefined ? [] : [{ process, text: leavingText(leaving) }])),
  );
  return [...groupedBy(found, ({ text }) => text)].map(([text, of]) =>
    sentence(`${words.ranks(of.map(({ process }) => process))} ${forCount(text, new Set(of).size)}`),
  );
}

/** For one rank: "leaves with exit(3), called at leaving.cpp:12 in read_table" */
function leavingText(leaving: Leaving): string {
  const { how, what, text, status } = leaving;
  switch (how) {
    case 'exit':
      return `leaves with ${what}(${status ?? '…'}), called${placeText(leaving)}`;
    case 'return':
      return `leaves: main has returned${status === undefined ? '' : ` ${status}`}`;
    case 'stop':
      return `leaves with ${what}${status === undefined ? '' : ` ${status}`}${placeText(leaving)}`;
    case 'exception': {
      const says = text === undefined ? '' : ` ("${text}")`;
      return `is thrown out of its work by an exception, ${what}${says}, which is on its way through${placeText(leaving, '')}`;
    }
    case 'caught':
      return `has caught an exception, ${what}${text === undefined ? '' : ` ("${text}")`}, whose handler has not ended`;
    case 'terminate': {
      const begin = what === 'throw' ? 'an exception that nothing catches was thrown' : `${what} was called`;
      return `is in its handler of std::terminate: ${begin}${placeText(leaving)}`;
    }
    case 'signal':
      return `is in its handler of ${what}, which has interrupted it${placeText(leaving)}`;
  }
}

function placeText({ where, function: name }: Leaving, at = ' at'): string {
  if (where === undefined) return name === undefined ? ' somewhere' : ` ${at === '' ? '' : 'in '}${name}`;
  if (at === '') return ` ${name ?? 'code'} (${where})`;
  return `${at} ${where}${name === undefined ? '' : ` in ${name}`}`;
}
