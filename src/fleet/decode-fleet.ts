import type { Format } from "../model/declare.ts";
import { type Diagnostic, problem, type Result, success } from "../model/result.ts";
import { line } from "../roster/decode-text.ts";
import {
  andThen,
  byKey,
  byKind,
  type Decoded,
  type Decoder,
  decode,
  decoder,
  described,
  list,
  located,
  object,
  optional,
  required,
  type SourceValue,
  wholeNumber,
} from "../yaml/decode.ts";
import { DiagnosticsCollector } from "../yaml/diagnostics.ts";
import type { YamlDocument } from "../yaml/read.ts";

/** A text in which `${name}` stands for the name, and `${NAME}` for the name as a part of a variable. */
export type Template = SourceValue<string>;

/** What stands for the name. */
export const nameSign = `\${name}`;

/** What stands for the name as a part of a variable. */
export const variableSign = `\${NAME}`;

/** Decodes a fleet file, or says everything that is wrong with it. */
export function decodeFleet({ tree, diagnostics }: YamlDocument): Result<WrittenFleet, readonly Diagnostic[]> {
  const title = "The fleet file";
  const log = new DiagnosticsCollector(title);
  const decoded = tree === undefined ? undefined : decode(fleet, tree, { log, title });
  const faults = [...diagnostics, ...log.diagnostics()];
  return decoded === undefined || faults.length > 0 ? problem(faults) : success(decoded);
}

const version = decoder<1>({ const: 1 }, (cursor) => {
  const { node } = cursor;
  if (node.kind === "scalar" && node.type === "number" && Number(node.text) === 1) return 1;
  return cursor.fault(`${cursor.name} must be the number 1.`, "Write `version: 1`.");
});

const template = described(
  located(
    andThen(
      line,
      (written, cursor) => {
        const [strange] = /\$\{(?!(?:name|NAME)\})[^}]*\}?/u.exec(written) ?? [];
        if (strange === undefined) return written;
        const message = `${cursor.name} has \`${strange}\`, which stands for nothing.`;
        return cursor.fault(message, `Write \`${nameSign}\`, or \`${variableSign}\` in the name of a variable.`);
      },
      { type: "string", pattern: "^([^$]|\\$(?!\\{)|\\$\\{(name|NAME)\\})*$" },
    ),
  ),
  `A text in which \`${nameSign}\` stands for the name of the target or directory. \`${variableSign}\` is the name in capital letters, with \`_\` for all but letters and digits.`,
);

const patternForm = /^[^*]*\*[^*/]*$/u;
const targetName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/u;

/** A name is a part of addresses, paths and command lines: nothing in it can end such a part. */
export function isTargetName(text: string): boolean {
  return targetName.test(text);
}

export const targetNameHint = "Use letters, digits, `.`, `_` and `-`, at most 100, and begin with a letter or digit.";

const name = described(
  located(
    andThen(
      line,
      (written, cursor) =>
        isTargetName(written)
          ? written
          : cursor.fault(`\`${written}\` cannot be the name of a target.`, targetNameHint),
      { type: "string", pattern: targetName.source },
    ),
  ),
  "The name of the target, in reports and after `--only`.",
);

const pattern = described(
  located(
    andThen(
      line,
      (written, cursor) => {
        if (patternForm.test(written)) return written;
        const message = `The pattern \`${written}\` must have one \`*\`, in its last part.`;
        return cursor.fault(message, "Write it like `rosters/eu/*`.");
      },
      { type: "string", pattern: patternForm.source },
    ),
  ),
  "A path relative to the fleet file, with one `*` in its last part. The directory is the roster of its target.",
  "rosters/eu/*",
);

const keyHint = "Write `{ env: ROSTER_KEY_ACME }`, `{ file: /run/keys/acme }` or `{ command: [pass, show, acme] }`.";

/** Where the key of a target comes from; never the key. */
export type KeyPlace<Text> =
  | { readonly from: "env"; readonly name: Text }
  | { readonly from: "file"; readonly path: Text }
  | { readonly from: "command"; readonly words: readonly Text[] };
type WrittenKey = KeyPlace<Template>;

const keyFields = {
  env: described(
    template,
    "The name of a variable. In a checkout it begins with ROSTER_KEY_, or the settings list it.",
  ),
  file: described(template, "A file, relative to the fleet file."),
  command: described(
    list(template, "not-empty"),
    "A program with its arguments. It runs without a shell, in the directory of the fleet file.",
  ),
};

const keySources: Readonly<Record<string, Decoder<WrittenKey>>> = {
  env: andThen(object({ env: required(keyFields.env) }), ({ env }) => ({ from: "env", name: env })),
  file: andThen(object({ file: required(keyFields.file) }), ({ file }) => ({ from: "file", path: file })),
  command: andThen(object({ command: required(keyFields.command) }), ({ command }) => ({
    from: "command",
    words: command,
  })),
};

