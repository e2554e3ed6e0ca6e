import { type FindingTexts, say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { retryOf } from "../model/allowance.ts";
import { relevantUnreadFields, suggestedShapesYaml, unreadFieldNames } from "../model/capabilities.ts";
import { byCodeUnit } from "../model/collections.ts";
import { declared, distinctReasons, type Reason, reasonAt } from "../model/fact.ts";
import type { RecordedRefusal, TeamKey } from "../model/recorded.ts";
import { observedBasis, partOf, recordedBasis, teamSubject, unknownBasis, userSubject } from "../model/subject.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { competitors, type FirstMemberCandidates, type FirstMemberMatching } from "./first-member-matching.ts";
import { unknownFirstMemberRoles } from "./first-member-roles.ts";
import { likelyRename, type OrphanedTeam } from "./guards/renamed-team.ts";
import {
  type AbsentTeam,
  type TeamIdentities,
  teamFinding,
  type UnknownTeam,
  type UserIdentities,
} from "./identities.ts";
import { formatRefusal } from "./remembered-refusals.ts";
import { absentTeam } from "./teams.ts";

export type MissingTeam = AbsentTeam | UnknownTeam;

/** What is known of the new teams of a plan once first members are matched to them. */
export interface NewTeams {
  readonly teams: TeamIdentities;
  readonly people: UserIdentities;
  readonly context: PlanContext;
  readonly refused: ReadonlyMap<TeamKey, readonly RefusedFirstMember[]>;
  readonly all: FirstMemberCandidates;
  readonly pairs: FirstMemberMatching;
  /** Cycles of administrator needs that stood in the way. */
  readonly cycles: readonly (readonly TeamKey[])[];
  /** Teams that the roster does not name: one of its teams may be one of them under a new name. */
  readonly orphaned: () => readonly OrphanedTeam[];
}

/** A first member with whom the service would not create a team. */
export interface RefusedFirstMember {
  readonly firstMember: EmailKey;
  readonly refusal: RecordedRefusal;
}

/** A team that is not there and that this plan does not create. */
export interface Uncreatable {
  /** Undefined where a guard holds the team, and says so itself. */
  readonly finding?: FindingDraft;
  /** Where it is about to be created, or its first member is to come, nobody else is kept from being created for it. */
  readonly reserves: "first-member" | "members";
  /** A person of whom the finding says already that they are not created. */
  readonly named?: EmailKey;
}

/** An administrator who is there or can be created, or none at all. */
export function canHaveAdmin({ admin }: DesiredTeam, people: UserIdentities): boolean {
  return admin === undefined || (people.get(admin.value)?.is ?? "blocked") !== "blocked";
}

/** Why this plan does not create the team; undefined where it does. */
export function whyUncreatable(identity: MissingTeam, input: NewTeams): Uncreatable | undefined {
  const { team } = identity;
  const { people, context, pairs } = input;
  const later = notStarted(identity, input);
  if (later !== undefined) return later;
  if (identity.is === "unknown") return unproven(identity, context);
  const admin = team.admin?.value;
  if (admin !== undefined && !canHaveAdmin(team, people)) {
    const texts = say("cannot-create-team/no-admin", { team: team.name, email: emailOf(admin, people) });
    return { reserves: "members", finding: cannotCreate(identity, texts) };
  }
  const firstMember = pairs.firstMemberOf.get(team.key);
  if (firstMember === undefined) return withoutFirstMember(identity, input);
  const roles = unknownFirstMemberRoles(team, firstMember, context);
  if (roles.length > 0) {
    // The finding about an unknown role has the nearest name.
    const parts = { team: team.name, roles, email: emailOf(firstMember, people) };
    const because = team.members.find(({ address }) => address === firstMember)?.because ?? [];
    return {
      reserves: "first-member",
      finding: cannotCreate(identity, { ...say("cannot-create-team/unknown-roles", parts), because }),
    };
  }
  if (context.held.teams.has(team.key)) return { reserves: "first-member" };
  if (context.held.people.has(firstMember)) return needsHeld(identity, firstMember, "first member", input);
  if (admin !== undefined && context.held.people.has(admin)) return needsHeld(identity, admin, "administrator", input);
  return undefined;
}

/** Of a finding about such a team, what differs; reasons and facts come after those of the team. */
interface CannotCreate extends Omit<FindingDraft, "subject" | "because" | "concerns"> {
  readonly because?: readonly Reason[];
}

function cannotCreate(identity: MissingTeam, about: CannotCreate): FindingDraft {
  const { because = [], restsOn = [], ...said } = about;
  const absence = identity.is === "absent" ? [identity.absence] : [];
  return {
    ...teamFinding(identity.team, { ...said, restsOn: [...absence, ...restsOn] }),
    because: distinctReasons([...identity.team.because.slice(0, 1), ...because]),
  };
}

/** A team of which nobody has started waits; one that has members needs somebody else. */
function notStarted(identity: MissingTeam, { people, context }: NewTeams): Uncreatable | undefined {
  const { name, members, admin, firstMember, upcoming } = identity.team;
  const [next] = [...(upcoming ?? [])].sort(([, a], [, b]) => byCodeUnit(a.value, b.value));
  const startOf = (person: EmailKey | undefined) => (person === undefined ? undefined : people.get(person)?.user.from);
  const needed =
    members.length === 0 && next !== undefined
      ? ({ as: "member", person: next[0], from: next[1] } as const)
      : [
          { as: "admin", person: admin?.value, from: startOf(admin?.value) } as const,
          { as: "firstMember", person: firstMember?.value, from: startOf(firstMember?.value) } as const,
        ].find(({ from }) => from !== undefined);
  if (needed?.person === undefined || needed.from === undefined) return undefined;
  const { as, person, from } = needed;
  const parts = { team: name, email: emailOf(person, people), from: from.value };
  const rest: Pick<CannotCreate, "because" | "restsOn"> = {
    because: [reasonAt(from.place, "from", { name: from.value })],
    restsOn: [
      { about: partOf("from", userSubject(person)), fact: declared(from.value, from.place) },
      observedBasis({ kind: "other", name: "today" }, context.policy.today, "clock"),
    ],
  };
  if (as === "member") {
    const finding = cannotCreate(identity, { ...say("date-ahead/team-starts", parts), aspect: "from", ...rest });
    return { reserves: "members", finding };
  }
  const named = { ...parts, as: as === "admin" ? as : "first member", field: as };
  return {
    reserves: as === "firstMember" ? "first-member" : "members",
    finding: cannotCreate(identity, { ...say("cannot-create-team/starts", named), ...rest }),
  };
}

function unproven(identity: UnknownTeam, { snapshot }: PlanContext): Uncreatable {
  const { team, code, why } = identity;
  const names = { team: team.name, why };
  const finding = (texts: FindingTexts, more: Partial<CannotCreate> = {}): Uncreatable => {
    const restsOn = [unknownBasis(teamSubject(team.key), why)];
    return { reserves: "members", finding: cannotCreate(identity, { ...texts, restsOn, ...more }) };
  };
  switch (code) {
    case "team-identifier-unknown":
      return finding(say("team-identifier-unknown/former-name", names));
    case "incomplete-read":
      return finding(say("incomplete-read/team", names));
    case "unproven-absence": {
      const unread = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities).filter(
        ({ like }) => like !== "roles",
      );
      const texts = say("unproven-absence/team", { ...names, fields: unreadFieldNames(unread) });
      const suggestedYaml = unread.length === 0 ? undefined : suggestedShapesYaml(unread);
      return finding(texts, { allow: [absentTeam(team)], suggestedYaml });
    }
  }
}

