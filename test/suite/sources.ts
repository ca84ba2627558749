/** Where the sources of the suite are: a checkout, or the distribution's source package of mpich. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache-folder';

/** The folder test/mpi. `given`: what the user names. Throws when there is none. */
export async function findSources(given: string | undefined): Promise<string> {
  const named = given ?? process.env['MPIDBG_MPICH_TESTS'];
  const folder = named === undefined ? await fetchSources() : resolve(named);
  const suite = [join(folder, 'test/mpi'), folder].find((path) => existsSync(join(path, 'util/mtest.c')));
  if (suite === undefined) throw new Error(`${folder} is no checkout of MPICH: it has no test/mpi/util/mtest.c`);
  return suite;
}

/** Once; apt checks the signatures. The lists of source packages are kept apart from the system's: no root is needed. */
async function fetchSources(): Promise<string> {
  const folder = join(cacheFolder(), 'sources');
  if (existsSync(folder)) return folder;
  console.log('fetching the source package of mpich with apt-get');
  const work = `${folder}.${process.pid}`;
  for (const each of ['lists/partial', 'cache/archives/partial', 'tree'])
    mkdirSync(join(work, each), { recursive: true });
  try {
    writeFileSync(join(work, 'sources.list'), await sourceLines());
    const settings = [
      `Dir::Etc::SourceList=${join(work, 'sources.list')}`,
      'Dir::Etc::SourceParts=/dev/null',
      `Dir::State::Lists=${join(work, 'lists')}`,
      `Dir::Cache=${join(work, 'cache')}`,
    ].flatMap((setting) => ['-o', setting]);
    await runIn(work, 'apt-get', [...settings, 'update']);
    await runIn(work, 'apt-get', [...settings, 'source', '--download-only', '--only-source', 'mpich']);
    const archive = readdirSync(work).find((file) => file.includes('.orig.tar.'));
    if (archive === undefined) throw new Error('the source package of mpich has no archive of its upstream');
    const extract = ['-x', '-f', archive, '-C', 'tree', '--strip-components=1', '--wildcards', '*/test/mpi'];
    await runIn(work, 'tar', extract);
    renameSync(join(work, 'tree'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/** One for each archive of binary packages that apt knows of this distribution. */
async function sourceLines(): Promise<string> {
  const format = '$(ORIGIN)|$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const { stdout } = await runIn('.', 'apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const lines = [...stdout.matchAll(/^(Debian|Ubuntu)\|(.*)$/gm)].map(([, origin = '', archive = '']) => {
    const keys = `/usr/share/keyrings/${origin.toLowerCase()}-archive-keyring.gpg`;
    return `deb-src [signed-by=${keys}] ${archive}`;
  });
  if (lines.length === 0)
    throw new Error('apt has no archive of Debian or Ubuntu: name the sources with --sources DIR');
  return `${[...new Set(lines)].join('\n')}\n`;
}

async function runIn(folder: string, command: string, args: string[]): Promise<{ stdout: string }> {
  try {
    return await promisify(execFile)(command, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`${command} failed; name the sources with --sources DIR\n${stderr || message}`, { cause: error });
  }
}
