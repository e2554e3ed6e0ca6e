import type { Result } from "../../model/result.ts";
import type { StateStore } from "../../ports/state-store.ts";
import type { Host } from "../host.ts";
import type { NetworkSettings } from "../settings/settings.ts";
import type { CommandError } from "../stop.ts";

/** Makes a store of a state address, such as `file:.roster/state.json`, or says what is wrong with it. Connects nothing yet. */
export type StoreOpener = (
  address: string,
  host: Host,
  source: AddressSource,
  network: NetworkSettings,
) => Promise<Result<StateStore, CommandError>>;

/**
 * Who names a state address. `checkout`: a settings file that a change to the checkout can edit, so that secrets of the
 * environment must not go where the address points.
 */
export type AddressSource =
  | { readonly by: "person" }
  | {
      readonly by: "checkout";
      /** The settings file, as shown to a person. */
      readonly file: string;
    };
