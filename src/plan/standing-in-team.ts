import { type Basis, declared, type Fact, recorded } from "../model/fact.ts";
import { membershipKeyOf } from "../model/names.ts";
import type { RosterMember } from "../model/roster.ts";
import type { OpenIntent, RecordedMembership } from "../model/state.ts";
import type { Present } from "./person.ts";
import type { Question } from "./question.ts";
import { type KnownKey, keyWithPrefix, knownKey, showsTeam } from "./shown-keys.ts";
import { memberSubject, remembered, seen } from "./subjects.ts";
import type { TeamIdentity } from "./team-identity.ts";

/** What a person's place in a team is found to be, before anything is planned about it. */
export type Standing =
  /** Without a key, its prefix is not known, and the rest is what the membership rests on. */
  | { readonly is: "member"; readonly key: KnownKey }
  | { readonly is: "member"; readonly key?: undefined; readonly basis: Basis }
  | { readonly is: "absent"; readonly basis: Basis }
  /** The state knows a membership that the service no longer shows. */
  | { readonly is: "removed"; readonly record: RecordedMembership }
  /** An addition was announced and its outcome never learned. */
  | { readonly is: "in-doubt"; readonly open: OpenIntent }
  | { readonly is: "unknown"; readonly why: string };

/** A person who is there, as a member of a team that is there. */
export function standingInTeam(
  person: Present,
  member: RosterMember,
  identity: TeamIdentity,
  question: Question,
): Standing {
  const record = recordedMembership(person, identity, question);
  const learned = learnedPrefix(person, member, identity, record);
  const shown = shownStanding(person, identity, learned);
  if (shown.is === "member") return shown;
  const open = additionInDoubt(member, identity, question);
  if (open !== undefined) {
    return (shown.is === "unknown" ? declaredStanding(person, member) : undefined) ?? { is: "in-doubt", open };
  }
  if (shown.is === "absent") return record === undefined ? shown : { is: "removed", record };
  return unshownStanding({ person, identity, record, learned, why: shown.why });
}

function shownStanding(
  { observed, user }: Present,
  identity: TeamIdentity,
  learned: Fact<string> | undefined,
): Extract<Standing, { is: "member" | "absent" | "unknown" }> {
  const { keys } = observed;
  if (keys === undefined) return { is: "unknown", why: "the service does not show the keys of users" };
  const own = keys.find((key) => showsTeam(key, identity) === "yes");
  if (own !== undefined) return { is: "member", key: knownKey(own, observed) };
  const unclear = keys.filter((key) => showsTeam(key, identity) === "unknown");
  const known = learned === undefined || learned.known === "unknown" ? undefined : learned;
  const learnedKey = unclear.find(({ prefix }) => prefix === known?.value);
  if (learnedKey !== undefined) return { is: "member", key: knownKey(learnedKey, observed) };
  if (unclear.length > 0 && known?.known !== "recorded") {
    return { is: "unknown", why: "the service shows keys without saying to which team they belong" };
  }
  return { is: "absent", basis: seen(memberSubject(user.address, identity.team.key), "no member", observed.by) };
}

/** Whoever writes the prefix of a team key into the roster says that its holder is in the team. */
function declaredStanding({ observed }: Present, { key }: RosterMember): Standing | undefined {
  if (key === undefined) return undefined;
  return { is: "member", key: keyWithPrefix(key.value, declared(key.value, key.place), observed) };
}

interface Unshown {
  readonly person: Present;
  readonly identity: TeamIdentity;
  readonly record: RecordedMembership | undefined;
  readonly learned: Fact<string> | undefined;
  readonly why: string;
}

function unshownStanding({ person, identity, record, learned, why }: Unshown): Standing {
  const subject = memberSubject(person.user.address, identity.team.key);
  const known = learned === undefined || learned.known === "unknown" ? undefined : learned;
  if (known !== undefined && (record !== undefined || person.observed.keys === undefined)) {
    return { is: "member", key: keyWithPrefix(known.value, known, person.observed) };
  }
  if (record !== undefined) return { is: "member", basis: remembered(subject, record.how, record.at) };
  const createdAt = person.record?.createdAt;
  if (createdAt !== undefined)
    return { is: "absent", basis: remembered(subject, "created and not added since", createdAt) };
  return { is: "unknown", why };
}

/** The prefix of the team key as our records have it, else as the roster gives it. */
function learnedPrefix(
  person: Present,
  member: RosterMember,
  identity: TeamIdentity,
  record: RecordedMembership | undefined,
): Fact<string> | undefined {
  if (record?.prefix !== undefined) return recorded(record.prefix, record.at);
  const { founded, key, createdAt } = person.record ?? {};
  if (founded !== undefined && identity.recordKeys.includes(founded) && key !== undefined && createdAt !== undefined) {
    return recorded(key, createdAt);
  }
  return member.key === undefined ? undefined : declared(member.key.value, member.key.place);
}

/** Whoever founded the team is a member of it, whatever else was recorded. */
function recordedMembership(
  person: Present,
  { team, recordKeys }: TeamIdentity,
  { state }: Question,
): RecordedMembership | undefined {
  const { address } = person.user;
  const isOfAnother = person.record === undefined && state.users.has(address);
  if (isOfAnother) return undefined;
  for (const key of recordKeys) {
    const record = state.memberships.get(membershipKeyOf(key, address));
    if (record !== undefined) return record;
  }
  const { founded, createdAt } = person.record ?? {};
  if (founded === undefined || createdAt === undefined || !recordKeys.includes(founded)) return undefined;
  return { team: team.key, address, how: "founded", at: createdAt };
}

function additionInDoubt(
  { address }: RosterMember,
  identity: TeamIdentity,
  { state }: Question,
): OpenIntent | undefined {
  return state.open.find(
    ({ intent }) =>
      intent.kind === "add-members" &&
      intent.addresses.includes(address) &&
      (identity.recordKeys.includes(intent.team) ||
        (identity.is === "known" && identity.identifier === intent.identifier)),
  );
}
