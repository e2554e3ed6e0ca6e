import { closestMatch } from "../../model/address.ts";
import { declared, distinctReasons, formatPlace, type Located, type Reason, reasonAt } from "../../model/fact.ts";
import { byCodeUnit, formatRoles, multimap, type RoleSet, roleSet } from "../../model/role-set.ts";
import { daysBetween, type RoleEnding, type Roster, type RosterMember, type RosterTeam } from "../../model/roster.ts";
import {
  type Basis,
  keySubject,
  memberSubject,
  observedBasis,
  partOf,
  type Subject,
  userSubject,
} from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { type Concern, type FindingDraft, joinList, keyConcern } from "../finding-draft.ts";
import { type KeyKind, kindOfKey, type SnapshotIndex } from "../snapshot-index.ts";

interface RoleMention {
  readonly roles: RoleSet;
  readonly kind: KeyKind;
  readonly because: readonly Reason[];
  readonly concern: Concern;
}

/** Whether the service knows all of the roles and lets such a key carry them; where it did not say, it is not doubted. */
export function rolesAllowed(roles: RoleSet, kind: KeyKind, { rolesFor }: SnapshotIndex): boolean {
  if (rolesFor === undefined) return true;
  const fitting = rolesFor(kind);
  return roles.every((role) => fitting.has(role));
}

/** One finding for each role that the service does not know, or not for such a key, with every place that asks for it. */
export function findInvalidRoles(roster: Roster, facts: SnapshotIndex): readonly FindingDraft[] {
  const { rolesFor, rolesBy } = facts;
  if (rolesFor === undefined) return [];
  const known = rolesFor("unclear");
  const mentions = multimap(
    [...roleMentions(roster, facts)].flatMap((mention) => {
      const fitting = rolesFor(mention.kind);
      return mention.roles.filter((role) => !fitting.has(role)).map((role) => [role, mention]);
    }),
  );
  return [...mentions]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([role, asking]) =>
      known.has(role) ? wrongKindFinding(role, asking, rolesBy) : unknownRoleFinding(role, asking, { known, rolesBy }),
    );
}

function* roleMentions(roster: Roster, facts: SnapshotIndex): Generator<RoleMention> {
  for (const { address, ownKeyRoles, because } of roster.users.values()) {
    if (ownKeyRoles !== undefined)
      yield {
        roles: ownKeyRoles.value,
        kind: "own",
        because: [...ownKeyRoles.because, ...because.slice(0, 1)],
        concern: { address },
      };
  }
  for (const team of roster.teams) {
    for (const { address, roles, because } of team.members) {
      if (roles !== undefined) yield { roles, kind: "team", because, concern: { address, team: team.key } };
    }
  }
  for (const key of roster.keys) {
    const kind = kindOfKey(facts.keyPrefixed(key.prefix)?.key);
    yield { roles: key.roles, kind, because: key.because, concern: keyConcern(key) };
  }
}

interface OfferedRoles {
  readonly known: ReadonlySet<string>;
  readonly rolesBy: SnapshotIndex["rolesBy"] | undefined;
}

function unknownRoleFinding(
  role: string,
  asking: readonly RoleMention[],
  { known, rolesBy }: OfferedRoles,
): FindingDraft {
  const sorted = [...known].sort(byCodeUnit);
  const sameLetters = sorted.filter((one) => one.toLowerCase() === role.toLowerCase());
  const alike = sameLetters.length > 0 ? sameLetters : [closestMatch(role, sorted) ?? []].flat();
  const offered = `The service offers ${joinList(sorted)}. Upper and lower case matter.`;
  const advice = alike.length === 0 ? offered : `Did you mean ${joinList(alike)}? ${offered}`;
  return {
    code: "unknown-role",
    message: `The service does not know the role ${role} of ${firstPlace(asking)}. roster does not change keys that need it, and creates no team with it. ${advice}`,
    ...roleFinding(role, asking),
    restsOn: roleBasis(role, "not offered", rolesBy),
  };
}

const kindNames: Readonly<Record<KeyKind, string>> = {
  team: "a team key",
  own: "a user's own key",
  project: "a project key",
  unclear: "a key",
};

function wrongKindFinding(
  role: string,
  asking: readonly RoleMention[],
  rolesBy: SnapshotIndex["rolesBy"] | undefined,
): FindingDraft {
  const kinds = joinList([...new Set(asking.map(({ kind }) => kindNames[kind]))]);
  return {
    code: "unknown-role",
    message:
      `The service does not offer the role ${role} for ${kinds}, but ${firstPlace(asking)} has it there. ` +
      "roster does not change these keys. Remove the role there, or list a key of the right kind under `keys`.",
    ...roleFinding(role, asking),
    restsOn: roleBasis(role, `not for ${kinds}`, rolesBy),
  };
}

