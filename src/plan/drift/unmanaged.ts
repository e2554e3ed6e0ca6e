import { findings as rows } from "../../codes/findings.ts";
import { say } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import { byCodeUnit, groupBy } from "../../model/collections.ts";
import {
  formatSubject,
  keySubject,
  memberSubject,
  partOf,
  type Subject,
  serviceSubject,
  userSubject,
} from "../../model/fact.ts";
import { isDeleted, isOpen, shownTeam } from "../../model/key.ts";
import { prefixOf } from "../../model/plan.ts";
import type { State } from "../../model/state.ts";
import type { DesiredUser, ObservedUser } from "../../model/user.ts";
import { formatRoles, type RoleSet, rolesWithout } from "../../model/values.ts";
import { type FindingDraft, type PlanContext, removalOf } from "../context.ts";
import type { PlanDraft } from "../guards/run-guards.ts";
import { unreleasedUsers } from "../identify-users.ts";
import { heldKeys, observedBasis, type UserKey, unknownBasis } from "../snapshot-index.ts";
import { baselineOf, blockingCodes, unmanagedChange } from "./outside-changes.ts";

/**
 * The people that the service shows and the roster does not name, where this run asks for them. The owner of the key in use is not
 * one of them: a service that roster can ask has that user.
 */
export function findUnmanagedUsers(context: PlanContext): readonly FindingDraft[] {
  const { facts, policy, keyInUse } = context;
  if (!policy.reportUnmanaged) return [];
  const names = context.names();
  const removal = removalOf(context.roster);
  const dropped = new Set(unreleasedUsers(context).map(({ address }) => address));
  const isNamed = (address: EmailKey) => names.isNamed(address) || dropped.has(address);
  return [...facts.people].flatMap(([address, users]) => {
    const there = users.find((user) => !isDeleted(user));
    if (there === undefined || isNamed(address) || ownsKey(there, keyInUse)) return [];
    const subject = userSubject(address);
    const restsOn = [observedBasis(subject, "present", there.by)];
    const texts = say("unmanaged/user", { email: there.email, removal });
    return [{ ...texts, subject, because: [], restsOn, concerns: [] }];
  });
}

export function ownsKey({ keys = [] }: ObservedUser, keyInUse: string | undefined): boolean {
  return keys.some(({ prefix }) => prefix === keyInUse);
}

type Explaining = Pick<PlanDraft, "actions" | "findings">;

/** What it has to do with the user who holds the key is the same for all. */
type KeyFinding = Omit<FindingDraft, "because" | "concerns">;

/**
 * Keys that the roster says nothing of, where this run asks for them: those of people that it names are notices; every
 * privileged role that the roster neither gives nor trusts anybody with is a finding of its own, whatever person holds it.
 * The operator has the key in use, and knows its roles.
 */
export function findUnmanagedKeys(context: PlanContext, planned: Explaining): readonly FindingDraft[] {
  const { state, policy, facts, keyInUse } = context;
  if (!policy.reportUnmanaged) return [];
  const { privilegedRoles, requiredAdmins } = policy.guards;
  const names = context.names();
  // Who may hold privileged roles that the roster does not give them.
  const trusted = new Set([...(privilegedRoles === "off" ? [] : privilegedRoles.people), ...requiredAdmins]);
  const explained = explainedSubjects(planned);
  const isExplained = (subject: Subject) => explained.has(formatSubject(subject));

  function keyFindings(held: UserKey, user: DesiredUser | undefined): readonly KeyFinding[] {
    const { holder, key } = held;
    const { is, roles: given = [] } = names.keyOf(held);
    const others = rolesWithout(key.roles ?? [], given).filter((role) => policy.privilegedRoles.includes(role));
    const privileges = trusted.has(user?.address ?? holder.address) ? [] : others;
    const subject = keySubject(key.prefix);
    if (is === "managed") {
      if (isExplained(subject) || isExplained(userSubject(holder.address))) return [];
      return privileges.map((role) => privilegeFinding(held, role, "blocked"));
    }
    const why = user === undefined ? "unknown-user" : "unmanaged-key";
    const found = privileges.map((role) => privilegeFinding(held, role, why));
    if (is === "named") return [...found, ...changedKeyFindings(held, state, policy.privilegedRoles)];
    if (is === "unclear" || user === undefined || found.length > 0) return found;
    const team = names.teamOf(key);
    if (team !== undefined && isExplained(memberSubject(holder.address, team.key))) return [];
    const restsOn = [observedBasis(subject, `key of ${holder.address}`, holder.by)];
    return [{ ...say("unmanaged/key", keyParts(held)), subject, restsOn }];
  }

  const keys = [...facts.people.values()].flat().flatMap(openKeys);
  const drafts = keys.flatMap((held): readonly FindingDraft[] => {
    if (held.key.prefix === keyInUse) return [];
    const user = names.userAt(held.holder.address);
    const because = user?.because.slice(0, 1) ?? [];
    const concerns = user === undefined ? [] : [{ address: user.address }];
    return keyFindings(held, user).map((finding) => ({ ...finding, because, concerns }));
  });
  // A prefix that two people are shown with is one key.
  const unique = groupBy(drafts, ({ code, subject }) => JSON.stringify([code, formatSubject(subject)]));
  return [...[...unique.values()].map(([first]) => first), ...reportHiddenAccess(context)];
}

