import { setImmediate as onceRead, setTimeout as sleep } from "node:timers/promises";

/** A terminal that a screen may take: where its keys come from and where it is drawn. */
export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /** Keeps back what others write to the terminal. The returned function writes it. */
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

/** Columns and rows of characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Milliseconds within which a terminal hands over what was typed. */
const readDelay = 50;

/** Drops keys that were typed before a question was shown. Only Ctrl-C counts. */
export async function discardTypedAhead(
  // Standard input has no raw mode where it is no terminal.
  input: Omit<TerminalInput, "setRawMode"> & Partial<Pick<TerminalInput, "setRawMode">>,
): Promise<void> {
  const discard = (chunk: Buffer | string) => {
    if (chunk.toString().includes("\u{3}")) interruptAsTerminal();
  };
  input.setRawMode?.(true);
  input.on("data", discard);
  input.on("end", hangUp);
  input.on("error", hangUp);
  input.resume();
  await sleep(readDelay);
  // However late that timer was, the terminal is read between it and this.
  await onceRead();
  input.off("data", discard);
  input.off("end", hangUp);
  input.off("error", hangUp);
  input.pause();
  input.setRawMode?.(false);
}

/** What the terminal itself would do for Ctrl-C. It sends no signal while a screen reads the keys. */
export function interruptAsTerminal(): void {
  process.kill(0, "SIGINT");
}

/** What the terminal itself would do for Ctrl-Z. `resume` is called once, when the process runs again. */
export function suspendAsTerminal(resume: () => void): void {
  let isAway = true;
  function comeBack(): void {
    process.off("SIGCONT", comeBack);
    if (isAway) resume();
    isAway = false;
  }
  process.once("SIGCONT", comeBack);
  process.kill(0, "SIGTSTP");
  // Where no shell could continue the process, nothing has stopped it either.
  setTimeout(comeBack, readDelay);
}

/** What a closed terminal does, where its signal has not come yet: no key comes any more, and nothing else waits for one. */
export function hangUp(): void {
  process.emit("SIGHUP");
}
