import { type Diagnostic, problem, type Result, success } from "../model/result.ts";
import { line } from "../roster/decode-text.ts";
import {
  andThen,
  byKey,
  byKind,
  type Decoder,
  decode,
  list,
  located,
  object,
  optional,
  required,
  type SourceValue,
  wholeNumber,
} from "../yaml/decode.ts";
import { collectDiagnostics } from "../yaml/diagnostics.ts";
import type { YamlDocument } from "../yaml/read.ts";
import type { SourceRange } from "../yaml/source-text.ts";

/** What a fleet file says. Names are not filled in yet. */
export interface WrittenFleet {
  readonly defaults: FleetDefaults;
  readonly targets: readonly WrittenTarget[];
}

export interface FleetDefaults {
  /** How many targets run at once. */
  readonly parallelism: number;
  /** How many calls run at once to one origin, of all targets together. */
  readonly callsPerOrigin: number;
}

/** One entry: a target, or a pattern that makes a target of each directory. */
export type WrittenTarget = NamedTarget | PatternTarget;

interface NamedTarget extends TargetFields {
  readonly is: "target";
  readonly name: Template;
  readonly roster: readonly Template[];
}

interface PatternTarget extends TargetFields {
  readonly is: "pattern";
  /** Absent: the name of the directory. */
  readonly name?: Template;
  readonly pattern: SourceValue<string>;
}

interface TargetFields {
  readonly at: SourceRange;
  readonly endpoint: Template;
  readonly account?: Template;
  readonly key: WrittenKey;
  readonly state: Template;
}

/** A text in which `${name}` stands for the name, and `${NAME}` for the name as a part of a variable. */
export type Template = SourceValue<string>;

/** What stands for the name. */
export const nameSign = `\${name}`;

/** What stands for the name as a part of a variable. */
export const variableSign = `\${NAME}`;

/** Where the key of a target comes from; never the key. */
export type WrittenKey =
  | { readonly from: "env"; readonly name: Template }
  | { readonly from: "file"; readonly path: Template }
  | { readonly from: "command"; readonly words: readonly Template[] };

const defaultFleet: FleetDefaults = { parallelism: 4, callsPerOrigin: 10 };

/** Decodes a fleet file, or says everything that is wrong with it. */
export function decodeFleet({ tree, diagnostics }: YamlDocument): Result<WrittenFleet, readonly Diagnostic[]> {
  const title = "The fleet file";
  const log = collectDiagnostics({ subject: title });
  const decoded = tree === undefined ? undefined : decode(fleet, tree, { log, title });
  const faults = [...diagnostics, ...log.diagnostics()];
  return decoded === undefined || faults.length > 0 ? problem(faults) : success(decoded);
}

const version: Decoder<1> = (cursor) => {
  const { node } = cursor;
  if (node.kind === "scalar" && node.type === "number" && Number(node.text) === 1) return 1;
  return cursor.fault(`${cursor.name} must be the number 1.`, "Write `version: 1`.");
};

const template: Decoder<Template> = located(
  andThen(line, (written, cursor) => {
    const [strange] = /\$\{(?!(?:name|NAME)\})[^}]*\}?/u.exec(written) ?? [];
    if (strange === undefined) return written;
    const message = `${cursor.name} has \`${strange}\`, which stands for nothing.`;
    return cursor.fault(message, `Write \`${nameSign}\`, or \`${variableSign}\` in the name of a variable.`);
  }),
);

const targetName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/u;

/** A name is a part of addresses, paths and command lines: nothing in it can end such a part. */
export function isTargetName(text: string): boolean {
  return targetName.test(text);
}

export const targetNameHint = "Use letters, digits, `.`, `_` and `-`, at most 100, and begin with a letter or digit.";

const name: Decoder<Template> = located(
  andThen(line, (written, cursor) =>
    isTargetName(written) ? written : cursor.fault(`\`${written}\` cannot be the name of a target.`, targetNameHint),
  ),
);

const pattern: Decoder<SourceValue<string>> = located(
  andThen(line, (written, cursor) =>
    /^[^*]*\*[^*/]*$/u.test(written)
      ? written
      : cursor.fault(
          `The pattern \`${written}\` must have one \`*\`, in its last part.`,
          "Write it like `rosters/eu/*`.",
        ),
  ),
);

const keyHint = "Write `{ env: ROSTER_KEY_ACME }`, `{ file: /run/keys/acme }` or `{ command: [pass, show, acme] }`.";

const keySources: Readonly<Record<string, Decoder<WrittenKey>>> = {
  env: andThen(object({ env: required(template) }), ({ env }) => ({ from: "env", name: env })),
  file: andThen(object({ file: required(template) }), ({ file }) => ({ from: "file", path: file })),
  command: andThen(object({ command: required(list(template, "not-empty")) }), ({ command }) => ({
    from: "command",
    words: command,
  })),
};

/** Whatever else stands here may be the key itself, which no error shows. */
const key: Decoder<WrittenKey> = (cursor) => {
  const { node } = cursor;
  const [name = "", ...others] = node.kind === "map" ? node.entries.map(({ key: { text } }) => text) : [];
  const source = Object.hasOwn(keySources, name) && others.length === 0 ? keySources[name] : undefined;
  if (source !== undefined) return source(cursor);
  return cursor.secretFault("bad-value", `${cursor.name} must be \`env\`, \`file\` or \`command\`.`, keyHint);
};

const shared = {
  endpoint: required(template),
  account: optional(template),
  key: required(key),
  state: required(template),
};

const paths: Decoder<readonly Template[]> = byKind(
  { scalar: andThen(template, (path) => [path]), list: list(template, "not-empty") },
  "a text or a list of texts",
);

const target: Decoder<WrittenTarget> = byKey<WrittenTarget>(
  {
    roster: andThen(
      object({ name: required(name), roster: required(paths), ...shared }, { title: "A target" }),
      (fields, { node }) => ({ is: "target", at: node, ...fields }),
    ),
    pattern: andThen(
      object({ name: optional(template), pattern: required(pattern), ...shared }, { title: "A target" }),
      (fields, { node }) => ({ is: "pattern", at: node, ...fields }),
    ),
  },
  { title: "A target", hint: "Write `roster:` for one target, or `pattern:` for a target of each directory." },
);

const limit = wholeNumber({ least: 1, most: 64 });

const fleet: Decoder<WrittenFleet> = andThen(
  object({
    version: required(version),
    defaults: optional(object({ parallelism: optional(limit), callsPerOrigin: optional(limit) })),
    targets: required(list(target, "not-empty")),
  }),
  ({ defaults = {}, targets }) => ({ defaults: { ...defaultFleet, ...defaults }, targets }),
);
