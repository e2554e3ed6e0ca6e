import { holdNames, stopNames } from "../../codes/guards.ts";
import { parallelismRange } from "../../library/options.ts";
import { defaultGuards, type GuardOptions } from "../../library/policy.ts";
import { unsafeAddressReason } from "../../model/address.ts";
import type { Diagnostic } from "../../model/failure.ts";
import { allowableCodes, type GuardSettings, locatedSettings } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { address, domainSchema } from "../../roster/decode.ts";
import { patternProblem, type SectionRule, sectionNames } from "../../roster/diagnostics.ts";
import { pointerProblem, type Shapes, shapeFields } from "../../service/decode/json.ts";
import * as d from "../../yaml/decode.ts";
import { duration } from "../../yaml/duration.ts";
import { DiagnosticsCollector, type MapEntry, type Node, type YamlDocument } from "../../yaml/source-text.ts";
import type { Variable } from "./environment.ts";

export const defaultFeedSource = "hr";

/** What a change to the checkout, such as a pull request, could do by a setting, and what else can say it. */
interface SettingEntry {
  /** `refused`: with CI set it is not taken from a settings file that such a change can edit. */
  readonly inPipelines: "taken" | "refused";
  /** What the setting could do; of a taken one, why that is no harm. Completes a sentence. */
  readonly because: string;
  /** What says the same from outside the settings, where something does. */
  readonly instead?: string | undefined;
  /** A plan that is made of a snapshot never looks at it: where neither service nor state is met, it can do nothing. */
  readonly isAboutConnection?: true;
  /** A flag of the same name counts before all others. */
  readonly flag?: true;
  /** Variables that count before the file, of ours and of others. */
  readonly variables?: readonly Variable[];
  /** What is shown in its place, each part by itself. */
  readonly parts?: Readonly<Record<string, { readonly variables?: readonly Variable[] }>>;
}

function taken(because: string): Pick<SettingEntry, "inPipelines" | "because"> {
  return { inPipelines: "taken", because };
}

function refused(because: string, instead?: string): Pick<SettingEntry, "inPipelines" | "because" | "instead"> {
  return { inPipelines: "refused", because, instead };
}

function setting<T>(decode: d.Decoder<T>, about: string, example?: unknown, shownDefault?: unknown) {
  const examples = example === undefined ? undefined : [example];
  return d.optional(decode, { about, examples, default: shownDefault });
}

function withDefault<T>(decode: d.Decoder<T>, value: NoInfer<T>, about: string, example?: unknown) {
  const examples = example === undefined ? undefined : [example];
  return d.optional(decode, { about, examples, default: value, otherwise: value });
}

/** As `patternProblem` has it. */
const pathPattern = String.raw`^(?![\s\S]*[\\?\[\]{}!])(?!/)(?!([\s\S]*/)?\.{0,2}/)(?!([\s\S]*/)?\.{1,2}$)(?![\s\S]*[^/]\*\*)(?![\s\S]*\*\*[^/])[\s\S]+$`;

const pattern = d.andThen(
  d.text,
  (written, cursor) => {
    const wrong = patternProblem(written);
    if (wrong === undefined) return written;
    return cursor.fault(`The path \`${written}\` ${wrong}.`, "Write it like `teams/**`.");
  },
  { type: "string", pattern: pathPattern },
);

const rulePaths = d.described(
  d.list(pattern),
  "Relative to this file. `*` matches any part of one name, `**` any number of directories.",
  ["teams/"],
);

/** An empty list lets no file carry anything. */
const sections = d.list(
  d.andThen(
    d.object(
      {
        paths: d.required(rulePaths),
        only: d.required(d.list(d.oneOf(sectionNames)), { about: "The sections that these files may have." }),
      },
      { hint: 'Write `{ paths: ["teams/**"], only: [teams] }`.' },
    ),
    (rule, { node }): SectionRule => ({ ...rule, place: node.place }),
  ),
);

const pointer = d.described(
  d.decoder<string>({ type: "string", pattern: "^(/([^~]|~[01])*)?$" }, (cursor) => {
    const { node } = cursor;
    if (node.kind !== "scalar" || node.type !== "string")
      return cursor.wrongType("a JSON Pointer", "Write it like `/payload/rows`.");
    const wrong = pointerProblem(node.text);
    return wrong === undefined ? node.text : cursor.fault(`${cursor.name}: ${wrong}.`);
  }),
  "A JSON Pointer.",
  "/payload/rows",
);

