import type { FoldedAddress } from "../model/address.ts";
import type { RecordedCapabilities } from "../model/capabilities.ts";
import type { MembershipKey, TeamKey } from "../model/names.ts";
import type {
  OpenIntent,
  RecordedKey,
  RecordedMembership,
  RecordedRefusal,
  RecordedTeam,
  RecordedUser,
  State,
} from "../model/state.ts";

/** A state under change: copied once for a whole fold, so that a fold costs what it changes. */
export interface StateDraft {
  service: string | undefined;
  sequence: number | undefined;
  capabilities: RecordedCapabilities | undefined;
  readonly users: Map<FoldedAddress, RecordedUser>;
  readonly teams: Map<TeamKey, RecordedTeam>;
  readonly memberships: Map<MembershipKey, RecordedMembership>;
  readonly keys: Map<string, RecordedKey>;
  readonly open: Map<string, OpenIntent>;
  readonly refusals: Map<FoldedAddress, RecordedRefusal>;
  /** The run that announced an action since the last run began: events without a run of their own belong to it. */
  readonly announcedBy: Map<string, string>;
}

export function draftOf(state: State): StateDraft {
  return {
    service: state.service,
    sequence: state.sequence,
    capabilities: state.capabilities,
    users: new Map(state.users),
    teams: new Map(state.teams),
    memberships: new Map(state.memberships),
    keys: new Map(state.keys),
    open: new Map(state.open.map((open) => [intentKey(open.run, open.action), open])),
    refusals: new Map(state.refusals),
    announcedBy: new Map(),
  };
}

export function stateOf(draft: StateDraft, { lineage, serial, moved }: State): State {
  const { service, sequence, users, teams, memberships, keys, open, refusals } = draft;
  const about = { ...(service === undefined ? {} : { service }), ...(sequence === undefined ? {} : { sequence }) };
  const learned = draft.capabilities === undefined ? {} : { capabilities: draft.capabilities };
  const left = moved === undefined ? {} : { moved };
  return {
    lineage,
    serial,
    ...left,
    ...about,
    ...learned,
    users,
    teams,
    memberships,
    keys,
    open: [...open.values()],
    refusals,
  };
}

/** Two runs may announce the same action; each answers for its own. */
export function intentKey(run: string, action: string): string {
  return `${run}\n${action}`;
}
