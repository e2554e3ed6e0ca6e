import { type Result, success } from "../model/result.ts";
import type { StateStore } from "../ports/state-store.ts";
import type { Host } from "./host.ts";
import { type Settings, stateFilePath } from "./settings.ts";
import type { Stop } from "./stop.ts";
import { systemClock, systemRandomness } from "./system.ts";

/** The configured state store. Reads and writes nothing yet. */
export async function openStore(settings: Settings, host: Host): Promise<Result<StateStore, Stop>> {
  const path = stateFilePath(settings.state, host);
  if (!path.ok) return path;
  const { fileStore } = await import("../state/file-store.ts");
  return success(fileStore({ path: path.value, clock: systemClock, randomness: systemRandomness }));
}
