import { PassThrough, Writable } from "node:stream";
import { Box, render, Text } from "ink";
import type { Paint } from "../report/outcome.ts";
import { type Canvas, openCanvas, type Terminal } from "./canvas.ts";
import type { Key } from "./keys.ts";
import { paintRow, type ScreenRow, type Size } from "./screen-row.ts";

/** A screen that is shown on a terminal. */
export interface Stage {
  size(): Size;
  show(rows: readonly ScreenRow[]): void;
  /** Gives the terminal back. */
  leave(): void;
}

export interface StageOptions {
  readonly paint: Paint;
  readonly onKey: (key: Key) => void;
  readonly onResize: () => void;
}

/** Takes the terminal and shows rows on it, until it is left. */
export function openStage(terminal: Terminal, { paint, onKey, onResize }: StageOptions): Stage {
  const canvas = openCanvas(terminal, { key: onKey, resized: onResize });
  // Each update comes as a text of its own: what is sent to the terminal, and where to, is the canvas' business.
  const frames = framesFor(canvas);
  const shown = render(<Frame lines={[]} />, {
    stdout: frames,
    stderr: frames,
    stdin: Object.assign(new PassThrough(), {
      isTTY: false,
      setRawMode: nothing,
      ref: nothing,
      unref: nothing,
    }) as never,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    size: canvas.size,
    show(rows) {
      const { columns } = canvas.size();
      shown.rerender(<Frame lines={rows.map((row) => paintRow(row, columns, paint))} />);
    },
    leave() {
      canvas.close();
      shown.unmount();
    },
  };
}

function Frame({ lines }: { readonly lines: readonly string[] }) {
  return (
    <Box flexDirection="column">
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Text key={row} wrap="truncate">
          {line === "" ? " " : line}
        </Text>
      ))}
    </Box>
  );
}

function framesFor(canvas: Canvas): NodeJS.WriteStream {
  const frames = new Writable({
    write(chunk, _encoding, done) {
      const frame = String(chunk);
      if (frame !== "") canvas.draw(frame.split("\n"));
      done();
    },
  });
  return Object.defineProperties(frames, {
    columns: { get: () => canvas.size().columns },
    rows: { get: () => canvas.size().rows },
    isTTY: { value: false },
  }) as NodeJS.WriteStream;
}

function nothing(): void {}
