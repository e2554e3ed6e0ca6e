import type { Action } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import { isBlockingCode } from "../../model/finding.ts";
import { byCodeUnit, formatRoles, type RoleSet, rolesWithout } from "../../model/role-set.ts";
import { usersByAddress } from "../../model/roster.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import {
  formatSubject,
  keySubject,
  memberSubject,
  observedBasis,
  partOf,
  serviceSubject,
  unknownBasis,
  userSubject,
} from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { unreleasedUsers } from "../dropped-users.ts";
import type { FindingDraft } from "../finding-draft.ts";
import type { UserKey } from "../snapshot-index.ts";
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
    const there = users.find((user) => accountStatus(user.status) !== "deleted");
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

interface UnmanagedKeyRules {
  readonly roster: RosterIndex;
  readonly privileged: RoleSet;
  /** Who may hold privileged roles that the roster does not give them. */
  readonly trusted: ReadonlySet<EmailKey>;
  /** The operator has this key, and knows its roles. */
  readonly keyInUse: string | undefined;
  /** Formatted subjects of members too many: their team keys are reported with them. */
  readonly extraMembers: ReadonlySet<string>;
  readonly state: State;
  /** Formatted keys and users whose roles the plan replaces, or says why not. */
  readonly planned: ReadonlySet<string>;
}

/**
 * Keys that the roster says nothing of, where this run asks for them: those of people that it names are notices; every
 * privileged role that the roster neither gives nor trusts anybody with is a finding of its own, whatever person holds it.
 */
export function findUnmanagedKeys(
  context: PlanContext,
  keyInUse: string | undefined,
  planned: { readonly actions: readonly Action[]; readonly findings: readonly FindingDraft[] },
): readonly FindingDraft[] {
  const { roster, state, policy, facts } = context;
  if (!policy.reportUnmanaged) return [];
  const { privilegedRoles, requiredAdmins } = policy.guards;
  const allowed = privilegedRoles === "off" ? [] : privilegedRoles.people;
  const rules: UnmanagedKeyRules = {
    roster: indexRoster(roster, state),
    privileged: policy.privilegedRoles,
    trusted: new Set([...allowed, ...requiredAdmins]),
    keyInUse,
    extraMembers: new Set(planned.findings.filter(isOfExtraMember).map(({ subject }) => formatSubject(subject))),
    state,
    planned: plannedSubjects(planned),
  };
  const users = [...facts.people.values()].flat();
  const held = users.flatMap((holder) => openKeys(holder).map((key) => ({ holder, key })));
  return [...uniqueFindings(held.flatMap((one) => unmanagedKeyFindings(one, rules))), ...reportHiddenAccess(context)];
}

function plannedSubjects({ actions, findings }: Parameters<typeof findUnmanagedKeys>[2]): ReadonlySet<string> {
  const keys = actions.flatMap((action) =>
    action.kind === "replace-roles" && action.key.of === "prefix"
      ? [keySubject(factValue(action.key.prefix) ?? "")]
      : [],
  );
  const explained = findings.filter(({ code, subject, deniedAccess }) => {
    if (subject.kind === "user") return withheldCodes.has(code);
    return subject.kind === "key" && (isBlockingCode(code) || deniedAccess === true || code === "write-pending");
  });
  return new Set([...keys, ...explained.map(({ subject }) => subject)].map(formatSubject));
}

function isOfExtraMember({ code }: FindingDraft): boolean {
  return code === "extra-member";
}

/** A prefix that two people are shown with is one key. */
function uniqueFindings(drafts: readonly FindingDraft[]): readonly FindingDraft[] {
  const first = new Map<string, FindingDraft>();
  for (const draft of drafts) {
    const sameness = JSON.stringify([draft.code, formatSubject(draft.subject)]);
    if (!first.has(sameness)) first.set(sameness, draft);
  }
  return [...first.values()];
}

/** Keys that open something, each once, in an order of their own. */
function openKeys({ status, keys = [] }: ObservedUser): readonly ObservedKey[] {
  const word = accountStatus(status);
  if (word === "barred" || word === "deleted") return [];
  const open = keys.filter((key) => !["barred", "deleted"].includes(accountStatus(key.status)));
  return [...open].sort((a, b) => byCodeUnit(a.prefix, b.prefix));
}

