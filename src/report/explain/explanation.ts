import type { Action, ActionId } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Place, ReadName, Reason } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { InSyncItem, Plan } from "../../model/plan.ts";
import { formatRoles, sameRoles } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import type { ObservedKey, ObservedUser, ReadRecord, Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import type { Ownership } from "../../model/subject.ts";
import type { TeamKey } from "../../model/team.ts";
import type { CatalogueEntry } from "../codes/catalogue.ts";
import { formatOwnership } from "../phrases.ts";
import { onceOfEach } from "../plan-names.ts";

/** What `explain` shows. */
export type Explanation =
  | { readonly of: "codes"; readonly codes: readonly CatalogueEntry[]; readonly as: "whole" | "list" }
  | { readonly of: "things"; readonly things: readonly ExplainedTarget[] };

/** One sentence about a thing, and how it is context. */
export interface Statement {
  readonly says: string;
  /** Where the YAML says so. */
  readonly place?: Place;
  /** The chain that asks for it. */
  readonly because?: readonly Reason[];
  /** The read that showed it. */
  readonly by?: ReadName;
  /** ISO 8601, when it was recorded. */
  readonly at?: string;
}

/** All that is known of one thing. */
export interface ExplainedTarget {
  readonly is: ExplainTarget["is"];
  /** As a person would name it. */
  readonly name: string;
  readonly from: "the service" | "a saved plan";
  readonly roster: readonly Statement[];
  readonly service: readonly Statement[];
  readonly state: readonly Statement[];
  readonly actions: readonly ExplainedAction[];
  readonly findings: readonly Finding[];
  /** What is so already, so that nothing is done about it. */
  readonly settled: readonly InSyncItem[];
  /** What is there and nobody asked for. */
  readonly unasked: readonly Statement[];
  readonly plan: Plan;
  /** Why guards refuse the plan as a whole, where they do. */
  readonly refused?: string | undefined;
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
}

/** Whose an entry of the roster is; nothing where it does not say so. */
export function ownershipStatements({
  ownership,
  place,
}: {
  readonly ownership?: Ownership;
  readonly place: Place;
}): readonly Statement[] {
  return ownership === undefined ? [] : [{ says: formatOwnership(ownership), place }];
}

export interface ExplainedAction {
  readonly action: Action;
  /** Whose part of it is shown, where it is for several people. */
  readonly person?: FoldedAddress;
  /** Actions of the plan that it, or that part, waits for. */
  readonly waitsFor: readonly ActionId[];
  /** Actions of the plan that wait for it, or for that part. */
  readonly neededBy: readonly ActionId[];
}

/** What is asked about. */
export type ExplainTarget =
  | { readonly is: "user"; readonly address: FoldedAddress }
  | { readonly is: "team"; readonly written: string }
  | { readonly is: "key"; readonly prefix: string }
  | { readonly is: "role"; readonly role: string }
  | { readonly is: "action"; readonly id: ActionId }
  | { readonly is: "finding"; readonly fingerprint: string };

/** A team as the roster, the state, a key or a plan names it. */
export interface ExplainedTeam {
  readonly key: TeamKey;
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** All that is context, where the service was read. */
export interface ExplainContext {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly plan: Plan;
  readonly agreements: readonly InSyncItem[];
  /** Why guards refuse the plan as a whole, where they do. */
  readonly refused?: string | undefined;
}

/** A key as the service shows it. */
export function formatObservedKey({ prefix, team, kind, status, roles }: ObservedKey): string {
  const where = team === undefined || team === "none" ? "" : ` in ${formatKeyTeam(team)}`;
  const about = [kind, status].filter((word) => word !== undefined);
  const details = about.length === 0 ? "" : ` (${about.join(", ")})`;
  return `key ${prefix}${where}${details}: ${roles === undefined ? "roles not shown" : formatRoles(roles)}`;
}

function formatKeyTeam({ name, identifier }: { readonly name?: string; readonly identifier?: string }): string {
  if (name === undefined) return `the team ${identifier ?? "without a name"}`;
  return identifier === undefined ? name : `${name} (${identifier})`;
}

/** What the state records of the roles of a key. */
export function recordedRoles(prefix: string, { keys }: State): readonly Statement[] {
  const record = keys.get(prefix);
  if (record === undefined) return [];
  const { put, at, readAs } = record;
  const read = readAs === undefined || sameRoles(readAs, put) ? "" : `, then read as ${formatRoles(readAs)}`;
  return [{ says: `roster set the roles of the key ${prefix} to ${formatRoles(put)}${read}`, at }];
}

/** Keys that are shown and of whose roles the roster says nothing. */
export function unmanagedKeys(user: ObservedUser, context: ExplainContext): readonly Statement[] {
  const asked = managedPrefixes(context);
  return (user.keys ?? [])
    .filter(({ prefix }) => !asked.has(prefix))
    .map((key) => ({ says: `the roster gives no roles for it: ${formatObservedKey(key)}`, by: user.by }));
}

const managedPrefixes = onceOfEach(readManagedPrefixes);

/** Prefixes on which the roster wants roles, whether they are there already, planned, or in a finding. */
function readManagedPrefixes({ roster, plan, agreements }: ExplainContext): ReadonlySet<string> {
  const settled = agreements.flatMap(({ prefix, basis }) =>
    prefix === undefined || basis === undefined ? [] : [prefix],
  );
  const planned = plan.actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.key.of !== "prefix") return [];
    return action.key.prefix.known === "unknown" ? [] : [action.key.prefix.value];
  });
  const found = plan.findings.flatMap(({ subject }) => (subject.kind === "key" ? [subject.prefix] : []));
  return new Set([...settled, ...planned, ...found, ...roster.keys.map(({ prefix }) => prefix)]);
}

/** The address of the user who has it in the roster, else of the user who had it before, else the address itself. */
export function resolvePerson(address: FoldedAddress, { users, leavers }: Roster): FoldedAddress {
  if (users.has(address) || leavers.has(address)) return address;
  const former = [...users.values()].find(({ previously }) => previously.some(({ value }) => value === address));
  return former?.address ?? address;
}
