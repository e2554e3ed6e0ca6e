import { joinList, say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { multimap } from "../model/collections.ts";
import { distinctReasons, observedBasis, type Reason, reasonAt, userSubject } from "../model/fact.ts";
import { problem, type Result, success } from "../model/failure.ts";
import { type CreateUser, creationId, type PlanRefusal } from "../model/plan.ts";
import { membershipReasons } from "../model/team.ts";
import type { TeamKey } from "../model/values.ts";
import { creationRequest, firstMemberRoles, type SentRoles, teamCreationRequest } from "./actions.ts";
import type { FindingDraft } from "./context.ts";
import { type FirstMembers, matchFirstMembers, type TeamCreationPair } from "./first-members.ts";
import { type Identified, teamFinding } from "./identify-teams.ts";
import { type AbsentUser, recreationBases, type UserIdentities } from "./identify-users.ts";

/** Who is created by this plan, and which teams are created, after the selection had its say. */
export interface SelectedCreations {
  readonly creations: ReadonlySet<EmailKey>;
  readonly teamCreations: ReadonlyMap<TeamKey, TeamCreationPair>;
  readonly findings: readonly FindingDraft[];
}

interface MutableSelection {
  readonly creations: Set<EmailKey>;
  readonly teamCreations: Map<TeamKey, TeamCreationPair>;
}

/** Refuses a selection that would spend new people without whom fewer teams could be created later. */
export function selectCreations(
  identified: Identified,
  firstMembers: FirstMembers,
): Result<SelectedCreations, PlanRefusal> {
  const { roster, people, selection } = identified;
  const creatable = [...people.values()].flatMap(({ is, user: { address } }) =>
    is === "absent" && !firstMembers.reserved.has(address) ? [address] : [],
  );
  if (selection.everything) {
    const { teamCreations } = firstMembers;
    return success({ creations: new Set(creatable), teamCreations, findings: [] });
  }
  const choice = initialSelection(creatable, firstMembers, identified);
  const findings = dropWithoutAdmin(choice, people);
  const stranded = strandedTeams(choice, firstMembers);
  if (stranded.length === 0) return success({ ...choice, findings });
  const names = roster.teams.filter(({ key }) => stranded.includes(key)).map(({ name }) => name);
  return problem({
    code: "not-selected",
    message:
      `The selection creates the new users that ${joinList(names)} ${names.length === 1 ? "needs" : "need"} later: ` +
      "a new team needs one newly created user as its first member",
    hint: "Select the team together with its users, or exclude one of its new users as well.",
  });
}

function initialSelection(
  creatable: readonly EmailKey[],
  { teamCreations }: FirstMembers,
  { roster, selection }: Identified,
): MutableSelection {
  const pairs = [...teamCreations].filter(([team, { firstMember }]) => selection.keeps({ address: firstMember, team }));
  const chosen = new Set(pairs.map(([, { firstMember }]) => firstMember));
  const firstMemberOfAny = new Set([...teamCreations.values()].map(({ firstMember }) => firstMember));
  const throughTeams = new Set(
    roster.teams.flatMap(({ key: team, members }) =>
      members.map(({ address }) => address).filter((address) => selection.keeps({ address, team })),
    ),
  );
  const isWanted = (address: EmailKey) =>
    chosen.has(address) ||
    selection.keeps({ address }) ||
    (throughTeams.has(address) && !firstMemberOfAny.has(address) && !selection.excludes({ address }));
  return { creations: new Set(creatable.filter(isWanted)), teamCreations: new Map(pairs) };
}

/** A first member whose administrator is not created by this plan waits, and so do those who wait for that first member. */
function dropWithoutAdmin(choice: MutableSelection, people: UserIdentities): readonly FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (;;) {
    const lost = [...choice.teamCreations.values()].find(
      ({ admin }) => admin !== undefined && people.get(admin)?.is === "absent" && !choice.creations.has(admin),
    );
    if (lost === undefined) return findings;
    choice.teamCreations.delete(lost.team.key);
    choice.creations.delete(lost.firstMember);
    const admin = people.get(lost.admin ?? lost.firstMember)?.user.email ?? "";
    const texts = say("not-selected/team", { team: lost.team.name, email: admin });
    const concerns = [{ address: lost.firstMember, team: lost.team.key }];
    findings.push({ ...teamFinding(lost.team, texts), concerns });
  }
}

