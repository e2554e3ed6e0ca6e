import type { Action } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { byCodeUnit, groupBy } from "../../model/collections.ts";
import { factValue } from "../../model/fact.ts";
import { kindOf } from "../../model/finding.ts";
import { accountStatus, isDeleted, type ObservedKey, shownTeams } from "../../model/key.ts";
import { formatRoles, type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { usersByAddress } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import {
  formatSubject,
  keySubject,
  memberSubject,
  observedBasis,
  partOf,
  type Subject,
  serviceSubject,
  unknownBasis,
  userSubject,
} from "../../model/subject.ts";
import type { ObservedUser } from "../../model/user.ts";
import type { PlanContext } from "../context.ts";
import { unreleasedUsers } from "../dropped-users.ts";
import type { FindingDraft } from "../finding-draft.ts";
import { heldKeys, type UserKey } from "../snapshot-index.ts";
import { baselineOf, unmanagedChange, withheldCodes } from "./baseline.ts";
import { indexRoster, type RosterIndex } from "./roster-index.ts";

/**
 * The people that the service shows and the roster does not name, where this run asks for them. The owner of the key in use is not
 * one of them: a service that roster can ask has that user.
 */
export function findUnmanagedUsers(context: PlanContext, keyInUse: string | undefined): readonly FindingDraft[] {
  const { roster, facts, policy } = context;
  if (!policy.reportUnmanaged) return [];
  const named = new Set([
    ...usersByAddress(roster).keys(),
    ...roster.leavers.keys(),
    ...unreleasedUsers(context).map(({ address }) => address),
  ]);
  return [...facts.people].flatMap(([address, users]) => {
    const there = users.find((user) => !isDeleted(user));
    if (there === undefined || named.has(address) || ownsKey(there, keyInUse)) return [];
    const message =
      `The service shows ${there.email}. The roster does not name this user, so roster does not change them. ` +
      "To manage the user, add them to the roster.";
    const restsOn = [observedBasis(userSubject(address), "present", there.by)];
    return [{ code: "unmanaged", subject: userSubject(address), message, because: [], restsOn, concerns: [] }];
  });
}

/** Whether a user is shown with the key in use. */
export function ownsKey({ keys = [] }: ObservedUser, keyInUse: string | undefined): boolean {
  return keys.some(({ prefix }) => prefix === keyInUse);
}

interface Planned {
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
}

/** What it has to do with the user who holds the key is the same for all. */
type KeyFinding = Omit<FindingDraft, "because" | "concerns">;

interface UnmanagedKeyRules {
  readonly names: RosterIndex;
  /** Who may hold privileged roles that the roster does not give them. */
  readonly trusted: ReadonlySet<EmailKey>;
  readonly explained: ReadonlySet<string>;
}

/**
 * Keys that the roster says nothing of, where this run asks for them: those of people that it names are notices; every
 * privileged role that the roster neither gives nor trusts anybody with is a finding of its own, whatever person holds it.
 * The operator has the key in use, and knows its roles.
 */
export function findUnmanagedKeys(
  context: PlanContext,
  keyInUse: string | undefined,
  planned: Planned,
): readonly FindingDraft[] {
  const { roster, state, policy, facts } = context;
  if (!policy.reportUnmanaged) return [];
  const { privilegedRoles, requiredAdmins } = policy.guards;
  const allowed = privilegedRoles === "off" ? [] : privilegedRoles.people;
  const rules = {
    names: indexRoster(roster, state),
    trusted: new Set([...allowed, ...requiredAdmins]),
    explained: explainedSubjects(planned),
  };
  const drafts = [...facts.people.values()]
    .flat()
    .flatMap(openKeys)
    .filter(({ key }) => key.prefix !== keyInUse)
    .flatMap((held) => {
      const user = rules.names.userAt(held.holder.address);
      const because = user?.because.slice(0, 1) ?? [];
      const concerns = user === undefined ? [] : [{ address: user.address }];
      return keyFindings(held, rules, context).map((finding): FindingDraft => ({ ...finding, because, concerns }));
    });
  // A prefix that two people are shown with is one key.
  const unique = groupBy(drafts, ({ code, subject }) => JSON.stringify([code, formatSubject(subject)]));
  return [...[...unique.values()].map(([first]) => first), ...reportHiddenAccess(context)];
}

/**
 * Formatted keys and users whose roles the plan replaces, or says why not, and members too many: their team keys are
 * reported with them.
 */
function explainedSubjects({ actions, findings }: Planned): ReadonlySet<string> {
  const replaced = actions.flatMap((action) =>
    action.kind === "replace-roles" && action.key.of === "prefix"
      ? [keySubject(factValue(action.key.prefix) ?? "")]
      : [],
  );
  const explained = findings.filter(({ code, subject, kind = kindOf(code) }) => {
    if (subject.kind === "user") return withheldCodes.has(code);
    if (subject.kind === "member") return code === "extra-member";
    return subject.kind === "key" && (kind === "task" || code === "write-pending");
  });
  return new Set([...replaced, ...explained.map(({ subject }) => subject)].map(formatSubject));
}

/** Keys that open something, in an order of their own. */
function openKeys(user: ObservedUser): readonly UserKey[] {
  const isOpen = ({ status }: Pick<ObservedKey, "status">) => !["barred", "deleted"].includes(accountStatus(status));
  if (!isOpen(user)) return [];
  const held = heldKeys([user]).filter(({ key }) => isOpen(key));
  return held.toSorted((a, b) => byCodeUnit(a.key.prefix, b.key.prefix));
}

function keyFindings(
  held: UserKey,
  { names, trusted, explained }: UnmanagedKeyRules,
  { state, policy }: PlanContext,
): readonly KeyFinding[] {
  const { holder, key } = held;
  const user = names.userAt(holder.address);
  const isExplained = (subject: Subject) => explained.has(formatSubject(subject));
  const { is, roles: given = [] } = names.keyOf(held);
  const others = rolesWithout(key.roles ?? [], given).filter((role) => policy.privilegedRoles.includes(role));
  const privileges = trusted.has(user?.address ?? holder.address) ? [] : others;
  if (is === "managed") {
    if (isExplained(keySubject(key.prefix)) || isExplained(userSubject(holder.address))) return [];
    const why =
      "The roster does not give this role, and this plan cannot remove it. " +
      "Resolve the other problems of this user first, or remove the role in the service.";
    return privileges.map((role) => privilegeFinding(held, role, why));
  }
  const what = user === undefined ? "names neither the user nor the key" : "does not give the roles of this key";
  const why =
    `The roster ${what}, so nobody has reviewed this role. ` +
    "Remove the role in the service, or add the key with its roles to the roster. Or list the user under `guards.privileged-roles.people` in the settings (in CI: outside the checkout).";
  const found = privileges.map((role) => privilegeFinding(held, role, why));
  if (is === "named") return [...found, ...changedKeyFindings(held, state, policy.privilegedRoles)];
  if (is === "unclear" || user === undefined || found.length > 0) return found;
  const team = names.teamOf(key);
  const isExtra = team !== undefined && isExplained(memberSubject(holder.address, team.key));
  return isExtra ? [] : [unmanagedKeyFinding(held)];
}

function privilegeFinding(held: UserKey, role: string, why: string): KeyFinding {
  const { prefix, roles = [] } = held.key;
  return {
    code: "unmanaged-privilege",
    subject: { kind: "role-on-key", role, prefix },
    message: `${describeKey(held)} has ${role}. ${why}`,
    restsOn: [observedBasis(partOf("roles", keySubject(prefix)), roles.join(", "), held.holder.by)],
  };
}

/** A key whose roles the roster leaves alone, and that had others when it was last seen. */
function changedKeyFindings(held: UserKey, state: State, privileged: RoleSet): readonly KeyFinding[] {
  const { prefix, roles } = held.key;
  const baseline = baselineOf(prefix, state);
  if (baseline === undefined || roles === undefined) return [];
  const { gained, lost } = unmanagedChange(baseline, roles, privileged);
  if (gained.length + lost.length === 0) return [];
  const subject = keySubject(prefix);
  const message =
    `${describeKey(held)} has ${formatRoles(roles)}, but it had ${formatRoles(baseline.setRoles)}. The roster does not manage its roles, ` +
    "so roster does not change them. To accept the new roles, write them into the roster.";
  const restsOn = [observedBasis(partOf("roles", subject), formatRoles(roles), held.holder.by)];
  return [{ code: "unmanaged-key-changed", subject, message, restsOn }];
}

function unmanagedKeyFinding(held: UserKey): KeyFinding {
  const subject = keySubject(held.key.prefix);
  const message =
    `${describeKey(held)} is not in the roster, but the user is. roster does not change this key. ` +
    "To manage its roles, add it under `keys:`, or add its team under `teams:`.";
  const restsOn = [observedBasis(subject, `key of ${held.holder.address}`, held.holder.by)];
  return { code: "unmanaged", subject, message, restsOn };
}

function describeKey({ holder, key }: UserKey): string {
  const team = shownTeams([key])[0]?.name;
  return `${holder.email}'s key ${key.prefix}${team === undefined ? "" : ` in the team ${team}`}`;
}

/** What keeps this run from seeing who holds what, where it was to read everyone. */
function reportHiddenAccess({ snapshot }: PlanContext): readonly FindingDraft[] {
  const { service, everyone, capabilities } = snapshot;
  const common = { subject: serviceSubject(service), because: [], concerns: [] };
  const found: FindingDraft[] = [];
  if (everyone.read === "incomplete") {
    const message =
      `The list of users is incomplete: ${everyone.why}. A missing user may have any role. ` +
      "Try again later, or use a key that can see all users.";
    const restsOn = [unknownBasis({ kind: "other", name: "everyone" }, everyone.why)];
    found.push({ ...common, code: "incomplete-read", message, restsOn });
  }
  if (capabilities.keysOnUsers === "hidden" || capabilities.rolesOnKeys === "hidden") {
    const what = capabilities.keysOnUsers === "hidden" ? "the keys of users" : "the roles of keys";
    const message =
      `The service does not show ${what}. roster cannot see privileged roles outside the roster. ` +
      "Check them in the service.";
    const restsOn = [unknownBasis({ kind: "other", name: "privileged roles" }, `${what} are not shown`)];
    found.push({ ...common, code: "not-observed", aspect: "privileges", message, restsOn });
  }
  return found;
}
