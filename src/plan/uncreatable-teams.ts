import type { EmailKey } from "../model/address.ts";
import { retryOf } from "../model/allowance.ts";
import { relevantUnreadFields, suggestedShapesYaml, unreadFieldNames } from "../model/capabilities.ts";
import { byCodeUnit } from "../model/collections.ts";
import { declared, distinctReasons, type Reason, reasonAt } from "../model/fact.ts";
import type { RecordedRefusal, TeamKey } from "../model/recorded.ts";
import {
  type Basis,
  observedBasis,
  partOf,
  recordedBasis,
  teamSubject,
  unknownBasis,
  userSubject,
} from "../model/subject.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { PlanContext } from "./context.ts";
import { type FindingDraft, joinList, yamlScalar } from "./finding-draft.ts";
import { competitors, type FirstMemberCandidates, type FirstMemberMatching } from "./first-member-matching.ts";
import { unknownFirstMemberRoles } from "./first-member-roles.ts";
import { type OrphanedTeam, renameAdvice } from "./guards/renamed-team.ts";
import {
  type AbsentTeam,
  type TeamIdentities,
  teamFinding,
  type UnknownTeam,
  type UserIdentities,
} from "./identities.ts";
import { formatRefusal, formatRefusalRemedies } from "./remembered-refusals.ts";
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
  if (admin !== undefined && !canHaveAdmin(team, people))
    return withoutAdmin(identity, admin, "does not exist, and this plan cannot create them", input);
  const firstMember = pairs.firstMemberOf.get(team.key);
  if (firstMember === undefined) return withoutFirstMember(identity, input);
  const roles = unknownFirstMemberRoles(team, firstMember, context);
  if (roles.length > 0) {
    // The finding about an unknown role has the nearest name.
    const message =
      `roster cannot create ${team.name}: the service does not know ${joinList(roles)}, which the roster gives to its first member ` +
      `${userEmails([firstMember], people)}. Correct the roles.`;
    const because = team.members.find(({ address }) => address === firstMember)?.because ?? [];
    return { reserves: "first-member", finding: cannotCreate(identity, { message, because }) };
  }
  if (context.held.teams.has(team.key)) return { reserves: "first-member" };
  if (context.held.people.has(firstMember)) return needsHeld(identity, firstMember, "first member", input);
  if (admin !== undefined && context.held.people.has(admin)) return needsHeld(identity, admin, "administrator", input);
  return undefined;
}

/** Of a finding about such a team, what differs; reasons and facts come after those of the team. */
interface CannotCreate extends Pick<FindingDraft, "message" | "aspect" | "suggestedYaml" | "allow"> {
  readonly code?: FindingDraft["code"];
  readonly because?: readonly Reason[];
  readonly restsOn?: readonly Basis[];
}

function cannotCreate(identity: MissingTeam, about: CannotCreate): FindingDraft {
  const { code = "cannot-create-team", because = [], restsOn = [], ...said } = about;
  const absence = identity.is === "absent" ? [identity.absence] : [];
  return {
    ...teamFinding(identity.team, { code, ...said, restsOn: [...absence, ...restsOn] }),
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
  const who = userEmails([person], people);
  const rest: Pick<CannotCreate, "because" | "restsOn"> = {
    because: [reasonAt(from.place, "from", { name: from.value })],
    restsOn: [
      { about: partOf("from", userSubject(person)), fact: declared(from.value, from.place) },
      observedBasis({ kind: "other", name: "today" }, context.policy.today, "clock"),
    ],
  };
  if (as === "member") {
    const message = `roster creates ${name} later: its first member ${who} starts on ${from.value}.`;
    return {
      reserves: "members",
      finding: cannotCreate(identity, { code: "date-ahead", aspect: "from", message, ...rest }),
    };
  }
  const message =
    `roster cannot create ${name} yet: its ${as === "admin" ? as : "first member"} ${who} starts on ${from.value}. ` +
    `Wait until then, change \`from\`, or name another \`${as}\`.`;
  return {
    reserves: as === "firstMember" ? "first-member" : "members",
    finding: cannotCreate(identity, { message, ...rest }),
  };
}

function unproven(identity: UnknownTeam, { snapshot }: PlanContext): Uncreatable {
  const { team, code, why } = identity;
  const finding = (message: string, more: Partial<CannotCreate> = {}): Uncreatable => {
    const restsOn = [unknownBasis(teamSubject(team.key), why)];
    return { reserves: "members", finding: cannotCreate(identity, { code, message, restsOn, ...more }) };
  };
  const cannotProve = `roster cannot prove that the team ${team.name} is absent: ${why}.`;
  switch (code) {
    case "team-identifier-unknown":
      return finding(
        `roster cannot know which team ${team.name} is: ${why}. roster changes neither team. Write the \`identifier\` of one of them into the roster.`,
      );
    case "incomplete-read":
      return finding(`${cannotProve} roster creates no team from an incomplete list. Plan again.`);
    case "unproven-absence": {
      const allow: CannotCreate["allow"] = [absentTeam(team)];
      const message = `${cannotProve} If the team exists, write its \`identifier\` into the roster. If you know that it does not, allow roster to create it.`;
      const unread = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities).filter(
        ({ like }) => like !== "roles",
      );
      if (unread.length === 0) return finding(message, { allow });
      const fields = `roster does not read these fields of users and keys: ${joinList(unreadFieldNames(unread))}. If they show teams, add these lines to the settings (in CI: outside the checkout).`;
      return finding(`${message} ${fields}`, { allow, suggestedYaml: suggestedShapesYaml(unread) });
    }
  }
}

