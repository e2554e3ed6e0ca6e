import type { Diagnostic } from "../model/result.ts";
import {
  andThen,
  byKind,
  type Decoder,
  decode,
  list,
  object,
  oneOf,
  optional,
  required,
  text,
} from "../yaml/decode.ts";
import { collectDiagnostics } from "../yaml/diagnostics.ts";
import { readYaml } from "../yaml/read.ts";
import { errorAt, type MapNode, type Node } from "../yaml/source-text.ts";
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

interface SeedResult {
  /** Absent where a diagnostic is an error. */
  readonly seed?: Seed;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a seed file. A seed that comes out starts a server; what is wrong with any other is reported with its places. */
export function readSeed(file: string, bytes: Uint8Array): SeedResult {
  const { tree, diagnostics } = readYaml(file, bytes);
  if (diagnostics.length > 0) return { diagnostics };
  if (tree === undefined) return { seed: {}, diagnostics };
  const title = "The seed";
  const log = collectDiagnostics({ subject: title });
  const seed = decode(seedFile, tree, { log, title });
  if (seed === undefined || log.count > 0) return { diagnostics: log.diagnostics() };
  const faults = loadSeed(seed, new World(countingIdentifiers(0)));
  if (faults.length > 0) return { diagnostics: faults.map((fault) => locateFault(tree, fault)) };
  return { seed, diagnostics };
}

const word = andThen(text, (written, cursor) =>
  written.trim() === "" ? cursor.fault(`${cursor.name} is empty.`) : written,
);

/** A text of a certain form; `form` says which, such as `an e-mail address`. */
function wordLike(pattern: RegExp, form: string): Decoder<string> {
  return andThen(word, (written, cursor) =>
    pattern.test(written) ? written : cursor.fault(`${cursor.name} must be ${form}.`),
  );
}

const email = wordLike(/^(?:\S+|"[^"\r\n]+")@[^\s@]+$/u, "an e-mail address");
const prefix = wordLike(/^[^\s.]+$/u, "a key prefix, without dots and white space");
const secret = wordLike(/^\S+$/u, "a secret, without white space");
const roles = list(word);

/** A map, or a text that stands for it. */
function wordOrMap<T>(fromWord: (written: string) => T, map: Decoder<T>): Decoder<T> {
  return byKind({ scalar: andThen(word, fromWord), map }, "a text or a map");
}

const account = wordOrMap<SeedAccount>(
  (identifier) => ({ identifier }),
  object({ identifier: required(word), name: optional(word), status: optional(word) }, { title: "An account" }),
);

const role = wordOrMap<SeedRole>(
  (identifier) => ({ identifier }),
  object(
    {
      identifier: required(word),
      name: optional(word),
      description: optional(word),
      type: optional(oneOf(["user", "system"], word)),
    },
    { title: "A role" },
  ),
);

const user: Decoder<SeedUser> = object(
  {
    identifier: optional(word),
    account: optional(word),
    email: required(email),
    firstName: required(word),
    lastName: required(word),
    title: optional(word),
    externalIdentifier: optional(word),
    source: optional(word),
    status: optional(word),
  },
  { title: "A user" },
);

const member = wordOrMap<SeedMember>(
  (name) => ({ user: name }),
  object(
    {
      user: required(word),
      prefix: optional(prefix),
      secret: optional(secret),
      roles: optional(roles),
      status: optional(word),
    },
    { title: "A member" },
  ),
);

const team: Decoder<SeedTeam> = object(
  {
    identifier: optional(word),
    account: optional(word),
    name: required(word),
    admin: required(word),
    members: optional(list(member)),
  },
  { title: "A team" },
);

const key: Decoder<SeedKey> = object(
  {
    prefix: required(prefix),
    secret: optional(secret),
    owner: required(word),
    kind: optional(oneOf(["project", "user"], word)),
    roles: required(roles),
    status: optional(word),
  },
  { title: "A key" },
);

const seedFile: Decoder<Seed> = object({
  accounts: optional(list(account)),
  roles: optional(list(role)),
  users: optional(list(user)),
  teams: optional(list(team)),
  keys: optional(list(key)),
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
