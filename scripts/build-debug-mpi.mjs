// node scripts/build-debug-mpi.mjs FOLDER [CONFIGURE-OPTION...]: builds the Open MPI of this Debian from its source with
// -g and --enable-debug into FOLDER/install, for trying what no packaged library has: debug information, and structs with
// the fields of a debug build. Without Fortran, OpenSHMEM, ROMIO and what needs special hardware. It takes about half an
// hour and 1 GB. Needs dpkg-dev, make, gcc, libhwloc-dev, libevent-dev, libpmix-dev, zlib1g-dev; installs nothing outside
// FOLDER. Options are handed to configure last: --disable-debug gives the structs of a packaged library. With FOLDER/bin in
// front of PATH, the tests' mpirun.openmpi runs the samples, which Debian's compiler has linked, on this build.
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { must } from './process.mjs';

const [folderName, ...configureOptions] = process.argv.slice(2);
if (folderName === undefined) throw new Error('usage: node scripts/build-debug-mpi.mjs FOLDER [CONFIGURE-OPTION...]');
const folder = resolve(folderName);
const source = join(folder, 'source');
const build = join(folder, 'build');

/** apt with the source packages of this release, whatever the machine's own list has. */
async function fetchSource() {
  const lists = join(folder, 'lists');
  const list = join(folder, 'sources.list');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  const release = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  writeFileSync(list, `deb-src http://deb.debian.org/debian ${release} main\n`);
  const options = [
    `Dir::Etc::SourceList=${list}`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State::Lists=${lists}`,
    'Dir::Cache::SrcPkgCache=',
    'Dir::Cache::PkgCache=',
  ].flatMap((option) => ['-o', option]);
  await must('apt-get', [...options, '--quiet', 'update']);
  await inFolder(folder, ['apt-get', ...options, '--quiet', '--download-only', 'source', 'openmpi']);
  const description = readdirSync(folder).find((name) => name.endsWith('.dsc'));
  await inFolder(folder, ['dpkg-source', '--no-check', '--extract', description, source]);
}

/** A command in a folder, at the lowest priority: whoever builds this goes on working. */
const inFolder = (where, command) => must('env', ['-C', where, 'nice', '-n', '19', ...command]);

/** The release comes with its generated build files; patches must not make them look old, which would ask for autotools. */
const keepGenerated = () => inFolder(source, ['sh', '-c', generatedIsNewer]);
const generatedIsNewer = `
  find . -name aclocal.m4 -exec touch {} + && sleep 1 &&
  find . -name configure -exec touch {} + && sleep 1 &&
  find . \\( -name Makefile.in -o -name '*_config.h.in' -o -name config.h.in \\) -exec touch {} +`;

/** What runs on one machine; the rest would only take time. */
const withoutComponents = [
  'btl-openib,btl-usnic,btl-ofi,btl-uct,btl-smcuda,mtl,pml-cm,pml-monitoring,osc-monitoring,coll-monitoring,coll-han',
  'coll-adapt,coll-spacc,common-monitoring,io-romio321,crs,plm-slurm,ess-slurm,ras-slurm,vprotocol,topo-treematch',
].join(',');

async function configure() {
  mkdirSync(build, { recursive: true });
  await inFolder(build, [
    join(source, 'configure'),
    `--prefix=${join(folder, 'install')}`,
    '--enable-debug',
    '--disable-mpi-fortran',
    '--disable-oshmem',
    '--disable-man-pages',
    '--without-verbs',
    '--without-slurm',
    '--with-hwloc=external',
    '--with-libevent=external',
    '--with-pmix=/usr/lib/x86_64-linux-gnu/pmix2',
    `--enable-mca-no-build=${withoutComponents}`,
    'CFLAGS=-g -O0',
    ...configureOptions,
  ]);
}

function writeLauncher() {
  const install = join(folder, 'install');
  const launcher = join(folder, 'bin', 'mpirun.openmpi');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(launcher, `#!/bin/sh\nexport LD_LIBRARY_PATH='${install}/lib'\nexec '${install}/bin/mpirun' "$@"\n`);
  chmodSync(launcher, 0o755);
  console.log(`${install}/lib/libmpi.so has debug information; ${launcher} runs samples with it`);
}

mkdirSync(folder, { recursive: true });
if (!existsSync(source)) {
  await fetchSource();
  await keepGenerated();
}
if (!existsSync(join(build, 'Makefile'))) await configure();
await inFolder(build, ['make', 'install']);
writeLauncher();
