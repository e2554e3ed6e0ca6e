// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a fleet file has them as they are
import fc from "fast-check";

/** A part of a document before it is written down. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const texts = fc.constantFrom("a", "Ada", "Data Science", "x y", "é", "1", "true", "null", "t-42", "constructor", "😀");
const strange = fc.constantFrom(
  "",
  " ",
  " a",
  "a ",
  "a\nb",
  "\u0007",
  "a\u0085",
  "\u2028",
  "\ufeffa",
  "a@",
  "@b",
  "a b@c",
);
const ordinary = ["ada@acme.example", "BO@x", "ü@ä.example", "o'brien@x.y"] as const;
const addresses = fc.constantFrom(...ordinary, '"a b"@x', "a/b@x", "a@b@x");
const dates = fc.constantFrom("2026-11-20", "2027-01-31", "2028-02-29", "1900-01-01", "9999-12-31");

/** The same without some of its keys and entries. */
export function partOf(part: Json): fc.Arbitrary<Json> {
  if (typeof part !== "object" || part === null) return fc.constant(part);
  const items = Object.entries(part).map(([name, item]) =>
    fc.option(
      partOf(item).map((kept): readonly [string, Json] => [name, kept]),
      { nil: undefined, freq: 10 },
    ),
  );
  return fc.tuple(...items).map((drawn) => {
    const kept = drawn.filter((entry) => entry !== undefined);
    return Array.isArray(part) ? kept.map(([, item]) => item) : rebuilt(kept);
  });
}

const anything: fc.Arbitrary<Json> = fc.oneof(
  texts,
  strange,
  addresses,
  dates,
  fc.constantFrom("2027-02-29", "2027-1-31", "20270131", "0227-01-31", "2027-01-31T00:00Z"),
  fc.constantFrom("-a.example", "a..example", "@a@b", "a-.b", "ａ.example", "a\u200bb.example", "a!b.example", ".a"),
  fc.constantFrom<Json>(null, true, [], {}, ["a"], [null], [{}], [[]], { set: "a" }, { user: "a@b", group: "g" }),
  fc.constantFrom<Json>(-1, -0.5, 0, 1, 1.5, 2, 65, 367, 2 ** 53, 1e21),
  fc.constantFrom(
    "off",
    "maybe",
    "report",
    "remove",
    "project",
    "team",
    "/a//b",
    "../a",
    "te?m",
    "/~2",
    "rows",
    "90",
    "1.5h",
    "a.b",
  ),
  fc.constantFrom(
    ...[101, 200, 201, 2000, 2001].map((length) => "a".repeat(length)),
    ...[241, 242].map((length) => `${"a".repeat(length)}@acme.example`),
    "😀".repeat(200),
    "😀".repeat(201),
    `${"a".repeat(254)}/b`,
    "a/b/c",
    "-a",
    "a.",
    "a_",
  ),
  fc.constantFrom<Json>(
    { tier: "" },
    { "a/B/c": "d" },
    { "A/b": "c" },
    { "": "a" },
    { "a-": "b" },
    { tier: 1 },
    Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`l${index}`, "a"])),
  ),
  fc.constant(Array.from({ length: 201 }, (_, index) => `R${index}`)),
);
const keyNames = fc.constantFrom(
  "email",
  "roles",
  "name",
  "set",
  "user",
  "group",
  "key",
  "since",
  "from",
  "until",
  "owner",
  "ref",
  "onRemoval",
  "rolse",
  "guards",
  "max-new-user",
  "service",
  "__proto__",
  "version",
  "",
);

interface Mutation {
  readonly steps: readonly number[];
  readonly value: Json;
  readonly name: string;
  readonly how: "replace" | "empty" | "remove" | "add" | "rename" | "double" | "wrap";
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  steps: fc.array(fc.nat({ max: 50 }), { maxLength: 6 }),
  value: anything,
  name: keyNames,
  how: fc.constantFrom("replace", "empty", "remove", "add", "rename", "double", "wrap"),
});

/** The same with one or two parts of it replaced, emptied, left out, added, renamed, doubled or put into a list. */
export function mutationsOf(document: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(document, fc.array(mutation, { minLength: 1, maxLength: 2 }))
    .map(([whole, changes]) => changes.reduce((part, one) => mutated(part, one.steps, (at) => change(at, one)), whole));
}

