/** How many deaths `mpidbg run` tells rightly, with both MPIs: npm run deaths:score [-- NAME...], NAME: a part of "mpich signals.c null". */
import { shareProcessorsAlike } from '../../scripts/autogroup.mjs';
import { allMpis } from '../support/sample-job';
import { deathCases } from './death-case';
import { DyingPrograms } from './built-programs';
import { judged } from './run-of-case';

async function main(names: readonly string[]): Promise<void> {
  shareProcessorsAlike();
  for (const mpi of allMpis) {
    const titleOf = ({ program, how }: (typeof deathCases)[number]): string => `${mpi} ${program} ${how}`;
    const chosen = deathCases.filter(
      (each) =>
        (each.mpis ?? allMpis).includes(mpi) &&
        (names.length === 0 || names.some((name) => titleOf(each).includes(name))),
    );
    if (chosen.length === 0) continue;
    const programs = new DyingPrograms(mpi);
    const wrongs = new Map<string, number>();
    try {
      await programs.build();
      for (const each of chosen) {
        const { said, wrong } = await judged(programs, each);
        for (const what of wrong) wrongs.set(what, (wrongs.get(what) ?? 0) + 1);
        const verdict = wrong.length === 0 ? 'right' : `WRONG: ${wrong.join(', ')}`;
        console.log(
          `${titleOf(each)}: ${verdict}\n    wanted: ${each.says}\n${said.map((line) => `    ${line}`).join('\n')}`,
        );
      }
    } finally {
      programs.remove();
    }
    const told = [...wrongs].map(([what, count]) => `${count} with a wrong ${what}`);
    console.log(`${mpi}: ${chosen.length} programs, ${told.length === 0 ? 'all told rightly' : told.join(', ')}`);
  }
}

void main(process.argv.slice(2));
