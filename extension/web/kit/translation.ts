/** The texts in the user's language, which extension/webviews/web-panel.ts writes into the page. Pages import this first. */
import * as l10n from '@vscode/l10n';

l10n.config({ contents: document.getElementById('translation')?.textContent || '{}' });
