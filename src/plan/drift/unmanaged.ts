import { findings as rows } from "../../codes/findings.ts";
import { say } from "../../codes/message.ts";
import type { Action } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { byCodeUnit, groupBy } from "../../model/collections.ts";
import { factValue } from "../../model/fact.ts";
import { accountStatus, isDeleted, type ObservedKey, shownTeam } from "../../model/key.ts";
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
    const restsOn = [observedBasis(userSubject(address), "present", there.by)];
    return [
      {
        ...say("unmanaged/user", { email: there.email }),
        subject: userSubject(address),
        because: [],
        restsOn,
        concerns: [],
      },
    ];
  });
}

export function ownsKey({ keys = [] }: ObservedUser, keyInUse: string | undefined): boolean {
  return keys.some(({ prefix }) => prefix === keyInUse);
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
  planned: Parameters<typeof explainedSubjects>[0],
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
function explainedSubjects({
  actions,
  findings,
}: {
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
}): ReadonlySet<string> {
  const replaced = actions.flatMap((action) =>
    action.kind === "replace-roles" && action.key.of === "prefix"
      ? [keySubject(factValue(action.key.prefix) ?? "")]
      : [],
  );
  const explained = findings.filter(({ code, subject, kind = rows[code].kind }) => {
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
    return privileges.map((role) => privilegeFinding(held, role, "blocked"));
  }
  const found = privileges.map((role) =>
    privilegeFinding(held, role, user === undefined ? "unknown-user" : "unmanaged-key"),
  );
  if (is === "named") return [...found, ...changedKeyFindings(held, state, policy.privilegedRoles)];
  if (is === "unclear" || user === undefined || found.length > 0) return found;
  const team = names.teamOf(key);
  const isExtra = team !== undefined && isExplained(memberSubject(holder.address, team.key));
  if (isExtra) return [];
  const subject = keySubject(key.prefix);
  const restsOn = [observedBasis(subject, `key of ${holder.address}`, holder.by)];
  return [{ ...say("unmanaged/key", keyParts(held)), subject, restsOn }];
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
