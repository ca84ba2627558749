import tseslint from 'typescript-eslint';

/** Code that the types cannot forbid, with the reason that the error message gives. */
const forbiddenSyntax = [
  {
    selector: 'ExportDefaultDeclaration',
    message: 'Named exports only: one thing has one name everywhere.',
  },
  {
    selector: "MetaProperty[meta.name='import']",
    message: 'The bundles are CommonJS, where import.meta is empty: use __dirname.',
  },
  {
    selector: "MemberExpression[object.name=/^(describe|it|context)$/][property.name='only']",
    message: 'A committed .only hides all other tests.',
  },
  {
    selector: "MemberExpression[object.name=/^(describe|it|context)$/][property.name='skip']",
    message: 'A test is never skipped: it fails and names what it lacks.',
  },
  {
    selector: "CallExpression[callee.object.type='ThisExpression'][callee.property.name='skip']",
    message: 'A test is never skipped: it fails and names what it lacks.',
  },
  {
    selector: "CallExpression[callee.object.name='AbortSignal'][callee.property.name='any']",
    message: 'Node collects a signal that nobody holds, and it never fires: withinTime of adapter/hosts/time-limit.ts.',
  },
];

const oneDoor =
  'Who writes to a terminal goes through adapter/hosts/standard-streams.ts, which makes every character visible.';

/** In what runs in a terminal. */
const forbiddenStreams = [
  { selector: "MemberExpression[object.name='process'][property.name=/^(stdout|stderr)$/]", message: oneDoor },
  { selector: "VariableDeclarator[init.name='process'] Property[key.name=/^(stdout|stderr)$/]", message: oneDoor },
  { selector: "MemberExpression[object.name='console']", message: oneDoor },
  { selector: 'CallExpression[callee.name=/^(writeSync|writevSync)$/]', message: oneDoor },
  { selector: 'Literal[value=/^[/]dev[/](stdout|stderr|tty|fd[/][12])$/]', message: oneDoor },
  { selector: "Literal[value='inherit']", message: `${oneDoor} What a child writes there does not.` },
];

/** In the product. */
const forbiddenWaits = [
  {
    selector: "CallExpression[callee.object.name='AbortSignal'][callee.property.name='timeout']",
    message: 'Node collects a signal that nobody holds, and it never fires: withinTime of adapter/hosts/time-limit.ts.',
  },
  {
    selector: "CallExpression[callee.object.name='Promise'][callee.property.name='race']",
    message: 'What the world outside may never answer has a limit: withinTime of adapter/hosts/time-limit.ts.',
  },
];

export default tseslint.config(
  { ignores: ['dist/', 'samples/', 'test/recordings/', 'test/e2e/rig/', '**/node_modules/', '.vscode-test/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-restricted-syntax': ['error', ...forbiddenSyntax],
      eqeqeq: 'error',
      'prefer-const': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Numbers and booleans print as one expects; objects do not.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An implementation of an asynchronous interface may have nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'interface', format: ['PascalCase'], custom: { regex: '^I[A-Z][a-z]', match: false } },
      ],
    },
  },
  {
    files: ['adapter/**/*.ts', 'extension/**/*.ts'],
    ignores: ['adapter/hosts/time-limit.ts'],
    rules: { 'no-restricted-syntax': ['error', ...forbiddenSyntax, ...forbiddenWaits] },
  },
  {
    files: ['adapter/**/*.ts'],
    ignores: ['adapter/hosts/time-limit.ts', 'adapter/hosts/standard-streams.ts'],
    rules: { 'no-restricted-syntax': ['error', ...forbiddenSyntax, ...forbiddenWaits, ...forbiddenStreams] },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.base],
    rules: { eqeqeq: 'error', 'prefer-const': 'error', 'no-unused-vars': 'error', 'no-undef': 'off' },
  },
);
