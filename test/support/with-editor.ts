/** The extension's modules that make rows, outside of VS Code: they find as much of the editor as rows need. */
import Module from 'node:module';

const editor = {
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
};

/** `name`: of a file below extension/. */
export function loadWithEditor<Exports>(name: string): Exports {
  const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
  const before = loader._load;
  loader._load = (request, ...rest) => (request === 'vscode' ? editor : before.call(loader, request, ...rest));
  try {
    return Module.createRequire(__filename)(`../../extension/${name}.ts`) as Exports;
  } finally {
    loader._load = before;
  }
}
