/** Commands, views and settings in package.json, except those of debug configurations. */
import { scopes } from '../../plugin-api/answers/focus-body';
import { remedies } from '../../adapter/dap/client/remedies';
import { defaults } from '../../adapter/dap/start/launch-arguments';
import { sessionAttributes, type Schema } from './attributes';
import { walkthroughs } from './walkthroughs';

/** Ids of the views: beside VS Code's own in Run and Debug, and in the tabs of the panel. */
export const views = {
  ranks: 'mpidbg.ranks',
  stacks: 'mpidbg.stacks',
  values: 'mpidbg.values',
  handles: 'mpidbg.handlesView',
  hang: 'mpidbg.hang',
  queues: 'mpidbg.queues',
  performance: 'mpidbg.performance',
  events: 'mpidbg.events',
} as const;

/** Tabs of the panel beside the debug console: side by side more than two views are too narrow to be read, at 1280 pixels. */
const tabs = {
  mpidbgHang: { title: 'Why It Hangs', icon: '$(question)' },
  mpidbg: { title: 'MPI', icon: '$(type-hierarchy)' },
  mpidbgObjects: { title: 'MPI Objects', icon: '$(symbol-structure)' },
  mpidbgTools: { title: 'MPI_T', icon: '$(dashboard)' },
};

/** Ids of the commands of the palette and of the views. */
export const rankCommands = {
  attach: 'mpidbg.attachToJob',
  resume: 'mpidbg.resumeSession',
  openCores: remedies.openCores.command,
  startProgram: remedies.chooseProgram.command,
  showSteps: remedies.showSteps.command,
  setRankCount: 'mpidbg.setRankCount',
  setFocus: 'mpidbg.setFocus',
  focusRanks: 'mpidbg.focusRanks',
  showRank: 'mpidbg.showRank',
  showRow: 'mpidbg.showRow',
  focusAll: 'mpidbg.focusAll',
  saveFocus: 'mpidbg.saveFocus',
  setScope: 'mpidbg.setScope',
  continueScope: 'mpidbg.continueScope',
  stepScope: 'mpidbg.stepScope',
  pauseScope: 'mpidbg.pauseScope',
  continueRanks: 'mpidbg.continueRanks',
  stepRanks: 'mpidbg.stepRanks',
  pauseRanks: 'mpidbg.pauseRanks',
  addValue: 'mpidbg.addValue',
  removeValue: 'mpidbg.removeValue',
  showOverRanks: 'mpidbg.showOverRanks',
  filterHandles: 'mpidbg.filterHandles',
  copyHandle: 'mpidbg.copyHandle',
  goToVariable: 'mpidbg.goToVariable',
  showPicture: 'mpidbg.showPicture',
  showComm: 'mpidbg.showComm',
  showVariablePicture: 'mpidbg.showVariablePicture',
  colorByValue: 'mpidbg.colorByValue',
  colorByCounter: 'mpidbg.colorByCounter',
  showWaitGraph: 'mpidbg.showWaitGraph',
  chartVariable: 'mpidbg.chartVariable',
  chartOneVariable: 'mpidbg.chartOneVariable',
  showTimeline: 'mpidbg.showTimeline',
  showHeatMap: 'mpidbg.showHeatMap',
  findVariables: 'mpidbg.findVariables',
  startVariable: 'mpidbg.startVariable',
  stopVariable: 'mpidbg.stopVariable',
  resetVariable: 'mpidbg.resetVariable',
  writeVariable: 'mpidbg.writeVariable',
  exportToFile: 'mpidbg.exportToFile',
  refresh: 'mpidbg.refresh',
  whyHang: 'mpidbg.whyHang',
  lookAgain: 'mpidbg.lookAgain',
  stepIntoAnyway: 'mpidbg.stepIntoAnyway',
  nextRank: 'mpidbg.nextRank',
  previousRank: 'mpidbg.previousRank',
} as const;

type RankCommand = keyof typeof rankCommands;

const isDebugging = "inDebugMode && debugType == 'mpidbg'";

