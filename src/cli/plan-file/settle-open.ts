import { resolveAbsentFoundings } from "../../journal/operator-resolution.ts";
import { settleOpen } from "../../journal/settle.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { type ObservePorts, observe } from "../../observe/observe.ts";
import { isoTime } from "../../ports/clock.ts";
import { type CommandError, errorFromFailure } from "../stop.ts";
import { sha256 } from "../system.ts";

/** Asks for nobody: what is read is what the open calls are about. */
const emptyRoster: Roster = {
  accounts: [],
  users: new Map(),
  leavers: new Map(),
  teams: [],
  keys: [],
  roleSets: new Map(),
};

/** Settles by reading what an earlier run left open; nothing is read where nothing is. */
export async function settleOpenCalls(
  state: State,
  { consistency, absentFoundings = [] }: Pick<Policy, "consistency" | "absentFoundings">,
  ports: ObservePorts,
): Promise<Result<readonly RunEvent[], CommandError>> {
  if (state.open.length === 0) return success([]);
  const question = { roster: emptyRoster, state, everyone: "when-needed", assumeAbsentTeams: [] } as const;
  const read = await observe(question, ports);
  if (!read.ok) return problem(errorFromFailure(read.error));
  const at = isoTime(ports.clock);
  const { events, unsettled } = settleOpen(state, read.value, { at, consistency });
  return success([...events, ...resolveAbsentFoundings(unsettled, absentFoundings, { at, digest: sha256 })]);
}
