import { Readable } from "node:stream";
import { render, useInput, useStdout } from "ink";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Paint } from "../report/outcome.ts";
import { interruptAsTerminal, listen, type Size, suspendAsTerminal, type Terminal } from "./terminal.ts";
import { Surface } from "./text.tsx";

/** What a screen takes of the terminal: all of it, until it is closed; or some lines below what was written before. */
type StageArea = "whole-terminal" | "below-output";

export interface StageOptions {
  readonly area: StageArea;
  readonly paint: Paint;
  readonly onDefect: (error: unknown) => void;
}

export interface Stage {
  show(screen: ReactNode): void;
  close(): void;
}

/** Takes the terminal until it is closed. However the process ends, short of being killed outright, the terminal is given back. */
export function openStage(terminal: Terminal, first: ReactNode, { area, paint, onDefect }: StageOptions): Stage {
  const { input, output, hold } = terminal;
  const onStage = (screen: ReactNode) => (
    <Root terminal={terminal} area={area} paint={paint}>
      {screen}
    </Root>
  );
  let isOpen = true;
  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    process.off("exit", close);
    instance.rerender(null);
    instance.unmount();
    stop();
    if (area === "below-output") output.write(eraseLastLine);
    output.write(leave[area]);
    release();
  }
  const release = hold();
  output.write(enter[area]);
  const stdin = stdinForInk(input);
  const stdout = stdoutForInk(output);
  const options = { stdin, stdout, stderr: stdout, exitOnCtrlC: false, patchConsole: false };
  const instance = render(onStage(first), options);
  instance.waitUntilExit().catch(onDefect);
  process.on("exit", close);
  const stop = listen(input, (chunk) => void stdin.push(chunk));
  return { show: (screen) => instance.rerender(onStage(screen)), close };
}

// The alternate screen, no wrapping of what is too long by this terminal's own count, and pasted text marked as such.
const enter = {
  "whole-terminal": "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J\u{1B}[H",
  "below-output": "\u{1B}[?7l",
} as const;
const leave = {
  "whole-terminal": "\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l",
  "below-output": "\u{1B}[?7h\u{1B}[?25h",
} as const;
const wipe = "\u{1B}[2J\u{1B}[H";

/** Ink writes a line break after its last frame, even where that is empty. */
const eraseLastLine = "\u{1B}[1A\u{1B}[2K";

/** Ink reads in a way that does not go on after a stream was paused, as it is between two questions. */
function stdinForInk(input: Terminal["input"]): NodeJS.ReadStream {
  const keys = new Readable({ read: () => undefined });
  return Object.assign(keys, {
    isTTY: true,
    setRawMode: (raw: boolean) => input.setRawMode(raw),
    ref: () => keys,
    unref: () => keys,
  }) as never;
}

/**
 * Where a frame is as high as the terminal, ink clears the terminal and all that can be scrolled back to: it must not know how
 * high that is.
 */
function stdoutForInk(output: Terminal["output"]): NodeJS.WriteStream {
  const stream = {
    isTTY: true,
    get columns() {
      return sizeOf(output).columns;
    },
    write: (text: string) => output.write(text),
    on: (event: "resize", listener: () => void) => output.on(event, listener),
    off: (event: "resize", listener: () => void) => output.off(event, listener),
  };
  return stream as never;
}

function sizeOf({ columns, rows }: Terminal["output"]): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

interface RootProps extends Omit<StageOptions, "onDefect"> {
  readonly terminal: Terminal;
  readonly children: ReactNode;
}

/** What every screen stands on: Ctrl-C and Ctrl-Z do what they do without one, and the size is that of the terminal at any time. */
function Root({ terminal: { input, output }, area, paint, children }: RootProps) {
  const { write } = useStdout();
  const [size, setSize] = useState(() => sizeOf(output));
  const drawnSize = useRef(size);
  useInput((typed, { ctrl }) => {
    if (typed.includes("\u{3}") || (ctrl && typed === "c")) interruptAsTerminal();
    if (typed.includes("\u{1A}") || (ctrl && typed === "z")) suspend();
  });
  useEffect(() => {
    const resized = () => setSize(sizeOf(output));
    output.on("resize", resized);
    return () => void output.off("resize", resized);
  }, [output]);
  useEffect(() => {
    if (drawnSize.current !== size && area === "whole-terminal") write(wipe);
    drawnSize.current = size;
  }, [size, area, write]);
  function suspend(): void {
    output.write(leave[area]);
    input.setRawMode(false);
    suspendAsTerminal(() => {
      input.setRawMode(true);
      // Ink draws its last frame again after what is written in this way.
      write(`\u{1B}[?25l${enter[area]}`);
    });
  }
  return (
    <Surface size={size} paint={paint}>
      {children}
    </Surface>
  );
}
