/** A tree view whose rows are read as a whole, again whenever the job has moved. */
import * as vscode from 'vscode';
import { visible, visibleLines } from '../../plugin-api/visible-text';
import type { JobChanges } from '../ranks/job-changes';
import { JobClient } from '../ranks/job-client';

export interface Row {
  /** Distinguishes it from its neighbours and stays the same when the job has moved, so an opened row stays open. */
  id: string;
  label: string;
  description?: string;
  tooltip?: string;
  icon?: vscode.ThemeIcon;
  /** For menus, with what the row's commands need. */
  context?: 'ranks' | 'value';
  /** The ranks that it is about. */
  ranks?: string;
  command?: vscode.Command;
  children?: readonly Row[];
  isOpen?: boolean;
}

export class RowTree implements vscode.TreeDataProvider<Row> {
  readonly onDidChangeTreeData: vscode.Event<void>;

  constructor(
    changes: JobChanges,
    private readonly load: (job: JobClient) => Promise<readonly Row[]>,
  ) {
    this.onDidChangeTreeData = changes.onDidChange;
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const isLeaf = row.children === undefined || row.children.length === 0;
    const item = new vscode.TreeItem(visible(row.label), isLeaf ? None : row.isOpen === true ? Expanded : Collapsed);
    item.id = row.id;
    item.description = row.description && visible(row.description);
    item.tooltip = row.tooltip && visibleLines(row.tooltip);
    item.iconPath = row.icon;
    item.contextValue = row.context;
    item.command = row.command;
    return item;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined) return [...(row.children ?? [])];
    const job = JobClient.active();
    if (job === undefined) return [];
    try {
      return [...(await this.load(job))];
    } catch (error) {
      // While a job starts, ends, or runs, there may be nothing to show: the view says why.
      return [{ id: 'error', label: error instanceof Error ? error.message : String(error) }];
    }
  }
}
