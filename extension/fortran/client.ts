/** Starts the language server that knows the MPI handles of Fortran sources. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { fortranLanguageIds } from '../languages';

/** Runs until it is disposed of. */
export function startFortranClient(extensionPath: string): vscode.Disposable {
  const server = { module: join(extensionPath, 'dist', 'fortran-server.js'), transport: TransportKind.ipc };
  const client = new LanguageClient(
    'mpidbg.fortran',
    'MPI handles in Fortran',
    { run: server, debug: server },
    {
      documentSelector: fortranLanguageIds.map((language) => ({ scheme: 'file', language })),
      synchronize: {
        fileEvents: vscode.workspace.createFileSystemWatcher(
          '**/*.{f,for,ftn,f77,fpp,f90,f95,f03,f08,f18,F,F90,F95,F03,F08,FOR}',
        ),
      },
    },
  );
  void client.start();
  return { dispose: () => void client.stop() };
}
