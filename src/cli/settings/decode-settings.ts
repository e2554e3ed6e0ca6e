import { readDuration } from "../../library/duration.ts";
import type { Format } from "../../model/declare.ts";
import type { Place } from "../../model/fact.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { patternProblem, type SectionRule, sectionNames } from "../../roster/diagnostics.ts";
import { pointerProblem, type Shapes, shapeFields } from "../../service/shapes.ts";
import {
  andThen,
  byKind,
  type Decoded,
  type Decoder,
  decode,
  decoder,
  described,
  list,
  located,
  mapOf,
  object,
  oneOf,
  optional,
  required,
  text,
  whenSchema,
  wholeNumber,
} from "../../yaml/decode.ts";
import { collectDiagnostics } from "../../yaml/diagnostics.ts";
import type { YamlDocument } from "../../yaml/read.ts";
import { domain, guards, protect } from "./guard-settings.ts";

/** What a settings file says: each setting under its name, but for those that are read together. */
export type WrittenSettings = Omit<SettingValues, "account" | "accounts" | "service"> &
  NonNullable<SettingValues["service"]> & {
    readonly account?: string;
    /** Where the account is named. */
    readonly accountAt?: Place;
    readonly accounts: ReadonlyMap<string, string>;
    /** Where each alias is written. */
    readonly accountsAt: ReadonlyMap<string, Place>;
  };

/** What holds where the settings leave it out. */
export const defaultFeedSource = "hr";

/** Decodes a settings file, or says everything that is wrong with it. An empty file says nothing. */
export function decodeSettings({ tree, diagnostics }: YamlDocument): Result<WrittenSettings, readonly Diagnostic[]> {
  const title = "The settings file";
  const log = collectDiagnostics({ subject: title });
  const file = tree === undefined ? undefined : decode(settings, tree, { log, title });
  const faults = [...diagnostics, ...log.diagnostics()];
  if (faults.some(({ severity }) => severity === "error")) return problem(faults);
  const { account, accounts = [], service = {}, ...others } = file ?? {};
  return success({
    ...others,
    ...(account === undefined ? {} : { account: account.value, accountAt: account.at.place }),
    accounts: new Map(accounts.map(({ name, value }) => [name.text, value.value])),
    accountsAt: new Map(accounts.map(({ name, value }) => [name.text, value.at.place])),
    ...service,
  });
}

/** As `patternProblem` has it. */
const pathPattern = String.raw`^(?![\s\S]*[\\?\[\]{}!])(?!/)(?!([\s\S]*/)?\.{0,2}/)(?!([\s\S]*/)?\.{1,2}$)(?![\s\S]*[^/]\*\*)(?![\s\S]*\*\*[^/])[\s\S]+$`;

const pattern = andThen(
  text,
  (written, cursor) => {
    const wrong = patternProblem(written);
    if (wrong === undefined) return written;
    return cursor.fault(`The path \`${written}\` ${wrong}.`, "Write it like `teams/**`.");
  },
  { type: "string", pattern: pathPattern },
);

const rulePaths = described(
  list(pattern),
  "Relative to this file. `*` matches any part of one name, `**` any number of directories.",
  ["teams/"],
);

/** An empty list lets no file carry anything. */
const sections = list(
  andThen(
    object(
      {
        paths: required(rulePaths),
        only: required(list(oneOf(sectionNames)), { about: "The sections that these files may have." }),
      },
      { hint: 'Write `{ paths: ["teams/**"], only: [teams] }`.' },
    ),
    (rule, { node }): SectionRule => ({ ...rule, place: node.place }),
  ),
);

const pointer = described(
  decoder<string>({ type: "string", pattern: "^(/([^~]|~[01])*)?$" }, (cursor) => {
    const { node } = cursor;
    if (node.kind !== "scalar" || node.type !== "string")
      return cursor.wrongType("a JSON Pointer", "Write it like `/payload/rows`.");
    const wrong = pointerProblem(node.text);
    return wrong === undefined ? node.text : cursor.fault(`${cursor.name}: ${wrong}.`);
  }),
  "A JSON Pointer.",
  "/payload/rows",
);

function optionalFields<T>(names: readonly string[], fieldOf: (name: string) => Decoder<T>) {
  return object(Object.fromEntries(names.map((name) => [name, optional(fieldOf(name))])));
}

const shapes: Decoder<Shapes> = object(
  Object.fromEntries(
    Object.entries(shapeFields).map(([part, fields]) => {
      const pointers = optionalFields(fields, (field) =>
        described(pointer, `A JSON Pointer to what roster calls \`${field}\`. To fields it starts at the row.`),
      );
      return [part, optional(pointers, { about: `Where answers hold the fields of \`${part}\`.` })];
    }),
  ),
);

const durationSchema = whenSchema(
  { type: "number" },
  { const: 0 },
  { type: "string", pattern: "^(0|(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?)$" },
);

const duration = decoder<number>(durationSchema, (cursor) => {
  const { node } = cursor;
  const read = readDuration(node.kind === "scalar" ? node.text : "");
  if (read.ok) return read.value;
  return cursor.fault(`${cursor.name} is not understood: ${read.error}.`, "Write it like 90s or 20m.");
});

