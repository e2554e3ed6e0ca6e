import { isAbsolute } from "node:path";
import { foldAddress, unsafeAddressReason } from "../../model/address.ts";
import type { DueDays, DueTimes } from "../../model/drift.ts";
import type { Place } from "../../model/fact.ts";
import { findingClasses, findingCodes, needsAction } from "../../model/finding.ts";
import {
  defaultGuards,
  type GuardSettings,
  holdNames,
  locatedSettings,
  type ProtectedResources,
  type SettingPlaces,
  stopNames,
} from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { type RoleSet, roleSet } from "../../model/role-set.ts";
import { address } from "../../roster/decode-text.ts";
import { type FeedColumns, feedFields } from "../../roster/feed/people.ts";
import { patternProblem, type SectionRule, sectionNames } from "../../roster/section-rules.ts";
import { pointerProblem, type Shapes, shapeFields } from "../../service/shapes.ts";
import {
  andThen,
  boolean,
  byKind,
  type Decoder,
  decode,
  list,
  located,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  required,
  text,
  wholeNumber,
} from "../../yaml/decode.ts";
import { collectDiagnostics } from "../../yaml/diagnostics.ts";
import type { YamlDocument } from "../../yaml/read.ts";
import type { Node } from "../../yaml/source-text.ts";
import { readDuration } from "../time-limits.ts";
import { approvals, signers, type WrittenApprovals, withReachableApprovals } from "./approval-settings.ts";

/** What a settings file may say. */
export interface WrittenSettings extends WrittenApprovals {
  readonly endpoint?: string;
  readonly roster?: readonly string[];
  readonly account?: string;
  /** Where the account is named. */
  readonly accountAt?: Place;
  readonly accounts: ReadonlyMap<string, string>;
  /** Where each alias is written. */
  readonly accountsAt: ReadonlyMap<string, Place>;
  readonly state?: string;
  readonly audit?: string;
  readonly parallelism?: number;
  readonly apiKeyCommand?: readonly string[];
  readonly proxy?: string;
  /** A file of certificates. */
  readonly ca?: string;
  readonly guards?: WrittenGuards;
  readonly protect?: ProtectedResources;
  readonly invitationDays?: number;
  /** Whether users are created whose domain has no dot. */
  readonly singleLabelDomains?: boolean;
  /** Whether a plan is rehearsed before it is shown or approved. */
  readonly rehearse?: boolean;
  /** The file in which people acknowledge what differs. */
  readonly acknowledgements?: string;
  /** When what is left to people is due. */
  readonly due?: DueTimes;
  /** For how many days the state keeps records of people who are gone; absent: for ever. */
  readonly retention?: { readonly people: number };
  /** What files may carry; absent where all of them may carry everything. */
  readonly sections?: readonly SectionRule[];
  /** How a feed of people is read, and where its people are written. */
  readonly feed?: WrittenFeed;
  /** Where the service's answers hold what cannot be found by itself. */
  readonly shapes?: Shapes;
  /** Milliseconds within which the service's reads may not show a write. */
  readonly consistency?: number;
}

/** What holds where the settings leave it out; the file is below the first directory of the roster. */
export const defaultFeed = { source: "hr", file: "people/hr.yaml" };

/** Which users a feed manages, where it adds new ones, and which columns have what it says of them. */
interface WrittenFeed {
  readonly source?: string;
  /** For new users. */
  readonly file?: string;
  /** For people who are moved to `leavers`; absent: the file that had the user. */
  readonly leavers?: string;
  readonly columns?: FeedColumns;
}

/** Decodes a settings file, or says everything that is wrong with it. An empty file says nothing. */
export function decodeSettings({ tree, diagnostics }: YamlDocument): Result<WrittenSettings, readonly Diagnostic[]> {
  const title = "The settings file";
  const log = collectDiagnostics({ subject: title });
  const file = tree === undefined ? undefined : decode(settings, tree, { log, codeOf: () => "bad-settings", title });
  const faults = [...diagnostics, ...log.diagnostics()];
  if (faults.some(({ severity }) => severity === "error")) return problem(faults);
  const { account, accounts = [], service = {}, todo = {}, ...others } = file ?? {};
  return success({
    ...others,
    ...(account === undefined ? {} : { account: account.value, accountAt: account.at.place }),
    accounts: new Map(accounts.map(({ name, value }) => [name.text, value.value])),
    accountsAt: new Map(accounts.map(({ name, value }) => [name.text, value.at.place])),
    ...service,
    ...todo,
  });
}