const isStopped = `${isDebugging} && debugState == 'stopped'`;

/** After Alt+M, which VS Code uses for nothing. */
const keys: readonly (readonly [letter: string, command: RankCommand])[] = [
  ['f', 'setFocus'],
  ['a', 'focusAll'],
  ['n', 'nextRank'],
  ['p', 'previousRank'],
  ['v', 'addValue'],
  ['w', 'whyHang'],
  ['i', 'stepIntoAnyway'],
];

const titles: Record<RankCommand, readonly [title: string, icon?: string]> = {
  attach: ['Attach to Running Job…'],
  resume: ['Resume a Session from a Closed Window…'],
  openCores: ['Open Core Files…'],
  startProgram: ['Start a Program…'],
  showSteps: ['Show the First Steps'],
  setRankCount: ['Number of Ranks for F5…'],
  setFocus: ['Set Focus…', '$(target)'],
  focusRanks: ['Focus on These Ranks', '$(target)'],
  showRank: ['Show Rank'],
  showRow: ['Show Row'],
  focusAll: ['Focus on All Ranks', '$(clear-all)'],
  saveFocus: ['Save Focus as a Named Set…', '$(save)'],
  setScope: ['Choose What Commands Act on…', '$(settings)'],
  continueScope: ['Continue Thread, Rank, Focus or All…'],
  stepScope: ['Step Over with Thread, Rank, Focus or All…'],
  pauseScope: ['Pause Rank, Focus or All…'],
  continueRanks: ['Continue These Ranks', '$(debug-continue)'],
  stepRanks: ['Step Over with These Ranks', '$(debug-step-over)'],
  pauseRanks: ['Pause These Ranks', '$(debug-pause)'],
  addValue: ['Value over Ranks…', '$(add)'],
  removeValue: ['Remove Value', '$(close)'],
  showOverRanks: ['Show Value over Ranks', '$(add)'],
  filterHandles: ['Filter Handles…', '$(filter)'],
  copyHandle: ['Copy as Text', '$(copy)'],
  goToVariable: ['Go to Variable', '$(go-to-file)'],
  showPicture: ['Show as Picture', '$(graph)'],
  showComm: ['Show the Communicator', '$(graph)'],
  showVariablePicture: ['Show as Picture'],
  colorByValue: ['Show as Picture, Colored by a Value…'],
  colorByCounter: ['Show as Picture, Colored by a Performance Variable…'],
  showWaitGraph: ['Show Who Waits for Whom', '$(type-hierarchy)'],
  chartVariable: ['Show as Live Chart', '$(graph-line)'],
  chartOneVariable: ['Chart a Performance Variable…', '$(graph-line)'],
  showTimeline: ['Timeline of Calls and Events', '$(list-tree)'],
  showHeatMap: ['Show as Heat Map', '$(table)'],
  findVariables: ['Find Variables…', '$(search)'],
  startVariable: ['Start Counting'],
  stopVariable: ['Stop Counting'],
  resetVariable: ['Reset'],
  writeVariable: ['Write Variable…', '$(edit)'],
  exportToFile: ['Export Variables, Events or Calls…', '$(export)'],
  refresh: ['Refresh', '$(refresh)'],
  whyHang: ['Why Does It Hang?', '$(question)'],
  lookAgain: ['Look Again', '$(debug-rerun)'],
  stepIntoAnyway: ['Step Into Anyway', '$(debug-step-into)'],
  nextRank: ['Show the Next Rank'],
  previousRank: ['Show the Previous Rank'],
};

const commandsOfRows: readonly RankCommand[] = [
  'focusRanks',
  'showRank',
  'showRow',
  'removeValue',
  'continueRanks',
  'stepRanks',
  'pauseRanks',
  'copyHandle',
  'goToVariable',
  'showPicture',
  'showComm',
  'showVariablePicture',
  'chartVariable',
  'showOverRanks',
  'colorByValue',
  'colorByCounter',
  'showHeatMap',
  'startVariable',
  'stopVariable',
  'resetVariable',
  'writeVariable',
];

