import type { Diagnostic } from "../model/result.ts";
import { readYaml } from "../yaml/read.ts";
import { errorAt } from "../yaml/source-text.ts";
import type { MapEntry, MapNode, Node } from "../yaml/tree.ts";
import { countingIdentifiers } from "./identifiers.ts";
import {
  loadSeed,
  type Seed,
  type SeedAccount,
  type SeedFault,
  type SeedKey,
  type SeedMember,
  type SeedPath,
  type SeedRole,
  type SeedTeam,
  type SeedUser,
} from "./seed.ts";
import { World } from "./world.ts";

/** Takes a value out of a located tree; where it is not what it must be, adds what is wrong and returns nothing. */
type NodeDecoder<T> = (node: Node, wrong: Diagnostic[]) => T | undefined;

/** A key of a map. */
interface DecodedField<T> {
  readonly read: NodeDecoder<T>;
  readonly need: "required" | "optional";
}

/** The fields of a map that is read into a `T`. */
type DecodedFields<T> = { readonly [Name in keyof T]-?: DecodedField<Exclude<T[Name], undefined>> };

function required<T>(read: NodeDecoder<T>): DecodedField<T> {
  return { read, need: "required" };
}

function optional<T>(read: NodeDecoder<T>): DecodedField<T> {
  return { read, need: "optional" };
}

/** A text that is not empty. Numbers and the like have to be quoted, so that `012` stays what it is. */
const text: NodeDecoder<string> = (node, wrong) => {
  if (node.kind !== "scalar") return addDiagnostic(node, wrong, "seed-wrong-type", "This must be a text.");
  if (node.text.trim() === "") return addDiagnostic(node, wrong, "seed-bad-value", "This must not be empty.");
  if (node.type !== "string") {
    const hint = `Put it in quotes: "${node.text}".`;
    return addDiagnostic(
      node,
      wrong,
      "seed-wrong-type",
      `This must be a text, and unquoted it is a ${node.type}.`,
      hint,
    );
  }
  return node.text;
};

/** A text of a certain form; `form` says which, such as `an e-mail address`. */
function textLike(pattern: RegExp, form: string): NodeDecoder<string> {
  return (node, wrong) => {
    const found = text(node, wrong);
    if (found === undefined || pattern.test(found)) return found;
    return addDiagnostic(node, wrong, "seed-bad-value", `This must be ${form}.`);
  };
}

function oneOf<T extends string>(...words: readonly T[]): NodeDecoder<T> {
  return (node, wrong) => {
    const found = text(node, wrong);
    if (found === undefined) return undefined;
    const word = words.find((candidate) => candidate === found);
    return word ?? addDiagnostic(node, wrong, "seed-bad-value", `This must be one of ${words.join(", ")}.`);
  };
}

function listOf<T>(read: NodeDecoder<T>): NodeDecoder<readonly T[]> {
  return (node, wrong) => {
    if (node.kind !== "list") return addDiagnostic(node, wrong, "seed-wrong-type", "This must be a list.");
    return node.items.map((item) => read(item, wrong)).filter((item) => item !== undefined);
  };
}

/** A map with these keys and no others. */
function mapOf<T>(fields: DecodedFields<T>): NodeDecoder<T> {
  const named = new Map<string, DecodedField<unknown>>(Object.entries(fields));
  return (node, wrong) => {
    if (node.kind !== "map")
      return addDiagnostic(node, wrong, "seed-wrong-type", `This must be a map of ${quotedKeys(named)}.`);
    const before = wrong.length;
    const values = decodeEntries(node, named, wrong);
    return wrong.length === before ? (Object.fromEntries(values) as T) : undefined;
  };
}

/** A map, or the text that stands for it. */
function textOrMap<T>(fromText: (found: string) => T, read: NodeDecoder<T>): NodeDecoder<T> {
  return (node, wrong) => {
    if (node.kind !== "scalar") return read(node, wrong);
    const found = text(node, wrong);
    return found === undefined ? undefined : fromText(found);
  };
}

function decodeEntries(
  node: MapNode,
  named: ReadonlyMap<string, DecodedField<unknown>>,
  wrong: Diagnostic[],
): MapEntries {
  const values = new Map<string, unknown>();
  for (const entry of node.entries) decodeEntry(entry, named, values, wrong);
  const given = new Set(node.entries.map((entry) => entry.key.text));
  for (const [name, field] of named) {
    if (field.need === "optional" || given.has(name)) continue;
    addDiagnostic(node, wrong, "seed-missing-key", `The key \`${name}\` is missing.`);
  }
  return values;
}

