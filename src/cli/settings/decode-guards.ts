import { type FoldedAddress, foldAddress, looksLikeAddress, unsafeAddressReason } from "../../model/address.ts";
import type { Place } from "../../model/fact.ts";
import {
  defaultGuards,
  type GuardSettings,
  holdNames,
  locatedSettings,
  type MinAdmins,
  type PrivilegedRoles,
  type ProtectedResources,
  type RoleRemovals,
  type SettingPlaces,
  stopNames,
} from "../../model/policy.ts";
import { roleSet } from "../../model/role-set.ts";
import type { MapNode, Node } from "../../yaml/tree.ts";
import { fieldsOf, listOf, mapAt, numberAt, type ReportProblem, textAt } from "./decode-nodes.ts";

/** The guards as a settings file sets them; what it does not name keeps its default. */
export type WrittenGuards = Partial<Omit<GuardSettings, "protected">>;

type Read = (node: Node, name: string, report: ReportProblem) => WrittenGuards;

const guardReaders: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["allowed-email-domains", (node, name, report) => ({ allowedEmailDomains: listOf(node, name, report, domainAt) })],
  ["near-duplicate", (node, name, report) => setIfRead("nearDuplicate", switchAt(node, name, report))],
  ["privileged-roles", (node, name, report) => setIfRead("privilegedRoles", orOff(node, name, report, privilegedAt))],
  ["renamed-team", (node, name, report) => setIfRead("renamedTeam", switchAt(node, name, report))],
  ["max-new-users", (node, name, report) => setIfRead("maxNewUsers", orOff(node, name, report, countAt))],
  ["max-invitations", (node, name, report) => setIfRead("maxInvitations", orOff(node, name, report, countAt))],
  ["max-role-removals", (node, name, report) => setIfRead("maxRoleRemovals", orOff(node, name, report, removalsAt))],
  ["min-admins", (node, name, report) => setIfRead("minAdmins", orOff(node, name, report, fewestAt))],
  ["required-admins", (node, name, report) => ({ requiredAdmins: listOf(node, name, report, addressAt) })],
  ["incomplete-snapshot", (node, name, report) => setIfRead("incompleteSnapshot", orOff(node, name, report, shareAt))],
]);

/** The guards that have settings. */
export const guardSettingNames: readonly string[] = [...guardReaders.keys()];

const guardsWithoutSettings: readonly string[] = [...holdNames, ...stopNames].filter((name) => !guardReaders.has(name));

/** Decodes `guards:`, each guard's options under its name. */
export function decodeGuards(node: Node | undefined, report: ReportProblem): WrittenGuards | undefined {
  const guards = node === undefined ? undefined : mapAt(node, "guards", report);
  if (guards === undefined) return undefined;
  const known = guards.entries.filter(({ key }) => {
    if (!guardsWithoutSettings.includes(key.text)) return true;
    const hint =
      key.text === "protected"
        ? "Write `protect:` beside `guards:`."
        : `It can be allowed for one plan with --allow ${key.text}@PLANID.`;
    report(key, `The guard ${key.text} has no settings.`, hint);
    return false;
  });
  const fields = fieldsOf({ ...guards, entries: known }, "guards", guardSettingNames, report);
  const read = [...fields].map(([name, value]) => guardReaders.get(name)?.(value, `guards.${name}`, report));
  return Object.assign({}, ...read, placesIn(guards));
}

/** Where the guards stand whose findings name their line. */
function placesIn({ entries }: MapNode): WrittenGuards {
  const placed = entries.flatMap(({ key }) => {
    const setting = locatedSettings.find((name) => name === `guards.${key.text}`);
    return setting === undefined ? [] : [[setting, key.place] as const];
  });
  return placed.length === 0 ? {} : { setAt: Object.fromEntries(placed) };
}

/** Decodes `protect:`, the people and keys that no action touches. */
export function decodeProtect(node: Node | undefined, report: ReportProblem): ProtectedResources | undefined {
  const protect = node === undefined ? undefined : mapAt(node, "protect", report);
  if (protect === undefined) return undefined;
  const fields = fieldsOf(protect, "protect", ["users", "keys"], report);
  const [users, keys] = [fields.get("users"), fields.get("keys")];
  return {
    users: users === undefined ? [] : listOf(users, "protect.users", report, addressAt),
    keys: keys === undefined ? [] : listOf(keys, "protect.keys", report, textAt),
  };
}

