import { applyEvents } from "../../src/log/fold.ts";
import { decodeLines, emptyLog } from "../../src/log/hash-chain.ts";
import type { LoggedEvent, LogStore, ReadEvents, RosterLog, StoredLog } from "../../src/log/port.ts";
import { outcomeOf } from "../../src/log/store-error.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { Result } from "../../src/model/result.ts";
import { emptyState, type LogHead } from "../../src/model/state.ts";
import { namesOf } from "./role-names.ts";

export function readWhole(log: Pick<RosterLog, "readEvents">): Promise<Result<ReadEvents, Failure>> {
  return joined(log.readEvents(), emptyLog);
}

/** The events of lines that stand behind a head. `size`: how many characters come at once, at least. */
export function decodeText(
  lines: string,
  before: LogHead,
  address: string,
  size = lines.length,
): Promise<Result<ReadEvents, Failure>> {
  return joined(decodeLines(inParts(lines, size), before, address), before);
}

function joined(log: AsyncIterable<ReadEvents>, before: LogHead): Promise<Result<ReadEvents, Failure>> {
  return outcomeOf(async () => {
    const events: LoggedEvent[] = [];
    let head = before;
    for await (const read of log) {
      events.push(...read.events);
      head = read.head;
    }
    return { events, head };
  });
}

export async function* inParts(lines: string, size: number): AsyncGenerator<string> {
  for (let from = 0; from < lines.length; ) {
    const to = lines.indexOf("\n", Math.min(from + size, lines.length) - 1) + 1;
    yield lines.slice(from, to);
    from = to;
  }
}

interface StoredText extends Omit<StoredLog, "lines"> {
  readonly lines: string;
}

export function readText(store: LogStore, from: "checkpoint" | "start"): Promise<Result<StoredText, Failure>> {
  return outcomeOf(async () => {
    const stored = await store.read(from);
    let lines = "";
    for await (const part of stored.lines) lines += part;
    return { ...stored, lines };
  });
}

/** The roles that a log says were put on each key last, by prefix; or why it cannot be read. */
export async function rolesInLog(store: Parameters<typeof readWhole>[0]) {
  const read = await readWhole(store);
  if (!read.ok) return read.error.message;
  const { access } = applyEvents(
    emptyState(""),
    read.value.events.map(({ event }) => event),
  );
  return new Map(
    [...access].flatMap(([prefix, { roles }]) =>
      roles === undefined ? [] : [[prefix, namesOf(roles.map(({ role }) => ({ identifier: role })))] as const],
    ),
  );
}
