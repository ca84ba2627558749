/** The extension's modules that make rows, outside of VS Code: they find as much of the editor as rows need. */
import Module from 'node:module';
import { debugType } from '../../extension/manifest/manifest';

/** `createTreeView`: a test puts its own in its place. The session is one of ours. */
export const editorOfTests = {
  TreeItem: class {
    constructor(
      readonly label: string,
      readonly collapsibleState: number,
    ) {}
  },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  ThemeIcon: class {},
  ThemeColor: class {},
  Range: class {},
  Uri: { file: (path: string) => ({ path }) },
  EventEmitter: class {
    readonly event = (): object => ({});
    fire(): void {}
  },
  debug: { activeDebugSession: { type: debugType } },
  window: {
    createTreeView: (_id: string, _options: { treeDataProvider: unknown }): unknown => ({}),
  },
};

/** `name`: of a file below extension/. */
export function loadWithEditor<Exports>(name: string): Exports {
  const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
  const before = loader._load;
  loader._load = (request, ...rest) => (request === 'vscode' ? editorOfTests : before.call(loader, request, ...rest));
  try {
    return Module.createRequire(__filename)(`../../extension/${name}.ts`) as Exports;
  } finally {
    loader._load = before;
  }
}
