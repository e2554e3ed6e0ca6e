import type { FoldedAddress } from "../../model/address.ts";
import { byCodeUnit, type RoleSet } from "../../model/role-set.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import type { Draft } from "../draft.ts";
import type { HeldKey } from "../facts.ts";
import type { Question } from "../question.ts";
import { keySubject, seen } from "../subjects.ts";
import { type RosterNames, rosterNames } from "./named-keys.ts";
import { tellUnread } from "./tell-unread.ts";

interface Ground {
  readonly names: RosterNames;
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
export function findUnlistedKeys(question: Question, keyInUse: string | undefined): readonly Draft[] {
  const { roster, state, policy, facts } = question;
  if (!policy.reportUnmanaged) return [];
  const { privilegedRoles, requiredAdmins } = policy.guards;
  const allowed = privilegedRoles === "off" ? [] : privilegedRoles.people;
  const ground: Ground = {
    names: rosterNames(roster, state),
    privileged: policy.privilegedRoles,
    trusted: new Set([...allowed, ...requiredAdmins]),
    keyInUse,
  };
  const users = [...facts.people.values()].flat();
  const held = users.flatMap((holder) => keysOf(holder).map((key) => ({ holder, key })));
  return [...once(held.flatMap((one) => tell(one, ground))), ...tellUnread(question)];
}

/** A prefix that two people are shown with is one key. */
function once(drafts: readonly Draft[]): readonly Draft[] {
  const first = new Map<string, Draft>();
  for (const draft of drafts) {
    const sameness = JSON.stringify([draft.code, draft.subject]);
    if (!first.has(sameness)) first.set(sameness, draft);
  }
  return [...first.values()];
}

/** Keys that open something, each once, in an order of their own. */
function keysOf({ status, keys = [] }: ObservedUser): readonly ObservedKey[] {
  const word = accountStatus(status);
  if (word === "barred" || word === "deleted") return [];
  const open = keys.filter((key) => !["barred", "deleted"].includes(accountStatus(key.status)));
  return [...open].sort((a, b) => byCodeUnit(a.prefix, b.prefix));
}

function tell(held: HeldKey, ground: Ground): readonly Draft[] {
  const { holder, key } = held;
  const naming = ground.names.naming(key, holder);
  if (naming === "managed" || key.prefix === ground.keyInUse) return [];
  const user = ground.names.userAt(holder.address);
  const isTrusted = ground.trusted.has(user?.address ?? holder.address);
  const privileges = isTrusted ? [] : (key.roles ?? []).filter((role) => ground.privileged.includes(role));
  const concerns = user === undefined ? [] : [{ address: user.address }];
  if (privileges.length > 0) {
    const because = user === undefined ? [] : user.because.slice(0, 1);
    return privileges.map((role) => ({ ...tellPrivilege(held, role, user?.email), because, concerns }));
  }
  if (user === undefined || naming !== "unlisted") return [];
  return [{ ...tellUnlisted(held), because: user.because.slice(0, 1), concerns }];
}

function tellPrivilege({ holder, key }: HeldKey, role: string, named: string | undefined) {
  const what = named === undefined ? "names neither the person nor the key" : "does not say which roles the key has";
  return {
    code: named === undefined ? "unmanaged-privilege" : "unlisted-key-privilege",
    subject: `${role} on ${keySubject(key.prefix)}`,
    message:
      `${whose({ holder, key })} carries ${role}, and the roster ${what}: somebody may administer others without anybody having ` +
      "reviewed it. Have the role taken away, write the key with its roles into the roster, or list the person under `guards.privileged-roles.people` in the settings.",
    restsOn: [seen(`roles of ${keySubject(key.prefix)}`, (key.roles ?? []).join(", "), holder.by)],
  } as const;
}

function tellUnlisted({ holder, key }: HeldKey) {
  return {
    code: "unlisted-key",
    subject: keySubject(key.prefix),
    message:
      `${whose({ holder, key })} is not in the roster, although the person is. Nothing is done with it; ` +
      "write it under `keys:`, or its team under `teams:`, to have its roles managed.",
    restsOn: [seen(keySubject(key.prefix), `key of ${holder.address}`, holder.by)],
  } as const;
}

function whose({ holder, key }: HeldKey): string {
  const { team } = key;
  const where = team === undefined || team === "none" || team.name === undefined ? "" : ` in the team ${team.name}`;
  return `${holder.email}'s key ${key.prefix}${where}`;
}
