/**
 * The language server for MPI handles in Fortran sources: it says what an INTEGER stands for and nothing else, and
 * works beside any Fortran extension. It knows the protocol, not the editor.
 */
import { fileURLToPath } from 'node:url';
import {
  createConnection,
  DidChangeConfigurationNotification,
  FileChangeType,
  ProposedFeatures,
  TextDocuments,
  TextDocumentSyncKind,
  type InitializeParams,
  type InitializeResult,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import * as l10n from '@vscode/l10n';
import { isDesignator, saidOf, type Annotation } from '../../../adapter/fortran/annotations';
import { readInclude } from '../../../adapter/fortran/program-sources';
import { handleKinds } from '../../../plugin-api/mpi/describe';
import { declarationAt } from '../../../plugin-api/fortran/declarations';
import { FortranSources } from '../../../plugin-api/fortran/sources';
import { declarationRequest, type DeclarationAnswer, type DeclarationParams } from '../declaration-request';
import type { ServerOptions } from '../server-options';
import * as features from './features';
import { fortranSourcesBelow, isBelow, readSource } from './workspace-files';

/** After the last keystroke; diagnostics that appear while one types are noise. */
const diagnosticsDelayMs = 300;

/** Where the user says what an INTEGER is; package.json declares it. */
const annotationsSection = 'mpidbg.handles';

const connection = createConnection(ProposedFeatures.all);
const documents = new TextDocuments(TextDocument);
const sources = new FortranSources(readInclude);
let folders: string[] = [];
let hasConfiguration = false;
let hasFolders = false;
let canRegister = false;
let canRefresh = { hints: false, tokens: false };
let pending: NodeJS.Timeout | undefined;
/** A document has changed since the editor was last told to ask again. */
let isEdited = false;

/** undefined: it is no file, or not on this machine. */
function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** A document that is open, with its path; undefined for one that is no file. */
function openDocument(uri: string): { document: TextDocument; file: string } | undefined {
  const document = documents.get(uri);
  const file = pathOf(uri);
  return document !== undefined && file !== undefined ? { document, file } : undefined;
}

function takeDocument(document: TextDocument): void {
  const file = pathOf(document.uri);
  if (file === undefined) return;
  sources.set(file, document.getText());
  isEdited = true;
  publishSoon();
}

/** What is known about all open documents: a change in one file can decide something in another. */
function publishSoon(): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    // An editor asks again by itself only for the document that is edited.
    if (isEdited && documents.keys().length > 1) askAgain();
    isEdited = false;
    for (const { uri } of documents.all()) {
      const file = pathOf(uri);
      if (file !== undefined)
        void connection.sendDiagnostics({ uri, diagnostics: features.diagnostics(sources, file) });
    }
  }, diagnosticsDelayMs);
}

async function readFromDisk(file: string): Promise<void> {
  takeFile(file, await readSource(file));
}

/** For an open document, the editor's text counts. */
function takeFile(file: string, text: string | undefined): void {
  if (documents.all().some(({ uri }) => pathOf(uri) === file)) return;
  if (text === undefined) sources.delete(file);
  else sources.set(file, text);
}

async function readFolders(these: readonly string[]): Promise<void> {
  const progress = await connection.window.createWorkDoneProgress();
  progress.begin(l10n.t('MPI handles in Fortran'), undefined, l10n.t('looking for sources'));
  let count = 0;
  for (const folder of these) {
    for await (const { file, text } of fortranSourcesBelow(folder)) {
      takeFile(file, text);
      count++;
      if (count % 200 === 0) progress.report(l10n.t('{0} files', count));
    }
  }
  progress.done();
  refresh();
}

/** For a folder that is no longer in the workspace. */
function forgetFolder(folder: string): void {
  for (const { file } of [...sources.infer().program.files].map(({ model }) => model)) {
    const isWanted = folders.some((other) => isBelow(other, file) === 'yes');
    if (isBelow(folder, file) !== 'no' && !isWanted) takeFile(file, undefined);
  }
}

function refresh(): void {
  publishSoon();
  askAgain();
}

/** The editor asks for hints and semantic tokens of its documents again. */
function askAgain(): void {
  if (canRefresh.hints) void connection.languages.inlayHint.refresh();
  if (canRefresh.tokens) void connection.languages.semanticTokens.refresh();
}

