/**
 * Whether a standard stream is closed (`>&-`). Node opens /dev/null in the place of each that is before any of our code runs: for reading
 * and writing, while a shell opens it for writing only. Others open it for both, too: a file that the parent process, or another
 * stream of ours, has is one of those.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { accessMode, flagsOf, readAndWrite } from './descriptor-flags';
import { environmentOfPerl } from './own-environment';

/** kcmp(2): is this process's descriptor the same open file as one of those, given as "PID:DESCRIPTOR"? */
const isShared = `my %number = (x86_64 => 312, aarch64 => 272, ppc64le => 354, riscv64 => 272);
my $kcmp = $number{ (POSIX::uname())[4] } // exit 1;
my ($pid, $descriptor, @others) = @ARGV;
for (@others) { my ($other, $its) = split /:/; exit 0 if syscall($kcmp, $pid + 0, $other + 0, 0, $descriptor + 0, $its + 0) == 0 }
exit 1`;

const maxCompared = 1000;

let closed: readonly number[] | undefined;

/** False too where the kernel does not tell. True also for /dev/null that a parent has opened for reading and writing, and has closed since. */
export function isClosed(descriptor: 1 | 2): boolean {
  // Both at once, while both are open: to ask, a process is started.
  closed ??= [1, 2].filter(isOpenedByNode);
  return closed.includes(descriptor);
}

function isOpenedByNode(descriptor: number): boolean {
  try {
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== '/dev/null') return false;
    if ((flagsOf(descriptor) & accessMode) !== readAndWrite) return false;
  } catch {
    return false;
  }
  const own = [0, 1, 2].filter((other) => other !== descriptor).map((other) => `${process.pid}:${other}`);
  const others = [...own, ...openFilesOf(process.ppid)];
  const args = ['-MPOSIX', '-e', isShared, String(process.pid), String(descriptor), ...others];
  return spawnSync('perl', args, { stdio: 'ignore', env: environmentOfPerl(process.env) }).status === 1;
}

function openFilesOf(pid: number): string[] {
  try {
    const open = readdirSync(`/proc/${pid}/fd`).slice(0, maxCompared);
    return open.map((descriptor) => `${pid}:${descriptor}`);
  } catch {
    return [];
  }
}
