/** How agent.pl is started: from its file on this host; on others, which need not have it, from the environment, where the token is. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shippedFolder } from '../hosts/shipped-folder';

/** They are joined by esbuild.mjs. */
const fileOf = (name: string): string => join(shippedFolder, name);

export const agentScript = fileOf('agent.pl');
export const holderScript = fileOf('holder.pl');
export const tcpCountersScript = fileOf('tcp-counters.pl');

/** The words before those for the agent. */
export const agentHere: readonly string[] = ['perl', agentScript];
export const agentAnywhere: readonly string[] = ['perl', '-e', 'eval pack "H*", $ENV{MPIDBG_AGENT}; die $@'];

/** The same where the program behind the mode runs in any case, also without that variable. */
export const agentOrProgram: readonly string[] = [
  'perl',
  '-e',
  'my @p = @ARGV; eval pack "H*", $ENV{MPIDBG_AGENT} // ""; shift @p; exec { $p[0] } @p; die "$p[0]: $!\n"',
];

/** Variables for agentAnywhere. In hexadecimal digits: launchers hand down any of those unchanged. */
export type AgentTexts = Record<'MPIDBG_AGENT' | 'MPIDBG_NODE_AGENT', string>;

export async function agentTexts(): Promise<AgentTexts> {
  const text = async (name: string): Promise<string> => (await readFile(fileOf(name))).toString('hex');
  return { MPIDBG_AGENT: await text('agent.pl'), MPIDBG_NODE_AGENT: await text('node-agent.pl') };
}