function needsHeld(identity: MissingTeam, person: EmailKey, as: string, { people }: NewTeams): Uncreatable {
  const parts = { team: identity.team.name, email: emailOf(person, people), as };
  const because = people.get(person)?.user.because.slice(0, 1) ?? [];
  return {
    reserves: "first-member",
    named: person,
    finding: cannotCreate(identity, { ...say("cannot-create-team/held", parts), because }),
  };
}

export function adminReserved(
  identity: MissingTeam,
  admin: EmailKey,
  reservedFor: TeamKey,
  input: NewTeams,
): Uncreatable {
  const parts = { team: identity.team.name, email: emailOf(admin, input.people) };
  const other = input.teams.get(reservedFor)?.team.name ?? reservedFor;
  const texts = say("cannot-create-team/admin-reserved", { ...parts, other });
  return { reserves: "members", finding: cannotCreate(identity, texts) };
}

/** The service refused everybody, there are too few for all teams, or they wait for each other. */
function withoutFirstMember(identity: MissingTeam, input: NewTeams): Uncreatable {
  const { team } = identity;
  const { people, refused, all, pairs, cycles } = input;
  const refusedHere = refused.get(team.key) ?? [];
  if (refusedHere.length > 0) return { reserves: "members", finding: refusedByService(identity, refusedHere, input) };
  const names = { team: team.name, account: team.account };
  const rivals = competitors(all, pairs, team.key);
  if (rivals.people.length < rivals.teams.length) {
    const { firstMember } = team;
    const texts =
      rivals.people.length > 0
        ? say("cannot-create-team/too-few", {
            ...names,
            count: rivals.teams.length,
            teams: teamNames(rivals.teams, input),
            people: rivals.people.length,
            emails: userEmails(rivals.people, people),
          })
        : firstMember === undefined
          ? say("cannot-create-team/none-left", names)
          : say("cannot-create-team/wrong-first-member", { ...names, email: emailOf(firstMember.value, people) });
    return needsNewMember(identity, texts, rosterReasons(rivals.teams, rivals.people, input), input);
  }
  const own = cycles.filter((cycle) => cycle.includes(team.key));
  const cycle = [...new Set((own.length > 0 ? own : cycles).flat())];
  const texts = say("cannot-create-team/cycle", { ...names, teams: teamNames(cycle, input) });
  return needsNewMember(identity, texts, rosterReasons(cycle, [], input), input);
}

