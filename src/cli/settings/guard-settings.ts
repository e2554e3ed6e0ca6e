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
import { domainSchema } from "../../roster/new-address.ts";
import {
  andThen,
  type Decoder,
  decoder,
  described,
  list,
  number,
  object,
  oneOf,
  optional,
  required,
  text,
  usually,
  whenSchema,
  wholeNumber,
} from "../../yaml/decode.ts";
import type { Node } from "../../yaml/source-text.ts";

const folded = andThen(address, (found) => found.address);

export const domain = andThen(
  text,
  (written, cursor) => {
    const bare = written.replace(/^@/u, "");
    if (unsafeAddressReason(`somebody@${bare}`) === undefined) return foldDomain(bare);
    const message = `${cursor.name} is no domain: \`${written}\`.`;
    return cursor.fault(message, "Write it like `acme.example`.");
  },
  domainSchema,
);

const count = wholeNumber({ least: 0 });
const share = number({ least: 0, most: 1 });
const onOrOff = oneOf(["on", "off"]);

function orOff<T>(decode: Decoder<T>): Decoder<T | "off"> {
  return decoder(whenSchema({ type: "string" }, { const: "off" }, decode.schema), (cursor) =>
    cursor.node.kind === "scalar" && cursor.node.text === "off" ? "off" : decode(cursor),
  );
}

const usualPrivileges = defaultGuards.privilegedRoles === "off" ? [] : defaultGuards.privilegedRoles.roles;

const privilegedRoles = andThen(
  object({
    roles: optional(
      described(usually(list(text), usualPrivileges), "The privileged roles.", ["ACCOUNT_ADMIN"]),
      usualPrivileges,
    ),
    people: optional(
      described(usually(list(folded), []), "The addresses of the people who may get these roles.", [
        "ada@acme.example",
      ]),
      [],
    ),
  }),
  ({ roles, people }) => ({ roles: roleSet(roles), people }),
);

const roleRemovals = object({
  ratio: optional(
    described(usually(share, 0.25), "The maximum share of keys that may lose roles: 0.25 means a quarter of them."),
    0.25,
  ),
  floor: optional(described(usually(count, 10), "The number of keys that may always lose roles."), 10),
});

const minAdmins = object(
  {
    role: optional(described(usually(text, "ACCOUNT_ADMIN"), "The role that these people must have."), "ACCOUNT_ADMIN"),
    count: required(described(count, "The number of people who must have the role.", 2)),
  },
  { hint: "Write `{ role: ACCOUNT_ADMIN, count: 2 }`." },
);

const guardFields = {
  "allowed-email-domains": optional(
    described(list(domain), "The domains in which users may be created and added to teams.", ["acme.example"]),
  ),
  "near-duplicate": optional(
    described(
      usually(onOrOff, defaultGuards.nearDuplicate),
      "Whether to hold a new user who is similar to an existing user.",
    ),
  ),
  "privileged-roles": optional(
    described(
      usually(orOff(privilegedRoles), defaultGuards.privilegedRoles),
      "The roles to hold, and the people who may get them.",
    ),
  ),
  "max-new-users": optional(
    described(
      usually(orOff(count), defaultGuards.maxNewUsers),
      "The maximum number of users that one plan may create.",
    ),
  ),
  "max-invitations": optional(
    described(
      usually(orOff(count), defaultGuards.maxInvitations),
      "The maximum number of invitations in one plan: one for each person and team.",
    ),
  ),
  "max-role-removals": optional(
    described(
      usually(orOff(roleRemovals), defaultGuards.maxRoleRemovals),
      "The maximum share of keys that may lose roles in one plan. `floor` is a number that is always allowed.",
    ),
  ),
  "min-admins": optional(
    described(
      usually(orOff(minAdmins), defaultGuards.minAdmins),
      "The number of people who must have a role after a plan.",
      { role: "ACCOUNT_ADMIN", count: 2 },
    ),
  ),
  "required-admins": optional(
    described(
      usually(list(folded), defaultGuards.requiredAdmins),
      "The people who must keep their last privileged role.",
      ["ada@acme.example"],
    ),
  ),
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
  users: optional(described(usually(list(folded), []), "Addresses of users.", ["ada@acme.example"]), []),
  keys: optional(described(usually(list(text), []), "Key prefixes.", ["12pref1x121"]), []),
});
