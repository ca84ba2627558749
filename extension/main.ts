import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { adapterDescriptorFactory } from './adapter-descriptor';
import { configurationProvider, startProgram } from './configuration-provider';
import { provideInlineValues } from './editor/inline-values';
import { tellSessions } from './fortran/annotation-setting';
import { registerAnnotations } from './fortran/annotations';
import { startFortranClient } from './fortran/client';
import { fortranExpressionProvider } from './fortran/expression-provider';
import { rankCommands } from './manifest/contributions';
import { launchLinks } from './launch-link';
import { openCores } from './open-cores';
import { fortranLanguageIds } from './manifest/languages';
import { commands, debugType } from './manifest/manifest';
import { pickBatchJob, pickLauncher } from './job-pickers';
import { pickProgram } from './pickers';
import { walkthroughs } from './manifest/walkthroughs';
import { RankCount } from './rank-count';
import { registerRanks } from './register-ranks';

/** Called by VS Code when the first file is opened in which breakpoints can be set, or the first session starts. */
export function activate(context: vscode.ExtensionContext): void {
  // In English there is none.
  if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
  const fortran = startFortranClient(context.extensionPath);
  const rankCount = new RankCount(context.workspaceState);
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider(debugType, configurationProvider(rankCount)),
    vscode.debug.registerDebugAdapterDescriptorFactory(debugType, adapterDescriptorFactory(context.extensionPath)),
    vscode.commands.registerCommand(commands.pickProgram, () => pickProgram()),
    vscode.commands.registerCommand(commands.pickLauncher, () => pickLauncher()),
    vscode.commands.registerCommand(commands.pickJob, () => pickLauncher()),
    vscode.commands.registerCommand(commands.pickBatchJob, () => pickBatchJob()),
    vscode.commands.registerCommand(rankCommands.openCores, openCores),
    vscode.commands.registerCommand(rankCommands.startProgram, () => startProgram(rankCount)),
    vscode.commands.registerCommand(rankCommands.showSteps, () =>
      vscode.commands.executeCommand(
        'workbench.action.openWalkthrough',
        `${context.extension.id}#${walkthroughs[0]!.id}`,
      ),
    ),
    vscode.commands.registerCommand(rankCommands.setRankCount, () => rankCount.ask()),
    registerRanks(context),
    fortran,
    registerAnnotations(fortran),
    tellSessions(),
    provideInlineValues(),
    vscode.window.registerUriHandler(launchLinks),
    vscode.languages.registerEvaluatableExpressionProvider(fortranLanguageIds, fortranExpressionProvider),
  );
}
