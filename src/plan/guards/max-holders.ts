import type { GuardName } from "../../model/policy.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { type FindingDraft, truncateList } from "../finding-draft.ts";
import { type GuardInput, type StopGuard, settingBasis } from "./guard-types.ts";
import { type HeldKey, HeldRoles, reasonsFor, reportUnseenRoles } from "./held-roles.ts";

/**
 * Protects from a role that too many people hold, over all keys, teams and accounts: no plan gives the role to anybody where more
 * people than set would hold it afterwards. Where it is set, plans read all users. Off until set; allowed with
 * `--allow max-holders@PLANID`.
 */
export const maxHolders: StopGuard = { name: "max-holders", check };

function check(input: GuardInput): string | undefined {
  const objections = compareHolders(input).roles.flatMap(({ role, most, after, gain }) => {
    if (gain.length === 0 || after.length <= most) return [];
    return [
      `The plan gives ${role} to ${truncateList(gain)}. Then ${usersWould(after.length)} have it: ${truncateList(after)}. ${atMost(most)}`,
    ];
  });
  return objections.length === 0 ? undefined : objections.join(" ");
}

/** Who holds a limited role after the plan, and who gains it. */
interface RoleHolders {
  readonly role: string;
  readonly most: number;
  readonly after: readonly string[];
  readonly gain: readonly string[];
  /** The keys that have it after the plan. */
  readonly keys: readonly HeldKey[];
}

/** `unseen`: the people of whom not all roles are known. */
interface HoldersComparison {
  readonly roles: readonly RoleHolders[];
  readonly unseen: readonly string[];
}

function compareHolders(input: GuardInput): HoldersComparison {
  const { maxHolders: limits } = input.context.policy.guards;
  if (limits.size === 0) return { roles: [], unseen: [] };
  const before = new HeldRoles(input);
  const after = new HeldRoles(input).apply(input.actions);
  const roles = [...limits]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([role, most]) => {
      const held = keysWith(role, after);
      const had = new Set(keysWith(role, before).map(({ holder }) => holder.name));
      const names = [...new Set(held.map(({ holder }) => holder.name))];
      return { role, most, after: names, gain: names.filter((name) => !had.has(name)), keys: held };
    });
  return { roles, unseen: after.unseen() };
}

function keysWith(role: string, held: HeldRoles): readonly HeldKey[] {
  return held.holders().flatMap(([, keys]) => keys.filter(({ roles }) => roles !== "unknown" && roles.includes(role)));
}

function usersHave(count: number, when: "now" | "then"): string {
  if (when === "then") return count === 1 ? "1 user will have" : `${count} users will have`;
  return count === 1 ? "1 user has" : `${count} users have`;
}

function usersWould(count: number): string {
  return count === 1 ? "1 user would" : `${count} users would`;
}

function atMost(most: number): string {
  return `At most ${most} ${most === 1 ? "is" : "are"} allowed.`;
}

/** Roles that too many people have after a plan that this guard does not refuse; and what could not be checked. */
export function reportMaxHolders(input: GuardInput, refusing: ReadonlySet<GuardName>): readonly FindingDraft[] {
  const { context } = input;
  const { guards } = context.policy;
  if (guards.maxHolders.size === 0) return [];
  const { roles, unseen } = compareHolders(input);
  const exceeded = roles
    .filter(({ most, after, gain }) => after.length > most && (gain.length === 0 || !refusing.has("max-holders")))
    .map(({ role, most, after, gain, keys }): FindingDraft => {
      const { because, restsOn = [] } = reasonsFor(keys);
      return {
        code: "max-holders-exceeded",
        subject: { kind: "role", role },
        message:
          `${usersHave(after.length, gain.length === 0 ? "now" : "then")} ${role}: ${truncateList(after)}. ${atMost(most)} ` +
          "Remove the role in the roster. If roster does not manage the key, remove the role in the service.",
        because,
        restsOn: [...settingBasis("guards.max-holders", `${most} for ${role}`, guards), ...restsOn],
        concerns: [],
      };
    });
  return [...exceeded, ...reportUnseenRoles("guards.max-holders", unseen, context, "everyone")];
}
