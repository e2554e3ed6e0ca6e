import { describe, expect, test } from "vitest";
import type { ObservedKey } from "../../../../src/model/key.ts";
import {
  type CreationAnswer,
  decodeCreatedUser,
  showsCreatedUser,
} from "../../../../src/service/decode/write-answers.ts";

const ada = { identifier: "u-9", email: "ada@acme.example", firstName: "Ada", title: null };
const told = { identifier: "u-9", email: "ada@acme.example", profile: { firstName: "Ada", title: "" } };
const data = { identifier: "t-3", name: "Data" };
const ops = { identifier: "t-9", name: "Ops" };

/** The new key, which is the only one that is shown. */
function alone(key: ObservedKey) {
  return { key, shownKeys: [key] };
}

function decode(body: unknown, createdTeam?: string, answer: Partial<CreationAnswer> = {}) {
  return decodeCreatedUser({ status: 201, body, ...answer }, createdTeam);
}

describe("every known answer to a creation", () => {
  test.each([
    [
      "C1: one key",
      undefined,
      { ...ada, accessKeys: [{ prefix: "k1", team: null }] },
      { ...told, ...alone({ prefix: "k1", team: "none" }) },
    ],
    [
      "C1: one key and the created team",
      "Data",
      { ...ada, accessKeys: [{ prefix: "k1", team: data }], team: data },
      { ...told, ...alone({ prefix: "k1", team: data }), team: data },
    ],
    [
      "C1: the team known from the key alone",
      "Data",
      { ...ada, accessKeys: [{ prefix: "k1", team: data }] },
      { ...told, ...alone({ prefix: "k1", team: data }), team: data },
    ],
    [
      "C2: a key and its user",
      undefined,
      { prefix: "k1", status: "Active", user: ada, account: { identifier: "acc-1" } },
      { ...told, ...alone({ prefix: "k1", status: "Active" }) },
    ],
    [
      "C3: the key in the other list",
      undefined,
      { ...ada, listAccessKeys: [{ prefix: "k1" }] },
      { ...told, ...alone({ prefix: "k1" }) },
    ],
    [
      "C4: a user and its key",
      undefined,
      { user: ada, accessKey: { prefix: "k1" } },
      { ...told, ...alone({ prefix: "k1" }) },
    ],
    ["C5: a flat prefix", undefined, { ...ada, accessKeyPrefix: "k1" }, { ...told, ...alone({ prefix: "k1" }) }],
    [
      "C6: a whole key, cut at its dot",
      undefined,
      { user: ada, apiKey: "k1.SECRETBODY" },
      { ...told, ...alone({ prefix: "k1" }) },
    ],
    [
      "C6: as the key's own prefix",
      undefined,
      { user: ada, accessKey: { prefix: "k1.SECRETBODY" } },
      { ...told, ...alone({ prefix: "k1" }) },
    ],
    ["C6: a text without a dot may be a secret", undefined, { ...ada, apiKey: "SECRETBODY" }, told],
    [
      "C7: in an envelope",
      undefined,
      { data: { user: ada, accessKeys: [{ prefix: "k1" }] } },
      { ...told, ...alone({ prefix: "k1" }) },
    ],
    [
      "C7: in an envelope of success",
      undefined,
      { success: true, data: { ...ada, accessKeys: [{ prefix: "k1" }] }, error: null },
      { ...told, ...alone({ prefix: "k1" }) },
    ],
    ["C12: a mere prefix", undefined, "12pref1x121", { profile: {}, ...alone({ prefix: "12pref1x121" }) }],
    [
      "C12: a mere whole key",
      undefined,
      "12pref1x121.SECRETBODY\n",
      { profile: {}, ...alone({ prefix: "12pref1x121" }) },
    ],
    ["C12: a prefix of digits alone", undefined, 123456789, { profile: {}, ...alone({ prefix: "123456789" }) }],
    ["a mere word is no prefix", undefined, "Created", { profile: {} }],
    ["no key", undefined, ada, told],
    ["an empty answer", undefined, undefined, { profile: {} }],
    [
      "names from a hostile prototype",
      undefined,
      JSON.parse('{"__proto__":{"accessKeyPrefix":"evil"},"identifier":"u-9"}'),
      { identifier: "u-9", profile: {} },
    ],
  ])("%s", (_name, createdTeam, body, expected) => {
    const decoded = decode(body, createdTeam);
    expect(decoded).toEqual({ ok: true, value: expected });
    expect(JSON.stringify(decoded)).not.toContain("SECRETBODY");
  });

  test.each([
    ["/api/accounting/accounts/acc-1/users/u-9", "u-9"],
    ["https://inner:8080/modzy/api/accounting/users/u%2F9/?x=1", "u/9"],
    ["/api/accounting/accounts/acc-1", undefined],
    ["/users/%E0%A4%A", undefined],
    [undefined, undefined],
  ])("C8: an empty answer whose location is %s", (location, identifier) => {
    const value = { profile: {}, ...(identifier === undefined ? {} : { identifier }) };
    expect(decode(undefined, undefined, { location })).toEqual({ ok: true, value });
  });
});