const shapes: d.Decoder<Shapes> = d.object(
  Object.fromEntries(
    Object.entries(shapeFields).map(([part, fields]) => {
      const pointers = fields.map((field) => {
        const about = `A JSON Pointer to what roster calls \`${field}\`. To fields it starts at the row.`;
        return [field, d.optional(d.described(pointer, about))] as const;
      });
      return [part, setting(d.object(Object.fromEntries(pointers)), `Where answers hold the fields of \`${part}\`.`)];
    }),
  ),
);

const column = (holds: string, example: string) =>
  setting(d.text, `The header of the column with the ${holds}.`, example);

const columns = {
  email: column("address", "Work email"),
  firstName: column("first name", "Given name"),
  lastName: column("last name", "Family name"),
  title: column("job title", "Business title"),
  externalIdentifier: column("identifier in the HR system", "Employee number"),
  until: column("day from which the user is a leaver", "Last day"),
};

/** What a feed can say of a person, under the names that a roster has for it. */
export const feedFields = Object.keys(columns) as readonly (keyof typeof columns)[];

const feed = d.object({
  source: setting(d.text, "The `source` of the users in the generated file.", undefined, defaultFeedSource),
  columns: setting(d.object(columns), "The headers of the columns. roster knows common headers without it.", {
    email: "Work email",
    title: "Business title",
  }),
});

const service = d.object({
  shapes: setting(shapes, "JSON Pointers to fields of its answers that roster does not find automatically.", {
    users: { list: "/payload/rows", email: "/mail" },
  }),
  consistency: setting(
    duration,
    "How late the service may show a change, such as 90s or 20m. The default is 15m.",
    "20m",
  ),
  throttling: setting(
    d.oneOf(["no-effect"]),
    "`no-effect`: the service never makes a change that it answers with 429, or with 503 and `Retry-After`. The default is learned.",
  ),
});

const paths = d.byKind<readonly string[]>(
  { scalar: d.andThen(d.text, (path) => [path]), list: d.list(d.text, "not-empty") },
  "a text or a list of texts",
);

// A list, because it is run without a shell.
const command = d.byKind(
  { list: d.list(d.text, "not-empty") },
  "a list: the program, then its arguments",
  "Write `[program, argument]`.",
);

const addresses = d.list(d.andThen(address, ({ value }) => value));

const domain = d.andThen(
  d.text,
  (written, cursor) => {
    if (unsafeAddressReason(`somebody@${written.replace(/^@/u, "")}`) === undefined) return written;
    const message = `${cursor.name} is no domain: \`${written}\`.`;
    return cursor.fault(message, "Write it like `acme.example`.");
  },
  domainSchema,
);

const count = d.wholeNumber({ least: 0 });

function orOff<T>(decode: d.Decoder<T>): d.Decoder<T | "off"> {
  return d.decoder(d.whenSchema({ type: "string" }, { const: "off" }, decode.schema), (cursor) =>
    cursor.node.kind === "scalar" && cursor.node.text === "off" ? "off" : decode(cursor),
  );
}

const privilegedRoles = d.object({
  roles: withDefault(d.list(d.text), defaultGuards.privilegedRoles.roles, "The privileged roles.", ["ACCOUNT_ADMIN"]),
  people: withDefault(addresses, [], "The addresses of the people who may get these roles.", ["ada@acme.example"]),
});

const roleRemovals = d.object({
  ratio: withDefault(
    d.number({ least: 0, most: 1 }),
    defaultGuards.maxRoleRemovals.ratio,
    "The maximum share of keys that may lose roles: 0.25 means a quarter of them.",
  ),
  floor: withDefault(count, defaultGuards.maxRoleRemovals.floor, "The number of keys that may always lose roles."),
});

const minAdmins = d.object(
  {
    role: withDefault(d.text, "ACCOUNT_ADMIN", "The role that these people must have."),
    count: d.required(count, { about: "The number of people who must have the role.", examples: [2] }),
  },
  { hint: "Write `{ role: ACCOUNT_ADMIN, count: 2 }`." },
);

function guard<T>(decode: d.Decoder<T>, name: keyof GuardSettings, about: string, example?: unknown) {
  const usual: GuardSettings = defaultGuards;
  return setting(decode, about, example, usual[name]);
}

