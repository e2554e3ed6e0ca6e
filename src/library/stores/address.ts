import type { Result } from "../../model/result.ts";
import type { AuditTrail, StateStore } from "../../ports/state-store.ts";
import { invalidSetting, type RosterError } from "../error.ts";
import type { NetworkSettings } from "../network.ts";
import type { Environment } from "../system.ts";

/** Makes a store of a state address, such as `file:.roster/state.json`, or says what is wrong with it. Connects nothing yet. */
export type StoreOpener = (
  address: string,
  environment: Environment,
  source: AddressSource,
  network: NetworkSettings,
) => Promise<Result<StateStore, RosterError>>;

/** Where an audit trail is. */
export interface TrailAddress {
  readonly value: string;
  readonly source: AddressSource;
  /** `state`: it is the address of the state that the trail is kept with. */
  readonly of: AddressOf;
}

/** Makes an audit trail of an address, or says what is wrong with it. Connects nothing yet. */
export type TrailOpener = (
  address: TrailAddress,
  environment: Environment,
  network: NetworkSettings,
) => Promise<Result<AuditTrail, RosterError>>;

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

/** Who names the address of a state or of an audit trail. */
export function sourceOf({ editableIn }: { readonly editableIn?: string }): AddressSource {
  return editableIn === undefined ? byPerson : { by: "checkout", file: editableIn };
}

/** What an address is said to name, in the words for one that is wrong. `trail`: an audit trail that is kept for itself. */
export type AddressOf = "state" | "trail";

interface AddressWords {
  readonly name: string;
  readonly otherwise: string;
}

export const addressWords: Readonly<Record<AddressOf, AddressWords>> = {
  state: { name: "state", otherwise: "Set ROSTER_STATE or pass --state" },
  trail: { name: "audit trail", otherwise: "Set ROSTER_AUDIT" },
};

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
