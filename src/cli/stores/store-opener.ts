import type { Result } from "../../model/result.ts";
import type { StateStore } from "../../ports/state-store.ts";
import type { Host } from "../host.ts";
import type { Stop } from "../stop.ts";

/** Makes a store of a state address, such as `file:.roster/state.json`, or says what is wrong with it. Connects nothing yet. */
export type StoreOpener = (address: string, host: Host) => Promise<Result<StateStore, Stop>>;
