/** What a webview shows where the tree of elements says nothing: on a canvas, and of the focus. */
import type { Locator } from 'playwright-core';

/** A canvas of the page, whose types are not known here. */
interface Canvas {
  width: number;
  height: number;
  clientWidth: number;
  getContext(kind: '2d'): {
    fillStyle: string;
    fillRect(x: number, y: number, width: number, height: number): void;
    getImageData(x: number, y: number, width: number, height: number): { data: ArrayLike<number> };
  };
}
interface Page {
  OffscreenCanvas: new (width: number, height: number) => Canvas;
  getComputedStyle(element: unknown): {
    getPropertyValue(name: string): string;
    outlineStyle: string;
    outlineWidth: string;
  };
  document: {
    documentElement: unknown;
    activeElement: { getAttribute(name: string): string | null; textContent: string | null };
  };
}

/** What has about this color of VS Code's, by its CSS variable without "--vscode-": how many pixels, and their middle, as a mouse has it. */
export function drawnIn(canvas: Locator, color: string): Promise<{ pixels: number; x: number; y: number }> {
  return canvas.evaluate((element: unknown, name: string) => {
    const page = globalThis as unknown as Page;
    const { width, height, clientWidth } = element as Canvas;
    const { data } = (element as Canvas).getContext('2d').getImageData(0, 0, width, height);
    const scratch = new page.OffscreenCanvas(1, 1).getContext('2d');
    scratch.fillStyle = page.getComputedStyle(page.document.documentElement).getPropertyValue(`--vscode-${name}`);
    scratch.fillRect(0, 0, 1, 1);
    const wanted = scratch.getImageData(0, 0, 1, 1).data;
    let [pixels, x, y] = [0, 0, 0];
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3]! <= 60 || [0, 1, 2].some((part) => Math.abs(data[i + part]! - wanted[part]!) >= 24)) continue;
      pixels += 1;
      x += (i / 4) % width;
      y += Math.floor(i / 4 / width);
    }
    const scale = clientWidth / width / pixels;
    return { pixels, x: x * scale, y: y * scale };
  }, color);
}

/** What the keyboard acts on, and whether the user can see that it does. `body`: of the page. */
export function focusedOf(body: Locator): Promise<{ label: string; isSeen: boolean }> {
  return body.evaluate(() => {
    const page = globalThis as unknown as Page;
    const focused = page.document.activeElement;
    const { outlineStyle, outlineWidth } = page.getComputedStyle(focused);
    return {
      label: focused.getAttribute('aria-label') ?? focused.textContent ?? '',
      isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
    };
  });
}
