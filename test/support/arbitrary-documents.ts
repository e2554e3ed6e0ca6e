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
const newAddresses = fc.constantFrom(...ordinary);
const addresses = fc.constantFrom(...ordinary, '"a b"@x', "a/b@x", "a@b@x");
const dates = fc.constantFrom("2026-11-20", "2027-01-31", "2028-02-29", "1900-01-01", "9999-12-31");
const roles = fc.array(fc.oneof(texts, fc.record({ set: texts })), { maxLength: 3 });

const user = fc.record(
  {
    email: newAddresses,
    firstName: texts,
    lastName: texts,
    title: texts,
    externalIdentifier: texts,
    source: texts,
    previously: fc.array(addresses, { maxLength: 2 }),
    ownKeyRoles: roles,
    key: texts,
    until: dates,
    distinctFrom: fc.array(addresses, { maxLength: 2 }),
  },
  { requiredKeys: ["email", "firstName", "lastName"] },
);
const leaver = fc.record({ email: addresses, since: dates, ref: texts }, { requiredKeys: ["email"] });
const member = fc.oneof(
  addresses,
  fc.record({ user: addresses, roles, key: texts }, { requiredKeys: ["user"] }),
  fc.record({ group: texts, roles }, { requiredKeys: ["group"] }),
);
const team = fc.record(
  {
    name: texts,
    identifier: texts,
    previously: fc.array(texts, { maxLength: 2 }),
    admin: addresses,
    founder: addresses,
    roles,
    open: fc.boolean(),
    onRemoval: fc.constantFrom("report", "disarm"),
    members: fc.array(member, { maxLength: 3 }),
  },
  { requiredKeys: ["name"] },
);
const key = fc.record({ prefix: texts, owner: addresses, roles, note: texts }, { requiredKeys: ["prefix", "roles"] });

/** A document that the schema accepts, whatever it may mean. */
export const rosterDocument: fc.Arbitrary<Json> = fc.record(
  {
    version: fc.constant(1),
    account: texts,
    defaults: fc.record({ source: texts }, { requiredKeys: [] }),
    roleSets: fc.dictionary(texts, fc.array(texts, { maxLength: 3 }), { maxKeys: 2 }),
    groups: fc.dictionary(texts, fc.array(addresses, { maxLength: 3 }), { maxKeys: 2 }),
    users: fc.array(user, { maxLength: 2 }),
    leavers: fc.array(leaver, { maxLength: 2 }),
    teams: fc.array(team, { maxLength: 2 }),
    keys: fc.array(key, { maxLength: 2 }),
  },
  { requiredKeys: ["version"] },
) as fc.Arbitrary<Json>;

const anything: fc.Arbitrary<Json> = fc.oneof(
  texts,
  strange,
  addresses,
  dates,
  fc.constantFrom("2027-02-29", "2027-1-31", "20270131", "0227-01-31", "2027-01-31T00:00Z"),
  fc.constantFrom<Json>(null, true, 1, 2, -1.5, [], {}, ["a"], [null], [{}], { set: "a" }, { user: "a@b", group: "g" }),
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
  "until",
  "onRemoval",
  "rolse",
  "__proto__",
  "version",
  "",
);

/** The same with one part of it replaced, left out or added. */
export const mutatedDocument: fc.Arbitrary<Json> = fc
  .tuple(
    rosterDocument,
    fc.array(fc.nat({ max: 50 }), { maxLength: 6 }),
    anything,
    keyNames,
    fc.constantFrom("replace", "remove", "add"),
  )
  .map(([document, steps, value, name, how]) => mutated(document, steps, (part) => change(part, { value, name, how })));

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

function change(
  part: Json,
  { value, name, how }: { readonly value: Json; readonly name: string; readonly how: string },
): Json {
  if (how === "replace" || typeof part !== "object" || part === null) return value;
  if (Array.isArray(part)) return how === "add" ? [...part, value] : part.slice(1);
  const entries = Object.entries(part);
  return rebuilt(how === "add" ? [...entries.filter(([other]) => other !== name), [name, value]] : entries.slice(1));
}

/** `Object.fromEntries` keeps `__proto__` as a name like any other. */
function rebuilt(entries: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(entries);
}
