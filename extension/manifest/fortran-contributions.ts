/**
 * The part of package.json about handles in Fortran sources: highlighting, the menu "Show as MPI handle", its
 * setting.
 */
import { typeNames } from '../../plugin-api/mpi/describe';
import type { HandleKind } from '../../plugin-api/mpi/records';
import type { Schema } from './attributes';
import { fortranLanguageIds } from './languages';

/** Where annotations are kept, in the workspace's settings. */
export const annotationsSetting = { section: 'mpidbg', name: 'handles' } as const;

/** null: "Not a Handle"; 'inferred': what was said before no longer holds. */
export type AnnotationChoice = HandleKind | null | 'inferred';

/** In the order of the menu: the most frequent kinds first. */
const titles: Record<HandleKind, string> = {
  comm: 'Communicator',
  request: 'Request',
  status: 'Status',
  datatype: 'Datatype',
  group: 'Group',
  op: 'Operation',
  win: 'Window',
  file: 'File',
  info: 'Info Object',
  errhandler: 'Error Handler',
  message: 'Message',
  session: 'Session',
};

const kinds = Object.keys(titles) as HandleKind[];

export const annotationCommands: readonly { choice: AnnotationChoice; command: string; title: string }[] = [
  ...kinds.map((kind) => ({
    choice: kind,
    command: `mpidbg.showAs.${kind}`,
    title: `${titles[kind]} (${typeNames[kind]})`,
  })),
  { choice: null, command: 'mpidbg.showAs.none', title: 'Not a Handle' },
  { choice: 'inferred', command: 'mpidbg.showAs.inferred', title: 'As the Program Says' },
];

const submenu = 'mpidbg.showAsHandle';

const inFortran = `editorLangId =~ /^(${fortranLanguageIds.join('|')})$/`;

const setting: Schema & { scope: string } = {
  type: 'array',
  default: [],
  markdownDescription:
    'INTEGER variables to show as MPI handles although the program gives no clue, or not to show as handles although it seems to. ' +
    '`kind` is `comm`, `request`, … or `null` (not a handle); without `function` or `file` it holds everywhere.',
  items: {
    type: 'object',
    required: ['variable', 'kind'],
    additionalProperties: false,
    properties: {
      variable: { type: 'string', description: 'Without subscripts: comm, grid%comm.' },
      kind: { enum: [...kinds, null] },
      function: { type: 'string' },
      file: { type: 'string', description: 'The last parts of its path are enough.' },
    },
  },
  scope: 'resource',
};

export const fortranContributions = {
  commands: annotationCommands.map(({ command, title }) => ({
    command,
    title,
    category: 'MPI: Show as handle',
  })),
  submenus: [{ id: submenu, label: 'Show as MPI Handle' }],
  menus: {
    [submenu]: annotationCommands.map(({ choice, command }, index) => ({
      command,
      group: `${choice === null || choice === 'inferred' ? '2_none' : '1_kinds'}@${index + 1}`,
    })),
    'debug/variables/context': [{ submenu, when: "debugType == 'mpidbg'", group: 'z_mpi' }],
    'debug/watch/context': [{ submenu, when: "debugType == 'mpidbg'", group: 'z_mpi' }],
    'editor/context': [{ submenu, when: inFortran, group: 'z_mpi' }],
  },
  /** From the palette, they apply to the variable under the cursor. */
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
