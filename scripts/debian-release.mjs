// Another release of Debian in a folder of its own, and commands run inside it. Needs root and debootstrap.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { must, onPath, root, run } from './process.mjs';

/** What the tests need there: both MPIs side by side, compilers, OpenMP with target regions, gdb, and what our agent and tests call. */
const packages = [
  ...['openmpi-bin', 'libopenmpi-dev', 'mpich', 'libmpich-dev', 'gcc', 'g++', 'gfortran', 'gdb'],
  ...['libomp-dev', 'clang', 'clang-tools', 'lld', 'llvm', 'python3-mpi4py'],
];
const tools = ['procps', 'perl', 'ca-certificates', 'libstdc++6'];

/** The path of the checkout inside, so that nothing recorded there contains the path outside. */
const checkoutInside = '/mpidbg';

/** All releases together; deleting this folder undoes everything. */
export const releasesFolder = join(
  process.env.MPIDBG_RELEASES ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mpidbg', 'releases'),
);

/** The Debian mirror that this machine's apt uses, whatever it is. */
async function findMirror() {
  const format = '$(COMPONENT) $(ORIGIN) $(LABEL) $(REPO_URI)';
  const listed = await must('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'], { capture: true });
  const [, uri] = /^main Debian Debian (\S+)$/m.exec(listed) ?? [];
  if (uri === undefined) throw new Error('apt has no Debian archive among its sources: no release can be fetched');
  return uri;
}

/** Copies what this machine needs to reach its mirror: apt's settings, certificates, host names. */
function copySettings(folder) {
  const settings = '/etc/apt/apt.conf.d';
  // Only the settings for fetching; the others call programs that are not inside.
  const fetching = readdirSync(settings).filter((name) => /proxy|registry|cert|ca/i.test(name));
  const files = [...fetching.map((name) => join(settings, name)), '/etc/resolv.conf', '/etc/hosts'];
  for (const file of [...files, '/etc/ssl/certs/ca-certificates.crt']) {
    if (!existsSync(file)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(file, join(folder, file));
  }
  // No package may start a service of its own from inside.
  writeFileSync(join(folder, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
}

/**
 * Makes the folder of a release, unless it is there: some minutes and 1.5 GB, once.
 * @param {string} release a name that debootstrap knows: trixie, sid.
 */
export async function ensureRelease(release) {
  const folder = join(releasesFolder, release);
  const finished = join(folder, 'var/lib/mpidbg-release-is-complete');
  if (existsSync(finished)) return;
  if (process.getuid() !== 0) throw new Error('only root can make a Debian release and enter it');
  for (const program of ['debootstrap', 'unshare'])
    if (!onPath(program)) throw new Error(`${program} is missing: install the package of that name or util-linux`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await must('debootstrap', ['--variant=minbase', release, folder, await findMirror()]);
  copySettings(folder);
  const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'APT::Sandbox::User=root'];
  const install = ['install', '--yes', '--no-install-recommends', ...packages, ...tools];
  for (const step of [['update'], install, ['clean']]) {
    const status = await runInside(release, [...apt, ...step]);
    if (status !== 0) throw new Error(`apt-get ${step[0]} failed inside ${folder}`);
  }
  // Jobs that a job spawns reach it through the network, of which there may be none.
  writeFileSync(join(folder, 'etc/openmpi/openmpi-mca-params.conf'), 'btl_tcp_if_include = lo\n');
  writeFileSync(finished, '');
}

/** Runs in mount, IPC and process namespaces of its own: mounts and processes end with it, however it ends. */
const enter = `
set -eu
folder=$1 checkout=$2 node=$3; shift 3
mount -t proc proc "$folder/proc"
mount --rbind /dev "$folder/dev"
mount --rbind /sys "$folder/sys"
# Jobs name what they share by the numbers of processes, which are the same in each namespace.
mount -t tmpfs tmpfs "$folder/dev/shm"
mount -t tmpfs tmpfs "$folder/tmp"
mkdir -p "$folder$inside" "$folder/var/lib/mpidbg-samples" "$checkout/samples/build"
mount --bind "$checkout" "$folder$inside"
mount --bind "$folder/var/lib/mpidbg-samples" "$folder$inside/samples/build"
touch "$folder/usr/local/bin/node"
mount --bind "$node" "$folder/usr/local/bin/node"
exec chroot "$folder" /bin/sh -c 'cd "$inside" && exec "$@"' sh "$@"
`;

/**
 * Runs a command in the checkout, inside the release, with this node. The samples built there stay there.
 * @returns {Promise<number>} its exit status.
 */
export async function runInside(release, command) {
  const namespaces = ['--mount', '--propagation', 'private', '--ipc', '--pid', '--fork', '--kill-child'];
  const folders = [join(releasesFolder, release), root, process.execPath];
  const env = {
    inside: checkoutInside,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LC_ALL: 'C.UTF-8',
    TMPDIR: '/tmp',
  };
  const { status } = await run('unshare', [...namespaces, 'sh', '-c', enter, 'sh', ...folders, ...command], { env });
  return status;
}
