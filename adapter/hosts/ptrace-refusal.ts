/** Why a process cannot be attached to, and what to do about it: one sentence. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from './host';
import { HostProcess } from './host-process';
import { LocalHost } from './local-host';
import { userName } from './users';

export const onlyRoot =
  'only root can attach to a program with set-user-ID or capabilities, or one that forbids it (PR_SET_DUMPABLE)';

/** Checks before attaching; undefined: no objection. */
export async function refusalBefore(target: HostProcess): Promise<string | undefined> {
  const { host, pid } = target;
  const info = await target.status();
  if (info === undefined) return `there is no process ${pid} on this host`;
  if (info.state === 'Z' || info.state === 'X') return `process ${pid} (${info.name}) has already ended`;
  if (pid === process.pid && host instanceof LocalHost) return `process ${pid} is the debugger itself`;
  if (info.tracer !== 0) {
    const tracer = await new HostProcess(host, info.tracer).status();
    return (
      `process ${pid} (${info.name}) is already being traced by process ${info.tracer}` +
      `${tracer === undefined ? '' : ` (${tracer.name})`}: end that one first: a process can have only one debugger at a time`
    );
  }
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0 && info.uid !== uid) {
    return (
      `process ${pid} (${info.name}) belongs to the user ${await userName(host, info.uid)}:` +
      ` run mpidbg as that user or as root`
    );
  }
  if (await isStuck(target))
    return (
      `process ${pid} (${info.name}) sleeps uninterruptibly in the kernel (as in vfork, or for storage that does not answer)` +
      ` and cannot be stopped: try again when it has gone on`
    );
  return undefined;
}

/** Longer than a device that works takes. */
const longSleepMs = 3000;

/** A tracer would wait without end for a thread that stays in one such sleep. */
async function isStuck(target: HostProcess): Promise<boolean> {
  const started = performance.now();
  let stuck = await target.uninterruptibleSleeps();
  while (stuck.length > 0 && performance.now() - started < longSleepMs) {
    await sleep(100);
    const now = await target.uninterruptibleSleeps();
    stuck = stuck.filter((one) => now.includes(one));
  }
  return stuck.length > 0;
}

/** After gdb was refused: `words` are gdb's. */
export async function refusalAfter(target: HostProcess, words: string): Promise<string> {
  const { host, pid } = target;
  const before = await refusalBefore(target);
  if (before !== undefined) return before;
  const scope = await yamaScope(host);
  if (/not permitted/i.test(words)) {
    if (scope === 1 || scope === 2) {
      return (
        `the kernel forbids attaching to process ${pid}: kernel.yama.ptrace_scope is ${scope};` +
        ` allow it with "sudo sysctl kernel.yama.ptrace_scope=0", or run mpidbg as root`
      );
    }
    if (scope === 3) {
      return (
        `the kernel forbids attaching to any process: kernel.yama.ptrace_scope is 3, which only a reboot changes:` +
        ` set it to 0 in /etc/sysctl.d and reboot`
      );
    }
    return `attaching to process ${pid} is not permitted: in a container, start it with --cap-add=SYS_PTRACE; ${onlyRoot}`;
  }
  return `gdb cannot attach to process ${pid}: ${words}`;
}

/** A process may be attached to by those above it, and by whom it allows it. */
export async function onlyAncestorsAttach(host: Host): Promise<boolean> {
  return process.getuid?.() !== 0 && (await yamaScope(host)) === 1;
}

async function yamaScope(host: Host): Promise<number> {
  return Number(await host.readFile('/proc/sys/kernel/yama/ptrace_scope').then(String, () => '0'));
}
