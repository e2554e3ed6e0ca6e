import { definedFields, groupBy } from "../model/collections.ts";
import { formatPlace } from "../model/fact.ts";
import type { Diagnostic } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import { line, versionOf } from "../roster/decode.ts";
import * as d from "../yaml/decode.ts";
import { duration } from "../yaml/duration.ts";
import { DiagnosticsCollector, type SourceRange, type YamlDocument } from "../yaml/source-text.ts";

/** One service with its roster, key and state. Paths start where the command runs. */
export type Target = WrittenNamed & {
  /** Scheme, host and port; an endpoint that is no address is an origin of its own. */
  readonly origin: string;
  readonly at: SourceRange;
};

const title = "The fleet file";

export function decodeFleet({ tree, diagnostics }: YamlDocument): Result<WrittenFleet, readonly Diagnostic[]> {
  const log = new DiagnosticsCollector(title);
  const decoded = tree && d.decode(fleet, tree, { log, title });
  const faults = [...diagnostics, ...log.diagnostics()];
  return decoded === undefined || faults.length > 0 ? problem(faults) : success(decoded);
}

type Directories = ReadonlyMap<string, readonly string[]>;

/** `directories`: the names that each pattern matches. `here`: a path of the file, from where the command runs; the same text for the same file. */
export function expandFleet(fleet: WrittenFleet, directories: Directories, here: (path: string) => string) {
  const log = new DiagnosticsCollector(title);
  const targetOf = (written: WrittenNamed, name: string, at: SourceRange): Target => {
    const fill = (text: string) =>
      text.replaceAll(nameSign, () => name).replaceAll(variableSign, () => variablePart(name));
    const { env, file, command } = written.key;
    const endpoint = fill(written.endpoint);
    return {
      ...definedFields({ account: written.account && fill(written.account) }),
      name: fill(written.name),
      roster: written.roster.map((path) => here(fill(path))),
      endpoint,
      origin: URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint,
      key: definedFields({ env: env && fill(env), file: file && here(fill(file)), command: command?.map(fill) }),
      state: fill(written.state).replace(/^file:(?:\/\/(?=\/))?(.*)$/su, (_, path: string) => `file:${here(path)}`),
      at,
    };
  };
  const targets = fleet.targets.flatMap(({ value, at }) => {
    if (!("pattern" in value)) return [targetOf(value, value.name, at)];
    const { pattern, name = nameSign, ...others } = value;
    const names = directories.get(pattern) ?? [];
    if (names.length === 0) log.error(at, "bad-value", `No directory matches \`${pattern}\`.`, "Correct the pattern.");
    for (const [part, [one, other]] of groupBy(names, variablePart)) {
      if (other === undefined || !JSON.stringify(others).includes(variableSign)) continue;
      const message = `The directories ${one} and ${other} both have the \`${variableSign}\` ${part}.`;
      log.error(at, "duplicate", message, "Rename one of them.");
    }
    const parent = pattern.slice(0, pattern.lastIndexOf("/") + 1);
    return names.flatMap((directory) => {
      const target = targetOf({ ...others, name, roster: [`${parent}${directory}`] }, directory, at);
      const wrong = [directory, target.name].find((one) => !targetName.test(one));
      if (wrong === undefined) return [target];
      log.error(at, "bad-value", `\`${wrong}\` cannot be the name of a target.`, targetNameHint);
      return [];
    });
  });
  // Reports have a file for each target, and some file systems take `Acme` for `acme`.
  for (const [first, ...others] of groupBy(targets, ({ name }) => name.toLowerCase()).values())
    for (const { name, at } of others) {
      const message = `The target ${name} is there already, at ${formatPlace(first.at.place)}.`;
      log.error(at, "duplicate", message, "Give each target a name of its own.");
    }
  for (const [first, ...others] of log.count > 0 ? [] : groupBy(targets, statePlace).values())
    for (const { name, at } of others) {
      const hint = `Give each target a state of its own. In a pattern, put \`${nameSign}\` into it.`;
      log.error(at, "duplicate", `The targets ${first.name} and ${name} have one state.`, hint);
    }
  return log.count > 0 ? problem(log.diagnostics()) : success(targets);
}

