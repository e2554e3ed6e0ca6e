import { formatCount, joinList, say } from "../codes/message.ts";
import { closestMatch } from "../model/address.ts";
import { byCodeUnit, multimap } from "../model/collections.ts";
import { distinctReasons, formatPlace, type Located, type Reason, reasonAt } from "../model/fact.ts";
import { formatRoles, type RoleEnding, type RoleSet, roleSet } from "../model/role-set.ts";
import { daysBetween, type OwnedThing } from "../model/roster.ts";
import { keySubject, memberSubject, observedBasis, partOf, type Subject, userSubject } from "../model/subject.ts";
import { dateBases, type PlanContext } from "./context.ts";
import { type FindingDraft, keyConcern } from "./finding-draft.ts";
import { userFinding } from "./identities.ts";
import { type KeyKind, kindOfKey, type SnapshotIndex } from "./snapshot-index.ts";

/** What the roster asks of one key, whatever reads show: of a user's own, of a member's, of one that it lists. */
interface AskedKey {
  readonly kind: KeyKind;
  readonly roles: RoleSet;
  readonly endings?: readonly RoleEnding[] | undefined;
  /** Of the membership, with whatever roles. */
  readonly until?: Located<string> | undefined;
  /** There are thousands of keys, and hardly ever a finding about one. `whose`: such as `ada@acme.example in Platform`. */
  readonly about: () => {
    readonly subject: Subject;
    readonly whose: string;
    readonly because: readonly Reason[];
    readonly concern: OwnedThing;
  };
}

function* askedKeys({ roster, facts }: PlanContext): Iterable<AskedKey> {
  for (const { address, email, ownKeyRoles: wanted, because: entry } of roster.users.values()) {
    if (wanted === undefined) continue;
    const about = () => {
      const because = [...wanted.because, ...entry.slice(0, 1)];
      return { subject: userSubject(address), whose: `the own key of ${email}`, because, concern: { address } };
    };
    yield { kind: "own", roles: wanted.value, endings: wanted.endings, about };
  }
  for (const { key: team, name, members } of roster.teams) {
    for (const { address, roles = [], endings, until, because } of members) {
      const about = () => {
        const whose = `${roster.users.get(address)?.email ?? address} in ${name}`;
        return { subject: memberSubject(address, team), whose, because, concern: { address, team } };
      };
      yield { kind: "team", roles, endings, until, about };
    }
  }
  for (const entry of roster.keys) {
    const { prefix, roles, endings, because } = entry;
    const concern = keyConcern(entry);
    const about = () => ({ subject: keySubject(prefix), whose: `the key ${prefix}`, because, concern });
    yield { kind: kindOfKey(facts.keyPrefixed(prefix)?.key), roles, endings, about };
  }
}

/** Whether the service knows all of the roles and lets such a key carry them; where it did not say, it is not doubted. */
export function rolesAllowed(roles: RoleSet, kind: KeyKind, { rolesFor }: SnapshotIndex): boolean {
  if (rolesFor === undefined) return true;
  const fitting = rolesFor(kind);
  return roles.every((role) => fitting.has(role));
}

const kindNames: Readonly<Record<KeyKind, string>> = {
  team: "a team key",
  own: "a user's own key",
  project: "a project key",
  unclear: "a key",
};

/** One finding for each role that the service does not know, or not for such a key, with every place that asks for it. */
export function findInvalidRoles(context: PlanContext): readonly FindingDraft[] {
  const { rolesFor, rolesBy } = context.facts;
  if (rolesFor === undefined) return [];
  const asked: (readonly [string, AskedKey])[] = [];
  for (const key of askedKeys(context)) {
    if (rolesAllowed(key.roles, key.kind, context.facts)) continue;
    const fitting = rolesFor(key.kind);
    asked.push(...key.roles.filter((role) => !fitting.has(role)).map((role) => [role, key] as const));
  }
  const offered = [...rolesFor("unclear")].sort(byCodeUnit);
  const byRole = [...multimap(asked)].sort(([a], [b]) => byCodeUnit(a, b));
  return byRole.map(([role, asking]) => {
    const keys = asking.map(({ about }) => about());
    const because = distinctReasons(keys.flatMap((key) => key.because));
    const place = because[0] === undefined ? "the roster" : formatPlace(because[0]);
    const kinds = [...new Set(asking.map(({ kind }) => kindNames[kind]))];
    const isOffered = offered.includes(role);
    const texts = isOffered
      ? say("unknown-role/misplaced", { role, kinds, place })
      : say("unknown-role/unknown", { role, place, alike: similarRoles(role, offered), offered });
    const subject: Subject = { kind: "other", name: `role ${role}` };
    const is = isOffered ? `not for ${joinList(kinds)}` : "not offered";
    const restsOn = rolesBy === undefined ? [] : [observedBasis(subject, is, rolesBy)];
    return { ...texts, subject, because, restsOn, concerns: keys.map(({ concern }) => concern) };
  });
}

function similarRoles(role: string, offered: readonly string[]): readonly string[] {
  const sameLetters = offered.filter((one) => one.toLowerCase() === role.toLowerCase());
  return sameLetters.length > 0 ? sameLetters : [closestMatch(role, offered) ?? []].flat();
}

const noticeDays = 14;

/** Users, memberships and roles that end soon, so that nobody is surprised on the day: one notice for each user and each key. */
export function findEndingAccess(context: PlanContext): readonly FindingDraft[] {
  const { today } = context.policy;
  const left = ({ value }: Located<string>) => daysBetween(today, value);
  const reasonOf = ({ value: name, place }: Located<string>) => reasonAt(place, "until", { name });
  const found: FindingDraft[] = [];
  for (const user of context.roster.users.values()) {
    const { until, address, email } = user;
    if (until === undefined || left(until) > noticeDays) continue;
    const texts = say("date-ahead/user-leaves", { email, days: left(until), until: until.value });
    const restsOn = dateBases(partOf("until", userSubject(address)), [until], today);
    const because = [reasonOf(until), ...user.because.slice(0, 1)];
    found.push(userFinding(user, { ...texts, aspect: "until", restsOn, because }));
  }
  for (const { endings = [], until: last, about } of askedKeys(context)) {
    const membership = last === undefined ? [] : [{ what: "the membership", roles: [], until: last }];
    const ends = [...endings.map((one) => ({ ...one, what: formatRoles(one.roles) })), ...membership];
    const soon = ends.filter(({ until }) => left(until) <= noticeDays);
    if (soon.length === 0) continue;
    const { subject, whose, because, concern } = about();
    const dates = soon.map(({ until }) => until);
    const parts = soon.map(({ what, until }) => `${what} on ${until.value} (in ${formatCount(left(until), "day")})`);
    found.push({
      ...say("date-ahead/access-ends", { whose, ends: parts }),
      subject: partOf("until", subject),
      roles: roleSet(soon.flatMap(({ roles }) => roles)),
      because: [...dates.map(reasonOf), ...because.slice(0, 1)],
      restsOn: dateBases(partOf("until", subject), dates, today),
      concerns: [concern],
    });
  }
  return found;
}