function roleBasis(role: string, is: string, by: SnapshotIndex["rolesBy"] | undefined): readonly Basis[] {
  return by === undefined ? [] : [observedBasis({ kind: "role", role }, is, by)];
}

function firstPlace(asking: readonly RoleMention[]): string {
  const [first] = asking.flatMap(({ because }) => because);
  return first === undefined ? "the roster" : formatPlace(first);
}

function roleFinding(
  role: string,
  asking: readonly RoleMention[],
): Pick<FindingDraft, "subject" | "because" | "concerns"> {
  return {
    subject: { kind: "role", role },
    because: distinctReasons(asking.flatMap(({ because }) => because)),
    concerns: asking.map(({ concern }) => concern),
  };
}

/** Days ahead of the notice that a role or a membership ends. */
const noticeDays = 14;

/** Roles and memberships that end soon, so that nobody is surprised on the day: one notice for each key. */
export function findEndingAccess(context: PlanContext): readonly FindingDraft[] {
  const { today } = context.policy;
  return timedKeys(context).flatMap((key) => {
    const soon = key.endings.filter(({ until }) => daysBetween(today, until.value) <= noticeDays);
    return soon.length === 0 ? [] : [endingFinding(key, soon, today)];
  });
}

/** A key of which something counts until a day. */
interface TimedKey {
  readonly subject: Subject;
  /** Such as `ada@acme.example in Platform`. */
  readonly whose: string;
  readonly concern: Concern;
  readonly endings: readonly Ending[];
  readonly because: readonly Reason[];
}

interface Ending {
  /** Such as `DEVELOPER, TEAM_ROLE` or `the membership`. */
  readonly what: string;
  readonly roles: RoleSet;
  readonly until: Located<string>;
}

function roleEnding({ roles, until }: RoleEnding): Ending {
  return { what: formatRoles(roles), roles, until };
}

function timedKeys({ roster }: PlanContext): readonly TimedKey[] {
  const owned = [...roster.users.values()].flatMap(({ address, email, ownKeyRoles }): readonly TimedKey[] => {
    if (ownKeyRoles?.endings === undefined) return [];
    const { endings, because } = ownKeyRoles;
    const [subject, whose] = [userSubject(address), `the own key of ${email}`];
    return [{ subject, whose, concern: { address }, endings: endings.map(roleEnding), because }];
  });
  const inTeams = roster.teams.flatMap((team) => team.members.flatMap((member) => timedTeamKey(member, team, roster)));
  const listed = roster.keys.flatMap((entry): readonly TimedKey[] => {
    const { prefix, endings, because } = entry;
    if (endings === undefined) return [];
    const [subject, concern] = [keySubject(prefix), keyConcern(entry)];
    return [{ subject, whose: `the key ${prefix}`, concern, endings: endings.map(roleEnding), because }];
  });
  return [...owned, ...inTeams, ...listed];
}

function timedTeamKey(
  { address, endings = [], until, because }: RosterMember,
  { key: team, name }: RosterTeam,
  { users }: Roster,
): readonly TimedKey[] {
  if (endings.length === 0 && until === undefined) return [];
  const membership = until === undefined ? [] : [{ what: "the membership", roles: [], until }];
  const whose = `${users.get(address)?.email ?? address} in ${name}`;
  const about = { subject: memberSubject(address, team), whose, concern: { address, team } };
  return [{ ...about, endings: [...endings.map(roleEnding), ...membership], because }];
}

function endingFinding({ subject, whose, concern, because }: TimedKey, soon: readonly Ending[], today: string) {
  const parts = soon.map(({ what, until }) => {
    const left = daysBetween(today, until.value);
    return `${what} on ${until.value} (in ${left === 1 ? "1 day" : `${left} days`})`;
  });
  const finding: FindingDraft = {
    code: "date-ahead",
    subject: partOf("until", subject),
    roles: roleSet(soon.flatMap(({ roles }) => roles)),
    message: `Access of ${whose} ends soon: ${joinList(parts)}. From that day on, roster removes the roles. To keep the access, change or remove \`until\`.`,
    because: [
      ...soon.map(({ until }) => reasonAt(until.place, "until", { name: until.value })),
      ...because.slice(0, 1),
    ],
    restsOn: [
      ...soon.map(({ until }) => ({ about: partOf("until", subject), fact: declared(until.value, until.place) })),
      observedBasis({ kind: "other", name: "today" }, today, "clock"),
    ],
    concerns: [concern],
  };
  return finding;
}