function unmanagedKeyFindings(held: UserKey, rules: UnmanagedKeyRules): readonly FindingDraft[] {
  const { holder, key } = held;
  if (key.prefix === rules.keyInUse) return [];
  const { is: naming, roles: given = [] } = rules.roster.keyOf(held);
  const user = rules.roster.userAt(holder.address);
  const about = {
    because: user === undefined ? [] : user.because.slice(0, 1),
    concerns: user === undefined ? [] : [{ address: user.address }],
  };
  const isTrusted = rules.trusted.has(user?.address ?? holder.address);
  const others = rolesWithout(key.roles ?? [], given).filter((role) => rules.privileged.includes(role));
  const privileges = isTrusted ? [] : others;
  if (naming === "managed") {
    const isPlanned = [keySubject(key.prefix), userSubject(holder.address)].some((one) =>
      rules.planned.has(formatSubject(one)),
    );
    return isPlanned ? [] : privileges.map((role) => ({ ...unplannedPrivilegeFinding(held, role), ...about }));
  }
  const changed = naming === "named" ? changedKeyFindings(held, rules) : [];
  if (privileges.length > 0)
    return [...privileges.map((role) => ({ ...privilegeFinding(held, role, user?.email), ...about })), ...changed].map(
      (finding) => ({ ...finding, ...about }),
    );
  const team = rules.roster.teamOf(key);
  const isReported =
    team !== undefined && rules.extraMembers.has(formatSubject(memberSubject(holder.address, team.key)));
  if (user === undefined || naming !== "unlisted" || isReported)
    return changed.map((finding) => ({ ...finding, ...about }));
  return [{ ...unmanagedKeyFinding(held), ...about }];
}

function privilegeFinding({ holder, key }: UserKey, role: string, named: string | undefined) {
  const what = named === undefined ? "names neither the user nor the key" : "does not give the roles of this key";
  return {
    code: "unmanaged-privilege",
    subject: { kind: "role-on-key", role, prefix: key.prefix },
    message:
      `${describeKey({ holder, key })} has ${role}. The roster ${what}, so nobody has reviewed this role. ` +
      "Remove the role in the service, or add the key with its roles to the roster. Or list the user under `guards.privileged-roles.people` in the settings (in CI: outside the checkout).",
    restsOn: [observedBasis(partOf("roles", keySubject(key.prefix)), (key.roles ?? []).join(", "), holder.by)],
  } as const;
}

/** The roster gives the key other roles, and something else keeps this plan from replacing them. */
function unplannedPrivilegeFinding({ holder, key }: UserKey, role: string) {
  return {
    ...privilegeFinding({ holder, key }, role, holder.email),
    message:
      `${describeKey({ holder, key })} has ${role}. The roster does not give this role, and this plan cannot remove it. ` +
      "Resolve the other problems of this user first, or remove the role in the service.",
  };
}

/** A key whose roles the roster leaves alone, and that had others when it was last seen. */
function changedKeyFindings({ holder, key }: UserKey, { state, privileged }: UnmanagedKeyRules) {
  const baseline = baselineOf(key.prefix, state);
  if (baseline === undefined || key.roles === undefined) return [];
  const { gained, lost } = unmanagedChange(baseline, key.roles, privileged);
  if (gained.length + lost.length === 0) return [];
  const roles = partOf("roles", keySubject(key.prefix));
  const message =
    `${describeKey({ holder, key })} has ${formatRoles(key.roles)}, but it had ${formatRoles(baseline.put)}. The roster does not manage its roles, ` +
    "so roster does not change them. To accept the new roles, write them into the roster.";
  return [
    {
      code: "unmanaged-key-changed",
      subject: keySubject(key.prefix),
      message,
      restsOn: [observedBasis(roles, formatRoles(key.roles), holder.by)],
    } as const,
  ];
}

function unmanagedKeyFinding({ holder, key }: UserKey) {
  return {
    code: "unmanaged",
    subject: keySubject(key.prefix),
    message:
      `${describeKey({ holder, key })} is not in the roster, but the user is. roster does not change this key. ` +
      "To manage its roles, add it under `keys:`, or add its team under `teams:`.",
    restsOn: [observedBasis(keySubject(key.prefix), `key of ${holder.address}`, holder.by)],
  } as const;
}

function describeKey({ holder, key }: UserKey): string {
  const { team } = key;
  const where = team === undefined || team === "none" || team.name === undefined ? "" : ` in the team ${team.name}`;
  return `${holder.email}'s key ${key.prefix}${where}`;
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
    found.push({
      ...common,
      code: "incomplete-read",
      message,
      restsOn: [unknownBasis({ kind: "other", name: "everyone" }, everyone.why)],
    });
  }
  if (capabilities.keysOnUsers === "hidden" || capabilities.rolesOnKeys === "hidden") {
    const what = capabilities.keysOnUsers === "hidden" ? "the keys of users" : "the roles of keys";
    const message =
      `The service does not show ${what}. roster cannot see privileged roles outside the roster. ` +
      "Check them in the service.";
    found.push({
      ...common,
      code: "not-observed",
      aspect: "privileges",
      message,
      restsOn: [unknownBasis({ kind: "other", name: "privileged roles" }, `${what} are not shown`)],
    });
  }
  return found;
}
