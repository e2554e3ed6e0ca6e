import { readDuration } from "../../library/duration.ts";
import type { Place } from "../../model/fact.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { patternProblem, type SectionRule, sectionNames } from "../../roster/diagnostics.ts";
import { pointerProblem, type Shapes, shapeFields } from "../../service/shapes.ts";
import {
  andThen,
  byKind,
  type Decoder,
  decode,
  list,
  located,
  mapOf,
  object,
  oneOf,
  optional,
  required,
  text,
  wholeNumber,
} from "../../yaml/decode.ts";
import { collectDiagnostics } from "../../yaml/diagnostics.ts";
import type { YamlDocument } from "../../yaml/read.ts";
import { guards, protect } from "./guard-settings.ts";

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

const pattern = andThen(text, (written, cursor) => {
  const wrong = patternProblem(written);
  return wrong === undefined ? written : cursor.fault(`The path \`${written}\` ${wrong}.`, "Write it like `teams/**`.");
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
  return wrong === undefined ? node.text : cursor.fault(`${cursor.name}: ${wrong}.`);
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
  return cursor.fault(`${cursor.name} is not understood: ${read.error}.`, "Write it like 90s or 20m.");
};

/** What a feed can say of a person, under the names that a roster has for it. */
export const feedFields = ["email", "firstName", "lastName", "title", "externalIdentifier", "until"] as const;

/** The `source` of users that a feed generates, and which columns have what it says of them. */
const feed = object({
  source: optional(text),
  columns: optional(optionalFields(feedFields, () => text)),
});

const settingFields = {
  // The versions of roster that may use the settings.
  endpoint: optional(text),
  roster: optional(
    byKind({ scalar: andThen(text, (path) => [path]), list: list(text, "not-empty") }, "a text or a list of texts"),
  ),
  account: optional(located(text)),
  accounts: optional(mapOf(located(text))),
  state: optional(text),
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
  // A file of certificates.
  ca: optional(text),
  guards: optional(guards),
  protect: optional(protect),
  sections: optional(sections),
  feed: optional(feed),
  service: optional(
    object({
      shapes: optional(shapes),
      consistency: optional(duration),
      throttling: optional(oneOf(["no-effect"])),
    }),
  ),
};

const settings = object(settingFields);

type SettingValues = NonNullable<ReturnType<typeof settings>>;

/** A key of a settings file. What a pull request may do by it is decided in `settings-file.ts`. */
export type SettingName = keyof typeof settingFields;

/** @internal */
export const settingNames: readonly SettingName[] = Object.keys(settingFields).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingFields, name);
}