function strandedTeams({ creations, teamCreations }: MutableSelection, firstMembers: FirstMembers): readonly TeamKey[] {
  const later = [...firstMembers.all.candidates].filter(
    ([team]) => !teamCreations.has(team) && firstMembers.pairs.firstMemberOf.has(team),
  );
  const left = later.map(([team, candidates]) => [team, candidates.filter((one) => !creations.has(one))] as const);
  const { firstMemberOf } = matchFirstMembers({ candidates: new Map(left) }, () => undefined);
  return later.map(([team]) => team).filter((team) => !firstMemberOf.has(team));
}

/** One creation for each chosen person, with the team that it creates; and what each first member's key is created with. */
export function planCreations(identified: Identified, chosen: SelectedCreations) {
  const pairs = [...chosen.teamCreations.values()].map((pair) => {
    return { ...pair, sent: firstMemberRoles(pair.team, pair.firstMember, identified) };
  });
  const pairOf = new Map(pairs.map((pair) => [pair.firstMember, pair]));
  // A member's creation waits for that of the team, so that a first member who fails can be replaced.
  const needed = new Set(pairs.flatMap(({ firstMember, admin }) => [firstMember, admin]));
  const waitsFor = multimap(
    pairs.flatMap(({ team, firstMember }) => {
      const waiting = team.members.filter(({ address }) => !needed.has(address) && chosen.creations.has(address));
      return waiting.map(({ address }) => [address, creationId(firstMember)] as const);
    }),
  );
  return {
    actions: [...identified.people.values()].flatMap((person): readonly CreateUser[] => {
      if (person.is !== "absent" || !chosen.creations.has(person.user.address)) return [];
      const { user, absences } = person;
      const pair = pairOf.get(user.address);
      if (pair !== undefined) return [createUserWithTeam(person, pair, identified)];
      const again = recreationBases(user, identified);
      return [
        {
          ...creationOf(user),
          rule: again.length === 0 ? "absent-user" : "recreated-user",
          because: user.because,
          dependsOn: waitsFor.get(user.address) ?? [],
          restsOn: [...absences, ...again],
          request: creationRequest(user, identified),
        },
      ];
    }),
    sent: new Map(pairs.map(({ team, sent }) => [team.key, sent])),
    findings: pairs.flatMap(({ team, firstMember, sent: { temporaryRoles: roles } }) => {
      const texts = say("temporary-privilege", { team: team.name, email: firstMember, roles });
      return roles.length === 0 ? [] : [teamFinding(team, { ...texts, roles })];
    }),
  };
}

function createUserWithTeam(
  { user, absences }: AbsentUser,
  pair: TeamCreationPair & { readonly sent: SentRoles },
  identified: Identified,
): CreateUser {
  const { team, absence, admin } = pair;
  const { accessKeyRoles, temporaryRoles } = pair.sent;
  const person = admin === undefined ? undefined : identified.people.get(admin);
  const adminBasis =
    person?.is === "present" ? [observedBasis(userSubject(person.user.address), "present", person.observed.by)] : [];
  return {
    ...creationOf(user),
    rule: "creates-team",
    because: distinctReasons([...user.because.slice(0, 1), ...teamCreationReasons(pair), ...user.because]),
    dependsOn: person?.is === "absent" ? [creationId(person.user.address)] : [],
    restsOn: [...absences, ...recreationBases(user, identified), absence, ...adminBasis],
    createsTeam: { team: team.key, name: team.name, accessKeyRoles, temporaryRoles, admin },
    request: teamCreationRequest(user, team, identified),
  };
}

function creationOf({ address, account, previously, ...user }: AbsentUser["user"]) {
  const { email, firstName, lastName, title, externalIdentifier, source } = user;
  return {
    kind: "create-user",
    id: creationId(address),
    address,
    account,
    user: { email, firstName, lastName, title, externalIdentifier, source },
    formerly: previously.length === 0 ? undefined : previously.map(({ value }) => value),
  } as const;
}

/** The team, the place in it, and where the roster fixes who creates and who administers it. */
function teamCreationReasons({ team, firstMember }: TeamCreationPair): readonly Reason[] {
  const { because, admin, firstMember: named } = team;
  const member = team.members.find(({ address }) => address === firstMember);
  return [
    ...because.slice(0, 1),
    ...(named?.value === firstMember ? [reasonAt(named.place, "first-member", { name: firstMember })] : []),
    ...(admin === undefined ? [] : [reasonAt(admin.place, "admin", { name: admin.value })]),
    ...(member === undefined ? [] : membershipReasons(member)),
  ];
}