/**
 * Formatted keys and users whose roles the plan replaces, or says why not, and members too many: their team keys are
 * reported with them.
 */
function explainedSubjects({ actions, findings }: Explaining): ReadonlySet<string> {
  const prefixes = actions.flatMap((action) => (action.kind === "replace-roles" ? (prefixOf(action) ?? []) : []));
  const explained = findings.filter(({ code, subject, kind = rows[code].kind }) => {
    if (subject.kind === "user") return blockingCodes.has(code);
    if (subject.kind === "member") return code === "extra-member";
    return subject.kind === "key" && (kind === "task" || code === "write-pending");
  });
  return new Set([...prefixes.map(keySubject), ...explained.map(({ subject }) => subject)].map(formatSubject));
}

/** Keys that open something, in an order of their own. */
function openKeys(user: ObservedUser): readonly UserKey[] {
  if (!isOpen(user)) return [];
  const held = heldKeys([user]).filter(({ key }) => isOpen(key));
  return held.toSorted((a, b) => byCodeUnit(a.key.prefix, b.key.prefix));
}

function privilegeFinding(held: UserKey, role: string, is: "blocked" | "unknown-user" | "unmanaged-key"): KeyFinding {
  const { prefix, roles = [] } = held.key;
  return {
    ...say(`unmanaged-privilege/${is}`, { ...keyParts(held), role }),
    subject: { kind: "role-on-key", role, prefix },
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
  const [now, before] = [formatRoles(roles), formatRoles(baseline.setRoles)];
  const texts = say("unmanaged-key-changed", { ...keyParts(held), roles: now, before });
  const restsOn = [observedBasis(partOf("roles", subject), formatRoles(roles), held.holder.by)];
  return [{ ...texts, subject, restsOn }];
}

function keyParts({ holder, key }: UserKey) {
  return { holder: holder.email, prefix: key.prefix, team: shownTeam(key)?.name };
}

/** What keeps this run from seeing who holds what, where it was to read everyone. */
function reportHiddenAccess({ snapshot }: PlanContext): readonly FindingDraft[] {
  const { service, everyone, capabilities } = snapshot;
  const common = { subject: serviceSubject(service), because: [], concerns: [] };
  const found: FindingDraft[] = [];
  if (everyone.read === "incomplete") {
    const texts = say("incomplete-read/list", { why: everyone.why });
    const restsOn = [unknownBasis({ kind: "other", name: "everyone" }, everyone.why)];
    found.push({ ...common, ...texts, restsOn });
  }
  if (capabilities.keysOnUsers === "hidden" || capabilities.rolesOnKeys === "hidden") {
    const what = capabilities.keysOnUsers === "hidden" ? "the keys of users" : "the roles of keys";
    const texts = say("not-observed/hidden", { what });
    const restsOn = [unknownBasis({ kind: "other", name: "privileged roles" }, `${what} are not shown`)];
    found.push({ ...common, ...texts, aspect: "privileges", restsOn });
  }
  return found;
}
