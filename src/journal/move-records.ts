import type { FoldedAddress } from "../model/address.ts";
import type { Intent, RecordsMoved } from "../model/event.ts";
import { type RecordedRefusal, type RefusedPart, refusalKeyOf } from "../model/refusal.ts";
import type { OpenIntent, RecordedMembership, RecordedUser } from "../model/state.ts";
import { membershipKeyOf, type TeamKey } from "../model/team.ts";
import type { StateDraft } from "./state-draft.ts";

/** Writes down under an address or a name of today what was recorded under a former one. Nothing of either gets lost. */
export function moveRecords(draft: StateDraft, { people, teams }: RecordsMoved): void {
  for (const person of people) movePerson(draft, person);
  for (const team of teams) moveTeam(draft, team);
}

type MovedPerson = RecordsMoved["people"][number];
type MovedTeam = RecordsMoved["teams"][number];

function movePerson(draft: StateDraft, moved: MovedPerson): void {
  const { from, to } = moved;
  const former = draft.users.get(from);
  draft.users.delete(from);
  if (former !== undefined) draft.users.set(to, mergeUserRecords(former, draft.users.get(to), moved));
  moveMemberships(draft, (held) => (held.address === from ? { ...held, address: to } : held));
  for (const [key, team] of draft.teams) if (team.founder === from) draft.teams.set(key, { ...team, founder: to });
  moveOpen(draft, (intent) => intentWithPerson(intent, moved));
  moveRefusals(draft, (part) => {
    if (part.of === "roles") return part.owner === from ? { ...part, owner: to } : part;
    // What was asked for named the former address: it is another request now.
    return part.address === from ? undefined : part;
  });
}

/** What a creation of ours left is kept together: a key is known as the one of the team that it founded. */
function mergeUserRecords(
  former: RecordedUser,
  known: RecordedUser | undefined,
  { to, email }: MovedPerson,
): RecordedUser {
  if (known === undefined) return { ...former, address: to, email };
  const [made, met] = known.createdAt === undefined ? [former, known] : [known, former];
  const seenAt = met.seenAt ?? made.seenAt;
  const identifier = known.identifier ?? former.identifier;
  const key = made.key ?? (made.founded === undefined ? met.key : undefined);
  return {
    ...made,
    address: to,
    email,
    account: known.account,
    ...(identifier === undefined ? {} : { identifier }),
    ...(seenAt === undefined ? {} : { seenAt }),
    ...(key === undefined ? {} : { key }),
  };
}

function moveTeam(draft: StateDraft, { from, to, name }: MovedTeam): void {
  const former = draft.teams.get(from);
  draft.teams.delete(from);
  if (former !== undefined) draft.teams.set(to, { ...former, ...draft.teams.get(to), team: to, name });
  moveMemberships(draft, (held) => (held.team === from ? { ...held, team: to } : held));
  for (const [address, user] of draft.users) {
    if (user.founded === from) draft.users.set(address, { ...user, founded: to });
  }
  moveOpen(draft, (intent) => intentWithTeam(intent, from, to));
  moveRefusals(draft, (part) => {
    if (part.of !== "founding" && part.of !== "addition") return part;
    return part.team === from ? { ...part, team: to, name } : part;
  });
}

function moveMemberships(draft: StateDraft, move: (held: RecordedMembership) => RecordedMembership): void {
  for (const [key, held] of [...draft.memberships]) {
    const moved = move(held);
    if (moved === held) continue;
    draft.memberships.delete(key);
    const place = membershipKeyOf(moved.team, moved.address);
    draft.memberships.set(place, mergeMembershipRecords(moved, draft.memberships.get(place)));
  }
}

/** Of two records of one place the one that tells of a mail counts, the later of both; a prefix of either is kept. */
function mergeMembershipRecords(moved: RecordedMembership, known: RecordedMembership | undefined): RecordedMembership {
  if (known === undefined) return moved;
  const isLater = known.how !== "seen" && (moved.how === "seen" || known.at >= moved.at);
  const prefix = known.prefix ?? moved.prefix;
  return { ...(isLater ? known : moved), ...(prefix === undefined ? {} : { prefix }) };
}

function moveOpen(draft: StateDraft, move: (intent: Intent) => Intent): void {
  for (const [key, open] of draft.open) {
    const intent = move(open.intent);
    const moved: OpenIntent = { ...open, intent };
    if (intent !== open.intent) draft.open.set(key, moved);
  }
}

/** The call was sent with the former address; who it was about is known by the one of today. */
function intentWithPerson(intent: Intent, { from, to, email }: MovedPerson): Intent {
  const now = (address: FoldedAddress) => (address === from ? to : address);
  switch (intent.kind) {
    case "create-user":
      return intent.address === from ? { ...intent, address: to, email } : intent;
    case "add-members": {
      if (!intent.addresses.includes(from)) return intent;
      const requests = intent.requests?.map((request) => ({ ...request, address: now(request.address) }));
      return { ...intent, addresses: intent.addresses.map(now), ...(requests === undefined ? {} : { requests }) };
    }
    case "replace-roles":
      return intent.owner === from ? { ...intent, owner: to } : intent;
  }
}

/** The call was sent with the former name, by which the service may still know the team. */
function intentWithTeam(intent: Intent, from: TeamKey, to: TeamKey): Intent {
  switch (intent.kind) {
    case "create-user":
      return intent.founds?.team === from ? { ...intent, founds: { ...intent.founds, team: to } } : intent;
    case "add-members":
      return intent.team === from ? { ...intent, team: to } : intent;
    case "replace-roles":
      return intent;
  }
}

function moveRefusals(draft: StateDraft, move: (part: RefusedPart) => RefusedPart | undefined): void {
  for (const [key, refusal] of [...draft.refusals]) {
    const part = move(refusal.part);
    if (part === refusal.part) continue;
    draft.refusals.delete(key);
    const moved: RecordedRefusal | undefined = part && { ...refusal, part };
    if (moved !== undefined) draft.refusals.set(refusalKeyOf(moved.part), moved);
  }
}
