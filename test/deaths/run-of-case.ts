/** What `mpidbg run` says of a program that dies, and what of it is right. */
import { readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { signalOf } from '../../plugin-api/answers/signal-words';
import { lineThatDies, type DeathCase } from './death-case';
import type { DyingPrograms } from './built-programs';

/** wrong: silent: it says something where there is nothing to say. */
export interface Judgement {
  /** The lines of mpidbg. */
  said: readonly string[];
  wrong: readonly ('silent' | 'cause' | 'rank' | 'line' | 'words')[];
}

/** By two ranks and the launcher. */
export async function judged(programs: DyingPrograms, each: DeathCase): Promise<Judgement> {
  const sarif = programs.socketPath('sarif');
  const { lines, status } = await programs.runByMpidbg(each, ['--sarif', sarif]);
  const { runs } = JSON.parse(readFileSync(sarif, 'utf8')) as Sarif;
  rmSync(sarif);
  const death = runs[0]!.results.find(({ ruleId }) => /^(crash|mpi-error|death)\//.test(ruleId));
  const said = [...lines, `status ${status}`];
  if (each.kind === undefined) return { said, wrong: death === undefined ? [] : ['silent'] };
  if (death === undefined) return { said, wrong: ['cause', 'rank', 'line', 'words'] };
  const [place] = death.locations;
  const text = death.message.text;
  const wrong: Judgement['wrong'][number][] = [];
  if (!new RegExp(`^${ruleOf(each)}$`).test(death.ruleId)) wrong.push('cause');
  if (!/^rank 1 /.test(text)) wrong.push('rank');
  // Where a stack is full, chance has it.
  const marker = each.isStackFull === true ? undefined : (each.place ?? each.below);
  if (marker !== undefined) {
    const { artifactLocation, region } = place?.physicalLocation ?? {};
    const isThere =
      basename(artifactLocation?.uri ?? '') === each.program && region?.startLine === lineThatDies(each, marker);
    if (!isThere) wrong.push('line');
  }
  if (each.thrown !== undefined && each.thrown !== marker) {
    const thrown = `the exception was thrown at ${each.program}:${lineThatDies(each, each.thrown)} in `;
    if (!text.includes(thrown)) wrong.push('words');
  }
  // The words of what ended it: the last line alone where its place is told, too.
  const words = each.words
    ?.split('\n')
    .at(-1)
    ?.replace(/.*(runtime error: |Assertion .)/, '');
  if (words !== undefined && !text.includes(words.replace(/' failed\.$/, ''))) wrong.push('words');
  const mayTell = each.kind === 'EXIT' || each.kind === 'RETURN' || each.kind === 'MPI_ABORT';
  const isStatusTold = mayTell && each.status !== undefined;
  if (isStatusTold && !text.includes(String(each.status))) wrong.push('words');
  const { told } = each;
  if (told !== undefined && !text.includes(typeof told === 'string' ? told : told[programs.mpi])) wrong.push('words');
  return { said, wrong };
}

interface Sarif {
  runs: {
    results: {
      ruleId: string;
      message: { text: string };
      locations: { physicalLocation: { artifactLocation: { uri: string }; region?: { startLine: number } } }[];
    }[];
  }[];
}

/** A pattern: some libraries do not tell the class of an error with a file. */
function ruleOf({ kind = '', rule, signal }: DeathCase): string {
  if (rule !== undefined) return rule;
  if (kind === 'SIGNAL') return `crash/${signalOf(signal ?? 0).name}`;
  if (kind === 'MPI_ERROR') return 'mpi-error/(MPI_ERR_\\w+|unknown)';
  return `death/${kind.toLowerCase().replaceAll('_', '-')}`;
}