function refusedByService(
  identity: MissingTeam,
  refused: readonly RefusedFirstMember[],
  input: NewTeams,
): FindingDraft {
  const about = partOf("team-creation", teamSubject(identity.team.key));
  return cannotCreate(identity, {
    ...say("refused/team", { refusals: refused.map(({ refusal }) => formatRefusal(refusal)).join(" ") }),
    restsOn: refused.map(({ refusal }) => recordedBasis(about, "refused", refusal.at)),
    because: rosterReasons(
      [],
      refused.map(({ firstMember }) => firstMember),
      input,
    ),
    allow: refused.slice(0, 1).map(({ refusal }) => retryOf(refusal)),
  });
}

/** A team that is perhaps there under another name is first of all to be called by it: made by hand it would be there twice. */
function needsNewMember(
  identity: MissingTeam,
  texts: FindingTexts,
  because: readonly Reason[],
  { context, orphaned }: NewTeams,
): Uncreatable {
  const { team } = identity;
  const rename = likelyRename(team, orphaned(), context.roster);
  const advice =
    rename === undefined ? texts : say("cannot-create-team/renamed", { ...rename.names, otherwise: texts.message });
  const finding = cannotCreate(identity, { ...advice, because, restsOn: rename?.restsOn ?? [] });
  return { reserves: "members", finding };
}

function rosterReasons(teams: readonly TeamKey[], people: readonly EmailKey[], input: NewTeams): readonly Reason[] {
  return [
    ...teams.flatMap((key) => input.teams.get(key)?.team.because.slice(0, 1) ?? []),
    ...people.flatMap((address) => input.people.get(address)?.user.because.slice(0, 1) ?? []),
  ];
}

function teamNames(keys: readonly TeamKey[], { teams }: NewTeams): readonly string[] {
  return keys.map((key) => teams.get(key)?.team.name ?? key);
}

export function userEmails(addresses: readonly EmailKey[], people: UserIdentities): readonly string[] {
  return addresses.map((address) => emailOf(address, people));
}

function emailOf(address: EmailKey, people: UserIdentities): string {
  return people.get(address)?.user.email ?? address;
}