const guardFields = {
  "allowed-email-domains": setting(d.list(domain), "The domains in which users may be created and added to teams.", [
    "acme.example",
  ]),
  "near-duplicate": guard(
    d.oneOf(["on", "off"]),
    "nearDuplicate",
    "Whether to hold a new user who is similar to an existing user.",
  ),
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

export const guardSettingNames: readonly string[] = Object.keys(guardFields);

const elsewhere = [...holdNames, ...stopNames].filter((name) => !guardSettingNames.includes(name));

const guardsWithoutSettings = new Map([
  ...elsewhere.map((name) => {
    const isAllowable = allowableCodes.some((code) => code === name);
    const how = isAllowable ? "It can be allowed with the `--allow` code that a plan prints." : "It is always on.";
    return [name, how] as const;
  }),
  ["protected", "Write `protect:` at the top level, like `guards:`."],
]);

type CamelCase<Name> = Name extends `${infer Word}-${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name;

const guards = d.andThen(d.object(guardFields, { insteadOf: guardsWithoutSettings }), (set) => {
  const camelCase = (name: string) => name.replace(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(set).map(([name, value]) => [camelCase(name), value])) as {
    readonly [Name in keyof typeof set as CamelCase<Name>]: (typeof set)[Name];
  };
});

const protect: d.Decoder<NonNullable<GuardOptions["protect"]>> = d.object({
  users: withDefault(addresses, [], "Addresses of users.", ["ada@acme.example"]),
  keys: withDefault(d.list(d.text), [], "Key prefixes.", ["12pref1x121"]),
});

const defaultPlace = "file:.roster/log.jsonl";

/** Every setting of a file: `doctor`, the schema and the pages have them from here. */
const settings = {
  endpoint: {
    ...setting(d.text, "The address of the account service.", "https://accounts.acme.example"),
    ...taken("roster never sends a key from the environment to an endpoint from the checkout"),
    isAboutConnection: true,
    flag: true,
    variables: ["ROSTER_ENDPOINT"],
  },
  apiKeyCommand: {
    ...setting(command, "The program that prints the API key, and its arguments. It runs without a shell.", [
      "pass",
      "show",
      "accounts",
    ]),
    ...refused("it could run any program", "ROSTER_API_KEY or ROSTER_API_KEY_FILE"),
    isAboutConnection: true,
    variables: ["ROSTER_API_KEY", "ROSTER_API_KEY_FILE"],
  },
  state: {
    ...setting(d.text, "The place of the log: file:PATH, postgres://… or s3://….", defaultPlace, defaultPlace),
    ...refused("it could change what roster has recorded", "--state or ROSTER_STATE"),
    isAboutConnection: true,
    flag: true,
    variables: ["ROSTER_STATE"],
  },
  roster: {
    ...setting(paths, "The files and directories of the roster, relative to this file.", ["roster"], ["."]),
    ...taken("a person who can change it can change the roster files too, and paths out of the checkout are refused"),
  },
  account: {
    ...setting(d.located(d.text), "The account for files without `account:`: an identifier or an alias.", "acc-1"),
    ...taken("each roster file can name its own account"),
    flag: true,
    variables: ["ROSTER_ACCOUNT"],
  },
  accounts: {
    ...setting(d.mapOf(d.located(d.text)), "Aliases of accounts, for use in roster files.", { prod: "acc-1" }),
    ...taken("each roster file can name its own account"),
  },
  parallelism: {
    ...setting(d.wholeNumber(parallelismRange), "The number of calls at the same time.", 4, parallelismRange.usual),
    ...taken(`it changes only the speed of calls, and the limit is ${parallelismRange.most}`),
    isAboutConnection: true,
    flag: true,
    variables: ["ROSTER_PARALLELISM"],
  },
  service: {
    ...setting(service, "How the account service behaves.", { consistency: "20m" }),
    ...refused("it could change how roster reads the answers of the service, and when it sends a change again"),
    isAboutConnection: true,
    parts: { consistency: { variables: ["ROSTER_CONSISTENCY"] }, throttling: {}, shapes: {} },
  },
  proxy: {
    ...setting(
      d.text,
      "The proxy for the service and the state, if no environment variable sets one.",
      "http://proxy.acme.example:3128",
    ),
    ...refused("it could send every call through any machine", "HTTPS_PROXY"),
    isAboutConnection: true,
    variables: ["https_proxy", "HTTPS_PROXY"],
  },
  ca: {
    ...setting(d.text, "A PEM file with certificates of private authorities.", "certificates/authority.pem"),
    ...refused("it could let another server answer as the service", "ROSTER_CA_FILE"),
    isAboutConnection: true,
    variables: ["ROSTER_CA_FILE"],
  },
  guards: {
    ...setting(guards, "The guards: checks that hold an action or refuse a plan.", {
      "max-new-users": 20,
      "allowed-email-domains": ["acme.example"],
    }),
    ...refused("it could switch off guards"),
    parts: Object.fromEntries(guardSettingNames.map((name) => [name, {}])),
  },
  protect: {
    ...setting(protect, "The people and keys that roster never changes.", {
      users: ["ada@acme.example"],
      keys: ["12pref1x121"],
    }),
    ...refused("it could remove protected users and keys"),
  },
  sections: {
    ...setting(
      sections,
      "Which files may contain which sections. The first entry that matches a file counts. A file without an entry may contain nothing. Without this setting, every file may contain every section.",
    ),
    ...refused("it could allow more sections in a file than its owners may change"),
  },
  feed: {
    ...setting(feed, "How `roster import --from FILE --out FILE` reads people from a CSV file.", {
      source: "hr",
      columns: { email: "Work email" },
    }),
    ...taken("it only chooses what `roster import --from` writes into a roster file, which is reviewed"),
  },
} as const satisfies Readonly<Record<string, SettingEntry>>;

const file = d.object(settings);

export interface WrittenSettings extends d.Decoded<typeof file> {
  readonly setAt: NonNullable<GuardSettings["setAt"]>;
}

export type SettingName = keyof typeof settings;

export const settingTable: Readonly<Record<SettingName, SettingEntry>> = settings;

export const settingNames = Object.keys(settings) as readonly SettingName[];

export function decodeSettings({ tree, diagnostics }: YamlDocument): Result<WrittenSettings, readonly Diagnostic[]> {
  const title = "The settings file";
  const log = new DiagnosticsCollector(title);
  const decoded = tree === undefined ? undefined : d.decode(file, tree, { log, title });
  const faults = [...diagnostics, ...log.diagnostics()];
  if (faults.some(({ severity }) => severity === "error")) return problem(faults);
  const placed = locatedSettings.flatMap((name) => {
    const entry = entryOf(tree, name);
    return entry === undefined ? [] : [[name, entry.key.place] as const];
  });
  return success({ ...decoded, setAt: Object.fromEntries(placed) });
}

/** Where a setting or a part of one, such as `guards.max-new-users`, stands in a file. */
export function entryOf(tree: Node | undefined, path: string): MapEntry | undefined {
  const [name, ...rest] = path.split(".");
  const entry = tree?.kind === "map" ? tree.entries.find(({ key }) => key.text === name) : undefined;
  return rest.length === 0 ? entry : entryOf(entry?.value, rest.join("."));
}

export const settingsFormat = {
  title: "roster: the settings",
  description:
    "The settings file `roster.config.yaml`. Flags and ROSTER_* variables override it. With CI set, roster refuses some settings from a file in the checkout.",
  root: file.schema,
  examples: [
    {
      roster: ["roster"],
      account: "acc-1",
      guards: { "allowed-email-domains": ["acme.example"], "max-new-users": 20 },
      sections: [{ paths: ["teams/"], only: ["teams"] }],
    },
  ],
  declarations: { text: d.text, pointer, pattern, domain },
};

export interface SettingRow {
  readonly name: string;
  readonly flag?: true | undefined;
  readonly variables?: readonly Variable[] | undefined;
  /** Its keys in a file, such as `service.consistency`. */
  readonly setting?: string;
  readonly isSecret?: boolean;
}

/** Every setting, also those that no file can say. */
export const settingRows: readonly SettingRow[] = [
  ...settingNames.flatMap((name): readonly SettingRow[] => {
    const { flag, variables, parts } = settingTable[name];
    if (name === "apiKeyCommand") return [{ name: "apiKey", variables, setting: name, isSecret: true }];
    if (parts === undefined) return [{ name, flag, variables, setting: name }];
    return Object.entries(parts).map(([part, of]) => ({ ...of, name: `${name}.${part}`, setting: `${name}.${part}` }));
  }),
  { name: "webhook", variables: ["ROSTER_WEBHOOK"], isSecret: true },
  { name: "webhookSecret", variables: ["ROSTER_WEBHOOK_SECRET"], isSecret: true },
  { name: "allow", flag: true, variables: ["ROSTER_ALLOW"] },
  { name: "reason", flag: true, variables: ["ROSTER_REASON"] },
  { name: "changeRequest", variables: ["ROSTER_CHANGE_REQUEST"] },
  { name: "approvers", variables: ["ROSTER_APPROVERS"] },
];
