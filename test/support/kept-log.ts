import { encodeCheckpoint } from "../../src/log/checkpoint.ts";
import { emptyLog, encodeLines, logVersion } from "../../src/log/hash-chain.ts";
import type { LogEvent } from "../../src/model/event.ts";
import type { State } from "../../src/model/state.ts";
import { noon } from "./event-builders.ts";

/** The files of a log whose last checkpoint is a state, by their paths. Its lines say nothing of how the state came to be. */
export function logOfState(path: string, state: State): Readonly<Record<string, string>> {
  const begun: LogEvent = { type: "log-started", at: noon, version: logVersion, lineage: state.lineage };
  const unsaid: LogEvent = { type: "waiting", at: noon, milliseconds: 0, why: "the state stands in the checkpoint" };
  const events = [begun, ...Array.from({ length: Math.max(0, state.serial - 2) }, () => unsaid)];
  const { lines, head } = encodeLines(events, emptyLog);
  const { text, digest } = encodeCheckpoint({ state: { ...state, serial: head.position }, head });
  const taken = encodeLines([{ type: "checkpoint-taken", at: noon, head, digest }], head);
  return {
    [path]: lines + taken.lines,
    [`${path}.checkpoint`]: `{"bytes":${Buffer.byteLength(lines)}}\n${text}`,
  };
}