/** The setting may hold anything: it is text that the user edits. */
function isAnnotation(value: unknown): value is Annotation {
  const { variable, kind } = (value ?? {}) as Partial<Annotation>;
  return (
    typeof variable === 'string' &&
    isDesignator(variable) &&
    (kind === null || handleKinds.some((known) => known === kind))
  );
}

async function readAnnotations(): Promise<void> {
  const setting: unknown = await connection.workspace.getConfiguration(annotationsSection);
  const annotations = Array.isArray(setting) ? setting.filter(isAnnotation) : [];
  sources.setOverrides(annotations.map(saidOf));
}

connection.onInitialize((params: InitializeParams): InitializeResult => {
  const { workspaceFolders, rootUri, capabilities } = params;
  const { translation } = (params.initializationOptions ?? {}) as ServerOptions;
  if (translation !== undefined) l10n.config({ contents: translation });
  const { workspace } = capabilities;
  hasConfiguration = workspace?.configuration === true;
  canRegister = workspace?.didChangeConfiguration?.dynamicRegistration === true;
  canRefresh = {
    hints: workspace?.inlayHint?.refreshSupport === true,
    tokens: workspace?.semanticTokens?.refreshSupport === true,
  };
  hasFolders = workspace?.workspaceFolders === true;
  folders = (workspaceFolders?.map(({ uri }) => uri) ?? [rootUri ?? '']).flatMap((uri) => pathOf(uri) ?? []);
  return {
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      hoverProvider: true,
      inlayHintProvider: true,
      typeDefinitionProvider: true,
      semanticTokensProvider: { legend: { tokenTypes: features.semanticTokenTypes, tokenModifiers: [] }, full: true },
    },
  };
});

connection.onInitialized(async () => {
  if (hasFolders) {
    connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
      const pathsOf = (these: readonly { uri: string }[]): string[] => these.flatMap(({ uri }) => pathOf(uri) ?? []);
      const gone = new Set(pathsOf(removed));
      const come = pathsOf(added);
      folders = [...folders.filter((folder) => !gone.has(folder)), ...come];
      gone.forEach(forgetFolder);
      await readFolders(come);
    });
  }
  if (hasConfiguration) {
    if (canRegister)
      await connection.client.register(DidChangeConfigurationNotification.type, { section: annotationsSection });
    await readAnnotations();
  }
  await readFolders(folders);
});

connection.onDidChangeConfiguration(async () => {
  if (!hasConfiguration) return;
  await readAnnotations();
  refresh();
});

connection.onDidChangeWatchedFiles(async ({ changes }) => {
  for (const { uri, type } of changes) {
    const file = pathOf(uri);
    if (file === undefined) continue;
    if (type === FileChangeType.Deleted) takeFile(file, undefined);
    else if (folders.some((folder) => isBelow(folder, file) === 'yes')) await readFromDisk(file);
  }
  refresh();
});

connection.onHover(({ textDocument, position }) => {
  const open = openDocument(textDocument.uri);
  const found = open && features.occurrenceAt(sources, open.file, open.document.getText(), position);
  return found && features.hover(found);
});

connection.onTypeDefinition(({ textDocument, position }) => {
  const open = openDocument(textDocument.uri);
  const found = open && features.occurrenceAt(sources, open.file, open.document.getText(), position);
  return found && features.goTo(found);
});

connection.onRequest(declarationRequest, ({ file, line, variable }: DeclarationParams): DeclarationAnswer => {
  if (!sources.has(file)) return null;
  const declaration = declarationAt(sources.infer(), file, line, variable);
  return declaration === undefined ? {} : { declaration };
});

connection.languages.inlayHint.on(({ textDocument, range }) => {
  const open = openDocument(textDocument.uri);
  return open && features.inlayHints(sources, open.file, range.start.line + 1, range.end.line + 1);
});

connection.languages.semanticTokens.on(({ textDocument }) => {
  const open = openDocument(textDocument.uri);
  return open ? features.semanticTokens(sources, open.file, open.document.getText()) : { data: [] };
});

documents.onDidChangeContent(({ document }) => takeDocument(document));
documents.onDidClose(({ document }) => {
  const file = pathOf(document.uri);
  if (file !== undefined) void readFromDisk(file).then(refresh);
  void connection.sendDiagnostics({ uri: document.uri, diagnostics: [] });
});
documents.listen(connection);
connection.listen();
