import { distinctReasons, formatPlace, type Reason } from "../../model/fact.ts";
import { byCodeUnit, multimap, type RoleSet } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import { type Basis, observedBasis } from "../../model/subject.ts";
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
  const alike = [...known].filter((one) => one.toLowerCase() === role.toLowerCase()).sort(byCodeUnit);
  const offered = `The service offers ${joinList([...known].sort(byCodeUnit))}. Upper and lower case matter.`;
  const advice = alike.length === 0 ? offered : `Did you mean ${joinList(alike)}? ${offered}`;
  return {
    code: "unknown-role",
    message: `The service does not know the role ${role} of ${firstPlace(asking)}. roster does not change existing keys that need it. A new founder's key gets only its other roles. ${advice}`,
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
    code: "role-kind-mismatch",
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
