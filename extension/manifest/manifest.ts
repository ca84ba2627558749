import { attachAttributes, launchAttributes, sessionAttributes } from './attributes';
import type { Schema } from './attributes';
import { contributions } from './contributions';
import { fortranContributions } from './fortran-contributions';
import { breakpointLanguageIds, fortranLanguages } from './languages';

/** The debug type in launch.json. */
export const debugType = 'mpidbg';

/** Command ids; a launch.json names them `${command:pickProgram}` or `${command:mpidbg.pickProgram}`. */
export const commands = {
  pickProgram: 'mpidbg.pickProgram',
  pickLauncher: 'mpidbg.pickLauncher',
  pickJob: 'mpidbg.pickJob',
  pickBatchJob: 'mpidbg.pickBatchJob',
} as const;

const launch = { type: debugType, request: 'launch' };
const attach = { type: debugType, request: 'attach' };

// In a snippet a text that begins with ^ is inserted as it is: `\${…}` becomes a variable of launch.json, `${1:…}` is a
// place to fill in.
const programToFillIn = '^"\\${workspaceFolder}/${1:program}"';

const snippets = [
  {
    label: 'MPI: Launch',
    description: 'Start an MPI program on some ranks, with the launcher of the MPI library that it uses.',
    body: { ...launch, name: 'MPI: launch', program: programToFillIn, ranks: 4 },
  },
  {
    label: 'MPI: Launch with Open MPI',
    description: "Start an MPI program with Open MPI's mpirun.",
    body: {
      ...launch,
      name: 'MPI: launch with Open MPI',
      program: programToFillIn,
      ranks: 4,
      launcher: 'mpirun',
      launcherArgs: ['--bind-to', 'none'],
    },
  },
  {
    label: 'MPI: Launch with MPICH',
    description: "Start an MPI program with MPICH's mpiexec.",
    body: {
      ...launch,
      name: 'MPI: launch with MPICH',
      program: programToFillIn,
      ranks: 4,
      launcher: 'mpiexec.hydra',
      launcherArgs: [],
    },
  },
  {
    label: 'MPI: Attach to a running job',
    description: 'Attach to all ranks of a running mpirun, mpiexec or srun on this machine.',
    body: { ...attach, name: 'MPI: attach', launcherPid: '^"\\${command:mpidbg.pickJob}"' },
  },
  {
    label: 'MPI: Attach to a batch job',
    description: 'Attach to all ranks of a running job of the batch system (Slurm), on all its nodes.',
    body: { ...attach, name: 'MPI: attach to a batch job', job: '^"\\${command:mpidbg.pickBatchJob}"' },
  },
  {
    label: 'MPI: Open core files',
    description: 'Look at the core files of a whole MPI job in one session.',
    body: { ...attach, name: 'MPI: core files', cores: ['^"\\${workspaceFolder}/${1:core.*}"'] },
  },
];

const request = (properties: Record<string, Schema>, ...alternatives: string[]): Schema => ({
  anyOf: alternatives.map((name) => ({ required: [name] })),
  properties,
});

/** The part of package.json that VS Code reads and that follows from the sources here; `npm run manifest` writes it. */
export const manifest = {
  main: './dist/extension.js',
  icon: 'extension/icon.png',
  l10n: './l10n',
  categories: ['Debuggers'],
  keywords: ['MPI', 'Open MPI', 'MPICH', 'Fortran', 'HPC', 'parallel', 'gdb', 'core dump'],
  // The ranks run where the workspace is, which over Remote - SSH is another machine than the window.
  extensionKind: ['workspace'],
  // VS Code adds only those of languages that are declared with a configuration, which ours are not.
  activationEvents: [
    `onDebugResolve:${debugType}`,
    ...Object.values(commands).map((command) => `onCommand:${command}`),
    // So that F5 finds us awake.
    ...breakpointLanguageIds.map((language) => `onLanguage:${language}`),
    'onUri',
  ],
  capabilities: {
    untrustedWorkspaces: {
      supported: 'limited',
      description: 'Fortran files are analysed; debugging runs programs of the workspace, so it must be trusted.',
    },
    virtualWorkspaces: { supported: false, description: 'MPI programs and their sources must be files on disk.' },
  },
  contributes: {
    ...contributions,
    commands: [...contributions.commands, ...fortranContributions.commands],
    submenus: fortranContributions.submenus,
    menus: {
      ...contributions.menus,
      ...fortranContributions.menus,
      'debug/variables/context': [
        ...fortranContributions.menus['debug/variables/context'],
        ...contributions.menus['debug/variables/context'],
      ],
      commandPalette: [...contributions.menus.commandPalette, ...fortranContributions.commandPalette],
    },
    configuration: {
      ...contributions.configuration,
      properties: { ...contributions.configuration.properties, ...fortranContributions.settings },
    },
    semanticTokenTypes: fortranContributions.semanticTokenTypes,
    semanticTokenScopes: fortranContributions.semanticTokenScopes,
    languages: fortranLanguages,
    breakpoints: breakpointLanguageIds.map((language) => ({ language })),
    // What F5 offers to run first, if the program is older than its source.
    taskDefinitions: [{ type: debugType, properties: { command: { type: 'array', items: { type: 'string' } } } }],
    debuggers: [
      {
        type: debugType,
        label: 'MPI (mpidbg)',
        languages: breakpointLanguageIds,
        variables: commands,
        configurationAttributes: {
          launch: request({ ...launchAttributes, ...sessionAttributes }, 'program', 'programs'),
          attach: request(
            { ...attachAttributes, ...sessionAttributes },
            'launcherPid',
            'job',
            'waitForJob',
            'pids',
            'cores',
          ),
        },
        configurationSnippets: snippets,
        initialConfigurations: [{ ...launch, name: 'MPI: launch', program: '${command:pickProgram}', ranks: 4 }],
      },
    ],
  },
};