/** Whatever else stands here may be the key itself, which no error shows. */
const key = described(
  decoder<WrittenKey>(
    {
      type: "object",
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
      properties: Object.fromEntries(Object.entries(keyFields).map(([from, { schema }]) => [from, schema])),
    },
    (cursor) => {
      const { node } = cursor;
      const [from = "", ...others] = node.kind === "map" ? node.entries.map(({ key: { text } }) => text) : [];
      const source = Object.hasOwn(keySources, from) && others.length === 0 ? keySources[from] : undefined;
      if (source !== undefined) return source(cursor);
      return cursor.secretFault("bad-value", `${cursor.name} must be \`env\`, \`file\` or \`command\`.`, keyHint);
    },
  ),
  "Where the key of the target comes from: a variable, a file or the output of a command. Never the key itself.",
  { env: "ROSTER_KEY_ACME" },
  { file: "/run/keys/acme" },
  { command: ["pass", "show", "acme"] },
);

const shared = {
  endpoint: required(template, {
    about: "The address of the account service. In a pattern, the host ends with fixed text.",
  }),
  account: optional(template, { about: "The account for roster files without `account:`." }),
  key: required(key),
  state: required(template, {
    about: "The place of the log. No two targets have the same. A `file:` path is relative to the fleet file.",
  }),
};

const paths = described(
  byKind<readonly Template[]>(
    { scalar: andThen(template, (path) => [path]), list: list(template, "not-empty") },
    "a text or a list of texts",
  ),
  "The roster files and directories, relative to the fleet file. Several targets may have the same.",
);

const namedTarget = described(
  andThen(
    object({ name: required(name), roster: required(paths), ...shared }, { title: "A target" }),
    (fields, { node }) => ({ is: "target" as const, at: node, ...fields }),
  ),
  "One target.",
);

const directoryName = described(
  template,
  `The name of each target. Default: \`${nameSign}\`, the name of its directory.`,
);

const patternTarget = described(
  andThen(
    object({ name: optional(directoryName), pattern: required(pattern), ...shared }, { title: "A target" }),
    (fields, { node }) => ({ is: "pattern" as const, at: node, ...fields }),
  ),
  "A target of each directory that the pattern matches.",
);

/** A target, or a pattern that makes a target of each directory. Names are not filled in yet. */
export type WrittenTarget = Decoded<typeof namedTarget> | Decoded<typeof patternTarget>;

const target = byKey<WrittenTarget>(
  { roster: namedTarget, pattern: patternTarget },
  { title: "A target", hint: "Write `roster:` for one target, or `pattern:` for a target of each directory." },
);

const limit = wholeNumber({ least: 1, most: 64 });

export type FleetDefaults = Decoded<typeof defaults>;
const defaults = object({
  parallelism: optional(limit, { about: "How many targets run at the same time. Default: 4.", otherwise: 4 }),
  callsPerOrigin: optional(limit, {
    about: "How many calls run at the same time to one origin, of all targets together. Default: 10.",
    otherwise: 10,
  }),
});

const usualDefaults = { parallelism: 4, callsPerOrigin: 10 };

/** What a fleet file says. */
export type WrittenFleet = Decoded<typeof fleet>;

const fleet = object({
  version: required(version, { about: "The version of this format." }),
  defaults: optional(defaults, {
    about: "How the targets are run. Flags take precedence.",
    examples: [{ parallelism: 8, callsPerOrigin: 10 }],
    otherwise: usualDefaults,
  }),
  targets: required(list(target, "not-empty"), {
    about: "The targets. `pattern` makes a target of each directory that it matches.",
  }),
});

export const fleetFormat: Format = {
  title: "roster: a fleet",
  description:
    "The fleet file `fleet.yaml`: many targets, each a service with its roster, key and state. `roster fleet` works on all of them.",
  root: fleet.schema,
  examples: [
    {
      version: 1,
      targets: [
        {
          name: "acme",
          roster: ["rosters/acme"],
          endpoint: "https://acme.example",
          account: "acc-1",
          key: { env: "ROSTER_KEY_ACME" },
          state: "postgres://roster@db.example/roster?name=acme",
        },
        {
          pattern: "rosters/eu/*",
          endpoint: `https://${nameSign}.eu.example`,
          key: { file: `/run/keys/${nameSign}` },
          state: `s3://acme-roster/${nameSign}?region=eu-central-1`,
        },
      ],
    },
  ],
  declarations: { text: line, template, key, target: namedTarget, pattern: patternTarget },
};
