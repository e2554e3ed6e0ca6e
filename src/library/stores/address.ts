import type { Result } from "../../model/result.ts";
import type { RosterLog } from "../../ports/log.ts";
import { invalidSetting, type RosterError } from "../error.ts";
import type { NetworkSettings } from "../network.ts";
import type { Environment } from "../system.ts";

/** Makes a store of a log's address, such as `file:.roster/log.jsonl`, or says what is wrong with it. Connects nothing yet. */
export type StoreOpener = (
  address: string,
  environment: Environment,
  source: AddressSource,
  network: NetworkSettings,
) => Promise<Result<RosterLog, RosterError>>;

/**
 * Who names an address. `checkout`: a settings file that a change to the checkout can edit, so that secrets of the
 * environment must not go where the address points.
 */
export type AddressSource =
  | { readonly by: "person" }
  | {
      readonly by: "checkout";
      /** The settings file, as shown to a person. */
      readonly file: string;
    };

export const byPerson: AddressSource = { by: "person" };

/** Who names the address of a log. */
export function sourceOf({ editableIn }: { readonly editableIn?: string }): AddressSource {
  return editableIn === undefined ? byPerson : { by: "checkout", file: editableIn };
}

/** A secret of the environment goes nowhere that a change to the checkout can name. `secret`: which, and what names its goal. */
export function secretStaysHome(said: {
  readonly secret: string;
  readonly file: string;
  readonly instead: string;
}): RosterError {
  return invalidSetting(
    "untrusted",
    `${said.secret} comes from ${said.file}. A change to the checkout can edit that file.`,
    `${said.instead}. Or move the settings out of the checkout and name them in ROSTER_CONFIG.`,
  );
}
