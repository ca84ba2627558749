/** A client of the language server that acts as an editor: it speaks the protocol and has its own documents. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  ConfigurationRequest,
  createProtocolConnection,
  DidChangeConfigurationNotification,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  ShutdownRequest,
  ExitNotification,
  StreamMessageReader,
  StreamMessageWriter,
  WorkDoneProgress,
  WorkDoneProgressCreateRequest,
  InlayHintRefreshRequest,
  SemanticTokensRefreshRequest,
  type Diagnostic,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';

const server = join(__dirname, '..', '..', 'dist', 'fortran-server.js');

export class LanguageClient {
  readonly process: ChildProcess;
  readonly connection: ProtocolConnection;
  private readonly waiting = new Map<string, (diagnostics: Diagnostic[]) => void>();
  private indexed: () => void = () => undefined;
  private refreshed: () => void = () => undefined;
  /** The setting mpidbg.handles. */
  private setting: unknown = [];

  constructor() {
    this.process = spawn(process.execPath, ['--max-old-space-size=768', server, '--stdio'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdout, stdin } = this.process;
    if (stdout === null || stdin === null) throw new Error('the language server has no pipes');
    this.connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) =>
      this.waiting.get(uri)?.(diagnostics),
    );
    this.connection.onRequest(SemanticTokensRefreshRequest.type, () => undefined);
    this.connection.onRequest(InlayHintRefreshRequest.type, () => this.refreshed());
    this.connection.onRequest(WorkDoneProgressCreateRequest.type, ({ token }) => {
      this.connection.onProgress(WorkDoneProgress.type, token, ({ kind }) => {
        if (kind === 'end') this.indexed();
      });
    });
    this.connection.onRequest(ConfigurationRequest.type, ({ items }) => items.map(() => this.setting));
    this.connection.onRequest(RegistrationRequest.type, () => undefined);
    this.connection.listen();
  }

  /** Starts on a workspace folder; resolves when its files have been read. */
  async start(folder: string): Promise<void> {
    const indexed = new Promise<void>((done) => (this.indexed = done));
    await this.connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      capabilities: {
        window: { workDoneProgress: true },
        workspace: {
          configuration: true,
          didChangeConfiguration: { dynamicRegistration: true },
          inlayHint: { refreshSupport: true },
          semanticTokens: { refreshSupport: true },
          workspaceFolders: true,
        },
      },
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'folder' }],
    });
    await this.connection.sendNotification(InitializedNotification.type, {});
    await indexed;
  }

  async open(file: string, text: string): Promise<{ uri: string }> {
    const uri = pathToFileURL(file).href;
    const textDocument = { uri, languageId: 'FortranFreeForm', version: 1, text };
    await this.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    return { uri };
  }

  async change(uri: string, version: number, text: string): Promise<void> {
    const change = { textDocument: { uri, version }, contentChanges: [{ text }] };
    await this.connection.sendNotification(DidChangeTextDocumentNotification.type, change);
  }

  /** Sets mpidbg.handles; resolves when the server has announced new hints. */
  async configure(setting: unknown): Promise<void> {
    this.setting = setting;
    await this.refresh(() =>
      this.connection.sendNotification(DidChangeConfigurationNotification.type, { settings: null }),
    );
  }

  /** Notifies the server; resolves when it has announced new hints. */
  async refresh(notify: () => Promise<void>): Promise<void> {
    const refreshed = new Promise<void>((done) => (this.refreshed = done));
    await notify();
    await refreshed;
  }

  /** The next diagnostics of a document. */
  diagnostics(uri: string): Promise<Diagnostic[]> {
    return new Promise((done) => this.waiting.set(uri, done));
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
  }
}
