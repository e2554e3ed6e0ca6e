import { foldDomain, unsafeAddressReason } from "../../model/address.ts";
import { allowableCodes } from "../../model/allowance.ts";
import type { Place } from "../../model/fact.ts";
import { holdNames, stopNames } from "../../model/guard-names.ts";
import {
  defaultGuards,
  type GuardSettings,
  locatedSettings,
  type ProtectedResources,
  type SettingPlaces,
} from "../../model/policy.ts";
import { roleSet } from "../../model/role-set.ts";
import { address } from "../../roster/decode-text.ts";
import {
  andThen,
  type Decoder,
  list,
  number,
  object,
  oneOf,
  optional,
  required,
  text,
  wholeNumber,
} from "../../yaml/decode.ts";
import type { Node } from "../../yaml/source-text.ts";

const folded = andThen(address, (found) => found.address);

const domain = andThen(text, (written, cursor) => {
  const bare = written.replace(/^@/u, "");
  if (unsafeAddressReason(`somebody@${bare}`) === undefined) return foldDomain(bare);
  const message = `${cursor.name} is no domain: \`${written}\`.`;
  return cursor.fault(message, "Write it like `acme.example`.");
});

const count = wholeNumber({ least: 0 });
const share = number({ least: 0, most: 1 });
const onOrOff = oneOf(["on", "off"]);

function orOff<T>(decoder: Decoder<T>): Decoder<T | "off"> {
  return (cursor) => (cursor.node.kind === "scalar" && cursor.node.text === "off" ? "off" : decoder(cursor));
}

const usualPrivileges = defaultGuards.privilegedRoles === "off" ? [] : defaultGuards.privilegedRoles.roles;

const privilegedRoles = andThen(
  object({ roles: optional(list(text), usualPrivileges), people: optional(list(folded), []) }),
  ({ roles, people }) => ({ roles: roleSet(roles), people }),
);

const minAdmins = object(
  { role: optional(text, "ACCOUNT_ADMIN"), count: required(count) },
  { hint: "Write `{ role: ACCOUNT_ADMIN, count: 2 }`." },
);

const guardFields = {
  "allowed-email-domains": optional(list(domain)),
  "near-duplicate": optional(onOrOff),
  "privileged-roles": optional(orOff(privilegedRoles)),
  "max-new-users": optional(orOff(count)),
  "max-invitations": optional(orOff(count)),
  "max-role-removals": optional(orOff(object({ ratio: optional(share, 0.25), floor: optional(count, 10) }))),
  "min-admins": optional(orOff(minAdmins)),
  "required-admins": optional(list(folded)),
};

/** The guards that have settings. */
export const guardSettingNames: readonly string[] = Object.keys(guardFields);

const guardsWithoutSettings = new Map([
  ...[...holdNames, ...stopNames]
    .filter((name) => !guardSettingNames.includes(name))
    .map((name) => [name, howToPass(name)] as const),
  ["protected", "Write `protect:` at the top level, like `guards:`."],
]);

function howToPass(guard: string): string {
  const isAllowable = allowableCodes.some((code) => code === guard);
  return isAllowable ? "It can be allowed with the `--allow` code that a plan prints." : "It is always on.";
}

/** The guards as a settings file sets them; what it does not name keeps its default. */
export type WrittenGuards = Partial<Omit<GuardSettings, "protected">>;

export const guards: Decoder<WrittenGuards> = andThen(
  object(guardFields, { insteadOf: guardsWithoutSettings }),
  (set, { node }) => ({ ...camelCaseKeys(set), ...guardPlaces(node) }),
);

type CamelCase<Name> = Name extends `${infer Word}-${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name;

function camelCaseKeys<T extends object>(values: T): { readonly [Name in keyof T as CamelCase<Name>]: T[Name] } {
  const renamed = Object.entries(values).map(([name, value]) => [
    name.replace(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(renamed) as { readonly [Name in keyof T as CamelCase<Name>]: T[Name] };
}

/** Where the guards stand whose findings name their line. */
function guardPlaces(node: Node): Pick<WrittenGuards, "setAt"> {
  const placed = (node.kind === "map" ? node.entries : []).flatMap(({ key }) => {
    const setting = locatedSettings.find((name) => name === `guards.${key.text}`);
    return setting === undefined ? [] : [[setting, key.place] as const];
  });
  return placed.length === 0 ? {} : { setAt: Object.fromEntries(placed) };
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

/** The people and keys that no plan changes. */
export const protect: Decoder<ProtectedResources> = object({
  users: optional(list(folded), []),
  keys: optional(list(text), []),
});
