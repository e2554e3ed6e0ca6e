import type { FoldedAddress } from "../../model/address.ts";
import { byCodeUnit, type RoleSet } from "../../model/role-set.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import type { FindingDraft } from "../draft.ts";
import type { UserKey } from "../facts.ts";
import type { PlanContext } from "../question.ts";
import { keySubject, observedBasis } from "../subjects.ts";
import { indexRoster, type RosterIndex } from "./named-keys.ts";
import { reportHiddenAccess } from "./tell-unread.ts";

interface UnlistedKeyRules {
  readonly roster: RosterIndex;
  readonly privileged: RoleSet;
  /** Who may hold privileged roles that the roster does not give them. */
  readonly trusted: ReadonlySet<FoldedAddress>;
  /** Whoever runs roster has it, and knows. */
  readonly keyInUse: string | undefined;
}

/**
 * Keys that the roster says nothing of, where this run asks for them: those of people whom it names are notices; every
 * privileged role that the roster neither gives nor trusts anybody with is a matter of its own, whoever holds it.
 */
export function findUnlistedKeys(context: PlanContext, keyInUse: string | undefined): readonly FindingDraft[] {
  const { roster, state, policy, facts } = context;
  if (!policy.reportUnmanaged) return [];
  const { privilegedRoles, requiredAdmins } = policy.guards;
  const allowed = privilegedRoles === "off" ? [] : privilegedRoles.people;
  const rules: UnlistedKeyRules = {
    roster: indexRoster(roster, state),
    privileged: policy.privilegedRoles,
    trusted: new Set([...allowed, ...requiredAdmins]),
    keyInUse,
  };
  const users = [...facts.people.values()].flat();
  const held = users.flatMap((holder) => openKeys(holder).map((key) => ({ holder, key })));
  return [...uniqueFindings(held.flatMap((one) => unlistedKeyFindings(one, rules))), ...reportHiddenAccess(context)];
}

/** A prefix that two people are shown with is one key. */
function uniqueFindings(drafts: readonly FindingDraft[]): readonly FindingDraft[] {
  const first = new Map<string, FindingDraft>();
  for (const draft of drafts) {
    const sameness = JSON.stringify([draft.code, draft.subject]);
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

function unlistedKeyFindings(held: UserKey, rules: UnlistedKeyRules): readonly FindingDraft[] {
  const { holder, key } = held;
  const naming = rules.roster.coverage(key, holder);
  if (naming === "managed" || key.prefix === rules.keyInUse) return [];
  const user = rules.roster.userAt(holder.address);
  const isTrusted = rules.trusted.has(user?.address ?? holder.address);
  const privileges = isTrusted ? [] : (key.roles ?? []).filter((role) => rules.privileged.includes(role));
  const concerns = user === undefined ? [] : [{ address: user.address }];
  if (privileges.length > 0) {
    const because = user === undefined ? [] : user.because.slice(0, 1);
    return privileges.map((role) => ({ ...privilegeFinding(held, role, user?.email), because, concerns }));
  }
  if (user === undefined || naming !== "unlisted") return [];
  return [{ ...unlistedKeyFinding(held), because: user.because.slice(0, 1), concerns }];
}

function privilegeFinding({ holder, key }: UserKey, role: string, named: string | undefined) {
  const what = named === undefined ? "names neither the person nor the key" : "does not say which roles the key has";
  return {
    code: named === undefined ? "unmanaged-privilege" : "unlisted-key-privilege",
    subject: `${role} on ${keySubject(key.prefix)}`,
    message:
      `${describeKey({ holder, key })} carries ${role}, and the roster ${what}: somebody may administer others without anybody having ` +
      "reviewed it. Have the role taken away, write the key with its roles into the roster, or list the person under `guards.privileged-roles.people` in the settings.",
    restsOn: [observedBasis(`roles of ${keySubject(key.prefix)}`, (key.roles ?? []).join(", "), holder.by)],
  } as const;
}

function unlistedKeyFinding({ holder, key }: UserKey) {
  return {
    code: "unlisted-key",
    subject: keySubject(key.prefix),
    message:
      `${describeKey({ holder, key })} is not in the roster, although the person is. Nothing is done with it; ` +
      "write it under `keys:`, or its team under `teams:`, to have its roles managed.",
    restsOn: [observedBasis(keySubject(key.prefix), `key of ${holder.address}`, holder.by)],
  } as const;
}

function describeKey({ holder, key }: UserKey): string {
  const { team } = key;
  const where = team === undefined || team === "none" || team.name === undefined ? "" : ` in the team ${team.name}`;
  return `${holder.email}'s key ${key.prefix}${where}`;
}
