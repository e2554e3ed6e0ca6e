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

export function setting<T>(decode: Decoder<T>, about: string, example?: unknown) {
  return optional(decode, example === undefined ? { about } : { about, examples: [example] });
}

function withDefault<T>(decode: Decoder<T>, value: NoInfer<T>, about: string, example?: unknown) {
  const shown = example === undefined ? { about } : { about, examples: [example] };
  return optional(decode, { ...shown, default: value, otherwise: value });
}

const usualPrivileges = defaultGuards.privilegedRoles === "off" ? [] : defaultGuards.privilegedRoles.roles;

const privilegedRoles = object({
  roles: withDefault(list(text), usualPrivileges, "The privileged roles.", ["ACCOUNT_ADMIN"]),
  people: withDefault(addresses, [], "The addresses of the people who may get these roles.", ["ada@acme.example"]),
});

const roleRemovals = object({
  ratio: withDefault(share, 0.25, "The maximum share of keys that may lose roles: 0.25 means a quarter of them."),
  floor: withDefault(count, 10, "The number of keys that may always lose roles."),
});

const minAdmins = object(
  {
    role: withDefault(text, "ACCOUNT_ADMIN", "The role that these people must have."),
    count: required(count, { about: "The number of people who must have the role.", examples: [2] }),
  },
  { hint: "Write `{ role: ACCOUNT_ADMIN, count: 2 }`." },
);

const guardFields = {
  "allowed-email-domains": setting(list(domain), "The domains in which users may be created and added to teams.", [
    "acme.example",
  ]),
  "near-duplicate": guard(onOrOff, "nearDuplicate", "Whether to hold a new user who is similar to an existing user."),
  "privileged-roles": guard(
    orOff(privilegedRoles),
    "privilegedRoles",
    "The roles to hold, and the people who may get them.",
  ),
  "max-new-users": guard(orOff(count), "maxNewUsers", "The maximum number of users that one plan may create."),
  "max-invitations": guard(
    orOff(count),
    "maxInvitations",
    "The maximum number of invitations in one plan: one for each person and team.",
  ),
  "max-role-removals": guard(
    orOff(roleRemovals),
    "maxRoleRemovals",
    "The maximum share of keys that may lose roles in one plan. `floor` is a number that is always allowed.",
  ),
  "min-admins": guard(orOff(minAdmins), "minAdmins", "The number of people who must have a role after a plan.", {
    role: "ACCOUNT_ADMIN",
    count: 2,
  }),
  "required-admins": guard(addresses, "requiredAdmins", "The people who must keep their last privileged role.", [
    "ada@acme.example",
  ]),
};

function guard<T>(decode: Decoder<T>, name: keyof GuardSettings, about: string, example?: unknown) {
  return optional(decode, {
    about,
    ...(example === undefined ? {} : { examples: [example] }),
    default: defaultGuards[name],
  });
}

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
  const camelCase = (name: string) => name.replace(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
  const renamed = Object.entries(values).map(([name, value]) => [camelCase(name), value]);
  return Object.fromEntries(renamed) as { readonly [Name in keyof T as CamelCase<Name>]: T[Name] };
}

function guardPlaces(node: Node): Pick<GuardSettings, "setAt"> {
  const placed = (node.kind === "map" ? node.entries : []).flatMap(({ key }) => {
    const setting = locatedSettings.find((name) => name === `guards.${key.text}`);
    return setting === undefined ? [] : [[setting, key.place] as const];
  });
  return placed.length === 0 ? {} : { setAt: Object.fromEntries(placed) };
}

export const protect: Decoder<NonNullable<GuardOptions["protect"]>> = object({
  users: withDefault(addresses, [], "Addresses of users.", ["ada@acme.example"]),
  keys: withDefault(list(text), [], "Key prefixes.", ["12pref1x121"]),
});
