import type { Diagnostic } from "../model/result.ts";
import { readYaml } from "../yaml/read.ts";
import { errorAt, type MapNode, type Node } from "../yaml/tree.ts";
import { countingIdentifiers } from "./identifiers.ts";
import type { Seed, SeedAccount, SeedKey, SeedMember, SeedRole, SeedTeam, SeedUser } from "./seed-shape.ts";
import { loadSeed } from "./sow-seed.ts";
import type { SeedFault, SeedPath } from "./sowing.ts";
import {
  listOf,
  mapOf,
  type NodeDecoder,
  oneOf,
  optional,
  required,
  text,
  textLike,
  textOrMap,
} from "./tree-reader.ts";
import { World } from "./world.ts";

export interface SeedResult {
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
