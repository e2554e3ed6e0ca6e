// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a fleet file has them as they are
import fc from "fast-check";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

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

/** What somebody may write in the place of anything: sound and unsound addresses, days, names, patterns, numbers and lists. */
const anything: readonly Json[] = [
  ...["", " ", " a", "a ", "a\nb", "\u0007", "a\u0085", "\u2028", "\ufeffa", "x y"],
  ...words("é 😀 constructor 1 null"),
  ...words("ada@acme.example BO@x ü@ä.example o'brien@x.y a/b@x a@b@x a@ @b"),
  ...['"a b"@x', "a b@c"],
  ...words("2026-11-20 2028-02-29 9999-12-31 2027-02-29 2027-1-31 20270131 0227-01-31 2027-01-31T00:00Z"),
  ...words("-a.example a..example @a@b a-.b ａ.example a\u200bb.example a!b.example .a -a a. a_"),
  ...words("off maybe report remove project team /a//b ../a te?m /~2 rows 90 1.5h a.b a/b/c"),
  ...[101, 200, 201, 2000, 2001].map((length) => "a".repeat(length)),
  ...[241, 242].map((length) => `${"a".repeat(length)}@acme.example`),
  ...["😀".repeat(200), "😀".repeat(201), `${"a".repeat(254)}/b`],
  ...[null, true, [], {}, ["a"], [null], [{}], [[]], { set: "a" }, { user: "a@b", group: "g" }],
  ...[-1, -0.5, 0, 1, 1.5, 2, 65, 367, 2 ** 53, 1e21],
  ...[{ tier: "" }, { "a/B/c": "d" }, { "A/b": "c" }, { "": "a" }, { "a-": "b" }, { tier: 1 }],
  Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`l${index}`, "a"])),
  Array.from({ length: 201 }, (_, index) => `R${index}`),
];

function words(text: string): readonly string[] {
  return text.split(" ");
}

const keyNames = ["rolse", "since", "from", "until", "ref", "owner", "max-new-user", "__proto__", ""];

/** One of the documents that come of one small change in one place. */
export function changeOf(document: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.tuple(document, fc.nat(), fc.nat()).map(([whole, at, how]) => {
    const places = [...placesIn(whole)];
    const { part, put } = places[at % places.length] ?? { part: whole, put: (other: Json) => other };
    const changes = changesOf(part);
    return put(changes[how % changes.length] ?? part);
  });
}

export function* everyChangeOf(document: Json): Iterable<Json> {
  for (const { part, put } of placesIn(document)) yield* changesOf(part).map(put);
}

interface Place {
  readonly part: Json;
  /** The whole document with something else in this place. */
  readonly put: (other: Json) => Json;
}

function* placesIn(part: Json, put: Place["put"] = (other) => other): Iterable<Place> {
  yield { part, put };
  if (typeof part !== "object" || part === null) return;
  const entries = Object.entries(part);
  for (const [name, item] of entries) {
    yield* placesIn(item, (other) => {
      const changed = entries.map(([own, value]) => [own, own === name ? other : value] as const);
      return put(Array.isArray(part) ? changed.map(([, value]) => value) : rebuilt(changed));
    });
  }
}

/** Values nudged or replaced by any other, keys and entries left out, added, renamed or doubled. */
function changesOf(part: Json): readonly Json[] {
  const others = [...nudged(part), ...anything];
  if (typeof part !== "object" || part === null) return others;
  if (Array.isArray(part)) return [...others, [...part, ...part], part.slice(1)];
  const entries = Object.entries(part);
  const without = (name: string) => entries.filter(([other]) => other !== name);
  return [
    ...others,
    ...keyNames.map((name) => rebuilt([...without(name), [name, "a"]])),
    ...entries.flatMap(([name, item]) => [rebuilt(without(name)), rebuilt([...without(name), [`${name}s`, item]])]),
  ];
}

function nudged(part: Json): readonly Json[] {
  const others: readonly Json[] = [7, "word", [part]];
  if (typeof part === "number") return [...others, part + 1, part - 1, part + 0.5, -part, String(part)];
  if (typeof part === "boolean") return [...others, !part, String(part)];
  if (typeof part !== "string") return others;
  const around = [` ${part}`, `${part} `, `${part}\n`, `${part}.x`, `/${part}`, `${part}/`, `-${part}`, `${part}@x`];
  return [...others, ...around, part.toUpperCase(), part.replace("@", ""), part.replace("-", "")];
}

const person = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };

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