describe("C10: which of several keys is the new one", () => {
  test.each([
    [
      "the one of the created team, by name",
      "Data",
      [{ prefix: "own" }, { prefix: "k1", team: { name: "DATA" } }],
      "k1",
    ],
    [
      "the one of a team, by kind",
      "Data",
      [
        { prefix: "own", kind: "user" },
        { prefix: "k1", kind: "team" },
      ],
      "k1",
    ],
    [
      "the one that is not the user's own",
      "Data",
      [
        { prefix: "own", isDefault: true },
        { prefix: "k1", isDefault: false },
      ],
      "k1",
    ],
    [
      "the one that says it has no team is not the team's",
      "Data",
      [{ prefix: "own", team: null }, { prefix: "k1" }],
      "k1",
    ],
    [
      "the one that is marked",
      undefined,
      [
        { prefix: "own", isDefault: true },
        { prefix: "k1", isDefault: false },
      ],
      "own",
    ],
    [
      "the user's own",
      undefined,
      [
        { prefix: "own", kind: "user" },
        { prefix: "k1", kind: "project" },
      ],
      "own",
    ],
  ])("%s", (_name, createdTeam, accessKeys, prefix) => {
    expect(decode({ ...ada, accessKeys }, createdTeam)).toMatchObject({ ok: true, value: { key: { prefix } } });
  });

  test("by the identifier of the created team", () => {
    const accessKeys = [
      { prefix: "own", team: { identifier: 4 } },
      { prefix: "k1", team: { identifier: "3" } },
    ];
    expect(decode({ ...ada, team: { identifier: 3 }, accessKeys }, "Data")).toMatchObject({
      ok: true,
      value: { key: { prefix: "k1" }, team: { identifier: "3" } },
    });
  });

  test.each([
    ["nothing tells them apart", undefined, [{ prefix: "a" }, { prefix: "b" }]],
    [
      "two are marked",
      undefined,
      [
        { prefix: "a", isDefault: true },
        { prefix: "b", isDefault: true },
      ],
    ],
    ["nothing tells the team's", "Data", [{ prefix: "a" }, { prefix: "b" }]],
    [
      "two are of the created team",
      "Data",
      [
        { prefix: "a", team: data },
        { prefix: "b", team: data },
      ],
    ],
  ])("none, and both are told, where %s", (_name, createdTeam, accessKeys) => {
    expect(decode({ ...ada, accessKeys }, createdTeam)).toEqual({
      ok: true,
      value: { ...told, ambiguousKeys: ["a", "b"], shownKeys: accessKeys },
    });
  });

  test.each([
    ["the user's own, those of a team cannot", undefined, { prefix: "c", team: ops }],
    ["the user's own, those of the kind of a team cannot", undefined, { prefix: "c", kind: "team" }],
    ["the created team's, those of another team cannot", "Data", { prefix: "c", team: ops }],
  ])("of several keys that may be %s", (_name, createdTeam, other) => {
    const shownKeys = [other, { prefix: "a" }, { prefix: "b" }];
    expect(decode({ ...ada, accessKeys: shownKeys }, createdTeam)).toEqual({
      ok: true,
      value: { ...told, ambiguousKeys: ["a", "b"], shownKeys },
    });
  });

  test("beside a key of the kind of a team, one of the kind of a user is not the created team's", () => {
    const shownKeys = [
      { prefix: "a", kind: "user" },
      { prefix: "b", kind: "team" },
    ];
    const value = { ...told, key: { prefix: "b", kind: "team" }, shownKeys };
    expect(decode({ ...ada, accessKeys: shownKeys }, "Data")).toEqual({ ok: true, value });
  });

  test("a key that says it has no team is not told as one that may be the created team's", () => {
    const accessKeys = [{ prefix: "own", team: null }, { prefix: "a" }, { prefix: "b" }];
    expect(decode({ ...ada, accessKeys }, "Data")).toEqual({
      ok: true,
      value: {
        ...told,
        ambiguousKeys: ["a", "b"],
        shownKeys: [{ prefix: "own", team: "none" }, { prefix: "a" }, { prefix: "b" }],
      },
    });
  });

  test("nothing is ambiguous where no key may be the created team's", () => {
    const shownKeys = [
      { prefix: "a", team: ops },
      { prefix: "b", kind: "user" },
    ];
    expect(decode({ ...ada, accessKeys: shownKeys }, "Data")).toEqual({ ok: true, value: { ...told, shownKeys } });
  });

  test.each([
    ["says nothing of a team, of the created team", "Data", { prefix: "k1" }, {}],
    ["is of the kind of a team, of the created team", "Data", { prefix: "k1", kind: "team" }, {}],
    [
      "is of the kind of a user, which may be a team's, of the created team",
      "Data",
      { prefix: "k1", kind: "user" },
      {},
    ],
    ["is of the created team, of that team", "Data", { prefix: "k1", team: data }, { team: data }],
    ["says nothing of a team, the user's own where no team was created", undefined, { prefix: "k1" }, {}],
    [
      "is of the kind of a user, the user's own where no team was created",
      undefined,
      { prefix: "k1", kind: "user" },
      {},
    ],
  ])("a key that is shown alone and %s", (_name, createdTeam, key, shown) => {
    expect(decode({ ...ada, accessKeys: [key] }, createdTeam)).toEqual({
      ok: true,
      value: { ...told, ...shown, ...alone(key) },
    });
  });

  test.each([
    ["in a list", { ...ada, accessKeys: [{ prefix: "k1", team: null }] }],
    ["by itself", { ...ada, accessKey: { prefix: "k1", team: null } }],
    ["as the answer itself", { prefix: "k1", team: null, user: ada }],
  ])("a key that is shown alone and says that it has no team, %s: the user's own, never the team's", (_name, body) => {
    const key = { prefix: "k1", team: "none" } as const;
    expect(decode(body)).toEqual({ ok: true, value: { ...told, ...alone(key) } });
    expect(decode(body, "Data")).toEqual({ ok: true, value: { ...told, shownKeys: [key] } });
  });

  test.each([
    ["with a team of another name is not the created team's", "Data", { prefix: "k9", team: { name: "Ops" } }, {}],
    [
      "with a team of another identifier is not the created team's",
      "Data",
      { prefix: "k9", team: ops },
      { team: data },
    ],
    ["with a team is not the user's own", undefined, { prefix: "k9", team: ops }, {}],
    ["of the kind of a team is not the user's own", undefined, { prefix: "k9", kind: "team" }, {}],
  ])("a key that is shown alone and %s, and is told as one that is shown", (_name, createdTeam, key, shown) => {
    const value = { ...told, ...shown, shownKeys: [key] };
    expect(decode({ ...ada, ...shown, accessKeys: [key] }, createdTeam)).toEqual({ ok: true, value });
    expect(decode({ ...ada, ...shown, accessKey: key }, createdTeam)).toEqual({ ok: true, value });
  });
});

