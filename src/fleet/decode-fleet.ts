import type { Format } from "../model/declare.ts";
import { type Diagnostic, problem, type Result, success } from "../model/failure.ts";
import { line } from "../roster/decode.ts";
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
  wholeNumber,
} from "../yaml/decode.ts";
import type { YamlDocument } from "../yaml/read.ts";
import { DiagnosticsCollector } from "../yaml/source-text.ts";

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

/** A text of a form. `fault` says what is wrong with another one, which `called` is the name of. */
function formed(
  form: RegExp,
  fault: (written: string, called: string) => string,
  hint: string,
  first: Decoder<string> = line,
): Decoder<string> {
  return andThen(
    first,
    (written, cursor) => (form.test(written) ? written : cursor.fault(fault(written, cursor.name), hint)),
    { type: "string", pattern: form.source },
  );
}

/** What stands for the name, and for the name as a part of a variable. */
export const nameSign = `\${name}`;
export const variableSign = `\${NAME}`;

const template = described(
  formed(
    /^(?:[^$]|\$(?!\{)|\$\{(?:name|NAME)\})*$/u,
    (written, called) =>
      `${called} has \`${/\$\{(?!(?:name|NAME)\})[^}]*\}?/u.exec(written)?.[0]}\`, which stands for nothing.`,
    `Write \`${nameSign}\`, or \`${variableSign}\` in the name of a variable.`,
  ),
  `A text in which \`${nameSign}\` stands for the name of the target or directory. \`${variableSign}\` is the name in capital letters, with \`_\` for all but letters and digits.`,
);

/**
 * A file, or an address whose host ends with fixed text: the author of a change can add a directory of any name, and
 * the name must not choose the host that gets the key. A backslash ends the host as a slash does.
 */
const fixedHost = new RegExp(
  [
    String.raw`^(?!.*\$\{)|^file:`,
    String.raw`|^(?!.*[?&](?:host|endpoint)=[^&#]*\$\{)[a-z][a-z0-9+]*:\/\/(?:[^\/?#\\]*@)?`,
    String.raw`(?:[^\/?#\\@$]*|[^\/?#\\@]*\}(?:\.[A-Za-z0-9-]+)+(?::\d+)?)(?:[\/?#\\]|$)`,
  ].join(""),
  "u",
);

const addressOfPattern = formed(
  fixedHost,
  (written) => `The name of a directory could choose the host of \`${written}\`.`,
  `End the host with fixed text, like \`https://${nameSign}.eu.example\`.`,
  template,
);

const targetName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/u;

/** A name is a part of addresses, paths and command lines: nothing in it can end such a part. */
export function isTargetName(text: string): boolean {
  return targetName.test(text);
}

export const targetNameHint = "Use letters, digits, `.`, `_` and `-`, at most 100, and begin with a letter or digit.";

const name = described(
  formed(targetName, (written) => `\`${written}\` cannot be the name of a target.`, targetNameHint),
  "The name of the target, in reports and after `--only`.",
);

const pattern = described(
  formed(
    /^[^*]*\*[^*/]*$/u,
    (written) => `The pattern \`${written}\` must have one \`*\`, in its last part.`,
    "Write it like `rosters/eu/*`.",
  ),
  "A path relative to the fleet file, with one `*` in its last part. The directory is the roster of its target.",
  "rosters/eu/*",
);

const keyFields = {
  env: optional(template, {
    about: "The name of a variable. In a checkout it begins with ROSTER_KEY_.",
  }),
  file: optional(template, { about: "A file, relative to the fleet file." }),
  command: optional(list(template, "not-empty"), {
    about: "A program with its arguments. It runs without a shell, in the directory of the fleet file.",
  }),
};

const keyPlace = object(keyFields, { dependent: { minProperties: 1, maxProperties: 1 } });

const keyHint = "Write `{ env: ROSTER_KEY_ACME }`, `{ file: /run/keys/acme }` or `{ command: [pass, show, acme] }`.";

const key = described(
  decoder(keyPlace.schema, (cursor) => {
    const { node } = cursor;
    const [only = "", ...others] = node.kind === "map" ? node.entries.map(({ key: { text } }) => text) : [];
    if (Object.hasOwn(keyFields, only) && others.length === 0) return keyPlace(cursor);
    // Whatever stands here may be the key itself, which no error shows.
    return cursor.secretFault("bad-value", `${cursor.name} must be \`env\`, \`file\` or \`command\`.`, keyHint);
  }),
  "Where the key of the target comes from: a variable, a file or the output of a command. Never the key itself.",
  { env: "ROSTER_KEY_ACME" },
  { file: "/run/keys/acme" },
  { command: ["pass", "show", "acme"] },
);

/** What a target and a pattern have alike. */
const fieldsWith = (address: Decoder<string>) => ({
  endpoint: required(address, {
    about: "The address of the account service. In a pattern, the host ends with fixed text.",
  }),
  account: optional(template, { about: "The account for roster files without `account:`." }),
  key: required(key),
  state: required(address, {
    about: "The place of the log. No two targets have the same. A `file:` path is relative to the fleet file.",
  }),
});

const paths = described(
  byKind<readonly string[]>(
    { scalar: andThen(template, (path) => [path]), list: list(template, "not-empty") },
    "a text or a list of texts",
  ),
  "The roster files and directories, relative to the fleet file. Several targets may have the same.",
);

const namedTarget = described(
  object({ name: required(name), roster: required(paths), ...fieldsWith(template) }, { title: "A target" }),
  "One target.",
);

const nameOfDirectory = { about: `The name of each target. Default: \`${nameSign}\`, the name of its directory.` };

const patternTarget = described(
  object(
    { name: optional(template, nameOfDirectory), pattern: required(pattern), ...fieldsWith(addressOfPattern) },
    { title: "A target" },
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
const usualDefaults = { parallelism: 4, callsPerOrigin: 10 };

const defaults = object({
  parallelism: optional(limit, {
    about: "How many targets run at the same time. Default: 4.",
    otherwise: usualDefaults.parallelism,
  }),
  callsPerOrigin: optional(limit, {
    about: "How many calls run at the same time to one origin, of all targets together. Default: 10.",
    otherwise: usualDefaults.callsPerOrigin,
  }),
});

/** What a fleet file says. */
export type WrittenFleet = Decoded<typeof fleet>;

const fleet = object({
  version: required(version, { about: "The version of this format." }),
  defaults: optional(defaults, {
    about: "How the targets are run. Flags take precedence.",
    examples: [{ parallelism: 8, callsPerOrigin: 10 }],
    otherwise: usualDefaults,
  }),
  targets: required(list(located(target), "not-empty"), {
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
