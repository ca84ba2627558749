// Installs Debian packages that are missing, and nothing else: a person is asked first, with the exact list; without a
// terminal, or with CI set, nobody is there to be asked.
import { createInterface } from 'node:readline/promises';
import { onPath, run } from './process.mjs';

/**
 * A package, and the program for which we want it: on PATH from elsewhere, it will do. Without `program` there is no
 * other way than the package (headers, modules, and MPI under the names that Debian gives it).
 */
const packages = {
  demo: [
    { name: 'gcc', program: 'gcc' },
    { name: 'libc6-dev' },
    { name: 'gdb', program: 'gdb' },
    // More than perl-base, which every Debian has: the agent beside the ranks needs the standard modules.
    { name: 'perl' },
    { name: 'openmpi-bin' },
    { name: 'libopenmpi-dev' },
  ],
  tests: [
    { name: 'mpich' },
    { name: 'libmpich-dev' },
    { name: 'g++', program: 'g++' },
    { name: 'gfortran', program: 'gfortran' },
    { name: 'make', program: 'make' },
    // The OpenMP runtime that has OMPT, and the header that describes it.
    { name: 'libomp-dev' },
    { name: 'python3-mpi4py' },
    // For other releases of mpi4py.
    { name: 'python3-pip' },
    { name: 'procps', program: 'ps' },
    // For the networks of hosts made of namespaces.
    { name: 'iproute2', program: 'ip' },
    // For ranks in containers.
    { name: 'charliecloud', program: 'ch-run' },
    // Their services are not started.
    { name: 'slurmctld' },
    { name: 'slurmd' },
    { name: 'slurm-client' },
    // As systemd-coredump compresses core files.
    { name: 'zstd', program: 'zstd' },
    { name: 'lz4', program: 'lz4' },
    { name: 'xz-utils', program: 'xz' },
    { name: 'chromium', program: 'chromium' },
    { name: 'fonts-dejavu-core' },
  ],
};

export const neededForDemo = packages.demo;
export const neededForTests = [...packages.demo, ...packages.tests];

async function isInstalled(name) {
  const { output } = await run('dpkg-query', ['--show', '--showformat=${db:Status-Status}', name], { capture: true });
  return output === 'installed';
}

async function findMissing(needed) {
  const missing = [];
  for (const { name, program } of needed) {
    if (program !== undefined && onPath(program)) continue;
    if (!(await isInstalled(name))) missing.push(name);
  }
  return missing;
}

/** True when a person sits at the terminal. */
const isAttended = () => process.stdin.isTTY === true && !process.env.CI;

async function confirm(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** How apt-get is called with the rights that it needs; undefined when there is no way to get them. */
function privileged() {
  const environment = ['env', 'DEBIAN_FRONTEND=noninteractive'];
  if (process.getuid() === 0) return environment;
  if (!onPath('sudo')) return undefined;
  return ['sudo', ...(isAttended() ? [] : ['--non-interactive']), ...environment];
}

async function installWithApt(prefix, missing) {
  const [program, ...rest] = prefix;
  // A fresh machine may be busy with its own upgrades for a minute.
  const wait = ['-o', 'DPkg::Lock::Timeout=120'];
  const apt = (args) => run(program, [...rest, 'apt-get', ...wait, ...args]);
  const install = ['install', '--yes', '--no-install-recommends', ...missing];
  // The package lists of a machine may be empty, or too old: only then are they fetched.
  const planned = await run('apt-get', ['--simulate', ...install], { capture: true });
  if (planned.status === 0 && (await apt(install)).status === 0) return true;
  return (await apt(['update'])).status === 0 && (await apt(install)).status === 0;
}

/**
 * Makes sure that these packages are there.
 * @param {string} purpose who needs them, for the question: "The demo".
 * @throws {Error} with one line for the user that says what to install, when it cannot be done or is not wanted.
 */
export async function ensurePackages(purpose, needed) {
  const { install } = await choosePackages(purpose, needed);
  await install();
}

const nothingToInstall = { install: async () => undefined };

/**
 * The same in two steps: finds what is missing and asks the person at the terminal. @returns {Promise<{ install: () =>
 * Promise<void> }>} what then installs it, and throws an Error with one line if that fails.
 */
export async function choosePackages(purpose, needed) {
  if (!onPath('dpkg-query') || !onPath('apt-get')) {
    const absent = needed.filter(({ program }) => program === undefined || !onPath(program)).map(({ name }) => name);
    console.log(
      `This is not a Debian system: nothing is installed. ${purpose} needs what Debian calls ${absent.join(', ')}.`,
    );
    return nothingToInstall;
  }
  const missing = await findMissing(needed);
  if (missing.length === 0) return nothingToInstall;
  if (missing.includes('openmpi-bin') && (await isInstalled('mpich'))) {
    console.log("With Open MPI installed, Debian's plain names (mpirun, mpicc) mean Open MPI and no longer MPICH,");
    console.log('unless you chose otherwise with update-alternatives; mpirun.mpich and mpicc.mpich stay.');
  }
  const byHand = `install them as root with: apt-get install ${missing.join(' ')}`;
  const prefix = privileged();
  if (prefix === undefined) throw new Error(`${purpose} needs packages that only root can install; ${byHand}`);
  if (isAttended()) {
    console.log(`${purpose} needs these Debian packages: ${missing.join(' ')}`);
    if (!(await confirm('Install them with apt-get?'))) throw new Error(`Nothing was installed; ${byHand}`);
  } else {
    console.log(`Installing Debian packages: ${missing.join(' ')}`);
  }
  return {
    install: async () => {
      if (!(await installWithApt(prefix, missing))) throw new Error(`apt-get failed (see above); ${byHand}`);
    },
  };
}
