/** What package.json says of the handles in Fortran sources: highlighting, the menu "Show as MPI handle", its setting. */
import { handleKinds, typeNames } from '../../plugin-api/mpi/describe';
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { Schema } from '../attributes';
import { fortranLanguageIds } from '../languages';

/** Where annotations are kept, in the workspace's settings. */
export const annotationsSetting = { section: 'mpidbg', name: 'handles' } as const;

/** null: "Not a handle". */
export type AnnotationChoice = HandleKind | null;

const choices: readonly AnnotationChoice[] = [...handleKinds, null];

const annotationCommand = (choice: AnnotationChoice): string => `mpidbg.showAs.${choice ?? 'none'}`;

export const annotationCommands = choices.map((choice) => ({ choice, command: annotationCommand(choice) }));

const submenu = 'mpidbg.showAsHandle';

const inFortran = `editorLangId =~ /^(${fortranLanguageIds.join('|')})$/`;

const setting: Schema & { scope: string } = {
  type: 'array',
  default: [],
  markdownDescription:
    'INTEGER variables that are MPI handles though the program does not say so, or are none though it seems so. ' +
    '`kind` is `comm`, `request`, … or `null` (not a handle); without `function` or `file` it holds everywhere.',
  items: {
    type: 'object',
    required: ['variable', 'kind'],
    additionalProperties: false,
    properties: {
      variable: { type: 'string', description: 'Without subscripts: comm, grid%comm.' },
      kind: { enum: [...choices] },
      function: { type: 'string' },
      file: { type: 'string', description: 'The last parts of its path are enough.' },
    },
  },
  scope: 'resource',
};

export const fortranContributions = {
  commands: annotationCommands.map(({ choice, command }) => ({
    command,
    title: choice === null ? 'Not a Handle' : typeNames[choice],
    category: 'MPI: Show as handle',
  })),
  submenus: [{ id: submenu, label: 'Show as MPI Handle' }],
  menus: {
    [submenu]: annotationCommands.map(({ choice, command }, index) => ({
      command,
      group: choice === null ? '2_none' : `1_kinds@${index + 1}`,
    })),
    'debug/variables/context': [{ submenu, when: "debugType == 'mpidbg'", group: 'z_mpi' }],
    'debug/watch/context': [{ submenu, when: "debugType == 'mpidbg'", group: 'z_mpi' }],
    'editor/context': [{ submenu, when: inFortran, group: 'z_mpi' }],
  },
  /** From the palette they are about the variable under the cursor. */
  commandPalette: annotationCommands.map(({ command }) => ({ command, when: inFortran })),
  settings: { [`${annotationsSetting.section}.${annotationsSetting.name}`]: setting },
  semanticTokenTypes: [
    { id: 'mpiHandle', superType: 'variable', description: 'A Fortran INTEGER that is an MPI handle or status.' },
  ],
  semanticTokenScopes: fortranLanguageIds.map((language) => ({
    language,
    scopes: { mpiHandle: ['variable.other.constant'] },
  })),
};
