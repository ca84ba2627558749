/** How the program of a rank was called. */
import type { Rank } from '../job/rank';

/** What the kernel writes into a core file, with the 0 behind it. */
const lengthInCore = 80;

/** As it could be typed; undefined where nothing tells. Of a core file without its stack the beginning, with "…" behind it. */
export async function commandLineOf({ image, process }: Rank): Promise<string | undefined> {
  if (image !== undefined) {
    const words = image.arguments();
    if (words !== undefined) return asTyped(words);
    const text = image.core.process?.commandLine ?? '';
    if (text === '') return undefined;
    return Buffer.byteLength(text) < lengthInCore - 1 ? text : `${text}…`;
  }
  const words = await process?.arguments();
  return words && asTyped(words);
}

/** With quotes for a shell where a word needs them. */
export function asTyped(words: readonly string[]): string {
  return words.map(quotedForShell).join(' ');
}

function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