describe("keys in several places of one answer", () => {
  const strange = { prefix: "k9", team: ops };

  test.each([
    ["by itself", { accessKey: { prefix: "k1" } }],
    ["as a mere prefix", { accessKeyPrefix: "k1" }],
    ["as a whole key", { apiKey: "k1.SECRETBODY" }],
  ])("are looked at until one gives the new key, and all are told: %s", (_name, beside) => {
    for (const createdTeam of [undefined, "Data"]) {
      expect(decode({ ...ada, accessKeys: [strange], ...beside }, createdTeam)).toEqual({
        ok: true,
        value: { ...told, key: { prefix: "k1" }, shownKeys: [strange, { prefix: "k1" }] },
      });
    }
  });

  test("tell by one place what another leaves open", () => {
    expect(decode({ ...ada, accessKeys: [{ prefix: "a" }, { prefix: "b" }], accessKey: { prefix: "b" } })).toEqual({
      ok: true,
      value: { ...told, key: { prefix: "b" }, shownKeys: [{ prefix: "a" }, { prefix: "b" }] },
    });
  });

  test("are all told, also where one place gives the key", () => {
    const accessKeys = [{ prefix: "k1", kind: "user" }];
    expect(decode({ ...ada, accessKeys, apiKey: strange, accessKeyPrefix: "k8" })).toEqual({
      ok: true,
      value: { ...told, key: accessKeys[0], shownKeys: [...accessKeys, strange, { prefix: "k8" }] },
    });
  });

  test.each([
    ["two lists", { user: { ...ada, accessKeys: [{ prefix: "k1" }] }, accessKeys: [strange] }],
    ["two keys by themselves", { ...ada, accessKey: { prefix: "k1" }, apiKey: strange }],
    ["a mere prefix of the user's and one beside", { user: { ...ada, accessKeyPrefix: "k9" }, accessKeyPrefix: "k1" }],
  ])("are all told, also where two are of one sort: %s", (_name, body) => {
    const decoded = decode(body);
    expect(decoded.ok && decoded.value.shownKeys?.map(({ prefix }) => prefix).sort()).toEqual(["k1", "k9"]);
  });

  test.each([
    ["of another team is not the created team's", "Data", strange, strange],
    ["of a team is not the user's own", undefined, strange, strange],
    [
      "of the kind of a team is not the user's own",
      undefined,
      { prefix: "k9", kind: "team" },
      { prefix: "k9", kind: "team" },
    ],
    ["without a team is not the created team's", "Data", { prefix: "k9", team: null }, { prefix: "k9", team: "none" }],
  ])("a key %s, though its prefix stands once more without its team", (_name, createdTeam, key, shown) => {
    const value = { ...told, shownKeys: [shown] };
    expect(decode({ ...ada, accessKeys: [key], accessKeyPrefix: "k9" }, createdTeam)).toEqual({ ok: true, value });
    expect(decode({ ...ada, accessKeys: [key], apiKey: "k9.SECRETBODY" }, createdTeam)).toEqual({ ok: true, value });
    expect(decode({ ...key, user: ada }, createdTeam)).toMatchObject({ ok: true, value: { shownKeys: [shown] } });
  });

  test("a key that is shown twice is told with all that is shown of it", () => {
    const key = { prefix: "k1", status: "active", team: data };
    expect(decode({ ...ada, accessKeys: [key], accessKeyPrefix: "k1" }, "Data")).toEqual({
      ok: true,
      value: { ...told, team: data, ...alone(key) },
    });
  });
});

