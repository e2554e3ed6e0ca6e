import { holdNames, stopNames } from "../../codes/guards.ts";
import type { GuardOptions } from "../../library/policy.ts";
import { unsafeAddressReason } from "../../model/address.ts";
import { allowableCodes } from "../../model/allowance.ts";
import { defaultGuards, type GuardSettings, locatedSettings } from "../../model/policy.ts";
import { address } from "../../roster/decode-text.ts";
import { domainSchema } from "../../roster/new-address.ts";
import {
  andThen,
  type Decoder,
  decoder,
  list,
  number,
  object,
  oneOf,
  optional,
  required,
  text,
  whenSchema,
  wholeNumber,
} from "../../yaml/decode.ts";
import type { Node } from "../../yaml/source-text.ts";

const addresses = list(andThen(address, ({ value }) => value));

export const domain = andThen(
  text,
  (written, cursor) => {
    if (unsafeAddressReason(`somebody@${written.replace(/^@/u, "")}`) === undefined) return written;
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

const privilegedRoles = object({
  roles: optional(list(text), {
    about: "The privileged roles.",
    examples: [["ACCOUNT_ADMIN"]],
    default: usualPrivileges,
    otherwise: usualPrivileges,
  }),
  people: optional(addresses, {
    about: "The addresses of the people who may get these roles.",
    examples: [["ada@acme.example"]],
    default: [],
    otherwise: [],
  }),
});

const roleRemovals = object({
  ratio: optional(share, {
    about: "The maximum share of keys that may lose roles: 0.25 means a quarter of them.",
    default: 0.25,
    otherwise: 0.25,
  }),
  floor: optional(count, { about: "The number of keys that may always lose roles.", default: 10, otherwise: 10 }),
});

const minAdmins = object(
  {
    role: optional(text, {
      about: "The role that these people must have.",
      default: "ACCOUNT_ADMIN",
      otherwise: "ACCOUNT_ADMIN",
    }),
    count: required(count, { about: "The number of people who must have the role.", examples: [2] }),
  },
  { hint: "Write `{ role: ACCOUNT_ADMIN, count: 2 }`." },
);

const guardFields = {
  "allowed-email-domains": optional(list(domain), {
    about: "The domains in which users may be created and added to teams.",
    examples: [["acme.example"]],
  }),
  "near-duplicate": optional(onOrOff, {
    about: "Whether to hold a new user who is similar to an existing user.",
    default: defaultGuards.nearDuplicate,
  }),
  "privileged-roles": optional(orOff(privilegedRoles), {
    about: "The roles to hold, and the people who may get them.",
    default: defaultGuards.privilegedRoles,
  }),
  "max-new-users": optional(orOff(count), {
    about: "The maximum number of users that one plan may create.",
    default: defaultGuards.maxNewUsers,
  }),
  "max-invitations": optional(orOff(count), {
    about: "The maximum number of invitations in one plan: one for each person and team.",
    default: defaultGuards.maxInvitations,
  }),
  "max-role-removals": optional(orOff(roleRemovals), {
    about: "The maximum share of keys that may lose roles in one plan. `floor` is a number that is always allowed.",
    default: defaultGuards.maxRoleRemovals,
  }),
  "min-admins": optional(orOff(minAdmins), {
    about: "The number of people who must have a role after a plan.",
    examples: [{ role: "ACCOUNT_ADMIN", count: 2 }],
    default: defaultGuards.minAdmins,
  }),
  "required-admins": optional(addresses, {
    about: "The people who must keep their last privileged role.",
    examples: [["ada@acme.example"]],
    default: defaultGuards.requiredAdmins,
  }),
};

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

export const guards = andThen(object(guardFields, { insteadOf: guardsWithoutSettings }), (set, { node }) => ({
  ...camelCaseKeys(set),
  ...guardPlaces(node),
}));

type CamelCase<Name> = Name extends `${infer Word}-${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name;

function camelCaseKeys<T extends object>(values: T): { readonly [Name in keyof T as CamelCase<Name>]: T[Name] } {
  const renamed = Object.entries(values).map(([name, value]) => [
    name.replace(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(renamed) as { readonly [Name in keyof T as CamelCase<Name>]: T[Name] };
}

/** Where the guards stand whose findings name their line. */
function guardPlaces(node: Node): Pick<GuardSettings, "setAt"> {
  const placed = (node.kind === "map" ? node.entries : []).flatMap(({ key }) => {
    const setting = locatedSettings.find((name) => name === `guards.${key.text}`);
    return setting === undefined ? [] : [[setting, key.place] as const];
  });
  return placed.length === 0 ? {} : { setAt: Object.fromEntries(placed) };
}

export const protect: Decoder<NonNullable<GuardOptions["protect"]>> = object({
  users: optional(addresses, {
    about: "Addresses of users.",
    examples: [["ada@acme.example"]],
    default: [],
    otherwise: [],
  }),
  keys: optional(list(text), { about: "Key prefixes.", examples: [["12pref1x121"]], default: [], otherwise: [] }),
});
