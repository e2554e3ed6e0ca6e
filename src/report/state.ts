import type { EmailKey } from "../model/address.ts";
import type { Capabilities, Intent, OpenIntent } from "../model/recorded.ts";
import type { UserListStatus } from "../model/snapshot.ts";
import type { LockHolder, LogHead, State } from "../model/state.ts";

/** The result of a subcommand of `roster state`. Addresses of stores are without credentials. */
export type StateReport =
  | LockReport
  | OpenCallsReport
  | CallResolved
  | StateCopied
  | EndpointSet
  | StatePruned
  | StateRebuilt;

export interface LockReport {
  readonly did: "look-at-lock" | "unlock";
  readonly address: string;
  /** Who holds the lock, or held it until it was broken. */
  readonly holder: LockHolder | "nobody";
}

/** A call of unknown outcome, as a person is asked about it. */
export interface OpenCall {
  readonly id: string;
  readonly open: OpenIntent;
  /** Why reading could not tell, as a sentence without a trailing stop. */
  readonly why: string;
}

export interface OpenCallsReport {
  readonly did: "list-calls";
  readonly address: string;
  readonly calls: readonly OpenCall[];
}

export interface CallResolved {
  readonly did: "resolve";
  readonly address: string;
  readonly id: string;
  readonly open: OpenIntent;
  readonly outcome: "done" | "not-done";
  /** The members of an addition whose outcome stays open. */
  readonly stillOpenFor: readonly EmailKey[];
  /** How many calls of unknown outcome are left, this one included where it stays open. */
  readonly left: number;
}

export interface StateCopied {
  readonly did: "copy";
  readonly from: string;
  readonly to: string;
  readonly lineage: string;
  readonly open: number;
  /** Nothing was copied: another log of the service goes on in the place of this one. */
  readonly kept?: true;
}

export interface StatePruned {
  readonly did: "prune";
  readonly address: string;
  /** All events that went are from before this time. */
  readonly before: string;
  /** The file that has them. */
  readonly export: string;
  /** The positions of the first and the last of them. */
  readonly first: number;
  readonly head: LogHead;
  /** How many people remain as digests alone. */
  readonly forgotten: number;
}

export interface EndpointSet {
  readonly did: "set-endpoint";
  readonly address: string;
  /** Where the service was, and where it is. */
  readonly from: string;
  readonly to: string;
}

export interface StateRebuilt {
  readonly did: "rebuild";
  readonly address: string;
  readonly people: number;
  readonly teams: number;
  readonly memberships: number;
  readonly prefixes: number;
  /** People of the roster that the service does not show, as they are written. */
  readonly missing: readonly string[];
  /** What could not be learned, one sentence each. */
  readonly unlearned: readonly string[];
}

/** What a call asked for, to follow "a run began to"; not yet made safe. */
export function formatIntent(intent: Intent): string {
  switch (intent.kind) {
    case "create-user": {
      const team = intent.createsTeam === undefined ? "" : ` and the team ${intent.createsTeam.name}`;
      return `create ${intent.email} in ${intent.account}${team}`;
    }
    case "add-members":
      return `add ${intent.addresses.join(", ")} to the team ${intent.name} of ${intent.account}`;
    case "replace-roles":
      return intent.roles.length === 0
        ? `remove all roles from the key ${intent.prefix}`
        : `set the roles of the key ${intent.prefix} to ${intent.roles.join(", ")}`;
  }
}

/** What the state knows of the service. */
type ServiceKnowledge = Pick<State, "capabilities" | "queues">;

/** Why reading could not tell what became of a call, by what the service was last found to show; without a trailing stop. */
export function explainUnsettled({ intent, accepted }: OpenIntent, { capabilities, queues }: ServiceKnowledge): string {
  if (accepted === true) return "the service accepted the call for later, and no read shows the change yet";
  if (queues !== undefined && intent.kind !== "replace-roles")
    return "no read shows the change yet, and this service accepts some calls for later";
  switch (intent.kind) {
    case "create-user":
      return "no read shows the user yet, and the consistency window is not over";
    case "add-members":
      return capabilities?.learned.teamsOnKeys === "shown"
        ? "no read shows the members in the team yet, and the consistency window is not over"
        : "the service does not show who is in which team";
    case "replace-roles":
      return "no plan has compared the roles of the key yet; the next one does";
  }
}

/** What a rebuilt state lacks, one sentence each: what the service does not show, and what only the lost state knew. */
export function unrecoverableFacts(
  { keysOnUsers, teamsOnKeys }: Capabilities,
  everyone: UserListStatus,
  members: { readonly asked: number; readonly shown: number },
): readonly string[] {
  const hidden = members.asked - members.shown;
  return [
    ...(everyone.read === "incomplete" ? [`Some users: the list of users is incomplete (${everyone.why}).`] : []),
    ...(keysOnUsers === "shown"
      ? []
      : ["Key prefixes: the service does not show them. Write them into the roster (`key:`)."]),
    ...(teamsOnKeys === "shown" ? [] : ["Memberships: the service does not show who is in which team."]),
    ...(hidden === 0
      ? []
      : [`${hidden} of ${members.asked} memberships of the roster: the service does not show them now.`]),
    "The details of earlier creations.",
    "Users and members that roster created and that are gone now. apply may create or invite them again.",
    "Refused requests, the highest applied --sequence, and the start of each drift.",
    "Calls in progress when the state was lost. Their changes may appear in the next minutes, so plan again before you apply.",
  ];
}