describe("the team that an answer shows is told, whatever was asked for", () => {
  test.each([
    ["beside the user", undefined, { user: ada, team: ops }],
    ["of the user", undefined, { ...ada, team: ops }],
    ["of another name than was asked for", "Data", { ...ada, team: ops }],
  ])("%s", (_name, createdTeam, body) => {
    expect(decode(body, createdTeam)).toEqual({ ok: true, value: { ...told, team: ops } });
  });
});

describe("the address that an answer shows is told as the service writes it", () => {
  test.each([
    ["in its letters", { email: "Ada@ACME.example" }, { email: "Ada@ACME.example" }],
    ["without spaces around it", { emailAddress: " ada@acme.example " }, { email: "ada@acme.example" }],
    ["of the user within the answer", { user: { email: "bo@acme.example" } }, { email: "bo@acme.example" }],
    ["not where it is none", { username: "ada" }, {}],
  ])("%s", (_name, body, shown) => {
    expect(decode(body)).toEqual({ ok: true, value: { profile: {}, ...shown } });
  });
});

describe("C11: the age of the user that an answer shows, by the service's own clock", () => {
  const date = "Fri, 20 Nov 2026 10:00:00 GMT";

  test.each([
    ["a time of Greenwich", "2026-11-20T09:59:00Z", 60_000],
    ["a fraction of a second", "2026-11-20T09:59:58.187Z", 1813],
    ["a zone without a colon", "2026-11-20T09:59:58.187+0000", 1813],
    ["a small z", "2026-11-20T09:59:00z", 60_000],
    ["a time without seconds", "2026-11-20T09:59Z", 60_000],
    ["a date as headers have it", "Fri, 20 Nov 2026 09:59:00 GMT", 60_000],
    ["spaces around it", " 2026-11-20T09:59:00Z ", 60_000],
    ["a zone east of Greenwich", "2026-11-20T11:00:00+01:00", 0],
    ["a zone west of Greenwich", "2026-11-20T04:00:00-05:00", 3_600_000],
    ["a user of years ago", "2020-01-01T00:00:00Z", 217_332_000_000],
    ["a time after the answer, whose seconds are whole", "2026-11-20T10:00:00.400Z", -400],
  ])("%s", (_name, createdAt, age) => {
    for (const status of [200, 201, 202]) {
      expect(decode({ ...ada, createdAt }, undefined, { status, date })).toEqual({ ok: true, value: { ...told, age } });
    }
  });

  test.each(["created", "createdDate", "createdOn", "creationDate", "creationTime"])("as `%s`", (name) => {
    const shown = { ...ada, [name]: "2026-11-20T09:59:00Z" };
    expect(decode(shown, undefined, { date })).toEqual({ ok: true, value: { ...told, age: 60_000 } });
    expect(decode({ ...ada, [name]: true }, undefined, { date })).toEqual({ ok: true, value: told });
  });

  test("of a user within the answer", () => {
    const body = { createdAt: "2020-01-01T00:00:00Z", user: { ...ada, createdAt: "2026-11-20T09:59:59Z" } };
    expect(decode(body, undefined, { date })).toEqual({ ok: true, value: { ...told, age: 1000 } });
  });

  test.each([
    ["the time has no zone, so that it may be of any", "2026-11-20T09:59:00", date],
    ["the time has no zone, with a space in it", "2026-11-20 09:59:00", date],
    ["a day alone is shown", "2026-11-20", date],
    ["a day with a zone is shown, without a time", "2026-11-20Z", date],
    ["a day with an offset is shown, without a time", "2026-11-20+01:00", date],
    ["the zone is a word that few know", "2026-11-20T09:59:00 EST", date],
    ["the year stands where a zone may", "09:59:00 11-20-2026", date],
    ["a number is shown", Date.parse("2026-11-20T09:59:58Z"), date],
    ["no time can be read", "soon, at +01:00", date],
    ["nothing is shown", null, date],
    ["the answer has no date", "2026-11-20T09:59:00Z", undefined],
    ["the date of the answer cannot be read", "2026-11-20T09:59:00Z", "today"],
  ])("is not told where %s", (_name, createdAt, answered) => {
    expect(decode({ ...ada, createdAt }, undefined, { date: answered })).toEqual({ ok: true, value: told });
  });
});

