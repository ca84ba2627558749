// Bundles the programs of the extension into dist/: the debug adapter, the command line, the VS Code extension, and the
// language server for Fortran; and compiles the collector.
// Each needs only Node (and, for the extension, VS Code), because a VSIX carries no node_modules, and is one file; the command line
// is in parts, of which a command loads what it needs.
import { build, transform } from 'esbuild';
import { chmod, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCollector } from './scripts/build-collector.mjs';
import { thirdPartyNotices } from './scripts/third-party-notices.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const at = (...path) => join(root, ...path);

/** The decoders of the MPIs and their layout tables; who starts ranks is no part of them. */
const decoders = /^plugin-api\/plugins\/(?!shipped|schedulers|table-names|[^/]+\/(facts|launcher)\.ts)/;

/** `without`: files that the bundle must not carry. */
const bundles = [
  { entry: 'adapter/main.ts', output: 'dist/adapter.js' },
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

/** What all programs are bundled with. */
const programs = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  // Stack traces of a user name our functions, not letters.
  keepNames: true,
  metafile: true,
  logLevel: 'warning',
};

async function bundle({ entry, output, external = [], without }) {
  const { warnings, metafile } = await build({
    ...programs,
    entryPoints: [entry],
    outfile: output,
    format: 'cjs',
    external,
  });
  if (warnings.length > 0) throw new Error(`${entry}: a warning of the bundler is an error`);
  if (without !== undefined) refuse(without, Object.keys(metafile.inputs), output);
  return metafile;
}

function refuse(unwanted, files, by) {
  const file = files.find((each) => unwanted.test(each));
  if (file !== undefined) throw new Error(`${by} must not load ${file}: cut the chain of imports to it`);
}

/** The sources that come with this one: those of its part, and of the parts that it cannot do without. */
function filesLoadedWith(entry, { outputs }) {
  const parts = new Set([Object.keys(outputs).find((part) => outputs[part].entryPoint === entry)]);
  for (const part of parts)
    for (const { path, kind } of outputs[part].imports)
      if (kind === 'import-statement' && path in outputs) parts.add(path);
  return [...parts].flatMap((part) => Object.keys(outputs[part].inputs));
}

/**
 * `dist/cli.js` is the command, and `dist/cli/` has its parts, of which each command loads what it needs: `run` a tenth. esbuild
 * parts only modules. They become CommonJS, which loads twice as fast, and loads a part again whose file is gone.
 */
async function bundleCommandLine() {
  const folder = at('dist/cli');
  const { warnings, metafile, outputFiles } = await build({
    ...programs,
    entryPoints: { main: 'adapter/cli.ts' },
    outdir: folder,
    format: 'esm',
    splitting: true,
    sourcemap: 'inline',
    write: false,
  });
  if (warnings.length > 0) throw new Error('adapter/cli.ts: a warning of the bundler is an error');
  for (const entry of ['adapter/cli.ts', 'adapter/cli/run/run-command.ts'])
    refuse(decoders, filesLoadedWith(entry, metafile), 'mpidbg run, which stands before every launcher,');
  await mkdir(folder, { recursive: true });
  const parts = await Promise.all(outputFiles.map(asCommonJs));
  await writeFile(at('dist/cli.js'), "#!/usr/bin/env node\nrequire('./cli/main.js');\n");
  await chmod(at('dist/cli.js'), 0o755);
  // Commands that run meanwhile keep theirs until the new ones are there.
  const written = new Set(parts.flat());
  const left = (await readdir(folder)).filter((file) => !written.has(file));
  await Promise.all(left.map((file) => rm(join(folder, file))));
  return metafile;
}

/** Writes the part and its map; the names of their files. */
async function asCommonJs({ path, text }) {
  const name = basename(path);
  const { code, map } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    sourcemap: 'external',
    sourcefile: name,
  });
  await writeFile(path, `${code}//# sourceMappingURL=${name}.map\n`);
  await writeFile(`${path}.map`, map);
  return [name, `${name}.map`];
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
  const metafiles = await Promise.all([...bundles.map(bundle), bundleCommandLine(), bundlePages()]);
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