function needsHeld(identity: MissingTeam, person: EmailKey, as: string, { people }: NewTeams): Uncreatable {
  const message =
    `This plan does not create ${identity.team.name}. It needs ${userEmails([person], people)} as its ${as}, and a guard holds that user. ` +
    `Resolve the finding about the user, or name another ${as}.`;
  const because = people.get(person)?.user.because.slice(0, 1) ?? [];
  return { reserves: "first-member", named: person, finding: cannotCreate(identity, { message, because }) };
}

export function adminReserved(
  identity: MissingTeam,
  admin: EmailKey,
  reservedFor: TeamKey,
  input: NewTeams,
): Uncreatable {
  const why = `is reserved as the first member of ${teamNames([reservedFor], input)}, so this plan does not create them`;
  return withoutAdmin(identity, admin, why, input);
}

function withoutAdmin(identity: MissingTeam, admin: EmailKey, why: string, { people }: NewTeams): Uncreatable {
  const message =
    `roster cannot create ${identity.team.name}: its admin ${userEmails([admin], people)} ${why}. ` +
    "Resolve the finding about that user, or name another `admin`.";
  return { reserves: "members", finding: cannotCreate(identity, { message }) };
}

/** The service refused everybody, there are too few for all teams, or they wait for each other. */
function withoutFirstMember(identity: MissingTeam, input: NewTeams): Uncreatable {
  const { team } = identity;
  const { people, refused, all, pairs, cycles } = input;
  const refusedHere = refused.get(team.key) ?? [];
  if (refusedHere.length > 0) return { reserves: "members", finding: refusedByService(identity, refusedHere, input) };
  const rivals = competitors(all, pairs, team.key);
  if (rivals.people.length < rivals.teams.length) {
    const shortage =
      rivals.people.length > 0
        ? `${rivals.teams.length} teams (${teamNames(rivals.teams, input)}) have only ${rivals.people.length} such ${rivals.people.length === 1 ? "user" : "users"}: ${userEmails(rivals.people, people)}.`
        : team.firstMember === undefined
          ? "The team has no such member left."
          : `The \`firstMember\` in the roster, ${userEmails([team.firstMember.value], people)}, is not such a user.`;
    const message =
      `roster cannot create ${team.name}: a new team needs one newly created user of its account as its first member. ` +
      `That user must have no \`ownKeyRoles\`. ${shortage} Either ${byHandOrNewFirstMember}`;
    return needsNewMember(identity, message, rosterReasons(rivals.teams, rivals.people, input), input);
  }
  const own = cycles.filter((cycle) => cycle.includes(team.key));
  const cycle = [...new Set((own.length > 0 ? own : cycles).flat())];
  const message =
    `roster cannot create ${team.name}: the first members of ${teamNames(cycle, input)} need each other as admins first. ` +
    `Remove one \`firstMember\` line, so that the admin of that team can be its first member. Or ${byHandOrNewFirstMember}`;
  return needsNewMember(identity, message, rosterReasons(cycle, [], input), input);
}

const byHandOrNewFirstMember =
  "create the team in the service and write its `identifier`, or add a new user as its first member.";

function refusedByService(
  identity: MissingTeam,
  refused: readonly RefusedFirstMember[],
  input: NewTeams,
): FindingDraft {
  const about = partOf("team-creation", teamSubject(identity.team.key));
  return cannotCreate(identity, {
    code: "refused",
    message:
      `${refused.map(({ refusal }) => formatRefusal(refusal)).join(" ")} One request creates both, so the team or the user can be the cause. No other new member is free to try. ` +
      formatRefusalRemedies(
        "correct the team or its first member in the roster, or add another new member to the team",
      ),
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
  message: string,
  because: readonly Reason[],
  { context, orphaned }: NewTeams,
): Uncreatable {
  const { team } = identity;
  const rename = renameAdvice(team, orphaned(), context.roster);
  const advice =
    rename === undefined
      ? { message, suggestedYaml: newFirstMemberYaml(team) }
      : {
          message: `${team.name} may exist under another name: ${rename.message} If it is new: ${message}`,
          suggestedYaml: rename.suggestedYaml,
        };
  const restsOn = rename?.restsOn ?? [];
  return { reserves: "members", finding: cannotCreate(identity, { ...advice, because, restsOn }) };
}

function newFirstMemberYaml(team: DesiredTeam): string {
  return [
    `account: ${yamlScalar(team.account)}`,
    "users:",
    "  - { email: NEW@EXAMPLE.ORG, firstName: FIRST, lastName: LAST }",
    "teams:",
    `  - name: ${yamlScalar(team.name)}`,
    "    firstMember: NEW@EXAMPLE.ORG",
    "    members:",
    "      - { user: NEW@EXAMPLE.ORG }",
    "",
  ].join("\n");
}

function rosterReasons(teams: readonly TeamKey[], people: readonly EmailKey[], input: NewTeams): readonly Reason[] {
  return [
    ...teams.flatMap((key) => input.teams.get(key)?.team.because.slice(0, 1) ?? []),
    ...people.flatMap((address) => input.people.get(address)?.user.because.slice(0, 1) ?? []),
  ];
}

function teamNames(keys: readonly TeamKey[], { teams }: NewTeams): string {
  return joinList(keys.map((key) => teams.get(key)?.team.name ?? key));
}

export function userEmails(addresses: readonly EmailKey[], people: UserIdentities): string {
  return joinList(addresses.map((address) => people.get(address)?.user.email ?? address));
}