describe("an answer of success is one of a creation, however little it tells", () => {
  test.each([
    ["nothing", undefined],
    ["null", null],
    ["true", true],
    ["an empty list", []],
    ["an empty object", {}],
    ["a list of an empty object", [{}]],
    ["an envelope of nothing", { data: [] }],
    ["a mere word of success", { success: true }],
    ["a user in an unknown envelope", { payload: ada }],
  ])("%s", (_name, body) => {
    for (const status of [200, 201, 204]) {
      expect(decode(body, undefined, { status })).toEqual({ ok: true, value: { profile: {} } });
    }
  });

  test.each([
    ["the user", [{ ...ada, accessKeys: [{ prefix: "k1" }] }]],
    ["the user beside its key", [{ user: ada, accessKey: { prefix: "k1" } }]],
    ["an envelope", [{ data: { ...ada, accessKeyPrefix: "k1" } }]],
    ["within an envelope", { data: [{ ...ada, accessKeyPrefix: "k1" }] }],
    ["within an envelope, the user beside its key", { result: [{ user: ada, accessKey: { prefix: "k1" } }] }],
    ["within an envelope of success", { success: true, content: [{ ...ada, accessKeys: [{ prefix: "k1" }] }] }],
  ])("a list of one is that one: %s", (_name, body) => {
    expect(decode(body)).toEqual({ ok: true, value: { ...told, ...alone({ prefix: "k1" }) } });
  });
});

