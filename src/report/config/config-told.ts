import type { Place } from "../../model/fact.ts";

/** What `roster config` found. Nothing of it is a secret. */
export interface ConfigReport {
  /** Absent where there is none, or none was found. */
  readonly file?: {
    readonly path: string;
    readonly foundBy: "ROSTER_CONFIG" | "search";
    /** A change to the checkout, such as a pull request, can edit it. */
    readonly insideCheckout: boolean;
  };
  /** CI is set. */
  readonly inPipeline: boolean;
  /** ROSTER_TRUST_SETTINGS is 1. */
  readonly trusted: boolean;
  readonly settings: readonly SettingReport[];
}

export interface SettingReport {
  /** As in the settings file, or a name of its own for what only flags and variables say. */
  readonly name: string;
  /** What is in force; absent where nothing is. */
  readonly said?: SettingValue;
  /** What is said elsewhere and does not count. */
  readonly unused: readonly IgnoredSettingValue[];
  /** What to know where nothing is in force. */
  readonly note?: string;
}

export interface SettingValue {
  readonly value: string;
  readonly from: SettingSource;
}

/** Something else is said that counts before it, or it must not be taken from where it stands. */
export type IgnoredSettingValue = SettingValue &
  (
    | { readonly why: "passed over" }
    | {
        readonly why: "refused";
        /** What it could do; completes a sentence. */
        readonly because: string;
      }
  );

export type SettingSource =
  | { readonly kind: "flag" | "variable"; readonly name: string }
  | { readonly kind: "settings"; readonly place: Place }
  | { readonly kind: "default" };
