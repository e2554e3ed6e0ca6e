import { declared, type Located, type Reason, reasonAt } from "../../model/fact.ts";
import { formatRoles, type RoleSet, roleSet } from "../../model/role-set.ts";
import { daysBetween, type RoleEnding } from "../../model/roster.ts";
import { keySubject, memberSubject, observedBasis, partOf, type Subject, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { type Concern, type FindingDraft, joinList, keyConcern } from "../finding-draft.ts";

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

function roleEndings(endings: readonly RoleEnding[] = []): readonly Ending[] {
  return endings.map(({ roles, until }) => ({ what: formatRoles(roles), roles, until }));
}

function timedKeys({ roster }: PlanContext): readonly TimedKey[] {
  const owned = [...roster.users.values()].map(({ address, email, ownKeyRoles }) => ({
    subject: userSubject(address),
    whose: `the own key of ${email}`,
    concern: { address },
    endings: roleEndings(ownKeyRoles?.endings),
    because: ownKeyRoles?.because ?? [],
  }));
  const inTeams = roster.teams.flatMap(({ key: team, name, members }) =>
    members.map(({ address, endings, until, because }) => ({
      subject: memberSubject(address, team),
      whose: `${roster.users.get(address)?.email ?? address} in ${name}`,
      concern: { address, team },
      endings: [
        ...roleEndings(endings),
        ...(until === undefined ? [] : [{ what: "the membership", roles: [], until }]),
      ],
      because,
    })),
  );
  const listed = roster.keys.map((entry) => {
    const { prefix, endings, because } = entry;
    const subject = keySubject(prefix);
    const concern = keyConcern(entry);
    return { subject, whose: `the key ${prefix}`, concern, endings: roleEndings(endings), because };
  });
  return [...owned, ...inTeams, ...listed];
}

function endingFinding({ subject, whose, concern, because }: TimedKey, soon: readonly Ending[], today: string) {
  const parts = soon.map(({ what, until }) => {
    const left = daysBetween(today, until.value);
    return `${what} on ${until.value} (in ${left === 1 ? "1 day" : `${left} days`})`;
  });
  const finding: FindingDraft = {
    code: "access-ends-soon",
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
