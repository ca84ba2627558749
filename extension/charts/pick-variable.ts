/** Chooses a performance variable by its name, its class or what the library says of it. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { pvarClassWords } from '../../plugin-api/answers/text/variables-text';
import { overlaysOf } from '../../plugin-api/answers/text/overlay-ranks';
import type { Pvar } from '../../plugin-api/overlays/records';
import { isUnavailable } from '../../plugin-api/result';
import { visible } from '../../plugin-api/visible-text';
import { JobClient } from '../ranks/job-client';
import { idOf } from './pvar-samples';

/** Offers those that have a value in some rank. Throws Error if there is none. */
export async function pickVariable(): Promise<Pvar | undefined> {
  const document = await JobClient.active()?.pvars();
  if (document === undefined) return undefined;
  const all = overlaysOf(document).flatMap(({ pvars }) => (pvars === undefined || isUnavailable(pvars) ? [] : pvars));
  const known = new Map(all.filter(({ instances }) => instances.length > 0).map((pvar) => [idOf(pvar), pvar]));
  if (known.size === 0)
    throw new Error(l10n.t('There are no performance variables: the view Performance Variables says why.'));
  const items = [...known.values()].map((pvar) => ({
    ...{ label: visible(pvar.name), description: pvarClassWords[pvar.class], detail: visible(pvar.description), pvar },
  }));
  const options = {
    title: l10n.t('MPI: Chart a performance variable'),
    matchOnDescription: true,
    matchOnDetail: true,
  };
  return (await vscode.window.showQuickPick(items, options))?.pvar;
}