/** Without a session, too. */
const commandsToStart: readonly RankCommand[] = [
  'attach',
  'resume',
  'openCores',
  'startProgram',
  'showSteps',
  'setRankCount',
];

const names = Object.keys(rankCommands) as RankCommand[];

const onTitle = (view: string, ...commands: RankCommand[]): object[] =>
  commands.map((name, index) => ({
    command: rankCommands[name],
    when: `view == ${view}`,
    group: `navigation@${index + 1}`,
  }));

const inTab = (tab: keyof typeof tabs, ...shown: { id: string; name: string; icon: string }[]): object => ({
  [tab]: shown.map((view) => ({ ...view, when: isDebugging })),
});

/** Buttons of a row; its menu has the same, since the keyboard reaches no button. @param first the place of the first */
const onRow = (when: string, commands: RankCommand[], first = 1): object[] =>
  commands.flatMap((name, index) =>
    ['inline', '1_row'].map((group) => ({ command: rankCommands[name], when, group: `${group}@${first + index}` })),
  );

const inMenu = (when: string, ...commands: RankCommand[]): object[] =>
  commands.map((name, index) => ({ command: rankCommands[name], when, group: `z_mpi@${index + 1}` }));

const settings: Record<string, Schema & { scope: string }> = {
  'mpidbg.scope': {
    type: 'string',
    enum: [...scopes],
    default: defaults.scope,
    description:
      'What continue, step and pause act on unless launch.json says otherwise: the thread, its rank, the focus, or all ranks.',
    scope: 'resource',
  },
  'mpidbg.helperThreads': {
    type: 'boolean',
    // In VS Code they would be most of the Call Stack view.
    default: false,
    description: "Show the MPI library's own threads in the Call Stack view, unless launch.json says otherwise.",
    scope: 'resource',
  },
  'mpidbg.markDifferences': {
    type: 'boolean',
    default: true,
    description:
      'Mark variables whose values differ between the ranks of the focus with ≠ behind the value, unless launch.json says otherwise.',
    scope: 'resource',
  },
  'mpidbg.launchDefaults': {
    type: 'object',
    default: {},
    markdownDescription:
      'Attributes for every configuration of type `mpidbg`, and for F5 without a launch.json, that does not have them itself: `{ "launcherArgs": ["--bind-to", "none"], "envFile": "${workspaceFolder}/.env" }`.',
    scope: 'resource',
  },
  'mpidbg.keepSession': { ...sessionAttributes.keepSession, scope: 'resource' },
  'mpidbg.rankSets': {
    type: 'object',
    additionalProperties: { type: 'string' },
    default: {},
    markdownDescription: 'Sets of ranks by name, for *MPI: Set Focus…*: `{ "corners": "0,3,12,15" }`.',
    scope: 'resource',
  },
};

