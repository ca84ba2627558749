// Bundles the programs of the extension into dist/: the debug adapter, the command line, the VS Code extension, and the
// language server for Fortran; and compiles the collector.
// Each is one file that needs only Node (and, for the extension, VS Code), because a VSIX carries no node_modules.
import { build } from 'esbuild';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCollector } from './scripts/build-collector.mjs';
import { thirdPartyNotices } from './scripts/third-party-notices.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const at = (...path) => join(root, ...path);

/** The decoders of the MPIs and their layout tables; who starts ranks is no part of them. */
const decoders = /^plugin-api\/plugins\/(?!shipped|schedulers|[^/]+\/(facts|launcher)\.ts)/;

/** `without`: files that the bundle must not carry. */
const bundles = [
  { entry: 'adapter/main.ts', output: 'dist/adapter.js' },
  { entry: 'adapter/cli.ts', output: 'dist/cli.js', executable: true },
  { entry: 'extension/main.ts', output: 'dist/extension.js', external: ['vscode'], without: decoders },
  { entry: 'extension/fortran/server/main.ts', output: 'dist/fortran-server.js' },
];

/** Pages of webviews: extension/web/NAME.ts and the style sheets that it imports become dist/web/NAME.js and NAME.css. */
const pages = ['picture', 'charts', 'timeline', 'heat-map'];

/** Scripts that the bundles start or send from their own folder, and the parts in adapter/agent/perl/ that they are joined from. */
const scripts = {
  agent: [
    'agent',
    'hub',
    'processes',
    'node-door',
    'rank',
    'guardian',
    'breakpoints',
    'ends',
    'launcher',
    'spawned',
    'modes',
  ],
  'node-agent': ['tcp-counters', 'node-agent', 'node-answers'],
  holder: ['holder'],
  'tcp-counters': ['tcp-counters'],
};

async function bundle({ entry, output, executable = false, external = [], without }) {
  const { warnings, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: output,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external,
    sourcemap: true,
    // Stack traces of a user name our functions, not letters.
    keepNames: true,
    banner: executable ? { js: '#!/usr/bin/env node' } : {},
    metafile: true,
    logLevel: 'warning',
  });
  if (warnings.length > 0) throw new Error(`${entry}: a warning of the bundler is an error`);
  const unwanted = Object.keys(metafile.inputs).find((file) => without?.test(file));
  if (unwanted !== undefined) throw new Error(`${output} must not carry ${unwanted}: cut the chain of imports to it`);
  if (executable) await chmod(at(output), 0o755);
  return metafile;
}

async function bundlePages() {
  const { warnings, metafile } = await build({
    absWorkingDir: root,
    entryPoints: pages.map((name) => `extension/web/${name}.ts`),
    outdir: 'dist/web',
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    minify: true,
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  });
  if (warnings.length > 0) throw new Error('extension/web: a warning of the bundler is an error');
  return metafile;
}

/** Each part keeps its name and its lines in what Perl says. */
async function joinScript([name, parts]) {
  const texts = await Promise.all(parts.map((part) => readFile(at(`adapter/agent/perl/${part}.pl`), 'utf8')));
  const joined = texts.map((text, index) => (index === 0 ? text : `# line 1 "${parts[index]}.pl"\n${text}`));
  await writeFile(at(`dist/${name}.pl`), joined.join(''));
}

async function bundleAll() {
  const metafiles = await Promise.all([...bundles.map(bundle), bundlePages()]);
  await writeFile(at('dist/THIRD-PARTY-NOTICES.txt'), await thirdPartyNotices(root, metafiles));
}

await mkdir(at('dist'), { recursive: true });
await rm(at('dist/collector'), { recursive: true, force: true });
const results = await Promise.allSettled([
  bundleAll(),
  buildCollector(),
  // Where the collector that was built here does not load, mpidbg builds it.
  ...['native', 'calls', 'ompt', 'deaths', 'names.map'].map((name) =>
    cp(at('adapter/collector', name), at('dist/collector', name), { recursive: true }),
  ),
  ...Object.entries(scripts).map(joinScript),
]);
for (const { reason } of results.filter(({ status }) => status === 'rejected')) {
  // esbuild has printed its own errors, with the source.
  if (reason.errors === undefined) console.error(reason.message);
  process.exitCode = 1;
}
