import { StringDecoder } from "node:string_decoder";
import { setImmediate as onceRead, setTimeout as sleep } from "node:timers/promises";
import { type Key, keyDecoder } from "./keys.ts";
import type { Size } from "./rows.ts";

/** Milliseconds within which a terminal hands over what it has kept. */
const aMoment = 50;

/** What somebody types on; where it is a terminal, it has lines that are not complete yet too. */
type TypedInput = Omit<TerminalInput, "setRawMode"> & Partial<Pick<TerminalInput, "setRawMode">>;

/** Forgets what was typed before there was a question: nobody has meant it for what is asked. Only Ctrl-C counts. */
export async function discardTypedAhead(input: TypedInput): Promise<void> {
  const forget = (chunk: Buffer | string) => {
    if (chunk.toString().includes("\u{3}")) interruptAsTerminal();
  };
  input.setRawMode?.(true);
  input.on("data", forget);
  input.on("end", hangUp);
  input.on("error", hangUp);
  input.resume();
  await sleep(aMoment);
  // However late that timer was, the terminal is read between it and this.
  await onceRead();
  input.off("data", forget);
  input.off("end", hangUp);
  input.off("error", hangUp);
  input.pause();
  input.setRawMode?.(false);
}

/** A terminal that a screen may take: where its keys come from and where it is drawn. */
export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /** Keeps back what others write there; what is returned lets it come. */
  hold(): () => void;
}

interface TerminalInput {
  setRawMode(raw: boolean): unknown;
  on(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  on(event: "end" | "error", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  off(event: "end" | "error", listener: () => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

interface TerminalOutput {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** The terminal while a screen has it. */
export interface Canvas {
  size(): Size;
  /** Shows lines where they belong; what else is there stays. */
  draw(lines: readonly PlacedLine[]): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

/** A line and its row, counted from 0. */
export interface PlacedLine {
  readonly row: number;
  readonly line: string;
}

interface CanvasEvents {
  key(key: Key): void;
  /** The size has changed, or the screen was away: nothing is shown any more. */
  wiped(): void;
}

/** Milliseconds after which an escape that nothing followed is the key of that name. */
const escapeAlone = 50;

// The alternate screen, no cursor, no wrapping of what is too long by this terminal's own count, and pasted text told apart.
const enterScreen = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J";
const leaveScreen = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l";
const wipe = "\u{1B}[2J";
const frameBegins = "\u{1B}[?2026h";
const frameEnds = "\u{1B}[?2026l";

/** Takes the terminal until it is closed. However the process ends, short of being killed outright, it is given back. */
export function openCanvas({ input, output, hold }: Terminal, events: CanvasEvents): Canvas {
  const keys = keyReader((key) => {
    if (!isOpen) return;
    if (key.key === "suspend") suspend();
    else events.key(key);
  });
  let isOpen = true;
  let isAway = false;

  function resized(): void {
    output.write(wipe);
    events.wiped();
  }
  function begin(): void {
    input.setRawMode(true);
    output.write(enterScreen);
  }
  function end(): void {
    output.write(leaveScreen);
    input.setRawMode(false);
  }
  function suspend(): void {
    end();
    isAway = true;
    process.once("SIGCONT", comeBack);
    process.kill(0, "SIGTSTP");
    // Where no shell could continue it, nothing has stopped it either.
    setTimeout(comeBack, aMoment);
  }
  function comeBack(): void {
    process.off("SIGCONT", comeBack);
    if (!isOpen || !isAway) return;
    isAway = false;
    begin();
    events.wiped();
  }
  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    keys.stop();
    process.off("exit", close);
    output.off("resize", resized);
    input.off("data", keys.take);
    input.pause();
    end();
    input.off("end", lost);
    input.off("error", lost);
    release();
  }
  function lost(): void {
    if (isOpen) hangUp();
  }

  const release = hold();
  process.on("exit", close);
  output.on("resize", resized);
  begin();
  input.on("data", keys.take);
  input.on("end", lost);
  input.on("error", lost);
  input.resume();
  return {
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    draw(lines) {
      const placed = lines.map(({ row, line }) => `\u{1B}[${row + 1};1H\u{1B}[2K${line}`);
      if (isOpen) output.write(`${frameBegins}${placed.join("")}${frameEnds}`);
    },
    close,
  };
}

function keyReader(tell: (key: Key) => void) {
  const decoder = keyDecoder();
  const utf8 = new StringDecoder("utf8");
  let alone: NodeJS.Timeout | undefined;
  return {
    take(chunk: Buffer | string) {
      clearTimeout(alone);
      for (const key of decoder.push(typeof chunk === "string" ? chunk : utf8.write(chunk))) tell(key);
      alone = setTimeout(() => decoder.flush().forEach(tell), escapeAlone);
    },
    stop: () => clearTimeout(alone),
  };
}

/** What the terminal itself would do for Ctrl-C: it sends no signal while a screen reads the keys. */
export function interruptAsTerminal(): void {
  process.kill(0, "SIGINT");
}

/** What a closed terminal does, where its signal has not come or not yet: no key comes any more, and nothing else waits for one. */
function hangUp(): void {
  process.emit("SIGHUP");
}
