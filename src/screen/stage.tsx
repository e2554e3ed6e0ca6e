import { PassThrough, Writable } from "node:stream";
import { Box, render, Text } from "ink";
import type { Paint } from "../report/outcome.ts";
import type { Key } from "./keys.ts";
import { paintRow, type ScreenRow, type Size } from "./rows.ts";
import { type Canvas, interruptAsTerminal, openCanvas, type PlacedLine, type Terminal } from "./terminal.ts";

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
  /** Everything has to be shown again. */
  readonly onResize: () => void;
}

/** Takes the terminal and shows rows on it, until it is left. Rows that are as they were cost nothing. */
export function openStage(terminal: Terminal, { paint, onKey, onResize }: StageOptions): Stage {
  let painted: readonly string[] = [];
  const canvas = openCanvas(terminal, {
    key: onKey,
    wiped() {
      painted = [];
      onResize();
    },
  });
  const drawing = drawingOn(canvas);
  return {
    size: canvas.size,
    show(rows) {
      const { columns } = canvas.size();
      const before = painted;
      painted = rows.map((row) => paintRow(row, columns, paint));
      const changed = painted.flatMap((line, row) => (line === before[row] ? [] : [{ row, line }]));
      if (changed.length > 0) drawing.draw(changed);
    },
    leave() {
      canvas.close();
      drawing.end();
    },
  };
}

/** What ink makes of lines goes to their places: it gives each update as a text of its own, and touches no terminal itself. */
function drawingOn(canvas: Canvas) {
  let rows: readonly number[] = [];
  let count = 0;
  const frames = framesFor(canvas, (lines) => {
    canvas.draw(rows.flatMap((row, index) => ({ row, line: lines[index] ?? "" })));
    rows = [];
  });
  const drawn = render(<Lines lines={[]} />, {
    stdout: frames,
    stderr: frames,
    stdin: Object.assign(new PassThrough(), { isTTY: false }) as never,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    draw(changed: readonly PlacedLine[]) {
      rows = changed.map(({ row }) => row);
      count += 1;
      drawn.rerender(<Lines key={count} lines={changed} />);
    },
    end: () => drawn.unmount(),
  };
}

function Lines({ lines }: { readonly lines: readonly PlacedLine[] }) {
  return (
    <Box flexDirection="column">
      {lines.map(({ row, line }) => (
        <Text key={row} wrap="truncate">
          {line === "" ? " " : line}
        </Text>
      ))}
    </Box>
  );
}

function framesFor(canvas: Canvas, take: (lines: readonly string[]) => void): NodeJS.WriteStream {
  const frames = new Writable({
    write(chunk, _encoding, done) {
      const frame = String(chunk);
      if (frame !== "") take(frame.split("\n"));
      done();
    },
  });
  return Object.defineProperties(frames, {
    columns: { get: () => canvas.size().columns },
    rows: { get: () => canvas.size().rows },
    isTTY: { value: false },
  }) as NodeJS.WriteStream;
}

/** A screen that shows how something goes, until it is left. */
export interface ProgressScreen {
  leave(): void;
}

/** Milliseconds between two looks. */
const refreshInterval = 125;

/** Shows what `look` says, again and again. Nothing can be done to it but to interrupt roster. */
export function openWatch(
  terminal: Terminal,
  { paint, look }: { readonly paint: Paint; readonly look: (size: Size) => readonly ScreenRow[] },
): ProgressScreen {
  const show = () => stage.show(look(stage.size()));
  const stage = openStage(terminal, {
    paint,
    onKey: ({ key }) => {
      if (key === "interrupt") interruptAsTerminal();
    },
    onResize: show,
  });
  show();
  const timer = setInterval(show, refreshInterval);
  return {
    leave() {
      clearInterval(timer);
      stage.leave();
    },
  };
}