export const contributions = {
  walkthroughs,
  viewsContainers: { panel: Object.entries(tabs).map(([id, tab]) => ({ id, ...tab })) },
  commands: names.map((name) => {
    const [title, icon] = titles[name];
    return { command: rankCommands[name], title, category: 'MPI', ...(icon === undefined ? {} : { icon }) };
  }),
  views: {
    debug: [{ id: views.ranks, name: 'Ranks', when: isDebugging }],
    ...inTab('mpidbgHang', { id: views.hang, name: 'Why It Hangs', icon: '$(question)' }),
    ...inTab(
      'mpidbg',
      { id: views.stacks, name: 'Stacks over Ranks', icon: '$(layers)' },
      { id: views.values, name: 'Values over Ranks', icon: '$(symbol-variable)' },
    ),
    ...inTab(
      'mpidbgObjects',
      { id: views.handles, name: 'Handles', icon: '$(symbol-structure)' },
      { id: views.queues, name: 'Message Queues', icon: '$(inbox)' },
    ),
    ...inTab(
      'mpidbgTools',
      { id: views.performance, name: 'Performance Variables', icon: '$(dashboard)' },
      { id: views.events, name: 'MPI Events', icon: '$(pulse)' },
    ),
  },
  viewsWelcome: [
    {
      view: views.values,
      contents: `One expression in all ranks of the focus, with its minimum, its maximum, and the ranks that differ.\n[Add an expression](command:${rankCommands.addValue})`,
    },
  ],
  menus: {
    commandPalette: names
      .filter((name) => !commandsToStart.includes(name))
      .map((name) => ({
        command: rankCommands[name],
        when: commandsOfRows.includes(name) ? 'false' : isDebugging,
      })),
    'explorer/context': [
      {
        command: rankCommands.openCores,
        when: 'resourceFilename =~ /^core([.-]|$)|\\.core(\\.|$)/',
        group: 'navigation@90',
      },
    ],
    'debug/variables/context': [
      { command: rankCommands.showOverRanks, when: "debugType == 'mpidbg'", group: 'z_mpi@1' },
      { command: rankCommands.showVariablePicture, when: "debugType == 'mpidbg'", group: 'z_mpi@2' },
    ],
    'editor/context': [
      { command: rankCommands.showOverRanks, when: isDebugging, group: 'debug@90' },
      { command: rankCommands.stepIntoAnyway, when: isStopped, group: 'debug@91' },
    ],
    'debug/callstack/context': [{ command: rankCommands.stepIntoAnyway, when: isStopped, group: 'z_mpi@1' }],
    'view/title': [
      ...onTitle(views.ranks, 'setFocus', 'focusAll', 'saveFocus', 'setScope', 'whyHang'),
      ...onTitle(views.stacks, 'refresh'),
      ...onTitle(views.values, 'addValue', 'refresh'),
      ...onTitle(views.handles, 'filterHandles', 'refresh'),
      ...onTitle(views.hang, 'lookAgain', 'showWaitGraph', 'refresh'),
      ...onTitle(views.queues, 'refresh'),
      ...onTitle(views.performance, 'findVariables', 'chartOneVariable', 'exportToFile', 'refresh'),
      ...onTitle(views.events, 'showTimeline', 'exportToFile', 'refresh'),
    ],
    'view/item/context': [
      ...onRow('viewItem =~ /^ranks stopped/', ['continueRanks', 'stepRanks']),
      ...onRow('viewItem =~ /^ranks running/', ['pauseRanks']),
      ...onRow('viewItem =~ /^ranks/', ['focusRanks'], 9),
      ...onRow('viewItem =~ /^handle/', ['copyHandle', 'goToVariable']),
      ...onRow("viewItem == 'message'", ['goToVariable']),
      ...onRow('viewItem =~ /^difference/', ['showOverRanks']),
      ...onRow('viewItem =~ / picture$/', ['showPicture']),
      ...onRow("viewItem == 'event comm'", ['showComm']),
      ...onRow('viewItem =~ /^variable/', ['chartVariable']),
      ...inMenu('viewItem =~ /^handle comm picture/', 'colorByValue', 'colorByCounter'),
      ...onRow('viewItem =~ /^variable .*several/', ['showHeatMap']),
      ...inMenu('viewItem =~ /^variable .*startable/', 'startVariable', 'stopVariable'),
      ...inMenu('viewItem =~ /^variable .*writable/', 'resetVariable', 'writeVariable'),
      ...onRow("viewItem == 'control variable'", ['writeVariable']),
      ...onRow('viewItem =~ /^value/', ['removeValue'], 9),
    ],
  },
  keybindings: keys.map(([letter, name]) => ({
    command: rankCommands[name],
    key: `alt+m ${letter}`,
    mac: `cmd+alt+m ${letter}`,
    when: isDebugging,
  })),
  configuration: { title: 'MPI debugger', properties: settings },
  // In a remote window VS Code announces what listens as if it were a web server: the agents of ranks connect to these ports.
  configurationDefaults: {
    'remote.portsAttributes': { 'mpidbg[^ ]*/dist/(adapter\\.js|agent\\.pl)': { onAutoForward: 'ignore' } },
  },
};