type MapEntries = ReadonlyMap<string, unknown>;

function decodeEntry(
  { key, value }: MapEntry,
  named: ReadonlyMap<string, DecodedField<unknown>>,
  values: Map<string, unknown>,
  wrong: Diagnostic[],
): void {
  const field = named.get(key.text);
  if (field !== undefined) values.set(key.text, field.read(value, wrong));
  else
    addDiagnostic(key, wrong, "seed-unknown-key", `There is no key \`${key.text}\` here.`, `Use ${quotedKeys(named)}.`);
}

function quotedKeys(named: ReadonlyMap<string, unknown>): string {
  return [...named.keys()].map((name) => `\`${name}\``).join(", ");
}

function addDiagnostic(node: Node, wrong: Diagnostic[], code: string, message: string, hint?: string): undefined {
  wrong.push(errorAt(node, hint === undefined ? { code, message } : { code, message, hint }));
  return undefined;
}

interface SeedResult {
  /** Absent where a diagnostic is an error. */
  readonly seed?: Seed;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a seed file. A seed that comes out starts a server; what is wrong with any other is told with its places. */
export function readSeed(file: string, bytes: Uint8Array): SeedResult {
  const { tree, diagnostics } = readYaml(file, bytes);
  if (diagnostics.length > 0) return { diagnostics };
  if (tree === undefined) return { seed: {}, diagnostics };
  const wrong: Diagnostic[] = [];
  const seed = seedMap(tree, wrong);
  if (seed === undefined) return { diagnostics: wrong };
  const faults = loadSeed(seed, new World(countingIdentifiers(0)));
  if (faults.length > 0) return { diagnostics: faults.map((fault) => locateFault(tree, fault)) };
  return { seed, diagnostics };
}

const email = textLike(/^(?:\S+|"[^"\r\n]+")@[^\s@]+$/u, "an e-mail address");
const prefix = textLike(/^[^\s.]+$/u, "a prefix, without dots and white space");
const secret = textLike(/^\S+$/u, "a secret, without white space");
const roleNames = listOf(text);

const account = textOrMap<SeedAccount>(
  (identifier) => ({ identifier }),
  mapOf<SeedAccount>({ identifier: required(text), name: optional(text), status: optional(text) }),
);

const role = textOrMap<SeedRole>(
  (identifier) => ({ identifier }),
  mapOf<SeedRole>({
    identifier: required(text),
    name: optional(text),
    description: optional(text),
    type: optional(oneOf("user", "system")),
  }),
);

const user: NodeDecoder<SeedUser> = mapOf<SeedUser>({
  identifier: optional(text),
  account: optional(text),
  email: required(email),
  firstName: required(text),
  lastName: required(text),
  title: optional(text),
  externalIdentifier: optional(text),
  source: optional(text),
  status: optional(text),
});

const member = textOrMap<SeedMember>(
  (name) => ({ user: name }),
  mapOf<SeedMember>({
    user: required(text),
    prefix: optional(prefix),
    secret: optional(secret),
    roles: optional(roleNames),
    status: optional(text),
  }),
);

const team: NodeDecoder<SeedTeam> = mapOf<SeedTeam>({
  identifier: optional(text),
  account: optional(text),
  name: required(text),
  admin: required(text),
  members: optional(listOf(member)),
});

const key: NodeDecoder<SeedKey> = mapOf<SeedKey>({
  prefix: required(prefix),
  secret: optional(secret),
  owner: required(text),
  kind: optional(oneOf("project", "user")),
  roles: required(roleNames),
  status: optional(text),
});

const seedMap: NodeDecoder<Seed> = mapOf<Seed>({
  accounts: optional(listOf(account)),
  roles: optional(listOf(role)),
  users: optional(listOf(user)),
  teams: optional(listOf(team)),
  keys: optional(listOf(key)),
});

function locateFault(tree: MapNode, { path, code, message }: SeedFault): Diagnostic {
  return errorAt(findNode(tree, path), { code, message: `${message}.` });
}

/** The node of a path, or the deepest one on the way to it: a member may be a bare address. */
function findNode(node: Node, path: SeedPath): Node {
  const [step, ...rest] = path;
  const next = step === undefined ? undefined : childOf(node, step);
  return next === undefined ? node : findNode(next, rest);
}

function childOf(node: Node, step: string | number): Node | undefined {
  if (node.kind === "list") return typeof step === "number" ? node.items[step] : undefined;
  return node.kind === "map" ? node.entries.find((entry) => entry.key.text === step)?.value : undefined;
}
