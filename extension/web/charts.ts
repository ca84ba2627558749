/** The page of live charts: one for each variable that is pinned. */
import './kit/translation';
import * as l10n from '@vscode/l10n';
import type { FromCharts, ToCharts } from '../charts/chart-messages';
import { Chart } from './chart';
import { element } from './kit/elements';
import { connect } from './kit/extension-host';
import { onThemeChange } from './kit/theme';
import './kit/kit.css';
import 'uplot/dist/uPlot.min.css';
import './charts.css';

const charts = new Map<string, Chart>();
const state = element('p', { role: 'status', class: 'quiet' });
const list = element('main');
document.body.replaceChildren(element('h1', {}, l10n.t('Performance variables over time')), state, list);

const post = connect<ToCharts, FromCharts>((message) => {
  switch (message.kind) {
    case 'charts': {
      const wanted = new Set(message.charts.map(({ id }) => id));
      for (const [id, chart] of charts) {
        if (wanted.has(id)) continue;
        chart.remove();
        charts.delete(id);
      }
      for (const variable of message.charts) {
        if (charts.has(variable.id)) continue;
        const chart = new Chart(variable, () => post({ kind: 'unpin', id: variable.id }));
        charts.set(variable.id, chart);
        list.append(chart.place);
      }
      break;
    }
    case 'samples':
      for (const [id, samples] of Object.entries(message.samples)) charts.get(id)?.add(message.at, samples);
      break;
    case 'break':
    case 'restart':
      for (const chart of charts.values()) chart[message.kind]();
      break;
    case 'state':
      state.textContent = message.text;
  }
});

onThemeChange(() => {
  for (const chart of charts.values()) chart.redraw();
});
