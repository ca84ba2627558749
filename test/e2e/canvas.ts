/** What is drawn on a canvas of a webview, where the tree of elements says nothing. */
import type { Locator } from 'playwright-core';

/** How many pixels have about this color of VS Code's, by its CSS variable without "--vscode-". */
export async function pixelsOf(canvas: Locator, color: string): Promise<number> {
  // Runs in the page: its types are not known here.
  const count = `(canvas, name) => {
    const scratch = new OffscreenCanvas(1, 1).getContext('2d');
    scratch.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--vscode-' + name);
    scratch.fillRect(0, 0, 1, 1);
    const wanted = scratch.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 60 && [0, 1, 2].every((part) => Math.abs(data[i + part] - wanted[part]) < 24)) found++;
    return found;
  }`;
  return Number(await canvas.evaluate(count, color));
}

/** What the keyboard acts on, and whether the user can see that it does. */
export async function focusedOf(body: Locator): Promise<{ label: string; isSeen: boolean }> {
  const tell = `(body) => {
    const focused = body.ownerDocument.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    return [focused.getAttribute('aria-label') ?? focused.textContent, outlineStyle !== 'none' && parseFloat(outlineWidth) > 0];
  }`;
  const [label, isSeen] = await body.evaluate<[string, boolean], unknown>(tell);
  return { label, isSeen };
}
