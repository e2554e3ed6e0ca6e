import { lstat } from "node:fs/promises";
import { type VerifiedTrail, verifyTrail } from "../../codec/audit.ts";
import { errorFromFailure, invalidSetting, type RosterError } from "../../library/error.ts";
import { type AddressSource, byPerson, sourceOf, type TrailAddress } from "../../library/stores/address.ts";
import { openStoreAt as openAt, openTrailAt, refusingMoved } from "../../library/stores/open-store.ts";
import { sha256 } from "../../library/system.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { AuditTrail, StateStore } from "../../ports/state-store.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import type { NetworkSettings, Setting, Settings } from "../settings/settings.ts";
import { trustsCheckout } from "../trust/checkout.ts";
import { checkPathTrust, type GuardedFile } from "../trust/file-trust.ts";

/** The configured state store. Reads and writes nothing yet. */
export async function openStore(
  { state, network }: Pick<Settings, "state" | "network">,
  host: Host,
): Promise<Result<StateStore, RosterError>> {
  if (state === undefined) return problem(notNamed);
  return openStoreAt(state.value, host, network, sourceOf(state));
}

/** The state store at an address, such as `file:.roster/state.json`. A file must be one that may be believed. */
export function openStoreAt(
  address: string,
  host: Host,
  network: NetworkSettings,
  source: AddressSource = byPerson,
): Promise<Result<StateStore, RosterError>> {
  return openAt(address, host, { network, source, distrusts: (path) => checkStateFileTrust(path, host) });
}

const notNamed = invalidSetting(
  "missing-setting",
  "CI is set, but no state address is set: a state in the checkout would be lost.",
  "Pass --state URL or set ROSTER_STATE.",
);

/** The configured state store, for runs. What was moved elsewhere is refused there: two histories would do things twice. */
export async function openUsableStore(
  settings: Pick<Settings, "state" | "network">,
  host: Host,
): Promise<Result<StateStore, RosterError>> {
  const store = await openStore(settings, host);
  return store.ok ? success(refusingMoved(store.value)) : store;
}

export interface StateFlags {
  readonly state?: string | undefined;
}

export const stateResult: CommandResult = { command: "state", tells: "success-only", diagnostics: [] };

/**
 * Says why a state in a file is not believed: it came with the checkout, the checkout decides where it is, or it belongs
 * to another user of this machine. A writer of the state decides what roster takes for done, and whose keys are whose. @internal
 */
export async function checkStateFileTrust(
  path: string,
  host: Host,
  user = process.getuid?.(),
): Promise<RosterError | undefined> {
  const trusted = await checkPathTrust(path, stateFile, host);
  if (!trusted.ok) return trusted.error;
  if (trustsCheckout(host)) return undefined;
  for (const file of [trusted.value, `${trusted.value}.journal`]) {
    const owner = (await lstat(file).catch(() => undefined))?.uid;
    if (owner !== undefined && !mayWriteFor(owner, user)) return foreignState(file, owner);
  }
  return undefined;
}

const stateFile: GuardedFile = {
  name: (end) => `The state ${end}`,
  git: "and-beside",
  leadsOut: (end) => ({
    why: `is a symbolic link that leads out of the checkout to ${end}. A change to the checkout could choose which state is used.`,
    hint: `Name the state where it is, as in --state file:${end}, or remove the link.`,
  }),
  tracked: {
    why: "is kept in git. A change to the repository could edit what roster has recorded.",
    hint: "Remove it from git (`git rm -r --cached`, and `.roster/` in .gitignore). Name a state that only runs can write, or set ROSTER_TRUST_SETTINGS=1.",
  },
};

/** The superuser may write for everybody, and reads what others wrote as theirs. */
function mayWriteFor(owner: number, user: number | undefined): boolean {
  return user === undefined || user === 0 || owner === 0 || owner === user;
}

function foreignState(path: string, owner: number): RosterError {
  return invalidSetting(
    "untrusted",
    `The state's file ${path} belongs to another user of this machine (${owner}), who could write what roster takes for done.`,
    "Run roster as that user, give the file to this one, or name another state with --state.",
  );
}

/** The configured audit trail; `none` where a person wants none. Reads and writes nothing yet. */
export async function openAuditTrail(
  { audit, state, network }: Pick<Settings, "audit" | "state" | "network">,
  host: Host,
): Promise<Result<AuditTrail | "none", RosterError>> {
  if (audit?.value === "none") return success("none");
  const address = addressOfTrail(audit, state);
  if (address === undefined) return problem(notNamed);
  const distrusts = async (path: string) => {
    const trusted = await checkPathTrust(path, trailFile, host);
    return trusted.ok ? undefined : trusted.error;
  };
  return openTrailAt(address, host, { network, distrusts });
}

/** With the state, unless a person says otherwise. */
function addressOfTrail(audit: Setting | undefined, state: Setting | undefined): TrailAddress | undefined {
  if (audit !== undefined) return { value: audit.value, source: sourceOf(audit), of: "trail" };
  return state === undefined ? undefined : { value: state.value, source: sourceOf(state), of: "state" };
}

const trailFile: GuardedFile = {
  name: (end) => `The audit trail ${end}`,
  git: "itself",
  leadsOut: (end) => ({
    why: `is a symbolic link in the checkout that leads out of it to ${end}. A change to the checkout could choose which file is written.`,
    hint: `Name the trail where it is, as in ROSTER_AUDIT=file:${end}, or remove the link.`,
  }),
  tracked: {
    why: "is kept in git: a change to the checkout could rewrite it.",
    hint: "Name a place outside the repository, such as ROSTER_AUDIT=file:/var/lib/roster/audit.jsonl.",
  },
};

/** A whole trail whose records follow from one another, and from what the state remembers. */
interface ReadTrail extends VerifiedTrail {
  readonly address: string;
}

/** Reads the trail of a state and verifies it: a trail that was changed is never shown as if it were whole. */
export async function readAuditTrail(
  { settings, host }: { readonly settings: Settings; readonly host: Host },
  { audit: known }: State,
): Promise<Result<ReadTrail | "none", RosterError>> {
  const trail = await openAuditTrail(settings, host);
  if (!trail.ok) return trail;
  if (trail.value === "none") return success("none");
  const { address } = trail.value;
  const lines = await trail.value.read();
  await trail.value.close();
  if (!lines.ok) return problem(errorFromFailure(lines.error));
  const verified = await verifyTrail(lines.value, known, sha256);
  if (verified.ok) return success({ address, ...verified.value });
  const { record, why } = verified.error;
  return problem(
    errorFromFailure({
      code: "state",
      message: `the audit trail was changed: record ${record} ${why}`,
      request: address,
      hint: "keep the trail as it is, and compare it with a copy",
    }),
  );
}
