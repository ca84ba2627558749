/** A row of a tree view, as data, and what VS Code shows of it. */
import * as vscode from 'vscode';
import { visible, visibleLines } from '../../plugin-api/visible-text';
import type { Cvar, Pvar } from '../../plugin-api/overlays/records';
import type { Coloring } from '../pictures/coloring';
import type { CommOfRank } from '../pictures/comm-of-rank';
import type { Picture } from '../pictures/picture';
import type { HandleOfRank } from '../ranks/go-to-variable';

export interface Row {
  /** Distinguishes it from its neighbours and stays the same when the job has moved, so an opened row stays open. */
  id: string;
  label: string;
  description?: string;
  tooltip?: string;
  icon?: vscode.ThemeIcon;
  /** What the icon alone says, for those who do not see it. */
  iconText?: string;
  /** For menus, with what the row's commands need. */
  context?:
    | `variable${string}`
    | 'control variable'
    | 'message'
    | 'event comm'
    | 'ranks'
    | 'ranks stopped'
    | 'ranks running'
    | `${'value' | 'difference' | 'handle' | 'handle comm'}${'' | ' picture'}`;
  /** The ranks that it is about. */
  ranks?: string;
  command?: vscode.Command;
  /** The variable of a row of a performance variable. */
  pvar?: () => Pvar;
  /** The variable of a row of a control variable that can be written. */
  cvar?: () => Cvar;
  /** For a row of a handle, or of a message with a request: the handle in the row's first rank. */
  handle?: () => HandleOfRank;
  /** The communicator of an event that names one. */
  comm?: CommOfRank;
  /** The picture of a row whose context says that it has one. */
  picture?: (coloring?: Coloring) => Picture;
  children?: readonly Row[];
  /** Instead: they are read when the row is opened, and again when the job has moved. */
  load?: () => Promise<readonly Row[]>;
  isOpen?: boolean;
}

/** A command that VS Code may call for a row. */
export type RegisterCommand = (id: string, run: (row?: Row) => unknown) => vscode.Disposable;

export function treeItemOf(row: Row): vscode.TreeItem {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const isLeaf = row.load === undefined && (row.children === undefined || row.children.length === 0);
  const item = new vscode.TreeItem(visible(row.label), isLeaf ? None : row.isOpen === true ? Expanded : Collapsed);
  item.id = row.id;
  item.description = row.description && visible(row.description);
  item.tooltip = row.tooltip && visibleLines(row.tooltip);
  item.iconPath = row.icon;
  item.contextValue = row.context;
  item.command = row.command;
  // VS Code would have the tooltip of a row read out and nothing else.
  item.accessibilityInformation = { label: visible(spoken(row)) };
  return item;
}

function spoken({ label, description = '', iconText = '' }: Row): string {
  return [label, description, iconText].filter((text) => text !== '').join(', ');
}