const folded = andThen(address, (found) => found.address);

/** Folded as the domains of addresses are, so that both spellings of an international name are one. */
const domain = andThen(text, (written, cursor) => {
  const inAddress = `somebody@${written.replace(/^@/u, "")}`;
  if (unsafeAddressReason(inAddress) === undefined) return foldAddress(inAddress).slice("somebody@".length);
  const message = `${cursor.name} is no domain: \`${written}\`.`;
  return cursor.fault("bad-text", message, "Write it like `acme.example`.");
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

/** Roles of which one person may hold one. */
const exclusive: Decoder<RoleSet> = andThen(list(text), (roles, cursor) => {
  const { node } = cursor;
  if (node.kind === "list" && node.items.length > roles.length) return undefined;
  const set = roleSet(roles);
  if (set.length > 1 && set.length === roles.length) return set;
  return cursor.fault(
    "bad-text",
    `${cursor.name} must have at least 2 roles, each once.`,
    "Write `[[PAYER, APPROVER]]`.",
  );
});

const holderLimits: Decoder<ReadonlyMap<string, number>> = andThen(
  mapOf(count, { hint: "Write `{ ACCOUNT_ADMIN: 4 }`." }),
  (limits) => new Map(limits.map(({ name, value }) => [name.text, value])),
);

const guardFields = {
  "allowed-email-domains": optional(list(domain)),
  "near-duplicate": optional(onOrOff),
  "privileged-roles": optional(orOff(privilegedRoles)),
  "renamed-team": optional(onOrOff),
  "max-new-users": optional(orOff(count)),
  "max-invitations": optional(orOff(count)),
  "max-role-removals": optional(orOff(object({ ratio: optional(share, 0.25), floor: optional(count, 10) }))),
  "min-admins": optional(orOff(minAdmins)),
  "required-admins": optional(list(folded)),
  "exclusive-roles": optional(list(exclusive)),
  "max-holders": optional(holderLimits),
  "incomplete-snapshot": optional(orOff(share)),
};

/** The guards that have settings. */
export const guardSettingNames: readonly string[] = Object.keys(guardFields);

const guardsWithoutSettings = new Map([
  ...[...holdNames, ...stopNames]
    .filter((name) => !guardSettingNames.includes(name))
    .map((name) => [name, `It can be allowed for one plan with --allow ${name}@PLANID.`] as const),
  ["protected", "Write `protect:` at the top level, like `guards:`."],
]);

/** The guards as a settings file sets them; what it does not name keeps its default. */
type WrittenGuards = Partial<Omit<GuardSettings, "protected">>;

const guards: Decoder<WrittenGuards> = andThen(
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

const pattern = andThen(text, (written, cursor) => {
  const wrong = patternProblem(written);
  return wrong === undefined
    ? written
    : cursor.fault("bad-text", `The path \`${written}\` ${wrong}.`, "Write it like `teams/**`.");
});

/** An empty list lets no file carry anything. */
const sections: Decoder<readonly SectionRule[]> = list(
  andThen(
    object(
      { paths: required(list(pattern)), only: required(list(oneOf(sectionNames))) },
      { hint: 'Write `{ paths: ["teams/**"], only: [teams] }`.' },
    ),
    (rule, { node }) => ({ ...rule, place: node.place }),
  ),
);

const pointer: Decoder<string> = (cursor) => {
  const { node } = cursor;
  if (node.kind !== "scalar" || node.type !== "string")
    return cursor.wrongType("a JSON Pointer", "Write it like `/payload/rows`.");
  const wrong = pointerProblem(node.text);
  return wrong === undefined ? node.text : cursor.fault("bad-text", `${cursor.name}: ${wrong}.`);
};

function optionalFields<T>(names: readonly string[], decoder: (name: string) => Decoder<T>) {
  return object(Object.fromEntries(names.map((name) => [name, optional(decoder(name))])));
}

const shapes: Decoder<Shapes> = object(
  Object.fromEntries(
    Object.entries(shapeFields).map(([part, fields]) => [part, optional(optionalFields(fields, () => pointer))]),
  ),
);

const duration: Decoder<number> = (cursor) => {
  const { node } = cursor;
  const read = readDuration(node.kind === "scalar" ? node.text : "");
  if (read.ok) return read.value;
  return cursor.fault("bad-text", `${cursor.name} is not understood: ${read.error}.`, "Write it like 90s or 20m.");
};

/** A path below the roster, so that the next run reads what this one writes. */
const feedFile: Decoder<string> = andThen(text, (path, cursor) => {
  if (/\.ya?ml$/u.test(path) && !isAbsolute(path)) return path;
  return cursor.fault(
    "bad-text",
    `The path \`${path}\` is no relative path of a roster file.`,
    "Write it like `people/hr.yaml`.",
  );
});

const feed: Decoder<WrittenFeed> = object({
  source: optional(text),
  file: optional(feedFile),
  leavers: optional(feedFile),
  columns: optional(optionalFields(feedFields, () => text)),
});

/** The kinds of what is left to people: finding codes, classes of drift, and `default` for all others. */
const dueKinds = ["default", ...findingClasses, "tampered", ...findingCodes.filter(needsAction)];

function days(most: number, otherwise = ""): Decoder<number> {
  return (cursor) => {
    const count = Number(/^(\d{1,4})d$/u.exec(cursor.node.kind === "scalar" ? cursor.node.text : "")?.[1] ?? 0);
    if (count >= 1 && count <= most) return count;
    return cursor.fault("bad-text", `${cursor.name} must be a number of days from 1d to ${most}d${otherwise}.`);
  };
}

const dueDays: Decoder<DueDays> = orOff(days(366, ", or off"));

const due: Decoder<DueTimes> = andThen(
  mapOf(dueDays, { name: oneOf(dueKinds), hint: "Write `{ default: 14d, extra-member: 3d }`." }),
  (entries) => new Map(entries.map(({ name, value }) => [name.text, value])),
);

const settingFields = {
  endpoint: optional(text),
  roster: optional(
    byKind({ scalar: andThen(text, (path) => [path]), list: list(text, "not-empty") }, "a text or a list of texts"),
  ),
  account: optional(located(text)),
  accounts: optional(mapOf(located(text))),
  state: optional(text),
  audit: optional(text),
  parallelism: optional(wholeNumber({ least: 1, most: 64 })),
  // A list, because it is run without a shell.
  apiKeyCommand: optional(
    byKind(
      { list: list(text, "not-empty") },
      "a list: the program, then its arguments",
      "Write `[program, argument]`.",
    ),
  ),
  proxy: optional(text),
  ca: optional(text),
  guards: optional(guards),
  signers: optional(signers),
  approvals: optional(approvals),
  protect: optional(object({ users: optional(list(folded), []), keys: optional(list(text), []) })),
  invitationDays: optional(wholeNumber({ least: 1, most: 366 })),
  singleLabelDomains: optional(boolean),
  rehearse: optional(boolean),
  acknowledgements: optional(text),
  retention: optional(object({ people: required(days(9999)) }, { hint: "Write `{ people: 90d }`." })),
  sections: optional(sections),
  feed: optional(feed),
  todo: optional(object({ due: optional(due) })),
  service: optional(object({ shapes: optional(shapes), consistency: optional(duration) })),
};

const settings = andThen(object(settingFields), withReachableApprovals);

/** A key of a settings file. What a pull request may do by it is decided in `settings-trust.ts`. */
export type SettingName = keyof typeof settingFields;

/** @internal */
export const settingNames: readonly SettingName[] = Object.keys(settingFields).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingFields, name);
}
