import type { Action, CreateUser, ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import { groupBy, type RoleSet, roleSet, rolesWithout } from "../../model/role-set.ts";
import { accountStatus } from "../../model/snapshot.ts";
import { type Basis, formatSubject, keySubject, type Subject, userSubject } from "../../model/subject.ts";
import { membershipKeyOf } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import { joinList } from "../finding-draft.ts";
import {
  type GuardInput,
  type Hold,
  type HoldGuard,
  type HoldTarget,
  holdOn,
  rolesFact,
  settingBasis,
  teamKeyFact,
  type WithheldEffect,
  withheldEffect,
} from "./guard-types.ts";

/**
 * Protects from giving anybody the power over others in passing: nobody gains a privileged role by this plan, on a key that
 * is given roles or on one that the creation of a team gives, be it for a moment alone. A person who holds such a role on any key
 * already, as read or as our last replacement left it, does not gain it. Who holds a key is what reads show or records say:
 * the roster's word alone makes nobody its holder. The roles are those that administer unless set; people who may have them stand
 * under `guards.privileged-roles.people`.
 */
export const privilegedRoles: HoldGuard = { name: "privileged-roles", check };

interface PrivilegeGain extends WithheldEffect {
  readonly subject: Subject;
  /** Undefined where nobody is known to hold the key. */
  readonly address: EmailKey | undefined;
  /** The person, or the key of nobody known. */
  readonly who: string;
  readonly roles: RoleSet;
  /** Such as `on the team key in Red`. */
  readonly how: string;
}

function check({ context, actions }: GuardInput): readonly Hold[] {
  const { privilegedRoles: settings } = context.policy.guards;
  if (settings === "off") return [];
  const gains = actions
    .flatMap((action) => gainsBy(action, settings.roles, context))
    .filter(({ address }) => address === undefined || !settings.people.includes(address));
  const bySubject = groupBy(gains, ({ subject }) => formatSubject(subject));
  const setting = settingBasis("guards.privileged-roles", joinList(settings.roles), context.policy.guards);
  return [...bySubject.values()].map((of) => privilegeHold(of, setting));
}

function gainsBy(action: Action, privileged: RoleSet, context: PlanContext): readonly PrivilegeGain[] {
  switch (action.kind) {
    case "create-user":
      return gainByTeamCreation(action, privileged);
    case "add-members":
      return [];
    case "replace-roles":
      return gainByRoles(action, privileged, context);
  }
}

/** What the first member's key is created with: as wanted, or for a moment because the service has nothing harmless. */
function gainByTeamCreation(action: CreateUser, privileged: RoleSet): readonly PrivilegeGain[] {
  const { address, user, createsTeam } = action;
  const roles = (createsTeam?.accessKeyRoles ?? []).filter((role) => privileged.includes(role));
  if (createsTeam === undefined || roles.length === 0) return [];
  const momentary = roles.every((role) => createsTeam.temporaryRoles.includes(role));
  const place = membershipKeyOf(createsTeam.team, address);
  const withheld: HoldTarget = momentary ? { of: "team", team: createsTeam.team } : { of: "privilege", place };
  const how = `when team ${createsTeam.name} is created${momentary ? ", for a short time" : ""}`;
  const change = `${joinList(roles)}${momentary ? " for a short time" : ""}`;
  const effect = withheldEffect(action, address, withheld, [teamKeyFact(change, address, createsTeam.team)]);
  return [{ subject: userSubject(address), address, who: user.email, roles, how, ...effect }];
}

function gainByRoles(action: ReplaceRoles, privileged: RoleSet, context: PlanContext): readonly PrivilegeGain[] {
  const asked = action.roles.filter((role) => privileged.includes(role));
  if (asked.length === 0) return [];
  const address = knownHolder(action, context);
  const had = roleSet([...(factValue(action.before) ?? []), ...rolesHeldBy(address, context)]);
  const roles = rolesWithout(asked, had);
  if (roles.length === 0) return [];
  const { key, id } = action;
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const subject = address === undefined ? keySubject(prefix ?? id) : userSubject(address);
  const who = address === undefined ? unknownHolder(action, prefix ?? id) : (action.owner?.email ?? address);
  const fact = rolesFact(joinList(roles), action, context.state);
  const effect = withheldEffect(action, address, { of: "part", action: id }, [fact]);
  return [{ subject, address, who, roles, how: describeGainKey(action), ...effect }];
}

/** The holder by reads and records: undefined where only the roster names one. */
function knownHolder({ key, owner }: ReplaceRoles, { holders }: PlanContext): EmailKey | undefined {
  if (key.of !== "prefix") return owner?.address ?? key.address;
  if (owner !== undefined && key.prefix.known !== "declared") return owner.address;
  const prefix = factValue(key.prefix) ?? "";
  return holders.shown(prefix)[0]?.holder.address ?? holders.recorded(prefix)[0]?.address;
}

function unknownHolder({ owner }: ReplaceRoles, prefix: string): string {
  const who = `The holder of the key ${prefix}`;
  return owner === undefined ? who : `${who} (only the roster says that this is ${owner.email})`;
}

function rolesHeldBy(address: EmailKey | undefined, { facts }: PlanContext): RoleSet {
  if (address === undefined) return [];
  const keys = (facts.people.get(address) ?? []).flatMap(({ keys: held }) => held ?? []);
  return keys.flatMap(({ roles, status }) => (accountStatus(status) === "deleted" ? [] : (roles ?? [])));
}

function describeGainKey({ key }: ReplaceRoles): string {
  switch (key.of) {
    case "own-key":
      return "on their own key";
    case "team-key":
      return `on the team key in ${key.team.name}`;
    case "prefix":
      return `on the key ${factValue(key.prefix)}${key.team === undefined ? "" : ` in ${key.team.name}`}`;
  }
}

/** One hold for each person, however many keys it is about. */
function privilegeHold(gains: readonly [PrivilegeGain, ...PrivilegeGain[]], setting: readonly Basis[]): Hold {
  const [{ subject, who }] = gains;
  const roles = roleSet(gains.flatMap((gain) => gain.roles));
  const message =
    `${who} would gain ${joinList(roles)} ${joinList([...new Set(gains.map(({ how }) => how))])}. ` +
    `The guard holds this change${setting.length === 0 ? " by default" : ""}. Remove the role from the roster, or list the user under \`guards.privileged-roles.people\` in the settings (in CI: outside the checkout).`;
  return { ...holdOn(subject, gains, setting, message), roles };
}