const columns = {
  email: optional(text, { about: "The header of the column with the address.", examples: ["Work email"] }),
  firstName: optional(text, { about: "The header of the column with the first name.", examples: ["Given name"] }),
  lastName: optional(text, { about: "The header of the column with the last name.", examples: ["Family name"] }),
  title: optional(text, { about: "The header of the column with the job title.", examples: ["Business title"] }),
  externalIdentifier: optional(text, {
    about: "The header of the column with the identifier in the HR system.",
    examples: ["Employee number"],
  }),
  until: optional(text, {
    about: "The header of the column with the day from which the user is a leaver.",
    examples: ["Last day"],
  }),
};

/** What a feed can say of a person, under the names that a roster has for it. */
export const feedFields = Object.keys(columns) as readonly (keyof typeof columns)[];

/** The `source` of users that a feed generates, and which columns have what it says of them. */
const feed = object({
  source: optional(text, { about: "The `source` of the users in the generated file.", default: defaultFeedSource }),
  columns: optional(object(columns), {
    about: "The headers of the columns. roster knows common headers without it.",
    examples: [
      {
        email: "Work email",
        title: "Business title",
      },
    ],
  }),
});

const service = object({
  shapes: optional(shapes, {
    about: "JSON Pointers to fields of its answers that roster does not find automatically.",
    examples: [
      {
        users: { list: "/payload/rows", email: "/mail" },
      },
    ],
  }),
  consistency: optional(duration, {
    about: "How long the service may not show a write, such as 90s or 20m. The default is 15m.",
    examples: ["20m"],
  }),
  throttling: optional(oneOf(["no-effect"]), {
    about:
      "`no-effect`: the service never makes a change that it answers with 429, or with 503 and `Retry-After`. The default is learned.",
  }),
});

const paths = byKind<readonly string[]>(
  { scalar: andThen(text, (path) => [path]), list: list(text, "not-empty") },
  "a text or a list of texts",
);

// A list, because it is run without a shell.
const command = byKind(
  { list: list(text, "not-empty") },
  "a list: the program, then its arguments",
  "Write `[program, argument]`.",
);

const settingFields = {
  endpoint: optional(text, {
    about: "The address of the account service.",
    examples: ["https://accounts.acme.example"],
  }),
  roster: optional(paths, {
    about: "The files and directories of the roster, relative to this file.",
    examples: [["roster"]],
    default: ["."],
  }),
  account: optional(located(text), {
    about: "The account for files without `account:`: an identifier or an alias.",
    examples: ["acc-1"],
  }),
  accounts: optional(mapOf(located(text)), {
    about: "Aliases of accounts, for use in roster files.",
    examples: [{ prod: "acc-1" }],
  }),
  state: optional(text, {
    about: "The place of the log: file:PATH, postgres://… or s3://….",
    examples: ["file:.roster/log.jsonl"],
    default: "file:.roster/log.jsonl",
  }),
  parallelism: optional(wholeNumber({ least: 1, most: 64 }), {
    about: "The number of calls at the same time.",
    examples: [4],
    default: 10,
  }),
  apiKeyCommand: optional(command, {
    about: "The program that prints the API key, and its arguments. It runs without a shell.",
    examples: [["pass", "show", "accounts"]],
  }),
  proxy: optional(text, {
    about: "The proxy for the service and the state, if no environment variable sets one.",
    examples: ["http://proxy.acme.example:3128"],
  }),
  ca: optional(text, {
    about: "A PEM file with certificates of private authorities.",
    examples: ["certificates/authority.pem"],
  }),
  guards: optional(guards, {
    about: "The guards: checks that hold an action or refuse a plan.",
    examples: [
      {
        "max-new-users": 20,
        "allowed-email-domains": ["acme.example"],
      },
    ],
  }),
  protect: optional(protect, {
    about: "The people and keys that roster never changes.",
    examples: [
      {
        users: ["ada@acme.example"],
        keys: ["12pref1x121"],
      },
    ],
  }),
  sections: optional(sections, {
    about:
      "Which files may contain which sections. The first entry that matches a file counts. A file without an entry may contain nothing.",
  }),
  feed: optional(feed, {
    about: "How `roster import --from FILE --out FILE` reads people from a CSV file.",
    examples: [
      {
        source: "hr",
        columns: { email: "Work email" },
      },
    ],
  }),
  service: optional(service, { about: "How the account service behaves.", examples: [{ consistency: "20m" }] }),
};

const settings = object(settingFields);

export const settingsFormat: Format = {
  title: "roster: the settings",
  description:
    "The settings file `roster.config.yaml`. Flags and ROSTER_* variables override it. With CI set, roster refuses some settings from a file in the checkout.",
  root: settings.schema,
  examples: [
    {
      roster: ["roster"],
      account: "acc-1",
      guards: { "allowed-email-domains": ["acme.example"], "max-new-users": 20 },
      sections: [{ paths: ["teams/"], only: ["teams"] }],
    },
  ],
  declarations: { text, pointer, pattern, domain },
};

type SettingValues = Decoded<typeof settings>;

/** A key of a settings file. What a pull request may do by it is decided in `settings-file.ts`. */
export type SettingName = keyof typeof settingFields;

/** @internal */
export const settingNames: readonly SettingName[] = Object.keys(settingFields).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingFields, name);
}