/** `eu-1` is `EU_1` in the name of a variable. */
function variablePart(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/gu, "_");
}

/** One text for all addresses of a state: who reads it, and by which parameters, makes no other state of it. */
function statePlace({ state }: Target): string {
  if (state.startsWith("file:") || !URL.canParse(state)) return state;
  const { protocol, host, pathname, searchParams } = new URL(state);
  if (!/^postgres(?:ql)?:$/u.test(protocol)) return `${protocol}//${host.toLowerCase()}${pathname}`;
  const server = searchParams.get("host") ?? host.toLowerCase();
  return `postgres://${server}${pathname}?name=${searchParams.get("name") ?? "roster"}`;
}

/** Gives out targets, each of an origin of which the fewest run: a slow or dead origin holds up no other. */
export function* targetsInTurn(targets: readonly Target[]) {
  const byOrigin = groupBy(targets, ({ origin }) => origin).values();
  const origins = [...byOrigin].map((all) => ({ waiting: [...all], running: 0 }));
  for (;;) {
    const [next] = origins.filter(({ waiting }) => waiting.length > 0).sort((a, b) => a.running - b.running);
    const target = next?.waiting.shift();
    if (next === undefined || target === undefined) return;
    next.running += 1;
    const end = () => {
      next.running -= 1;
    };
    yield { target, end };
  }
}

/** `fault` says what is wrong with a text of another form, which `called` is the name of. */
function formed(form: RegExp, fault: (written: string, called: string) => string, hint: string, first = line) {
  const check = (written: string, cursor: d.Cursor) =>
    form.test(written) ? written : cursor.fault(fault(written, cursor.name), hint);
  return d.andThen(first, check, { type: "string", pattern: form.source });
}

const [nameSign, variableSign] = [`\${name}`, `\${NAME}`];

