/** Views whose rows change while ranks run: they are read every second, as long as they can be seen. */
import type { RowView } from './row-tree';

const periodMs = 1000;

export function whileRunning(rows: RowView): RowView {
  const timer = setInterval(() => {
    if (rows.view.visible) void rows.refresh();
  }, periodMs);
  return {
    ...rows,
    dispose: () => {
      clearInterval(timer);
      rows.dispose();
    },
  };
}
