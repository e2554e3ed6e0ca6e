import { setImmediate } from "node:timers/promises";
import { ownName } from "../files/own-name.ts";
import { leaseLost, lockedBy, notHeldBy } from "./lock-holder.ts";
import { type LogPorts, openLog } from "./log.ts";
import type { LockHolder, LogStore, RosterLog } from "./port.ts";

/** What a store in memory keeps. Several stores of one memory are one log. */
export interface Memory {
  lines: string;
  /** The text of a checkpoint, and how much of the lines is behind it. */
  checkpoint: { readonly text: string; readonly length: number } | undefined;
  holder: LockHolder | undefined;
}

export function emptyMemory(): Memory {
  return { lines: "", checkpoint: undefined, holder: undefined };
}

const address = "memory:";

/** Keeps a log in memory, for tests: it ends with the process. */
export function memoryStore(memory: Memory, ports: LogPorts): RosterLog {
  const store: LogStore = {
    address,
    async read(from) {
      const { lines, checkpoint } = memory;
      if (from === "start" || checkpoint === undefined) return { lines: linesOf(lines) };
      return { checkpoint: checkpoint.text, lines: linesOf(lines.slice(checkpoint.length)) };
    },
    async lease({ operation, at }) {
      if (memory.holder !== undefined) throw lockedBy(address, memory.holder);
      const holder = { id: ports.randomness.identifier(), who: ownName(), operation, since: at };
      memory.holder = holder;
      const confirm = () => {
        if (memory.holder !== holder) throw leaseLost(address, memory.holder ?? "nobody");
      };
      return {
        async append(lines) {
          // A run that appends again and again lets others have their turn.
          await setImmediate();
          confirm();
          memory.lines += lines;
        },
        async replaceBefore(position, line) {
          confirm();
          const next = memory.lines.indexOf(`{"position":${position + 1},`);
          memory.lines = `${line}\n${next === -1 ? "" : memory.lines.slice(next)}`;
          memory.checkpoint = undefined;
        },
        async checkpoint(text) {
          confirm();
          memory.checkpoint = { text, length: memory.lines.length };
        },
        async release() {
          if (memory.holder === holder) memory.holder = undefined;
        },
      };
    },
    holder: async () => memory.holder ?? "nobody",
    async breakLease(id) {
      const { holder } = memory;
      if (holder?.id !== id) throw notHeldBy(address, id, holder ?? "nobody");
      memory.holder = undefined;
      return holder;
    },
    close: async () => undefined,
  };
  return openLog(store, ports);
}

async function* linesOf(text: string): AsyncGenerator<string> {
  if (text !== "") yield text;
}
