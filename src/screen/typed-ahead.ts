import { setImmediate as onceRead, setTimeout as sleep } from "node:timers/promises";
import { hangUp, interruptAsTerminal, type TerminalInput } from "./canvas.ts";

/** Milliseconds within which a terminal hands over what it has kept. */
const aMoment = 50;

/** What somebody types on; where it is a terminal, it has lines that are not complete yet too. */
export type TypedInput = Omit<TerminalInput, "setRawMode"> & Partial<Pick<TerminalInput, "setRawMode">>;

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
