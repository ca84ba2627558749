/** Ranks that our gdbs may attach to, where the kernel lets only ancestors of a process do so (yama). */
import type { KnownMpis } from '../../../plugin-api/mpi/known-mpis';
import { agentHere } from '../../agent/agent-text';
import { HostProcess } from '../../hosts/host-process';
import { localHost } from '../../hosts/local-host';
import { wordsForAgent } from '../../hosts/own-environment';
import { onlyAncestorsAttach } from '../../hosts/ptrace-refusal';
import { findExecutable } from '../../hosts/executables';
import { launcherAt } from '../../launchers/launcher-files';
import { addressesForOthers } from '../../launchers/other-hosts';
import { beforePrograms } from '../../launchers/program-words';

/** The command, in which our agent becomes each program where that is needed, possible and known how. */
export async function traceable(command: readonly string[], mpis: KnownMpis): Promise<readonly string[]> {
  return (await onlyAncestorsAttach(localHost)) ? carried(command, mpis) : command;
}

/** The agent lets this process and those below it attach to the rank, then becomes the program. */
export async function carried(command: readonly string[], mpis: KnownMpis): Promise<readonly string[]> {
  const [name = '', ...args] = command;
  const cwd = process.cwd();
  const path = findExecutable(name, cwd, process.env.PATH);
  const facts = path === undefined ? undefined : (await launcherAt(path, mpis))?.facts;
  if (path === undefined || facts === undefined) return command;
  // On another host this process cannot be named as the tracer, and the agent may be missing.
  const elsewhere = await addressesForOthers({ path, command: name, facts }, args, { cwd, env: process.env }, mpis);
  if (elsewhere.length > 0) return command;
  const { startTime } = await new HostProcess(localHost, process.pid).life();
  const agent = [...wordsForAgent(process.env), ...agentHere, 'traceable', String(process.pid), startTime];
  return [name, ...beforePrograms(agent, args, facts, { cwd, env: process.env })];
}