function mutated(part: Json, [step, ...rest]: readonly number[], edit: (part: Json) => Json): Json {
  const names = typeof part === "object" && part !== null ? Object.keys(part) : [];
  const chosen = step === undefined || names.length === 0 ? undefined : names[step % names.length];
  if (chosen === undefined) return edit(part);
  if (Array.isArray(part))
    return part.map((item, index) => (String(index) === chosen ? mutated(item, rest, edit) : item));
  return rebuilt(
    Object.entries(part ?? {}).map(([name, item]) => [name, name === chosen ? mutated(item, rest, edit) : item]),
  );
}

function change(part: Json, { value, name, how }: Mutation): Json {
  if (how === "wrap") return [part];
  if (how === "empty") return Array.isArray(part) ? [] : typeof part === "object" ? {} : "";
  if (how === "replace" || typeof part !== "object" || part === null) return value;
  return Array.isArray(part) ? changedList(part, value, how) : changedMap(Object.entries(part), [name, value], how);
}

type Restructuring = Exclude<Mutation["how"], "wrap" | "empty" | "replace">;

function changedMap(
  entries: readonly (readonly [string, Json])[],
  [name, value]: readonly [string, Json],
  how: Restructuring,
): Json {
  const others = entries.filter(([other]) => other !== name);
  const [first, ...rest] = entries;
  switch (how) {
    case "add":
      return rebuilt([...others, [name, value]]);
    case "remove":
      return rebuilt(rest);
    case "rename":
      return rebuilt(first === undefined ? [] : [...rest, [`${first[0]}s`, first[1]]]);
    case "double":
      return rebuilt(first === undefined ? [] : [...others, [name, first[1]]]);
  }
}

function changedList(list: readonly Json[], value: Json, how: Restructuring): Json {
  switch (how) {
    case "add":
      return [...list, value];
    case "remove":
    case "rename":
      return list.slice(1);
    case "double":
      return [...list, ...list];
  }
}

/** Every document that comes of one small change in one place: values nudged or of another kind, keys and entries left out, renamed or doubled. */
export function* everyChangeOf(part: Json): Iterable<Json> {
  yield* nudged(part);
  if (typeof part !== "object" || part === null) return;
  if (Array.isArray(part)) {
    yield [...part, ...part];
    for (const [index, item] of part.entries())
      for (const changed of everyChangeOf(item)) yield part.map((other, at) => (at === index ? changed : other));
    return;
  }
  const entries = Object.entries(part);
  yield rebuilt([...entries, ["extra", 1]]);
  for (const [name, item] of entries) {
    const others = entries.filter(([other]) => other !== name);
    yield rebuilt(others);
    yield rebuilt([...others, [`${name}s`, item]]);
    for (const changed of everyChangeOf(item))
      yield rebuilt(entries.map(([other, value]) => [other, other === name ? changed : value]));
  }
}

function nudged(part: Json): readonly Json[] {
  const others: readonly Json[] = [null, true, 7, "", "word", [], {}, [part]];
  if (typeof part === "number") return [...others, part + 1, part - 1, part + 0.5, -part, String(part)];
  if (typeof part === "boolean") return [...others, !part, String(part)];
  if (typeof part !== "string") return others;
  const around = [` ${part}`, `${part} `, `${part}\n`, `${part}.x`, `/${part}`, `${part}/`, `-${part}`, `${part}@x`];
  return [...others, ...around, part.toUpperCase(), part.replace("@", ""), part.replace("-", "")];
}

const person = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };

