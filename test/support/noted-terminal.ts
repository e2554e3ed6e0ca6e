import { EventEmitter } from "node:events";
import type { Terminal } from "../../src/screen/terminal.ts";

export function aTerminal(size: { columns?: number; rows?: number } = { columns: 20, rows: 5 }) {
  const noted: string[] = [];
  const input = Object.assign(new EventEmitter(), {
    setRawMode: (raw: boolean) => noted.push(`raw ${raw}`),
    resume: () => noted.push("resume"),
    pause: () => noted.push("pause"),
  });
  const output = Object.assign(new EventEmitter(), { ...size, write: (text: string) => noted.push(text) });
  const hold = () => {
    noted.push("hold");
    return () => noted.push("release");
  };
  const terminal: Terminal = { input, output, hold };
  return { terminal, input, output, noted };
}
