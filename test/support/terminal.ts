import { setTimeout as sleep } from "node:timers/promises";
import xterm from "@xterm/headless";
import type { AtEnd } from "./command.ts";

const pty = await import("@lydell/node-pty").catch(() => undefined);

/** Why no pseudo-terminal can be had on this machine; undefined where one can. */
export const noTerminal = pty === undefined ? "no pseudo-terminal can be made on this machine" : undefined;

/** A program in a terminal of its own, as somebody who sits before it sees it. */
export type TerminalProgram = ReturnType<typeof inTerminal>;

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
}

/** Milliseconds that something may take to show. */
const patience = 150_000;

/** Starts a program in a terminal that goes away with the test. */
export function inTerminal(
  [file = "", ...args]: readonly string[],
  { cwd, env, columns, rows }: TerminalOptions,
  atEnd: AtEnd,
) {
  if (pty === undefined) throw new Error(noTerminal);
  const view = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
  const all = { PATH: process.env["PATH"], HOME: cwd, TERM: "xterm-256color", ...env };
  const child = pty.spawn(file, args, { cols: columns, rows, cwd, env: all, name: all.TERM });
  let sent = "";
  let isOver = false;
  child.onData((text) => {
    sent += text;
    view.write(text);
  });
  const ended = new Promise<number>((done) => {
    child.onExit(({ exitCode, signal }) => {
      isOver = true;
      view.write("", () => done(signal ? 128 + signal : exitCode));
    });
  });
  atEnd(() => {
    if (!isOver) child.kill("SIGKILL");
    view.dispose();
  });

  const lines = (buffer: typeof view.buffer.normal, from: number, count: number) =>
    Array.from(
      { length: count },
      (_, row) =>
        buffer
          .getLine(from + row)
          ?.translateToString(true)
          .trimEnd() ?? "",
    );
  const screen = () => lines(view.buffer.active, view.buffer.active.viewportY, view.rows);
  return {
    /** As if it was typed: keys that are no characters as the terminal sends them. */
    type: (text: string) => child.write(text),
    resize(to: number, high: number) {
      view.resize(to, high);
      child.resize(to, high);
    },
    kill: (signal: NodeJS.Signals) => process.kill(child.pid, signal),
    /** The rows that are on the screen, without the spaces at their ends. */
    screen,
    /** What can be scrolled back to and was not on a screen of its own, without blank rows at the end. */
    scrollback() {
      const { normal } = view.buffer;
      return lines(normal, 0, normal.length).join("\n").replace(/\n+$/u, "").split("\n");
    },
    sent: () => sent,
    /** The screen once it shows this; throws with the screen where that does not come. */
    async until(shows: string | RegExp) {
      const isShown = () =>
        screen().some((line) => (typeof shows === "string" ? line.includes(shows) : shows.test(line)));
      for (const start = Date.now(); Date.now() - start < patience; await sleep(10)) {
        // What was sent is drawn a moment later, and all of one frame with it.
        await new Promise<void>((done) => view.write("", done));
        if (isShown()) return screen();
      }
      throw new Error(`the screen never showed ${shows}:\n${screen().join("\n")}`);
    },
    /** With which code it ended, once all that it sent is on the screen. */
    ended,
  };
}
