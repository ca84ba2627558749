/** The language server as an editor sees it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  DidOpenTextDocumentNotification,
  FileChangeType,
  HoverRequest,
  InlayHintRequest,
  SemanticTokensRequest,
  TypeDefinitionRequest,
  type FileEvent,
  type InlayHint,
  type Location,
  type MarkupContent,
  type WorkspaceFolder,
} from 'vscode-languageserver-protocol/node';
import { LanguageClient } from './language-client';

const main = `program main
  use mpi
  integer :: world, half, ierr
  integer :: status(4)
  call split(MPI_COMM_WORLD, half)
  call MPI_Recv(ierr, 1, MPI_INTEGER, 0, 0, half, status, ierr)
  call MPI_Comm_free(world, ierr)
  call MPI_Comm_rank(MPI_INTEGER, ierr, ierr)
end program
`;
const library = `subroutine split(parent, part)
  use mpi
  integer :: parent, part, ierr
  call MPI_Comm_split(parent, 0, 0, part, ierr)
end subroutine
`;

describe('language server for MPI handles in Fortran', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
  const mainFile = join(folder, 'main.f90');
  const libraryFile = join(folder, 'library.f90');
  const client = new LanguageClient();
  let textDocument: { uri: string };

  before(async () => {
    writeFileSync(mainFile, main);
    writeFileSync(libraryFile, library);
    await client.start(folder);
    textDocument = await client.open(mainFile, main);
  });

  after(async () => {
    await client.stop();
    rmSync(folder, { recursive: true });
  });

  /** The position of the n-th occurrence of a name in the text. */
  function positionOf(text: string, name: string, nth = 0): { line: number; character: number } {
    const match = [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))][nth] ?? assert.fail(`${name} is not there`);
    const before = text.slice(0, match.index).split('\n');
    return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  }

  async function hints(of = textDocument): Promise<Record<string, string>> {
    const range = { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } };
    const found = (await client.connection.sendRequest(InlayHintRequest.type, { textDocument: of, range })) ?? [];
    const label = ({ label }: InlayHint): string =>
      typeof label === 'string' ? label : label.map(({ value }) => value).join('');
    return Object.fromEntries(found.map((hint) => [`${hint.position.line}:${hint.position.character}`, label(hint)]));
  }

  it('shows a hint with the kind where an INTEGER is declared', async () => {
    assert.deepEqual(await hints(), { '2:18': ': MPI_Comm', '2:24': ': MPI_Comm', '3:19': ': MPI_Status' });
  });

  it('shows the deciding call on hover, also one in another file', async () => {
    const hover = await client.connection.sendRequest(HoverRequest.type, {
      textDocument,
      position: positionOf(main, 'half', 2),
    });
    const { value } = hover?.contents as MarkupContent;
    assert.match(value, /^\*\*MPI_Comm\*\* `half`/);
    assert.match(value, /sixth argument of MPI_Recv, main\.f90:6/);
    const parent = await client.open(libraryFile, library);
    const flow = await client.connection.sendRequest(HoverRequest.type, {
      textDocument: parent,
      position: positionOf(library, 'part'),
    });
    const reason = (flow?.contents as MarkupContent).value;
    assert.match(reason, /fourth argument of MPI_Comm_split, library\.f90:4/);
  });

  it('says nothing about other INTEGERs', async () => {
    const position = positionOf(main, 'ierr');
    assert.equal(await client.connection.sendRequest(HoverRequest.type, { textDocument, position }), null);
  });

  it('goes to the call that decided', async () => {
    const position = positionOf(main, 'world', 0);
    const found = await client.connection.sendRequest(TypeDefinitionRequest.type, { textDocument, position });
    assert.deepEqual(
      (found as Location[]).map(({ uri, range }) => [uri, range.start]),
      [[pathToFileURL(mainFile).href, { line: 6, character: 21 }]],
    );
  });

  it('highlights handles', async () => {
    const tokens = await client.connection.sendRequest(SemanticTokensRequest.type, { textDocument });
    const data = tokens?.data ?? [];
    const places: string[] = [];
    for (let i = 0, line = 0, column = 0; i < data.length; i += 5) {
      const [lines = 0, columns = 0, length = 0] = data.slice(i, i + 3);
      line += lines;
      column = lines > 0 ? columns : column + columns;
      places.push(main.split('\n')[line]?.slice(column, column + length) ?? '');
    }
    assert.deepEqual(places, ['world', 'half', 'status', 'half', 'half', 'status', 'world']);
  });

  it('prefers the user’s setting over the inference', async () => {
    await client.configure([
      { variable: 'IERR', kind: 'op', function: 'main' },
      { variable: 'world', kind: null, file: 'main.f90' },
      { variable: 'half', kind: 'win', function: 'elsewhere' },
      'nonsense',
    ]);
    assert.deepEqual(await hints(), { '2:24': ': MPI_Comm', '2:30': ': MPI_Op', '3:19': ': MPI_Status' });
    const position = positionOf(main, 'ierr');
    const hover = await client.connection.sendRequest(HoverRequest.type, { textDocument, position });
    assert.match((hover?.contents as MarkupContent).value, /an operation: \[your setting mpidbg\.handles/);
    await client.configure([]);
    assert.deepEqual(await hints(), { '2:18': ': MPI_Comm', '2:24': ': MPI_Comm', '3:19': ': MPI_Status' });
  });

  it('warns about a handle of another kind and a status that is too short, also after an edit', async () => {
    const arrived = client.diagnostics(textDocument.uri);
    await client.change(textDocument.uri, 2, `${main} `);
    const messages = (await arrived).map(({ range, message }) => `${range.start.line + 1}: ${message as string}`);
    assert.deepEqual(messages, [
      '6: status is too short for a status, or will be with another MPI: MPI writes MPI_STATUS_SIZE INTEGERs. Declare it as INTEGER status(MPI_STATUS_SIZE).',
      '8: MPI_INTEGER is a datatype; the first argument of MPI_Comm_rank is a communicator.',
    ]);
    const mended = client.diagnostics(textDocument.uri);
    await client.change(
      textDocument.uri,
      3,
      main.replace('status(4)', 'status(MPI_STATUS_SIZE)').replace('(MPI_INTEGER, ierr', '(half, ierr'),
    );
    assert.deepEqual(await mended, []);
  });

  it('refreshes the other open files after an edit in one', async () => {
    const { uri } = await client.open(libraryFile, library);
    const caller = await client.open(
      join(folder, 'caller.f90'),
      'program caller\n use mpi\n integer :: one, two\n call split(one, two)\nend\n',
    );
    assert.deepEqual(await hints(caller), { '2:15': ': MPI_Comm', '2:20': ': MPI_Comm' });
    const tokensBefore = await client.connection.sendRequest(SemanticTokensRequest.type, { textDocument: caller });
    const edited = library.replace('MPI_Comm_split(parent, 0, 0, part, ierr)', 'MPI_Type_dup(parent, part, ierr)');
    await client.refresh(() => client.change(uri, 2, edited));
    assert.deepEqual(await hints(caller), { '2:15': ': MPI_Datatype', '2:20': ': MPI_Datatype' });
    const none = library.replace('call MPI_Comm_split(parent, 0, 0, part, ierr)', 'part = parent');
    await client.refresh(() => client.change(uri, 3, none));
    assert.deepEqual(await hints(caller), {});
    const tokensAfter = await client.connection.sendRequest(SemanticTokensRequest.type, { textDocument: caller });
    assert.notDeepEqual(tokensAfter, tokensBefore);
    await client.refresh(() => client.change(uri, 4, library));
  });

  it('keeps an open file that is deleted on disk and comes back', async () => {
    const known = { '2:19': ': MPI_Comm', '2:25': ': MPI_Comm' };
    const { uri } = await client.open(libraryFile, library);
    assert.deepEqual(await hints({ uri }), known);
    for (const type of [FileChangeType.Deleted, FileChangeType.Created] as const) {
      const changes: FileEvent[] = [{ uri, type }];
      await client.refresh(() =>
        client.connection.sendNotification(DidChangeWatchedFilesNotification.type, { changes }),
      );
      assert.deepEqual(await hints({ uri }), known);
    }
  });

  it('ignores URIs that are not files on this machine', async () => {
    for (const uri of [
      'file://server/share/x.f90',
      'file:///a%2Fb.f90',
      'file:///%E0%A4%A.f90',
      'untitled:Untitled-1',
    ]) {
      const document = { uri, languageId: 'FortranFreeForm', version: 1, text: main };
      const published = client.diagnostics(textDocument.uri);
      await client.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument: document });
      await client.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
        changes: [{ uri, type: FileChangeType.Changed }],
      });
      await published;
      assert.deepEqual(await hints({ uri }), {}, uri);
    }
  });

  it('follows folders added to and removed from the workspace; reads free form in .F and a BOM', async () => {
    const other = mkdtempSync(join(tmpdir(), 'mpidbg-test-'));
    const change = async (added: string[], removed: string[]): Promise<void> => {
      const foldersOf = (paths: string[]): WorkspaceFolder[] =>
        paths.map((path) => ({ uri: pathToFileURL(path).href, name: path }));
      const event = { added: foldersOf(added), removed: foldersOf(removed) };
      await client.refresh(() =>
        client.connection.sendNotification(DidChangeWorkspaceFoldersNotification.type, { event }),
      );
    };
    try {
      const shared =
        'module shared\ncontains\n  subroutine close(it)\n    integer :: it\n    call MPI_Win_free(it, i)\n';
      writeFileSync(join(other, 'shared.F'), `\ufeff${shared}  end subroutine\nend module\n`);
      const text = 'program user\n use shared\n integer :: mine\n call close(mine)\nend\n';
      const user = await client.open(join(folder, 'user.f90'), text);
      assert.deepEqual(await hints(user), {});
      await change([other], []);
      assert.deepEqual(await hints(user), { '2:16': ': MPI_Win' });
      await change([], [other]);
      assert.deepEqual(await hints(user), {});
    } finally {
      rmSync(other, { recursive: true });
    }
  });
});
