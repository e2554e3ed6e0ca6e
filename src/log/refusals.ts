import type { EmailKey } from "../model/address.ts";
import type { Intent, OpenIntent, ServerDate } from "../model/call.ts";
import { definedFields } from "../model/collections.ts";
import { consistencyWindow } from "../model/consistency-window.ts";
import type { LearnedOutcome } from "../model/event.ts";
import { decodeSubject, formatSubject, keySubject, memberSubject, teamSubject, userSubject } from "../model/fact.ts";
import type { Failure, FailureCode, RecordedRefusal } from "../model/failure.ts";
import type { Plan } from "../model/plan.ts";
import { allowanceCodeOf, allowanceScope, formatAllowanceCode, retryOf } from "../model/policy.ts";
import type { State } from "../model/state.ts";
import { formatRoles } from "../model/values.ts";

/** A whole creation, one person's part of an addition, or the roles of one key. */
interface AskedRequest extends Pick<RecordedRefusal, "request" | "subject" | "address" | "asked"> {
  /** What a key in use is allowed as a whole or not at all. */
  readonly kind: string;
  /** When roster made the people and teams that it is about. Undefined of those that were there before. ISO 8601. */
  readonly made: readonly (string | undefined)[];
  /** When the call was announced, or a little later, by a server's clock. */
  readonly dated: ServerDate | undefined;
}

/** What counts within one run alone. */
export function beginRun(plan?: string) {
  return {
    plan,
    /** The run that announced an action: events without a run of their own belong to it. */
    announcedBy: new Map<string, string>(),
    /** What the run has asked for each person of its additions, by action and address. */
    asked: new Map<string, AskedRequest>(),
    /** Of which kinds of calls the run was allowed one. */
    allowed: new Set<string>(),
    /** What the run was not allowed, by kind, until it is known whether it was allowed another call of the kind. */
    forbidden: new Map<string, readonly RecordedRefusal[]>(),
  };
}

/** What is remembered of refusals, and what it takes to judge one. */
interface RefusalDraft extends Pick<State, "users" | "teams" | "memberships"> {
  readonly refusals: Map<string, RecordedRefusal>;
  readonly current: ReturnType<typeof beginRun>;
}

type AnnouncedCall = Pick<OpenIntent, "intent" | "dated">;

function requestKey(action: string, address: EmailKey | undefined): string {
  return `${action}\n${address}`;
}

/** Keeps what is asked for each person of an addition, also where a later call is announced without them. */
export function recordRequests(draft: RefusalDraft, action: string, call: AnnouncedCall): void {
  if (call.intent.kind !== "add-members") return;
  for (const one of requestsOf(draft, call)) draft.current.asked.set(requestKey(action, one.address), one);
}

/** Remembers what would be refused again of a call that was refused whole. */
export function recordRefusal(draft: RefusalDraft, call: AnnouncedCall, failure: Failure, at: string): void {
  for (const one of requestsOf(draft, call)) rememberRefusal(draft, one, failure, at);
}

/** Remembers the people of an addition that the service would refuse again, and forgets refusals of people who are members now. */
export function recordMemberOutcomes(draft: RefusalDraft, action: string, learned: LearnedOutcome, at: string): void {
  if (learned.kind !== "add-members") return;
  const { team, members } = learned;
  for (const { address, outcome } of members) {
    const one = draft.current.asked.get(requestKey(action, address));
    if (outcome.added) {
      forgetRefusals(draft, (about) => about.kind === "member" && about.team === team && about.address === address);
      allowCallKind(draft, `additions to ${team}`);
    } else if (one !== undefined) rememberRefusal(draft, one, outcome.failure, at);
  }
}

/** A call of its kind was allowed: what was forbidden in the same run was forbidden for its own sake. */
export function recordAllowed(draft: RefusalDraft, intent: Intent): void {
  if (intent.kind === "create-user") allowCallKind(draft, `creations in ${intent.account}`);
  if (intent.kind === "replace-roles") allowCallKind(draft, "roles");
}

/** Forgets what nobody asks for any more: it has come about, or somebody else is meant by now. */
export function forgetRefusals(
  { refusals }: RefusalDraft,
  isOver: (about: ReturnType<typeof decodeSubject>, address: EmailKey | undefined) => boolean,
): void {
  for (const [request, { subject, address }] of refusals)
    if (isOver(decodeSubject(subject), address)) refusals.delete(request);
}

