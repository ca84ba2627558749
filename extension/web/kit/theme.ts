/** The colors of the theme for what is drawn on a canvas, where CSS does not reach. */

/** To ask for the style of the page in every frame would make it be computed anew each time. */
const known = new Map<string, string>();

/** A color of VS Code's, by the name of its CSS variable without "--vscode-": the first of these that the theme has. */
export function themeColor(...names: readonly string[]): string {
  const key = names.join();
  const color = known.get(key) ?? colorOf(names);
  known.set(key, color);
  return color;
}

function colorOf(names: readonly string[]): string {
  const style = getComputedStyle(document.documentElement);
  const values = names.map((name) => style.getPropertyValue(`--vscode-${name}`).trim());
  return values.find((value) => value !== '') ?? style.color;
}

/** Tell things apart, in this order. Orange is hard to see in dark themes. */
const seriesColors = [
  'charts-blue',
  'charts-green',
  'charts-purple',
  'charts-yellow',
  'charts-red',
  'terminal-ansiCyan',
];

export const seriesCount = seriesColors.length;

export function seriesColor(index: number): string {
  return themeColor(seriesColors[index % seriesCount]!);
}

/** VS Code writes another theme's colors to the root, and its kind to the body. */
export function onThemeChange(redraw: () => void): void {
  const changed = new MutationObserver(() => {
    known.clear();
    redraw();
  });
  changed.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
  changed.observe(document.body, { attributes: true, attributeFilter: ['class'] });
}
