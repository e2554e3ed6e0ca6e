import type { RosterLog } from "../../ports/log.ts";
import { invalidSetting, type RosterError } from "../error.ts";
import type { NetworkSettings } from "../network.ts";
import type { Environment } from "../system.ts";

/** Connects nothing yet. `editableIn`: the settings file in the checkout that names the address: it must get no secrets of the environment. */
export type StoreOpener = (
  address: string,
  environment: Environment,
  editableIn: string | undefined,
  network: NetworkSettings,
) => Promise<RosterLog>;

/** A secret of the environment goes nowhere that a change to the checkout can name. `secret`: which, and what names its goal. */
export function secretStaysHome(secret: string, file: string, instead: string): RosterError {
  return invalidSetting(
    "untrusted",
    `${secret} comes from ${file}. A change to the checkout can edit that file.`,
    `${instead}. Or move the settings out of the checkout and name them in ROSTER_CONFIG.`,
  );
}
