import { joinList, say } from "../../codes/message.ts";
import { type CreateUser, prefixOf, type ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import { factValue } from "../../model/fact.ts";
import { isDeleted } from "../../model/key.ts";
import { membershipKeyOf } from "../../model/membership.ts";
import type { NamesInCalls } from "../../model/plan.ts";
import { type RoleSet, roleSet, rolesWithout } from "../../model/role-set.ts";
import { formatSubject, keySubject, type Subject, subjectAddress, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { rolesFact, teamKeyFact } from "./call-facts.ts";
import type { GuardInput, Hold, Withheld } from "./guard-types.ts";
import { holdersOf, holdOn, nameOfKey, settingBasis, withheldFrom } from "./hold-on.ts";

interface PrivilegeGain extends Withheld {
  /** The person, or the key where nobody is known to hold it. */
  readonly subject: Subject;
  readonly who: string;
  readonly roles: RoleSet;
  /** Such as `on the team key in Red`. */
  readonly how: string;
}

/**
 * Protects from giving anybody the power over others in passing: on a key that is given roles, or on one that the creation of a
 * team gives, be it for a moment alone. A person who holds such a role on any key already does not gain it. Who holds a key is
 * what reads show or records say: the roster's word alone makes nobody its holder.
 */
export function privilegedRoles({ context, actions, ...names }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const { privilegedRoles: settings } = guards;
  if (settings === "off") return [];
  const gains = actions.flatMap((action) => {
    if (action.kind === "create-user") return gainByTeamCreation(action, settings.roles, context);
    return action.kind === "replace-roles" ? gainByRoles(action, settings.roles, context, names) : [];
  });
  const setting = settingBasis("guards.privileged-roles", joinList(settings.roles), guards);
  // One hold for each person, however many keys it is about.
  const held = gains.filter(({ subject }) => !settings.people.some((one) => one === subjectAddress(subject)));
  return [...groupBy(held, ({ subject }) => formatSubject(subject)).values()].map((group) => {
    const [{ subject, who }] = group;
    const roles = roleSet(group.flatMap((gain) => gain.roles));
    const where = [...new Set(group.map(({ how }) => how))];
    const source = setting.length === 0 ? "default" : undefined;
    const texts = say("privileged-roles", { who, roles, where, source });
    return { ...holdOn(subject, group, setting, texts), roles };
  });
}

/** What the first member's key is created with: as wanted, or for a moment because the service has nothing harmless. */
function gainByTeamCreation(action: CreateUser, privileged: RoleSet, context: PlanContext): readonly PrivilegeGain[] {
  const { address, user, createsTeam } = action;
  const roles = (createsTeam?.accessKeyRoles ?? []).filter((role) => privileged.includes(role));
  if (createsTeam === undefined || roles.length === 0) return [];
  const { team, name, temporaryRoles } = createsTeam;
  const isTemporary = roles.every((role) => temporaryRoles.includes(role));
  const what = isTemporary ? `${joinList(roles)} for a short time` : joinList(roles);
  return [
    {
      action,
      subject: userSubject(address),
      who: user.email,
      roles,
      how: `when team ${name} is created${isTemporary ? ", for a short time" : ""}`,
      target: isTemporary ? { of: "team", team } : { of: "privilege", place: membershipKeyOf(team, address) },
      facts: [teamKeyFact(what, address, team, context)],
    },
  ];
}

function gainByRoles(
  action: ReplaceRoles,
  privileged: RoleSet,
  context: PlanContext,
  names: NamesInCalls,
): readonly PrivilegeGain[] {
  const { id, key, before } = action;
  const asked = action.roles.filter((role) => privileged.includes(role));
  if (asked.length === 0) return [];
  const address = knownHolder(action, context);
  const held = address === undefined ? [] : rolesHeldBy(address, context);
  const roles = rolesWithout(asked, [...(factValue(before) ?? []), ...held]);
  if (roles.length === 0) return [];
  const email = key.address && names.users.get(key.address)?.email;
  const withheld = withheldFrom(undefined, action, [rolesFact(joinList(roles), action, context)]);
  const gain = { ...withheld, roles, how: `on ${nameOfKey(action, names)}` };
  if (address !== undefined) return [{ ...gain, subject: userSubject(address), who: email ?? address }];
  const prefix = prefixOf(action) ?? id;
  const claim = email === undefined ? "" : ` (only the roster says that this is ${email})`;
  return [{ ...gain, subject: keySubject(prefix), who: `The holder of the key ${prefix}${claim}` }];
}

/** The holder by reads and records: undefined where only the roster names one. */
function knownHolder({ key }: ReplaceRoles, context: PlanContext): EmailKey | undefined {
  if (key.of !== "prefix" || (key.address !== undefined && key.prefix.known !== "declared")) return key.address;
  return holdersOf(key.prefix.value, context)[0];
}

function rolesHeldBy(address: EmailKey, { facts }: PlanContext): RoleSet {
  const keys = (facts.people.get(address) ?? []).flatMap((user) => user.keys ?? []);
  return keys.flatMap((key) => (isDeleted(key) ? [] : (key.roles ?? [])));
}
