import { Readable } from "node:stream";
import { Box, render, Text, useInput, useStdout } from "ink";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import type { Line, Piece } from "../report/document/tree.ts";
import { type Paint, plain } from "../report/document/tree.ts";
import { displayWidth } from "../report/safe.ts";
import { type Row as LaidRow, padTo, piecesWidth, pieceText, rowsOf } from "../report/text/lines.ts";
import { rowWriter, wipe } from "./changed-rows.ts";
import { interruptAsTerminal, listen, type Size, suspendAsTerminal, type Terminal } from "./terminal.ts";

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
  const isWhole = area === "whole-terminal";
  const stdout = stdoutForInk(output, isWhole ? rowWriter(output) : (text) => output.write(text));
  // With `debug`, ink hands over each frame whole, and moves no cursor.
  const options = { stdin, stdout, stderr: stdout, exitOnCtrlC: false, patchConsole: false, debug: isWhole };
  const instance = render(onStage(first), options);
  instance.waitUntilExit().catch(onDefect);
  process.on("exit", close);
  const stop = listen(input, (chunk) => void stdin.push(chunk));
  return { show: (screen) => instance.rerender(onStage(screen)), close };
}

// The alternate screen, no cursor, no wrapping of what is too long by this terminal's own count, and pasted text marked as such.
const enter = {
  "whole-terminal": `\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h${wipe}`,
  "below-output": "\u{1B}[?25l\u{1B}[?7l",
} as const;
const leave = {
  "whole-terminal": "\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l",
  "below-output": "\u{1B}[?7h\u{1B}[?25h",
} as const;
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
function stdoutForInk(output: Terminal["output"], write: (text: string) => unknown): NodeJS.WriteStream {
  const stream = {
    isTTY: true,
    get columns() {
      return sizeOf(output).columns;
    },
    write,
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
      // The last frame is drawn again after what is written in this way.
      write(enter[area]);
    });
  }
  return (
    <Surface size={size} paint={paint}>
      {children}
    </Surface>
  );
}

const SizeContext = createContext<Size>({ columns: 80, rows: 24 });
const PaintContext = createContext<Paint>(plain);

export function Surface(props: { readonly size: Size; readonly paint: Paint; readonly children: ReactNode }) {
  return (
    <SizeContext value={props.size}>
      <PaintContext value={props.paint}>{props.children}</PaintContext>
    </SizeContext>
  );
}

export function useSize(): Size {
  return useContext(SizeContext);
}

/** Texts from outside become safe here, and nowhere else on a screen. */
export function StyledText(props: { readonly pieces: readonly Piece[]; readonly wrap?: "wrap" | "truncate" }) {
  const paint = useContext(PaintContext);
  return <Text wrap={props.wrap ?? "truncate"}>{paintedText(props.pieces, paint)}</Text>;
}

interface RowProps {
  readonly pieces: readonly Piece[];
  readonly columns: number;
  /** Stands at the right edge, where the rest leaves room for it. */
  readonly right?: string | undefined;
  readonly isMarked?: boolean;
}

/** One row of a screen; what is too long ends with an ellipsis. */
export function Row({ pieces, columns, right = "", isMarked = false }: RowProps) {
  const paint = useContext(PaintContext);
  const space = columns - displayWidth(pieces.map(pieceText).join("")) - displayWidth(pieceText(right));
  const end: readonly Piece[] = right === "" || space < 2 ? [] : [" ".repeat(space), { ink: "dim", text: right }];
  const row = [...pieces, ...end];
  const text = isMarked ? paint("marked", padTo(row.map(pieceText).join(""), columns)) : paintedText(row, paint);
  return <Text wrap="truncate">{text}</Text>;
}

/** Lines of a report, broken at words. They keep their height where there is less room. */
export function Lines({ lines, columns }: { readonly lines: readonly Line[]; readonly columns: number }) {
  const rows = lines.flatMap((line) => wrapLine(line, columns));
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {rows.map((row) => (
        <WrappedRow key={rows.indexOf(row)} row={row} columns={columns} />
      ))}
    </Box>
  );
}

/** One row of a line that was broken at words. A word that is wider, such as a long command, goes on below. */
export interface TextRow extends LaidRow {
  readonly height: number;
}

export function WrappedRow({ row, columns }: { readonly row: TextRow; readonly columns: number }) {
  const { indent, pieces, place, height } = row;
  if (height === 1) return <Row pieces={[" ".repeat(indent), ...pieces]} right={place} columns={columns} />;
  return (
    <Box paddingLeft={indent} width={columns} flexShrink={0}>
      <StyledText pieces={pieces} wrap="wrap" />
    </Box>
  );
}

/** Rows of at most so many columns. What goes on below a row is indented by two more. */
export function wrapLine(line: Line, columns: number): readonly TextRow[] {
  const indent = Math.min(line.indent, Math.floor(columns / 4));
  return rowsOf({ ...line, indent }, columns, { prose: columns, hanging: 2 }).map((row) => {
    const lines = Math.ceil(piecesWidth(row.pieces) / Math.max(1, columns - row.indent));
    return { ...row, height: lines <= 1 ? 1 : lines * 2 };
  });
}

/** An empty text would have no height. */
function paintedText(pieces: readonly Piece[], paint: Paint): string {
  const parts = pieces.map((piece) =>
    typeof piece === "string" ? pieceText(piece) : paint(piece.ink, pieceText(piece)),
  );
  return parts.join("") || " ";
}
