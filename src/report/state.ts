import type { FoldedAddress } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type { Intent } from "../model/event.ts";
import type { UserListStatus } from "../model/snapshot.ts";
import type { OpenIntent, State } from "../model/state.ts";

/** The result of a subcommand of `roster state`. Addresses of stores are without credentials. */
export type StateReport =
  | StateVerified
  | LockReport
  | OpenCallsReport
  | CallResolved
  | StateMoved
  | EndpointSet
  | StateRebuilt;

export interface StateVerified {
  readonly did: "verify";
  readonly address: string;
  readonly lineage: string;
  readonly serial: number;
  /** Where the state lives now, where it was moved. */
  readonly movedTo?: string;
  /** What was read, one sentence each. */
  readonly parts: readonly string[];
  /** Calls whose outcome is not known. */
  readonly open: number;
}

export interface LockReport {
  readonly did: "look-at-lock" | "unlock";
  readonly address: string;
  /** Who holds the lock, or held it until it was broken. */
  readonly holder: ReportedLockHolder | "nobody";
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
  readonly stillOpenFor: readonly FoldedAddress[];
  /** How many calls of unknown outcome are left, this one included where it stays open. */
  readonly left: number;
}

export interface StateMoved {
  readonly did: "move";
  readonly from: string;
  readonly to: string;
  readonly lineage: string;
  readonly open: number;
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
      const team = intent.founds === undefined ? "" : `, and with them the team ${intent.founds.name}`;
      return `create ${intent.email} in ${intent.account}${team}`;
    }
    case "add-members":
      if (intent.again === true)
        return `invite ${intent.addresses.join(", ")} to the team ${intent.name} of ${intent.account} once more`;
      return `add ${intent.addresses.join(", ")} to the team ${intent.name} of ${intent.account}`;
    case "replace-roles":
      return intent.roles.length === 0
        ? `take every role from the key ${intent.prefix}`
        : `give the key ${intent.prefix} exactly ${intent.roles.join(", ")}`;
  }
}

/** What the state knows of the service. */
type ServiceKnowledge = Pick<State, "capabilities" | "queues">;

/** Why reading could not tell what became of a call, by what the service was last found to show; without a trailing stop. */
export function explainUnsettled({ intent, accepted }: OpenIntent, { capabilities, queues }: ServiceKnowledge): string {
  if (accepted === true) return "the service took the call for later, and no read shows it done yet";
  if (queues !== undefined && intent.kind !== "replace-roles")
    return "no read shows it done yet, and the service may have taken the call for later, as it does with others";
  switch (intent.kind) {
    case "create-user":
      return "no read shows the user yet, and before the consistency window is over that proves nothing";
    case "add-members":
      return capabilities?.learned.teamsOnKeys === "shown"
        ? "no read shows the people in the team yet, and before the consistency window is over that proves nothing"
        : "the service does not show to which teams people belong";
    case "replace-roles":
      return "no plan has compared the roles of the key since; the next one does";
  }
}

/** The holder of the lock of a state, as far as its store knows. */
export interface ReportedLockHolder {
  readonly id: string;
  readonly who?: string;
  readonly operation?: string;
  readonly since?: string;
  /** Milliseconds. */
  readonly silentFor?: number;
  readonly fence?: number;
}

/** What a rebuilt state lacks, one sentence each: what the service does not show, and what only the lost state knew. */
export function unrecoverableFacts(
  { keysOnUsers, teamsOnKeys }: Capabilities,
  everyone: UserListStatus,
  members: { readonly asked: number; readonly shown: number },
): readonly string[] {
  const hidden = members.asked - members.shown;
  return [
    ...(everyone.read === "incomplete" ? [`Everybody: the list of users is incomplete (${everyone.why}).`] : []),
    ...(keysOnUsers === "shown"
      ? []
      : ["The prefixes of keys: the service does not show them. Give them in the roster (`key:`)."]),
    ...(teamsOnKeys === "shown" ? [] : ["Who is in which team: the service does not show it."]),
    ...(hidden === 0
      ? []
      : [`Whether ${hidden} of ${members.asked} memberships of the roster were ever there: they are not shown now.`]),
    "What was sent when people were created, and what the service made of it.",
    "Who was created or invited by roster and is gone again: nothing keeps them from being created or invited once more.",
    "Refused requests, the highest --sequence that was applied, and since when something has differed.",
    "Calls that were under way when the state was lost: what they do may show within the next minutes, so plan again before you apply.",
  ];
}