/** The guards that are in force. */
export function guardsInForce(
  written: WrittenGuards = {},
  protect: ProtectedResources = defaultGuards.protected,
  protectAt?: Place,
): GuardSettings {
  const inForce = { ...defaultGuards, ...written, protected: protect };
  if (protectAt === undefined) return inForce;
  const setAt: SettingPlaces = { ...written.setAt, protect: protectAt };
  return { ...inForce, setAt };
}

function setIfRead<K extends keyof WrittenGuards>(key: K, value: WrittenGuards[K] | undefined): WrittenGuards {
  return value === undefined ? {} : { [key]: value };
}

function orOff<T>(
  node: Node,
  name: string,
  report: ReportProblem,
  read: (node: Node, name: string, report: ReportProblem) => T | undefined,
): T | "off" | undefined {
  return node.kind === "scalar" && node.text === "off" ? "off" : read(node, name, report);
}

function switchAt(node: Node, name: string, report: ReportProblem): "on" | "off" | undefined {
  if (node.kind === "scalar" && (node.text === "on" || node.text === "off")) return node.text;
  return report(node, `${name} is on or off.`);
}

function countAt(node: Node, name: string, report: ReportProblem): number | undefined {
  return numberAt(
    node,
    { name, is: "a whole number", fits: (value) => Number.isSafeInteger(value) && value >= 0 },
    report,
  );
}

function shareAt(node: Node, name: string, report: ReportProblem): number | undefined {
  return numberAt(node, { name, is: "a number from 0 to 1", fits: (value) => value >= 0 && value <= 1 }, report);
}

function addressAt(node: Node, name: string, report: ReportProblem): FoldedAddress | undefined {
  const text = textAt(node, name, report);
  if (text === undefined) return undefined;
  return looksLikeAddress(text) ? foldAddress(text) : report(node, `${name}: ${text} is no e-mail address.`);
}

/** Folded as the domains of addresses are, so that both spellings of an international name are one. */
function domainAt(node: Node, name: string, report: ReportProblem): string | undefined {
  const text = textAt(node, name, report)?.replace(/^@/u, "");
  if (text === undefined) return undefined;
  if (unsafeAddressReason(`somebody@${text}`) !== undefined)
    return report(node, `${name}: ${text} is no domain.`, "Write it like acme.example.");
  return foldAddress(`somebody@${text}`).slice("somebody@".length);
}

function privilegedAt(node: Node, name: string, report: ReportProblem): PrivilegedRoles | undefined {
  const map = mapAt(node, name, report);
  if (map === undefined) return undefined;
  const fields = fieldsOf(map, name, ["roles", "people"], report);
  const [roles, people] = [fields.get("roles"), fields.get("people")];
  const { privilegedRoles } = defaultGuards;
  const usual = privilegedRoles === "off" ? [] : privilegedRoles.roles;
  return {
    roles: roles === undefined ? usual : roleSet(listOf(roles, `${name}.roles`, report, textAt)),
    people: people === undefined ? [] : listOf(people, `${name}.people`, report, addressAt),
  };
}

function removalsAt(node: Node, name: string, report: ReportProblem): RoleRemovals | undefined {
  const map = mapAt(node, name, report);
  if (map === undefined) return undefined;
  const fields = fieldsOf(map, name, ["ratio", "floor"], report);
  const [ratio, floor] = [fields.get("ratio"), fields.get("floor")];
  return {
    ratio: (ratio === undefined ? undefined : shareAt(ratio, `${name}.ratio`, report)) ?? 0.25,
    floor: (floor === undefined ? undefined : countAt(floor, `${name}.floor`, report)) ?? 10,
  };
}

function fewestAt(node: Node, name: string, report: ReportProblem): MinAdmins | undefined {
  const map = mapAt(node, name, report);
  if (map === undefined) return undefined;
  const fields = fieldsOf(map, name, ["role", "count"], report);
  const [role, count] = [fields.get("role"), fields.get("count")];
  if (count === undefined) return report(node, `${name} lacks its count.`, "Write { role: ACCOUNT_ADMIN, count: 2 }.");
  const number = countAt(count, `${name}.count`, report);
  const named = role === undefined ? "ACCOUNT_ADMIN" : textAt(role, `${name}.role`, report);
  return number === undefined || named === undefined ? undefined : { role: named, count: number };
}
