import { joinList, say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { multimap } from "../model/collections.ts";
import { distinctReasons, type Reason, reasonAt, userSubject } from "../model/fact.ts";
import { type ActionId, type CreateUser, creationId } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { membershipReasons } from "../model/team.ts";
import type { TeamKey } from "../model/values.ts";
import { creationRequest, firstMemberRoles, type SentRoles, teamCreationRequest } from "./actions.ts";
import type { FindingDraft } from "./context.ts";
import { type FirstMembers, matchFirstMembers, type TeamCreationPair } from "./first-members.ts";
import type { PlanRefusal } from "./guards/run-guards.ts";
import { type Identified, teamFinding } from "./identify-teams.ts";
import { type AbsentUser, recreationBases, type UserIdentities } from "./identify-users.ts";
import { observedBasis } from "./snapshot-index.ts";

/** Who is created by this plan, and which teams are created, after the selection had its say. */
export interface SelectedCreations {
  readonly creations: ReadonlySet<EmailKey>;
  readonly teamCreations: ReadonlyMap<TeamKey, TeamCreationPair>;
  readonly findings: readonly FindingDraft[];
}

/** Refuses a selection that would spend new people without whom fewer teams could be created later. */
export function selectCreations(
  { roster, people, selection }: Identified,
  { reserved, all, pairs, ...firstMembers }: FirstMembers,
): Result<SelectedCreations, PlanRefusal> {
  const creatable = [...people.values()].flatMap(({ is, user: { address } }) =>
    is === "absent" && !reserved.has(address) ? [address] : [],
  );
  if (selection.everything)
    return success({ creations: new Set(creatable), teamCreations: firstMembers.teamCreations, findings: [] });
  const possible = [...firstMembers.teamCreations];
  const firstMemberOfAny = new Set(possible.map(([, { firstMember }]) => firstMember));
  const teamCreations = new Map(
    possible.filter(([team, { firstMember }]) => selection.keeps({ address: firstMember, team })),
  );
  const chosen = new Set([...teamCreations.values()].map(({ firstMember }) => firstMember));
  const throughTeams = new Set(
    roster.teams.flatMap(({ key: team, members }) =>
      members.map(({ address }) => address).filter((address) => selection.keeps({ address, team })),
    ),
  );
  const isWanted = (address: EmailKey) =>
    chosen.has(address) ||
    selection.keeps({ address }) ||
    (throughTeams.has(address) && !firstMemberOfAny.has(address) && !selection.excludes({ address }));
  const creations = new Set(creatable.filter(isWanted));
  const findings = dropWithoutAdmin(creations, teamCreations, people);
  // Each team that could be created later must have somebody left who can create it.
  const later = [...all.candidates].filter(([team]) => !teamCreations.has(team) && pairs.firstMemberOf.has(team));
  const left = later.map(([team, candidates]) => [team, candidates.filter((one) => !creations.has(one))] as const);
  const { firstMemberOf } = matchFirstMembers({ candidates: new Map(left) }, () => undefined);
  const stranded = new Set(later.map(([team]) => team).filter((team) => !firstMemberOf.has(team)));
  if (stranded.size === 0) return success({ creations, teamCreations, findings });
  const names = roster.teams.filter(({ key }) => stranded.has(key)).map(({ name }) => name);
  const spared = [...stranded].flatMap((team) => pairs.firstMemberOf.get(team) ?? []);
  const flags = spared.map((address) => `--exclude user:${people.get(address)?.user.email ?? address}`).join(" ");
  const which = stranded.size === 1 ? "the team" : "the teams";
  return problem({
    code: "not-selected",
    message: `this selection creates all new users of ${joinList(names)}, but not the team. A new team needs a new user, so roster could not create it later`,
    hint: `Do not exclude ${which}. Or leave a new user for later too, who then creates ${which}: pass \`${flags}\`.`,
  });
}

/** A first member whose administrator is not created by this plan waits, and so do those who wait for that first member. */
function dropWithoutAdmin(
  creations: Set<EmailKey>,
  teamCreations: Map<TeamKey, TeamCreationPair>,
  people: UserIdentities,
): readonly FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (;;) {
    const lost = [...teamCreations.values()].find(
      ({ admin }) => admin !== undefined && people.get(admin)?.is === "absent" && !creations.has(admin),
    );
    if (lost === undefined) return findings;
    teamCreations.delete(lost.team.key);
    creations.delete(lost.firstMember);
    const admin = people.get(lost.admin ?? lost.firstMember)?.user.email ?? "";
    const texts = say("not-selected/team", { team: lost.team.name, email: admin });
    const concerns = [{ address: lost.firstMember, team: lost.team.key }];
    findings.push({ ...teamFinding(lost.team, texts), concerns });
  }
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
      const { address } = person.user;
      return [createUser(person, pairOf.get(address), waitsFor.get(address) ?? [], identified)];
    }),
    sent: new Map(pairs.map(({ team, sent }) => [team.key, sent])),
    findings: pairs.flatMap(({ team, firstMember, sent: { temporaryRoles: roles } }) => {
      const texts = say("temporary-privilege", { team: team.name, email: firstMember, roles });
      return roles.length === 0 ? [] : [teamFinding(team, { ...texts, roles })];
    }),
  };
}

/** `pair`: the team that is created with the user, if any. `waitsFor`: what a user without a team waits for. */
function createUser(
  { user, absences }: AbsentUser,
  pair: (TeamCreationPair & { readonly sent: SentRoles }) | undefined,
  waitsFor: readonly ActionId[],
  identified: Identified,
): CreateUser {
  const { address, account, previously, email, firstName, lastName, title, externalIdentifier, source } = user;
  const creation = {
    kind: "create-user",
    id: creationId(address),
    address,
    account,
    user: { email, firstName, lastName, title, externalIdentifier, source },
    formerly: previously.length === 0 ? undefined : previously.map(({ value }) => value),
  } as const;
  const again = recreationBases(user, identified);
  if (pair === undefined)
    return {
      ...creation,
      rule: again.length === 0 ? "absent-user" : "recreated-user",
      because: user.because,
      dependsOn: waitsFor,
      restsOn: [...absences, ...again],
      request: creationRequest(user, identified),
    };
  const { team, absence, admin } = pair;
  const { accessKeyRoles, temporaryRoles } = pair.sent;
  const person = admin === undefined ? undefined : identified.people.get(admin);
  const adminBasis =
    person?.is === "present" ? [observedBasis(userSubject(person.user.address), "present", person.observed.by)] : [];
  return {
    ...creation,
    rule: "creates-team",
    because: distinctReasons([...user.because.slice(0, 1), ...teamCreationReasons(pair), ...user.because]),
    dependsOn: person?.is === "absent" ? [creationId(person.user.address)] : [],
    restsOn: [...absences, ...again, absence, ...adminBasis],
    createsTeam: { team: team.key, name: team.name, accessKeyRoles, temporaryRoles, admin },
    request: teamCreationRequest(user, team, identified),
  };
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
