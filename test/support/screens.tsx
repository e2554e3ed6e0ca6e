import { setImmediate as turn } from "node:timers/promises";
import { render } from "ink-testing-library";
import type { ReactNode } from "react";
import { type Paint, plain } from "../../src/report/document/tree.ts";
import { Surface } from "../../src/screen/stage.tsx";
import type { Size } from "../../src/screen/terminal.ts";

export const small: Size = { columns: 80, rows: 24 };
export const large: Size = { columns: 200, rows: 60 };

/** A screen as ink draws it, without colours unless it is given some. */
export function onScreen(screen: ReactNode, size: Size, paint: Paint = plain) {
  const surface = <Surface {...{ size, paint }}>{screen}</Surface>;
  const { stdout, stdin, rerender, unmount } = render(surface);
  Object.defineProperty(stdout, "columns", { value: size.columns });
  rerender(surface);
  return {
    async type(...texts: readonly string[]): Promise<void> {
      for (const text of texts) {
        stdin.write(text);
        // React and ink draw some turns after a key.
        for (let turns = 0; turns < 30; turns += 1) await turn();
      }
    },
    send: stdin.write,
    rerender: (other: ReactNode) => rerender(<Surface {...{ size, paint }}>{other}</Surface>),
    frames: stdout.frames,
    lines: () => linesOf(stdout.lastFrame() ?? ""),
    unmount,
  };
}

/** What a screen shows, line by line without the spaces at their ends; several blank lines are counted. */
function linesOf(frame: string): readonly string[] {
  const lines: string[] = [];
  let blank = 0;
  for (const line of frame.split("\n").map((one) => one.trimEnd())) {
    if (line === "") blank += 1;
    if (line !== "" && blank > 0) lines.push(blanks(blank));
    if (line === "") continue;
    blank = 0;
    lines.push(line);
  }
  return blank === 0 ? lines : [...lines, blanks(blank)];
}

function blanks(count: number): string {
  return count === 1 ? "" : `(${count} blank lines)`;
}
