/** The variables with which a program loads the collector, as `mpidbg collector` prints them. */
import { runCli } from './run-cli';

export async function preloads(collects: string): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await runCli(['collector', '--collect', collects]);
  const [, ...words] = stdout.trim().split(' ');
  return Object.fromEntries(words.map((word) => word.split('=') as [string, string]));
}