const template = d.described(
  formed(
    /^(?:[^$]|\$(?!\{)|\$\{(?:name|NAME)\})*$/u,
    (written, called) =>
      `${called} has \`${/\$\{(?!(?:name|NAME)\})[^}]*\}?/u.exec(written)?.[0]}\`, which stands for nothing.`,
    `Write \`${nameSign}\`, or \`${variableSign}\` in the name of a variable.`,
  ),
  `A text in which \`${nameSign}\` stands for the name of the target or directory. \`${variableSign}\` is the name in capital letters, with \`_\` for all but letters and digits.`,
);

/** A change can add a directory of any name: it must not choose the host that gets the key. A backslash ends a host as a slash does. */
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

/** A name is a part of addresses, paths and command lines: nothing in it can end such a part. */
export const targetName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/u;

const targetNameHint = "Use letters, digits, `.`, `_` and `-`, at most 100, and begin with a letter or digit.";

const name = d.described(
  formed(targetName, (written) => `\`${written}\` cannot be the name of a target.`, targetNameHint),
  "The name of the target, in reports and after `--include`.",
);

const pattern = d.described(
  formed(
    /^[^*]*\*[^*/]*$/u,
    (written) => `The pattern \`${written}\` must have one \`*\`, in its last part.`,
    "Write it like `rosters/eu/*`.",
  ),
  "A path relative to the fleet file, with one `*` in its last part. The directory is the roster of its target.",
  "rosters/eu/*",
);

const keyFields = {
  env: d.optional(template, { about: "The name of a variable. In a checkout it begins with ROSTER_KEY_." }),
  file: d.optional(template, { about: "A file, relative to the fleet file." }),
  command: d.optional(d.list(template, "not-empty"), {
    about: "A program with its arguments. It runs without a shell, in the directory of the fleet file.",
  }),
};

const keyPlace = d.object(keyFields, { dependent: { minProperties: 1, maxProperties: 1 } });

const key = d.described(
  d.decoder(keyPlace.schema, (cursor) => {
    const { node } = cursor;
    const [only = "", ...others] = node.kind === "map" ? node.entries.map(({ key: { text } }) => text) : [];
    if (Object.hasOwn(keyFields, only) && others.length === 0) return keyPlace(cursor);
    const hint = "Write `{ env: ROSTER_KEY_ACME }`, `{ file: /run/keys/acme }` or `{ command: [pass, show, acme] }`.";
    // Whatever stands here may be the key itself, which no error shows.
    return cursor.secretFault("bad-value", `${cursor.name} must be \`env\`, \`file\` or \`command\`.`, hint);
  }),
  "Where the key of the target comes from: a variable, a file or the output of a command. Never the key itself.",
  { env: "ROSTER_KEY_ACME" },
  { file: "/run/keys/acme" },
  { command: ["pass", "show", "acme"] },
);

const commonFields = (address: d.Decoder<string>) => ({
  endpoint: d.required(address, {
    about: "The address of the account service. In a pattern, the host ends with fixed text.",
  }),
  account: d.optional(template, { about: "The account for roster files without `account:`." }),
  key: d.required(key),
  state: d.required(address, {
    about: "The place of the log. No two targets have the same. A `file:` path is relative to the fleet file.",
  }),
});

const paths = d.described(
  d.byKind<readonly string[]>(
    { scalar: d.andThen(template, (path) => [path]), list: d.list(template, "not-empty") },
    "a text or a list of texts",
  ),
  "The roster files and directories, relative to the fleet file. Several targets may have the same.",
);

const namedTarget = d.described(
  d.object({ name: d.required(name), roster: d.required(paths), ...commonFields(template) }, { title: "A target" }),
  "One target.",
);

const nameOfDirectory = { about: `The name of each target. Default: \`${nameSign}\`, the name of its directory.` };

const patternTarget = d.described(
  d.object(
    { name: d.optional(template, nameOfDirectory), pattern: d.required(pattern), ...commonFields(addressOfPattern) },
    { title: "A target" },
  ),
  "A target of each directory that the pattern matches.",
);

type WrittenNamed = d.Decoded<typeof namedTarget>;

const target = d.byKey<WrittenNamed | d.Decoded<typeof patternTarget>>(
  { roster: namedTarget, pattern: patternTarget },
  { title: "A target", hint: "Write `roster:` for one target, or `pattern:` for a target of each directory." },
);

export const targetsAtOnce = { least: 1, most: 64 };
const limit = d.wholeNumber(targetsAtOnce);

/** A schedule of cron has no other. */
const every = d.andThen(duration, (time, cursor) => {
  const [minutes, hours] = [time / 60_000, time / 3_600_000];
  if (Number.isInteger(minutes) && (60 % minutes === 0 || (Number.isInteger(hours) && 24 % hours === 0))) return time;
  const hint = "Use minutes that divide an hour, or hours that divide a day, such as 15m, 1h or 24h.";
  return cursor.fault(`${cursor.name} does not divide an hour or a day into equal parts.`, hint);
});

const defaults = d.object({
  parallelism: d.optional(limit, { about: "How many targets run at the same time. Default: 4.", otherwise: 4 }),
  callsPerOrigin: d.optional(limit, {
    about: "How many calls run at the same time to one origin, of all targets and workers together. Default: 10.",
    otherwise: 10,
  }),
  callsPerSecond: d.optional(d.wholeNumber({ least: 1, most: 10_000 }), {
    about: "How many calls go to one origin in one second at most, from all workers together.",
  }),
  every: d.optional(every, { about: "How often workers check each target, such as `15m`, `1h` or `24h`." }),
  maxAge: d.optional(duration, { about: "After this time without a success, a target is a task. Default: `26h`." }),
});

const fleet = d.object({
  version: d.required(versionOf("fleet file"), { about: "The version of this format." }),
  defaults: d.optional(defaults, {
    about: "How the targets are run. Flags take precedence.",
    examples: [{ parallelism: 8, callsPerOrigin: 10, callsPerSecond: 20, every: "1h", maxAge: "2h" }],
    otherwise: { parallelism: 4, callsPerOrigin: 10 },
  }),
  targets: d.required(d.list(d.located(target), "not-empty"), {
    about: "The targets. `pattern` makes a target of each directory that it matches.",
  }),
});

export type WrittenFleet = d.Decoded<typeof fleet>;

export const fleetFormat = {
  title: "roster: a fleet",
  description:
    "The fleet file `fleet.yaml`: many targets, each a service with its roster, key and state. `roster fleet` works on all of them.",
  root: fleet.schema,
  declarations: { text: line, template, key, target: namedTarget, pattern: patternTarget },
};
