import type { EmailKey } from "../model/address.ts";
import type { Intent, OpenIntent, ServerDate } from "../model/call.ts";
import type { EventOf } from "../model/event.ts";
import type { RecordedRefusal } from "../model/failure.ts";
import type { State } from "../model/state.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type MutableMap<T> = T extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never;
type CopiedMap = "users" | "teams" | "memberships" | "keys" | "access" | "runs" | "refusals";

/** A whole creation, one person's part of an addition, or the roles of one key. */
export interface AskedRequest extends Pick<RecordedRefusal, "request" | "subject" | "address" | "asked"> {
  /** What a key in use is allowed as a whole or not at all. */
  readonly kind: string;
  /** When we made those whom it is about. Undefined of those that were there before. ISO 8601. */
  readonly made: readonly (string | undefined)[];
  /** When the call was announced, or a little later, by a server's clock. */
  readonly dated: ServerDate | undefined;
}

/** A state under change: copied once for a whole fold, so that a fold costs what it changes. */
export interface StateDraft
  extends Mutable<Omit<State, CopiedMap | "open" | "presumedUndone">>,
    Readonly<{ [Name in CopiedMap]: MutableMap<State[Name]> }> {
  readonly open: Map<string, OpenIntent>;
  readonly presumedUndone: Map<string, OpenIntent>;
  /** The run that announced an action since the last run began: events without a run of their own belong to it. */
  readonly announcedBy: Map<string, string>;
  /** What the run has asked for each person of its additions, by action and address. */
  readonly asked: Map<string, AskedRequest>;
  /** Of which kinds of calls the run was allowed one. */
  readonly allowed: Set<string>;
  /** What the run was not allowed, by kind, until it is known whether it was allowed another call of the kind. */
  readonly forbidden: Map<string, readonly RecordedRefusal[]>;
  /** Each prefix that an address has or had, once it is asked for: no creation looks through the access of everybody. */
  prefixes: Map<EmailKey, Set<string>> | undefined;
  plan: string | undefined;
  /** The command whose events come. */
  command: EventOf<"command-started"> | undefined;
}

export function draftFromState(state: State): StateDraft {
  return {
    ...state,
    users: new Map(state.users),
    teams: new Map(state.teams),
    memberships: new Map(state.memberships),
    keys: new Map(state.keys),
    access: new Map(state.access),
    runs: new Map(state.runs),
    refusals: new Map(state.refusals),
    open: callsByKey(state.open),
    presumedUndone: callsByKey(state.presumedUndone ?? []),
    announcedBy: new Map(),
    asked: new Map(),
    allowed: new Set(),
    forbidden: new Map(),
    prefixes: undefined,
    plan: undefined,
    command: undefined,
  };
}

/** Forgets what counts within one run alone. */
export function forgetRun({ announcedBy, asked, allowed, forbidden }: StateDraft): void {
  for (const ofOneRun of [announcedBy, asked, allowed, forbidden]) ofOneRun.clear();
}

export function requestKey(action: string, address: EmailKey | undefined): string {
  return `${action}\n${address}`;
}

export function stateFromDraft(draft: StateDraft): State {
  const { announcedBy: _, asked: _asked, allowed: _allowed, forbidden: _forbidden, plan: _plan, ...others } = draft;
  const { command: _command, prefixes: _prefixes, presumedUndone, open, ...state } = others;
  const presumed = presumedUndone.size === 0 ? {} : { presumedUndone: [...presumedUndone.values()] };
  return { ...state, open: [...open.values()], ...presumed };
}

function callsByKey(calls: readonly OpenIntent[]): Map<string, OpenIntent> {
  return new Map(calls.map((call) => [intentKey(call.run, call.action), call]));
}

/** Two runs may announce the same action; each answers for its own. */
export function intentKey(run: string, action: string): string {
  return `${run}\n${action}`;
}

export function peopleOf(intent: Intent): readonly EmailKey[] {
  switch (intent.kind) {
    case "create-user":
      return [intent.address];
    case "add-members":
      return intent.addresses;
    case "replace-roles":
      return intent.owner === undefined ? [] : [intent.owner];
  }
}