export function forgetCreations(draft: RefusalDraft, people: ReadonlySet<EmailKey | undefined>): void {
  forgetRefusals(draft, ({ kind }, address) => (kind === "user" || kind === "team") && people.has(address));
}

/** The codes by which a person lets the calls be sent again that were refused in the run of a plan. */
export function allowedRetries(state: State, { id, service }: Pick<Plan, "id" | "service">): readonly string[] {
  const refused = [...state.refusals.values()].filter(({ plan }) => plan === id);
  const scope = allowanceScope(service, state);
  return refused.map((refusal) => formatAllowanceCode(allowanceCodeOf(retryOf(refusal), scope)));
}

/**
 * A wrong request and a conflict stay what they are. What is forbidden counts only where the key in use was allowed another call of the
 * kind: else the refusal is the key's, not the request's. All else may pass.
 */
const lasting: readonly FailureCode[] = ["refused", "conflict", "not-found", "forbidden"];

function rememberRefusal(draft: RefusalDraft, one: AskedRequest, failure: Failure, at: string): void {
  if (!lasting.includes(failure.code) || isTooEarly(one, failure, at)) return;
  const { kind, made: _made, dated: _dated, ...asked } = one;
  const { plan, allowed, forbidden } = draft.current;
  const refusal = { ...asked, at, failure, ...definedFields({ plan }) };
  if (failure.code === "forbidden" && !allowed.has(kind)) {
    forbidden.set(kind, [...(forbidden.get(kind) ?? []), refusal]);
  } else draft.refusals.set(refusal.request, refusal);
}

/**
 * What we made within the consistency window may not be known everywhere yet, and be refused as not there or as a wrong request. The clock
 * of this machine may run ahead: then the server's time counts.
 */
function isTooEarly({ made, dated }: AskedRequest, { code, status }: Failure, at: string): boolean {
  if (code !== "not-found" && !(code === "refused" && (status === 400 || status === 422))) return false;
  const refused = Math.min(Date.parse(at), Date.parse(dated?.at ?? at));
  return made.some((one) => one !== undefined && refused < Date.parse(one) + consistencyWindow(undefined));
}

function allowCallKind({ current: { allowed, forbidden }, refusals }: RefusalDraft, kind: string): void {
  allowed.add(kind);
  for (const refusal of forbidden.get(kind) ?? []) refusals.set(refusal.request, refusal);
  forbidden.delete(kind);
}

/** What a call asks for; nothing where its plan did not digest it. */
function requestsOf(
  { users, teams, memberships }: RefusalDraft,
  { intent, dated }: AnnouncedCall,
): readonly AskedRequest[] {
  const createdAt = (address: EmailKey | undefined) => address && users.get(address)?.createdAt;
  switch (intent.kind) {
    case "create-user": {
      const { address, email, account, createsTeam, request } = intent;
      if (request === undefined) return [];
      const subject = formatSubject(createsTeam === undefined ? userSubject(address) : teamSubject(createsTeam.team));
      const asked = createsTeam === undefined ? `create ${email}` : `create ${createsTeam.name} with ${email}`;
      const made = [createdAt(createsTeam?.admin)];
      return [{ request, subject, address, asked, kind: `creations in ${account}`, made, dated }];
    }
    case "add-members": {
      const { team, name, requests = [] } = intent;
      const { firstMember, at } = teams.get(team) ?? {};
      return requests.map(({ address, request }) => ({
        request,
        subject: formatSubject(memberSubject(address, team)),
        address,
        asked: `add ${users.get(address)?.email ?? address} to ${name}`,
        kind: `additions to ${team}`,
        made: [createdAt(address), firstMember && at],
        dated,
      }));
    }
    case "replace-roles": {
      const { prefix, roles, owner, team, request } = intent;
      if (request === undefined) return [];
      const subject = formatSubject(keySubject(prefix));
      const asked = `give the key ${prefix} ${formatRoles(roles)}`;
      // An answer without keys gave the membership, and reads the prefix.
      const places = [...memberships.values()].filter(
        (one) => one.how !== "seen" && (one.prefix === prefix || (one.team === team && one.address === owner)),
      );
      const made = [createdAt(owner), ...places.map(({ at }) => at)];
      return [{ request, subject, ...definedFields({ address: owner }), asked, kind: "roles", made, dated }];
    }
  }
}
