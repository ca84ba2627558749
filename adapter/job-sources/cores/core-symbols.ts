/** The symbols of a core file that gdb does not look for by itself, and those that are missing. */
import { lostLibraries, namelessLibraries } from '../../images/core/loaded-libraries';
import { addSymbolFile } from '../../gdb/mi/file-commands';
import type { Rank } from '../../job/rank';
import { ownRank } from '../../job/rank-record';

/** `isForGdb`: whether gdb may have the file. Rejects with GdbError. */
export async function completeSymbols(of: Rank, isForGdb: (file: string) => boolean): Promise<void> {
  const rank = ownRank(of);
  const { image } = rank;
  const [thread] = rank.threads;
  if (image === undefined || thread === undefined) return;
  for (const { here, bias } of await namelessLibraries(image))
    if (isForGdb(here)) await addSymbolFile(thread, here, bias);
  const program = image.program();
  const lost = [
    ...(program !== undefined && program.here === undefined ? [program] : []),
    ...(await lostLibraries(image)),
  ];
  rank.lostFiles = lost.map(({ file, path, buildId, unlike }) => ({ kind: 'absent', file, path, buildId, unlike }));
}
