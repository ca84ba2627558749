/** The arrows of the design: extension → adapter → plugin-api, never back, and no cycles; inside of adapter/, floors. */
const notFolder = (name) => `^(?!${name}/)`;

/** The floors of adapter/, the ground floor first: a folder imports only from floors below its own. */
const adapterFloors = [
  ['elf'],
  ['hosts'],
  ['images'],
  ['gdb'],
  ['stacks'],
  ['agent', 'job'],
  ['launchers', 'expressions', 'collector'],
  ['fortran', 'job-sources'],
  ['values'],
  ['query'],
  ['questions', 'report'],
  ['cli', 'dap'],
];

const adapterFolders = adapterFloors.flat();

/** A rule for each folder: what lies on its own floor and above is not for it, nor are the programs' main files. */
const floorRules = adapterFloors.flatMap((folders, floor) =>
  folders.map((folder) => {
    const notBelow = adapterFloors
      .slice(floor)
      .flat()
      .filter((other) => other !== folder);
    return {
      name: `floor-of-${folder}`,
      comment: `adapter/${folder}/ imports only from the floors below its own (docs/architecture.md).`,
      severity: 'error',
      from: { path: `^adapter/${folder}/` },
      to: { path: `^adapter/((${[...notBelow, '-'].join('|')})/|[^/]+$)` },
    };
  }),
);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'plugin-api-is-pure',
      comment: 'plugin-api imports nothing outside itself: a unit test must be able to feed it bytes, anywhere.',
      severity: 'error',
      from: { path: '^plugin-api/' },
      to: { path: notFolder('plugin-api') },
    },
    {
      name: 'adapter-knows-no-extension',
      comment: 'The adapter runs without VS Code.',
      severity: 'error',
      from: { path: '^adapter/' },
      to: { path: '^extension/' },
    },
    {
      name: 'only-extension-imports-vscode',
      comment: "The module 'vscode' exists only inside VS Code.",
      severity: 'error',
      from: { path: notFolder('extension') },
      to: { path: '^vscode$|^node_modules/@types/vscode/' },
    },
    {
      name: 'product-knows-no-tests',
      comment: 'What is shipped does not depend on tests, benchmarks or scripts.',
      severity: 'error',
      from: { path: '^(plugin-api|adapter|extension)/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'product-needs-no-dev-dependency',
      comment: "A package of devDependencies is for tools; 'vscode' is VS Code's own.",
      severity: 'error',
      from: { path: '^(plugin-api|adapter|extension)/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: '^node_modules/@types/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'plugins-are-strangers',
      comment:
        'A plugin for one MPI knows nothing of another; what both need lies above them, or in ucx, which knows no MPI.',
      severity: 'error',
      from: { path: '^plugin-api/plugins/([^/]+)/' },
      to: { path: '^plugin-api/plugins/[^/]+/', pathNot: '^plugin-api/plugins/($1|ucx)/' },
    },
    {
      name: 'core-knows-plugins-by-registry',
      comment: 'Only the registry (and the public index) names a plugin.',
      severity: 'error',
      from: { path: '^plugin-api/', pathNot: '^plugin-api/(index\\.ts$|plugins/)' },
      to: { path: '^plugin-api/plugins/[^/]+/' },
    },
    ...floorRules,
    {
      name: 'every-folder-has-its-floor',
      comment: 'A new folder of adapter/ is entered on its floor in .dependency-cruiser.cjs and docs/architecture.md.',
      severity: 'error',
      from: { path: `^adapter/(?!(${adapterFolders.join('|')})/)[^/]+/` },
      to: {},
    },
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or miss a third. Types count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-resolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^vscode$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/(e2e/rig|e2e/rig/oldest|dap/oracle)/node_modules/' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Arrows drawn by a type are arrows: the dependency is in the reader's head, not in the bundle.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
