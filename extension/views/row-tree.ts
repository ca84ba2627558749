/** A tree view whose rows are read as a whole, again whenever the job has moved. */
import * as vscode from 'vscode';
import { views } from '../manifest/contributions';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';
import { treeItemOf, type Row } from './row';

/** What a view shows: read from the job. */
export type LoadRows = (job: JobClient) => Promise<readonly Row[]>;

/** A view and what keeps its rows up to date. */
export interface RowView extends vscode.Disposable {
  readonly view: vscode.TreeView<Row>;
  /** Reads the rows again, if they can be seen. */
  refresh(): Promise<void>;
  /** Reads all again, also what is read only when its row is opened. */
  reload(): void;
}

export function showRows(id: string, changes: JobChanges, load: LoadRows): RowView {
  const tree = new RowTree(load);
  const view = vscode.window.createTreeView(id, { treeDataProvider: tree });
  // VS Code hides the rows of a view that is opened with a message, and looks again after two seconds or with the next message.
  tree.whenFirstGiven = () => {
    const { message } = view;
    if (message !== undefined) view.message = message;
  };
  const refresh = (): Promise<void> => tree.refresh(view.visible);
  const listening = changes.onDidChange(() => void refresh());
  const ending = changes.onWillEnd(() => {
    if (view.visible && id !== views.ranks) void showConsole();
  });
  return {
    ...{ view, refresh, reload: () => tree.reload() },
    dispose: () => {
      listening.dispose();
      ending.dispose();
      view.dispose();
    },
  };
}

/** In place of a view of the panel that goes with the session: VS Code would open a terminal there, and how the job ended stands here. */
function showConsole(): Thenable<void> {
  return vscode.commands.executeCommand('workbench.panel.repl.view.focus', { preserveFocus: true });
}

class RowTree implements vscode.TreeDataProvider<Row> {
  private readonly emitter = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.emitter.event;
  /** What is shown, until the job has moved. */
  private rows: readonly Row[] | undefined;
  private shown = '';
  private changes = 0;
  /** Called once, when VS Code has rows. */
  whenFirstGiven: (() => void) | undefined;

  constructor(private readonly load: LoadRows) {}

  /** Rows that are as before are left alone: VS Code would make them anew, and a click in this moment would be lost. */
  async refresh(isVisible: boolean): Promise<void> {
    const change = ++this.changes;
    this.rows = undefined;
    if (isVisible) {
      const rows = await this.read();
      if (change !== this.changes) return;
      this.rows = rows;
      if (JSON.stringify(rows) === this.shown) return;
    }
    this.emitter.fire();
  }

  reload(): void {
    this.rows = undefined;
    this.emitter.fire();
  }

  readonly getTreeItem = treeItemOf;

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined) return [...((await row.load?.()) ?? row.children ?? [])];
    this.rows ??= await this.read();
    this.shown = JSON.stringify(this.rows);
    if (this.whenFirstGiven !== undefined && this.rows.length > 0) {
      // Behind the answer, which goes first.
      setTimeout(this.whenFirstGiven, 0);
      this.whenFirstGiven = undefined;
    }
    return [...this.rows];
  }

  private async read(): Promise<readonly Row[]> {
    const job = JobClient.active();
    if (job === undefined) return [];
    try {
      return await this.load(job);
    } catch (error) {
      // While a job starts, ends, or runs, there may be nothing to show: the view says why.
      return [{ id: 'error', label: error instanceof Error ? error.message : String(error) }];
    }
  }
}