/** A file of each format that has every key. */
export const completeDocuments: Readonly<Record<"roster" | "settings" | "seed" | "fleet", Json>> = {
  roster: {
    version: 1,
    account: "acc-1",
    defaults: { source: "gitops" },
    roleSets: { engineer: ["DEVELOPER"] },
    groups: { "on-call": ["bo@acme.example"] },
    users: [
      {
        ...person,
        title: "Countess",
        externalIdentifier: "0012",
        source: "hr",
        previously: ["ada@old.example"],
        ownKeyRoles: ["DEVELOPER", { set: "engineer" }, { role: "AUDITOR", from: "2026-11-01", until: "2027-01-31" }],
        key: "k1",
        from: "2026-11-01",
        until: "2028-02-29",
        distinctFrom: ["eda@acme.example"],
        owner: "platform-team",
        note: "maintains the engine",
      },
      { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" },
    ],
    leavers: [{ email: "cy@acme.example", since: "2026-11-20", owner: "hr", note: "a" }],
    teams: [
      {
        name: "Data Science",
        identifier: "t-42",
        previously: ["Data"],
        admin: "ada@acme.example",
        firstMember: "bo@acme.example",
        roles: ["TEAM_ROLE"],
        open: false,
        onRemoval: "revoke",
        owner: "Ada",
        note: "b",
        members: [
          "ada@acme.example",
          { user: "bo@acme.example", roles: [], key: "k2", owner: "c", note: "e" },
          { group: "on-call", roles: [{ set: "engineer" }], from: "2026-11-01", until: "2027-01-31" },
        ],
      },
      { name: "Open", open: true },
    ],
    keys: [
      { prefix: "k3", owner: "ada@acme.example", roles: ["DEVELOPER"], note: "nightly" },
      { prefix: "k4", owner: "platform-team", roles: [] },
    ],
    accept: [{ code: "extra-member:x#0123456789ab", reason: "HR-812", until: "2026-12-20" }],
  },
  settings: {
    endpoint: "https://a.example",
    roster: ["people", "teams"],
    account: "prod",
    accounts: { prod: "acc-1" },
    state: "file:log.jsonl",
    parallelism: 64,
    apiKeyCommand: ["pass", "show"],
    proxy: "http://proxy.example:3128",
    ca: "ca.pem",
    guards: {
      "allowed-email-domains": ["acme.example", "@sub.acme.example"],
      "near-duplicate": "on",
      "privileged-roles": { roles: ["ACCOUNT_ADMIN"], people: ["ada@acme.example"] },
      "max-new-users": 0,
      "max-invitations": 9_007_199_254_740_991,
      "max-role-removals": { ratio: 1, floor: 3 },
      "min-admins": { role: "ACCOUNT_ADMIN", count: 2 },
      "required-admins": ["ada@acme.example"],
    },
    protect: { users: ["ada@acme.example"], keys: ["k1"] },
    sections: [{ paths: ["teams/**", "a-b*.yaml"], only: ["teams", "roleSets"] }],
    service: {
      shapes: { users: { list: "/rows", email: "/e~1mail" }, replacedRoles: { list: "" } },
      consistency: "1h30m",
      throttling: "no-effect",
    },
  },
  fleet: {
    version: 1,
    defaults: { parallelism: 4, callsPerOrigin: 10 },
    targets: [
      {
        name: "acme",
        roster: ["rosters/acme", "people"],
        endpoint: "https://acme.example",
        account: "acc-1",
        key: { env: "ROSTER_KEY_ACME" },
        state: "postgres://db.example/roster?name=acme",
      },
      {
        pattern: "rosters/eu/*",
        name: "${name}-eu",
        endpoint: "https://${name}.eu.example",
        account: "acc-1",
        key: { file: "/run/keys/${name}" },
        state: "s3://states/${name}.json",
      },
      {
        name: "last",
        roster: "rosters/last",
        endpoint: "https://last.example",
        key: { command: ["pass", "show", "${name}"] },
        state: "file:last.json",
      },
      {
        pattern: "us-*",
        endpoint: "https://accounts.example/${name}",
        account: "a-${name}",
        key: { env: "ROSTER_KEY_${NAME}" },
        state: "file:states/${name}.json",
      },
    ],
  },
  seed: {
    accounts: [{ identifier: "acc-1", name: "Acme", status: "Active" }, "acc-2"],
    roles: ["DEVELOPER", { identifier: "PILOT", name: "Pilot", description: "Flies.", type: "system" }],
    users: [
      {
        ...person,
        identifier: "u-1",
        account: "acc-1",
        title: "Countess",
        externalIdentifier: "0012",
        source: "hr",
        status: "Active",
      },
    ],
    teams: [
      {
        identifier: "t-1",
        account: "acc-1",
        name: "Air",
        admin: "u-1",
        members: ["u-1", { user: "u-2", prefix: "k1", secret: "s-1", roles: ["PILOT"], status: "Active" }],
      },
    ],
    keys: [{ prefix: "k2", secret: "s-2", owner: "u-1", kind: "project", roles: ["PILOT"], status: "Active" }],
  },
};

/** `Object.fromEntries` keeps `__proto__` as a name like any other. */
function rebuilt(entries: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(entries);
}
