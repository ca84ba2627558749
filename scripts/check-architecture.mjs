// Checks the arrows between the parts and folders (.dependency-cruiser.cjs), who reaches into a machine, the names of the
// files, and whose words they use (words-of-others.mjs); and that dependency-cruiser
// really read every source file: beside a TypeScript that it does not know, it reads nothing and reports success.
// usage: node scripts/check-architecture.mjs [FOLDER]    FOLDER: the repository to check, default this one
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { filesBelow } from './files.mjs';
import { folderCycles } from './folder-cycles.mjs';
import { root } from './process.mjs';
import { commandsOfGdb, valuesReadAsText, wordsOfOthers } from './words-of-others.mjs';

const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
const folder = resolve(process.argv[2] ?? root);
process.chdir(folder);

const present = readdirSync(folder);
const parts = ['plugin-api', 'adapter', 'extension', 'test', 'bench'].filter((part) => present.includes(part));
const files = parts.flatMap((part) => filesBelow(folder, part, '.ts'));

const { output } = await cruise(parts, { ...options, validate: true, ruleSet: { forbidden } }, undefined, {
  tsConfig: extractTSConfig(join(root, options.tsConfig.fileName)),
});
const read = new Set(output.modules.map((module) => module.source));
const unread = files.filter((file) => !read.has(file));
const { violations } = output.summary;
const product = output.modules.filter(({ source }) => /^(plugin-api|adapter|extension)\//.test(source));
const inProduct = new Set(product.map(({ source }) => source));
const cycles = folderCycles(
  product.map((module) => ({
    ...module,
    dependencies: module.dependencies.filter(({ resolved }) => inProduct.has(resolved)),
  })),
);

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.ts$/;
/** Names that attract anything. */
const noConcept = /(^|\/)(utils?|helpers?|common|misc|base)(\.|\/)/;
const misnamed = files.filter((file) => !kebabCase.test(basename(file)) || noConcept.test(file));

/** What is about this machine only: for another machine, its Host is asked. What runs inside gdb is where the processes are. */
const ofOneMachine = /\bhostname\(|\/proc(?=[/'"`])|(?<![.\w])process\.kill\(/g;
const besideHosts = files
  .filter((file) => /^adapter\/(?!hosts\/|gdb\/python\/)/.test(file))
  .flatMap((file) =>
    (readFileSync(join(folder, file), 'utf8').match(ofOneMachine) ?? []).map((what) => ({ file, what })),
  );

/** A rank's images are built in one place, so that there is one of each at a stop. */
const imageMade = /\bnew (?:Live|Core|Cached|Gdb|Lasting|Remembering)Image\(/g;
const besideRankImages = files
  .filter((file) => /^adapter\/(?:query|text|report|cli|dap)\//.test(file) && file !== 'adapter/query/rank-images.ts')
  .flatMap((file) => (readFileSync(join(folder, file), 'utf8').match(imageMade) ?? []).map((made) => ({ file, made })));

const misplaced = [wordsOfOthers, commandsOfGdb, valuesReadAsText].flatMap((find) => find(folder, files));

for (const { rule, from, to, cycle } of violations) {
  const path = cycle ? cycle.map((step) => step.name).join(' → ') : to;
  const { comment } = forbidden.find((candidate) => candidate.name === rule.name);
  console.log(`${rule.name}: ${from} → ${path}\n    ${comment}`);
}
for (const cycle of cycles)
  console.log(`no-folder-cycles: ${cycle}\n    Two folders that need each other are one folder.`);
for (const { file, what } of besideHosts)
  console.log(
    `machine-behind-its-host: ${file} → ${what}\n    Only adapter/hosts/ knows on which machine a process is.`,
  );
for (const { file, made } of besideRankImages)
  console.log(`images-of-ranks: ${file} → ${made}\n    Only adapter/query/rank-images.ts builds the images of ranks.`);
for (const file of unread) console.log(`not read by dependency-cruiser: ${file}`);
for (const file of misnamed) console.log(`misnamed: ${file}\n    Names are kebab-case, each after its one concept.`);
for (const word of misplaced) console.log(word);
if (files.length === 0) console.log('no source files found: nothing was checked');
console.log(
  `${files.length - unread.length} of ${files.length} source files read, ${violations.length + cycles.length + besideHosts.length + besideRankImages.length} wrong arrows, ` +
    `${misnamed.length} wrong names, ${misplaced.length} words in the wrong folder`,
);
const wrong =
  violations.length +
  cycles.length +
  besideHosts.length +
  besideRankImages.length +
  unread.length +
  misnamed.length +
  misplaced.length;
process.exitCode = wrong > 0 || files.length === 0 ? 1 : 0;