describe("a mere word", () => {
  test.each(["12pref1x121", "jU7q.SECRETBODY", 123_456_789])("with 202 is no key: %s", (body) => {
    expect(decode(body, undefined, { status: 202 })).toEqual({ ok: true, value: { profile: {} } });
  });
});

describe("what is no created user", () => {
  test("a list of several is a misreading, for none of them can be told to be the one", () => {
    expect(decode([ada, { ...ada, identifier: "u-8" }])).toEqual({
      ok: false,
      error: { why: "expected a created user, but got a list of 2" },
    });
  });

  test("nor is false one", () => {
    expect(decode(false)).toEqual({
      ok: false,
      error: { why: "expected a created user, but got a boolean" },
    });
  });

  const no = { statusCode: 409, message: "there" };
  test.each([
    ["in an envelope", { data: { success: false } }, {}],
    ["in an envelope, by its status", { data: no }, { status: 409, words: "there" }],
    ["in an envelope of success", { success: true, result: no }, { status: 409, words: "there" }],
    ["in a list of one", [no], { status: 409, words: "there" }],
    ["in an envelope's list of one", { data: [no] }, { status: 409, words: "there" }],
    ["in the envelope of a list of one", [{ data: no }], { status: 409, words: "there" }],
    ["beside what the envelope of a list of one holds", [{ success: false, data: ada }], {}],
    ["beside nothing in the envelope of a list of one", [{ ...no, data: {} }], { status: 409, words: "there" }],
  ])("a refusal is a failure %s", (_name, body, refused) => {
    for (const status of [200, 201, 202]) {
      expect(decode(body, undefined, { status })).toEqual({
        ok: false,
        error: { why: "it reports a failure", refused },
      });
    }
  });

  test("an error answered with success is a failure", () => {
    expect(decode({ statusCode: 409, message: "there" })).toEqual({
      ok: false,
      error: { why: "it reports a failure", refused: { status: 409, words: "there" } },
    });
  });
});

describe("whether an answer that takes a creation for later shows the user all the same", () => {
  test.each([
    ["an address does", { email: "ada@acme.example" }, true],
    ["a key does", alone({ prefix: "k1" }), true],
    ["several keys do", { ambiguousKeys: ["k1", "k2"], shownKeys: [{ prefix: "k1" }, { prefix: "k2" }] }, true],
    ["a key does that is not the new one", { shownKeys: [{ prefix: "k9", team: ops }] }, true],
    ["an identifier does not: it may be of its own record", { identifier: "7" }, false],
    ["a team does not", { team: data }, false],
    ["nothing does not", {}, false],
  ])("%s", (_name, shown, expected) => {
    expect(showsCreatedUser({ profile: {}, ...shown })).toBe(expected);
  });
});
