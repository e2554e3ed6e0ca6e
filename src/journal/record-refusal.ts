import type { FoldedAddress } from "../model/address.ts";
import { consistencyWindow, unknownWriteBehaviour } from "../model/consistency.ts";
import type { CreationIntent, Intent, LearnedOutcome, RefusalsReviewed } from "../model/event.ts";
import {
  permanenceOf,
  type RecordedRefusal,
  type RefusedPart,
  type RequestDigest,
  refusalKeyOf,
} from "../model/refusal.ts";
import type { Failure } from "../model/result.ts";
import type { TeamKey } from "../model/team.ts";
import { requestKey, type StateDraft } from "./state-draft.ts";

/** Keeps what is asked for each person of an addition, also where a later call is announced without them. */
export function recordRequests(draft: StateDraft, action: string, intent: Intent): void {
  for (const asked of requestsOf(intent)) {
    if (asked.part.of === "addition") draft.asked.set(requestKey(action, asked.part.address), asked);
  }
}

/** Remembers what would be refused again of a call that was refused whole. */
export function recordRefusal(draft: StateDraft, intent: Intent, failure: Failure, at: string): void {
  for (const { part, request } of requestsOf(intent)) rememberRefusal(draft, { part, request, at, failure });
}

/** Remembers whom of an addition the service would refuse again, and forgets what was refused of whoever is a member now. */
export function recordMemberOutcomes(draft: StateDraft, action: string, learned: LearnedOutcome, at: string): void {
  if (learned.kind !== "add-members") return;
  for (const { address, outcome } of learned.members) {
    const asked = draft.asked.get(requestKey(action, address));
    if (asked === undefined) continue;
    if (outcome.added) {
      draft.refusals.delete(refusalKeyOf(asked.part));
      allowCallKind(draft, asked.part);
    } else rememberRefusal(draft, { ...asked, at, failure: outcome.failure });
  }
}

/** A call of its kind was allowed: what was forbidden in the same run was forbidden for its own sake. */
export function recordAllowed(draft: StateDraft, intent: Intent): void {
  if (intent.kind === "add-members") return;
  for (const { part } of requestsOf(intent)) allowCallKind(draft, part);
}

/** These people are there: nobody asks for their creation any more. */
export function forgetCreations(draft: StateDraft, people: ReadonlySet<FoldedAddress>): void {
  forgetRefusals(draft, ({ part }) => (part.of === "creation" || part.of === "founding") && people.has(part.address));
}

/** The team is there: nobody asks for its founding any more. */
export function forgetFoundings(draft: StateDraft, team: TeamKey): void {
  forgetRefusals(draft, ({ part }) => part.of === "founding" && part.team === team);
}

/** Somebody else has the address now. */
export function forgetRefusalsOf(draft: StateDraft, address: FoldedAddress): void {
  forgetRefusals(draft, ({ part }) => (part.of === "roles" ? part.owner === address : part.address === address));
}

export function recordRefusalReview(draft: StateDraft, { over, seen }: RefusalsReviewed): void {
  for (const key of over) draft.refusals.delete(key);
  for (const { refusal: key, facts } of seen) {
    const refusal = draft.refusals.get(key);
    if (refusal !== undefined) draft.refusals.set(key, { ...refusal, request: { ...refusal.request, facts } });
  }
}

function forgetRefusals(draft: StateDraft, isMeant: (refusal: RecordedRefusal) => boolean): void {
  for (const [key, refusal] of draft.refusals) if (isMeant(refusal)) draft.refusals.delete(key);
}

function rememberRefusal(draft: StateDraft, refusal: RecordedRefusal): void {
  const { part, request, failure } = refusal;
  const kind = callKind(part);
  const permanence = isTooEarly(draft, refusal) ? "passing" : permanenceOf(failure, request);
  if (permanence === "permanent" || (permanence !== "passing" && draft.allowed.has(kind))) {
    draft.refusals.set(refusalKeyOf(part), refusal);
  } else if (permanence === "if-others-were-allowed") {
    draft.forbidden.set(kind, [...(draft.forbidden.get(kind) ?? []), refusal]);
  }
}

/** What we made within the consistency window may not be known everywhere yet, and be refused as not there or as a wrong request. */
function isTooEarly(draft: StateDraft, { part, failure, at }: RecordedRefusal): boolean {
  const { code, status } = failure;
  if (code !== "not-found" && !(code === "refused" && (status === 400 || status === 422))) return false;
  const window = consistencyWindow(undefined, draft.writes ?? unknownWriteBehaviour);
  return creationTimes(draft, part).some((made) => Date.parse(at) < Date.parse(made) + window);
}

/** When we made what the call is about: the person, the team, the key. ISO 8601. */
function creationTimes({ users, teams, memberships }: StateDraft, part: RefusedPart): readonly string[] {
  switch (part.of) {
    case "creation":
    case "founding":
      return [];
    case "addition": {
      const team = teams.get(part.team);
      return [users.get(part.address)?.createdAt, team?.founder === undefined ? undefined : team.at].flatMap(
        (at) => at ?? [],
      );
    }
    case "roles": {
      const { prefix, owner } = part;
      const places = [...memberships.values()].filter((one) => one.prefix === prefix && one.how !== "seen");
      const createdAt = owner === undefined ? undefined : users.get(owner)?.createdAt;
      return [...places.map(({ at }) => at), ...(createdAt === undefined ? [] : [createdAt])];
    }
  }
}

function allowCallKind(draft: StateDraft, part: RefusedPart): void {
  const kind = callKind(part);
  draft.allowed.add(kind);
  for (const refusal of draft.forbidden.get(kind) ?? []) draft.refusals.set(refusalKeyOf(refusal.part), refusal);
  draft.forbidden.delete(kind);
}

/** What a key in use is allowed as a whole or not at all. */
function callKind(part: RefusedPart): string {
  switch (part.of) {
    case "creation":
    case "founding":
      return `creations in ${part.account}`;
    case "addition":
      return `additions to ${part.team}`;
    case "roles":
      return "roles";
  }
}

/** What a call asks for; nothing where its plan did not digest it. */
function requestsOf(intent: Intent): readonly { readonly part: RefusedPart; readonly request: RequestDigest }[] {
  switch (intent.kind) {
    case "create-user":
      return intent.request === undefined ? [] : [{ part: creationPart(intent), request: intent.request }];
    case "add-members": {
      const { team, name, account, identifier, requests = [] } = intent;
      return requests.map(({ address, ...request }) => {
        return { part: { of: "addition", address, account, team, name, identifier }, request };
      });
    }
    case "replace-roles": {
      const { prefix, roles, owner, request } = intent;
      const part = { of: "roles", prefix, roles, ...(owner === undefined ? {} : { owner }) } as const;
      return request === undefined ? [] : [{ part, request }];
    }
  }
}

function creationPart({ address, email, account, founds }: CreationIntent): RefusedPart {
  if (founds === undefined) return { of: "creation", address, email, account };
  return { of: "founding", address, email, account, team: founds.team, name: founds.name };
}
